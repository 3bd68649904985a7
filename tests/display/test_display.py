"""Results in a notebook: as tables in HTML, and as tables of pandas, polars and pyarrow."""

from __future__ import annotations

import html
import importlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon import AlphaKAnonymity, Intervals, KAnonymity, LDiversity, QuasiIdentifier
from sqlanon.cli.layout import block_lines
from sqlanon.display.blocks import MOST_ROWS, Table
from sqlanon.errors import EngineError

ODD = "<script>alert(1)</script>"
CANARY = "canary & <b>"
COLUMNS: dict[str, Any] = {
    ODD: QuasiIdentifier(Intervals(4, 20)),
    "sex": "quasi-identifier",
    "ill": sqlanon.SensitiveAttribute(),
}
LIBRARIES: dict[str, tuple[str, str, Callable[[Any], list[Any]]]] = {
    "df": ("pandas", "DataFrame", lambda table: table.to_numpy().tolist()),
    "pl": ("polars", "DataFrame", lambda table: [[*row] for row in table.rows()]),
    "arrow": ("pyarrow", "Table", lambda table: [[*row.values()] for row in table.to_pylist()]),
}
"""By method: a library, its kind of table, and the rows of one."""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """What the functions return of a table with a column of an odd name."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.chdir(tmp_path_factory.mktemp("notebook"))
        privacy = [KAnonymity(10), LDiversity(2), AlphaKAnonymity(1, 10, values=[CANARY])]
        plan = sqlanon.Plan(columns=COLUMNS, privacy=privacy, publish="open.parquet")
        rows = duckdb.connect()
        rows.execute(
            f'create table people as select 20 + i % 4 + 20 * (i // 20) as "{ODD}",'
            f" ['m', 'f'][1 + i % 2] as sex, if(i % 3 = 0, '{CANARY}', 'ill ' || i % 3) as ill"
            " from range(40) as t(i)"
        )
        source: dict[str, Any] = {"source": rows.table("people")}
        sqlanon.solve(plan, overrides=["privacy.0.k=20"], **source)
        Path("open.solution.json").rename("other.json")
        yield {
            "plan": plan,
            "run": sqlanon.run(plan, **source),
            "solution": sqlanon.solve(plan, **source),
            "verify": sqlanon.verify("open.parquet", plan),
            "attack": sqlanon.attack("open.parquet", plan),
            **{
                name: getattr(sqlanon, name)(plan, **source)
                for name in ("profile", "measure", "lineage")
            },
            "hierarchy": sqlanon.show_hierarchy(plan, ODD, **source),
            "problems": sqlanon.check_hierarchies(plan, **source),
            "difference": sqlanon.diff(plan, "other.json", **source),
            "sweep": sqlanon.sweep(plan, {"privacy.0.k": [10, 99]}, **source),
        }


def test_a_notebook_shows_tables_whose_texts_are_escaped(results: dict[str, Any]) -> None:
    """A terminal shows the same, word by word, for there is one description; and JSON can hold it.

    A plan shows none of the values that it lists, and a run no row.
    """
    for name, result in results.items():
        page = result._repr_html_()
        assert re.fullmatch(r'([^<]|</?(table|caption|t[rhd]|p)( style="[^"<>]*")?>)*', page)
        assert not any(text in page for text in (CANARY, ODD, "://"))
        texts = [html.unescape(text) for text in re.split("<[^>]*>", page)]
        assert ODD in texts or name not in ("plan", "run", "solution", "lineage", "difference")
        assert CANARY not in "".join(texts) or name != "plan"
        if name == "run":
            assert {"k-anonymity", "k = 10", "holds", "40 of 40"} <= {*texts}
            assert not any(text.startswith("ill ") for text in texts)
        lines = [line.plain for block in result.displayed() for line in block_lines(block, None)]
        assert " ".join(texts).split() == " ".join(lines).split()
        json.dumps(result.as_json(), allow_nan=False)


def test_records_have_the_numbers_of_their_results(results: dict[str, Any]) -> None:
    found, measure = results["verify"], results["measure"]
    assert [(row["model"], row["measured"], row["satisfied"]) for row in found.records()][:2] == [
        ("k-anonymity", 10.0, True), ("l-diversity", 3.0, True),
    ]  # fmt: skip
    attacks = [row["attack"] for row in results["attack"].records()]
    assert attacks == [one.attack for one in results["attack"]]
    measured = {row["measure"]: row["value"] for row in measure.records()}
    assert measured["discernibility"] == measure["utility"]["discernibility"]
    assert json.loads(json.dumps(measure)) == measure
    (k,) = (row for row in results["profile"].records() if row["model"] == "k-anonymity")
    # ages 20 to 23 twice, and each sex has two of them
    assert (k["measure"], k["measured"]) == ("class_size", 10.0 / 2)
    assert results["hierarchy"].records()[0]["level_3"] == "*"
    assert results["problems"].records() == []
    assert len(results["difference"].records()) == 2
    assert [row["classes"] for row in results["sweep"].records()] == [4, None]
    assert [row["column"] for row in results["lineage"].records()] == [*COLUMNS]


@pytest.mark.parametrize("method", LIBRARIES)
def test_results_are_tables_of_other_libraries(
    method: str, results: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The published rows are the same, and can be a source again; a package that is missing is
    named with its command."""
    library, kind, rows_of = LIBRARIES[method]
    module = pytest.importorskip(library)
    for name in results.keys() - {"plan", "solution"}:
        table = getattr(results[name], method)()
        assert isinstance(table, getattr(module, kind)), name
        assert len(table) == len(results[name].records()), name
    run = results["run"]
    rows = getattr(run, method)()
    assert rows_of(rows) == [[*row] for row in run.published.fetchall()]
    again = {"columns": COLUMNS | {ODD: "quasi-identifier"}, "privacy": [KAnonymity(10)]}
    profile = sqlanon.profile({**again, "publish": "again.parquet"}, source=rows)
    assert profile.classes["smallest"] == 10
    whole = importlib.import_module

    def without(name: str, *more: Any) -> Any:
        if name == library:
            raise ImportError(name)
        return whole(name, *more)

    monkeypatch.setattr(importlib, "import_module", without)
    for result in (run, results["verify"]):
        with pytest.raises(EngineError, match=f"(?s)pip install {library}.*sqlanon.notebook"):
            getattr(result, method)()


def test_long_tables_are_cut() -> None:
    page = Table("many", ["n"], [[n] for n in range(2_000)]).html
    assert len(re.findall("<tr>", page)) == MOST_ROWS + 1
    assert "and 1,900 more rows" in page
