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


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """Persons, and wards by the persons who lie there."""
    with duckdb.connect() as opened:
        opened.execute(
            "create table people as select 'p' || n as name, date '1980-01-01' + n::int as born,"
            " 'z' || n % 2 as zip, n % 2 as ward from range(8) as r (n);"
            "create table wards as select 'p' || n as name, n % 2 as ward, 'w' || n % 2 as title"
            " from range(8) as r (n);"
            "copy people to 'people.parquet'; copy people to 'people.csv'; create schema other;"
            "create view other.renamed as select name as n, zip as z from people"
        )
        yield opened


def plan(column: str, **keys: Any) -> dict[str, Any]:
    """A plan of a view `v` with an identifier and another column."""
    return {
        "source": {"table": "v"},
        "columns": {"name": "identifier", column: "insensitive", "zip": "quasi-identifier"},
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "publish": "open.parquet",
        **keys,
    }


LEAKS = {
    "renamed": "create view v as select name, name as x, zip from people",
    "computed": "create view v as select name, upper(name) || '!' as x, zip from people",
    "part": "create view v as select name, left(name, 1) as x, zip from people",
    "names of the view": "create view v (x, name, zip) as select name, name, zip from people",
    "star": "create view v as select * exclude (born, ward), name as x from people",
    "both renamed": "create view v as select n as name, n as x, z as zip from other.renamed",
    "view of a view": "create view u as select *, name as x from people;"
    "create view v as select name, x, zip from u",
    "table expression": "create view v as with q as (select name as a, * from people)"
    " select name, a as x, zip from q",
    "subquery": "create view v as select name, x, zip from (select *, name as x from people) q",
    "scalar subquery": "create view v as select name, zip, (select max(name) from people as o"
    " where o.name = people.name) as x from people",
    "case": "create view v as select name, case when true then name end as x, zip from people",
    "alias of the select": "create view v as select name, name as a, a as x, zip from people;"
    "drop view v; create view v as select name, zip, lower(name) as x from people",
    "joined on it": "create view v as select p.name, w.name as x, zip from people as p"
    " inner join wards as w on p.name = w.name",
    "joined using it": "create view v as select name, w.name as x, zip from people as p"
    " inner join wards as w using (name)",
    "where equal": "create view v as select p.name, w.name as x, zip from people as p, wards as w"
    " where w.name = p.name",
    "union": "create view v as select name, zip, 'a' as x from people union all"
    " select name, zip, name from people",
    "window": "create view v as select name, zip, row_number() over (order by name) as x"
    " from people",
    "number of a row": "create view u as select row_number() over () as name, zip from people;"
    "create view v as select name, name as x, zip from u",
    "identifier computed": "create view v as select md5(name || born) as name, zip,"
    " name || ' ' || born as x from people",
    "identifier cast": "create view v as select upper(coalesce(name, '')) as name, zip, name as x"
    " from people",
    "identifier computed, or another": "create view v as select coalesce(upper(name),"
    " born::varchar) as name, zip, name as x from people",
    "struct": "create view v as select name, zip, {'a': name}.a as x from people",
    "unnest": "create view v as select name, zip, unnest([name]) as x from people",
    "unnest in from": "create view v as select name, zip, u.x as x from people,"
    " unnest([people.name]) as u (x)",
    "generated": "create table v (name varchar, x varchar generated always as (upper(name)),"
    " zip varchar); insert into v select name, zip from people",
    "generated of a generated": "create table v (name varchar, y varchar generated always as"
    " (upper(name)), x varchar generated always as (y || '!'), zip varchar);"
    "insert into v select name, zip from people;"
    "alter table v rename to t; create view v as select name, x, zip from t",
    "file": "create view v as select name, name as x, zip from 'people.parquet'",
    "replaced": "copy (select name, zip, ward::varchar as x from people) to 'x.parquet';"
    "create view v as select * replace (name as x) from read_parquet('x.parquet')",
    "csv": "create view v as select name, name as x, zip from read_csv('people.csv')",
    "temporary": "create temp view v as select name, name as x, zip from people",
    "quoted": 'create view v as select "name", "name" as "x", "zip" from "people"',
}

NOT_FOLLOWED = {
    "macro": "create macro secret(n) as (select max(name) from people where people.born = n);"
    "create view v as select name, secret(born) as x, zip from people",
    "table macro": "create macro all_of() as table select name, name as x, zip from people;"
    "create view v as select name, x, zip from all_of()",
    "recursive": "create view v as with recursive q as (select name, name as x, zip, 1 as i from"
    " people union all select x, name, zip, i + 1 from q where i < 2) select name, x, zip from q",
    "row": "create view v as select name, zip, people::varchar as x from people",
    "lambda": "create view v as select name, zip, list_transform([1], lambda n: name)[1] as x"
    " from people",
    "columns": "create view v as select name, zip, columns('warx?d') as x from people",
    "pivot": 'create view v as select name, zip, "1" as x from'
    " (pivot people on ward in (0, 1) using max(born))",
    "by name": "create view v as select name, zip, 'a' as x from people union all by name"
    " select name as x, zip, name from people",
}

