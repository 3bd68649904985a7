"""Executes steps in another database than DuckDB, in its own dialect, and the search here.

A step is translated, and bound in DuckDB over relations without rows (`shapes.py`), before it runs.
The source and the population are tables or files of the database. The files of hierarchies are
here; their rows are loaded into it.

A search that is here is DuckDB's: a step that reads rows runs in the database that has them, all
others here. What a step reads and the other one has is handed over first, once: from the database
only the relations of `HANDED_OVER`, which grow with the distinct combinations of quasi-identifiers
and not with the rows; to the database whatever the release needs, such as the labels of classes.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, TypeVar

from sqlanon.dialects.steps import external_inputs
from sqlanon.dialects.transpile import (
    NamedTable,
    Tables,
    transpile,
    transpile_step,
    unused_name,
)
from sqlanon.engines.base import Database, JournalEntry, Progress, StagedRows
from sqlanon.engines.duckdb import DuckDBEngine
from sqlanon.engines.shapes import Shapes
from sqlanon.engines.worker import Worker
from sqlanon.errors import EngineError, PlanError, SqlanonError, brief
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Destination, Source
from sqlanon.source.secrets import session_secrets
from sqlanon.sql.paths import PathMap, reads_paths, unmarked
from sqlanon.sql.step import ASKS, QUERIES, WORK_CATALOG, Rows, Step, quoted, relations_in
from sqlanon.sql.tables import Parts, rows_digest_step, table_name, table_parts
from sqlanon.sql.views import Reads

HANDED_OVER = frozenset(
    {"source_combinations", "population_combinations", "published_combinations"}
)
"""What may leave the database, beside hierarchies that are queries of it.

Combinations are personal data. They stay in the memory of this process, or in DuckDB's spill
folder, which only this user can read and which ends with the run.
"""

MOST_COMBINATIONS = 20_000_000
"""Rows of a relation that is handed over, at most; docs/engines.md measures what they take."""

_NEEDS = {"postgres": "psycopg", "spark": "pyspark"}
"""The package that each engine needs, which the extra of the engine's name installs."""

_Result = TypeVar("_Result")


