"""Tables of the caller's connection: their full names, and what its views read."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cached_property

import duckdb

from sqlanon.errors import PlanError, did_you_mean
from sqlanon.sql.queries import plan_query
from sqlanon.sql.step import WORK_CATALOG
from sqlanon.sql.tables import Parts, table_sql


@dataclass(frozen=True)
class Reads:
    """What a relation reads, through all views: tables by their full names, and paths of files."""

    tables: frozenset[Parts] = frozenset()
    files: frozenset[str] = frozenset()
    is_known: bool = True  # whether everything that it reads could be found

    def __or__(self, other: Reads) -> Reads:
        return Reads(
            self.tables | other.tables,
            self.files | other.files,
            self.is_known and other.is_known,
        )


Schemas = frozenset[tuple[str, str]]
"""Names of databases and schemas, in lower case."""


def _can_mean(parts: Parts, relation: Parts, schemas: Schemas) -> bool:
    """Whether a name of one to three parts can refer to a relation, with schemas in the path."""
    named = tuple(part.lower() for part in parts)
    database, schema, table = (part.lower() for part in relation)
    if named[-1] != table:
        return False
    if len(named) == 1:
        return (database, schema) in schemas
    if len(named) == 2:
        in_path = database in {looked for looked, _ in schemas}
        is_schema = named[0] == schema and in_path
        default = schema == "main" or (database, schema) in schemas
        return is_schema or (named[0] == database and default)
    return named == (database, schema, table)


class Catalog:
    """The tables and views of a connection, with their columns."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        rows = connection.execute(
            "select database_name, schema_name from system.main.duckdb_schemas()\n"
            "where in_search_path(database_name, schema_name)"
        ).fetchall()
        self._path: Schemas = frozenset((row[0].lower(), row[1].lower()) for row in rows)
        rows = connection.execute(
            "select database_name, schema_name, table_name, '' from system.main.duckdb_tables()\n"
            "where not internal\nunion all\n"
            "select database_name, schema_name, view_name, sql from system.main.duckdb_views()\n"
            "where not internal"
        ).fetchall()
        self._views: dict[Parts, str] = {row[:3]: row[3] for row in rows}  # empty of a table

    @property
    def relations(self) -> list[Parts]:
        """The full names of all tables and views."""
        return list(self._views)

    @cached_property
    def columns(self) -> dict[Parts, dict[str, str]]:
        """Of every table and view: by names in lower case what generates a column, or a default."""
        found: dict[Parts, dict[str, str]] = {}
        rows = self._connection.execute(
            "select database_name, schema_name, table_name, column_name, column_default\n"
            "from system.main.duckdb_columns()\nwhere not internal\n"
            "order by database_name, schema_name, table_name, column_index"
        ).fetchall()
        for database, schema, table, column, default in rows:
            found.setdefault((database, schema, table), {})[column.lower()] = default or ""
        return found

    def resolved(self, parts: Parts, view: Parts = (), where: str = "") -> Parts:
        """Database, schema and table that a name refers to, by itself or in a view.

        A PlanError if there is none, or only a Python object; or if the name is ambiguous.
        """
        if view and len(parts) < 3:  # in its own schema first, then in the path
            own = frozenset({(view[0].lower(), view[1].lower())})
            for relation in self._views:
                if _can_mean(parts, relation, own):
                    return relation
        found = [each for each in self._views if _can_mean(parts, each, self._path)]
        name = ".".join(parts)
        if not found:
            names = {each[-1] for each in self._views
                     if len(parts) > 1 or _can_mean(each[-1:], each, self._path)}  # fmt: skip
            raise PlanError(
                f"The connection has no table or view '{name}'.",
                where=where or ("view" if view else "source"),
                fix=f"{did_you_mean(parts[-1], names)} A Python object is not a table: register it,"
                " as in `connection.register(name, object)`".strip(),
            )
        if len(found) > 1:
            raise PlanError(
                f"'{name}' is ambiguous: it can mean {len(found)} tables of the connection.",
                where=where or ("view" if view else "source"),
                fix="name it with its database and schema: "
                + " or ".join(table_sql(one) for one in sorted(found)),
            )
        return found[0]

    def select(self, parts: Parts) -> str:
        """The select of a view, or nothing for a table."""
        sql = self._views.get(parts, "")
        made = _VIEW.match(sql)
        if sql and made is None:
            raise PlanError("The view is of another form.", where="view", fix="name a table")
        return sql[made.end() :].rstrip("; \n") if made is not None else ""

    def columns_of(self, relation: str) -> list[str]:
        """The columns of a file that stands after `from`, in lower case."""
        try:
            rows = self._connection.execute(f"describe\nselect *\nfrom {relation}").fetchall()
        except duckdb.Error:
            rows = []
        if not rows:
            raise PlanError("The file cannot be read.", where="view", fix="name a table")
        return [row[0].lower() for row in rows]

    def sources(self, parts: Parts, above: frozenset[Parts] = frozenset()) -> Reads:
        """What a table or view reads, through all views below it, including itself.

        What a view reads is not known if its SQL is not allowed in a plan's query, as with a macro
        or another table function.
        """
        reads = Reads(tables=frozenset({parts}))
        if parts in above or parts not in self._views:
            return reads if parts in above else reads | Reads(is_known=False)
        if not self._views[parts]:
            return reads
        try:
            query = plan_query(self.select(parts), "view")
            for table in query.tables:
                reads |= self.sources(self.resolved(table, parts), above | {parts})
        except PlanError:
            return reads | Reads(is_known=False)
        paths = (file.path for file in query.files)  # relative to the working directory
        return reads | Reads(
            files=frozenset(path if "://" in path else os.path.abspath(path) for path in paths)
        )


_COLUMN = r'(?:"(?:[^"]|"")*"|[^\s".,()]+)'
_VIEW = re.compile(
    rf"CREATE (?:TEMP(?:ORARY)? )?VIEW (?:IF NOT EXISTS )?{_COLUMN}(?:\.{_COLUMN})*"
    rf"\s*(?:\({_COLUMN}(?:, {_COLUMN})*\))?\s+AS\s+",
    re.IGNORECASE,
)
"""What precedes the select of a view."""


def refuse_work_names(connection: duckdb.DuckDBPyConnection) -> None:
    """Check that no schema that names are looked up in is called as the working tables."""
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
    """Check that no macro or function of the connection replaces a built-in function of DuckDB."""
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
