"""Types of columns, and values that SQL and people hold equal: one rule, in search, proof, verify."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot

import sqlanon
from sqlanon.column_types import (
    CONVERTED,
    KEPT,
    NESTED,
    REFUSED,
    as_read,
    may_leave,
    published_type,
    refusal,
    type_name,
)
from sqlanon.errors import EngineError, PlanError, PrivacyViolation
from sqlanon.lineage import prove_no_identifier_flows
from sqlanon.plan_file import load_plan
from sqlanon.prepare import source_steps
from sqlanon.session import Options, Session
from sqlanon.settings import result_settings
from sqlanon.solution import read_solution

METHODS = ("optimal", "mondrian")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ask(sql: str) -> list[tuple[Any, ...]]:
    return duckdb.connect().execute(sql).fetchall()


def write(query: str, file: str = "rows.parquet") -> None:
    """A Parquet file, or the table `t` of a DuckDB file."""
    if file.endswith(".parquet"):
        duckdb.connect().execute(f"copy ({query}) to '{file}' (format parquet)")
        return
    with duckdb.connect(file) as connection:
        connection.execute(f"create or replace table t as {query}")


def plan_of(columns: dict[str, Any], source: Any = "rows.parquet", **keys: Any) -> dict[str, Any]:
    return {
        "source": source,
        "columns": columns,
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "publish": "out.parquet",
        **keys,
    }


def refused(plan: Any, *told: str, kind: type[sqlanon.SqlanonError] = PlanError) -> str:
    with pytest.raises(kind) as caught:
        sqlanon.run(plan)
    for words in told:
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
    "DECIMAL": (
        "12345678901234567890123456789012345.678::decimal(38, 3)",
        "DECIMAL(38,3)",
        "12345678901234567890123456789012345.678",
    ),
    "VARCHAR": ("' Straße, \"é\" '", "VARCHAR", ' Straße, "é" '),
    "UUID": (
        "'123e4567-e89b-12d3-a456-426614174000'::uuid",
        "UUID",
        "123e4567-e89b-12d3-a456-426614174000",
    ),
    "DATE": ("date '0044-03-15 (BC)'", "DATE", "0044-03-15 (BC)"),
    "TIME": ("time '24:00:00'", "TIME", "24:00:00"),
    "TIME_NS": ("'01:02:03.123456789'::time_ns", "TIME_NS", "01:02:03.123456789"),
    "TIMESTAMP": ("timestamp '2020-01-01 01:02:03.5'", "TIMESTAMP", "2020-01-01 01:02:03.5"),
    "TIMESTAMP_NS": (
        "'2020-01-01 01:02:03.123456789'::timestamp_ns",
        "TIMESTAMP_NS",
        "2020-01-01 01:02:03.123456789",
    ),
    "TIMESTAMP WITH TIME ZONE": (
        "timestamptz '2020-01-01 01:02:03+09'",
        "TIMESTAMP WITH TIME ZONE",
        "2019-12-31 16:02:03+00",
    ),
    "TIMESTAMPTZ_NS": (
        "'2020-01-01 01:02:03.123456789+09'::timestamptz_ns",
        "TIMESTAMPTZ_NS",
        "2019-12-31 16:02:03.123456789+00",
    ),
    "DOUBLE": ("0.1::double", "DOUBLE", "0.1"),
    "FLOAT": ("0.1::float", "FLOAT", "0.1"),
    "ENUM": ("'b'::enum('b', 'a')", "VARCHAR", "b"),
    '"NULL"': ("null", "VARCHAR", ""),
    "TIMESTAMP_S": ("timestamp_s '2020-01-01 01:02:03'", "TIMESTAMP", "2020-01-01 01:02:03"),
    "TIMESTAMP_MS": (
        "timestamp_ms '2020-01-01 01:02:03.125'",
        "TIMESTAMP",
        "2020-01-01 01:02:03.125",
    ),
}
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
    names = {row[0] for row in rows} - {"ENUM", "NULL", "TYPE", "DECIMAL"}
    unknown = {name for name in names if name not in KEPT | CONVERTED.keys() | REFUSED.keys()}
    assert unknown <= {"INVALID", "ANY", "TUPLE"}, "types that no column can have"


EVERY = {**VALUES, **SPECIAL}
PLACES = ("out.parquet", "out.csv", "out.duckdb::t")


def values_of_every_type() -> str:
    """A select with a column of each value, v0, v1 and so on."""
    return ", ".join(f"{value} as v{n}" for n, (value, _, _) in enumerate(EVERY.values()))


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every value, published as it is, as Parquet, as CSV, and as a DuckDB table."""
    folder = tmp_path_factory.mktemp("published")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write(f"select 'x' as a, {values_of_every_type()} from range(3)", "rows.duckdb")
        columns = {"a": "quasi-identifier"}
        columns |= {f"v{number}": "insensitive" for number in range(len(EVERY))}
        for place in PLACES:
            plan = plan_of(columns, "rows.duckdb::t", publish=place)
            sqlanon.run(plan)
            assert all(finding.satisfied for finding in sqlanon.verify(place, plan))
    return folder


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", EVERY)
def test_value_that_is_published_is_the_sources(name: str, place: str, published: Path) -> None:
    _, kind, text = EVERY[name]
    column = f"v{list(EVERY).index(name)}"
    if place == "out.csv":
        with (published / place).open(newline="", encoding="utf-8") as lines:
            assert [row[column] for row in csv.DictReader(lines)] == [text] * 3
        return
    database, _, table = place.rpartition("::")
    with duckdb.connect(str(published / database) if database else "") as connection:
        connection.execute("set TimeZone = 'UTC'")
        relation = table if database else f"'{published / place}'"
        told = f"typeof({column}), coalesce(cast({column} as varchar), '')"
        rows = connection.execute(f"select {told} from {relation}").fetchall()
        assert rows == [(kind, text)] * 3