class Runner:
    """Executes steps in a database, and in DuckDB those that read none of its rows.

    Args:
        open_database: opens the database, which is closed with this engine.
        places: where the paths of steps are.
        readable: the local files that may be read: those of hierarchies.
        files: the sources that are files, by the path that steps have.
        staged: where the rows of copies will be published, by the copies' targets.
        open_search: opens the engine of a search that runs here; None if it runs there.
        progress: called when a step starts, and when it has ended.
        publishes: whether rows may be published; if not, pseudonyms need no key.
    """

    def __init__(
        self,
        open_database: Callable[[], Database],
        plan: Plan,
        places: PathMap,
        *,
        readable: Iterable[str] = (),
        files: Iterable[Source] = (),
        staged: Mapping[str, Destination] | None = None,
        open_search: Callable[[], DuckDBEngine] | None = None,
        progress: Callable[[Progress], None] | None = None,
        publishes: bool = True,
    ) -> None:
        self.database = database = open_database()
        self.journal: list[JournalEntry] = []
        self._plan, self._places = plan, places
        self._dialect = plan.engine.dialect
        self._progress = progress or (lambda _: None)
        self._destinations = staged or {}
        self._files = {source.path: source for source in files if source.path is not None}
        self._staged: set[str] = set()
        self._worker = Worker(database.cancel)
        self._tables = Tables(self._find)
        self._step = Step("open", "")
        self._executed = ""
        self._handed_over: dict[str, int] = {}
        self._there: set[str] = set()
        self._here: set[str] = set()
        self._spelled: dict[str, str] = {}  # working relations, by their names in lower case
        self._search: DuckDBEngine | None = None
        self._open = contextlib.ExitStack()
        self._open.callback(self._worker.close)
        self._open.callback(self._do, database.close)
        try:
            self._shapes = Shapes(plan, places.folder, readable)
            self._open.callback(self._shapes.close)
            for name, secret in session_secrets(plan, publishes=publishes).items():
                self._do(partial(database.set_variable, name, secret))
            if open_search is not None:
                self._search = open_search()
                self._open.callback(self._search.close)
        except BaseException:
            self._open.close()
            raise

    @property
    def described(self) -> dict[str, Any]:
        """Name, version, where the search runs, and what was handed over: relation, rows."""
        entry = {"name": self._plan.engine.name, "version": self.database.version}
        if self._search is None:
            return {**entry, "search": "engine"}
        return {**entry, "search": "driver", "handed_over": dict(self._handed_over)}

    def execute(self, step: Step) -> Rows:
        """Execute a step where what it reads is; see `Engine`."""
        start = time.perf_counter()
        reads = relations_in(step.select)
        translation = ""
        if self._search is None or self._reads_rows(step, reads):
            for name in sorted((reads & self._here) - self._there):
                self._send(self._spelled[name], self._search)
            rows, made = self._execute_there(step), self._there
            translation = self._executed
        else:
            for name in sorted((reads & self._there) - self._here):
                self._fetch(self._spelled[name], self._search)
            rows, made = self._search.execute(step), self._here
        if step.kind not in (*ASKS, "copy"):
            made.add(step.name.lower())
            self._spelled[step.name.lower()] = step.name
        seconds = time.perf_counter() - start
        self.journal.append(JournalEntry(step, len(rows), seconds, translation))
        return rows

    def staged(
        self, copies: Mapping[str, Destination], relations: Sequence[str]
    ) -> list[StagedRows]:
        self._do(self.database.require_unchanged)
        found = []
        for (target, place), relation in zip(copies.items(), relations, strict=True):
            digest = self._do(partial(self.database.digest, place))
            if digest is None:
                types = self._tables[target].types
                ((rows_digest,),) = self.execute(rows_digest_step(relation, list(types)))
                found.append(StagedRows(place, str(rows_digest), of_rows=True))
            else:
                found.append(StagedRows(place, digest))
        return found

    def is_unchanged(self, staged: Sequence[StagedRows]) -> bool:
        now = [(each, self._do(partial(self.database.digest, each.place))) for each in staged]
        return all(digest in (None, each.sha256) for each, digest in now)

    def reads(self, table: Parts) -> Reads:
        """A table reads itself; what a view reads is not known."""
        is_view = self._do(partial(self.database.is_view, table))
        return Reads(frozenset({table}), is_known=not is_view)

    def columns(self, table: Parts) -> dict[str, str] | None:
        """The columns of a table of the user, with DuckDB's types; None if there is none."""
        return self._do(partial(self.database.columns, table))

    def existing_digest(self, place: Destination) -> str | None:
        return self._do(partial(self.database.existing_digest, place))

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
        self._open.close()

    # --- relations that are handed over

    def _reads_rows(self, step: Step, reads: set[str]) -> bool:
        """Whether a step reads what stays in the database, or writes a file."""
        kept = (reads & self._there) - self._here - HANDED_OVER
        if step.kind == "copy" or any(not name.startswith("hierarchy_of_") for name in kept):
            return True
        of_query = step.name.startswith(("hierarchy_of_", "proof_of_labels"))
        may_read = step.name in QUERIES or of_query
        if reads and not may_read and not reads_paths(step.sql):
            return False
        return any(
            not literal or unmarked(literal) in {*self._files, *self._staged}
            for literal, _ in external_inputs(step.select)
        )

    def _fetch(self, name: str, search: DuckDBEngine) -> None:
        """Hand over a relation of the database, which may not have too many rows."""
        relation = f"{WORK_CATALOG}.{quoted(name)}"
        counted = f"select count(*)\nfrom {relation}"
        ((count,),) = self._execute_there(Step("combinations", counted, "rows"))
        if count > MOST_COMBINATIONS:
            raise EngineError(
                f"{name} has {count:,} rows, more than the {MOST_COMBINATIONS:,} that are searched"
                " here.",
                where=f"step {name}",
                fix="leave out or round quasi-identifiers in a `source: {query: …}`, or search in"
                " PostgreSQL with `engine: {search: engine}`",
            )
        types = self._tables[f"{WORK_CATALOG}.{name}"].types
        query = transpile(f"select *\nfrom {relation}", self._dialect, self._tables)
        rows = self._do(partial(self.database.arrow, query)).rename_columns(list(types))
        columns = ", ".join(
            f"cast({quoted(column)} as {kind}) as {quoted(column)}"
            for column, kind in types.items()
        )
        search.ask(f"create table {relation} as select {columns} from sqlanon_rows", name, rows)
        self._here.add(name.lower())
        self._handed_over[name] = count

    def _send(self, name: str, search: DuckDBEngine | None) -> None:
        """Hand over a relation that the search made."""
        assert search is not None
        made = f"{WORK_CATALOG}.{quoted(name)}"
        types, rows = search.types(made, name), search.arrow(f"select * from {made}", name)
        relation = self._know(name, types)
        self._do(partial(self.database.load, relation, rows, types))
        self._shapes.add_relation(name, types)
        self._there.add(name.lower())

    # --- steps

    def _execute_there(self, step: Step) -> Rows:
        """Execute a step in the database."""
        start = time.perf_counter()
        self._progress(Progress(step.name, step.so_far))
        rows = self._execute(step)
        self._progress(Progress(step.name, step.so_far, time.perf_counter() - start))
        return rows

    def _execute(self, step: Step) -> Rows:
        database = self.database
        query = self.translated(step)  # finds the tables that it reads
        if step.kind == "columns":
            return self._shapes.of(step)
        if step.kind == "rows":
            return self._rows(query, [kind for _, kind in self._shapes.of(step)])
        types = self._shapes.make(step)
        if step.kind == "copy" and step.target in self._destinations:
            place = self._destinations[step.target]
            relation = self._do(partial(database.stage, place, query))
            self._tables[step.target] = NamedTable(relation, types)
            self._staged.add(step.target)
            return []
        if step.kind == "copy":
            rows = self._do(partial(database.arrow, query))
            self._shapes.copy(step, rows, self._places.absolute(step.target))
            return []
        relation = self._know(step.name, types)
        self._executed = f"-- {relation}\n{query}"
        self._do(
            partial(database.make, "view" if step.kind == "view" else "table", relation, query)
        )
        if step.kind != "proof":
            return []
        violations = f"select *\nfrom {WORK_CATALOG}.{quoted(step.name)}"
        query = transpile(violations, self._dialect, self._tables)
        return self._rows(query, [*types.values()], most=100)

    def translated(self, step: Step) -> str:
        """The query of a step in the database's dialect; it is not executed."""
        self._step, self._executed = step, ""
        where = self._plan.where("engine")
        self._executed = transpile_step(step, self._dialect, self._tables, where)
        return self._executed

    def assume(self, step: Step) -> None:
        """Know the relation of a step that was not executed."""
        self._know(step.name, self._shapes.make(step))

    def _know(self, name: str, types: Mapping[str, str]) -> str:
        """What a working relation is called in the database, from now on."""
        relation = self._named(name)
        self._tables[f"{WORK_CATALOG}.{table_name((name,))}"] = NamedTable(relation, types)
        return relation

    def _named(self, name: str) -> str:
        return unused_name(name, self.database.relation, self._tables.values())

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
                f"{self._plan.engine.title} has no table '{brief(table_name(parts))}' that may be"
                " read.",
                where=self._plan.where("source"),
                fix="check its name, which has the schema in front, and the role's rights",
            )
        self._shapes.add_table(parts, columns)
        return self._watched(table_name(parts), columns)

    def _open_files(self, path: str) -> NamedTable:
        relation = None
        if self._files[path].file_format == "parquet":
            absolute = self._places.absolute(path)
            relation = self._do(partial(self.database.open_files, absolute))
        columns = relation and self.columns(table_parts(relation))
        if not relation or not columns:
            raise PlanError(
                f"{self._plan.engine.title} cannot read '{path}'.",
                where=self._plan.where("source"),
                fix="name a table of the database",
            )
        self._shapes.add_files(path, columns)
        return self._watched(relation, columns)

    def _watched(self, relation: str, columns: Mapping[str, str]) -> NamedTable:
        if self._destinations:
            names = {name.lower() for name in self._plan.columns}
            self._do(partial(self.database.watch, relation, names))
        return NamedTable(relation, columns)

    def _load_file(self, path: str, called: str) -> NamedTable:
        """The rows of a local file, such as that of a hierarchy, in a table of the database."""
        reader = next(
            sql for literal, sql in external_inputs(self._step.select) if literal == called
        )
        rows = self._shapes.read(reader)
        types = dict.fromkeys(rows.column_names, "VARCHAR")
        relation = self._named(f"file_{path.rpartition('/')[2]}")
        self._do(partial(self.database.load, relation, rows, types, (path, reader)))
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


