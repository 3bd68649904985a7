"""Types of columns, and values that SQL and people hold equal: one rule everywhere."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot

import sqlanon
from sqlanon.commands.options import Options
from sqlanon.commands.session import Session
from sqlanon.errors import EngineError, PlanError, PrivacyViolation
from sqlanon.plan.column_types import (
    CONVERTED,
    KEPT,
    NESTED,
    REFUSED,
    as_read,
    may_leave,
    refusal,
    type_name,
)
from sqlanon.plan.file import load_plan
from sqlanon.proof.lineage import prove_no_identifier_flows
from sqlanon.source.tables import source_steps
from tests.plan.plans import plan_of

pytestmark = pytest.mark.usefixtures("folder")

METHODS = ("optimal", "mondrian")
EXACT = {"role": "sensitive", "compare": "exact"}
ONE_OF_EACH = {"a": "quasi-identifier", "s": "sensitive"}
L2 = {"model": "l-diversity", "l": 2}
K2 = {"model": "k-anonymity", "k": 2}
K2E = {"model": "k-e-anonymity", "k": 2, "e": 0}


def ask(sql: str) -> list[tuple[Any, ...]]:
    return duckdb.connect().execute(sql).fetchall()


def write(query: str, file: str = "rows.parquet") -> None:
    """A Parquet file, or the table `t` of a DuckDB file."""
    if file.endswith(".parquet"):
        duckdb.connect().execute(f"copy ({query}) to '{file}' (format parquet)")
        return
    with duckdb.connect(file) as connection:
        connection.execute(f"create or replace table t as {query}")


def refused(plan: Any, *shown: str, kind: type[sqlanon.SqlanonError] = PlanError) -> str:
    with pytest.raises(kind) as caught:
        sqlanon.run(plan)
    for words in shown:
        assert words in str(caught.value)
    assert not Path("out.parquet").exists()
    return str(caught.value)


# --- every type

# A value of each type, and what stands in Parquet, CSV and a DuckDB table afterwards: type, text.
VALUES: dict[str, tuple[str, str, str]] = {
    "BOOLEAN": ("true", "BOOLEAN", "true"),
    "TINYINT": ("(-128)::tinyint", "TINYINT", "-128"),
    "SMALLINT": ("(-32768)::smallint", "SMALLINT", "-32768"),
    "INTEGER": ("(-2147483648)::integer", "INTEGER", "-2147483648"),
    "BIGINT": ("9007199254740993::bigint", "BIGINT", "9007199254740993"),
    "UTINYINT": ("255::utinyint", "UTINYINT", "255"),
    "USMALLINT": ("65535::usmallint", "USMALLINT", "65535"),
    "UINTEGER": ("4294967295::uinteger", "UINTEGER", "4294967295"),
    "UBIGINT": ("18446744073709551615::ubigint", "UBIGINT", "18446744073709551615"),
    "DECIMAL": ("12345678901234567890123456789012345.678::decimal(38, 3)", "DECIMAL(38,3)",
                "12345678901234567890123456789012345.678"),
    "VARCHAR": ("' Straße, \"é\" '", "VARCHAR", ' Straße, "é" '),
    "UUID": ("'123e4567-e89b-12d3-a456-426614174000'::uuid", "UUID",
             "123e4567-e89b-12d3-a456-426614174000"),
    "DATE": ("date '0044-03-15 (BC)'", "DATE", "0044-03-15 (BC)"),
    "TIME": ("time '24:00:00'", "TIME", "24:00:00"),
    "TIME_NS": ("'01:02:03.123456789'::time_ns", "TIME_NS", "01:02:03.123456789"),
    "TIMESTAMP": ("timestamp '2020-01-01 01:02:03.5'", "TIMESTAMP", "2020-01-01 01:02:03.5"),
    "TIMESTAMP_NS": ("'2020-01-01 01:02:03.123456789'::timestamp_ns", "TIMESTAMP_NS",
                     "2020-01-01 01:02:03.123456789"),
    "TIMESTAMP WITH TIME ZONE": ("timestamptz '2020-01-01 01:02:03+09'",
                                 "TIMESTAMP WITH TIME ZONE", "2019-12-31 16:02:03+00"),
    "TIMESTAMPTZ_NS": ("'2020-01-01 01:02:03.123456789+09'::timestamptz_ns", "TIMESTAMPTZ_NS",
                       "2019-12-31 16:02:03.123456789+00"),
    "DOUBLE": ("0.1::double", "DOUBLE", "0.1"),
    "FLOAT": ("0.1::float", "FLOAT", "0.1"),
    "ENUM": ("'b'::enum('b', 'a')", "VARCHAR", "b"),
    '"NULL"': ("null", "VARCHAR", ""),
    "TIMESTAMP_S": ("timestamp_s '2020-01-01 01:02:03'", "TIMESTAMP", "2020-01-01 01:02:03"),
    "TIMESTAMP_MS": ("timestamp_ms '2020-01-01 01:02:03.125'", "TIMESTAMP",
                     "2020-01-01 01:02:03.125"),
}  # fmt: skip
SPECIAL = {
    "-0.0": ("'-0.0'::double", "DOUBLE", "0.0"),
    "-0.0 of a float": ("'-0.0'::float", "FLOAT", "0.0"),
    "NaN": ("'nan'::double", "DOUBLE", "nan"),
    "NaN with a sign": ("'-nan'::double", "DOUBLE", "nan"),
    "infinity": ("'-inf'::double", "DOUBLE", "-inf"),
    "an infinite date": ("date 'infinity'", "DATE", "infinity"),
    "an infinite timestamp": ("timestamp '-infinity'", "TIMESTAMP", "-infinity"),
    "an infinite point of time": ("timestamptz 'infinity'", "TIMESTAMP WITH TIME ZONE", "infinity"),
    "a far date": ("date '200000-01-01'", "DATE", "200000-01-01"),
    "empty text": ("''", "VARCHAR", ""),
    "text of lines": ("e'a\\r\\n\"b\",\\tc'", "VARCHAR", 'a\r\n"b",\tc'),
    "a missing number": ("null::double", "DOUBLE", ""),
}
OUTSIDE = {
    "HUGEINT": "170141183460469231731687303715884105727::hugeint",
    "UHUGEINT": "1::uhugeint",
    "BIGNUM": "1::bignum",
    "INTERVAL": "interval '30 days'",
    "TIME WITH TIME ZONE": "'01:02:03+02'::timetz",
    "BLOB": "'secret'::blob",
    "BIT": "'0101'::bit",
    "GEOMETRY": "'POINT(1 2)'::geometry",
    "STRUCT": "{'secret': 'secret'}",
    "UNION": "union_value(secret := 1)",
    "VARIANT": "42::variant",
    "JSON": """'{"name": "secret"}'::json""",
    "MAP": "map {'secret': 1}",
    "LIST": "['secret']",
    "ARRAY": "['secret']::varchar[1]",
    "a type that sqlanon does not know": "get_type(1)",
}


def test_every_type_of_duckdb_is_named() -> None:
    """Each type that a column can have is kept, converted or refused, and has its case below."""
    assert VALUES.keys() == KEPT | CONVERTED.keys()
    assert OUTSIDE.keys() == {*REFUSED, "a type that sqlanon does not know"}
    rows = ask("select distinct logical_type from duckdb_types() where logical_type is not null")
    unknown = {row[0] for row in rows} - KEPT - CONVERTED.keys() - REFUSED.keys()
    # of these the first are kept, under other names, and no column can have the others
    assert unknown <= {"ENUM", "NULL", "TYPE", "DECIMAL", "INVALID", "ANY", "TUPLE"}


EVERY = {**VALUES, **SPECIAL}


def write_values(count: int, *, missing: bool = False) -> list[str]:
    """So many rows with each value, and perhaps as many with none: the names of columns."""
    names = [f"v{number}" for number in range(len(EVERY))]
    pairs = zip(EVERY.values(), names, strict=True)
    query = f"select 'x' as a, {', '.join(f'{value} as {name}' for (value, *_), name in pairs)}"
    nulls = f" union all select 'x', {', '.join(['null'] * len(EVERY))} from range({count})"
    write(f"{query} from range({count}){nulls if missing else ''}", "rows.duckdb")
    return names


@pytest.mark.parametrize("place", ["out.parquet", "out.csv", "out.duckdb::t"])
def test_value_that_is_published_is_the_sources(place: str) -> None:
    """Every value, published as it is, as Parquet, as CSV, and as a DuckDB table."""
    columns = {"a": "quasi-identifier", **dict.fromkeys(write_values(3), "insensitive")}
    plan = plan_of(columns, "rows.duckdb::t", publish=place)
    sqlanon.run(plan)
    assert all(finding.satisfied for finding in sqlanon.verify(place, plan))
    if place == "out.csv":
        with open(place, newline="", encoding="utf-8") as lines:
            rows = [row[1:] for row in csv.reader(lines)][1:]
        assert rows == [[text for _, _, text in EVERY.values()]] * 3
        return
    database, _, table = place.rpartition("::")
    with duckdb.connect(database or ":memory:") as connection:
        connection.execute("set TimeZone = 'UTC'")
        for number, (name, (_, kind, text)) in enumerate(EVERY.items()):
            shown = f"typeof(v{number}), coalesce(cast(v{number} as varchar), '')"
            found = connection.execute(f"select {shown} from {table if database else repr(place)}")
            assert found.fetchall() == [(kind, text)] * 3, name


def test_values_of_every_type_are_counted() -> None:
    """Rows with a value in each column, and rows with none, make two classes, and not more; as
    sensitive values one, and a missing one, are two; a missing one alone is one."""
    names = write_values(4, missing=True)
    column = {"role": "quasi-identifier", "type": "ordinal"}
    columns = {**dict.fromkeys(names, column), "a": "identifier"}
    for method in METHODS:
        keys = {"privacy": [{"model": "k-anonymity", "k": 4}], "method": method}
        found = sqlanon.run(plan_of(columns, "rows.duckdb::t", **keys)).manifest
        assert (found["rows"]["published"], found["solution"]["classes"]) == (8, 2)
        assert [entry["measured"] for entry in found["privacy"]] == [4]
        Path("out.parquet").unlink()
    plan = plan_of(
        {"a": "quasi-identifier", **dict.fromkeys(names, EXACT)},
        "rows.duckdb::t",
        privacy=[{"model": "l-diversity", "l": 1, "attribute": name} for name in names],
    )
    for name, count in zip(EVERY, measured(plan), strict=True):
        assert count == (1 if name in ('"NULL"', "a missing number") else 2), name


def test_values_that_cannot_be_cut_are_refused() -> None:
    names = [name for name in EVERY if name == "NaN" or "infini" in name or "ZONE" in name]
    names += ["TIMESTAMPTZ_NS"]
    assert len(names) == 7
    columns = ", ".join(f"{EVERY[name][0]} as q{n}" for n, name in enumerate(names))
    write(f"select {columns} from range(4)", "rows.duckdb")
    roles = dict.fromkeys((f"q{n}" for n in range(7)), "quasi-identifier")
    shown = refused(plan_of(roles, "rows.duckdb::t", method="mondrian"), "type: ordinal")
    for n, name in enumerate(names):
        zoned = name.startswith("TIMESTAMP")
        fault = "time of a time zone" if zoned else "not a finite number"
        assert f"q{n}: 1 value(s) is {'a ' * zoned}{fault}" in shown, name


def with_outside(roles: list[Any]) -> dict[str, Any]:
    """A plan over values of all types that cannot leave, each once in each of the roles."""
    values = [value for value in OUTSIDE.values() for _ in roles]
    listed = ", ".join(f"{value} as v{n}" for n, value in enumerate(values))
    columns = {f"v{n}": roles[n % len(roles)] for n in range(len(values))}
    source = {"query": f"select 'x' as a, {listed} from range(3)"}
    return plan_of({"a": "quasi-identifier", **columns}, source)


def test_type_that_cannot_leave_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """In each role that publishes something."""
    monkeypatch.setenv("SQLANON_PSEUDONYM_KEY", "0123456789abcdef" * 2)
    roles = ["quasi-identifier", "sensitive", "insensitive"]
    plan = with_outside([*roles, {"role": "identifier", "action": "pseudonym"}])
    for command in (sqlanon.check, sqlanon.compile, sqlanon.run):
        with pytest.raises(PlanError) as caught:
            command(plan)
        faults = caught.value.faults
        assert {fault.where for fault in faults} == {f"columns.v{n}" for n in range(64)}
        for fault in faults:
            name = [*OUTSIDE][int(fault.where.removeprefix("columns.v")) // 4]
            assert f"has the type {name}:" in fault.what
            assert "source: {query:" in fault.fix
            assert "secret" not in str(fault)
    assert not Path("out.parquet").exists()


def test_identifier_of_any_type_stays_behind() -> None:
    plan = with_outside([{"role": "identifier", "action": how} for how in ("drop", "star")])
    sqlanon.run(plan)
    assert ask("select * from 'out.parquet'") == [("x", *"*" * len(OUTSIDE))] * 3


def test_remedy_of_a_refused_type_works() -> None:
    """What the error says to write can be written, with names of fields put in; sums are HUGEINT:
    two numbers that a DOUBLE cannot distinguish stay two."""
    for name in {*REFUSED} - {"GEOMETRY", "HUGEINT"}:
        value = OUTSIDE[name].replace("secret", "FIELD").replace("value(FIELD", "value(MEMBER")
        value = value.replace("'FIELD': 1", "'KEY': 1").replace('"name"', '"FIELD"')
        _, fix = refusal("source", "v", name)
        written = fix.split('"select ')[1].split(", …")[0]
        ((_, kind, *_),) = ask(f"describe select {written} from (select {value} as v)")
        assert may_leave(type_name(kind)), name
    query = (
        "select 'x' as a, sum(9007199254740992 + n) as s from range(2) t (n), range(2) group by n"
    )
    refused(plan_of(ONE_OF_EACH, {"query": query}), "HUGEINT", "cast(s as decimal(38, 0)) as s")
    mended = f"select a, cast(s as decimal(38, 0)) as s from ({query})"
    sqlanon.run(plan_of(ONE_OF_EACH, {"query": mended}))
    found = ask("select cast(s as varchar) from 'out.parquet' order by 1")
    assert found == [("18014398509481984",), ("18014398509481986",)]


def test_values_of_an_enum_stand_in_no_working_file_nor_does_their_order_show() -> None:
    """Rows are sorted by text, not by the order in which the type lists its values."""
    values = "cast(unnest(['secret', 'other', 'third']) as enum('third', 'secret', 'other'))"
    write(f"select 'x' as a, {values} as v", "rows.duckdb")
    columns = {"a": "quasi-identifier", "v": "insensitive"}
    target = sqlanon.run(plan_of(columns, "rows.duckdb::t")).target
    assert ask("select v from 'out.parquet'") == [("other",), ("secret",), ("third",)]
    files = [*Path().glob("*.json"), *target.rglob("*.sql"), *target.rglob("*.json")]
    assert len(files) > 5
    assert all("secret" not in file.read_text() for file in files)
    solution = json.loads(Path("out.solution.json").read_text())
    assert solution["types"] == {"source": {"a": "VARCHAR", "v": "ENUM"}}


# --- equal numbers


@pytest.mark.parametrize(("kind", "method"), [("double", "optimal"), ("float", "mondrian")])
def test_zeros_of_both_signs_are_one_value(kind: str, method: str) -> None:
    zero = f"if(i % 2 = 0, '0.0'::{kind}, '-0.0'::{kind})"
    none = f"if(i % 2 = 0, 'nan'::{kind}, '-nan'::{kind})"
    write(f"select {zero} as z, {none} as n, {zero} as s from range(10) t (i)")
    ordinal = {"role": "quasi-identifier", "type": "ordinal"}
    privacy = [{"model": "k-anonymity", "k": 10}, {"model": "l-diversity", "l": 1}]
    columns = {"z": ordinal, "n": ordinal, "s": "sensitive"}
    plan = plan_of(columns, privacy=privacy, method=method)
    found = sqlanon.run(plan).manifest
    assert (found["solution"]["classes"], found["rows"]["published"]) == (1, 10)
    distinct = ask("select distinct z, n, cast(s as varchar) from 'out.parquet'")
    assert distinct == [("0.0", "nan", "0.0")]
    for with_source in (False, True):
        size, values = sqlanon.verify("out.parquet", plan, with_source=with_source)
        assert (size.measured, values.measured) == (10, 1)
    plan["privacy"][1]["l"] = 2
    with pytest.raises(sqlanon.NoSolutionError):
        sqlanon.run(plan)


def test_zeros_of_a_population_are_those_of_the_source() -> None:
    write("select if(i < 5, '-0.0'::double, 1) as z from range(10) t (i)")
    write("select if(i < 9, '0.0'::double, 1) as z from range(18) t (i)", "p.parquet")
    columns = {"z": {"role": "quasi-identifier", "hierarchy": {"intervals": [5]}}}
    plan = plan_of(columns, population="p.parquet", privacy=[{"model": "k-map", "k": 9}])
    assert measured(plan) == [9]
    assert [finding.measured for finding in sqlanon.verify("out.parquet", plan)] == [9]


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_number_that_is_none_is_refused_where_numbers_are_compared(value: str) -> None:
    write(f"select 'x' as a, if(i = 0, '{value}'::double, i) as s from range(9) t (i)")
    for promise in ({**K2E, "e": 1}, {"model": "t-closeness", "t": 1, "distance": "ordered"}):
        refused(plan_of(ONE_OF_EACH, privacy=[promise]), "'s'", "NaN, inf")


def test_infinite_dates_are_values_of_their_own() -> None:
    """Six days of a month, each alone, are one class of their month; the end of time is another."""
    write(
        "select case when i < 6 then date '2020-01-01' + i else date 'infinity' end as d"
        " from range(9) t (n), lateral (select cast(n as integer)) as u (i)"
    )
    hierarchy = {"role": "quasi-identifier", "hierarchy": {"date": ["month", "year"]}}
    sqlanon.run(plan_of({"d": hierarchy}, privacy=[{"model": "k-anonymity", "k": 3}]))
    assert sorted(Counter(ask("select d from 'out.parquet'")).values()) == [3, 6]


# --- equal texts

# Every letter is tried in tests/source/test_alike_values.py.
ALIKE = [
    ("flu", "flu "), ("bad flu", "bad  flu"), ("bad flu", "bad\tflu"), ("Flu", "flu"), ("5", "+5"),
    ("bad flu", "bad\u00a0flu"), ("Gripp\u00e9", "Grippe\u0301"), ("fl\u200bu", "flu"),
    ("5", "5.0"), ("007", "7"), ("1000", "1e3"), ("-0.0", "0.0"), ("5", " 5"), ("1,000", "1000"),
    ("12345678901234567890.5", "12345678901234567890.50"), ("1\u00a0000\u00a0000", "1'000'000"),
    ("12345678901234567890", "012345678901234567890.0"),
]  # fmt: skip
APART = (
    "flu", "cold", "résumé", "resume", "9007199254740992", "9007199254740993", "0x1F", "31", "5a",
    "0.12345678901234567890", "0.12345678901234567891", "5", "1,5", "15", "12, 345", "12345",
    "m\u00b2", "m3", "2020-01-01", "2020-01-02",
)  # fmt: skip


def ill(values: tuple[str, ...], sensitive: Any = "sensitive", **keys: Any) -> dict[str, Any]:
    """A plan over a class of two persons with each of these illnesses."""
    with Path("ill.csv").open("w", newline="", encoding="utf-8") as lines:
        csv.writer(lines, quoting=csv.QUOTE_ALL).writerows(
            [("a", "illness"), *(("x", value) for value in values for _ in range(2))]
        )
    columns = {"a": "quasi-identifier", "illness": sensitive}
    return plan_of(columns, "ill.csv", **{"privacy": [L2], **keys})


def measured(plan: dict[str, Any]) -> list[Any]:
    """What a run measures of each promise."""
    return [entry["measured"] for entry in sqlanon.run(plan).manifest["privacy"]]


@pytest.mark.sampled(0.011)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("values", ALIKE)
def test_values_that_people_hold_equal_are_not_two(values: tuple[str, str], method: str) -> None:
    shown = refused(
        ill(values, method=method), "columns.illness", "a reader would take for the same"
    )
    assert "trim(" in shown or "{illness: double}" in shown
    assert not any(value in shown for value in values if not value.isdigit())
    assert measured(ill(values, EXACT, method=method)) == [2]


def test_values_that_differ_for_people_are_several() -> None:
    """Letters whose plain form is not known are refused: mathematical and Arabic ones, units."""
    values = ("\U0001d41f\U0001d425\U0001d42e", "5\u338e", "\ufef3", "cold")
    shown = refused(ill(values), "columns.illness", "3 have letters that Unicode takes")
    assert "compare: exact" in shown
    assert not any(value in shown for value in values)
    assert sqlanon.run(ill(values, EXACT)).manifest["rows"]["published"] == 8
    assert measured(ill(APART)) == [len(APART)]


def amounts(*privacy: dict[str, Any], column: Any = "sensitive", **source: Any) -> dict[str, Any]:
    Path("amounts.csv").write_text("a,amount\nx,5\nx,5.0\nx,5\nx,7\n", encoding="utf-8")
    columns = {"a": "quasi-identifier", "amount": column}
    return plan_of(columns, {"path": "amounts.csv", **source}, privacy=list(privacy))


def test_spellings_of_a_number_are_one_value_or_refused() -> None:
    """5 and 5.0 are one value for every promise, or two: the error says how to read numbers."""
    for model in (L2, K2E):
        refused(amounts(model), "columns.amount", "2 are the same number", "{amount: double}")
        write("select 'x' as a, unnest(['5', '5.0', '7']) as amount")
        refused({**amounts(model), "source": "rows.parquet"}, "cast(amount as double) as amount")
    for privacy in ([K2E], [L2, K2E]):
        refused(amounts(*privacy, column=EXACT), "columns.amount", "2 are the same number")
    refused(amounts(L2, types={"amount": "date"}), "Line 2 of a CSV file has a value of another")
    assert measured(amounts(L2, column=EXACT)) == [3]
    (values, sizes) = sqlanon.run(amounts(L2, K2E, types={"amount": "double"})).manifest["privacy"]
    assert (values["measured"], sizes["measured_sides"]["k"]) == (2, 2)


def test_missing_value_and_empty_text_are_one_and_have_no_order() -> None:
    plan = ill(("", "flu"))
    write("select 'x' as a, unnest(['', null, 'flu']) as illness")
    refused({**plan, "source": "rows.parquet"}, "2 differ", "0 are the same number")
    ordered = {"model": "t-closeness", "t": 1, "distance": "ordered"}
    refused(ill(("5", "flu", "cold"), privacy=[ordered]), "illness", "no order (2 values)")


def test_where_values_that_people_hold_equal_are_looked_for(folder: Path) -> None:
    """In what a promise counts, also in a published table, and by a program that searches by
    itself. Finer classes of quasi-identifiers are smaller, never larger: they need no proof."""
    program, _ = sqlanon.compile(ill(("flu", "flu ")))
    with pytest.raises(duckdb.Error, match="proof_of_distinct_values found violations"):
        duckdb.connect().execute(program.sql)
    assert sqlanon.run(ill(("flu", "flu "), privacy=[K2])).manifest["rows"]["published"] == 4
    plan = ill(("flu", "Flu ", "cold"))
    query = "select a, lower(trim(illness)) as illness from read_csv('ill.csv', header = true)"
    assert measured({**plan, "source": {"query": query}}) == [2]  # the remedy
    write("select 'x' as a, unnest(['flu', 'flu ', 'flu', 'flu ']) as illness", "made.parquet")
    with pytest.raises(sqlanon.SqlanonError, match="a reader would take for the same"):
        sqlanon.verify("made.parquet", plan)
    write("select unnest(['flu', 'flu', 'Flu', 'Flu', 'flu ', 'flu ']) as a")
    assert sqlanon.run(plan_of(["a"])).manifest["solution"]["classes"] == 3


@pytest.mark.parametrize("where", ["connection", "file", "default"])
def test_collated_text_is_compared_as_it_is_written(where: str) -> None:
    """Two spellings are two classes of 2, not one of 4, wherever their column is compared."""
    made = "" if where == "default" else " collate nocase"
    connection = duckdb.connect("rows.duckdb" if where == "file" else ":memory:")
    connection.execute(f"create table t (a varchar{made}, s varchar{made})")
    connection.execute("insert into t values ('A', 'u'), ('A', 'U'), ('a', 'u'), ('a', 'U')")
    if where == "default":
        connection.execute("set default_collation = 'nocase'")
    source: Any = {"table": "t"}
    options = Options(connection=connection)
    if where == "file":
        connection.close()
        source, options = "rows.duckdb::t", Options()
    plan = plan_of({"a": "quasi-identifier", "s": EXACT}, source, privacy=[K2, L2])
    found = sqlanon.run(plan, options).manifest
    assert [entry["measured"] for entry in found["privacy"]] == [2, 2]
    assert found["solution"]["classes"] == 2
    for table in ("out.parquet", "rows.duckdb::t" if where == "file" else "t"):
        shown = [finding.measured for finding in sqlanon.verify(table, plan, options)]
        assert shown == [2, 2], table


# --- the session


OTHERS = {
    "TimeZone": "Asia/Tokyo", "Calendar": "japanese", "default_collation": "nocase",
    "default_null_order": "nulls_first", "default_order": "desc", "integer_division": "true",
    "ieee_floating_point_ops": "false", "regex_match_operator_semantics": "full",
    "preserve_insertion_order": "false", "order_by_non_integer_literal": "true",
}  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_settings_of_a_connection_change_no_byte(method: str) -> None:
    rows = (
        "select timestamptz '2020-01-01 00:30:00+00' + (i * 7) * interval 1 hour as seen,"
        " case when i % 5 = 0 then null when i % 2 = 0 then 'A' else 'a' end as a,"
        " 'd' || (i % 3) as s from range(60) t (i)"
    )
    columns = ONE_OF_EACH | {"seen": {"role": "quasi-identifier", "hierarchy": {"mask": "right"}}}
    found = set()
    for others in ({}, OTHERS):
        connection = duckdb.connect()
        connection.execute(f"create table t as {rows}")
        for name, value in others.items():
            connection.execute(f"set {name} = '{value}'")
        before = connection.execute("select name, value from duckdb_settings()").fetchall()
        sqlanon.run(plan_of(columns, {"table": "t"}, method=method), connection=connection)
        assert connection.execute("select name, value from duckdb_settings()").fetchall() == before
        found.add(Path("out.parquet").read_bytes())
    assert len(found) == 1


def test_locked_connection_with_other_settings_is_refused() -> None:
    connection = duckdb.connect()
    connection.execute("create table t as select 'x' as a from range(3)")
    connection.execute("set TimeZone = 'Asia/Tokyo'; set lock_configuration = true")
    plan = plan_of({"a": "quasi-identifier"}, {"table": "t"})
    with pytest.raises(PlanError, match="setting TimeZone is not 'UTC'"):
        sqlanon.run(plan, connection=connection)
    sqlanon.run({**plan, "time_zone": "Asia/Tokyo"}, connection=connection)


ELSEWHERE = """
import duckdb, pathlib, sqlanon
sqlanon.run("plan.yml")
pathlib.Path("out.csv").rename("here.csv")
duckdb.connect().execute(pathlib.Path("target/plan/sql/program.sql").read_text())
"""


def test_the_same_plan_publishes_the_same_rows_in_tokyo() -> None:
    """The day of a point of time is that of the plan's time zone, not of the computer's."""
    write("select timestamptz '2020-01-01 03:00:00+00' as seen from range(4)")
    source = {"query": "select cast(seen as date) as day, seen from 'rows.parquet'"}
    columns = {"day": "quasi-identifier", "seen": "insensitive"}
    plan = plan_of(columns, source, publish="out.csv", time_zone="America/New_York")
    Path("plan.yml").write_text(json.dumps(plan))
    package = str(Path(sqlanon.__file__).parents[1])
    for place in ("Asia/Tokyo", "America/Los_Angeles"):
        subprocess.run([sys.executable, "-c", ELSEWHERE], check=True,
                       env={**os.environ, "TZ": place, "PYTHONPATH": package})  # fmt: skip
        rows = Path("out.csv").read_text().splitlines()[1:]
        assert rows == ["2019-12-31,2019-12-31 22:00:00-05"] * 4
        assert Path("here.csv").read_text().splitlines()[1:] == rows


def test_time_zone_that_is_none() -> None:
    write("select 'x' as a from range(3)")
    near = plan_of(["a"], time_zone="Asia/Tokio")
    assert "Asia/Tokyo" in refused(near, "no time zone 'Asia/Tokio'", "time_zone")
    for zone in ("JST", "+09", "UTC'; drop", ""):
        shown = refused(plan_of(["a"], time_zone=zone), "not the name of a time zone", "time_zone")
        assert "Asia/Tokyo" not in shown


# --- what a published file can hide


def test_nested_column_of_a_published_table_is_refused() -> None:
    for name in NESTED:
        write(f"select 'x' as a, {OUTSIDE[name]} as v from range(3)", "rows.duckdb")
        columns = {"a": "quasi-identifier", "v": "insensitive"}
        with pytest.raises(PrivacyViolation, match="nested values") as caught:
            sqlanon.verify("rows.duckdb::t", plan_of(columns))
        assert "secret" not in str(caught.value)


VERSION = "org.apache.spark.version"
FIELDS = "org.apache.spark.sql.parquet.row.metadata"
FIELD = '{"name":"NAME","type":"string","nullable":true,"metadata":{}}'
A, B = FIELD.replace("NAME", "a"), FIELD.replace("NAME", "b")


def schema(*fields: str) -> str:
    return f'{{"type":"struct","fields":[{",".join(fields)}]}}'


@pytest.mark.parametrize(
    ("entries", "count"),
    [
        ({"names": "secret"}, 1),
        ({VERSION: "4.3.0", FIELDS: schema(A, B)}, 0),
        ({VERSION: "4.3.0 secret"}, 1),
        ({VERSION: "4.3.0", "secret": "4.3.0"}, 1),
        ({FIELDS: schema(A, B.replace("{}", '{"note":"secret"}'))}, 1),
        ({FIELDS: schema(A, B, FIELD.replace("NAME", "secret"))}, 1),
        ({FIELDS: schema(B, A)}, 1),
        ({FIELDS: schema(A, B.replace("string", "secret 1"))}, 1),
        ({FIELDS: schema(A, B) + "secret"}, 1),
    ],
)
def test_spark_tells_of_the_columns_alone(entries: dict[str, str], count: int) -> None:
    """What Spark writes into each file of a publication hides nothing; what resembles it may."""
    listed = ", ".join(f"'{key}': '{value}'" for key, value in entries.items())
    duckdb.execute(
        "copy (select 'x' as a, 'y' as b from range(3)) to 'made.parquet' (format parquet,"
        f" kv_metadata {{{listed}}})"
    )
    plan = plan_of(dict.fromkeys("ab", "quasi-identifier"))
    if count:
        with pytest.raises(PrivacyViolation, match=f"{count} entries of metadata") as caught:
            sqlanon.verify("made.parquet", plan)
        assert "secret" not in str(caught.value)
        write("from 'made.parquet'", "other.parquet")  # as the error says
    assert sqlanon.verify("other.parquet" if count else "made.parquet", plan)[0].measured == 3


def test_own_files_have_no_metadata() -> None:
    write("select 'x' as a, 's' || i % 2 as s from range(4) t (i)")
    keys: Any = {"method": "anatomy", "privacy": [L2], "publish": "out/out.parquet"}
    sqlanon.run(plan_of(ONE_OF_EACH, **keys))
    for file in ("out/out.parquet", "out/out_values.parquet"):
        assert ask(f"select * from parquet_kv_metadata('{file}')") == []


# --- lineage, solution, compile


@pytest.mark.parametrize(
    "tampered",
    [
        'cast("secret" as varchar)',
        "case when isnan(name) then cast('nan' as double) else name + 0.0 end",
        "case when isnan(x) then cast('nan' as double) else x + 1.0 end",
        "case when isnan(x) then cast(name as double) else x + 0.0 end",
        "cast(x as varchar)",
        'x collate "nocase"',
        "(select max(name) from sqlanon.source)",
    ],
)
def test_other_expressions_do_not_pass(tampered: str) -> None:
    """Another column, an identifier's, another constant, type or collation, a subselect."""
    columns = {"q": "quasi-identifier", "name": "identifier", "secret": "identifier"}
    plan = load_plan(plan_of({**columns, "x": "insensitive"}))
    plan = plan.with_types({"source": {"q": "VARCHAR", "x": "DOUBLE"}})
    steps = []
    for step in source_steps(plan):
        own = as_read("x", "DOUBLE", collated=False)
        sql = step.sql.replace(f"{own} as x", f"{tampered} as x")
        assert (sql != step.sql) == (step.name == "source_rows")
        sqlglot.parse_one(sql, dialect="duckdb")
        steps.append(replace(step, sql=sql))
    with pytest.raises(EngineError, match="source_rows"):
        prove_no_identifier_flows(plan, steps)


