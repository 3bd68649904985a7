"""Plain plans that a check of something else must not refuse, and refusals that say why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot
from sqlglot import exp

import sqlanon
from sqlanon import Options
from sqlanon.errors import PlanError
from sqlanon.proof.query_lineage import NO_NAMES, Around, Cell, Relation, counting_columns
from tests.plan.plans import plan_of

pytestmark = pytest.mark.usefixtures("folder")


LABELS = "from (values ('1'), ('2'), ('3'), ('4')) as labels (v)"


@pytest.mark.parametrize(
    ("hierarchy", "k"),
    [
        ({"query": f"select v, '*' {LABELS}"}, 2),
        ({"query": f"select v, 'any', 'all' {LABELS}"}, 7),
        ("tree.csv", 3),
        ({"taxonomy": "tree.txt"}, 2),
    ],
)
def test_rows_without_a_value_are_dropped_at_every_level(hierarchy: Any, k: int) -> None:
    """q is 1, 1, 2, 2, 3, 3, 4 and missing; the top is a label that the hierarchy has."""
    Path("rows.csv").write_text("q,s\n1,a\n1,a\n2,b\n2,b\n3,a\n3,b\n4,a\n,b\n")
    Path("tree.txt").write_text("*: 1, 2, 3, 4\n")
    Path("tree.csv").write_text("1,*\n2,*\n3,*\n4,*\n")
    columns = {"s": "sensitive", "q": {"role": "quasi-identifier", "hierarchy": hierarchy}}
    privacy = [{"model": "k-anonymity", "k": k}]
    sqlanon.run(plan_of(columns, "rows.csv", missing="drop-rows", privacy=privacy))
    rows = duckdb.execute("select q, s from 'out.parquet' order by s").fetchall()
    assert [s for _, s in rows] == ["a"] * 4 + ["b"] * 3
    assert len({q for q, _ in rows}) == 1, "the 4 is alone below the top"


AGGREGATES = {
    "(select min(label) from h)": False,
    "coalesce((select min(label) from h), '*')": False,
    "(select count(*) from h)": False,
    "min(label)": True,
    "(select min(x) from h)": True,
    "(select min(o.label) from h)": True,
    "(select min(label || x) from h)": True,
    "(select min(label) from h as g (a))": True,
    "(select min(label) from h, o as p)": True,
    "(select min(label) from g)": True,
    "(with h as (select 1 as a) select min(label) from h)": True,
    "(select min((select x)) from h)": True,
    "(with h as (select 1 as a) select (select min(label) from h))": True,
    "(select sum(x) over () from h)": True,
}
"""Expressions of a select of `o`, and whether their value can depend on which rows that has."""


@pytest.mark.parametrize("sql", AGGREGATES)
def test_an_aggregate_is_of_the_rows_of_its_columns(sql: str) -> None:
    """Also in DuckDB: `select (select sum(o.x)) from (values (1), (2)) as o (x)` is one row, 3."""
    tree = sqlglot.parse_one(f"select {sql} as a from o", dialect="duckdb")
    assert isinstance(tree, exp.Select)
    around = Around({"h": Relation({"label": Cell(NO_NAMES, exp.column("label"))})})
    assert counting_columns(tree, 1, around) == [AGGREGATES[sql]]


@pytest.mark.parametrize("made", ["create schema sqlanon", "attach ':memory:' as sqlanon", ""])
def test_the_name_of_the_working_tables_is_refused(made: str) -> None:
    """Of a schema in another database it is no fault, not even the second time."""
    with duckdb.connect() as connection:
        connection.execute("create table people as select n % 2 as age from range(8) as r (n)")
        connection.execute(made or "attach ':memory:' as other; create schema other.sqlanon")
        plan, options = plan_of(["age"], {"table": "people"}), Options(connection=connection)
        if not made:
            sqlanon.run(plan, options)
            sqlanon.run(plan, options)
            return
        with pytest.raises(PlanError, match=r"has a (schema|database) 'sqlanon'") as refusal:
            sqlanon.run(plan, options)
        assert refusal.value.where == "connection"