@pytest.mark.parametrize("method", METHODS)
def test_values_of_every_type_make_classes(method: str) -> None:
    """Rows with a value in each column, and rows with none: two classes, and not more."""
    write(
        f"select {values_of_every_type()} from range(4)"
        f" union all select {', '.join(['null'] * len(EVERY))} from range(4)",
        "rows.duckdb",
    )
    column = {"role": "quasi-identifier", "type": "ordinal"}
    columns = {f"v{number}": column for number in range(len(EVERY))}
    keys = {"privacy": [{"model": "k-anonymity", "k": 4}], "method": method}
    found = sqlanon.run(plan_of(columns, "rows.duckdb::t", **keys)).manifest
    assert (found["rows"]["published"], found["solution"]["classes"]) == (8, 2)
    (finding,) = sqlanon.verify("out.parquet", plan_of(columns, "rows.duckdb::t", **keys))
    assert finding.measured == 4


def test_values_of_every_type_are_counted() -> None:
    """As sensitive values: one, and a missing one, are two values; a missing one alone is one."""
    write(
        f"select 'x' as a, {values_of_every_type()} from range(4)"
        f" union all select 'x', {', '.join(['null'] * len(EVERY))} from range(4)",
        "rows.duckdb",
    )
    column = {"role": "sensitive", "compare": "exact"}
    names = {f"v{number}": text for number, (_, _, text) in enumerate(EVERY.values())}
    plan = plan_of(
        {"a": "quasi-identifier", **dict.fromkeys(names, column)},
        "rows.duckdb::t",
        privacy=[{"model": "l-diversity", "l": 1, "attribute": name} for name in names],
    )
    sqlanon.run(plan)
    missing = [list(EVERY).index(name) for name in ('"NULL"', "a missing number")]
    for number, finding in enumerate(sqlanon.verify("out.parquet", plan)):
        assert finding.measured == (1 if number in missing else 2), list(EVERY)[number]


