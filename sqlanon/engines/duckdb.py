"""DuckDB: an own in-memory database, or a connection that the caller already has.

All working tables live in a catalog of their own, `sqlanon`, in memory (spilling to disk where
memory ends), so they meet no table of the user's; a source in a DuckDB file is attached read-only.
"""

from __future__ import annotations

import concurrent.futures
import os
import re
import secrets
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import duckdb

from sqlanon.engines.base import JournalEntry
from sqlanon.errors import EngineError, PlanError, PublishError
from sqlanon.plan import Plan, Publication
from sqlanon.prepare import SOURCE_DATABASE, attached_databases
from sqlanon.render import text
from sqlanon.step import WORK_CATALOG, Rows, Step, quoted

PSEUDONYM_KEY = "SQLANON_PSEUDONYM_KEY"
"""Environment variable with the key of pseudonyms."""

PERMUTATION_SEED = "SQLANON_PERMUTATION_SEED"
"""Environment variable with the seed of permutations; it comes before the plan's."""

_PUBLISHED_DATABASE = "sqlanon_published"
_SHORTEST_KEY = 16
_MEMORY = re.compile(r"\d+(\.\d+)?\s*([KMGT]i?B|B)", re.IGNORECASE)


class DuckDBEngine:
    """Executes steps in DuckDB.

    Args:
        plan: whose source is attached, and whose folder paths start from.
        connection: a connection of the caller's; it is left open and as it was.
        threads: how many to use; all cores when not given.
        memory_limit: such as '4GB'; beyond it DuckDB spills to a temporary folder.
        progress: told the title of each step when it starts.
    """

    name = "duckdb"

    def __init__(
        self,
        plan: Plan,
        *,
        connection: duckdb.DuckDBPyConnection | None = None,
        threads: int | None = None,
        memory_limit: str | None = None,
        progress: Callable[[str], None] | None = None,
    ) -> None:
        self.version = duckdb.__version__
        self.journal: list[JournalEntry] = []
        self._progress = progress or (lambda title: None)
        self._spill: tempfile.TemporaryDirectory[str] | None = None
        self._worker = concurrent.futures.ThreadPoolExecutor(1, "sqlanon")
        self._owned = connection is None
        self._attached: list[str] = []
        self._variables: list[str] = []
        if memory_limit is not None and not _MEMORY.fullmatch(memory_limit.strip()):
            raise PlanError(
                f"Memory limit '{memory_limit}' is no size.",
                where="--memory-limit",
                fix="give a number and a unit, such as 4GB or 800MB",
            )
        if connection is None:
            self._spill = tempfile.TemporaryDirectory(prefix="sqlanon_", ignore_cleanup_errors=True)
            self.connection = duckdb.connect()
            settings = {
                "temp_directory": text(self._spill.name),
                "python_enable_replacements": "false",
                "enable_progress_bar": "false",
            }
        else:
            self.connection = connection
            settings = {}
            self._refuse_open_transaction()
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
        self._restore = {name: self._setting(name) for name in settings} if connection else {}
        try:
            for name, value in settings.items():
                self._sql(f"set {name} = {value}")
            self._attach(f"attach ':memory:' as {WORK_CATALOG}", WORK_CATALOG)
            for name, database in attached_databases(plan).items():
                self._attach_source(plan, database, name)
            self._set_pseudonym_key(plan)
            self._set_permutation_seed(plan)
        except BaseException:
            self.close()
            raise

    def execute(self, step: Step) -> Rows:
        start = time.perf_counter()
        self._progress(step.name)
        rows = self._in_worker(lambda: self._execute(step), step.name, step)
        self.journal.append(JournalEntry(step, len(rows), time.perf_counter() - start))
        return rows

    def publish_tables(self, plan: Plan, staged: Sequence[tuple[Publication, Path]]) -> None:
        tables = [
            (
                (place.table or place.database_table).split("."),
                f"select * from read_parquet({text(str(file))})",
            )
            for place, file in staged
        ]
        publication = plan.publish
        if publication.database is None:
            self._replace_tables(tables)
            return
        file = plan.folder / publication.database
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._attach(f"attach {text(str(file))} as {_PUBLISHED_DATABASE}", _PUBLISHED_DATABASE)
        except EngineError as error:
            raise PublishError(
                f"DuckDB could not open '{publication.database}' for writing.",
                where=plan.where("publish"),
                fix="close other programs that use the file; it cannot be the source's file",
            ) from error
        parts = publication.database_table.split(".")
        if len(parts) > 1:
            schema = f"{_PUBLISHED_DATABASE}.{quoted(parts[0])}"
            self._in_worker(lambda: self._sql(f"create schema if not exists {schema}"), "publish")
        self._replace_tables([([_PUBLISHED_DATABASE, *parts], rows) for parts, rows in tables])
        self._detach(_PUBLISHED_DATABASE)

    def attach(self, file: str, name: str) -> None:
        """Open a DuckDB file for reading, under this name."""
        self._attach(f"attach {text(file)} as {name} (read_only)", name)

    def close(self) -> None:
        for name in reversed(self._attached[:]):
            self._detach(name)
        for name, value in self._restore.items():
            self._sql(f"set {name} = {text(value)}")
        for name in self._variables:
            self._sql(f"reset variable {name}")
        if self._owned:
            self.connection.close()
        self._worker.shutdown()
        if self._spill is not None:
            self._spill.cleanup()

    def _execute(self, step: Step) -> Rows:
        for statement in step.statements():
            self._sql(statement)
            if step.kind == "proof":
                relation = f"{WORK_CATALOG}.{quoted(step.name)}"
                violations = self._sql(f"select * from {relation} limit 100")
                if violations:
                    return violations
        return self._last if step.kind == "rows" else []

    def _replace_tables(self, tables: Sequence[tuple[list[str], str]]) -> None:
        def replace() -> None:
            self._sql("begin transaction")
            try:
                for parts, rows in tables:
                    table = ".".join(map(quoted, parts))
                    self._sql(f"drop table if exists {table}")
                    self._sql(f"create table {table} as {rows}")
                self._sql("commit")
            except BaseException:
                self.connection.execute("rollback")
                raise

        try:
            self._in_worker(replace, "publish")
        except EngineError as error:
            raise PublishError(
                f"DuckDB could not write the table '{tables[0][0][-1]}'; the earlier one is"
                " untouched.",
                where="publish",
                fix="check that no view has this name and that the disk has room",
            ) from error

    def _refuse_open_transaction(self) -> None:
        """Publishing is a transaction of its own; the caller's would be lost with a failure."""
        first, second = (self._sql("select txid_current()") for _ in range(2))
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

    def _set_pseudonym_key(self, plan: Plan) -> None:
        if not plan.has_pseudonyms:
            return
        key = os.environ.get(PSEUDONYM_KEY, "")
        if len(key) < _SHORTEST_KEY:
            raise PlanError(
                f"Pseudonyms need a key of {_SHORTEST_KEY} characters or more.",
                where=plan.where("columns"),
                fix=f"put a long random key into the environment variable {PSEUDONYM_KEY}",
            )
        self._set_variable("sqlanon_pseudonym_key", key)

    def _set_permutation_seed(self, plan: Plan) -> None:
        """The seed of the environment, else the plan's, else one that nobody will know again."""
        if not plan.is_seeded:
            return
        seed = os.environ.get(PERMUTATION_SEED, "")
        if seed and len(seed) < _SHORTEST_KEY:
            raise PlanError(
                f"The seed in {PERMUTATION_SEED} has fewer than {_SHORTEST_KEY} characters, and"
                " could be guessed.",
                where=PERMUTATION_SEED,
                fix="give a long random text, and keep it secret",
            )
        if not seed:
            seed = secrets.token_hex(32) if plan.seed is None else str(plan.seed)
        self._set_variable("sqlanon_permutation_seed", seed)

    def _set_variable(self, name: str, value: str) -> None:
        """A variable of the session; no statement that is kept or told holds its value."""
        self.connection.execute(f"set variable {name} = $value", {"value": value})
        self._variables.append(name)

    def _attach(self, statement: str, name: str) -> None:
        self._in_worker(lambda: self._sql(statement), "attach")
        self._attached.append(name)

    def _detach(self, name: str) -> None:
        self._attached.remove(name)
        self._sql(f"detach {name}")

    def _setting(self, name: str) -> str:
        rows = self._sql(f"select current_setting({text(name)})")
        return str(rows[0][0])

    def _sql(self, statement: str) -> Rows:
        self._last: Rows = self.connection.execute(statement).fetchall()
        return self._last

    def _in_worker(
        self, work: Callable[[], Rows | None], step: str, executed: Step | None = None
    ) -> Rows:
        """Run in a thread, so that Ctrl-C reaches us; then stop the query before going on."""
        future = self._worker.submit(work)
        try:
            while True:
                try:
                    return future.result(timeout=0.2) or []
                except concurrent.futures.TimeoutError:
                    if future.done():
                        raise
        except KeyboardInterrupt:
            self.connection.interrupt()
            concurrent.futures.wait([future])
            raise
        except duckdb.Error as error:
            texts = "\n".join(executed.statements()) if executed else ""
            raise engine_error(error, step, texts) from None


_OURS = re.compile(r"\AInvalid Input Error: sqlanon: ([^\n']*)")
_CSV_LINE = re.compile(r"CSV Error on Line: (\d+)")
_CSV_COLUMNS = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")


def engine_error(error: duckdb.Error, step: str, texts: str = "") -> EngineError:
    """DuckDB's refusal without the cells it may quote: its kind, and what of its words is safe.

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
        what = f"Line {csv_line[1]} of a CSV file is broken{detail}."
        fix = "mend the line, or give `delimiter`, `quote` and `encoding` under `source`"
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
