"""Reports: what the two editions tell, of persons with several rows, too, what they never tell,
and when none is written."""

from __future__ import annotations

import importlib.util
import json
import math
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import chdir, contextmanager
from dataclasses import dataclass, replace
from html import unescape
from pathlib import Path
from statistics import median_low
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import duckdb
import pytest
import yaml

import sqlanon
from sqlanon.attacks.findings import AttackFinding
from sqlanon.commands import report as reports
from sqlanon.commands import run as running
from sqlanon.commands.options import Options
from sqlanon.commands.run import RunResult
from sqlanon.engines.base import drive
from sqlanon.errors import PlanError, PrivacyViolation, ReportError
from sqlanon.pages import counts as counting
from sqlanon.pages import figures
from sqlanon.pages.content import rows_by_ranges
from sqlanon.pages.counts import Bar, Counted, Sizes, together
from sqlanon.pages.facts import Disclosed, PublishedFacts
from sqlanon.pages.html import percent
from sqlanon.pages.risks import risk_table
from sqlanon.pages.summary import summary
from sqlanon.publication.manifest import REPORTS
from sqlanon.risks.figures import Risk
from sqlanon.risks.population_uniques import Sample, pitman
from sqlanon.risks.table import class_figures, sample_figures
from sqlanon.sql.render import render
from tests.discovery.test_init_persons import hospital_visits
from tests.oracles import risk as oracle
from tests.plan.plans import plan_of
from tests.support.hospital import (
    COLUMNS,
    COMMENT,
    ROLES,
    WITH_REPORT,
    K,
    hospital,
    outliers,
    write,
)
from tests.support.tables import write_csv

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("vl_convert") is None, reason="the extra `report` is not installed"
)


@dataclass(frozen=True)
class Reported:
    """A run with both pages, the rows of its source, and those of the publication by column."""

    plan: Path
    rows: list[tuple[str, ...]]
    result: RunResult
    internal: str
    external: str
    outside: str
    published: list[dict[str, Any]]
    classes: Counter[tuple[str, str]]


def pages_of(result: RunResult) -> list[str]:
    return [file.read_text(encoding="utf-8") for file in result.reports]


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> Reported:
    """The hospital, published and reported."""
    rows = hospital()
    plan = write(tmp_path_factory.mktemp("hospital"), rows)
    result = sqlanon.run(plan, WITH_REPORT)
    assert result.manifest["rows"]["suppressed"] == 3
    outside = (result.target / "publication.json").read_text(encoding="utf-8")
    pages, published = pages_of(result), result.records()
    classes = Counter((row["age"], row["town"]) for row in published)
    return Reported(plan, rows, result, pages[0], pages[1], outside, published, classes)


@contextmanager
def table(name: str, columns: str, rows: Iterable[Sequence[Any]]) -> Iterator[Any]:
    """A database with these rows in a table of the steps."""
    with duckdb.connect() as connection:
        connection.execute("attach ':memory:' as sqlanon")
        connection.execute(f"create table sqlanon.{name} ({columns})")
        marks = ", ".join("?" * (columns.count(",") + 1))
        connection.executemany(f"insert into sqlanon.{name} values ({marks})", [*rows])
        yield connection


# --- what a page never tells


def without_texts(page: str) -> str:
    """A page without the texts of plan, release and manifest, which show what a plan names."""
    return re.sub(r"<pre.*?</pre>", "", page, flags=re.DOTALL)


def rare_values(reported: Reported) -> set[str]:
    """The values of the source that fewer than k rows of the publication are of, or have."""
    kept = [row for row in reported.rows if not row[0].startswith("Outlier")]
    rare = set()
    for place, name in enumerate(COLUMNS):
        sizes = Counter(row[place] for row in kept)
        rare |= {row[place] for row in reported.rows if sizes[row[place]] < K}
        if name in reported.published[0]:
            shown = Counter(str(row[name]) for row in reported.published)
            rare |= {value for value, count in shown.items() if count < K}
    return {value for value in rare if len(value) > 3}  # shorter ones are numbers of the page, too


def test_no_value_is_named_that_few_published_rows_have(reported: Reported) -> None:
    """In no edition, and not in the texts of the internal one."""
    rare = rare_values(reported)
    assert len(rare) > 250
    assert "rare-diagnosis-1" in rare
    texts = "".join(re.findall(r"<pre.*?</pre>", reported.internal, re.DOTALL))
    assert COMMENT in unescape(texts)
    assert "with source as" in texts
    for page in (without_texts(reported.internal), without_texts(reported.external),
                 re.sub(r"<[^>]*>", "", texts)):  # fmt: skip
        assert [value for value in rare if value in unescape(page)] == []


