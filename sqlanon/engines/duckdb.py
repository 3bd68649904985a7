"""DuckDB: an in-memory database of its own, or a connection of the caller.

All working tables are in a separate catalog, `sqlanon`, in memory (and spill to disk if memory is
full), so they never clash with tables of the user. A source in a DuckDB file is attached read-only.

Before the database of its own executes SQL of the plan, access is restricted: it can read only the
plan's inputs, write only to the private folder of the run, and load no extension, and its
configuration is locked. A connection of the caller cannot be restricted in this way; the caller
decides what it may read.
"""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import duckdb

from sqlanon.bounds import memory_size
from sqlanon.engines.base import JournalEntry, Progress, StagedRows
from sqlanon.engines.connection import reads_on
from sqlanon.engines.duckdb_errors import engine_error
from sqlanon.engines.memory import MemoryWatch
from sqlanon.engines.python_tables import create_table
from sqlanon.engines.tables import WHERE_TABLES_FAIL, replace_tables, standing
from sqlanon.engines.turns import end_turn, take_turn
from sqlanon.engines.worker import TooMuchMemory, Worker
from sqlanon.errors import EngineError, PlanError, did_you_mean
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Destination
from sqlanon.source.reading import SOURCE_DATABASE, attached_databases
from sqlanon.source.secrets import session_secrets
from sqlanon.source.settings import result_settings
from sqlanon.sql.paths import PathMap, literal_pattern
from sqlanon.sql.render import text
from sqlanon.sql.step import ASKS, WORK_CATALOG, Rows, Step, quoted
from sqlanon.sql.tables import Parts, table_parts
from sqlanon.sql.views import Reads
from sqlanon.system.files import sha256_of
from sqlanon.system.locks import private_folder

_CLOSED = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_unsigned_extensions": "false",
    "enable_external_access": "false",
    "lock_configuration": "true",
}
"""Settings that restrict access, in this order."""


NO_TABLES: Mapping[str, object] = MappingProxyType({})


