"""Queries of plans: one select, what it reads is known, and its text means the same as it runs."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

import sqlanon
from sqlanon.commands.options import Options
from sqlanon.commands.session import open_session
from sqlanon.errors import EngineError, PlanError
from sqlanon.proof.query_lineage import NO_NAMES, Around, Cell, Relation, counting_columns
from sqlanon.sql.paths import written
from sqlanon.sql.queries import READERS, allowed_functions, plan_query
from sqlanon.sql.render import CONTROL, path_literal, text
from sqlanon.sql.step import Step
from sqlanon.sql.tables import table_name, table_parts, table_sql
from sqlanon.sql.views import Catalog
from tests.paths import TESTS
from tests.plan.plans import plan_of
from tests.selection import examples
from tests.support.tables import write_csv

pytestmark = pytest.mark.usefixtures("folder")

FUNCTIONS = TESTS / "data/plan_query_functions.txt"
FOUND = "can put an identifier into its labels"
PEOPLE = [["name", "zip", "age", "ill"]] + [
    [f"Person-{n}", f"0{n % 3}", str(20 + n % 4), "flu" if n % 2 else "hiv"] for n in range(24)
]
"""24 persons: each zip 8 times, each age 6 times."""


def people_plan(zips: str = "", **keys: Any) -> dict[str, Any]:
    """A plan over the persons, whose zips have labels by a query."""
    write_csv("people.csv", PEOPLE)
    columns = {
        "name": "identifier",
        "zip": zips_by(zips) if zips else "quasi-identifier",
        "age": "quasi-identifier",
        "ill": "sensitive",
    }
    return plan_of(columns | keys.pop("columns", {}), **{"source": "people.csv", **keys})


def zips_by(query: str) -> dict[str, Any]:
    return {"role": "quasi-identifier", "hierarchy": {"query": query}}


def names(connection: duckdb.DuckDBPyConnection) -> set[Any]:
    """Files, and databases of a connection."""
    databases = connection.execute("select database_name from duckdb_databases()").fetchall()
    return {*map(str, Path().rglob("*")), *databases}


# --- one select, and nothing else

TABLE_FUNCTIONS = (
    "glob", "read_text", "read_blob", "query", "query_table", "duckdb_settings",
    "pragma_table_info", "sniff_csv", "parquet_metadata", "seq_scan",
)  # fmt: skip
CALLS = (
    "getvariable('sqlanon_pseudonym_key')", "current_setting('threads')", "error('x')",
    "assert_true(false)", "nextval('s')", "random()", "gen_random_uuid()", "now()", "current_date",
    "age(date '2000-01-01')", "main.sha256('x')", "mine(1)", "json_serialize_plan('select 1')",
)  # fmt: skip
COUNTED = (
    "list_resize([1], 1000000000)", "array_resize([1], 1000000000)", "bitstring('1', 1000000000)",
    "bar(1, 0, 10, 1000000000)", "to_base(5, 2, 1000000000)", "approx_top_k(a, 1000000000)",
    "lpad(name, 1_000_000_000, '0')", "rpad(name, 1000000000::int, '0')", "range(0, 1000000000)",
    "equi_width_bins(0, 9, 1000000000, true)", "repeat('*', n)", "repeat('*', 1e9)",
    "repeat(name, 1000000000)", "repeat(name, 1000 * 1000000)", "repeat(name, '1000000000')",
    "repeat('*', greatest(5, n))",
)  # fmt: skip
OTHERS = {
    "not a select": (
        "copy (select 1) to 'stolen.csv'", "attach 'stolen.duckdb'", "set threads = 1; select 1",
        "explain select 1", "pivot people on a using sum(b)"),
    "2 statements": ("select 1; select 2",),
    "0 statements": ("-- nothing",),
    "parsed": (
        "select 1) as x; copy (select 1) to 'stolen.csv'; (select 1", "select 1) as a, (select 2",
        "select 1 /* a", "select 'a", "select " + "(" * 5000 + "1" + ")" * 5000,
        "select 1; -- end"),
    ".": ("select 1 from (" * 300 + "t" + ")" * 300,),
    "insert": ("with x as (insert into t values (1) returning *) select * from x",),
    "show": ("describe select 1", "summarize people", "select * from (show tables)"),
    "parameter": ("select ?", "select $1"),
    "another time": ("select * from t at (version => 1)",),
    "sample": ("select * from t using sample 3", "select * from t tablesample 10%"),
    "system table of the database": ("from duckdb_settings", "from information_schema.tables"),
    "the table function main.read_csv": ("from main.read_csv('x.csv')",),
    "is not a literal": (
        "from read_csv('a' || '.csv')", "from read_csv(getvariable('x'))",
        "from read_csv((select 'x'))", "from read_csv()"),
    "An option": (
        "from read_csv('x', delim = chr(44))", "from read_csv('x', header = (select true))"),
    "creates a table": (
        "from read_csv('x', store_rejects = true)", "from read_csv('x', rejects_table = 't')"),
    "working table": ("select * from sqlanon.source", 'select * from "SQLANON".main.source'),
    "getvariable": ("with a as (select 1 where exists (select getvariable('x'))) from a",),
    "calls mine": ("select mine(1) over ()",),
    "from": ("table t",),
    "not the name of a table": ("from a.b.c.d",),
    "control character": (
        'select 1 as "a\nb"', 'from "a\nb"', "from read_csv('a\nb')", "select date '2020-01-01\n'"),
    "surrogate": ("select '\ud800'",),
    "`from generate_series": ("select unnest(generate_series(1, n)) from t",),
    "calls format with a width": (
        "select format('{:1000000000}', a) from t", "select format('{:{}}', a, 1000000000) from t",
        "select format(b, a) from t"),
    "calls printf with a width": (
        "select printf('%-1000000000d', a) from t", "select printf('%*d', 1000000000, a) from t"),
    "makes rows with a number": ("from range(1000000000)",),
    "by a URL": ("from 'file:/a.csv'", "from read_csv('file:///a.csv')"),
    "written in a form": ("from read_csv(('a.csv'))",),
}  # fmt: skip
REFUSED = {
    **{f"from {name}('x')": f"the table function {name}" for name in TABLE_FUNCTIONS},
    **{f"select {call}": call.partition("(")[0] for call in CALLS},
    **{f"select {c} from t": f"calls {c.partition('(')[0]} with a count" for c in COUNTED},
    **{query: reported for reported, queries in OTHERS.items() for query in queries},
}


@pytest.mark.parametrize("query", REFUSED, ids=lambda query: repr(query)[:40])
def test_what_a_query_may_not_do(query: str) -> None:
    with pytest.raises(PlanError, match=re.escape(REFUSED[query])) as refused:
        plan_query(query, "plan.yml:3  source")
    assert refused.value.where == "plan.yml:3  source"
    assert refused.value.fix


def test_counts_that_a_query_may_have() -> None:
    for query in (
        "select left(zip, 3) || repeat('*', least(2, length(zip))) from t",
        "select repeat('*', length(zip) - 3), rpad(left(zip, 2), len(zip), '*') from t",
        "select lpad(zip, 5, '0'), repeat('*', cast(1_000 as bigint)), repeat('*', null) from t",
        "select repeat('*', greatest(0, least(n, 5))), list_resize(l, 3) from t",
        "select unnest(range(10)), unnest(generate_series(-5, 5, 2)) from t",
        "select t.* from t, range(frequency) as copies (copy), generate_series(1900, 2100)",
        "select format('{:05d} of 2024, {}', n, b), printf('%05.2f of 10000', n) from t",
    ):
        assert plan_query(query, "w").functions


@pytest.mark.parametrize("where", ["source", "population", "hierarchy", "rule file"])
def test_nothing_is_written_and_nothing_attached(where: str) -> None:
    for query in (
        "select 1 as zip) as x; copy (select 42) to 'stolen.csv'; select * from (select 1 as zip",
        "select 1; attach 'stolen.duckdb' as stolen",
    ):
        Path("rule.yml").write_text(json.dumps({"query": query}))
        plan = people_plan(query if where == "hierarchy" else "")
        if where == "rule file":
            plan["columns"]["zip"] = {"role": "quasi-identifier", "hierarchy": "rule.yml"}
        elif where != "hierarchy":
            plan[where] = {"query": query}
        connection = duckdb.connect()
        before = names(connection)
        for options in (Options(), Options(connection=connection)):
            for command in (sqlanon.check, sqlanon.compile, sqlanon.solve, sqlanon.run):
                with pytest.raises(PlanError) as refused:
                    command(plan, options)
                assert ("rule.yml" in refused.value.where) == (where == "rule file")
        new = {str(name) for name in names(connection) - before}
        # a rule file is read after the folder is claimed
        assert not {name for name in new if where != "rule file" or not name.startswith("target")}


def test_every_built_in_function_is_allowed_or_not() -> None:
    """A function that a new DuckDB brings shows here; look at it before it is put on the list.

    Rewrite the list by SQLANON_REWRITE_FUNCTIONS=1, and read the difference.
    """
    allowed = sorted(allowed_functions())
    if os.environ.get("SQLANON_REWRITE_FUNCTIONS"):
        FUNCTIONS.write_text("\n".join(allowed) + "\n", encoding="utf-8")
    assert allowed == FUNCTIONS.read_text(encoding="utf-8").splitlines()


def test_no_allowed_function_is_volatile_or_reads() -> None:
    """From DuckDB's own catalog: nothing of another stability, no table function but `unnest`.

    What has a time zone among its arguments, or returns one, depends on the plan's alone.
    """
    rows = duckdb.execute(
        "select distinct lower(function_name) from duckdb_functions()"
        " where stability <> 'CONSISTENT' and (len(parameter_types) = 0 or not"
        " regexp_matches(cast(parameter_types as varchar) || return_type, 'TIME ZONE|TZ'))"
        " or stability not in ('CONSISTENT', 'CONSISTENT_WITHIN_QUERY')"
        " or function_type = 'pragma'"
        " or function_type in ('table', 'table_macro') and function_name not in"
        " ('unnest', 'range', 'generate_series', 'repeat', 'histogram')"
    ).fetchall()
    assert allowed_functions().isdisjoint(row[0] for row in rows)
    for name in ("getvariable", "current_setting", "error", "nextval", "currval", "setseed",
                 "random", "read_text", "query", "txid_current", "write_log"):  # fmt: skip
        assert name not in allowed_functions()
    for name in READERS:
        found = duckdb.execute(
            "select parameters from duckdb_functions() where function_name = ?", [name]
        ).fetchall()
        assert found
        assert all("hive_partitioning" in parameters for (parameters,) in found), name


# --- what it reads


def in_memory(parts: tuple[str, ...]) -> str:
    return table_sql(("memory", "main", parts[-1]))


def made(query: str) -> str:
    return written(plan_query(query, "w").text(path_literal, in_memory))


NO = "hive_partitioning = false"
TEXTS = {
    "from 'x.csv'": f"from read_csv('x.csv', {NO}) as x",
    'from "X.tsv" as t': f"from read_csv('X.tsv', {NO}) as t",
    "from 'a/x.y.parquet', t": f"from read_parquet('a/x.y.parquet', {NO}) as x, memory.main.t",
    "from 'é.json' ö": f"from read_json('é.json', {NO}) ö",
    "select ö.a, 'ü' from read_csv('é.csv', header = true) ö, my.t":
        f"select ö.a, 'ü' from read_csv('é.csv', {NO}, header = true) ö, memory.main.t",
    "from parquet_scan(['a', 'b'])": f"from parquet_scan(['a', 'b'], {NO})",
    "from read_parquet('a', hive_partitioning = true)":
        "from read_parquet('a', hive_partitioning = true)",
    "from read_parquet('a', Hive_Partitioning := false)":
        "from read_parquet('a', Hive_Partitioning := false)",
    "with people as (select * from people) from people":
        "with people as (select * from memory.main.people) from people",
    "with recursive r as (select 1 a union all select a + 1 from r) from r, R":
        "with recursive r as (select 1 a union all select a + 1 from r) from r, R",
    "from t, (with t as (from u) from t)":
        "from memory.main.t, (with t as (from memory.main.u) from t)",
    'from "a b" /* x */ . -- y\n "c""d" z': 'from memory.main."c""d" z',
    "SELECT a -- one\n\n\nFROM\tt -- two\n;": "SELECT a -- one\n\n\nFROM\tmemory.main.t -- two",
    "select 'a;b', ';' -- ;": "select 'a;b', ';' --",
    "select 'a\nb', $$c\r\nd$$, E'e\\nf', 'it''s\n', '\x00'":
        "select ('a' || chr(10) || 'b'), ('c' || chr(13) || chr(10) || 'd'),"
        " ('e' || chr(10) || 'f'), ('it''s' || chr(10)), (chr(0))",
    "select 'a\tb'": "select 'a\tb'",
    "values ('3', 'odd'), (null, 'x')": "values ('3', 'odd'), (null, 'x')",
}  # fmt: skip


def test_the_text_that_runs() -> None:
    for query, expected in TEXTS.items():
        assert made(query) == expected
        # Once more, as a plan does whose tables are named already.
        again = plan_query(expected, "w").text(path_literal, table_sql)
        assert written(again) == expected


LITERAL = st.text(
    st.one_of(
        st.sampled_from("ab'\"\\$;-/*() \n\r\t\x00\x0b\x1f\x7f\x85\u2028\u2029é😀"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=20,
)


@examples(1500)
@given(LITERAL, LITERAL)
def test_literals_are_themselves_on_one_line(one: str, other: str) -> None:
    assert not CONTROL.search(text(one))
    assert len(text(one).splitlines()) <= 1
    literals = [f"'{value.replace(chr(39), chr(39) * 2)}'" for value in (one, other)]
    comment = re.sub(CONTROL, " ", one)
    found = made(f"select {literals[0]} as a -- {comment}\n, {literals[1]} as b, {text(one)} as c")
    assert found.count("\n") == 1
    assert duckdb.execute(f"from (\n{found}\n)").fetchall() == [(one, other, one)]


def test_line_breaks_of_values_stay() -> None:
    """5 of 20 rows have the listed value, 5 the one that it became when lines were stripped."""
    values = {"hiv \n  positive": 5, "hiv\n  positive": 5, "e\r\n\n\nd": 10}
    each = (f"select 'x' as a, '{value}' as b from range({n})" for value, n in values.items())
    query = " union all ".join(each)
    columns = {"a": "quasi-identifier", "b": {"role": "sensitive", "compare": "exact"}}
    promise = {"model": "alpha-k-anonymity", "k": 2, "alpha": 0.9, "values": [*values][:1]}
    result = sqlanon.run(plan_of(columns, {"query": query}, privacy=[promise]))
    assert [finding["measured"] for finding in result.manifest["privacy"]] == [5 / 20]
    found = duckdb.execute("select b, count(*) from 'out.parquet' group by b").fetchall()
    assert dict(found) == values


# --- tables of a connection


@pytest.mark.parametrize(
    ("source", "population"),
    [
        ({"table": "population"}, {"table": "everybody"}),
        ({"query": "select * from source_rows"}, {"query": "from source"}),
        ({"table": "classes"}, {"query": "from lattice"}),
        ({"query": "select * from source"}, {"table": "hierarchy_of_a"}),
    ],
)
def test_a_source_called_as_a_step_publishes_its_own_rows(
    source: dict[str, str], population: dict[str, str]
) -> None:
    """12 rows of the source, 30 of the population: the 12 are published, whatever their names."""
    connection = duckdb.connect()
    for own, count in ((source, 12), (population, 30)):
        name = next(iter(own.values())).split()[-1]
        connection.execute(
            f"create table {name} as select 'p' as a, range as b from range({count})"
        )
    roles = {"a": "quasi-identifier", "b": "insensitive"}
    k_map = [{"model": "k-map", "k": 13}]
    plan = plan_of(roles, source, population=population, privacy=k_map)
    options = Options(connection=connection)
    sqlanon.run(plan, options)
    for with_source in (False, True):
        (finding,) = sqlanon.verify("out.parquet", plan, options, with_source=with_source)
        assert finding.measured == 30
    assert sqlanon.profile(plan, options).classes["row_count"] == 12
    rows = duckdb.execute("select b from 'out.parquet' order by b").fetchall()
    assert rows == [(n,) for n in range(12)]


def test_a_hierarchy_query_reads_the_callers_table() -> None:
    """`known_values` and `source_values` are names in the text around the query."""
    connection = duckdb.connect()
    for name in ("known_values", "source_values", "labels", "places"):
        connection.execute(
            f"create table {name} as select '0' || n as z, 'L' || (n % 2) as l from range(3) t(n)"
        )
        plan = people_plan(f"select z, l, '*' from {name}")
        shown = sqlanon.show_hierarchy(plan, "zip", Options(connection=connection))
        assert sorted(shown) == [("00", "L0", "*"), ("01", "L1", "*"), ("02", "L0", "*")]


def test_what_a_name_means() -> None:
    """One table, whatever Python's own variables are called; or else it is refused."""
    connection = duckdb.connect()
    connection.execute(
        "create table people(a int); create schema clinic; create table clinic.people(a int);"
        "create table clinic.only(a int); create temp table mine(a int); create table twice(a int);"
        "create temp table twice(a int); attach ':memory:' as other;"
        "create table other.people(a int); create schema other.clinic;"
        "create table other.clinic.far(a int);"
        'create table "with.dot"(a int); create view seen as from people'
    )
    frame = connection.sql("select 1 as a")
    assert frame.fetchall() == [(1,)]
    catalog = Catalog(connection)
    for name, expected in {
        **dict.fromkeys(("people", "PEOPLE", "main.people"), "memory.main.people"),
        "clinic.people": "memory.clinic.people",
        "other.people": "other.main.people",
        "mine": "temp.main.mine",
        "seen": "memory.main.seen",
        **{name: name for name in ("other.clinic.far", "memory.main.twice")},
        '"with.dot"': 'memory.main."with.dot"',
        "temp.twice": "temp.main.twice",
    }.items():
        parts = catalog.resolved(table_parts(name), where="w")
        assert table_name(parts) == expected
        assert table_parts(table_name(parts)) == parts
        before = connection.execute(f"describe select * from {name}").fetchall()
        assert connection.execute(f"describe select * from {table_sql(parts)}").fetchall() == before
    for name, reported in {
        "peple": "Did you mean 'people'",
        "twice": "memory.main.twice or temp.main.twice",
        **dict.fromkeys(("only", "clinic.far", "frame", "duckdb_settings"), "no table or view"),
    }.items():
        with pytest.raises(PlanError, match=reported):
            catalog.resolved(table_parts(name), where="w")


