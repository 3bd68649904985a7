"""What is written for other databases: its form, its names, and what is refused.

`tests/engines/test_engines.py` executes it. Here every query is written for every dialect and
parsed again; of the dialects that nobody executes, that is all there is.
"""

from __future__ import annotations

import random
import re
from contextlib import nullcontext

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from sqlanon.dialects.dialect import DIALECTS
from sqlanon.dialects.generators import WIDTH
from sqlanon.dialects.transpile import NamedTable, transpile
from sqlanon.errors import PlanError
from sqlanon.sql.step import quoted
from tests.paths import ROOT
from tests.support import dialect_cases
from tests.support.dialect_cases import AGE, Case, Tables


@pytest.fixture(scope="module")
def cases() -> list[tuple[Case, dict[str, NamedTable]]]:
    """All queries with the tables that they read; their names are such that BigQuery has them."""
    choose = random.Random(1)
    with duckdb.connect() as connection:
        tables = Tables(connection)
        dialect_cases.model_tables(tables, choose)
        models = [*dialect_cases.model_cases(choose)]
        dialect_cases.hierarchy_tables(tables)
        shown = []
        for case in (
            *models,
            *dialect_cases.hierarchy_cases(),
            *dialect_cases.release_cases(ROOT / "examples/clinic/patients.csv", tables),
            *dialect_cases.construct_cases(tables),
        ):
            named = {
                called: NamedTable(
                    f"clinic.{table.name}",
                    {"age" if name == AGE else name: kind for name, kind in table.types.items()},
                )
                for called, table in tables.named(case).items()
            }
            sql = case.sql.replace(quoted(AGE), "age")
            shown.append((Case(case.name, sql, case.reads), named))
        return shown


NOT_EVERYWHERE = {
    (name, dialect): shown
    for name, shown in (
        ("constructs", "the greatest of more than two values"),
        ("hashes", "a permutation, whose seed"),
    )
    for dialect in ("bigquery", "snowflake", "trino")
}
"""What is refused of the queries, and why."""


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_all_queries_are_written(
    dialect: str, cases: list[tuple[Case, dict[str, NamedTable]]]
) -> None:
    assert len(cases) > 60
    for case, tables in cases:
        if (case.name, dialect) in NOT_EVERYWHERE:
            with pytest.raises(PlanError, match=NOT_EVERYWHERE[case.name, dialect]):
                transpile(case.sql, dialect, tables)
            continue
        written = transpile(case.sql, dialect, tables)
        (tree,) = sqlglot.parse(written, dialect=dialect)
        assert tree is not None
        shown = sqlglot.parse_one(case.sql, dialect="duckdb")
        for kind in (exp.CTE, exp.Join, exp.Select):
            assert len(list(tree.find_all(kind))) >= len(list(shown.find_all(kind)))
        for line in written.splitlines():
            assert line == line.rstrip()
            bare = re.sub(r"""'([^']|'')*'|"[^"]*"|`[^`]*`|--.*""", "", line)
            assert len(bare) <= WIDTH  # a literal goes on
            assert bare == bare.lower()


@pytest.mark.parametrize(
    ("options", "written"),
    [
        ("all_varchar = true", "cast(a as text) + 1"),
        ("columns = {'a': 'bigint', 'b': 'varchar'}", "cast(a as bigint) + 1"),
        ("auto_type_candidates = ['varchar'], types = {'a': 'double'}",
         "cast(a as double precision) + 1"),
        ("auto_type_candidates = ['varchar']", "cast(a as text) + 1"),
        ("header = true", "a + 1"),
    ],
)  # fmt: skip
def test_columns_have_the_types_with_which_a_file_is_read(options: str, written: str) -> None:
    file, tables = f"read_csv('f.csv', {options})", {"f.csv": NamedTable("t")}
    shown = transpile(f"select a + 1 as more from {file}", "postgres", tables)
    assert shown == f"select\n    {written} as more\nfrom t\n"
    with pytest.raises(PlanError, match="all columns of a file"):
        transpile(f"select f.* from {file} as f", "postgres", tables)


