"""The tables of a user in PostgreSQL: what they are, and DuckDB's types of their columns."""

from __future__ import annotations

import re

import psycopg

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


def is_table(session: psycopg.Connection, table: Parts) -> bool:
    """Whether a table holds its rows itself, or in its own partitions."""
    found = table_of(session, table)
    return found is not None and found[1] in ("r", "p")


def columns_of(session: psycopg.Connection, table: Parts) -> dict[str, str] | None:
    """The columns of a table or view that the role may read, and DuckDB's type of each.

    None if there is no such table, or no such column.
    """
    found = table_of(session, table)
    if found is None:
        return None
    rows = session.execute(_COLUMNS, {"table": found[0]}).fetchall()
    return {
        name: _duckdb_type(kind) if is_exact else f"{kind} with a collation of its own equality"
        for name, kind, is_exact in rows
    } or None


def _duckdb_type(kind: str) -> str:
    """DuckDB's name of a type; PostgreSQL's own if there is none whose values are the same."""
    digits = re.fullmatch(r"numeric\((\d+),(\d+)\)", kind)
    if digits and int(digits[2]) <= int(digits[1]) <= 38:
        return f"DECIMAL({digits[1]},{digits[2]})"
    return _DUCKDB.get(re.sub(r"\(\d+\)", "", kind), kind)