def test_a_program_compiled_without_a_connection() -> None:
    """Its tables are found by the shell that runs it; none may be called as a step is."""
    plan = people_plan(source={"query": "select * from people"})
    plan["columns"]["zip"] = {"role": "quasi-identifier", "hierarchy": {"mask": {"characters": 2}}}
    program, _ = sqlanon.compile(plan)
    assert "from people" in program.sql
    for name in ("population", "source_values", "proof_of_k_anonymity"):
        plan["source"] = {"query": f"select * from {name}"}
        if name == "population":
            plan["population"] = "people.csv"
        with pytest.raises(PlanError, match=r"memory\.main\."):
            sqlanon.compile(plan)


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


def test_a_macro_in_place_of_a_function_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SQLANON_PSEUDONYM_KEY", "a secret of enough characters")
    plan = people_plan(columns={"name": {"role": "identifier", "action": "pseudonym"}})
    for macro in (
        "macro sha256(x) as x",
        "macro LOWER(x) as x",
        "temp macro coalesce_(x) as x; create macro regexp_matches(a, b) as true",
        "macro range(x) as table select 1 as range",
        "schema s; create macro s.sum(x) as 0",
    ):
        connection = duckdb.connect()
        connection.execute(f"create {macro}")
        with pytest.raises(PlanError, match="drop macro"):
            sqlanon.run(plan, connection=connection)
    assert not Path("out.parquet").exists()
    connection = duckdb.connect()
    connection.execute("create macro mine(x) as x")
    sqlanon.run(people_plan(), connection=connection)