HARMLESS = {
    "plain": "create view v as select name, ward as x, zip from people",
    "computed": "create view v as select name, year(born) as x, left(zip, 1) as zip from people",
    "dates": "create view v as select name, zip, date_trunc('month', born) as x from people",
    "extract": "create view v as select name, zip, extract(year from born) as x from people",
    "joined": "create view v as select p.name, w.title as x, zip from people as p"
    " inner join wards as w using (name)",
    "another name of the same word": "create view u as select title as name, ward from wards;"
    "create view v as select p.name, u.name as x, zip from people as p inner join u using (ward)",
    "where": "create view v as select name, ward as x, zip from people where name <> 'p1'",
    "key of several": "create view v as select md5(name || born) as name, born as x, zip"
    " from people",
    "window": "create view v as select name, zip, count(*) over (partition by ward) as x"
    " from people",
    "table expression": "create view v as with q as (select * from people), r as (select ward,"
    " count(*) as x from q group by ward) select name, zip, x from q inner join r using (ward)",
    "star": "create view v as select * exclude (born) rename (ward as x) from people",
    "union": "create view v as select name, zip, ward as x from people union all"
    " select name, zip, 3 from people",
    "values": "create view v as select name, zip, t.b as x from people inner join (values (0, 'a'),"
    " (1, 'b')) as t (a, b) on t.a = people.ward",
    "constant": "create view v as select name, zip, 'a' as x from people",
    "file": "create view v as select name, zip, ward as x from 'people.parquet'",
    "joined files": "create view v as select p.name, p.zip, q.title as x from 'people.parquet' as p"
    " inner join wards as q on p.ward = q.ward",
    "generated": "create table v (name varchar, x integer generated always as (length(zip)),"
    " zip varchar default 'z'); insert into v select name, zip from people",
    "default": "create table v (name varchar, x integer default 3, zip varchar);"
    "insert into v (name, zip) select name, zip from people",
}


@pytest.mark.parametrize("name", LEAKS)
def test_an_identifier_by_another_name_is_refused(
    name: str, connection: duckdb.DuckDBPyConnection
) -> None:
    connection.execute(LEAKS[name])
    options = Options(connection=connection)
    with pytest.raises(PlanError, match="makes 'x' of what the plan calls the identifier 'name'"):
        sqlanon.check(plan("x"), options)
    with pytest.raises(PlanError, match="makes 'x' of"):
        sqlanon.run(plan("x"), options)
    assert not Path("open.parquet").exists()


@pytest.mark.parametrize("name", NOT_FOLLOWED)
def test_a_view_that_cannot_be_followed_is_refused(
    name: str, connection: duckdb.DuckDBPyConnection
) -> None:
    connection.execute(NOT_FOLLOWED[name])
    with pytest.raises(PlanError, match=r"cannot be followed how 'v' makes|makes 'x' of"):
        sqlanon.run(plan("x"), Options(connection=connection))
    without = plan("x")
    without["columns"] |= {"name": "insensitive"}  # then there is nothing to be found
    sqlanon.run(without, Options(connection=connection))


@pytest.mark.sampled(0.5)
@pytest.mark.parametrize("name", HARMLESS)
def test_ordinary_views_are_published(name: str, connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute(HARMLESS[name])
    sqlanon.run(plan("x"), Options(connection=connection))
    described = duckdb.execute("describe from 'open.parquet'").fetchall()
    assert [row[0] for row in described] == ["x", "zip"]


def test_a_registered_table_is_published(connection: duckdb.DuckDBPyConnection) -> None:
    frame = connection.sql("select name, zip, ward as x from people").df()
    connection.register("v", frame)
    sqlanon.run(plan("x"), Options(connection=connection))
    connection.execute("create view w as select name, x, zip from v")
    sqlanon.run(plan("x", source={"table": "w"}), Options(connection=connection))
    connection.execute("create or replace view w as select name, name as x, zip from v")
    with pytest.raises(PlanError, match="makes 'x' of"):
        sqlanon.run(plan("x", source={"table": "w"}), Options(connection=connection))


def test_a_view_of_a_database_file_is_followed() -> None:
    with duckdb.connect("people.duckdb") as database:
        database.execute(
            "create table people as select 'p' || n as name, 'z' as zip from range(8) as r (n);"
            "create view v as select name, upper(name) as x, zip from people;"
            "create view w as select name, length(zip) as x, zip from people"
        )
    with pytest.raises(PlanError, match="makes 'x' of"):
        sqlanon.run(plan("x", source="people.duckdb::main.v"))
    sqlanon.run(plan("x", source="people.duckdb::main.w"))


def test_an_identifier_may_have_two_names(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute(LEAKS["renamed"])
    made = plan("x")
    made["columns"] |= {"x": "identifier"}
    sqlanon.run(made, Options(connection=connection))
