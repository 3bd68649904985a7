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
import re
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import duckdb

from sqlanon.boundary.files import sha256_of
from sqlanon.boundary.locks import private_folder
from sqlanon.bounds import memory_size
from sqlanon.engines.base import ArrowTable, JournalEntry, Progress, StagedRows
from sqlanon.engines.python_tables import PANDAS_SETTINGS, create_table, is_pandas
from sqlanon.engines.tables import WHERE_TABLES_FAIL, existing_digest, replace_tables
from sqlanon.engines.turns import end_turn, take_turn
from sqlanon.engines.worker import MemoryWatch, TooMuchMemory, Worker
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
from sqlanon.sql.views import Catalog, Reads

_CLOSED = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_unsigned_extensions": "false",
    "enable_external_access": "false",
    "lock_configuration": "true",
}
"""Settings that restrict access, in this order."""

_FIXES = (
    (
        (duckdb.CatalogException, duckdb.BinderException, duckdb.ParserException),
        "check the names in the plan against the source's columns; a table of another schema is"
        " named with its database, as in memory.clinic.people",
    ),
    (
        (duckdb.OutOfMemoryException,),
        "give a larger --memory-limit, or --threads 1; check free disk space",
    ),
    ((duckdb.IOException,), "check paths, free disk space, and --memory-limit"),
)
"""What to do, by the kind of error; the first line of these messages quotes no cell."""

_OURS = re.compile(r"\AInvalid Input Error: (sqlanon(?: source)?: )([^\n]*)")
_PARQUET = re.compile(r"(?:Failed to read file|in Parquet file) \"([^\"\n]*)\": ")
_CSV_LINE = re.compile(r"CSV Error on Line: (\d+)")
_CSV_FILE = re.compile(r"^  file = (.*)$", re.MULTILINE)
_TABLE = re.compile(r"\ACatalog Error: Table with name [^\n]*\nDid you mean \"([^\"\n]*)\"\?")
_CSV_COLUMNS = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")

_Result = TypeVar("_Result")

NO_TABLES: Mapping[str, object] = MappingProxyType({})