def test_the_external_edition_holds_no_canary(reported: Reported) -> None:
    """Nothing of the plan's text, the files, the source, or what the search reported."""
    digest = reported.result.manifest["published"]["sha256"]
    assert all(digest in text for text in (reported.external, reported.internal, reported.outside))
    page = unescape(reported.external + reported.outside).replace(digest, "")
    manifest = reported.result.manifest
    canaries = {
        "canary", "Quincke", "person-name", "Unused-Town", "towns.csv", "suppressed", "harmless",
        "intervals",
        str(reported.plan.parent), str(reported.plan.parent.name), "243", "rare-diagnosis",
        manifest["plan_sha256"], manifest["program_sha256"],
        manifest["plan_sha256"][:8], "release.sql", "loss", "lattice", "level",
        *(row[0] for row in reported.rows), *(row[4] for row in reported.rows),
        *(value for row in outliers(1) for value in row if len(value) > 3),
    }  # fmt: skip
    assert [canary for canary in canaries if canary in page] == []
    assert "flu" in page  # a frequent value is shown


def test_the_external_edition_follows_from_the_publication_alone(
    reported: Reported, tmp_path: Path
) -> None:
    """Other persons were suppressed, others were named, in another order: the same page."""
    rows = [(f"Other-{n}", *row[1:]) for n, row in enumerate(reported.rows[:240])]
    random.Random(5).shuffle(rows)
    plan = write(tmp_path / "other", [*outliers(2), *rows, *outliers(3)[:1]])
    result = sqlanon.run(plan, WITH_REPORT)
    published = reported.plan.parent / "published.parquet"
    assert (plan.parent / "published.parquet").read_bytes() == published.read_bytes()
    assert result.manifest["rows"]["suppressed"] == 4
    internal, external = pages_of(result)
    assert external == reported.external
    assert (result.target / "publication.json").read_text(encoding="utf-8") == reported.outside
    assert internal != reported.internal


def test_the_external_edition_reads_nothing_but_the_publication(
    reported: Reported, tmp_path: Path
) -> None:
    """The pages of a run can be written again, and this one where there is no source any more."""
    page = tmp_path / "page.html"
    assert sqlanon.report(reported.plan, output=page) == page
    assert page.read_text(encoding="utf-8") == reported.internal
    source = reported.plan.parent / "canary-ward-7" / "canary-source.csv"
    content = source.read_bytes()
    source.unlink()
    try:
        sqlanon.report(reported.plan, edition="external", output=page)
        with pytest.raises(PlanError):
            sqlanon.report(reported.plan, output=page)
    finally:
        source.write_bytes(content)
    assert page.read_text(encoding="utf-8") == reported.external


def test_no_difference_of_two_numbers_is_about_few_rows() -> None:
    """One row is not named: the rarest named value joins it, until enough are not."""
    bars = [Bar("a", None, 90), Bar("b", None, 6), Bar("c", None, 2 * K)]
    found = together(bars, Bar(None, None, 1), 1, K)
    assert [bar.label for bar in found.bars] == ["a", "c"]
    assert (found.others, found.other_values) == (Bar(None, None, 7), 2)
    assert together(bars, None, 0, K) == Counted(tuple(bars))
    suppressed = together([Bar("a", 9, 8), Bar("b", 7, 7)], Bar(None, 1, 0), 1, K)
    assert suppressed == Counted((Bar("a", 9, 8),), Bar(None, 8, 7), 2), "one row of the source"
    few = together([Bar("a", None, 2)], Bar(None, None, 1), 1, K)
    assert few.bars == ()
    one_person = together(bars, Bar(None, None, 4 * K), 1, K, 1)
    assert [bar.label for bar in one_person.bars] == ["a", "c"]
    assert one_person.others == Bar(None, None, 4 * K + 6)
    assert len(together(bars, Bar(None, None, 4 * K), 3, K, K).bars) == 3


# --- what a page tells


def rows_of(page: str) -> list[list[str]]:
    """The texts of the rows of tables."""
    return [
        [unescape(re.sub(r"<[^>]*>", "", cell)) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)]
        for row in re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)
    ]


def cells(page: str, section: str) -> list[list[str]]:
    """The rows of the tables of a section."""
    (found,) = re.findall(rf'<section aria-labelledby="{section}".*?</section>', page, re.DOTALL)
    return rows_of(found)


