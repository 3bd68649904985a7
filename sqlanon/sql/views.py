"""Tables of the caller's connection: their full names, and what its views read."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

import duckdb

from sqlanon.errors import PlanError, did_you_mean
from sqlanon.sql.queries import plan_query
from sqlanon.sql.step import WORK_CATALOG
from sqlanon.sql.tables import Parts, table_sql

# --- tables of the caller's connection


def resolved(connection: duckdb.DuckDBPyConnection, parts: Parts, where: str) -> Parts:
    """Database, schema and table that a name refers to on a connection, as in its catalog.

    Raises:
        PlanError: there is none, or only a Python object; or the name is ambiguous.
    """
    return _found(_relations(connection), _Path.of(connection), parts, where)


@dataclass(frozen=True)
class _Path:
    """The search path of a connection: database and schema names, in lower case."""

    schemas: frozenset[tuple[str, str]]

    @classmethod
    def of(cls, connection: duckdb.DuckDBPyConnection) -> _Path:
        rows = connection.execute(
            "select database_name, schema_name from system.main.duckdb_schemas()\n"
            "where in_search_path(database_name, schema_name)"
        ).fetchall()
        return cls(frozenset((database.lower(), schema.lower()) for database, schema in rows))

    def has(self, parts: Parts, relation: Parts) -> bool:
        """Whether a name of one to three parts can refer to this relation."""
        named = tuple(part.lower() for part in parts)
        database, schema, table = (part.lower() for part in relation)
        if named[-1] != table:
            return False
        if len(named) == 1:
            return (database, schema) in self.schemas
        if len(named) == 2:
            in_path = database in {looked for looked, _ in self.schemas}
            is_schema = named[0] == schema and in_path
            default = schema == "main" or (database, schema) in self.schemas
            return is_schema or (named[0] == database and default)
        return named == (database, schema, table)


def _relations(connection: duckdb.DuckDBPyConnection) -> dict[Parts, str]:
    """Every table and view of a connection, with the SQL that created it if it is a view."""
    rows = connection.execute(
        "select database_name, schema_name, table_name, '' from system.main.duckdb_tables()\n"
        "where not internal\nunion all\n"
        "select database_name, schema_name, view_name, sql from system.main.duckdb_views()\n"
        "where not internal"
    ).fetchall()
    return {(database, schema, name): sql for database, schema, name, sql in rows}


def _found(relations: dict[Parts, str], path: _Path, parts: Parts, where: str) -> Parts:
    found = [relation for relation in relations if path.has(parts, relation)]
    name = ".".join(parts)
    if not found:
        names = {r[-1] for r in relations if len(parts) > 1 or path.has(r[-1:], r)}
        raise PlanError(
            f"The connection has no table or view '{name}'.",
            where=where,
            fix=f"{did_you_mean(parts[-1], names)} A Python object is not a table: register it, as"
            " in `connection.register(name, object)`".strip(),
        )
    if len(found) > 1:
        raise PlanError(
            f"'{name}' is ambiguous: it can mean {len(found)} tables of the connection.",
            where=where,
            fix="name it with its database and schema: "
            + " or ".join(table_sql(one) for one in sorted(found)),
        )
    return found[0]


@dataclass(frozen=True)
class Reads:
    """What a relation reads, through all views.

    Attributes:
        tables: database, schema and name of tables.
        files: paths that views read.
        is_known: whether everything that it reads could be found.
    """

    tables: frozenset[Parts] = frozenset()
    files: frozenset[str] = frozenset()
    is_known: bool = True

    def __or__(self, other: Reads) -> Reads:
        return Reads(
            self.tables | other.tables,
            self.files | other.files,
            self.is_known and other.is_known,
        )


def view_sources(connection: duckdb.DuckDBPyConnection, parts: Parts) -> Reads:
    """What a table or view reads, through all views below it, including itself.

    What a view reads is not known if its SQL is not allowed in a plan's query, as with a macro or
    another table function.

    Args:
        parts: database, schema and name, as `resolved` returns them.
    """
    return _sources(_relations(connection), _Path.of(connection), parts, frozenset())


def _sources(
    relations: dict[Parts, str], path: _Path, parts: Parts, above: frozenset[Parts]
) -> Reads:
    reads = Reads(tables=frozenset({parts}))
    if parts in above or parts not in relations:
        return reads if parts in above else reads | Reads(is_known=False)
    sql = relations[parts]
    if not sql:
        return reads
    try:
        query = plan_query(_view_select(sql), "view")
        for table in query.tables:
            below = _below(relations, path, parts, table)
            reads |= _sources(relations, path, below, above | {parts})
    except PlanError:
        return reads | Reads(is_known=False)
    paths = (file.path for file in query.files)  # relative to the working directory
    return reads | Reads(
        files=frozenset(path if "://" in path else os.path.abspath(path) for path in paths)
    )


def _view_select(sql: str) -> str:
    """The select of a view, in the SQL that created it; empty if that is of another form."""
    made = _VIEW.match(sql)
    return sql[made.end() :].rstrip("; \n") if made is not None else ""


def _below(relations: dict[Parts, str], path: _Path, view: Parts, table: Parts) -> Parts:
    """The table that a name in a view refers to: in its own schema first, then in the path.

    Raises:
        PlanError: there is none.
    """
    own_schema = _Path(frozenset({(view[0].lower(), view[1].lower())}))
    near = [one for one in relations if len(table) < 3 and own_schema.has(table, one)]
    return near[0] if near else _found(relations, path, table, "view")


class Catalog:
    """The tables and views of a connection, with their columns.

    Attributes:
        columns: of every table and view, by names in lower case and in order: the expression that
            generates them, or their default, or nothing.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._relations = _relations(connection)
        self._path = _Path.of(connection)
        self.columns: dict[Parts, dict[str, str]] = {}
        rows = connection.execute(
            "select database_name, schema_name, table_name, column_name, column_default\n"
            "from system.main.duckdb_columns()\nwhere not internal\n"
            "order by database_name, schema_name, table_name, column_index"
        ).fetchall()
        for database, schema, table, column, default in rows:
            made = self.columns.setdefault((database, schema, table), {})
            made[column.lower()] = default or ""

    def resolved(self, parts: Parts, view: Parts = ()) -> Parts:
        """Database, schema and table that a name refers to, by itself or in a view.

        Raises:
            PlanError: there is none, or the name is ambiguous.
        """
        if view:
            return _below(self._relations, self._path, view, parts)
        return _found(self._relations, self._path, parts, "source")

    def select(self, parts: Parts) -> str:
        """The select of a view, or nothing for a table.

        Raises:
            PlanError: the SQL that created it is of another form.
        """
        sql = self._relations.get(parts, "")
        if sql and not _view_select(sql):
            raise PlanError("The view is of another form.", where="view", fix="name a table")
        return _view_select(sql)

    def columns_of(self, relation: str) -> list[str]:
        """The columns of a file that stands after `from`, in lower case.

        Raises:
            PlanError: it cannot be read.
        """
        try:
            rows = self._connection.execute(f"describe\nselect *\nfrom {relation}").fetchall()
        except duckdb.Error:
            rows = []
        if not rows:
            raise PlanError("The file cannot be read.", where="view", fix="name a table")
        return [row[0].lower() for row in rows]


