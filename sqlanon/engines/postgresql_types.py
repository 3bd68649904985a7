"""Types and rows of PostgreSQL: DuckDB's types of its columns, and its rows as Arrow tables.

Rows are read and written through `copy`, in the format of CSV.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import psycopg
import pyarrow
import pyarrow.compute
import pyarrow.csv

from sqlanon.errors import EngineError, brief
from sqlanon.sql.tables import Parts

_TABLE = """\
select tables.oid, tables.relkind
from pg_catalog.pg_class as tables
inner join pg_catalog.pg_namespace as schemas on schemas.oid = tables.relnamespace
where tables.relname = %(name)s
    and tables.relkind in ('r', 'p', 'v', 'm', 'f')
    and schemas.nspname = any(
        case
            when %(schema)s::text is null then current_schemas(true)
            else array[%(schema)s]::name[]
        end
    )
    and (%(database)s::text is null or current_database() = %(database)s)
order by array_position(current_schemas(true), schemas.nspname)
limit 1"""

_COLUMNS = """\
with recursive columns as (
    select attnum, attname, atttypid as type, atttypmod as digits, attcollation as collation
    from pg_catalog.pg_attribute
    where attrelid = %(table)s
        and attnum > 0
        and not attisdropped
        and has_column_privilege(attrelid, attnum, 'SELECT')
),
bases as (
    select * from columns
    union all
    select
        bases.attnum,
        bases.attname,
        types.typbasetype,
        types.typtypmod,
        bases.collation
    from bases
    inner join pg_catalog.pg_type as types on types.oid = bases.type and types.typtype = 'd'
)
select
    bases.attname,
    format_type(bases.type, bases.digits),
    coalesce(collations.collisdeterministic, true)
from bases
inner join pg_catalog.pg_type as types on types.oid = bases.type and types.typtype <> 'd'
left join pg_catalog.pg_collation as collations on collations.oid = bases.collation
order by bases.attnum"""

_DUCKDB = {
    "text": "VARCHAR",
    "character varying": "VARCHAR",
    "boolean": "BOOLEAN",
    "smallint": "SMALLINT",
    "integer": "INTEGER",
    "bigint": "BIGINT",
    "real": "FLOAT",
    "double precision": "DOUBLE",
    "date": "DATE",
    "time without time zone": "TIME",
    "time with time zone": "TIME WITH TIME ZONE",
    "timestamp without time zone": "TIMESTAMP",
    "timestamp with time zone": "TIMESTAMP WITH TIME ZONE",
    "interval": "INTERVAL",
    "uuid": "UUID",
    "bytea": "BLOB",
    "json": "JSON",
}
"""By the name of PostgreSQL's type, without digits; other types have no counterpart.

Not `character`, which ignores blanks at the end, nor a `numeric` without digits, nor an
enumeration, whose order is its own; a domain is what it is made of.
"""

_POSTGRESQL = {
    "VARCHAR": "text", "BOOLEAN": "boolean", "TINYINT": "bigint", "SMALLINT": "bigint",
    "INTEGER": "bigint", "BIGINT": "bigint", "UTINYINT": "bigint", "USMALLINT": "bigint",
    "UINTEGER": "bigint", "UBIGINT": "numeric(20)", "HUGEINT": "numeric(39)",
    "UHUGEINT": "numeric(39)", "DECIMAL": "numeric", "FLOAT": "real", "DOUBLE": "double precision",
    "DATE": "date", "TIME": "time", "TIMESTAMP": "timestamp",
    "TIMESTAMP WITH TIME ZONE": "timestamptz", "UUID": "uuid",
}  # fmt: skip
"""By DuckDB's type; whole numbers have room for products."""

_ARROW = {
    "bool": pyarrow.bool_(),
    "int2": pyarrow.int64(),
    "int4": pyarrow.int64(),
    "int8": pyarrow.int64(),
    "float4": pyarrow.float32(),
    "float8": pyarrow.float64(),
    "date": pyarrow.date32(),
    "time": pyarrow.time64("us"),
    "timestamp": pyarrow.timestamp("us"),
    "timestamptz": pyarrow.timestamp("us", "UTC"),
}
"""By PostgreSQL's name of a type; others are read as text."""

_BLOCK = 1 << 20
"""Bytes that are parsed together, at least; a row has to fit."""

_ANY_NUMBER = pyarrow.large_string()
"""A number whose digits are not known before it is read, such as a sum."""