ONE = {"t": NamedTable("s.t", {"a": "BIGINT", "b": "VARCHAR", "x": "DOUBLE", "d": "DATE",
                                "f": "FLOAT"})}  # fmt: skip


REFUSED: dict[str, tuple[str, ...]] = {
    "IGNORENULLS": ("any_value(a)",),
    "bits of what is not known to be whole": ("a << x", "y & 1"),
    "a whole part of what is no number": ("floor(y)",),
    "a function that no dialect is known for": ("isfinite(d)", "getvariable('x')"),
    "the seconds of what is no timestamp": ("epoch(d)",),
    "a regular expression": ("regexp_matches(b, '\\d')",),
    "a list without an order": ("list(a)",),
    "a logarithm without its base": ("log(x)",),
    "a number that is cast to a whole one": ("cast(x as bigint)", "cast(b as integer)"),
    "a double as text": ("cast(f as varchar)", "'a' || f", "concat(f)"),
    "a double that is cast to a decimal": ("cast(x as decimal(10, 2))",),
    "a value as text whose type is not known": ("cast(y as varchar)",),
    "the type": ("cast(a as ubigint)",),
    "the rounding of what is not a decimal": ("round(x, 1)",),
    "a division of numbers that are not whole": ("x // 2",),
    "a substring that may start before a text": ("substring(b, 0, 2)", "substring(b, a)"),
    "a substring of a length that can be below 0": ("substring(b, 2, a)",),
    "a repetition of more than a character": ("repeat('ab', a)",),
    "a pattern of this kind": ("b like 'a\\%'", "a like '1%'"),
    "UPPER": ("upper(b)",),
    "a text without the spaces around it": ("trim(b)",),
    "a replacement of this kind": ("regexp_replace(b, 'a', 'c')", "regexp_replace(b, '^a', '\\2')"),
    "what is made of a value's letters": ("regexp_replace(b, b, '', 'g')",),
    "a part of a text of this kind": ("regexp_extract(b, 'a+')",),
    "as many letters as a value says": ("left(b, a)",),
    "a quantile of what is no number": ("approx_quantile(b, 0.5)",),
    "a quantile of this kind": ("quantile_disc(t, 0.5)",),
    "the format of a date": ("strftime(d, '%B')", "strftime(d, '%YQ')"),
    "the format of what is not a date": ("strftime(b, '%Y')",),
    "a part of what is not a date": ("year(b)",),
    "a cast that is only tried": ("try_cast(b as boolean)", "try_cast(x as decimal(9, 2))"),
    "a ": ("hash(x)",),
    "a hash of this kind": ("md5(x)", "sha256(a)"),
    "that is cast to a whole": ("cast('0x' || substr(b, 1, 14) as bigint)",),
    "a list as rows": ("unnest(range(0, a, b))", "unnest(range(0, a, 0))"),
    "texts that are joined": ("string_agg(b, ',')",),
    "a frame of a window": ("sum(a) over (order by a range 1 preceding)",),
    "TUPLE": ("count(distinct (a, b))",),
    "ARRAY": ("[a]",),
    "a collation": ("b collate nocase",),
}
"""Values of which a select is refused, by the words of the refusal."""

QUERIES = {
    "select a from t limit 5": "some rows in no order",
    "select row_number() over () as h from (select a from t group by a) as made": "of a file",
    "with r as (select a from t) select row_number() over () as h from r": "of a file",
    "select a from t order by a limit 5 offset 1": "SELECT with offset",
    "select *, 1 as h from t group by all": "grouping by all columns",
    "select a from t group by cube (a)": "CUBE",
    "select 5 as n from t group by 1": "grouping by a number",
    "select a as n from t group by 2": "grouping by a number",
    "select b || 'x' as a from t group by a, b || 'x'": "grouping by a name of two meanings",
    "select distinct on (a) a from t": "DISTINCT with on",
    "select * from e order by all": "all columns of a table, which are not named",
    "select u.a from t, t as u": "a join of this kind",
    "select t.a from t join t as u using (a)": "JOIN with using",
    **{
        f"with recursive r as (select a from t union {more}) select a from r": "a recursion of this"
        for more in ("select r.a from r", "all select max(r.a) from r",
                     "all select t.a from t left join r on r.a = t.a")
    },
    "select a from (values (1 + 1)) as made (a)": "of more than constants",
    "select col0 from (values (1)) as made": "rows of values without names",
    "select digit from range(1, 9, 2) as digits (digit)": "a series of this kind",
    "select a from t, unnest([1]) as made (n)": "UNNEST as a relation",
    "select A, a from t": "the name 'a' in two spellings",
    **{f"select {each} as h from t": shown for shown, all_ in REFUSED.items() for each in all_},
}  # fmt: skip