# --- identifiers in labels

ATTACKS = {
    "by name": "select zip, name, '*' from {people}",
    "by name, another case": "select zip, \"NAME\", '*' from {people}",
    "qualified": "select p.zip, p.name, '*' from {people} as p",
    "in a function": "select zip, upper(name), '*' from {people}",
    "in an aggregate": "select zip, string_agg(name, ','), '*' from {people} group by zip",
    "in a subquery": "select zip, (select min(name) from {people}), '*' from {people}",
    "in a subquery alone":
        "select a, b, '*' from (values ('1', '2')) t(a, b) where b in (select name from {people})",
    "in a condition": "select zip, age, '*' from {people} where name like 'Person-1%'",
    "in a join": "select a.zip, b.zip, '*' from {people} a join {people} b on a.name = b.name",
    "using": "select a.zip, b.zip, '*' from {people} a join {people} b using (name)",
    "natural": "select zip, age, '*' from {people} a natural join {people} b",
    "ordered": "select zip, age, '*' from {people} order by name",
    "in a window": "select zip, max(age) over (order by name), '*' from {people}",
    "star": "select * from {people}",
    "no select": "from {people}",
    "star of a table": "select p.* from {people} p",
    "star in a subquery": "select zip, x, '*' from (select * from {people}) t(x, zip, y, z)",
    "star without others": "select * exclude (zip) from {people}",
    "columns by pattern": "select zip, columns('n.*'), '*' from {people}",
    "columns by condition": "select zip, columns(c -> c like 'n%'), '*' from {people}",
    "unpacked": "select zip, concat(*columns(*)), '*' from {people}",
    "whole row": "select zip, cast(p as varchar), '*' from {people} p",
    "whole row in a struct": "select zip, to_json(row(p)), '*' from {people} p",
    "field of a whole row": "select zip, struct_extract_at(p, 1), '*' from {people} p",
    "greatest whole row": "select zip, max(p)::varchar, '*' from {people} p group by zip",
    "by place": "select #2, #1, '*' from {people}",
    "renamed": "select zip, x, '*' from {people} as p(x, zip, age, ill)",
    "common table expression": "with q as (from {people}) select zip, age, '*' from q",
    "renamed common table expression":
        "with q(x, zip, y, z) as (select * from {people}) select zip, x, '*' from q",
    "unpivot": "select value, label, '*' from {people} unpivot (value for label in (zip, ill))",
    "union": "select zip, age, '*' from {people} union all select * exclude (ill) from {people}",
}  # fmt: skip