def test_compile_takes_the_types_of_the_solution() -> None:
    """Plan and solution make the program; the source need not be there any more."""
    columns = "(i % 2)::double as q, 'b'::enum('a', 'b') as x"
    write(f"select {columns} from range(9) t (i)", "rows.duckdb")
    plan = plan_of({"q": "quasi-identifier", "x": "insensitive"}, "rows.duckdb::t")
    unsolved, _ = sqlanon.compile(plan)
    sqlanon.solve(plan)
    Path("rows.duckdb").unlink()
    solved, _ = sqlanon.compile(plan)
    for program in (unsolved, solved):
        assert "else q + 0.0 end as q" in program.sql
        assert "cast(x as varchar) as x" in program.sql
    Path("out.solution.json").unlink()
    untyped, _ = sqlanon.compile(plan)
    assert "+ 0.0 end" not in untyped.sql


def test_staged_rows_of_another_type_are_not_published(monkeypatch: pytest.MonkeyPatch) -> None:
    """A source whose column changes its type between the search and the release is noticed."""
    write("select 'x' as a, i::integer as v from range(4) t (i)", "rows.duckdb")
    made = Session.compile

    def changed(session: Session, *given: Any) -> Any:
        program = made(session, *given)
        cast = ("generalized.*", "generalized.a, cast(generalized.v as bigint) as v", 1)
        steps = tuple(replace(step, sql=step.sql.replace(*cast)) for step in program.steps)
        return replace(program, steps=steps)

    monkeypatch.setattr(Session, "compile", changed)
    columns = {"a": "quasi-identifier", "v": "insensitive"}
    refused(plan_of(columns, "rows.duckdb::t"), "or another type", kind=PrivacyViolation)