@pytest.mark.parametrize("dialect", ["postgres", "trino"])
@pytest.mark.parametrize("sql", QUERIES)
def test_what_does_not_carry_over_is_refused(dialect: str, sql: str) -> None:
    shown = re.escape(QUERIES[sql]) + ("|the function" if dialect == "trino" else "")
    with pytest.raises(PlanError, match=shown) as refused:
        transpile(sql, dialect, {**ONE, "e": NamedTable("s.e")})
    assert f"--dialect {dialect}" in str(refused.value)
    assert "does not carry over" in str(refused.value)


@pytest.mark.parametrize("dialect", ["postgres", "spark", "trino"])
def test_of_what_searches_ask_only_what_is_executed_is_written(dialect: str) -> None:
    untried = [name for name, one in DIALECTS.items() if "no test of sqlanon exec" in one.tried]
    assert untried == ["databricks", "bigquery", "snowflake", "trino"]
    for sql, shown in (
        ("select cast(b as double) as h from t", "a text that is cast to a double"),
        ("select cast(x as varchar) as h from t", "a double as text"),
        ("select a & 1 as h from t", "the function bitwiseand"),
        ("select t.a from t full join t as u on t.a is not distinct from u.a", "a join of this"),
        ("select lower(b) as h from t", "the function lower"),
        ("select digit from range(9) as digits (digit)", "a series of numbers"),
        ("select sum(x order by a) as h from t", "an aggregate that reads in an order"),
    ):
        with nullcontext() if dialect != "trino" else pytest.raises(PlanError, match=shown):
            transpile(sql, dialect, ONE)


def test_an_order_needs_to_know_what_is_text() -> None:
    sql = "select y from t order by y"
    with pytest.raises(PlanError, match="an order of values whose type is not known"):
        transpile(sql, "postgres", ONE)
    assert transpile(sql, "spark", ONE).endswith("order by y nulls last\n")
    known = {"t": NamedTable("t", {"y": "VARCHAR"})}
    assert transpile(sql, "postgres", known).endswith('order by y collate "C"\n')
    sql = "select row_number() over (order by not a > 2) as h from t"
    assert "(order by (not a > 2) is null, not a > 2)" in transpile(sql, "bigquery", ONE)
    sql = "select list(a order by not a > 2) as h from t"
    assert "struct((not a > 2) is null, not a > 2, a as value)" in transpile(sql, "spark", ONE)


def test_tables_are_named() -> None:
    for sql, shown, fix in (
        ("select a from u", "No table is named for 'u'", "name the table that holds its rows"),
        ("select a from 'u.parquet'", "No table is named for '\"u.parquet\"'", "name the table"),
        ("select a from read_text('t')", "No table is named", "name the table"),
        ("with r as (select a from t) select a from r", "has a relation 'r'", "with its schema"),
        ("select a from empty", "one to three parts", "database.schema.table"),
        ("select a,, b from t; drop table t", "not one query", "report this"),
    ):
        with pytest.raises(PlanError, match=re.escape(shown)) as refused:
            transpile(sql, "postgres", {"t": NamedTable("r"), "empty": NamedTable("a..b")})
        assert fix in refused.value.fix