def test_promises_and_risk_are_those_of_class_sizes(reported: Reported) -> None:
    before = Counter(row[1:3] for row in reported.rows).values()
    after = reported.classes.values()
    for page in (reported.internal, reported.external):
        _, anonymity, diversity, closeness = cells(page, "promises")
        assert anonymity[0] == diversity[0] == closeness[0] == "✓ holds"
        assert anonymity[2:] == [f"k-anonymity, k = {K}", f"class size {min(after)}"]
        assert "All 3 promises hold." in page
    heads, *rows = cells(reported.internal, "risk")
    assert heads == ["figure", "how it is known", "source, unchanged", "publication"]
    found = {row[0]: row[2:] for row in rows if len(row) == 4 and row[1] == "proven"}
    pairs = [row[1:3] for row in reported.rows]
    alone = [sets for sets in oracle.minimal_sets(pairs, 3) if sets]
    assert found == found | {
        "highest prosecutor risk": ["100 %", f"{100 / min(after):.1f} %"],
        "average prosecutor risk": [f"{100 * len(s) / sum(s):.1f} %" for s in (before, after)],
        "sample uniques": [f"{sum(size == 1 for size in before)}", "0"],
        f"rows in classes of fewer than {K}": [f"{sum(s for s in before if s < K)}", "0"],
        "rows alone on 3 columns or fewer": [f"{len(alone)}", "0"],
        "minimal sample uniques": [f"{sum(map(len, alone))}", "0"],
    }
    assert len(found) == len([row for row in rows if len(row) == 4])
    parts = [percent(float(part)) for part in oracle.contributions(pairs, 3)]
    shown = {row[0]: row[2] for row in rows if row[0] in ("age", "town") and len(row) == 3}
    assert shown == dict(zip(("age", "town"), parts, strict=True))
    outside = [row for row in cells(reported.external, "risk") if row[1:2] == ["proven"]]
    assert {row[0]: row[2] for row in outside} == {name: each[1] for name, each in found.items()}
    assert "estimated" not in "".join(map("".join, cells(reported.external, "risk")))


def test_estimates_are_for_those_who_have_the_population() -> None:
    sizes, after = {1: 30, 2: 10, 5: 2}, {20: 3}
    published, source = [
        [*class_figures(each, "rows", K), *sample_figures(Sample(each, 600), K)]
        for each in (after, sizes)
    ]
    table = risk_table(published, source)
    words = {row[0]: row[1] for row in table.rows if row[0] == "population uniques"}
    assert words == {"population uniques": "estimated (Dankar's rule)"}
    assert {row[1].split(" (")[0] for row in table.rows} == {"proven", "estimated"}
    facts = PublishedFacts(60, SIZES, {}, replace(NO_RISK, figures=published))
    assert {one.basis for one in facts.shown.risk.figures} == {"proven"}
    (estimate,) = [r for r in table.rows if r[1] == "estimated (Pitman)"]
    assert estimate[2:] == (f"{pitman(Sample(sizes, 600)).uniques:,.0f}", "0")


def test_columns_are_judged_by_their_different_values() -> None:
    rows = [("01", "1", "2020-01-01"), ("02", "2.5", "2020-05-02"), ("02", "2.5", "2021-01-01"),
            (None, "3", "2021-01-01")]  # fmt: skip
    names = [(name, False) for name in ("code", "number", "day")]
    with table("members", "code varchar, number varchar, day varchar", rows) as connection:
        step = next(counting.column_kinds("kinds", "sqlanon.members", names))
        code, number, day = connection.execute(step.sql).fetchall()
    assert (code[1:4], number[1:3], day[1:5]) == ((2, False, False), (3, True), (3, False, True, 2))


def figures_of(page: str) -> dict[str, tuple[str, dict[str, list[str]]]]:
    """By title, the note of each figure and the rows of its table by their first cell."""
    found = {}
    for figure in re.findall(r"<figure>(.*?)</figure>", page, re.DOTALL):
        (caption,) = re.findall(r"<figcaption>(.*?)</figcaption>", figure, re.DOTALL)
        title, _, note = unescape(re.sub(r"<[^>]*>", "\n", caption)).partition("\n")
        rows = {row[0]: row[1:] for row in rows_of(figure)}
        found[title.strip()] = note.strip(), rows
    return found