def table_of(session: psycopg.Connection, table: Parts) -> tuple[int, str] | None:
    """The number of a table or view of this database, and its kind; None if there is none."""
    *schema, name = table
    found = session.execute(
        _TABLE,
        {
            "name": name,
            "schema": schema[-1] if schema else None,
            "database": schema[0] if len(schema) > 1 else None,
        },
    ).fetchone()
    return None if found is None else (int(found[0]), str(found[1]))


def columns_of(session: psycopg.Connection, table: int) -> dict[str, str]:
    """The columns of a table or view that the role may read, and DuckDB's type of each."""
    rows = session.execute(_COLUMNS, {"table": table}).fetchall()
    return {
        name: _duckdb_type(kind) if is_exact else f"{kind} with a collation of its own equality"
        for name, kind, is_exact in rows
    }


def _duckdb_type(kind: str) -> str:
    """DuckDB's name of a type; PostgreSQL's own if there is none whose values are the same."""
    digits = re.fullmatch(r"numeric\((\d+),(\d+)\)", kind)
    if digits and int(digits[2]) <= int(digits[1]) <= 38:
        return f"DECIMAL({digits[1]},{digits[2]})"
    return _DUCKDB.get(re.sub(r"\(\d+\)", "", kind), kind)


def postgresql_type(column: str, kind: str) -> str:
    """The type of a column for one of DuckDB's, with the same values."""
    name, bracket, digits = kind.partition("(")
    if name not in _POSTGRESQL:
        raise EngineError(
            f"The column '{brief(column)}' has a type that PostgreSQL does not have.",
            where="load",
            fix="cast it to text or to a number",
        )
    return f"{_POSTGRESQL[name]}{bracket}{digits}"


def arrow_types(columns: Sequence[psycopg.Column]) -> dict[str, pyarrow.DataType]:
    """The type with which each column of a result is read."""
    return {column.name: _arrow_type(column) for column in columns}


def _arrow_type(column: psycopg.Column) -> pyarrow.DataType:
    found = psycopg.adapters.types.get(column.type_code)
    name = "" if found is None else found.name
    if name == "numeric":
        if column.precision is None or column.scale is None:
            return _ANY_NUMBER
        return pyarrow.decimal128(column.precision, column.scale)
    return _ARROW.get(name, pyarrow.string())


def read_csv(blocks: Iterable[Any], types: dict[str, pyarrow.DataType]) -> pyarrow.Table:
    """The rows of a copy, which has no line of names; fails for a date without an end.

    Numbers whose digits are not known become whole ones if they are, and else decimal.
    """
    lines, longest = io.BytesIO(), 0
    for block in blocks:
        longest = max(longest, lines.write(block))
    if not lines.tell():
        names = types.items()
        return pyarrow.schema(
            [(name, pyarrow.int64() if kind == _ANY_NUMBER else kind) for name, kind in names]
        ).empty_table()
    parse = pyarrow.csv.read_csv
    rows = parse(
        pyarrow.BufferReader(lines.getbuffer()),
        read_options=pyarrow.csv.ReadOptions(
            column_names=list(types), block_size=max(_BLOCK, 2 * longest)
        ),
        parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=types,
            null_values=[""],
            true_values=["t"],
            false_values=["f"],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    for number, (name, kind) in enumerate(types.items()):
        if kind == _ANY_NUMBER:
            rows = rows.set_column(number, name, _numbers(rows.column(number)))
    return rows


def _numbers(texts: pyarrow.ChunkedArray) -> pyarrow.ChunkedArray:
    try:
        return texts.cast(pyarrow.int64())
    except pyarrow.ArrowInvalid:
        point = pyarrow.compute.find_substring(texts, ".")
        length = pyarrow.compute.binary_length(texts)
        scale = pyarrow.compute.subtract(pyarrow.compute.subtract(length, point), 1)
        scale = pyarrow.compute.if_else(pyarrow.compute.less(point, 0), 0, scale)
        return texts.cast(pyarrow.decimal128(38, pyarrow.compute.max(scale).as_py()))


def write_csv(rows: pyarrow.Table, write: Callable[[bytes], None]) -> None:
    """Write the rows as a copy reads them: texts in quotes, and nothing for NULL."""
    options = pyarrow.csv.WriteOptions(include_header=False, batch_size=65536)
    for batch in rows.to_batches(max_chunksize=65536):
        block = io.BytesIO()
        pyarrow.csv.write_csv(batch, block, options)
        write(block.getvalue())