def test_names_are_quoted_where_it_is_needed_and_possible() -> None:
    sql = 'select "Age", "marital-status", "order", sex from t'
    for dialect in DIALECTS.keys() - {"duckdb"}:
        quote = "`" if dialect in ("spark", "databricks", "bigquery") else '"'
        written = " ".join(transpile(sql, dialect, ONE).split())
        assert written == sql.replace('"', quote).replace("from t", "from s.t")
        assert "s.age" in transpile(sql, dialect, {"t": NamedTable("s.age")})
    for dialect, name in (
        *(("postgres", name) for name in ("n" * 64, "é" * 32, "a\u2028b")),
        *(("bigquery", 'a"b'), ("bigquery", "a.b"), ("spark", "a\nb"), ("snowflake", "a\tb")),
    ):
        with pytest.raises(PlanError, match="does not carry over"):
            transpile(f"select {quoted(name)} from t", dialect, ONE)


@pytest.mark.parametrize("dialect", ["postgres", "spark"])
@pytest.mark.parametrize(
    "kind",
    ["text with a collation of its own equality", "string collate UTF8_LCASE", "bpchar",
     "character(3)", "numeric", "citext", "pub.mood"],
)  # fmt: skip
def test_what_only_the_database_knows_becomes_no_text(dialect: str, kind: str) -> None:
    """Its groups could merge what differs, and proofs would count the persons of both."""
    for made in ("a || ''", "concat(a, 'x')", "cast(a as varchar)"):
        with pytest.raises(PlanError, match="whose type is not known"):
            transpile(f"select {made} as b from t", dialect, {"t": NamedTable("t", {"a": kind})})


def test_what_is_remembered_has_the_numbers_that_were_asked() -> None:
    """A translation is kept without its numbers, and with the tables that it was made for."""

    def asked(mask: int, rows: str, kind: str = "BIGINT") -> str:
        table = NamedTable("w.keys", {"key": "BIGINT", "s": kind})
        sql = f"""with nodes (node, name) as (\n    values\n        {rows}\n)
select nodes.node, keys.key & {mask} as class, max(keys.s) as s
from nodes cross join keys group by nodes.node, keys.key & {mask}"""
        return transpile(sql, "postgres", {"keys": table})

    first = asked(255, "(0, 'a b'),\n        (-1, '&')")
    assert "(0, 'a b'),\n        (-1, '&'))" in first
    assert first.count("& 255") == 2
    assert first.count("values") == 1
    second = asked(7, "(4611686018427387904, 'it''s')")
    assert "(4611686018427387904, 'it''s'))" in second
    assert second.count("& 7") == 2
    assert "255" not in second
    third = asked(1, "(0, 'x')", kind="VARCHAR")
    assert 'max(keys.s collate "C")' in third
    assert "(0, 'x'))" in third
    assert asked(255, "(0, 'a b'),\n        (-1, '&')") == first


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "spark"])
@pytest.mark.parametrize("count", [4, 5, 12])
def test_rows_of_many_numbers_are_remembered(dialect: str, count: int) -> None:
    """What stands for them has nineteen digits, and a row is on one line all the same."""
    names = ", ".join(f"n_{number}" for number in range(count))
    rows = [f"({', '.join(str(first + number) for number in range(count))})" for first in (0, 6)]
    sql = f"""with pieces ({names}) as (\n    values\n        {rows[0]},\n        {rows[1]}\n)
select sum(n_0) as s, max(n_1) as last_place from pieces"""
    written = transpile(sql, dialect, {})
    assert f"{rows[0]},\n        {rows[1]}" in written
    assert written.endswith("from pieces\n")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_relations_within_relations_stay_there(dialect: str) -> None:
    """Outside, one would hide another one of its name."""
    sql = """with first as (with own as (select a from t) select a from own),
second as (with own as (select a + 1 as a from t) select a from own)
select first.a from first cross join second"""
    (tree,) = sqlglot.parse(transpile(sql, dialect, ONE), dialect=dialect)
    assert isinstance(tree, exp.Query)
    assert [each.alias for each in tree.ctes] == ["first", "second"]