def open_database(plan: Plan, session: Any = None) -> Database:
    """The external engine of a plan, opened; in a SparkSession of the caller, if any."""
    engine = plan.engine
    for package in (_NEEDS[engine.name], "pyarrow"):
        try:
            importlib.import_module(package)
        except ImportError:
            raise PlanError(
                f"The engine {engine.name} needs the package {package}, which is not installed.",
                where=plan.where("engine"),
                fix=f"pip install 'sqlanon[{engine.name}]'",
            ) from None
    opened: Database
    if engine.name == "postgres":
        url = None
        if engine.url_env is not None:
            url = os.environ.get(engine.url_env)
            if not url:
                raise PlanError(
                    f"The environment variable {engine.url_env} is not set.",
                    where=plan.where("engine", "url_env"),
                    fix="put the URL of the database into it, such as postgresql://HOST/DATABASE;"
                    " the password may stand in a file .pgpass",
                )
        module = importlib.import_module("sqlanon.engines.postgresql")
        opened = module.PostgreSQL(url, service=engine.service, time_zone=plan.time_zone)
        return opened
    assert engine.name == "spark"
    module = importlib.import_module("sqlanon.engines.spark")
    opened = module.Spark(
        engine.master,
        engine.settings,
        session=session,
        time_zone=plan.time_zone,
        folder=plan.folder,
    )
    return opened


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