class DuckDBEngine:
    """Executes steps in DuckDB.

    Args:
        plan: the plan whose source is attached.
        places: where the paths of steps are.
        readable: absolute paths and patterns of the files that may be read.
        writable: the folder that may be written to; None if nothing is written.
        connection: a connection of the caller; it is left open, with its settings restored.
        threads: number of threads; by default, all cores.
        memory_limit: such as '4GB'; above it, DuckDB spills to a temporary folder.
        progress: called when a step starts, and when it has ended.
        publishes: whether rows may be published; if not, pseudonyms need no key.
        tables: tables of Python, which become the temporary tables `temp.NAME`.
    """

    name = "duckdb"

    def __init__(
        self,
        plan: Plan,
        places: PathMap,
        *,
        readable: Iterable[str] = (),
        writable: Path | None = None,
        connection: duckdb.DuckDBPyConnection | None = None,
        threads: int | None = None,
        memory_limit: str | None = None,
        progress: Callable[[Progress], None] | None = None,
        publishes: bool = True,
        tables: Mapping[str, object] = NO_TABLES,
    ) -> None:
        self.version = duckdb.__version__
        self.journal: list[JournalEntry] = []
        self._places = places
        self._progress = progress or (lambda _: None)
        self._folders = contextlib.ExitStack()
        self._worker = Worker(lambda: self.connection.interrupt())
        self._owned = connection is None
        self._attached: list[str] = []
        self._variables: list[str] = []
        self._temporary: list[str] = []
        self._restore: dict[str, str] = {}
        self._turn = ""
        settings: dict[str, str] = {}
        if connection is not None and memory_limit is not None:
            raise PlanError(
                "A connection of the caller has its own memory limit.",
                where="memory_limit",
                fix="set memory_limit on the connection, or leave out the connection",
            )
        self.connection = duckdb.connect() if connection is None else connection
        if threads is not None:
            settings["threads"] = str(threads)
        if memory_limit is not None:
            settings["memory_limit"] = text(memory_limit)
        try:
            if connection is None:
                spill = self._folders.enter_context(
                    private_folder(Path(tempfile.gettempdir()), "sqlanon_")
                )
                settings |= {
                    "temp_directory": text(str(spill)),
                    "python_enable_replacements": "false",
                    "enable_progress_bar": "false",
                }
            else:
                self._refuse_open_transaction()
                self._restore = {name: self._setting(name) for name in settings}
            self._turn = take_turn(self._attach_work, self._turns)
            default = self._memory_limit() if self._owned else 0
            self._set(settings)
            if self._owned:
                self._worker.memory = MemoryWatch(self._memory_limit(), default)
            self._set_what_results_depend_on(plan)
            for name, database in attached_databases(plan).items():
                self._attach_source(plan, database, name)
            for name, given in tables.items():
                (*_, table) = table_parts(name)
                create_table(self.connection, table, given, lambda work: self._in_worker(work, ""))
                self._temporary.append(table)
            for name, secret in session_secrets(plan, publishes=publishes).items():
                self._set_variable(name, secret)
            if connection is None:
                self._shut(readable, writable)
        except BaseException:
            self.close()
            raise

    @property
    def described(self) -> dict[str, Any]:
        """Name and version."""
        return {"name": self.name, "version": self.version}

    def execute(self, step: Step) -> Rows:
        start = time.perf_counter()
        self._progress(Progress(step.name, step.so_far))
        rows = self._in_worker(lambda: self._execute(step), step.name, step)
        seconds = time.perf_counter() - start
        self.journal.append(JournalEntry(step, len(rows), seconds))
        written = self._last[0][0] if step.kind in ("table", "copy") and self._last else None
        self._progress(Progress(step.name, step.so_far, seconds, written))
        return rows

    def give(self, name: str) -> tuple[Any, Mapping[str, str]]:
        """The rows of a working relation, as a `pyarrow.Table`, and the types of its columns."""
        relation = f"{WORK_CATALOG}.{quoted(name)}"
        types = {
            row[0]: row[1]
            for row in self._in_worker(partial(self._sql, f"describe {relation}"), name)
        }
        found: list[Any] = []

        def read() -> None:
            found.append(self.connection.sql(f"select * from {relation}").to_arrow_table())

        self._in_worker(read, name)
        return found[0], types

    def take(self, name: str, rows: Any, types: Mapping[str, str]) -> None:
        """Make a working table of the rows of a `pyarrow.Table`."""
        columns = ", ".join(
            f"cast({quoted(column)} as {kind}) as {quoted(column)}"
            for column, kind in types.items()
        )
        made = f"create table {WORK_CATALOG}.{quoted(name)} as select {columns} from sqlanon_rows"

        def make() -> None:
            self.connection.register("sqlanon_rows", rows)
            try:
                self._sql(made)
            finally:
                self.connection.unregister("sqlanon_rows")

        self._in_worker(make, name)

    def drop(self, step: Step) -> None:
        """Drop the relation that a step made."""
        kind = "view" if step.kind == "view" else "table"
        drop = f"drop {kind} {WORK_CATALOG}.{quoted(step.name)}"
        self._in_worker(partial(self._sql, drop), step.name)

    def reads(self, table: Parts) -> Reads:
        """What a table or view reads; see `RowEngine`."""
        return reads_on(self.connection, table)

    def standing(self, place: Destination) -> str | None:
        """The digest of what is at a place; see `RowEngine`."""
        return standing(self._places.folder, place, self.connection)

    def staged(
        self, copies: Mapping[str, Destination], relations: Sequence[str]
    ) -> list[StagedRows]:
        """The staged files, with the digests that they have now; see `RowEngine`."""
        files = [Path(self._places.absolute(path)) for path in copies]
        return [
            StagedRows(place, sha256_of(file), file=file)
            for place, file in zip(copies.values(), files, strict=True)
        ]

    def is_unchanged(self, staged: Sequence[StagedRows]) -> bool:
        """Whether the staged files are still those."""
        return all(each.is_unchanged for each in staged)

    def publish(self, staged: Sequence[StagedRows]) -> None:
        """Replace tables of the connection by the rows of staged files, in one transaction."""
        try:
            self._in_worker(lambda: replace_tables(self.connection, staged), "publish")
        except EngineError as error:
            raise EngineError(error.what, where=error.where, fix=WHERE_TABLES_FAIL) from error

    def close(self) -> None:
        with contextlib.ExitStack() as undo:  # each part is tried, even if others fail
            undo.callback(self._folders.close)
            undo.callback(self._worker.close)
            if self._owned:
                undo.callback(self.connection.close)
            if self._turn:
                undo.callback(end_turn, self._turn)
                self._turn = ""
            for name in self._attached[:]:  # after the settings, for whose turn is next
                undo.callback(self._detach, name)
            for name in self._temporary:
                dropped = f"drop table temp.main.{quoted(name)}"
                undo.callback(self._in_worker, partial(self._sql, dropped), "close")
            for name in self._variables:
                undo.callback(self._in_worker, partial(self._sql, f"reset variable {name}"), "")
            for name, value in self._restore.items():
                setting = f"set {name} = {text(value)}"
                undo.callback(self._in_worker, partial(self._sql, setting), "close")

    def _shut(self, readable: Iterable[str], writable: Path | None) -> None:
        """Restrict later statements to the inputs and the private folder."""
        paths = ", ".join(text(path) for path in readable)
        private = [] if writable is None else [str(writable), literal_pattern(str(writable))]
        folders = ", ".join(map(text, private))
        self._set({"allowed_paths": f"[{paths}]", "allowed_directories": f"[{folders}]", **_CLOSED})

    def _set(self, settings: dict[str, str]) -> None:
        for name, value in settings.items():
            self._in_worker(partial(self._sql, f"set {name} = {value}"), f"set {name}")

    def _execute(self, step: Step) -> Rows:
        for statement in step.statements(self._places.resolved):
            self._sql(statement)
            if step.kind == "proof":
                relation = f"{WORK_CATALOG}.{quoted(step.name)}"
                violations = self._sql(f"select * from {relation} limit 100")
                if violations:
                    return violations
            elif step.kind == "attach":
                self._attached.append(step.name)
        return self._last if step.kind in ASKS else []

    def _refuse_open_transaction(self) -> None:
        """Publishing is its own transaction; a failure would roll back the caller's as well."""
        question = "select txid_current()"
        first, second = (self._in_worker(lambda: self._sql(question), "connect") for _ in range(2))
        if first == second:  # outside of a transaction, every statement has a transaction ID
            raise PlanError(
                "The connection has an open transaction.",
                where="connection",
                fix="commit or roll back before the call",
            )

    def _attach_source(self, plan: Plan, database: str, name: str) -> None:
        key = "source" if name == SOURCE_DATABASE else "population"
        file = plan.folder / database
        if not file.is_file():
            raise PlanError(
                f"The DuckDB file '{database}' does not exist.",
                where=plan.where(key),
                fix="check the path; it starts from the plan's folder",
            )
        try:
            self._attach(f"attach {text(str(file))} as {name} (read_only)", name)
        except EngineError as error:
            raise PlanError(
                f"DuckDB could not open '{database}' for reading.",
                where=plan.where(key),
                fix="check that it is a DuckDB file, and that no other program writes to it",
            ) from error

    def _set_what_results_depend_on(self, plan: Plan) -> None:
        """Give the session the plan's time zone and DuckDB's default settings until it is closed.

        Raises:
            PlanError: there is no such time zone, or a connection has other settings and is locked.
        """
        for name, value in result_settings(plan).items():
            earlier = self._setting(name)
            if earlier.lower() == value.lower():
                continue
            try:
                self._sql(f"set {name} = {text(value)}")
            except duckdb.NotImplementedException:
                known = [row[0] for row in self._sql("select name from pg_timezone_names()")]
                raise PlanError(
                    f"There is no time zone '{value}'.",
                    where=plan.where("time_zone"),
                    fix=did_you_mean(value, known),
                ) from None
            except duckdb.Error:
                raise PlanError(
                    f"The connection's setting {name} is not '{value}' and cannot be changed.",
                    where="connection",
                    fix=f"call `set {name} = '{value}'` before `set lock_configuration = true`",
                ) from None
            if not self._owned:
                self._restore[name] = earlier

    def _set_variable(self, name: str, value: str) -> None:
        """Set a variable of the session; no statement that is kept or shown contains its value."""
        self.connection.execute(f"set variable {name} = $value", {"value": value})
        self._variables.append(name)

    def _attach_work(self, mark: str) -> None:
        """Attach the catalog of working tables, with a schema that says whose it is."""
        self._attach(f"attach ':memory:' as {WORK_CATALOG}", WORK_CATALOG)
        self._in_worker(lambda: self._sql(f"create schema {WORK_CATALOG}.{mark}"), "attach")

    def _turns(self) -> list[str]:
        """The schemas of the catalog of working tables, whoever has attached it."""
        question = (
            f"select schema_name from duckdb_schemas() where database_name = {text(WORK_CATALOG)}"
        )
        return [str(name) for (name,) in self._in_worker(lambda: self._sql(question), "attach")]

    def _attach(self, statement: str, name: str) -> None:
        self._in_worker(lambda: self._sql(statement), "attach")
        self._attached.append(name)

    def _detach(self, name: str) -> None:
        self._attached.remove(name)
        self._in_worker(lambda: self._sql(f"detach {name}"), "detach")

    def _memory_limit(self) -> int:
        return memory_size(self._setting("memory_limit"))

    def _setting(self, name: str) -> str:
        question = f"select current_setting({text(name)})"
        rows = self._in_worker(lambda: self._sql(question), "connect")
        return str(rows[0][0])

    def _sql(self, statement: str) -> Rows:
        self._last: Rows = self.connection.execute(statement).fetchall()
        return self._last

    def _in_worker(
        self, work: Callable[[], Rows | None], step: str, executed: Step | None = None
    ) -> Rows:
        """Run in a thread, so that Ctrl-C reaches us; then stop the query before going on."""
        try:
            return self._worker.do(work) or []
        except TooMuchMemory:
            refusal: EngineError | PlanError = EngineError(
                "The process took half as much memory again as its limit.",
                where=f"step {step}",
                fix="check the queries of the plan for long texts and lists, or give a larger"
                " --memory-limit",
            )
        except duckdb.Error as error:
            texts = "\n".join(executed.statements()) if executed else ""
            refusal = engine_error(error, step, texts)
        raise refusal  # outside of the handler, to have no context