def attacked(how: str) -> tuple[dict[str, Any], Options, str]:
    """The plan over the source in one of its forms, and what a query calls the source."""
    connection = duckdb.connect()
    plan = people_plan()
    if how == "parquet":
        connection.execute("copy (from 'people.csv') to 'people.parquet'")
        return plan | {"source": "people.parquet"}, Options(), "'people.parquet'"
    if how == "database":
        with duckdb.connect("people.duckdb") as database:
            database.execute("create table people as from 'people.csv'")
        return plan | {"source": "people.duckdb::people"}, Options(), "sqlanon_source.people"
    connection.execute("create table people as from 'people.csv'")
    plan["population" if how == "population" else "source"] = {"table": "people"}
    return plan, Options(connection=connection), "people"


@pytest.mark.parametrize("how", ["parquet", "table"])
def test_no_attack_on_labels_passes_a_check(how: str) -> None:
    plan, options, people = attacked(how)
    for query in ATTACKS.values():
        plan["columns"]["zip"] = zips_by(query.format(people=people))
        with pytest.raises(PlanError, match=FOUND):
            sqlanon.check(plan, options)


HARMLESS = (
    "select distinct zip, left(zip, 1), '*' from {people}",
    "select zip, count(*)::varchar, '*' from {people} group by zip",
    "with q as (select distinct zip as z from {people}) select z, left(z, 1), '*' from q",
)


