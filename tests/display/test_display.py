"""Results in a notebook: as tables in HTML, and as tables of pandas, polars and pyarrow."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import re
import tomllib
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import duckdb
import pytest
from packaging.requirements import Requirement

import sqlanon
from sqlanon import (
    AlphaKAnonymity,
    Intervals,
    KAnonymity,
    LDiversity,
    QuasiIdentifier,
    SensitiveAttribute,
)
from sqlanon.cli.layout import block_lines
from sqlanon.errors import EngineError
from tests.paths import ROOT

ODD = "<script>alert(1)</script>"
CANARY = "canary & <b>"


class Parsed(HTMLParser):
    """The tags and the texts of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """What the functions return of a table with a column of an odd name."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.chdir(tmp_path_factory.mktemp("notebook"))
        plan = sqlanon.Plan(
            columns={
                ODD: QuasiIdentifier(Intervals(4, 20)),
                "sex": "quasi-identifier",
                "disease": SensitiveAttribute(),
            },
            privacy=[KAnonymity(10), LDiversity(2), AlphaKAnonymity(1, 10, values=[CANARY])],
            publish="open.parquet",
        )
        rows = duckdb.connect()
        rows.execute(
            f"create table people as select 20 + i % 4 + 20 * (i // 20) as {quoted(ODD)},"
            f" ['m', 'f'][1 + i % 2] as sex, if(i % 3 = 0, '{CANARY}', 'ill ' || i % 3) as disease"
            " from range(40) as t(i)"
        )
        source: dict[str, Any] = {"source": rows.table("people")}
        done = sqlanon.run(plan, **source)
        Path("other.json").write_bytes(Path("open.solution.json").read_bytes())
        yield {
            "plan": plan,
            "run": done,
            "solution": sqlanon.solve(plan, **source),
            "verify": sqlanon.verify("open.parquet", plan),
            "attack": sqlanon.attack("open.parquet", plan),
            "profile": sqlanon.profile(plan, **source),
            "measure": sqlanon.measure(plan, **source),
            "lineage": sqlanon.lineage(plan, **source),
            "hierarchy": sqlanon.show_hierarchy(plan, ODD, **source),
            "problems": sqlanon.check_hierarchies(plan, **source),
            "difference": sqlanon.diff(plan, "other.json", **source),
            "sweep": sqlanon.sweep(plan, {"privacy.0.k": [10, 99]}, **source),
        }


SHOWN = ["plan", "run", "solution", "verify", "attack", "profile", "measure", "lineage",
         "hierarchy", "problems", "difference", "sweep"]  # fmt: skip
TABLES = [name for name in SHOWN if name not in ("plan", "solution")]


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("name", SHOWN)
def test_a_notebook_shows_tables_whose_texts_are_escaped(
    name: str, results: dict[str, Any]
) -> None:
    page = results[name]._repr_html_()
    parsed = Parsed(page)
    assert parsed.tags <= {"table", "caption", "tr", "th", "td", "p"}
    assert parsed.attributes <= {"style"}
    assert CANARY not in page
    if name == "plan":  # which shows none of the values that it lists
        assert CANARY not in "".join(parsed.texts)
    assert "://" not in page
    if name in ("plan", "run", "solution", "lineage", "difference"):
        assert ODD in parsed.texts
    assert ODD not in page


@pytest.mark.parametrize("name", SHOWN)
def test_a_terminal_shows_what_a_notebook_shows(name: str, results: dict[str, Any]) -> None:
    """Word by word, for there is one description; as JSON it is data that JSON can hold."""
    result = results[name]
    lines = [line.plain for block in result.displayed() for line in block_lines(block, None)]
    assert " ".join(Parsed(result._repr_html_()).texts).split() == " ".join(lines).split()
    json.dumps(result.as_json(), allow_nan=False)


def test_a_run_shows_what_holds_and_no_row(results: dict[str, Any]) -> None:
    texts = Parsed(results["run"]._repr_html_()).texts
    assert {"k-anonymity", "k = 10", "holds", "40 of 40"} <= set(texts)
    assert not any(text.startswith("ill ") for text in texts)


def test_records_have_the_numbers_of_their_results(results: dict[str, Any]) -> None:
    found = results["verify"]
    assert [(row["model"], row["measured"], row["satisfied"]) for row in found.records()][:2] == [
        ("k-anonymity", 10.0, True), ("l-diversity", 3.0, True),
    ]  # fmt: skip
    assert found[0].measured == 10  # and it is a list of findings
    assert found == list(found)
    attacks = results["attack"].records()
    assert [row["attack"] for row in attacks] == [one.attack for one in results["attack"]]
    measured = {row["measure"]: row["value"] for row in results["measure"].records()}
    assert measured["discernibility"] == results["measure"]["utility"]["discernibility"]
    (k,) = (row for row in results["profile"].records() if row["model"] == "k-anonymity")
    # ages 20 to 23 twice, and each sex has two of them
    assert k["measured"] == 10.0 / 2
    assert results["hierarchy"].records()[0]["level_3"] == "*"
    assert results["problems"].records() == []
    assert len(results["difference"].records()) == 2
    assert [row["classes"] for row in results["sweep"].records()] == [4, None]
    assert [row["column"] for row in results["lineage"].records()] == [ODD, "sex", "disease"]
    assert json.loads(json.dumps(results["measure"])) == results["measure"]


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_results_are_tables_of_other_libraries(
    library: str, name: str, results: dict[str, Any]
) -> None:
    module = pytest.importorskip(library)
    result = results[name]
    kinds: dict[str, tuple[Callable[[], Any], str]] = {
        "pandas": (result.df, "DataFrame"),
        "polars": (result.pl, "DataFrame"),
        "pyarrow": (result.arrow, "Table"),
    }
    make, kind = kinds[library]
    table = make()
    assert isinstance(table, getattr(module, kind))
    assert len(table) == len(result.records())


def test_published_rows_are_tables_of_other_libraries(results: dict[str, Any]) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    run = results["run"]
    rows = run.published.fetchall()
    assert [tuple(row) for row in run.df().to_numpy()] == rows
    assert run.pl().rows() == rows
    assert run.arrow().to_pylist() == run.records()
    assert run.arrow().column_names == [ODD, "sex", "disease"]


def test_what_is_published_can_be_a_source_again(results: dict[str, Any]) -> None:
    columns = {ODD: "quasi-identifier", "sex": "quasi-identifier", "disease": "sensitive"}
    again = {"columns": columns, "privacy": [KAnonymity(10)], "publish": "again.parquet"}
    assert sqlanon.profile(again, source=results["run"].published).classes["smallest"] == 10


@pytest.mark.parametrize(("method", "package"), [
    ("df", "pandas"), ("pl", "polars"), ("arrow", "pyarrow"),
])  # fmt: skip
@pytest.mark.parametrize("name", ["run", "verify"])
def test_a_missing_package_is_named_with_its_command(
    name: str, method: str, package: str, results: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = importlib.import_module

    def without(name: str, *more: Any) -> Any:
        if name == package:
            raise ImportError(name)
        return whole(name, *more)

    monkeypatch.setattr(importlib, "import_module", without)
    with pytest.raises(EngineError, match=f"{package} is not installed") as refusal:
        getattr(results[name], method)()
    assert f"pip install {package}" in str(refusal.value)
    assert "sqlanon[notebook]" in str(refusal.value)


def test_long_tables_are_cut() -> None:
    from sqlanon.display.blocks import MOST_ROWS, Table

    page = Table("many", ["n"], [[n] for n in range(2_000)]).html
    assert len(re.findall("<tr>", page)) == MOST_ROWS + 1
    assert "and 1,900 more rows" in page


def test_the_extra_names_what_results_need() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (extra,) = re.findall(r"^notebook = (\[.*\])$", project, re.MULTILINE)
    assert [re.split("[><]", name)[0] for name in json.loads(extra)] == [
        "pandas",
        "polars",
        "pyarrow",
    ]


def test_extras_install_together_or_say_at_once_that_they_do_not() -> None:
    """`docs` and `dbt` each name the pathspec of their tools, so pip need not try to find one."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    extras = tomllib.loads(project)["project"]["optional-dependencies"]
    bounds = {
        name: [r.specifier for r in map(Requirement, extras[name]) if r.name == "pathspec"]
        for name in ("docs", "dbt")
    }
    (of_docs,), (of_dbt,) = bounds.values()
    for version in ("0.9", "0.12.1", "1.0.4", "1.1.1"):
        assert not (of_docs.contains(version) and of_dbt.contains(version))
    (all_of_them,) = map(Requirement, extras["all"])
    (engines,) = map(Requirement, extras["engines"])
    for_users = extras.keys() - {"all", "docs", "test"}
    assert all_of_them.extras | engines.extras == for_users
    try:
        needed = map(Requirement, importlib.metadata.requires("dbt-core") or ())
    except importlib.metadata.PackageNotFoundError:
        return
    (pathspec,) = [each.specifier for each in needed if each.name == "pathspec"]
    assert not pathspec.contains("1.0.4")  # or the extra is stricter than dbt itself