@pytest.mark.parametrize("method", ["mondrian"])
@pytest.mark.parametrize(
    "name",
    ["NaN", "infinity", "an infinite date", "an infinite timestamp", "an infinite point of time",
     "TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS"],
)  # fmt: skip
def test_values_that_cannot_be_cut_are_refused(name: str, method: str) -> None:
    write(f"select {EVERY[name][0]} as q from range(4)", "rows.duckdb")
    refused(plan_of({"q": "quasi-identifier"}, "rows.duckdb::t", method=method), "type: ordinal")


@pytest.mark.parametrize("role", ["quasi-identifier", "sensitive", "insensitive", "pseudonym"])
@pytest.mark.parametrize("name", OUTSIDE)
def test_type_that_cannot_leave_is_refused_by_name(
    name: str, role: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SQLANON_PSEUDONYM_KEY", "k" * 20)
    source: Any = {"query": f"select 'x' as a, {OUTSIDE[name]} as v from range(3)"}
    column: Any = {"role": "identifier", "action": role} if role == "pseudonym" else role
    columns = {"a": "quasi-identifier", "v": column}
    told = refused(plan_of(columns, source), "columns.v", f"type {name}:", "source: {query:")
    assert "secret" not in told
    with pytest.raises(PlanError, match="type"):
        sqlanon.check(plan_of(columns, source))
    with pytest.raises(PlanError, match="type"):
        sqlanon.compile(plan_of(columns, source))


@pytest.mark.parametrize("action", ["drop", "star"])
@pytest.mark.parametrize("name", OUTSIDE)
def test_identifier_of_any_type_stays_behind(name: str, action: str) -> None:
    source = {"query": f"select 'x' as a, {OUTSIDE[name]} as v from range(3)"}
    identifier = {"role": "identifier", "action": action}
    sqlanon.run(plan_of({"a": "quasi-identifier", "v": identifier}, source))
    published = ask("select * from 'out.parquet'")
    assert published == [("x", "*") if action == "star" else ("x",)] * 3


@pytest.mark.parametrize("name", sorted({*REFUSED} - {"GEOMETRY", "HUGEINT"}))
def test_remedy_of_a_refused_type_works(name: str) -> None:
    """What the error says to write can be written, with names of fields put in."""
    value = OUTSIDE[name].replace("secret", "FIELD").replace("union_value(FIELD", "union_value(MEMBER")
    value = value.replace("'FIELD': 1", "'KEY': 1").replace('"name"', '"FIELD"')
    _, fix = refusal("source", "v", name)
    written = fix.split('"select ')[1].split(", …")[0]
    rows = duckdb.connect().execute(f"describe select {written} from (select {value} as v)")
    assert may_leave(type_name(rows.fetchall()[0][1]))


def test_hugeint_is_not_rounded() -> None:
    """Sums are HUGEINT: two numbers that a DOUBLE cannot tell apart stay two."""
    query = "select 'x' as a, sum(9007199254740992 + n) as s from range(2) t (n), range(2) group by n"
    columns = {"a": "quasi-identifier", "s": "sensitive"}
    refused(plan_of(columns, {"query": query}), "HUGEINT", "cast(s as decimal(38, 0)) as s")
    mended = f"select a, cast(s as decimal(38, 0)) as s from ({query})"
    sqlanon.run(plan_of(columns, {"query": mended}))
    assert ask("select cast(s as varchar) from 'out.parquet' order by 1") == [
        ("18014398509481984",),
        ("18014398509481986",),
    ]


def test_values_of_an_enum_stand_in_no_working_file() -> None:
    write("select 'x' as a, 'secret'::enum('secret', 'other') as v from range(3)", "rows.duckdb")
    columns = {"a": "quasi-identifier", "v": "insensitive"}
    target = sqlanon.run(plan_of(columns, "rows.duckdb::t")).target
    files = [*Path().glob("*.json"), *target.rglob("*.sql"), *target.rglob("*.json")]
    assert len(files) > 5
    assert all("secret" not in file.read_text() for file in files)
    solution = json.loads(Path("plan.solution.json").read_text())
    assert solution["types"] == {"source": {"a": "VARCHAR", "v": "ENUM"}}


def test_order_of_an_enum_does_not_show() -> None:
    """Rows are sorted by text, not by the order in which the type lists its values."""
    write(
        "select 'x' as a, cast(unnest(['b', 'a', 'c']) as enum('c', 'b', 'a')) as v", "rows.duckdb"
    )
    sqlanon.run(plan_of({"a": "quasi-identifier", "v": "insensitive"}, "rows.duckdb::t"))
    assert ask("select v from 'out.parquet'") == [("a",), ("b",), ("c",)]


# --- equal numbers


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["double", "float"])
def test_zeros_of_both_signs_are_one_value(kind: str, method: str) -> None:
    write(
        f"select case when i % 2 = 0 then '0.0'::{kind} else '-0.0'::{kind} end as z,"
        f" case when i % 2 = 0 then 'nan'::{kind} else '-nan'::{kind} end as n,"
        f" case when i % 2 = 0 then '0.0'::{kind} else '-0.0'::{kind} end as s"
        " from range(10) t (i)"
    )
    columns = {
        "z": {"role": "quasi-identifier", "type": "ordinal"},
        "n": {"role": "quasi-identifier", "type": "ordinal"},
        "s": "sensitive",
    }
    privacy = [{"model": "k-anonymity", "k": 10}, {"model": "l-diversity", "l": 1}]
    plan = plan_of(columns, privacy=privacy, method=method)
    found = sqlanon.run(plan).manifest
    assert (found["solution"]["classes"], found["rows"]["published"]) == (1, 10)
    assert ask("select distinct z, n, cast(s as varchar) from 'out.parquet'") == [
        ("0.0", "nan", "0.0")
    ]
    for with_source in (False, True):
        size, values = sqlanon.verify("out.parquet", plan, with_source=with_source)
        assert (size.measured, values.measured) == (10, 1)
    plan["privacy"][1]["l"] = 2
    with pytest.raises(sqlanon.NoSolutionError):
        sqlanon.run(plan)