@pytest.mark.sampled(0.012, by=lambda case: case["name"] in HARMLESS)
@pytest.mark.parametrize("how", ["parquet", "database", "table", "population"])
@pytest.mark.parametrize("name", [*ATTACKS, *HARMLESS])
def test_an_identifier_in_labels_is_found(name: str, how: str) -> None:
    plan, options, people = attacked(how)
    plan["columns"]["zip"] = zips_by(ATTACKS.get(name, name).format(people=people))
    if name in HARMLESS:
        sqlanon.run(plan, options)
        published = duckdb.execute("select distinct zip from 'out.parquet'").fetchall()
        assert {len(row[0]) for row in published} <= {1, 2}
        return
    for command in (sqlanon.check, sqlanon.run):
        with pytest.raises(PlanError, match=FOUND):
            command(plan, options)
    assert not Path("out.parquet").exists()
    assert not Path("plan.solution.json").exists()


VIEWS: dict[str, dict[str, Any]] = {
    "table": {"source": {"table": "people"}},
    "population": {"population": {"table": "people"}},
    "query": {"source": {"query": "select * from people"}},
    "view": {"source": {"query": "select n as name, zip, '1' as age, '2' as ill from v"}},
}


@pytest.mark.sampled(0.25, by=("zips", "how"))
@pytest.mark.parametrize(
    "zips", ["zip, n, '*' from v", "zip, n, '*' from \"w AS select 1 --\"", "zip, n, '*' from m",
             "* from v", "zip, n, '*' from other.people", "zip, n, '*' from memory.other.people"],
)  # fmt: skip
@pytest.mark.parametrize("how", VIEWS)
def test_an_identifier_through_a_view_is_found(zips: str, how: str) -> None:
    """A view of a view, with a macro, of the same name in another schema, the source itself."""
    connection = duckdb.connect()
    plan = people_plan(f"select {zips}", **VIEWS[how])
    connection.execute(
        "create table people as from 'people.csv';"
        "create view v as select zip, name as n from people;"
        'create view "w AS select 1 --" as from v;'
        "create macro all_of() as table from people; create view m as select zip, name as n"
        " from all_of(); create schema other;"
        "create view other.people as select zip, name as n from main.people"
    )
    with pytest.raises(PlanError, match=FOUND):
        sqlanon.check(plan, Options(connection=connection))


