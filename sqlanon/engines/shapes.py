"""The relations of a run without their rows: which columns they have, and of which types.

A step that runs in another database is executed here, too, in DuckDB, but over relations without a
row. So DuckDB has checked each text that is translated, every relation has the columns and types
that it has in DuckDB, and nobody asks the other database for them.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

import duckdb

from sqlanon.engines.database import ArrowTable
from sqlanon.engines.duckdb import DuckDBEngine
from sqlanon.engines.duckdb_errors import engine_error
from sqlanon.plan.plan import Plan
from sqlanon.sql.paths import PathMap
from sqlanon.sql.render import text
from sqlanon.sql.step import WORK_CATALOG, Step, quoted
from sqlanon.sql.tables import Parts, table_sql
from sqlanon.system.locks import private_folder


class Shapes:
    """The relations of a run, without rows.

    Args:
        plan: whose steps are executed.
        folder: what relative paths are relative to.
        readable: the local files that may be read: those of hierarchies.
    """

    def __init__(self, plan: Plan, folder: Path, readable: Iterable[str]) -> None:
        self._open = contextlib.ExitStack()
        try:
            self._folder = self._open.enter_context(
                private_folder(Path(tempfile.gettempdir()), "sqlanon_")
            )
            self._files: dict[str, Path] = {}
            self._places = PathMap(folder, self._files)
            self._schemas: set[Parts] = set()
            engine = DuckDBEngine(
                plan, self._places, readable=readable, writable=self._folder, publishes=False
            )
            self._open.callback(engine.close)
            self._connection = engine.connection
        except BaseException:
            self._open.close()
            raise

    def close(self) -> None:
        """Forget them."""
        self._open.close()

    def add_table(self, parts: Parts, columns: Mapping[str, str]) -> None:
        """Make a table of the user known.

        Args:
            columns: DuckDB's type of each.
        """
        *schema, _ = parts
        for length in range(1, len(schema) + 1):
            self._add_schema(tuple(schema[:length]), is_database=length < len(schema))
        self._do(f"create table {table_sql(parts)} ({_definitions(columns)})", "columns")

    def _add_schema(self, parts: Parts, *, is_database: bool) -> None:
        if parts in self._schemas:
            return
        self._schemas.add(parts)
        made = f"attach ':memory:' as {quoted(parts[0])}"
        self._do(
            made if is_database else f"create schema if not exists {table_sql(parts)}", "columns"
        )

    def add_files(self, path: str, columns: Mapping[str, str]) -> None:
        """Make files known that are elsewhere.

        Args:
            path: as a step has it.
            columns: DuckDB's type of each.
        """
        self._files[path] = self._folder / f"{len(self._files)}.parquet"
        made = ", ".join(
            f"cast(null as {_type(kind)}) as {quoted(name)}" for name, kind in columns.items()
        )
        file = text(str(self._files[path]))
        self._do(f"copy (select {made} where false) to {file} (format parquet)", "columns")

    def make(self, step: Step) -> dict[str, str]:
        """Make the relation of a step; a copy makes the file of its target.

        Returns:
            its columns, with DuckDB's type of each.
        """
        select = self._places.resolved(step.select)
        if step.kind == "copy":
            self._files[step.target] = self._folder / f"{len(self._files)}.parquet"
            file = text(str(self._files[step.target]))
            self._do(f"copy (\n{select}\n) to {file} (format parquet)", step.name)
            return dict(self.of(step))
        relation = f"{WORK_CATALOG}.{quoted(step.name)}"
        self._do(f"create table {relation} as (\n{select}\n) with no data", step.name)
        return self._described(f"describe {relation}", step.name)

    def add_relation(self, name: str, types: Mapping[str, str]) -> None:
        """Make a working relation known that no step made."""
        self._do(f"create table {WORK_CATALOG}.{quoted(name)} ({_definitions(types)})", name)

    def write(self, step: Step, rows: ArrowTable, file: str) -> None:
        """Write rows to a local file, as DuckDB writes those of a copy."""
        self._connection.register("sqlanon_rows", rows)
        made = self._folder / f"{len(self._files)}.csv"
        target = f"{text(str(made))} ({step.copy_options})"
        try:
            self._do(f"copy (select * from sqlanon_rows) to {target}", step.name)
        finally:
            self._connection.unregister("sqlanon_rows")
        shutil.move(made, file)

    def of(self, step: Step) -> list[tuple[str, str]]:
        """The columns of what a step returns, which may have one name, and their types."""
        rows = self._do(f"describe\n{self._places.resolved(step.select)}", step.name)
        return [(row[0], row[1]) for row in rows]

    def read(self, relation: str) -> ArrowTable:
        """The rows of a local file.

        Args:
            relation: SQL that reads it, with its path marked.
        """
        try:
            sql = f"select * from {self._places.resolved(relation)}"
            return self._connection.sql(sql).to_arrow_table()
        except duckdb.Error as error:
            refusal = engine_error(error, "hierarchies")
        raise refusal

    def columns_of(self, relation: str) -> list[str]:
        """The columns of a local file.

        Args:
            relation: SQL that reads it, with its path marked.
        """
        return [
            *self._described(
                f"describe\nselect *\nfrom {self._places.resolved(relation)}", "hierarchies"
            )
        ]

    def _described(self, sql: str, step: str) -> dict[str, str]:
        return {row[0]: row[1] for row in self._do(sql, step)}

    def _do(self, sql: str, step: str) -> list[tuple[str, ...]]:
        try:
            return self._connection.execute(sql).fetchall()
        except duckdb.Error as error:
            refusal = engine_error(error, step, sql)
        raise refusal


_KNOWN = re.compile(r"[A-Z]+(\(\d+(, ?\d+)?\))?( WITH TIME ZONE)?")


def _type(kind: str) -> str:
    """A type of DuckDB; for one that it does not have, a struct that has its name in its own."""
    return kind if _KNOWN.fullmatch(kind) else f"struct({quoted(kind)} boolean)"


def _definitions(columns: Mapping[str, str]) -> str:
    return ", ".join(f"{quoted(name)} {_type(kind)}" for name, kind in columns.items())
