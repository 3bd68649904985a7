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

from sqlanon.boundary.files import sha256_of
from sqlanon.engines.base import StagedRows
from sqlanon.plan.tables import Destination
from sqlanon.sql.paths import literal_pattern
from sqlanon.sql.render import text
from sqlanon.sql.step import quoted
from sqlanon.sql.tables import table_sql

MARK = "published by sqlanon from rows with sha256 "
"""The comment of a published table, before the digest."""

WHERE_TABLES_FAIL = (
    "close other programs that use the file, and check that no view has this name and that the disk"
    " has free space"
)
"""What to do where DuckDB could not write a table."""

_DATABASE = "sqlanon_published"


def digest_in(comment: str | None) -> str:
    """The digest in the comment of a table; empty if no run has written it."""
    return comment.removeprefix(MARK) if comment and comment.startswith(MARK) else ""


def replace_tables(connection: duckdb.DuckDBPyConnection, tables: Sequence[StagedRows]) -> None:
    """Replace tables by the rows in files, in one transaction."""
    connection.execute("begin transaction")
    try:
        for table in tables:
            name = table_sql(table.place.parts)
            path = text(literal_pattern(str(table.file)))
            connection.execute(f"drop table if exists {name}")
            rows = f"select * from read_parquet({path}, hive_partitioning = false)"
            kind = "temp table" if table.place.is_temporary else "table"
            connection.execute(f"create {kind} {name} as {rows}")
            _mark_table(connection, table)
        connection.execute("commit")
    except BaseException:
        with contextlib.suppress(duckdb.Error):  # a commit that failed has ended it already
            connection.execute("rollback")
        raise


def _mark_table(connection: duckdb.DuckDBPyConnection, table: StagedRows) -> None:
    name = table_sql(table.place.parts)
    connection.execute(f"comment on table {name} is {text(MARK + table.sha256)}")


def table_digest(connection: duckdb.DuckDBPyConnection, name: Sequence[str]) -> str | None:
    """The digest in the mark of a table or view; empty if it has none, None if nothing is there."""
    found = _kind_and_comment(connection, name)
    if found is None:
        return None
    kind, comment = found
    return digest_in(comment) if kind == "table" else ""


def existing_digest(
    folder: Path, place: Destination, connection: duckdb.DuckDBPyConnection | None
) -> str | None:
    """The digest of what is at a place of DuckDB's, from a folder; see `Destinations`."""
    if place.table is not None:
        return table_digest(connection, place.parts) if connection else None
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
        _replace_in_file(connection, tables)
        connection.execute("checkpoint")


def update_database(file: Path, tables: Sequence[StagedRows]) -> None:
    """Replace tables of a DuckDB file that also has other tables, in one transaction."""
    try:
        with _opened(file) as connection:
            _replace_in_file(connection, tables)
    except duckdb.Error:
        # The disk may have filled up after the commit: then the new rows are there.
        names = [table.place.parts for table in tables]
        if database_digests(file, names) != [table.sha256 for table in tables]:
            raise


def _replace_in_file(connection: duckdb.DuckDBPyConnection, tables: Sequence[StagedRows]) -> None:
    for schema in {table.place.parts[0] for table in tables if len(table.place.parts) > 1}:
        connection.execute(f"create schema if not exists {quoted(schema)}")
    replace_tables(connection, tables)


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


def database_digests(file: Path, names: Sequence[Sequence[str]]) -> list[str | None]:
    """`table_digest` of tables of a DuckDB file."""
    with _opened(file, read_only=True) as connection:
        return [table_digest(connection, name) for name in names]


def fold_log(file: Path) -> None:
    """Have no log of a killed program beside a DuckDB file: it would be replayed into the next."""
    log = Path(f"{file}.wal")
    if log.exists() and file.is_file():
        with _opened(file) as connection:
            connection.execute("checkpoint")
    else:
        log.unlink(missing_ok=True)


def holds_others(file: Path, names: Sequence[Sequence[str]]) -> bool:
    """Whether a DuckDB file has anything other than these tables."""
    here = f"database_name = {text(_DATABASE)}"
    counts = [f"select count(*) from duckdb_sequences() where {here}"]
    for source in ("duckdb_tables", "duckdb_views", "duckdb_types", "duckdb_functions"):
        counts.append(f"select count(*) from {source}() where not internal and {here}")
    with _opened(file, read_only=True) as connection:
        rows = connection.execute("\nunion all\n".join(counts)).fetchall()
        kinds = [_kind_and_comment(connection, name) for name in names]
    found = sum(int(count) for (count,) in rows)
    return found > sum(kind is not None and kind[0] == "table" for kind in kinds)


def _kind_and_comment(
    connection: duckdb.DuckDBPyConnection, name: Sequence[str]
) -> tuple[str, str | None] | None:
    """Whether a name is that of a table or a view, and its comment; None if nothing has it."""
    catalog, schema, table = whole_name(connection, name)
    query = "\nunion all\n".join(
        f"select '{kind}', comment from duckdb_{kind}s() where lower(database_name) = lower($1)"
        f" and lower(schema_name) = lower($2) and lower({kind}_name) = lower($3)"
        for kind in ("table", "view")
    )
    return connection.execute(query, [catalog, schema, table]).fetchone()


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
