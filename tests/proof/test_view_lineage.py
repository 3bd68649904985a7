"""Views and generated columns that give an identifier another name, and those that do not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon import Options
from sqlanon.errors import PlanError
from tests.plan.plans import plan_of


@pytest.fixture
def connection(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Persons, and wards by the persons who lie there."""
    with duckdb.connect() as opened:
        opened.execute(
            "create table people as select 'p' || n as name, date '1980-01-01' + n::int as born,"
            " 'z' || n % 2 as zip, n % 2 as ward from range(8) as r (n);"
            "create table wards as select 'p' || n as name, n % 2 as ward, 'w' || n % 2 as title"
            " from range(8) as r (n);"
            "copy people to 'people.parquet'; copy people to 'people.csv'; create schema other;"
            "copy (select name, zip, ward::varchar as x from people) to 'x.parquet';"
            "create view other.renamed as select name as n, name as x, zip as z from people"
        )
        yield opened


def plan(source: Any = "") -> dict[str, Any]:
    """A plan of the view `v`, or of another source, with an identifier and another column."""
    columns = {"name": "identifier", "x": "insensitive", "zip": "quasi-identifier"}
    return plan_of(columns, source or {"table": "v"}, publish="open.parquet")


X_OF_PEOPLE = (
    "name",
    "(select max(name) from people as o where o.name = people.name)",
    "row_number() over (order by name)",
    "{'a': name}.a",
    "unnest([name])",
)
LEAKING_VIEWS = (
    *(f"name, zip, {x} as x from people" for x in X_OF_PEOPLE),
    "* exclude (born, ward), name as x from people",
    "n as name, x, z as zip from other.renamed",
    "name, x, zip from (select *, name as x from people) q",
    "p.name, w.name as x, zip from people as p inner join wards as w on p.name = w.name",
    "p.name, w.name as x, zip from people as p, wards as w where w.name = p.name",
    "name, zip, 'a' as x from people union all select name, zip, name from people",
    "md5(name || born) as name, zip, name || ' ' || born as x from people",
    "upper(coalesce(name, '')) as name, zip, name as x from people",
    "name, zip, u.x as x from people, unnest([people.name]) as u (x)",
    "name, name as x, zip from 'people.parquet'",
    "* replace (name as x) from read_parquet('x.parquet')",
    "name, name as x, zip from read_csv('people.csv')",
)
LEAKS = (
    *(f"create view v as select {view}" for view in LEAKING_VIEWS),
    "create view v (x, name, zip) as select name, name, zip from people",
    "create view v as with q as (select name as a, * from people) select name, a as x, zip from q",
    "create temp view v as select name, name as x, zip from people",
    "create view u as select row_number() over () as name, zip from people;"
    "create view v as select name, name as x, zip from u",
    "create table v (name varchar, x varchar generated always as (upper(name)), zip varchar)",
    "create table t (name varchar, y varchar generated always as (upper(name)),"
    " x varchar generated always as (y || '!'), zip varchar);"
    "create view v as select name, x, zip from t",
)

NOT_FOLLOWED = (
    "create macro secret(n) as (select max(name) from people where people.born = n);"
    "create view v as select name, secret(born) as x, zip from people",
    "create macro all_of() as table select name, name as x, zip from people;"
    "create view v as select name, x, zip from all_of()",
    "create view v as with recursive q as (select name, name as x, zip, 1 as i from people"
    " union all select x, name, zip, i + 1 from q where i < 2) select name, x, zip from q",
    "create view v as select name, zip, people::varchar as x from people",
    "create view v as select name, zip, list_transform([1], lambda n: name)[1] as x from people",
    "create view v as select name, zip, columns('warx?d') as x from people",
    'create view v as select name, zip, "1" as x from (pivot people on ward in (0, 1)'
    " using max(born))",
    "create view v as select name, zip, 'a' as x from people"
    " union all by name select name as x, zip, name from people",
    "create view v as select name, zip, x from (select *, name as x, 'a' as x from people) q",
)

HARMLESS_VIEWS = (
    "name, ward as x, zip from people where name <> 'p1'",
    "p.name, w.title as x, zip from people as p inner join wards as w using (name)",
    "md5(name || born) as name, born as x, zip from people",
    "name, zip, count(*) over (partition by ward) as x from people",
    "* exclude (born) rename (ward as x) from people",
    "name, zip, ward as x from people union all select name, zip, 3 from people",
    "name, zip, t.b as x from people"
    " inner join (values (0, 'a'), (1, 'b')) as t (a, b) on t.a = people.ward",
    "name, zip, ward as x from 'people.parquet'",
    "p.name, p.zip, q.title as x from 'people.parquet' as p"
    " inner join wards as q on p.ward = q.ward",
)
HARMLESS = (
    *(f"create view v as select {view}" for view in HARMLESS_VIEWS),
    "create view u as select title as name, ward from wards;"
    "create view v as select p.name, u.name as x, zip from people as p inner join u using (ward)",
    "create view v as with q as (select * from people), r as (select ward, count(*) as x from q"
    " group by ward) select name, zip, x from q inner join r using (ward)",
    "create table v (name varchar, x integer generated always as (length(zip)),"
    " zip varchar default 'z'); insert into v select name, zip from people",
    "create table v (name varchar, x integer default 3, zip varchar);"
    "insert into v (name, zip) select name, zip from people",
)


@pytest.mark.parametrize("made", [*LEAKS, *NOT_FOLLOWED])
def test_an_identifier_by_another_name_is_refused(
    made: str, connection: duckdb.DuckDBPyConnection
) -> None:
    connection.execute(made)
    why = "makes 'x' of what the plan calls the identifier 'name'"
    if made in NOT_FOLLOWED:
        why = f"cannot be followed how 'v' makes|{why}"
        without = plan()
        without["columns"] |= {"name": "insensitive"}  # then there is nothing to be found
        sqlanon.check(without, Options(connection=connection))
    with pytest.raises(PlanError, match=why):
        sqlanon.check(plan(), Options(connection=connection))


@pytest.mark.parametrize("made", HARMLESS)
def test_ordinary_views_pass(made: str, connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute(made)
    sqlanon.check(plan(), Options(connection=connection))


def test_a_registered_table_is_published(connection: duckdb.DuckDBPyConnection) -> None:
    """And `run` refuses what `check` does; an identifier may have two names."""
    frame = connection.sql("select name, zip, ward as x from people").df()
    connection.register("v", frame)
    of_view = plan({"table": "w"})
    connection.execute("create view w as select name, x, zip from v")
    sqlanon.run(of_view, Options(connection=connection))
    described = duckdb.execute("describe from 'open.parquet'").fetchall()
    assert [row[0] for row in described] == ["x", "zip"]
    connection.execute("create or replace view w as select name, name as x, zip from v")
    Path("open.parquet").unlink()
    with pytest.raises(PlanError, match="makes 'x' of"):
        sqlanon.run(of_view, Options(connection=connection))
    assert not Path("open.parquet").exists()
    of_view["columns"] |= {"x": "identifier"}
    sqlanon.check(of_view, Options(connection=connection))


def test_a_view_of_a_database_file_is_followed(folder: Path) -> None:
    with duckdb.connect("people.duckdb") as database:
        database.execute(
            "create table people as select 'p' || n as name, 'z' as zip from range(8) as r (n);"
            "create view v as select name, upper(name) as x, zip from people;"
            "create view w as select name, length(zip) as x, zip from people"
        )
    with pytest.raises(PlanError, match="makes 'x' of"):
        sqlanon.run(plan("people.duckdb::main.v"))
    sqlanon.check(plan("people.duckdb::main.w"))