def test_a_view_of_the_sources_database_is_found() -> None:
    zips = "select zip, n, '*' from sqlanon_source.v"
    plan = people_plan(zips, source="people.duckdb::people")
    with duckdb.connect("people.duckdb") as database:
        database.execute(
            "create table people as from 'people.csv'; create table zips as select distinct zip,"
            " left(zip, 1) as area from people;"
            "create view v as select zip, name as n from people"
        )
    with pytest.raises(PlanError, match=r"through 'sqlanon_source\.v'"):
        sqlanon.check(plan)
    with pytest.raises(PlanError, match=FOUND):
        sqlanon.compile(plan)
    plan["columns"]["zip"] = zips_by("select zip, area, '*' from sqlanon_source.main.zips")
    sqlanon.run(plan)


@pytest.mark.sampled(0.25, by=("query", "spelled"))
@pytest.mark.parametrize(
    "query",
    [
        "select zip, x, '*' from read_csv('{file}', names = ['x', 'zip', 'age', 'ill'])",
        "select column1, column0, '*' from read_csv('{file}', header = false)",
        "select \"name,zip,age,ill\", 'a', '*' from read_csv('{file}', delim = '|')",
        "select zip, age, '*' from '{file}'",
        "select zip, age, '*' from read_csv('{file}', normalize_names = true)",
    ],
)
@pytest.mark.parametrize("spelled", ["people.csv", "./people.csv", "**/p*.csv", "link.csv"])
def test_the_sources_csv_read_in_another_way_is_found(query: str, spelled: str) -> None:
    plan = people_plan(query.format(file=spelled))
    os.link("people.csv", "link.csv")
    with pytest.raises(PlanError, match=FOUND):
        sqlanon.check(plan)


