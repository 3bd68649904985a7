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

from sqlanon.boundary.locks import private_folder
from sqlanon.engines.base import ArrowTable
from sqlanon.engines.duckdb import DuckDBEngine
from sqlanon.plan.plan import Plan
from sqlanon.sql.paths import PathMap
from sqlanon.sql.render import text
from sqlanon.sql.step import WORK_CATALOG, Step, quoted
from sqlanon.sql.tables import Parts, table_sql

_KNOWN_TYPE = re.compile(r"[A-Z]+(\(\d+(, ?\d+)?\))?( WITH TIME ZONE)?")


class Shapes:
    """The relations of a run, without rows; columns have DuckDB's types. It reads local files."""

    def __init__(self, plan: Plan, folder: Path, readable: Iterable[str]) -> None:
        self._files: dict[str, Path] = {}
        self._places = PathMap(folder, self._files)
        self._schemas: set[Parts] = set()
        with contextlib.ExitStack() as opened:
            private = private_folder(Path(tempfile.gettempdir()), "sqlanon_")
            self._folder = opened.enter_context(private)
            self._engine = DuckDBEngine(
                plan, self._places, readable=readable, writable=self._folder, publishes=False
            )
            opened.callback(self._engine.close)
            self.close = opened.pop_all().close

    def add_table(self, parts: Parts, columns: Mapping[str, str]) -> None:
        """Make a table of the user known."""
        for length in range(1, len(parts)):
            schema = parts[:length]
            if schema not in self._schemas:
                self._schemas.add(schema)
                is_database = length < len(parts) - 1
                made = (
                    f"attach ':memory:' as {quoted(schema[0])}"
                    if is_database
                    else f"create schema if not exists {table_sql(schema)}"
                )
                self._engine.ask(made, "columns")
        self._engine.ask(f"create table {table_sql(parts)} ({_definitions(columns)})", "columns")

    def add_relation(self, name: str, columns: Mapping[str, str]) -> None:
        """Make a working relation known that no step made."""
        relation = f"{WORK_CATALOG}.{quoted(name)}"
        self._engine.ask(f"create table {relation} ({_definitions(columns)})", name)

    def add_files(self, path: str, columns: Mapping[str, str]) -> None:
        """Make files of other places known, by the path that steps have."""
        made = ", ".join(
            f"cast(null as {_type(kind)}) as {quoted(name)}" for name, kind in columns.items()
        )
        self._write(path, f"select {made} where false", "columns")

    def make(self, step: Step) -> dict[str, str]:
        """The columns of the relation of a step, which is made; a copy makes its file."""
        select = self._places.resolved(step.select)
        if step.kind == "copy":
            self._write(step.target, select, step.name)
            return dict(self.of(step))
        relation = f"{WORK_CATALOG}.{quoted(step.name)}"
        self._engine.ask(f"create table {relation} as (\n{select}\n) with no data", step.name)
        return self._engine.types(relation, step.name)

    def of(self, step: Step) -> list[tuple[str, str]]:
        """The columns of what a step returns, which may have one name, and their types."""
        rows = self._engine.ask(f"describe\n{self._places.resolved(step.select)}", step.name)
        return [(row[0], row[1]) for row in rows]

    def read(self, relation: str) -> ArrowTable:
        """The rows of a local file, by SQL that reads it, with its path marked."""
        sql = f"select * from {self._places.resolved(relation)}"
        return self._engine.arrow(sql, "hierarchies")

    def copy(self, step: Step, rows: ArrowTable, file: str) -> None:
        """Write rows to a local file, as DuckDB writes those of a copy."""
        made = self._folder / f"{len(self._files)}.csv"
        target = f"{text(str(made))} ({step.copy_options})"
        self._engine.ask(f"copy (select * from sqlanon_rows) to {target}", step.name, rows)
        shutil.move(made, file)

    def _write(self, path: str, select: str, step: str) -> None:
        """Write the file without rows that stands for a path."""
        self._files[path] = self._folder / f"{len(self._files)}.parquet"
        file = text(str(self._files[path]))
        self._engine.ask(f"copy (\n{select}\n) to {file} (format parquet)", step)


def _type(kind: str) -> str:
    """A type of DuckDB; for one that it does not have, a struct that has its name in its own."""
    return kind if _KNOWN_TYPE.fullmatch(kind) else f"struct({quoted(kind)} boolean)"


def _definitions(columns: Mapping[str, str]) -> str:
    return ", ".join(f"{quoted(name)} {_type(kind)}" for name, kind in columns.items())