def test_every_figure_of_values_is_that_of_the_rows(reported: Reported) -> None:
    """Rows of the source, suppressed and published ones, and how far a reader's shares are."""
    figures, outside = figures_of(reported.internal), figures_of(reported.external)
    published, kept = reported.published, [r for r in reported.rows if r[0].startswith("Name-")]
    read = dict.fromkeys((row[1] for row in reported.rows), 0.0)
    for row in published:
        low, high = map(int, re.findall(r"\d+", row["age"]))
        covered = [age for age in read if low <= int(age) < high]
        for age in covered:
            read[age] += 1 / len(covered)
    for name, place, bin_of, after in (
        ("age", 1, lambda age: f"[{int(age) // 10 * 10}, {int(age) // 10 * 10 + 10})", read),
        ("town", 2, str, Counter(row["town"] for row in published)),
        ("diagnosis", 3, str, Counter(row["diagnosis"] for row in published)),
    ):
        note, rows = figures[name]
        sides = [Counter(bin_of(row[place]) for row in some) for some in (reported.rows, kept)]
        named = [label for label in sides[0] if sides[1][label] >= K]
        if 0 < sum(sides[0].values()) - sum(sides[0][label] for label in named) < K:
            named.remove(min(named, key=sides[1].__getitem__))  # so that no few are left
        assert {*named} == {label for label in rows if label != "value" and "other" not in label}
        for label in named:
            before, left = sides[0][label], sides[1][label]
            assert rows[label][:2] == [str(before), str(before - left)], (name, label)
            total = sum(count for value, count in after.items() if bin_of(value) == label)
            assert float(rows[label][2]) == pytest.approx(total), (name, label)
        if name == "diagnosis":
            assert (note, rows["6 other values"]) == ("", ["9", "3", "6"])
            assert outside[name][1]["3 other values"] == ["6"]
            continue
        exact = Counter(row[place] for row in reported.rows)
        shares = [
            abs(exact[v] / len(reported.rows) - after.get(v, 0) / len(published)) for v in exact
        ]
        assert note == f"distance {100 * sum(shares) / 2:.1f} %"
        counted = Counter(row[name] for row in published)
        shown = {label: [str(n)] for label, n in counted.items()}
        assert outside[name][1] == {"value": outside[name][1]["value"], **shown}
    for page in (figures, outside):
        costs = [
            cells[0].replace(",", "") for at, cells in page["cost"][1].items() if at != "value"
        ]
        assert sum(map(int, costs)) == len(published)


def test_every_figure_of_classes_and_attacks_is_that_of_the_rows(reported: Reported) -> None:
    classes, published = reported.classes, reported.published
    both: list[Counter[Any]] = [Counter(row[1:3] for row in reported.rows), classes]
    for page, sides in ((reported.internal, both), (reported.external, both[1:])):
        _, rows = figures_of(page)["Rows by the size of their class"]
        del rows["class size"]
        for label in rows:
            least, _, most = label.removeprefix("from ").replace("–", "-").partition("-")
            last = float(most or ("inf" if label.startswith("from") else least))
            for number, sizes in enumerate(sides):
                fit = [size for size in sizes.values() if int(least) <= size <= last]
                share = 100 * sum(fit) / sum(sizes.values())
                counted, members, shown = rows[label][3 * number : 3 * number + 3]
                assert (int(counted), int(members)) == (len(fit), sum(fit))
                assert float(shown.split()[0]) == pytest.approx(share, abs=0.1)
        for number, sizes in enumerate(sides):
            assert sum(int(found[3 * number]) for found in rows.values()) == len(sizes)
    counts = Counter(row["diagnosis"] for row in published)
    gains = Counter((row["age"], row["town"], row["diagnosis"]) for row in published)
    alone = sum(n for (age, town, _), n in gains.items() if n == classes[age, town])
    skewed = sum(
        n for (age, town, value), n in gains.items()
        if n / classes[age, town] > 2 * counts[value] / len(published)
    )  # fmt: skip
    of_attacks = {row[0]: row[2] for row in cells(reported.internal, "attacks")}
    assert (of_attacks["homogeneity"], of_attacks["skewness"]) == (str(alone), str(skewed))
    assert skewed > 0
    most = f"{100 * skewed / len(published):.1f} %"
    for page in (reported.internal, reported.external):
        (summary,) = re.findall(r'<div class="verdict mixed">.*?<nav', page, re.DOTALL)
        assert f"Attacks still learn something of up to {most} of the rows" in summary
        assert f"{most} of the rows ({skewed}), by the attack skewness on diagnosis" in summary
        assert 'style="' not in page  # the page's policy forbids it


# --- forms of publications

OTHER_FORMS: dict[str, dict[str, Any]] = {
    "mondrian": {"method": "mondrian", "publish": "published.csv"},
    "anatomy": {"method": "anatomy", "publish": "published/rows.parquet",
                "privacy": [{"model": "l-diversity", "attribute": "diagnosis", "l": 2}]},
    "masked": {"suppression": {"limit": 0.2, "rows": "mask"}, "publish": "new.duckdb::rows"},
    "population": {"population": "canary-ward-7/canary-source.csv",
                   "privacy": [{"model": "k-map", "k": 3}],
                   "attacks": [{"name": "linkage", "attacker": "prosecutor", "at_most": 1}],
                   "columns": {**ROLES, "diagnosis": "insensitive"}},
    "persons": {"unit": "remark", "suppression": {"limit": 1},
                "privacy": [{"model": "k-anonymity", "k": 2}],
                "columns": {**ROLES, "remark": "identifier"}},
}  # fmt: skip


