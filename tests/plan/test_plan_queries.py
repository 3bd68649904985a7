"""Queries of plans: one select, what it reads is known, and its text means the same as it runs."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sqlanon
from sqlanon.commands.options import Options
from sqlanon.commands.session import open_session
from sqlanon.errors import EngineError, PlanError
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

FUNCTIONS = TESTS / "data/plan_query_functions.txt"


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


def assert_tells_identifiers(plan: dict[str, Any], options: Options | None = None) -> None:
    with pytest.raises(PlanError, match="can put an identifier into its labels"):
        sqlanon.check(plan, options or Options())


def files() -> set[str]:
    return {str(path) for path in Path().rglob("*")}


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
REFUSED = {
    **{name: (f"from {name}('x')", f"the table function {name}") for name in TABLE_FUNCTIONS},
    **{call: (f"select {call}", call.partition("(")[0]) for call in CALLS},
    **{c: (f"select {c} from t", f"calls {c.partition('(')[0]} with a count") for c in COUNTED},
    "two statements": ("select 1; select 2", "2 statements"),
    "closing parenthesis": ("select 1) as x; copy (select 1) to 'stolen.csv'; (select 1", "parsed"),
    "closing parenthesis, one statement": ("select 1) as a, (select 2", "parsed"),
    "no statement": ("-- nothing", "0 statements"),
    "copy": ("copy (select 1) to 'stolen.csv'", "not a select"),
    "attach": ("attach 'stolen.duckdb'", "not a select"),
    "set before": ("set threads = 1; select 1", "not a select"),
    "insert in a common table expression": (
        "with x as (insert into t values (1) returning *) select * from x", "insert"),
    "explain": ("explain select 1", "not a select"),
    "describe": ("describe select 1", "show"),
    "summarize": ("summarize people", "show"),
    "show": ("select * from (show tables)", "show"),
    "pivot that makes a type": ("pivot people on a using sum(b)", "not a select"),
    "comment that does not end": ("select 1 /* a", "parsed"),
    "text that does not end": ("select 'a", "parsed"),
    "parameter": ("select ?", "parameter"),
    "numbered parameter": ("select $1", "parameter"),
    "another time": ("select * from t at (version => 1)", "another time"),
    "sample": ("select * from t using sample 3", "sample"),
    "sample of a table": ("select * from t tablesample 10%", "sample"),
    "settings, as a view": ("from duckdb_settings", "system table of the database"),
    "schema of the database's own": (
        "from information_schema.tables", "system table of the database"
    ),
    "reader of a schema": ("from main.read_csv('x.csv')", "the table function main.read_csv"),
    "path put together": ("from read_csv('a' || '.csv')", "is not a literal"),
    "path of a variable": ("from read_csv(getvariable('x'))", "is not a literal"),
    "path of a subquery": ("from read_csv((select 'x'))", "is not a literal"),
    "no path": ("from read_csv()", "is not a literal"),
    "option put together": ("from read_csv('x', delim = chr(44))", "An option"),
    "option with a subquery": ("from read_csv('x', header = (select true))", "An option"),
    "rejects": ("from read_csv('x', store_rejects = true)", "creates a table"),
    "rejects in a table": ("from read_csv('x', rejects_table = 't')", "creates a table"),
    "working table": ("select * from sqlanon.source", "working table"),
    "working table in quotes": ('select * from "SQLANON".main.source', "working table"),
    "getvariable, deep": (
        "with a as (select 1 where exists (select getvariable('x'))) from a", "getvariable"),
    "unknown window function": ("select mine(1) over ()", "calls mine"),
    "table statement": ("table t", "from"),
    "name of four parts": ("from a.b.c.d", "not the name of a table"),
    "line break in a name": ('select 1 as "a\nb"', "control character"),
    "line break in a table": ('from "a\nb"', "control character"),
    "line break in a path": ("from read_csv('a\nb')", "control character"),
    "line break in a date": ("select date '2020-01-01\n'", "control character"),
    "surrogate": ("select '\ud800'", "surrogate"),
    "nested": ("select " + "(" * 5000 + "1" + ")" * 5000, "parsed"),
    "nested subqueries": ("select 1 from (" * 300 + "t" + ")" * 300, "."),
    "semicolon in the middle": ("select 1; -- end", "parsed"),
    "series to a column": ("select unnest(generate_series(1, n)) from t", "`from generate_series"),
    "format": ("select format('{:1000000000}', a) from t", "calls format with a width"),
    "format, computed": ("select format('{:{}}', a, 1000000000) from t", "calls format with a"),
    "format of a column": ("select format(b, a) from t", "calls format with a width"),
    "printf": ("select printf('%-1000000000d', a) from t", "calls printf with a width"),
    "printf, computed": ("select printf('%*d', 1000000000, a) from t", "calls printf with a width"),
    "rows without end": ("from range(1000000000)", "makes rows with a number"),
    "URL of a file": ("from 'file:/a.csv'", "by a URL"),
    "URL of a file that is read": ("from read_csv('file:///a.csv')", "by a URL"),
    "path in parentheses": ("from read_csv(('a.csv'))", "written in a form"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_query_may_not_do(name: str) -> None:
    query, reported = REFUSED[name]
    with pytest.raises(PlanError, match=re.escape(reported)) as refused:
        plan_query(query, "plan.yml:3  source")
    assert refused.value.where == "plan.yml:3  source"
    assert refused.value.fix


@pytest.mark.parametrize(
    "query",
    [
        "select left(zip, 3) || repeat('*', least(2, length(zip))) from t",
        "select repeat('*', length(zip) - 3), rpad(left(zip, 2), len(zip), '*') from t",
        "select lpad(zip, 5, '0'), repeat('*', cast(1_000 as bigint)), repeat('*', null) from t",
        "select repeat('*', greatest(0, least(n, 5))), list_resize(l, 3) from t",
        "select unnest(range(10)), unnest(generate_series(-5, 5, 2)) from t",
        "select t.* from t, range(frequency) as copies (copy), generate_series(1900, 2100)",
        "select format('{:05d} of 2024, {}', n, b), printf('%05.2f of 10000', n) from t",
    ],
)
def test_counts_that_a_query_may_have(query: str) -> None:
    assert plan_query(query, "w").functions


@pytest.mark.parametrize("where", ["source", "population", "hierarchy", "rule file"])
@pytest.mark.parametrize(
    "query",
    [
        "select 1 as zip) as x; copy (select 42) to 'stolen.csv'; select * from (select 1 as zip",
        "select 1; attach 'stolen.duckdb' as stolen",
        "select * from read_csv('people.csv', store_rejects = true)",
    ],
)
def test_check_writes_nothing_and_attaches_nothing(where: str, query: str, folder: Path) -> None:
    Path("rule.yml").write_text(json.dumps({"query": query}))
    plan = people_plan()
    if where in plan or where == "population":
        plan[where] = {"query": query}
    else:
        hierarchy = {"query": query} if where == "hierarchy" else "rule.yml"
        plan["columns"]["zip"] = {"role": "quasi-identifier", "hierarchy": hierarchy}
    before = files()
    connection = duckdb.connect()
    databases = connection.execute("select database_name from duckdb_databases()").fetchall()
    for options in (Options(), Options(connection=connection)):
        for command in (sqlanon.check, sqlanon.compile, sqlanon.solve, sqlanon.run):
            with pytest.raises(PlanError) as refused:
                command(plan, options)
            assert ("rule.yml" in refused.value.where) == (where == "rule file")
    own = "target" if where == "rule file" else "nothing"  # which is read after it is claimed
    assert not {file for file in files() - before if not file.startswith(own)}
    now = connection.execute("select database_name from duckdb_databases()").fetchall()
    assert now == databases


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


def test_every_reader_exists_and_takes_the_option() -> None:
    for name in READERS:
        rows = duckdb.execute(
            "select parameters from duckdb_functions() where function_name = ?", [name]
        ).fetchall()
        assert rows
        assert all("hive_partitioning" in parameters for (parameters,) in rows), name


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


@pytest.mark.parametrize("query", TEXTS)
def test_the_text_that_runs(query: str) -> None:
    assert made(query) == TEXTS[query]
    # Once more, as a plan does whose tables are named already.
    again = plan_query(TEXTS[query], "w").text(path_literal, table_sql)
    assert written(again) == TEXTS[query]


def test_files_and_tables_of_a_query() -> None:
    query = plan_query(
        "with c as (select zip from 'a.csv'), d as (from c) select lower(x.\"Name\") as y"
        " from read_json(['b.json', 'd/*.json']) as x, s.people, d, c, lateral (select 1)"
        " where zip in (select z from \"Zips\".main.t) and exists (from read_ndjson('e'))",
        "w",
    )
    assert [file.path for file in query.files] == ["a.csv", "b.json", "d/*.json", "e"]
    assert [file.reader for file in query.files] == [
        "read_csv", "read_json", "read_json", "read_ndjson",
    ]  # fmt: skip
    assert query.tables == (("s", "people"), ("Zips", "main", "t"))
    assert {"lower", "read_json", "read_ndjson"} <= query.functions
    assert {"zip", "name", "y", "z", "x"} <= query.names
    assert "people" not in query.names


LITERAL = st.text(
    st.one_of(
        st.sampled_from("ab'\"\\$;-/*() \n\r\t\x00\x0b\x1f\x7f\x85\u2028\u2029é😀"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=20,
)


@examples(1500)
@given(LITERAL)
def test_a_text_is_itself_on_one_line(value: str) -> None:
    written = text(value)
    assert not CONTROL.search(written)
    assert len(written.splitlines()) <= 1
    assert duckdb.execute(f"select {written}").fetchall() == [(value,)]


@examples(500)
@given(LITERAL, LITERAL)
def test_literals_of_a_query_are_themselves_on_one_line(one: str, other: str) -> None:
    literals = [f"'{value.replace(chr(39), chr(39) * 2)}'" for value in (one, other)]
    query = f"select {literals[0]} as a -- {comment_of(one)}\n, {literals[1]} as b"
    written = made(query)
    assert written.count("\n") == 1
    assert duckdb.execute(f"from (\n{written}\n)").fetchall() == [(one, other)]


def comment_of(value: str) -> str:
    return re.sub(CONTROL, " ", value)


# --- line breaks in values


def test_a_listed_value_with_a_line_break_is_counted(folder: Path) -> None:
    """5 of 20 rows have the value, 5 of 20 the one that it became when lines were stripped."""
    values = ["hiv \npositive"] * 5 + ["hiv\npositive"] * 5 + ["flu"] * 10
    write_csv("rows.csv", [["a", "ill"], *(["x", value] for value in values)])
    columns = {"a": "quasi-identifier", "ill": {"role": "sensitive", "compare": "exact"}}
    promise = {"model": "alpha-k-anonymity", "k": 2, "alpha": 0.9, "values": ["hiv \npositive"]}
    result = sqlanon.run(plan_of(columns, "rows.csv", privacy=[promise]))
    assert [finding["measured"] for finding in result.manifest["privacy"]] == [5 / 20]


def test_a_line_break_in_a_query_of_a_source_stays(folder: Path) -> None:
    lines = ["a \n  b", "c\r\n\n\nd", "e\t\nf "]
    selects = [f"select '{line}' as a, range as n from range(3)" for line in lines]
    columns = {"a": "insensitive", "n": "quasi-identifier"}
    sqlanon.run(plan_of(columns, {"query": " union all ".join(selects)}))
    found = duckdb.execute("select a, count(*) from 'out.parquet' group by a").fetchall()
    assert sorted(found) == sorted((line, 3) for line in lines)


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
    source: dict[str, str], population: dict[str, str], folder: Path
) -> None:
    """12 rows of the source, 30 of the population: the 12 are published, whatever their names."""
    connection = duckdb.connect()
    for own, count in ((source, 12), (population, 30)):
        name = next(iter(own.values())).split()[-1]
        connection.execute(
            f"create table {name} as select 'p' as a, range as b from range({count})"
        )
    plan = plan_of(
        {"a": "quasi-identifier", "b": "insensitive"},
        source,
        population=population,
        privacy=[{"model": "k-map", "k": 13}],
    )
    sqlanon.run(plan, connection=connection)
    rows = duckdb.execute("select b from 'out.parquet' order by b").fetchall()
    assert rows == [(n,) for n in range(12)]


def test_every_command_reads_the_callers_table(folder: Path) -> None:
    connection = duckdb.connect()
    connection.execute(
        "create table population as select '0' || (range % 3) as zip, range as n from range(24);"
        "create table source as from population union all from population"
    )
    plan = plan_of(
        {"zip": "quasi-identifier", "n": "insensitive"},
        {"table": "population"},
        population={"query": "from source"},
        privacy=[{"model": "k-map", "k": 2}],
        publish={"table": "open"},
    )
    options = Options(connection=connection)
    sqlanon.run(plan, options)
    for with_source in (False, True):
        (finding,) = sqlanon.verify("open", plan, options, with_source=with_source)
        assert finding.measured == 16  # 2 x 24 rows of 3 values
    assert sqlanon.profile(plan, options).classes["row_count"] == 24


def test_a_hierarchy_query_reads_the_callers_table(folder: Path) -> None:
    """`known_values` and `source_values` are names in the text around the query."""
    connection = duckdb.connect()
    for name in ("known_values", "source_values", "labels", "places"):
        connection.execute(
            f"create table {name} as select '0' || n as z, 'L' || (n % 2) as l from range(3) t(n)"
        )
        plan = people_plan(f"select z, l, '*' from {name}")
        shown = sqlanon.show_hierarchy(plan, "zip", Options(connection=connection))
        assert sorted(shown) == [("00", "L0", "*"), ("01", "L1", "*"), ("02", "L0", "*")]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("people", "memory.main.people"),
        ("PEOPLE", "memory.main.people"),
        ("main.people", "memory.main.people"),
        ("clinic.people", "memory.clinic.people"),
        ("memory.clinic.people", "memory.clinic.people"),
        ("other.people", "other.main.people"),
        ("other.clinic.far", "other.clinic.far"),
        ("mine", "temp.main.mine"),
        ("seen", "memory.main.seen"),
        ('"with.dot"', 'memory.main."with.dot"'),
        ("temp.twice", "temp.main.twice"),
        ("memory.main.twice", "memory.main.twice"),
        ("peple", "refused: Did you mean 'people'"),
        ("only", "refused: no table or view"),
        ("clinic.far", "refused: no table or view"),
        ("frame", "refused: no table or view"),
        ("twice", "refused: memory.main.twice or temp.main.twice"),
        ("duckdb_settings", "refused: no table or view"),
    ],
)
def test_what_a_name_means(name: str, expected: str) -> None:
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
    if expected.startswith("refused: "):
        with pytest.raises(PlanError, match=expected.removeprefix("refused: ")):
            catalog.resolved(table_parts(name), where="w")
        return
    parts = catalog.resolved(table_parts(name), where="w")
    assert table_name(parts) == expected
    assert table_parts(table_name(parts)) == parts
    before = connection.execute(f"describe select * from {name}").fetchall()
    assert connection.execute(f"describe select * from {table_sql(parts)}").fetchall() == before


def test_a_variable_of_pythons_is_no_source(folder: Path) -> None:
    connection = duckdb.connect()
    people = connection.sql("select 'p' as a from range(4)")
    assert len(people.fetchall()) == 4
    for source in ({"table": "people"}, {"query": "from people"}):
        with pytest.raises(PlanError, match="no table or view 'people'"):
            sqlanon.run(plan_of({"a": "quasi-identifier"}, source), connection=connection)
    connection.register("people", people)
    sqlanon.run(plan_of({"a": "quasi-identifier"}, {"table": "people"}), connection=connection)


def test_a_program_compiled_without_a_connection(folder: Path) -> None:
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


@pytest.mark.parametrize(
    "macro",
    [
        "create macro sha256(x) as x",
        "create macro LOWER(x) as x",
        "create temp macro coalesce_(x) as x; create macro regexp_matches(a, b) as true",
        "create macro range(x) as table select 1 as range",
        "create schema s; create macro s.sum(x) as 0",
    ],
)
def test_a_macro_in_place_of_a_function_is_refused(
    macro: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SQLANON_PSEUDONYM_KEY", "a secret of enough characters")
    connection = duckdb.connect()
    connection.execute(macro)
    plan = people_plan(columns={"name": {"role": "identifier", "action": "pseudonym"}})
    with pytest.raises(PlanError, match="drop macro"):
        sqlanon.run(plan, connection=connection)
    assert not Path("out.parquet").exists()


def test_a_macro_of_ones_own_is_no_harm(folder: Path) -> None:
    connection = duckdb.connect()
    connection.execute("create macro mine(x) as x")
    sqlanon.run(people_plan(), connection=connection)


def test_what_views_read() -> None:
    connection = duckdb.connect()
    connection.execute(
        "create schema s; create table t(a int); create table s.t(a int);"
        "create view v as select a as b from t; create view s.w(q) as from t;"
        "create view s.both as select 1 as one from main.v, s.w;"
        'create view "x AS select 1" as from v;'
        "create macro m() as (select a from t); create view hidden as select m() as a;"
        "create view counted as select count(*) as n from range(3)"
    )
    for name, others in {
        "main.t": "",
        "main.v": "main.t",
        "s.w": "s.t",
        "s.both": "main.v main.t s.w s.t",
        "main.x AS select 1": "main.v main.t",
        "main.hidden": "",
        "main.counted": "",
    }.items():
        catalog = Catalog(connection)
        found = catalog.sources(catalog.resolved(table_parts(name.removeprefix("main."))))
        assert found.is_known is (name != "main.hidden")
        read = {table_name(parts).removeprefix("memory.") for parts in found.tables}
        assert read == {name, *others.split()}


# --- identifiers in labels

ATTACKS = {
    "by name": "select zip, name, '*' from {people}",
    "by name, another case": "select zip, \"NAME\", '*' from {people}",
    "qualified": "select p.zip, p.name, '*' from {people} as p",
    "in a function": "select zip, upper(name), '*' from {people}",
    "in an aggregate": "select zip, string_agg(name, ','), '*' from {people} group by zip",
    "in a subquery": "select zip, (select min(name) from {people}), '*' from {people}",
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


@pytest.mark.sampled(0.012)
@pytest.mark.parametrize("how", ["parquet", "database", "table", "population"])
@pytest.mark.parametrize("name", ATTACKS)
def test_an_identifier_in_labels_is_found(name: str, how: str, folder: Path) -> None:
    plan, options, people = attacked(how)
    plan["columns"]["zip"] = zips_by(ATTACKS[name].format(people=people))
    assert_tells_identifiers(plan, options)
    with pytest.raises(PlanError, match="can put an identifier into its labels"):
        sqlanon.run(plan, options)
    assert not Path("out.parquet").exists()
    assert not Path("plan.solution.json").exists()


HARMLESS = [
    "select distinct zip, left(zip, 1), '*' from {people}",
    "select zip, count(*)::varchar, '*' from {people} group by zip",
    "with q as (select distinct zip as z from {people}) select z, left(z, 1), '*' from q",
]


@pytest.mark.sampled(0.12)
@pytest.mark.parametrize("how", ["parquet", "database", "table", "population"])
@pytest.mark.parametrize("query", HARMLESS)
def test_other_columns_of_the_source_make_labels(query: str, how: str, folder: Path) -> None:
    plan, options, people = attacked(how)
    plan["columns"]["zip"] = zips_by(query.format(people=people))
    sqlanon.run(plan, options)
    published = duckdb.execute("select distinct zip from 'out.parquet'").fetchall()
    assert {len(row[0]) for row in published} <= {1, 2}


INDIRECT = {
    "view": "select zip, n, '*' from v",
    "view of a view": "select zip, n, '*' from w",
    "view with a macro": "select zip, n, '*' from m",
    "view with a star": "select * from v",
    "view of the same name": "select zip, n, '*' from other.people",
    "view of the same name, in full": "select zip, n, '*' from memory.other.people",
}


@pytest.mark.sampled(0.25, by=("name", "how"))
@pytest.mark.parametrize("name", INDIRECT)
@pytest.mark.parametrize("how", ["table", "population", "query", "source is the view"])
def test_an_identifier_through_a_view_is_found(name: str, how: str, folder: Path) -> None:
    connection = duckdb.connect()
    plan = people_plan(INDIRECT[name])
    connection.execute(
        "create table people as from 'people.csv';"
        "create view v as select zip, name as n from people; create view w as from v;"
        "create macro all_of() as table from people; create view m as select zip, name as n"
        " from all_of(); create schema other;"
        "create view other.people as select zip, name as n from main.people"
    )
    plan |= {
        "table": {"source": {"table": "people"}},
        "population": {"population": {"table": "people"}},
        "query": {"source": {"query": "select * from people"}},
        "source is the view": {"source": {"query": "select n as name, zip, '1' as age, '2' as ill"
                                                   " from v"}},
    }[how]  # fmt: skip
    assert_tells_identifiers(plan, Options(connection=connection))


def test_a_view_of_the_sources_database_is_found(folder: Path) -> None:
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
    with pytest.raises(PlanError, match="can put an identifier"):
        sqlanon.compile(plan)
    plan["columns"]["zip"] = zips_by("select zip, area, '*' from sqlanon_source.main.zips")
    sqlanon.run(plan)


OTHER_WAYS = {
    "renamed": "select zip, x, '*' from read_csv('{file}', names = ['x', 'zip', 'age', 'ill'])",
    "no header": "select column1, column0, '*' from read_csv('{file}', header = false)",
    "whole lines": "select \"name,zip,age,ill\", 'a', '*' from read_csv('{file}', delim = '|')",
    "guessed": "select zip, age, '*' from '{file}'",
    "normalized": "select zip, age, '*' from read_csv('{file}', normalize_names = true)",
}


@pytest.mark.sampled(0.25, by=("name", "spelled"))
@pytest.mark.parametrize("name", OTHER_WAYS)
@pytest.mark.parametrize("spelled", ["people.csv", "./people.csv", "**/p*.csv", "link.csv"])
def test_the_sources_csv_read_in_another_way_is_found(
    name: str, spelled: str, folder: Path
) -> None:
    plan = people_plan(OTHER_WAYS[name].format(file=spelled))
    os.link("people.csv", "link.csv")
    assert_tells_identifiers(plan)


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
def test_a_file_elsewhere_is_known_by_its_name(
    source: str, read: str, is_found: bool, folder: Path
) -> None:
    with pytest.raises(PlanError, match="is not on this machine") as refused:
        sqlanon.check(people_plan(f"select zip, name, '*' from '{read}'", source=source))
    assert ("can put an identifier into its labels" in str(refused.value)) == is_found


def test_the_sources_csv_read_as_the_plan_does(folder: Path) -> None:
    with pytest.raises(PlanError) as refused:
        sqlanon.check(people_plan("select zip, age, '*' from 'people.csv'"))
    call = refused.value.fix.split(", by ", 1)[1]
    sqlanon.run(people_plan(f"select distinct zip, left(zip, 1), '*' from {call}"))
    with pytest.raises(PlanError, match="names the identifier 'name'"):
        sqlanon.check(people_plan(f"select distinct zip, name, '*' from {call}"))


def test_the_source_as_a_file_of_labels_is_found(folder: Path) -> None:
    Path("rule.yml").write_text("query: select zip, name, '*' from read_csv('people.csv')\n")
    for file, reported in (
        ("people.csv", "its file is that of the source"),
        ("rule.yml", "can put an identifier into its labels"),
    ):
        labelled = {"zip": {"role": "quasi-identifier", "hierarchy": file}}
        with pytest.raises(PlanError, match=reported):
            sqlanon.check(people_plan(columns=labelled))


def test_another_table_is_the_authors_own(folder: Path) -> None:
    labels = [("00", "north", "*"), ("01", "north", "*"), ("02", "south", "*")]
    write_csv("zips.csv", [["zip", "name"], *(row[:2] for row in labels)])
    plan = people_plan("select *, '*' from 'zips.csv'")
    sqlanon.run(plan)
    assert sorted(sqlanon.show_hierarchy(plan, "zip")) == labels


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


def test_hive_names_are_no_columns_of_a_query(folder: Path) -> None:
    Path("ill=hiv").mkdir()
    write_csv("ill=hiv/people.csv", PEOPLE)
    file = "'ill=hiv/people.csv'"
    for query in (f"from {file}", f"from read_csv({file}, header = true)"):
        reported = written(plan_query(query, "w").text(path_literal, table_sql))
        rows = duckdb.execute(f"select distinct ill from ({reported})").fetchall()
        assert sorted(rows) == [("flu",), ("hiv",)]