@pytest.mark.parametrize(
    ("source", "read", "is_found"),
    [
        ("s3://a.parquet", "s3a://a.parquet", True), ("s3://a.parquet", "s3://*.parquet", True),
        ("s3://a*.parquet", "s3://ab.parquet", True), ("s3://a*.parquet", "s3://a/?.parquet", True),
        ("s3://a.parquet", "s3://{a,b}.parquet", True),
        ("s3://a.parquet", "s3://a.parquet.parquet", False), ("s3://a.csv", "a.csv", False),
        ("s3://a.parquet", "s3://b*.parquet", False), ("s3://a*.parquet", "s3://b.parquet", False),
    ],
)  # fmt: skip
def test_a_file_elsewhere_is_known_by_its_name(source: str, read: str, is_found: bool) -> None:
    with pytest.raises(PlanError, match="is not on this machine") as refused:
        sqlanon.check(people_plan(f"select zip, name, '*' from '{read}'", source=source))
    assert (FOUND in str(refused.value)) == is_found


def test_the_sources_csv_read_as_the_plan_does_or_by_a_view() -> None:
    with pytest.raises(PlanError) as refused:
        sqlanon.check(people_plan("select zip, age, '*' from 'people.csv'"))
    call = refused.value.fix.split(", by ", 1)[1]
    sqlanon.run(people_plan(f"select distinct zip, left(zip, 1), '*' from {call}"))
    with pytest.raises(PlanError, match="names the identifier 'name'"):
        sqlanon.check(people_plan(f"select distinct zip, name, '*' from {call}"))
    connection = duckdb.connect()
    connection.execute(
        "create view v as select zip, name as n from read_csv('p*.csv'); create table people as"
        " from 'people.csv'; create macro all_of() as table from people;"
        "create view m as select zip, name as n from all_of();"
        "create macro all_in() as table from 'people.csv';"
        "create view f as select zip, name as n from all_in()"
    )
    for read, source, why in (
        ("n, '*' from v", "people.csv", r"reads the source through '.*v'"),
        ("name, '*' from 'people.csv'", "v", "in another way"),
        ("name, '*' from people", "m", "unknown what"),
        ("name, '*' from 'people.csv'", "f", "reads a file, and what the source reads is"),
    ):
        query = {"query": f"select n as name, zip, '1' as age, '2' as ill from {source}"}
        plan = people_plan(f"select zip, {read}", source=query if len(source) == 1 else source)
        with pytest.raises(PlanError, match=rf"{FOUND}: it .*{why}"):
            sqlanon.check(plan, Options(connection=connection))