@pytest.mark.parametrize("form", OTHER_FORMS)
def test_forms_of_publications(form: str, tmp_path: Path) -> None:
    """A partition, two tables of buckets, a table of a database, a population, and persons."""
    plan = write(tmp_path / form, hospital()[:240], **OTHER_FORMS[form])
    result = sqlanon.run(plan, WITH_REPORT)
    internal, external = pages_of(result)
    for edition, page in (("internal", internal), ("external", external)):
        again = tmp_path / f"{edition}.html"
        sqlanon.report(plan, edition=edition, output=again)
        assert again.read_text(encoding="utf-8") == page, edition
        assert not re.search(r"Name-\d|remark-\d", without_texts(page))
    assert ("The lattice" in internal) == (form not in ("mondrian", "anatomy"))
    assert "not shown by the publication alone" in external or form != "population"
    assert "persons" in internal or form != "persons"
    assert ("highest individual risk" in internal) == (form == "population")
    assert "individual risk" not in external


def test_columns_may_be_called_as_those_of_a_step(folder: Path) -> None:
    """Of a table of a connection, too."""
    names = ("class_size", "row_count", "individual_risk", "value")
    connection = duckdb.connect()
    connection.execute(
        "create table patients as select n % 7 as class_size, n % 3 as row_count,"
        " n % 2 as individual_risk, n as value, n % 4 as ill from range(60) t(n)"
    )
    patients = {"table": "patients"}
    columns = dict.fromkeys(names, "quasi-identifier") | {"ill": "sensitive"}
    keys = {"suppression": {"limit": 1}, "publish": {"table": "released"}}
    plan = plan_of(columns, patients, population=patients, **keys)
    result = sqlanon.run(plan, Options(connection=connection, report=True))
    internal, external = pages_of(result)
    found = {row[0]: row[1:] for row in cells(internal, "risk") if len(row) == 4}
    assert found["highest prosecutor risk"][1] == found["highest individual risk"][1] == "100 %"
    assert found["rows alone on 3 columns or fewer"][1] == "60"
    assert "released: external report" in external
    again = sqlanon.report(plan, Options(connection=connection), output=folder / "again.html")
    assert again.read_text(encoding="utf-8") == internal


# --- when no report is written


def test_nothing_is_reported_of_what_does_not_belong_together(
    reported: Reported, tmp_path: Path
) -> None:
    plan = tmp_path / "new" / "canary-plan.yml"
    write(tmp_path / "new", reported.rows)
    with pytest.raises(PlanError, match="no manifest"):
        sqlanon.report(plan)
    sqlanon.run(plan)
    with pytest.raises(PlanError, match="another version"):
        sqlanon.report(plan, Options(overrides=["suppression.limit=0.04"]))
    with pytest.raises(PlanError, match="no edition"):
        sqlanon.report(plan, edition="public")
    with pytest.raises(PlanError, match="not the name of a page"):
        sqlanon.report(plan, output=tmp_path / "new" / "towns.csv")
    source = tmp_path / "new" / "canary-ward-7" / "canary-source.csv"
    content = source.read_text()
    source.write_text(content[: content.index("Outlier-1-2")])
    with pytest.raises(PlanError, match="source has changed"):
        sqlanon.report(plan)
    source.write_text(content)
    published = tmp_path / "new" / "published.parquet"
    duckdb.sql(
        f"copy (from '{reported.plan.parent / 'published.parquet'}' limit 99) to '{published}'"
    )
    for edition in ("internal", "external"):
        with pytest.raises(PrivacyViolation, match="not the one that the manifest describes"):
            sqlanon.report(plan, edition=edition)
    assert not list((tmp_path / "new").rglob("*.html"))


@pytest.mark.parametrize("failing", ["source_facts", "_write_page"])
def test_a_report_that_fails_leaves_the_publication(
    failing: str, reported: Reported, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reports, failing, Mock(side_effect=OSError(28, "Name-001 does not fit")))
    plan = write(tmp_path / "new", reported.rows)
    with pytest.raises(ReportError, match="proven and published") as caught:
        sqlanon.run(plan, WITH_REPORT)
    assert caught.value.exit_code == 6
    assert "Name-001" not in str(caught.value)
    published = plan.parent / "published.parquet"
    assert published.read_bytes() == (reported.plan.parent / "published.parquet").read_bytes()
    manifest = json.loads((plan.parent / "target/canary-plan/manifest.json").read_text())
    assert manifest["rows"] == reported.result.manifest["rows"]