class DuckDBEngine:
    """Executes steps in DuckDB.

    Args:
        places: where the paths of steps are.
        readable: absolute paths and patterns of the files that may be read.
        writable: the folder that may be written to; None if nothing is written.
        connection: a connection of the caller; it is left open, with its settings restored.
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
        self._undo = contextlib.ExitStack()  # each part is tried, even if others fail
        self._worker = Worker(lambda: self.connection.interrupt())
        self._owned = connection is None
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
                folder = private_folder(Path(tempfile.gettempdir()), "sqlanon_")
                settings |= {
                    "temp_directory": text(str(self._undo.enter_context(folder))),
                    "python_enable_replacements": "false",
                    "enable_progress_bar": "false",
                }
            self._undo.callback(self._worker.close)
            if connection is None:
                self._undo.callback(self.connection.close)
            else:
                self._refuse_open_transaction()
            self._undo.callback(self._end_turn)  # after the settings, for whose turn is next
            self._turn = take_turn(self._attach_work, self._turns)
            default = self._memory_limit() if self._owned else 0
            self._set(settings)
            if self._owned:
                self._worker.memory = MemoryWatch(self._memory_limit(), default)
            reads_pandas = any(map(is_pandas, tables.values()))
            self._set_what_results_depend_on(plan, PANDAS_SETTINGS if reads_pandas else {})
            for name, database in attached_databases(plan).items():
                self._attach_source(plan, database, name)
            for name, rows in tables.items():
                (*_, table) = table_parts(name)
                self._in_worker(partial(create_table, self.connection, table, rows), "")
                self._undo.callback(self.ask, f"drop table temp.main.{quoted(table)}", "close")
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
        rows = self._in_worker(lambda: self._execute(step), step.name, "\n".join(step.statements()))
        seconds = time.perf_counter() - start
        self.journal.append(JournalEntry(step, len(rows), seconds))
        written = self._last[0][0] if step.kind in ("table", "copy") and self._last else None
        self._progress(Progress(step.name, step.so_far, seconds, written))
        return rows

    def ask(self, statement: str, step: str, rows: ArrowTable = None) -> Rows:
        """The rows of a statement, in which `sqlanon_rows` are rows that are given."""

        def work() -> Rows:
            if rows is None:
                return self._sql(statement)
            self.connection.register("sqlanon_rows", rows)
            try:
                return self._sql(statement)
            finally:
                self.connection.unregister("sqlanon_rows")

        return self._in_worker(work, step, statement)

    def arrow(self, query: str, step: str) -> ArrowTable:
        """The rows of a query."""
        return self._in_worker(lambda: self.connection.sql(query).to_arrow_table(), step)

    def types(self, relation: str, step: str) -> dict[str, str]:
        """The type of each column of a relation."""
        return {row[0]: row[1] for row in self.ask(f"describe {relation}", step)}

    def drop(self, step: Step) -> None:
        """Drop the relation or the type that a step made."""
        kind = "table" if step.kind == "proof" else step.kind
        self.ask(f"drop {kind} {WORK_CATALOG}.{quoted(step.name)}", step.name)

    def reads(self, table: Parts) -> Reads:
        return reads_on(self.connection, table)

    def existing_digest(self, place: Destination) -> str | None:
        return existing_digest(self._places.folder, place, self.connection)

    def staged(
        self, copies: Mapping[str, Destination], relations: Sequence[str]
    ) -> list[StagedRows]:
        files = [Path(self._places.absolute(path)) for path in copies]
        return [
            StagedRows(place, sha256_of(file), file=file)
            for place, file in zip(copies.values(), files, strict=True)
        ]

    def is_unchanged(self, staged: Sequence[StagedRows]) -> bool:
        return all(each.is_unchanged for each in staged)

    def publish(self, staged: Sequence[StagedRows]) -> None:
        """Replace tables of the connection by the rows of staged files, in one transaction."""
        try:
            self._in_worker(lambda: replace_tables(self.connection, staged), "publish")
        except EngineError as error:
            raise EngineError(error.what, where=error.where, fix=WHERE_TABLES_FAIL) from error

    def close(self) -> None:
        self._undo.close()

    def _shut(self, readable: Iterable[str], writable: Path | None) -> None:
        """Restrict later statements to the inputs and the private folder."""
        paths = ", ".join(text(path) for path in readable)
        private = [] if writable is None else [str(writable), literal_pattern(str(writable))]
        folders = ", ".join(map(text, private))
        self._set({"allowed_paths": f"[{paths}]", "allowed_directories": f"[{folders}]", **_CLOSED})

    def _set(self, settings: dict[str, str]) -> None:
        for name, value in settings.items():
            if not self._owned:
                self._restore_later(name, *self._settings([name]))
            self.ask(f"set {name} = {value}", f"set {name}")

    def _restore_later(self, name: str, value: str) -> None:
        self._undo.callback(self.ask, f"set {name} = {text(value)}", "close")

    def _execute(self, step: Step) -> Rows:
        made, *stops = step.statements(self._places.resolved)
        rows = self._sql(made)
        if step.kind in ASKS:
            return rows
        if step.kind == "proof" and rows != [(0,)]:  # the number of violations
            return self._sql(f"select * from {WORK_CATALOG}.{quoted(step.name)} limit 100")
        if step.kind == "attach":
            self._undo.callback(self._detach, step.name)
        for stop in stops:
            self._sql(stop)
        return []

    def _refuse_open_transaction(self) -> None:
        """Publishing is its own transaction; a failure would roll back the caller's as well."""
        first, second = (self.ask("select txid_current()", "connect") for _ in range(2))
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

    def _set_what_results_depend_on(self, plan: Plan, others: Mapping[str, str]) -> None:
        """Give the session the plan's time zone, DuckDB's defaults and others until it closes."""
        settings = {**result_settings(plan), **others}
        for (name, value), earlier in zip(settings.items(), self._settings(settings), strict=True):
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
                self._restore_later(name, earlier)

    def _set_variable(self, name: str, value: str) -> None:
        """Set a variable of the session; no statement that is kept or shown contains its value."""
        self.connection.execute(f"set variable {name} = $value", {"value": value})
        self._undo.callback(self.ask, f"reset variable {name}", "close")

    def _attach_work(self, mark: str) -> None:
        """Attach the catalog of working tables, with a schema that says whose it is."""
        self._attach(f"attach ':memory:' as {WORK_CATALOG}", WORK_CATALOG)
        self.ask(f"create schema {WORK_CATALOG}.{mark}", "attach")

    def _turns(self) -> list[str]:
        """The schemas of the catalog of working tables, whoever has attached it."""
        question = (
            f"select schema_name from duckdb_schemas() where database_name = {text(WORK_CATALOG)}"
        )
        return [str(name) for (name,) in self.ask(question, "attach")]

    def _end_turn(self) -> None:
        if self._turn:
            end_turn(self._turn)

    def _attach(self, statement: str, name: str) -> None:
        self.ask(statement, "attach")
        self._undo.callback(self._detach, name)

    def _detach(self, name: str) -> None:
        self.ask(f"detach {name}", "detach")

    def _memory_limit(self) -> int:
        return memory_size(*self._settings(["memory_limit"]))

    def _settings(self, names: Iterable[str]) -> list[str]:
        """The values of settings; one question."""
        asked = ", ".join(f"current_setting({text(name)})" for name in names)
        return [str(value) for value in self.ask(f"select {asked}", "connect")[0]]

    def _sql(self, statement: str) -> Rows:
        self._last: Rows = self.connection.execute(statement).fetchall()
        return self._last

    def _in_worker(self, work: Callable[[], _Result], step: str, texts: str = "") -> _Result:
        """Run in a thread, so that Ctrl-C reaches us; then stop the query before going on."""
        try:
            return self._worker.do(work)
        except TooMuchMemory:
            refusal: EngineError | PlanError = EngineError(
                "The process took half as much memory again as its limit.",
                where=f"step {step}",
                fix="check the queries of the plan for long texts and lists, or give a larger"
                " --memory-limit",
            )
        except duckdb.Error as error:
            views = (one.step.sql for one in self.journal if one.step.kind == "view")
            refusal = engine_error(error, step, "\n".join([texts, *views]))
        raise refusal  # outside of the handler, to have no context