_COLUMN = r'(?:"(?:[^"]|"")*"|[^\s".,()]+)'
_VIEW = re.compile(
    rf"CREATE (?:TEMP(?:ORARY)? )?VIEW (?:IF NOT EXISTS )?{_COLUMN}(?:\.{_COLUMN})*"
    rf"\s*(?:\({_COLUMN}(?:, {_COLUMN})*\))?\s+AS\s+",
    re.IGNORECASE,
)
"""What precedes the select of a view."""


def refuse_work_names(connection: duckdb.DuckDBPyConnection) -> None:
    """Check that no schema that names are looked up in is called as the working tables.

    Raises:
        PlanError: one is.
    """
    rows = connection.execute(
        "select lower(database_name), lower(schema_name),\n"
        "    in_search_path(database_name, schema_name)\nfrom system.main.duckdb_schemas()"
    ).fetchall()
    in_path = {database for database, _, is_in_path in rows if is_in_path}
    if any(schema == WORK_CATALOG and database in in_path for database, schema, _ in rows):
        raise PlanError(
            f"The connection has a schema '{WORK_CATALOG}', which is the name of working tables.",
            where="connection",
            fix="use another connection, or `use` another database on it",
        )


def refuse_macros(connection: duckdb.DuckDBPyConnection) -> None:
    """Check that no macro or function of the connection replaces a built-in function of DuckDB.

    Raises:
        PlanError: names the first one that does.
    """
    # Functions are called here only by their full names, as a bare one could be replaced.
    rows = connection.execute(
        "select internal, database_name, schema_name, function_name\n"
        "from system.main.duckdb_functions()"
    ).fetchall()
    own = {row[-1].lower() for row in rows if row[0]}
    for place in sorted(row[1:] for row in rows if not row[0] and row[-1].lower() in own):
        raise PlanError(
            f"The connection has a macro or function '{place[-1]}', which replaces DuckDB's own.",
            where="connection",
            fix=f"drop it (drop macro {table_sql(place)}), or use another connection",
        )
