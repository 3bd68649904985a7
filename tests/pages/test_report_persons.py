"""Reports of persons with several rows: who they are, and what outsiders learn of them."""

from __future__ import annotations

import importlib.util
import math
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import median_low
from typing import Any

import pytest
import yaml

import sqlanon
from sqlanon.commands.run import RunResult
from sqlanon.errors import PlanError
from sqlanon.pages.content import rows_by_ranges
from tests.discovery.test_init_persons import hospital_visits
from tests.pages.test_report import cells, pages_of
from tests.support.hospital import WITH_REPORT
from tests.support.tables import write_csv

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("vl_convert") is None, reason="the extra `report` is not installed"
)

NAMES = ("patient_id", "sex", "nationality", "ward")
LINKED = {"column": "patient_id", "histories": "linked", "rows": 3}
PSEUDONYM = {"role": "identifier", "action": "pseudonym", "key": "random"}
K = 5


def published(
    folder: Path, rows: Sequence[tuple[str, ...]], unit: Any
) -> tuple[RunResult, str, str]:
    """The result of a run, and its internal and external page."""
    folder.mkdir()
    write_csv(folder / "visits.csv", [NAMES, *rows])
    person = PSEUDONYM if "histories" in unit else "identifier"
    columns = {"patient_id": person, **dict.fromkeys(NAMES[1:], "quasi-identifier")}
    plan = {"source": "visits.csv", "columns": columns, "unit": unit,
            "privacy": [{"model": "k-anonymity", "k": K}], "suppression": {"limit": 0.2},
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
    assert min(counted.values()) >= K, "every number of rows may be shown"
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
    assert first == ["known", first[1], "fewest", f"below {K}", "one"]
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
        shown = rows_by_ranges(persons, K)
        assert sum(count for _, count in shown) == len(counts)
        assert len(shown) <= 12
        assert all(count >= min(K, len(counts)) for _, count in shown)
        for label, count in shown:
            least, _, most = label.replace(" or more", " to inf").partition(" to ")
            last = float(most or least)
            assert count == sum(n for rows, n in persons.items() if int(least) <= rows <= last)
            assert most != str(max(persons)) or math.isinf(last), "the most rows of one person"
