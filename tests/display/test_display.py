"""Results in a notebook: as tables in HTML, and as tables of pandas, polars and pyarrow."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import re
import tomllib
from collections.abc import Iterator
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
from sqlanon.display.blocks import MOST_ROWS, Table
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
            f'create table people as select 20 + i % 4 + 20 * (i // 20) as "{ODD}",'
            f" ['m', 'f'][1 + i % 2] as sex, if(i % 3 = 0, '{CANARY}', 'ill ' || i % 3) as disease"
            " from range(40) as t(i)"
        )
        source: dict[str, Any] = {"source": rows.table("people")}
        sqlanon.solve(plan, overrides=["privacy.0.k=20"], **source)
        Path("open.solution.json").rename("other.json")
        done = sqlanon.run(plan, **source)
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


@pytest.mark.parametrize("name", SHOWN)
def test_a_notebook_shows_tables_whose_texts_are_escaped(
    name: str, results: dict[str, Any]
) -> None:
    """A terminal shows the same, word by word, for there is one description; and JSON can hold it.

    A plan shows none of the values that it lists, and a run no row.
    """
    result = results[name]
    page = result._repr_html_()
    parsed = Parsed(page)
    assert parsed.tags <= {"table", "caption", "tr", "th", "td", "p"}
    assert parsed.attributes <= {"style"}
    assert not any(text in page for text in (CANARY, ODD, "://"))
    if name in ("plan", "run", "solution", "lineage", "difference"):
        assert ODD in parsed.texts
    if name == "plan":
        assert CANARY not in "".join(parsed.texts)
    if name == "run":
        assert {"k-anonymity", "k = 10", "holds", "40 of 40"} <= {*parsed.texts}
        assert not any(text.startswith("ill ") for text in parsed.texts)
    lines = [line.plain for block in result.displayed() for line in block_lines(block, None)]
    assert " ".join(parsed.texts).split() == " ".join(lines).split()
    json.dumps(result.as_json(), allow_nan=False)


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
    assert (k["measure"], k["measured"]) == ("class_size", 10.0 / 2)
    assert results["hierarchy"].records()[0]["level_3"] == "*"
    assert results["problems"].records() == []
    assert len(results["difference"].records()) == 2
    assert [row["classes"] for row in results["sweep"].records()] == [4, None]
    assert [row["column"] for row in results["lineage"].records()] == [ODD, "sex", "disease"]
    assert json.loads(json.dumps(results["measure"])) == results["measure"]


LIBRARIES = [("df", "pandas", "DataFrame"), ("pl", "polars", "DataFrame"),
             ("arrow", "pyarrow", "Table")]  # fmt: skip


@pytest.mark.parametrize(("method", "library", "kind"), LIBRARIES)
def test_results_are_tables_of_other_libraries(
    method: str, library: str, kind: str, results: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package that is missing is named with its command."""
    module = pytest.importorskip(library)
    for name in TABLES:
        table = getattr(results[name], method)()
        assert isinstance(table, getattr(module, kind)), name
        assert len(table) == len(results[name].records()), name
    whole = importlib.import_module

    def without(name: str, *more: Any) -> Any:
        if name == library:
            raise ImportError(name)
        return whole(name, *more)

    monkeypatch.setattr(importlib, "import_module", without)
    for name in ("run", "verify"):
        with pytest.raises(EngineError, match=f"{library} is not installed") as refusal:
            getattr(results[name], method)()
        assert f"pip install {library}" in str(refusal.value)
        assert "sqlanon[notebook]" in str(refusal.value)


def test_published_rows_are_tables_of_other_libraries(results: dict[str, Any]) -> None:
    """And can be a source again."""
    for _, library, _ in LIBRARIES:
        pytest.importorskip(library)
    run = results["run"]
    rows = run.published.fetchall()
    assert [tuple(row) for row in run.df().to_numpy()] == rows
    assert run.pl().rows() == rows
    assert run.arrow().to_pylist() == run.records()
    assert run.arrow().column_names == [ODD, "sex", "disease"]
    columns = {ODD: "quasi-identifier", "sex": "quasi-identifier", "disease": "sensitive"}
    again = {"columns": columns, "privacy": [KAnonymity(10)], "publish": "again.parquet"}
    assert sqlanon.profile(again, source=run.published).classes["smallest"] == 10


def test_long_tables_are_cut() -> None:
    page = Table("many", ["n"], [[n] for n in range(2_000)]).html
    assert len(re.findall("<tr>", page)) == MOST_ROWS + 1
    assert "and 1,900 more rows" in page


def test_extras_install_together_or_say_at_once_that_they_do_not() -> None:
    """`docs` and `dbt` each name the pathspec of their tools, so pip need not try to find one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {
        name: [*map(Requirement, listed)]
        for name, listed in project["optional-dependencies"].items()
    }
    assert [each.name for each in extras["notebook"]] == [library for _, library, _ in LIBRARIES]
    of_docs, of_dbt = (
        next(each.specifier for each in extras[name] if each.name == "pathspec")
        for name in ("docs", "dbt")
    )
    for version in ("0.9", "0.12.1", "1.0.4", "1.1.1"):
        assert not (of_docs.contains(version) and of_dbt.contains(version))
    (all_of_them,), (engines,) = extras["all"], extras["engines"]
    assert all_of_them.extras | engines.extras == extras.keys() - {"all", "docs", "test"}
    try:
        needed = map(Requirement, importlib.metadata.requires("dbt-core") or ())
    except importlib.metadata.PackageNotFoundError:
        return
    (pathspec,) = [each.specifier for each in needed if each.name == "pathspec"]
    assert not pathspec.contains("1.0.4")  # or the extra is stricter than dbt itself
