"""What the proof and the publication look at, where a breakage was once not noticed."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon.commands.run import _check_counted
from sqlanon.engines.tables import holds_others
from sqlanon.errors import PrivacyViolation


def write(select: str, file: str) -> None:
    duckdb.execute(f"copy ({select}) to '{file}'")


def plan_of(publish: str = "out.parquet") -> dict[str, Any]:
    return {
        "source": "rows.parquet",
        "columns": {"a": "quasi-identifier", "ill": "sensitive"},
        "privacy": [
            {"model": "k-anonymity", "k": 2},
            {"model": "l-diversity", "l": 2, "attribute": "ill"},
        ],
        "publish": publish,
    }


CLASSES = "select unnest({}) as a, unnest(['flu', 'cold', 'flu', 'cold']) as ill"


def test_an_empty_text_and_a_missing_value_of_a_csv_are_two_classes() -> None:
    """Two rows each: taken for one, they would be a class of four."""
    write(CLASSES.format("['', '', null, null]"), "rows.parquet")
    found = sqlanon.run(plan_of("out.csv")).manifest
    assert [entry["measured"] for entry in found["privacy"]] == [2, 2]
    assert found["solution"]["classes"] == 2


def test_a_published_value_must_be_one_of_the_source() -> None:
    write(CLASSES.format("['x', 'x', 'x', 'x']"), "rows.parquet")
    sqlanon.run(plan_of())
    assert all(each.satisfied for each in sqlanon.verify("out.parquet", plan_of()))
    write("select 'x' as a, unnest(['flu', 'cold', 'flu', 'measles']) as ill", "made.parquet")
    with pytest.raises(PrivacyViolation, match="values that the source does not have") as refused:
        sqlanon.verify("made.parquet", plan_of(), with_source=True)
    assert "measles" not in str(refused.value)


OTHERS = ("sequence s", "view v as select 1", "table u (i int)", "type e as enum ('x')")


@pytest.mark.parametrize("content", [*OTHERS, "macro f() as 1"])
def test_what_else_is_in_a_database_keeps_it_from_being_replaced(content: str) -> None:
    with duckdb.connect("out.duckdb") as connection:
        connection.execute("create table t (a int)")
    assert not holds_others(Path("out.duckdb"), [("t",)])
    with duckdb.connect("out.duckdb") as connection:
        connection.execute(f"create {content}")
    assert holds_others(Path("out.duckdb"), [("t",)])


def test_staged_columns_have_the_planned_types() -> None:
    write("select 'x' as a, unnest([1, 2, 3, 4]) as ill", "rows.parquet")
    plan = sqlanon.run(plan_of()).plan
    solution: Any = SimpleNamespace(published_rows=4, suppressed_rows=0)
    staged = {"a": "VARCHAR", "ill": "INTEGER"}
    assert dict(plan.publication_types) == staged
    for changed, holds in ({}, True), ({"ill": "BIGINT"}, False), ({"ill": "VARCHAR"}, False):
        columns = [{"name": n, "type": t} for n, t in {**staged, **changed}.items()]
        published = {"rows": 4, "columns": columns}
        if holds:
            _check_counted(plan, solution, published)
            continue
        with pytest.raises(PrivacyViolation, match="or another type"):
            _check_counted(plan, solution, published)
