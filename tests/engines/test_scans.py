"""How often each step reads the source, by the plans of DuckDB; docs/scale.md lists the steps.

Its table of statements, scans and nodes of reference cases is written by

    SQLANON_UPDATE_GOLDEN=1 pytest -n 0 tests/engines/test_scans.py
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from benchmarks import cases
from benchmarks.tables import Tables
from sqlanon.engines.duckdb import DuckDBEngine
from sqlanon.methods import METHODS
from sqlanon.registry import default_of
from sqlanon.sql.step import Rows, Step
from tests.paths import ROOT, TESTS
from tests.support.doc_pages import copied_examples
from tests.support.searching import release_in_steps

PAGE = ROOT / "docs/scale.md"
MANY = "the same, from a million rows on"
NOT_THERE = {"combined", "mpalm"}
"""Methods that need a population, which they read, too."""


def steps_of(cell: str) -> dict[str, int]:
    """Steps and how often each reads the source."""
    return {name: int(count or 1) for name, count in re.findall(r"`(\w+)`(?: (\d+))?", cell)}


def listed() -> dict[str, list[dict[str, int]]]:
    """What the page says: by method, the steps that read CSV and Parquet."""
    text = PAGE.read_text(encoding="utf-8").partition("### In DuckDB")[2].partition("\n#")[0]
    found: dict[str, list[dict[str, int]]] = {}
    for line in text.splitlines():
        methods, *cells = line.strip("|").split("|")
        names = [MANY] if methods.strip() == MANY else re.findall(r"`([\w-]+)`", methods)
        found |= {name: [*map(steps_of, cells)] for name in names if cells}
    return found


LISTED = listed()


def scans(plan: Any, kind: str) -> int:
    """The operators of a plan, and below it, that read a file of this kind."""
    if isinstance(plan, list):
        return sum(scans(each, kind) for each in plan)
    return (kind in plan.get("name", "")) + scans(plan.get("children", []), kind)


STATEMENTS = "statements"


def counted(monkeypatch: pytest.MonkeyPatch, kind: str) -> Counter[str]:
    """What a run asks from now on: all its statements, and by step the scans of such files."""
    found = Counter[str]()
    execute = DuckDBEngine._execute

    def counting(self: DuckDBEngine, step: Step) -> Rows:
        statements = list(step.statements(self._places.resolved))
        found[STATEMENTS] += len(statements)
        if step.kind != "type":
            rows = self.connection.execute(f"explain (format json) {statements[0]}").fetchall()
            found[step.name] += sum(scans(json.loads(text), kind) for _, text in rows)
        return execute(self, step)

    monkeypatch.setattr(DuckDBEngine, "_execute", counting)
    return found


@pytest.mark.sampled(0.5, by=("kind", "method"))
@pytest.mark.parametrize("kind", ["CSV", "PARQUET"])
@pytest.mark.parametrize("method", LISTED)
def test_steps_that_read_the_source(
    method: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = f"rows.{kind.lower()}"
    duckdb.sql(
        "copy (select 'n' || i as name, i * 7 % 90 as age, 'z' || i * 13 % 40 as zip,"
        f" 's' || i % 7 as ill, i % 11 as note from range(2000) as r (i)) to '{source}'"
    )
    if method == MANY:
        release_in_steps(monkeypatch)
    found = counted(monkeypatch, kind)
    buckets = method in ("anatomy", "slicing")
    of_cuts = method in ("mondrian", "k-mondrian", "dimension-splitting")
    model = {"model": "l-diversity", "kind": "frequency", "l": 2}
    sqlanon.run({
        "source": source,
        "columns": {
            "name": "identifier", "ill": "sensitive", "note": "insensitive",
            "age": {"role": "quasi-identifier",
                    **({"type": "numeric"} if of_cuts else {"hierarchy": {"intervals": [10]}})},
            "zip": "quasi-identifier",
        },
        "privacy": [model if buckets else {"model": "k-anonymity", "k": 2}],
        "method": "optimal" if method == MANY else method,
        "suppression": {"limit": 0 if buckets else 0.9},
        # the staged rows are a file of another kind
        "publish": f"open/rows.{'parquet' if kind == 'CSV' else 'csv'}",
    })  # fmt: skip
    del found["first_rows"], found[STATEMENTS]
    assert +found == LISTED[method][kind == "PARQUET"]


def test_every_method_is_listed() -> None:
    assert {default_of(cls, "name") for cls in METHODS} - NOT_THERE == LISTED.keys() - {MANY}


OPTIMAL = ("loss", "height", "discernibility", "average-class-size")
REFERENCE: dict[str, partial[cases.Plan]] = {
    **{f"Adult, `optimal`, {objective}": partial(cases.of_adult, method={
        "name": "optimal", "objective": objective}) for objective in OPTIMAL},
    "Adult, `mondrian`": partial(cases.of_adult, method="mondrian"),
    **{f"10,000 rows, `{method}`": partial(cases.of_buckets, rows=10_000, method=method)
       for method in ("anatomy", "stack-and-deal")},
}  # fmt: skip


@pytest.mark.sampled(0.5, by=lambda case: case["case"].rpartition("`")[0].rpartition("`")[2])
@pytest.mark.parametrize("case", ["clinic", *REFERENCE])
def test_statements_scans_and_nodes(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan: Any = copied_examples(tmp_path) / "examples/clinic/plan.yml"
    if case in REFERENCE:
        plan = REFERENCE[case](Tables(TESTS / "data/adult", tmp_path))
        # the staged rows are a file of another kind
        plan |= {"publish": f"open/rows.{'csv' if 'rows' in case else 'parquet'}"}
    monkeypatch.chdir(tmp_path)
    found = counted(monkeypatch, "PARQUET" if "rows" in case else "CSV")
    solution = sqlanon.run(plan).manifest["solution"]
    statements = found.pop(STATEMENTS)
    checked = solution["lattice"]["checked"]
    nodes = "" if checked is None else f" {checked:,}"
    row = f"| {case} | {statements} | {found.total()} |{nodes} |"
    text = PAGE.read_text(encoding="utf-8")
    if os.environ.get("SQLANON_UPDATE_GOLDEN"):
        text = re.sub(rf"^\| {re.escape(case)} \|.*", row, text, flags=re.MULTILINE)
        PAGE.write_text(text, encoding="utf-8")
    assert f"\n{row}\n" in text
