"""Executes steps in another database than DuckDB, in its own dialect.

A step is translated, and bound in DuckDB over relations without rows (`shapes.py`), before it runs.
The source and the population are tables or files of the database. The files of hierarchies are
here; their rows are loaded into it.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, TypeVar

from sqlanon.dialects.naming import Tables, translated, unused_name
from sqlanon.dialects.reads import outside
from sqlanon.dialects.transpile import NamedTable, transpile
from sqlanon.engines.base import JournalEntry, Progress
from sqlanon.engines.database import ArrowTable, Database, StagedRows
from sqlanon.engines.shapes import Shapes
from sqlanon.engines.worker import Worker
from sqlanon.errors import PlanError, SqlanonError, brief
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Destination, Source
from sqlanon.source.secrets import session_secrets
from sqlanon.sql.digest import rows_digest_step
from sqlanon.sql.paths import Places, unmarked
from sqlanon.sql.step import WORK_CATALOG, Rows, Step, quoted
from sqlanon.sql.tables import Parts, table_name, table_parts

_Result = TypeVar("_Result")


class TranslatingEngine:
    """Executes steps in a database.

    Args:
        database: opened for this engine, which closes it.
        plan: whose steps are executed.
        places: where the paths of steps are.
        readable: the local files that may be read: those of hierarchies.
        files: the sources that are files, by the path that steps have.
        staged: where the rows of copies will be published, by the copies' targets.
        progress: called when a step starts, and when it has ended.
        publishes: whether rows may be published; if not, pseudonyms need no key.
    """

    def __init__(
        self,
        database: Database,
        plan: Plan,
        places: Places,
        *,
        readable: Iterable[str] = (),
        files: Iterable[Source] = (),
        staged: Mapping[str, Destination] | None = None,
        progress: Callable[[Progress], None] | None = None,
        publishes: bool = True,
    ) -> None:
        self.name, self.version = database.name, database.version
        self.database = database
        self.journal: list[JournalEntry] = []
        self._plan, self._places = plan, places
        self._progress = progress or (lambda _: None)
        self._destinations = staged or {}
        self._files = {source.path: source for source in files if source.path is not None}
        self._staged: dict[str, Destination] = {}
        self._worker = Worker(database.cancel)
        self._tables = Tables(self._find)
        self._step = Step("open", "")
        self._executed = ""
        self._open = contextlib.ExitStack()
        self._open.callback(self._worker.close)
        self._open.callback(self._do, database.close)
        try:
            self.shapes = Shapes(plan, places.folder, readable)
            self._open.callback(self.shapes.close)
            for name, secret in session_secrets(plan, publishes=publishes).items():
                self._do(partial(database.set_variable, name, secret))
        except BaseException:
            self._open.close()
            raise

    @property
    def described(self) -> dict[str, Any]:
        """Name, version, and that the search runs there, too."""
        return {"name": self.name, "version": self.version, "search": "engine"}

    def execute(self, step: Step) -> Rows:
        """Execute a step; see `Engine`."""
        start = time.perf_counter()
        self._progress(Progress(step.name, step.so_far))
        self._step = step
        self._executed = ""
        rows = self._execute(step)
        seconds = time.perf_counter() - start
        self.journal.append(JournalEntry(step, len(rows), seconds, self._executed))
        self._progress(Progress(step.name, step.so_far, seconds))
        return rows

    def staged(self, relations: Sequence[str]) -> list[StagedRows]:
        """The staged rows, with the digests that they have now.

        Args:
            relations: SQL that reads each of them.

        Raises:
            PublishError: the rows that steps have read were changed meanwhile.
        """
        self._do(self.database.require_unchanged)
        places = self._staged.items()
        return [
            self._sealed(target, place, relation)
            for (target, place), relation in zip(places, relations, strict=True)
        ]

    def is_unchanged(self, staged: Sequence[StagedRows]) -> bool:
        """Whether the staged rows are still those."""
        found = [self._do(partial(self.database.digest, each.place)) for each in staged]
        return all(
            digest is None or digest == each.sha256
            for digest, each in zip(found, staged, strict=True)
        )

    def columns(self, table: Parts) -> dict[str, str] | None:
        """The columns of a table of the user, with DuckDB's types; None if there is none."""
        return self._do(partial(self.database.columns, table))

    def is_view(self, table: Parts) -> bool:
        """Whether the rows of a table of the user come from other tables."""
        return self._do(partial(self.database.is_view, table))

    def standing(self, place: Destination) -> str | None:
        """The digest of what is at a place; see `Database`."""
        return self._do(partial(self.database.standing, place))

    def publish(self, staged: Sequence[StagedRows]) -> None:
        """Put staged rows at their places; an interrupt that comes too late to stop it is none."""
        is_published = False

        def work() -> None:
            nonlocal is_published
            self.database.publish(staged)
            is_published = True

        try:
            self._do(work)
        except KeyboardInterrupt:
            if not is_published:
                raise

    def close(self) -> None:
        """Drop all working relations and unpublished rows; a caller's session stays open."""
        self._open.close()

    # --- relations that are handed over

    def has_file(self, path: str) -> bool:
        """Whether what a step calls `path` is a file of the database, or staged rows."""
        return path in self._files or path in self._staged

    def give(self, name: str) -> tuple[ArrowTable, Mapping[str, str]]:
        """The rows of a working relation, as a `pyarrow.Table`, and DuckDB's types of columns."""
        table = self._tables[f"{WORK_CATALOG}.{name}"]
        step = Step(name, f"select *\nfrom {WORK_CATALOG}.{quoted(name)}", "rows")
        query = transpile(step.sql, self.database.dialect, self._tables)
        found = self._do(partial(self.database.arrow, query))
        return found.rename_columns(list(table.types)), table.types

    def take(self, name: str, rows: ArrowTable, types: Mapping[str, str]) -> None:
        """Make a working relation of rows that are here."""
        relation = self._named(name)
        self._do(partial(self.database.load, relation, rows, types))
        self.shapes.add_relation(name, types)
        self._tables.known[f"{WORK_CATALOG}.{name}"] = NamedTable(relation, types)

    # --- steps

    def _execute(self, step: Step) -> Rows:
        database = self.database
        if step.kind == "columns":
            self._translated(step)  # finds the tables that it reads
            return self.shapes.of(step)
        query = self._translated(step)
        if step.kind == "rows":
            return self._rows(query, [kind for _, kind in self.shapes.of(step)])
        types = self.shapes.make(step)
        if step.kind == "copy" and step.target in self._destinations:
            place = self._destinations[step.target]
            relation = self._do(partial(database.stage, place, query))
            self._tables.known[step.target] = NamedTable(relation, types)
            self._staged[step.target] = place
            return []
        if step.kind == "copy":
            rows = self._do(partial(database.arrow, query))
            self.shapes.write(step, rows, self._places.absolute(step.target))
            return []
        relation = self._named(step.name)
        self._executed = f"-- {relation}\n{query}"
        self._do(
            partial(database.make, "view" if step.kind == "view" else "table", relation, query)
        )
        self._tables.known[f"{WORK_CATALOG}.{table_name((step.name,))}"] = NamedTable(
            relation, types
        )
        if step.kind != "proof":
            return []
        question = f"select *\nfrom {WORK_CATALOG}.{quoted(step.name)}"
        return self._rows(
            transpile(question, database.dialect, self._tables), [*types.values()], most=100
        )

    def _translated(self, step: Step) -> str:
        where = self._plan.where("engine")
        self._executed = translated(step, self.database.dialect, self._tables, where)
        return self._executed

    def _rows(self, query: str, types: Sequence[str], most: int | None = None) -> Rows:
        convert = [_conversion(kind) for kind in types]
        found = self._do(partial(self.database.rows, query, most))
        return [
            tuple(
                None if cell is None else change(cell)
                for cell, change in zip(row, convert, strict=True)
            )
            for row in found
        ]

    def _named(self, name: str) -> str:
        return unused_name(name, self.database.relation, self._tables.known.values())

    def _sealed(self, target: str, place: Destination, relation: str) -> StagedRows:
        digest = self._do(partial(self.database.digest, place))
        if digest is not None:
            return StagedRows(place, digest)
        types = self._tables[target].types
        ((found,),) = self.execute(rows_digest_step(relation, list(types)))
        return StagedRows(place, str(found), of_rows=True)

    # --- what steps read that is not made by steps

    def _find(self, called: str) -> NamedTable | None:
        """A table or files of the user, by what it is called in SQL; None if there is none."""
        if called.startswith(f"{WORK_CATALOG}."):
            return None
        path = unmarked(called)
        if path is None:
            return self._find_table(table_parts(called))
        if path in self._files:
            return self._open_files(path)
        return self._load_file(path, called)

    def _find_table(self, parts: Parts) -> NamedTable:
        columns = self.columns(parts)
        if columns is None:
            raise PlanError(
                f"{self.database.title} has no table '{brief(table_name(parts))}' that may be"
                " read.",
                where=self._plan.where("source"),
                fix="check its name, which has the schema in front, and the role's rights",
            )
        self.shapes.add_table(parts, columns)
        return self._watched(table_name(parts), columns)

    def _open_files(self, path: str) -> NamedTable:
        source = self._files[path]
        relation = None
        if source.file_format == "parquet":
            absolute = self._places.absolute(path)
            relation = self._do(partial(self.database.open_files, absolute))
        columns = relation and self._do(partial(self.database.columns, table_parts(relation)))
        if not relation or not columns:
            raise PlanError(
                f"{self.database.title} cannot read '{path}'.",
                where=self._plan.where("source"),
                fix="name a table of the database",
            )
        self.shapes.add_files(path, columns)
        return self._watched(relation, columns)

    def _watched(self, relation: str, columns: Mapping[str, str]) -> NamedTable:
        if self._destinations:
            names = {name.lower() for name in self._plan.columns}
            self._do(partial(self.database.watch, relation, names))
        return NamedTable(relation, columns)

    def _load_file(self, path: str, called: str) -> NamedTable:
        """The rows of a local file, such as that of a hierarchy, in a table of the database."""
        reader = next(sql for literal, sql in outside(self._step.select) if literal == called)
        rows = self.shapes.read(reader)
        types = dict.fromkeys(rows.column_names, "VARCHAR")
        relation = self._named(f"file_{path.rpartition('/')[2]}")
        self._do(partial(self.database.load, relation, rows, types))
        return NamedTable(relation, types)

    def _do(self, work: Callable[[], _Result]) -> _Result:
        """Have the database work, in its thread."""
        try:
            return self._worker.do(work)
        except SqlanonError:
            raise
        except Exception as error:
            refusal = self.database.refusal(error, f"step {self._step.name}")
        raise refusal  # outside of the handler, to have no context


def _conversion(kind: str) -> Callable[[Any], Any]:
    """What makes a cell the value that DuckDB would give, for its type."""
    if kind.endswith("INT") or kind in ("INTEGER", "UINTEGER"):
        return int
    if kind in ("DOUBLE", "FLOAT"):
        return float
    if kind.startswith("DECIMAL"):
        return Decimal
    if kind == "BOOLEAN":
        return bool
    return lambda cell: cell