def test_zeros_of_a_population_are_those_of_the_source() -> None:
    write("select case when i < 5 then '-0.0'::double else 1 end as z from range(10) t (i)")
    write("select case when i < 9 then '0.0'::double else 1 end as z from range(18) t (i)", "p.parquet")
    plan = plan_of(
        {"z": {"role": "quasi-identifier", "hierarchy": {"intervals": [5]}}},
        population="p.parquet",
        privacy=[{"model": "k-map", "k": 9}],
    )
    (finding,) = sqlanon.run(plan).manifest["privacy"]
    assert finding["measured"] == 9
    (finding,) = sqlanon.verify("out.parquet", plan)
    assert finding.measured == 9


@pytest.mark.parametrize("model", ["k-e-anonymity", "t-closeness"])
@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_number_that_is_none_is_refused_where_numbers_are_compared(value: str, model: str) -> None:
    write(f"select 'x' as a, case when i = 0 then '{value}'::double else i end as s from range(9) t (i)")
    asked = {"k-e-anonymity": {"k": 2, "e": 1}, "t-closeness": {"t": 1, "distance": "ordered"}}
    plan = plan_of(
        {"a": "quasi-identifier", "s": "sensitive"}, privacy=[{"model": model, **asked[model]}]
    )
    refused(plan, "'s'", "NaN, inf")


@pytest.mark.parametrize("method", METHODS)
def test_infinite_dates_are_values_of_their_own(method: str) -> None:
    write(
        "select case when i < 3 then date 'infinity' when i < 6 then date '-infinity'"
        " else date '2020-01-01' end as d from range(9) t (i)"
    )
    hierarchy = {"role": "quasi-identifier", "hierarchy": {"date": ["month", "year"]}}
    plan = plan_of({"d": hierarchy}, privacy=[{"model": "k-anonymity", "k": 3}], method=method)
    try:
        sqlanon.run(plan)
    except sqlanon.SqlanonError as error:
        assert "infin" in str(error) or "'d'" in str(error), error
        assert not Path("out.parquet").exists()
        return
    labels = Counter(row[0] for row in ask("select d from 'out.parquet'"))
    assert min(labels.values()) >= 3 and sum(labels.values()) == 9