def test_the_source_as_a_file_of_labels_is_found() -> None:
    Path("rule.yml").write_text("query: select zip, name, '*' from read_csv('people.csv')\n")
    for file, reported in (("people.csv", "its file is that of the source"), ("rule.yml", FOUND)):
        labelled = {"zip": {"role": "quasi-identifier", "hierarchy": file}}
        with pytest.raises(PlanError, match=reported):
            sqlanon.check(people_plan(columns=labelled))


def test_another_table_is_the_authors_own() -> None:
    labels = [("00", "north", "*"), ("01", "north", "*"), ("02", "south", "*")]
    write_csv("zips.csv", [["zip", "name"], *(row[:2] for row in labels)])
    plan = people_plan("select *, '*' from 'zips.csv'")
    sqlanon.run(plan)
    assert sorted(sqlanon.show_hierarchy(plan, "zip")) == labels


# --- plain plans, which a check of something else must not refuse

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


# --- messages


def test_a_message_made_of_cells_is_not_shown(folder: Path) -> None:
    """A cell that DuckDB quotes behind sqlanon's own prefix."""
    with open_session(people_plan(), Options()).engine() as engine:
        cells = f"select error('sqlanon: ' || name) from '{folder}/people.csv'"
        with pytest.raises(EngineError) as refused:
            engine.execute(Step("reported", cells, "rows"))
        assert "Person" not in str(refused.value)
        with pytest.raises(EngineError, match="its own words"):
            engine.execute(Step("reported", "select error('sqlanon: its own words')", "rows"))


def test_hive_names_are_no_columns_of_a_query() -> None:
    Path("ill=hiv").mkdir()
    file = f"'{write_csv('ill=hiv/people.csv', PEOPLE)}'"
    for query in (f"from {file}", f"from read_csv({file}, header = true)"):
        reported = written(plan_query(query, "w").text(path_literal, table_sql))
        rows = duckdb.execute(f"select distinct ill from ({reported})").fetchall()
        assert sorted(rows) == [("flu",), ("hiv",)]