def test_no_page_stays_beside_another_publication(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A run removes the pages of the earlier one; if it is stopped later, it says what stands."""
    plan = write(tmp_path / "new", hospital()[:240])
    pages = sqlanon.run(plan, WITH_REPORT).reports
    assert [page.name for page in pages if page.is_file()] == [*REPORTS.values()]
    sqlanon.run(plan, Options(overrides=["privacy.0.k=6"]))
    assert not any(page.exists() for page in pages)
    for page in pages:
        page.write_text("of an earlier publication")
    with monkeypatch.context() as patch:
        patch.setattr(reports, "_write_reports", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            sqlanon.run(plan, WITH_REPORT)
    assert "its rows are proven and published" in caplog.text
    assert not any(page.exists() for page in pages)
    caplog.clear()
    monkeypatch.setattr(running, "_verify_staged", Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        sqlanon.run(plan, WITH_REPORT)
    assert "proven and published" not in caplog.text


def test_without_the_package_that_draws_pages_have_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    figures._library.cache_clear()
    plan = write(tmp_path / "new", hospital())
    result = sqlanon.run(plan, WITH_REPORT)
    figures._library.cache_clear()
    assert caplog.text.count("no pictures: pip install 'sqlanon[report]'") == 1
    for page in result.reports:
        text = page.read_text(encoding="utf-8")
        assert "<svg" not in text
        assert "Not drawn" in text
        assert "k-anonymity" in text


@pytest.mark.parametrize("kind", ["numbers", "months", "codes"])
def test_ranges_are_read_as_their_parts(kind: str) -> None:
    """Each label's rows are spread over its range; years of twelve months; codes are no numbers."""
    draw = random.Random(7)
    ranges = [
        (low, low + max(0, draw.randint(-9, 40))) for low in draw.choices(range(1900, 2000), k=30)
    ]
    counts = [draw.randint(5, 30) for _ in ranges]
    form = {"numbers": "{}", "months": "{}-01", "codes": "0{}"}[kind]
    labels = [
        f"[{form.format(low)}, {form.format(high)}]" if low < high else form.format(low)
        for low, high in ranges
    ]
    rows = [*zip(labels, counts, strict=True), ("*", 3)]
    with table("published_combinations", "a varchar, row_count bigint", rows) as connection:
        engine: Any = SimpleNamespace(execute=lambda step: connection.execute(step.sql).fetchall())
        answered = drive(engine, counting.read_ranges("age", "a", K))
    assert (answered is None) == (kind == "codes")
    if answered is None:
        return
    found = {str(bar.label): bar.after or 0 for bar in answered.bars}
    first, end = next(iter(found)).replace(",", "").split(" to ")
    width = int(end) - int(first)
    mark = "" if kind == "months" else ","
    for start in range(1900 - width, 2060, width):
        expected = 0.0
        for (low, high), count in zip(ranges, counts, strict=True):
            inside = max(0, min(high, start + width) - max(low, start)) / (high - low or 1)
            alone = low == high and start <= low < start + width
            expected += count * (1 if alone else inside)
        label = f"{start:{mark}} to {start + width:{mark}}"
        assert (label in found) == (expected >= K)
        assert found.get(label, expected) == pytest.approx(expected, abs=0.5)
    left = answered.others.after or 0 if answered.others else 0
    assert sum(found.values()) + left == pytest.approx(sum(counts) + 3)


def test_each_release_of_the_lattice_publishes_what_the_page_says(reported: Reported) -> None:
    """The texts in the page are queries; the first is the release of the run."""
    release = r'<details class="release">\s*<summary>(.*?)</summary>\s*<pre[^>]*>(.*?)</pre>'
    found = re.findall(release, unescape(reported.internal), re.DOTALL)
    releases = dict(found)
    nodes = figures_of(reported.internal)["Nodes of the lattice by height and loss"][1]
    assert 4 <= len(found) <= 12
    labels = [label for label in nodes if label != "labels"]
    assert [*releases] == labels[: len(found)]
    assert found[0][1] == (reported.result.target / "release.sql").read_text(encoding="utf-8")
    with duckdb.connect() as connection, chdir(reported.plan.parent):
        for words, text in releases.items():
            rows = connection.execute(text).fetchall()
            assert len(rows) == len(reported.rows) - int(nodes[words][-1]), words


def finding(**keys: Any) -> AttackFinding:
    known = {
        "attack": "homogeneity", "variant": "", "attribute": "need", "parameters": {},
        "tried": True, "meaning": "everyone in the class has one value", "rows": 100,
        "rows_at_risk": 68, "share": 0.68, "rows_not_safe": 68,
    }  # fmt: skip
    return AttackFinding(**{**known, **keys})


SIZES = Sizes((), 1, 100, 5, 5, 5)
NO_RISK = Risk((), (), (), 3)
PROMISE = {"holds": True}
WARNING = {"name": "w", "text": "…", "acknowledged": False}


def test_a_summary_is_green_only_if_nothing_is_measured_or_warned() -> None:
    facts = PublishedFacts(100, SIZES, {}, NO_RISK)
    safe = finding(rows_at_risk=0, share=0.0)
    late = finding(tried=False, share=None, rows_at_risk=None)
    acknowledged = {**WARNING, "acknowledged": True}
    for failing, findings, warnings, tone in (
        ([], [safe, late], [], "good"),
        ([], [safe], [acknowledged], "good"),
        ([], [safe], [WARNING], "mixed"),
        ([], [safe, finding()], [], "mixed"),
        ([], [late], [], "mixed"),
        ([], [], [], "mixed"),
        ([{"holds": False}], [safe], [], "fails"),
    ):
        assert summary([PROMISE, *failing], findings, warnings, facts, K)["tone"] == tone


@pytest.mark.parametrize(
    ("rows", "all_rows", "is_named"),
    [(60, 68, True), (68, 68, True),
     (66, 68, False),  # the other two would be few
     (K - 1, 68, False),
     (60, 67, False)],  # not the rows of the attack
)  # fmt: skip
def test_a_summary_says_which_value_is_disclosed(rows: int, all_rows: int, is_named: bool) -> None:
    disclosed = {"need": Disclosed("0 = none", rows, all_rows)}
    facts = PublishedFacts(100, SIZES, {}, NO_RISK, disclosed=disclosed)
    found = summary([PROMISE], [finding()], [], facts, K)
    assert "up to 68.0 % of the rows" in found["title"]
    (sentence,) = found["measured"]
    share = f"{100 * rows / all_rows:.1f}".removesuffix(".0")
    named = f" Of them, {share} % have the value “0 = none”."
    assert sentence.endswith(f": everyone in the class has one value.{named if is_named else ''}")


def test_disclosed_values_are_those_of_classes_with_one_value() -> None:
    """Counted in rows drawn so that there are such classes."""
    draw = random.Random(3)
    rows = [(draw.choice("abcdef"), draw.choice("xy"), draw.choice("1112")) for _ in range(40)]
    sql = render("pages/disclosed_values.sql", key=["a", "b"], attribute="s")
    with table("published_rows", "a varchar, b varchar, s varchar", rows) as connection:
        found = connection.execute(sql).fetchall()
    counts = Counter(
        s for a, b, s in rows if {each[2] for each in rows if each[:2] == (a, b)} == {s}
    )
    (most,) = counts.most_common(1)
    assert found == [(*most, counts.total())]


def test_a_picture_groups_values_by_the_finest_level_with_several_labels_but_few() -> None:
    sizes = {"a": (21, 2, 1), "b": (20, 5, 1), "c": (21, 1)}  # a missing value is no label
    rows = [
        (name, level, str(n % size) if n < 42 else None)
        for name, each in sizes.items()
        for level, size in enumerate(each)
        for n in range(43)
    ]
    with table("hierarchy_levels", "attribute varchar, level int, label varchar", rows) as con:
        found = con.execute(render("pages/group_levels.sql", most=20)).fetchall()
    assert found == [("a", 1), ("b", 0)]


# --- persons with several rows

NAMES = ("patient_id", "sex", "nationality", "ward")
LINKED = {"column": "patient_id", "histories": "linked", "rows": 3}
PSEUDONYM = {"role": "identifier", "action": "pseudonym", "key": "random"}
FEWEST = 5


def published(
    folder: Path, rows: Sequence[tuple[str, ...]], unit: Any
) -> tuple[RunResult, str, str]:
    """The result of a run, and its internal and external page."""
    folder.mkdir()
    write_csv(folder / "visits.csv", [NAMES, *rows])
    person = PSEUDONYM if "histories" in unit else "identifier"
    columns = {"patient_id": person, **dict.fromkeys(NAMES[1:], "quasi-identifier")}
    plan = {"source": "visits.csv", "columns": columns, "unit": unit,
            "privacy": [{"model": "k-anonymity", "k": FEWEST}], "suppression": {"limit": 0.2},
            "publish": "published.parquet"}  # fmt: skip
    (folder / "plan.yml").write_text(yaml.safe_dump(plan), encoding="utf-8")
    result = sqlanon.run(folder / "plan.yml", WITH_REPORT)
    internal, external = pages_of(result)
    return result, internal, external


@pytest.mark.parametrize("unit", [{"column": "patient_id"}, LINKED], ids=["default", "linked"])
def test_persons_of_the_hospital(unit: dict[str, Any], tmp_path: Path) -> None:
    """Where rows were drawn, the internal page is that of the run alone."""
    is_linked = "histories" in unit
    rows = [tuple(row[name] for name in NAMES) for row in hospital_visits()]
    result, internal, external = published(tmp_path / "new", rows, unit)
    labels, kept = NAMES[1:], result.records()
    if is_linked:
        histories: dict[str, list[tuple[str, ...]]] = defaultdict(list)
        for row in kept:
            histories[row["patient_id"]].append(tuple(row[name] for name in labels))
        sizes = [*Counter(tuple(sorted(each)) for each in histories.values()).values()]
        persons = len(histories)
    else:
        classes = {tuple(row[name] for name in labels): row["persons"] for row in kept}
        sizes = [*classes.values()]
        whole = [at for at, name in enumerate(labels, 1) if {row[name] for row in kept} != {"*"}]
        fits = {tuple(key[at - 1] for at in whole) for key in classes}
        persons = len({row[0] for row in rows if tuple(row[at] for at in whole) in fits})
    of_person = Counter(row[0] for row in rows)
    counted = Counter(of_person.values())
    assert min(counted.values()) >= FEWEST, "every number of rows may be shown"
    shown = cells(internal, "persons")
    suppressed = result.manifest["rows"]["suppressed"]
    assert suppressed > 0
    cut = sum(count - 3 for count in of_person.values() if count > 3)
    assert (["beyond the most rows of a person", "–", str(cut)] in shown) == is_linked
    lines = [
        ["in the source", f"{len(of_person):,}", f"{len(rows):,}"],
        ["published", f"{persons:,}", f"{len(kept):,}"],
        ["suppressed", f"{len(of_person) - persons:,}", f"{suppressed:,}"],
    ]
    assert [line for line in lines if line not in shown] == []
    lines = [[str(count), str(patients)] for count, patients in counted.items()]
    assert [line for line in lines if line not in [row[:2] for row in shown]] == []
    for page in (internal, external):
        for name, value in (("smallest", min(sizes)), ("median", median_low(sizes))):
            assert f"<dt>Persons in the {name} class</dt><dd>{value:,}</dd>" in page
        assert ("<dt>Published persons</dt>" in page) == is_linked
        assert ("The column <code>persons</code>" in page) != is_linked
    half = median_low(of_person.values())
    assert f"<dt>Rows of the median person in the source</dt><dd>{half}</dd>" in internal
    first, *outside = cells(external, "persons")
    assert first == ["known", first[1], "fewest", f"below {FEWEST}", "one"]
    everybody = ["… and all rows", f"{persons:,}"] if is_linked else ["any rows", f"{sum(sizes):,}"]
    assert outside[-1] == [*everybody, str(min(sizes)), "0", "0"]
    assert len(outside) == 1 or is_linked
    assert ("patient_id" in external) == is_linked
    assert "source" not in "".join(map("".join, outside))
    if is_linked:
        plan, again = tmp_path / "new/plan.yml", tmp_path / "again.html"
        with pytest.raises(PlanError, match="chosen by a key"):
            sqlanon.report(plan, output=again)
        sqlanon.report(plan, edition="external", output=again)
        assert again.read_text(encoding="utf-8") == external


def small(persons: Sequence[int], outliers: int) -> list[tuple[str, ...]]:
    """Two classes with these persons, and others who fit no class."""
    rows = [(f"p{n}", "f", "fr", "a") for n in persons]
    rows += [(f"q{n}", "m", "fr", "b") for n in persons]
    return [*rows, *((f"o{n}", f"x{n}", f"y{n}", f"z{n}") for n in range(outliers))]


@pytest.mark.parametrize("kind", ["default", "none"])
def test_outsiders_learn_of_no_person_whom_the_publication_does_not_show(
    kind: str, tmp_path: Path
) -> None:
    """Other persons have the rows, and others were suppressed: the same page."""
    unit, one = {"column": "patient_id"}, [0, 0, 0, 0, 1, 2, 3, 4]
    other = [0, 0, 1, 1, 2, 2, 3, 4]
    if kind == "none":
        unit, other = {**unit, "count": "none"}, [*range(8)]
    first, inside, outside = published(tmp_path / "one", small(one, 1), unit)
    second, inside_2, outside_2 = published(tmp_path / "other", small(other, 2), unit)
    files = [each.target.parents[1] / "published.parquet" for each in (first, second)]
    assert files[0].read_bytes() == files[1].read_bytes()
    assert outside == outside_2
    assert inside != inside_2
    assert ("Persons in the smallest class" in outside) == (kind == "default")
    assert ("no risk of a person" in outside) == (kind == "none")
    shown = f"<dt>Persons in the smallest class</dt><dd>{len({*other})}</dd>"
    assert shown in inside_2


def test_no_number_of_rows_is_shown_that_few_persons_have() -> None:
    draw = random.Random(3)
    for _ in range(500):
        counts = [draw.randint(1, draw.choice((4, 12, 90))) for _ in range(draw.randint(1, 200))]
        persons = dict(sorted(Counter(counts).items()))
        shown = rows_by_ranges(persons, FEWEST)
        assert sum(count for _, count in shown) == len(counts)
        assert len(shown) <= 12
        assert all(count >= min(FEWEST, len(counts)) for _, count in shown)
        for label, count in shown:
            least, _, most = label.replace(" or more", " to inf").partition(" to ")
            last = float(most or least)
            assert count == sum(n for rows, n in persons.items() if int(least) <= rows <= last)
            assert most != str(max(persons)) or math.isinf(last), "the most rows of one person"