def reads_on(connection: duckdb.DuckDBPyConnection, table: Parts) -> Reads:
    """What a table or view of a connection reads, as far as that is known."""
    try:
        catalog = Catalog(connection)
        return catalog.sources(catalog.resolved(table, where="table"))
    except PlanError:
        return Reads(frozenset({table}), is_known=False)


def engine_error(error: duckdb.Error, step: str, texts: str = "") -> EngineError | PlanError:
    """The error for an error of DuckDB, without the cells that its message may quote.

    A broken line of a CSV file, or a damaged Parquet file, is an error of the plan, whenever it is
    found.

    Args:
        texts: the statements of the step, and the views that it may read. They contain sqlanon's
            own messages as literals; any other message may be made of cells.
    """
    message, where = str(error), f"step {step}"
    kind = type(error).__name__.removesuffix("Exception")
    ours = _OURS.search(message)
    if ours and text("".join(ours.groups())) in texts:
        if "source" in ours[1]:
            fix = "correct the value, or name it under `missing` of the column in `read`"
            return PlanError(ours[2], where=where, fix=fix)
        fix = "fix what the message names; nothing was published"
        return EngineError(ours[2], where=where, fix=fix)
    if line := _CSV_LINE.search(message):
        columns = _CSV_COLUMNS.search(message)
        detail = f": {columns[2]} fields, not {columns[1]}" if columns else ""
        what = "has a value of another type" if "when converting" in message else "is broken"
        name = Path(file[1]).name if (file := _CSV_FILE.search(message)) else where
        return PlanError(
            f"Line {line[1]} of a CSV file {what}{detail}.",
            where=f"{name}:{line[1]}",
            fix="fix the line, or give `delimiter`, `quote`, `encoding`, `types` under `source`",
        )
    if damaged := _PARQUET.search(message):
        return PlanError(
            f"The Parquet file '{Path(damaged[1]).name}' is damaged.",
            where=where,
            fix="write or copy the file again",
        )
    for kinds, fix in _FIXES:
        if isinstance(error, kinds):
            first_line = message.split("\n", 1)[0].split(": ", 1)[-1]
            if near := _TABLE.search(message):
                fix = f"Did you mean '{near[1]}'?"
            return EngineError(f"{kind}: {first_line}", where=where, fix=fix)
    return EngineError(
        f"DuckDB refused the step ({kind}).",
        where=where,
        fix="read the step in what `sqlanon compile` writes; DuckDB's message may quote cells",
    )
