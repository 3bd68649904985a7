"""DuckDB: an own in-memory database, or a connection that the caller already has.

All working tables live in a catalog of their own, `sqlanon`, in memory (spilling to disk where
memory ends), so they meet no table of the user's; a source in a DuckDB file is attached read-only.

An own database is closed before a text of the plan's runs: it reads the plan's inputs, writes to
the run's private folder, loads no extension, and its configuration is locked. A connection of the
caller's cannot be closed that way; what it may read stays the caller's decision.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import re
import secrets
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

import duckdb

from sqlanon.engines.base import JournalEntry, StagedTable
from sqlanon.engines.tables import replace_tables
from sqlanon.errors import EngineError, PlanError, did_you_mean
from sqlanon.plan.plan import Plan
from sqlanon.source.reading import SOURCE_DATABASE, attached_databases
from sqlanon.source.settings import result_settings
from sqlanon.sql.paths import Places
from sqlanon.sql.render import text
from sqlanon.sql.step import WORK_CATALOG, Rows, Step, quoted
from sqlanon.system.locks import private_folder
from sqlanon.system.secrets import PERMUTATION_SEED, PSEUDONYM_KEY

_CLOSED = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_unsigned_extensions": "false",
    "enable_external_access": "false",
    "lock_configuration": "true",
}
"""Settings that close a database, in this order."""


class DuckDBEngine:
    """Executes steps in DuckDB.

    Args:
        plan: whose source is attached.
        places: where the paths of steps lie.
        readable: absolute paths of the files that may be read, patterns among them.
        writable: the folder that may be written to; none where nothing is written.
        connection: a connection of the caller's; it is left open and as it was.
        threads: how many to use; all cores when not given.
        memory_limit: such as '4GB'; beyond it DuckDB spills to a temporary folder.
        progress: told the title of each step when it starts.
        publishes: whether rows may be published; if not, pseudonyms need no key.
    """

    name = "duckdb"

    def __init__(
        self,
        plan: Plan,
        places: Places,
        *,
        readable: Iterable[str] = (),
        writable: Path | None = None,
        connection: duckdb.DuckDBPyConnection | None = None,
        threads: int | None = None,
        memory_limit: str | None = None,
        progress: Callable[[str], None] | None = None,
        publishes: bool = True,
    ) -> None:
        self.version = duckdb.__version__
        self.journal: list[JournalEntry] = []
        self._places = places
        self._progress = progress or (lambda title: None)
        self._folders = contextlib.ExitStack()
        self._worker = concurrent.futures.ThreadPoolExecutor(1, "sqlanon")
        self._owned = connection is None
        self._publishes = publishes
        self._attached: list[str] = []
        self._variables: list[str] = []
        self._restore: dict[str, str] = {}
        settings: dict[str, str] = {}
        if connection is None:
            spill = self._folders.enter_context(
                private_folder(Path(tempfile.gettempdir()), "sqlanon_")
            )
            self.connection = duckdb.connect()
            settings = {
                "temp_directory": text(str(spill)),
                "python_enable_replacements": "false",
                "enable_progress_bar": "false",
            }
        else:
            self.connection = connection
            if memory_limit is not None:
                raise PlanError(
                    "A connection of the caller's has its own memory limit.",
                    where="memory_limit",
                    fix="set memory_limit on the connection, or leave out the connection",
                )
        if threads is not None:
            settings["threads"] = str(threads)
        if memory_limit is not None:
            settings["memory_limit"] = text(memory_limit)
        try:
            if connection is not None:
                self._refuse_open_transaction()
                self._restore = {name: self._setting(name) for name in settings}
            self._set(settings)
            self._set_what_results_depend_on(plan)
            self._attach(f"attach ':memory:' as {WORK_CATALOG}", WORK_CATALOG)
            for name, database in attached_databases(plan).items():
                self._attach_source(plan, database, name)
            self._set_pseudonym_key(plan)
            self._set_permutation_seed(plan)
            if connection is None:
                self._shut(readable, writable)
        except BaseException:
            self.close()
            raise

    def execute(self, step: Step) -> Rows:
        start = time.perf_counter()
        self._progress(step.name)
        rows = self._in_worker(lambda: self._execute(step), step.name, step)
        self.journal.append(JournalEntry(step, len(rows), time.perf_counter() - start))
        return rows

    def replace_tables(self, tables: Sequence[StagedTable]) -> None:
        self._in_worker(lambda: replace_tables(self.connection, tables), "publish")

    def close(self) -> None:
        with contextlib.ExitStack() as undo:  # each part is tried, whatever becomes of the others
            undo.callback(self._folders.close)
            undo.callback(self._worker.shutdown)
            if self._owned:
                undo.callback(self.connection.close)
            for name in self._variables:
                undo.callback(self._in_worker, partial(self._sql, f"reset variable {name}"), "")
            for name, value in self._restore.items():
                setting = f"set {name} = {text(value)}"
                undo.callback(self._in_worker, partial(self._sql, setting), "close")
            for name in self._attached[:]:
                undo.callback(self._detach, name)

    def _shut(self, readable: Iterable[str], writable: Path | None) -> None:
        """Leave nothing but the inputs and the private folder open to the statements to come."""
        paths = ", ".join(text(path) for path in readable)
        folders = "" if writable is None else text(str(writable))
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
        return self._last if step.kind == "rows" else []

    def _refuse_open_transaction(self) -> None:
        """Publishing is a transaction of its own; the caller's would be lost with a failure."""
        question = "select txid_current()"
        first, second = (self._in_worker(lambda: self._sql(question), "connect") for _ in range(2))
        if first == second:  # outside a transaction, every statement is one of its own
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
                fix="is it a DuckDB file, and does no other program write to it?",
            ) from error

    def _set_what_results_depend_on(self, plan: Plan) -> None:
        """Give the session the plan's time zone and DuckDB's own settings, until it is closed.

        Raises:
            PlanError: there is no such time zone, or a caller's connection has others, locked.
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

    def _set_pseudonym_key(self, plan: Plan) -> None:
        if not plan.has_pseudonyms:
            return
        # Where nothing is published, pseudonyms need only tell persons apart.
        key = PSEUDONYM_KEY.read() if self._publishes else secrets.token_hex(32)
        if not key:
            raise PlanError(
                "Pseudonyms need a key.", where=plan.where("columns"), fix=PSEUDONYM_KEY.remedy
            )
        self._set_variable(PSEUDONYM_KEY.variable, key)

    def _set_permutation_seed(self, plan: Plan) -> None:
        """The seed of the environment; without one, a seed that nobody will know again."""
        if plan.is_seeded:
            seed = PERMUTATION_SEED.read() if self._publishes else ""
            seed = seed or secrets.token_hex(32)
            self._set_variable(PERMUTATION_SEED.variable, seed)

    def _set_variable(self, name: str, value: str) -> None:
        """A variable of the session; no statement that is kept or told holds its value."""
        self.connection.execute(f"set variable {name} = $value", {"value": value})
        self._variables.append(name)

    def _attach(self, statement: str, name: str) -> None:
        self._in_worker(lambda: self._sql(statement), "attach")
        self._attached.append(name)

    def _detach(self, name: str) -> None:
        self._attached.remove(name)
        self._in_worker(lambda: self._sql(f"detach {name}"), "detach")

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
        future: concurrent.futures.Future[Rows | None] | None = None
        try:
            future = self._worker.submit(work)
            while not future.done():
                concurrent.futures.wait([future], timeout=0.2)
        except BaseException:
            if future is not None:
                self._stop(future)
            raise
        error = future.exception()
        if isinstance(error, duckdb.Error):  # raised outside of a handler, to have no context
            texts = "\n".join(executed.statements()) if executed else ""
            raise engine_error(error, step, texts)
        return future.result() or []

    def _stop(self, future: concurrent.futures.Future[Rows | None]) -> None:
        """Stop the query, and wait until it has stopped, however often we are told to hurry."""
        while not future.done():
            with contextlib.suppress(KeyboardInterrupt):
                self.connection.interrupt()
                concurrent.futures.wait([future], timeout=0.2)


_OURS = re.compile(r"\AInvalid Input Error: sqlanon: ([^\n']*)")
_CSV_LINE = re.compile(r"CSV Error on Line: (\d+)")
_CSV_FILE = re.compile(r"^  file = (.*)$", re.MULTILINE)
_CSV_COLUMNS = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")


def engine_error(error: duckdb.Error, step: str, texts: str = "") -> EngineError | PlanError:
    """DuckDB's refusal without the cells it may quote: its kind, and what of its words is safe.

    A broken line of a CSV file is a fault of what the plan names, whenever it is found.

    Args:
        texts: the statements of the step. A message of sqlanon's own stands in them as a literal;
            one that does not was put together from cells.
    """
    message = str(error)
    kind = type(error).__name__.removesuffix("Exception")
    ours = _OURS.search(message)
    csv_line = _CSV_LINE.search(message)
    fix = "read the step's SQL in the target folder; DuckDB's words are withheld, they quote cells"
    if ours and f"error('sqlanon: {ours.group(1)}')" in texts:
        what = ours.group(1)
        fix = "mend what the message names; nothing was published"
    elif csv_line:
        columns = _CSV_COLUMNS.search(message)
        detail = f": {columns[2]} fields, not {columns[1]}" if columns else ""
        file = _CSV_FILE.search(message)
        name = Path(file[1]).name if file else f"step {step}"
        return PlanError(
            f"Line {csv_line[1]} of a CSV file is broken{detail}.",
            where=f"{name}:{csv_line[1]}",
            fix="mend the line, or give `delimiter`, `quote`, `encoding`, `types` under `source`",
        )
    elif isinstance(
        error, duckdb.CatalogException | duckdb.BinderException | duckdb.ParserException
    ):
        what = f"{kind}: {_first_line(message)}"
        fix = (
            "check the names in the plan against the source's columns; a table of another schema is"
            " named with its database, as in memory.clinic.people"
        )
    elif isinstance(error, duckdb.IOException | duckdb.OutOfMemoryException):
        what = f"{kind}: {_first_line(message)}"
        fix = "check paths, free disk space, and --memory-limit"
    else:
        what = f"DuckDB refused the step ({kind})."
    return EngineError(what, where=f"step {step}", fix=fix)


def _first_line(message: str) -> str:
    return message.split("\n", 1)[0].split(": ", 1)[-1]
