"""Published tables of DuckDB: written in one transaction, and marked with the digest of their rows.

The comment of a table records the digest of the staged file from which it was made. So a later run
recognizes the earlier publication, and does not replace a table of someone else.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb

from sqlanon.engines.base import StagedRows
from sqlanon.plan.tables import Destination
from sqlanon.sql.paths import literal_pattern
from sqlanon.sql.render import text
from sqlanon.sql.step import quoted
from sqlanon.system.files import sha256_of

MARK = "published by sqlanon from rows with sha256 "
"""The comment of a published table, before the digest."""

WHERE_TABLES_FAIL = (
    "close other programs that use the file, and check that no view has this name and that the disk"
    " has free space"
)
"""What to do where DuckDB could not write a table."""


def replace_tables(
    connection: duckdb.DuckDBPyConnection, tables: Sequence[StagedRows]
) -> list[tuple[int]]:
    """Replace tables by the rows in files, in one transaction.

    Raises:
        duckdb.Error: the earlier tables are unchanged, unless `standing_digest` shows otherwise.
    """
    connection.execute("begin transaction")
    try:
        for table in tables:
            name = ".".join(map(quoted, table.place.parts))
            path = text(literal_pattern(str(table.file)))
            connection.execute(f"drop table if exists {name}")
            rows = f"select * from read_parquet({path}, hive_partitioning = false)"
            kind = "temp table" if is_temporary(table.place.parts) else "table"
            connection.execute(f"create {kind} {name} as {rows}")
            _mark_table(connection, table)
        connection.execute("commit")
    except BaseException:
        with contextlib.suppress(duckdb.Error):  # a commit that failed has ended it already
            connection.execute("rollback")
        raise
    return []


def is_temporary(name: Sequence[str]) -> bool:
    """Whether a table lives only as long as the connection, such as `temp.patients`."""
    return len(name) > 1 and name[0].lower() == "temp"


def _mark_table(connection: duckdb.DuckDBPyConnection, table: StagedRows) -> None:
    name = ".".join(map(quoted, table.place.parts))
    connection.execute(f"comment on table {name} is {text(MARK + table.sha256)}")


def standing_digest(connection: duckdb.DuckDBPyConnection, name: Sequence[str]) -> str | None:
    """The digest in the mark of a table or view; empty if it has none, None if nothing is there."""
    kind = _kind(connection, name)
    if kind != "table":
        return "" if kind else None
    comment = _found(connection, "comment", "table", name)
    return comment.removeprefix(MARK) if comment and comment.startswith(MARK) else ""


def standing(
    folder: Path, place: Destination, connection: duckdb.DuckDBPyConnection | None
) -> str | None:
    """The digest of what is at a place of DuckDB's; empty if it has no mark, None if nothing is.

    Args:
        folder: that the paths of places start from.
    """
    if place.table is not None:
        return standing_digest(connection, place.parts) if connection else None
    if place.database is not None:
        file = folder / place.database
        if not file.is_file():
            return None
        try:
            return database_digests(file, [place.parts])[0]
        except duckdb.Error:
            return ""  # not a database, or one to which another program writes
    file = folder / (place.path or "")
    if not os.path.lexists(file):
        return None
    return sha256_of(file) if file.is_file() else ""


def build_database(file: Path, tables: Sequence[StagedRows]) -> None:
    """Write a new DuckDB file that holds these tables and no byte of any other."""
    with _opened(file) as connection:
        _make_schemas(connection, tables)
        replace_tables(connection, tables)
        connection.execute("checkpoint")


def update_database(file: Path, tables: Sequence[StagedRows]) -> None:
    """Replace tables of a DuckDB file that also has other tables, in one transaction."""
    try:
        with _opened(file) as connection:
            _make_schemas(connection, tables)
            replace_tables(connection, tables)
    except duckdb.Error:
        # The disk may have filled up after the commit: then the new rows are there.
        names = [table.place.parts for table in tables]
        if database_digests(file, names) != [table.sha256 for table in tables]:
            raise


@contextmanager
def _opened(file: Path, *, read_only: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    """The file as it is now: `duckdb.connect(file)` may return one that was replaced since."""
    with duckdb.connect() as connection:
        options = " (read_only)" if read_only else ""
        connection.execute(f"attach {text(str(file))} as {_DATABASE}{options}")
        connection.execute(f"use {_DATABASE}")
        yield connection
        connection.execute("use memory")
        connection.execute(f"detach {_DATABASE}")


_DATABASE = "sqlanon_published"


def _make_schemas(connection: duckdb.DuckDBPyConnection, tables: Sequence[StagedRows]) -> None:
    for schema in {table.place.parts[0] for table in tables if len(table.place.parts) > 1}:
        connection.execute(f"create schema if not exists {quoted(schema)}")


def database_digests(file: Path, names: Sequence[Sequence[str]]) -> list[str | None]:
    """`standing_digest` of tables of a DuckDB file."""
    with _opened(file, read_only=True) as connection:
        return [standing_digest(connection, name) for name in names]


def holds_others(file: Path, names: Sequence[Sequence[str]]) -> bool:
    """Whether a DuckDB file has anything other than these tables."""
    with _opened(file, read_only=True) as connection:
        counted = []
        here = f"database_name = {text(_DATABASE)}"
        for source in ("duckdb_tables", "duckdb_views", "duckdb_types", "duckdb_functions"):
            sql = f"select count(*) from {source}() where not internal and {here}"
            counted.append(_number(connection, sql))
        sql = f"select count(*) from duckdb_sequences() where {here}"
        counted.append(_number(connection, sql))
        ours = sum(_kind(connection, name) == "table" for name in names)
        return sum(counted) > ours


def _kind(connection: duckdb.DuckDBPyConnection, name: Sequence[str]) -> str | None:
    """Whether the name is that of a table or a view; None where nothing has it."""
    for kind in ("table", "view"):
        if _found(connection, f"{kind}_name", kind, name) is not None:
            return kind
    return None


def _found(
    connection: duckdb.DuckDBPyConnection, wanted: str, kind: str, name: Sequence[str]
) -> str | None:
    """A column of the catalog's row of a table or view; None where there is none, or it is null."""
    catalog, schema, table = whole_name(connection, name)
    row = connection.execute(
        f"select {wanted} from duckdb_{kind}s() where lower(database_name) = lower($1)"
        f" and lower(schema_name) = lower($2) and lower({kind}_name) = lower($3)",
        [catalog, schema, table],
    ).fetchone()
    return None if row is None else row[0]


def whole_name(connection: duckdb.DuckDBPyConnection, name: Sequence[str]) -> tuple[str, str, str]:
    """Catalog, schema and table of a name to write to, as the connection completes it."""
    row = connection.execute("select current_database(), current_schema()").fetchone()
    catalog, schema = row or ("", "")
    if len(name) == 1:
        return catalog, schema, name[0]
    if len(name) == 2:
        catalogs = connection.execute(
            "select 1 from duckdb_databases() where lower(database_name) = lower($1)", [name[0]]
        )
        return (name[0], "main", name[1]) if catalogs.fetchone() else (catalog, name[0], name[1])
    return name[0], name[1], name[2]


def _number(connection: duckdb.DuckDBPyConnection, sql: str) -> int:
    ((number,),) = connection.execute(sql).fetchall()
    return int(number)
