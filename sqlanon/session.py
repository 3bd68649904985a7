"""A session: one plan, its folders and hierarchies, and an engine that is open for it."""

from __future__ import annotations

import csv
import glob
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from sqlanon.engines import DuckDBEngine, Engine
from sqlanon.errors import EngineError, PlanError, PublishError, did_you_mean
from sqlanon.hierarchy import Hierarchy
from sqlanon.lineage import prove_no_identifier_flows, tables_of
from sqlanon.plan import Plan, Publication
from sqlanon.plan_file import load_plan, relative, resolve_hierarchies
from sqlanon.prepare import population_steps, source_inputs, source_problem, source_steps
from sqlanon.program import Program, compile_program, program_steps
from sqlanon.publish import staged_files
from sqlanon.render import text
from sqlanon.solution import Solution
from sqlanon.step import Step, is_working_name

PlanLike = str | Path | Mapping[str, Any] | Plan
"""A plan: the path of its file, its content, or the checked plan."""


@dataclass(frozen=True)
class Options:
    """How a command is carried out.

    Attributes:
        overrides: `key=value` pairs that replace keys of the plan.
        target: folder for SQL files and the manifest; `target/<plan name>/` beside the plan when
            not given.
        connection: a DuckDB connection of the caller's, to read from and publish to.
        threads, memory_limit: for DuckDB.
        progress: told the name of each step when it starts.
    """

    overrides: Sequence[str] = ()
    target: Path | None = None
    connection: duckdb.DuckDBPyConnection | None = None
    threads: int | None = None
    memory_limit: str | None = None
    progress: Callable[[str], None] | None = None


class Session:
    """A plan, its folders, its hierarchies, and an engine that is open."""

    def __init__(self, plan: PlanLike, options: Options) -> None:
        self.plan = load_plan(plan, options.overrides)
        self.target = (options.target or self.plan.folder / "target" / self.plan.name).resolve()
        self.options = options

    @contextmanager
    def engine(self) -> Iterator[DuckDBEngine]:
        """An open engine whose working tables are gone afterwards.

        Meanwhile the working directory of the process is the plan's folder: relative paths in SQL
        start there, whoever runs it. Sessions in other folders wait for each other.
        """
        self._check_source_exists()
        with _in_folder(self.plan.folder):
            yield from self._opened()

    def _opened(self) -> Iterator[DuckDBEngine]:
        engine = DuckDBEngine(
            self.plan,
            connection=self.options.connection,
            threads=self.options.threads,
            memory_limit=self.options.memory_limit,
            progress=self.options.progress,
        )
        try:
            yield engine
        finally:
            engine.close()

    @contextmanager
    def working_files(self) -> Iterator[None]:
        """The target folder exists; a file there that cannot be written is an error with a name.

        Raises:
            PublishError: the solution, the SQL files or the manifest cannot be written.
        """
        try:
            self.target.mkdir(parents=True, exist_ok=True)
            yield
        except OSError as error:
            raise PublishError(
                f"A working file could not be written ({type(error).__name__}).",
                where=Path(error.filename or self.target.name).name,
                fix="check that the target folder and the solution file can be written",
            ) from error

    def hierarchies(self, *, copy: bool) -> dict[str, Hierarchy]:
        """The hierarchies, their files found; shipped ones copied where a program can name them."""
        return resolve_hierarchies(self.plan, self.target / "hierarchies" if copy else None)

    @property
    def solution_file(self) -> Path:
        """The plan's solution, beside the plan."""
        return self.plan.folder / f"{self.plan.name}.solution.json"

    @property
    def staged(self) -> Path:
        """The file of rows that are not yet proven."""
        return self.staged_files[0][1]

    @property
    def staged_files(self) -> list[tuple[Publication, Path]]:
        """What is published, and the file in which its rows wait."""
        return staged_files(self.plan, self.target)

    @property
    def target_in_sql(self) -> str:
        """The target folder as SQL names it, relative to the plan's folder."""
        return relative(self.target, self.plan.folder)

    @property
    def staged_in_sql(self) -> str:
        """That file as SQL names it, relative to the plan's folder."""
        return relative(self.staged, self.plan.folder)

    def compile(self, solution: Solution | None) -> Program:
        """The program, with its identifiers' absence proven."""
        program = compile_program(
            self.plan,
            self.hierarchies(copy=True),
            solution,
            self.staged_in_sql,
        )
        prove_no_identifier_flows(self.plan, program_steps(program))
        return program

    def read_source(self, engine: Engine, *, rows: bool = True) -> None:
        """Make the source's tables; its columns and the plan's must be the same ones.

        Args:
            rows: whether data rows are read, too.
        """
        self.check_columns(engine)
        for step in source_steps(self.plan):
            if step.name == "listed_problems" and not rows:
                continue  # no value is known
            if step.name == "source_combinations" and not rows:
                step = Step(step.name, f"select *\nfrom (\n{step.sql}\n) as nothing\nlimit 0")
            error = source_problem(self.plan, step, engine.execute(step))
            if error:
                raise error

    def check_columns(self, engine: Engine) -> None:
        """Every column of the source has a role, and every role a column.

        Raises:
            PlanError: with the first column that does not.
        """
        self._check_names()
        self.check_population(engine)
        source = source_steps(self.plan)[0]
        described = f"select column_name\nfrom (\ndescribe\n{source.sql}\n)"
        try:
            found = [row[0] for row in engine.execute(Step("source_columns", described, "rows"))]
        except EngineError as error:
            self._tell_broken_line(engine)
            raise PlanError(
                f"The source cannot be read: {error.what}",
                where=self.plan.where("source"),
                fix="check the query or the table's name, the kind of file, and `types`",
            ) from None
        lower = {name.lower() for name in found}
        if not any(name.lower() in lower for name in self.plan.columns):
            # Without a header line the names would be cells; they are not told.
            raise PlanError(
                f"None of the plan's columns is among the {len(found)} of the source.",
                where=self.plan.where("columns"),
                fix="has the source a header line? If not, give `header: false` and call the"
                " columns column0, column1 and so on; else check the delimiter",
            )
        for name in self.plan.columns:
            if name.lower() not in lower:
                raise PlanError(
                    f"The source has no column '{name}'.",
                    where=self.plan.where("columns", name),
                    fix=did_you_mean(name, found),
                )
        planned = {name.lower() for name in self.plan.columns}
        missing = [name for name in found if name.lower() not in planned]
        if missing:
            raise PlanError(
                f"{len(missing)} column(s) of the source have no role: {', '.join(missing[:10])}.",
                where=self.plan.where("columns"),
                fix="give each a role: identifier, quasi-identifier, sensitive or insensitive",
            )

    def check_population(self, engine: Engine, where: str = "") -> None:
        """The population can be read, and has every quasi-identifier.

        Args:
            where: the population was named, if not in the plan.

        Raises:
            PlanError: with the first quasi-identifier that it has not.
        """
        if self.plan.population is None:
            return
        population = population_steps(self.plan)[0]
        described = f"select column_name\nfrom (\ndescribe\n{population.sql}\n)"
        try:
            rows = engine.execute(Step("population_columns", described, "rows"))
        except EngineError as error:
            raise PlanError(
                f"The population cannot be read: {error.what}",
                where=where or self.plan.where("population"),
                fix="check the query or the table's name, the kind of file, and `types`",
            ) from None
        found = [row[0] for row in rows]
        for name in self.plan.quasi_identifiers:
            if name.lower() not in {other.lower() for other in found}:
                raise PlanError(
                    f"The population has no column '{name}', a quasi-identifier.",
                    where=where or self.plan.where("population"),
                    fix=did_you_mean(name, found),
                )

    def _tell_broken_line(self, engine: Engine) -> None:
        """Read a CSV file that DuckDB makes nothing of by its first line; the error tells the line.

        Raises:
            EngineError: with the line that does not fit the first one.
        """
        source = self.plan.source
        files = glob.glob(source.path or "", recursive=True)
        if source.file_format != "csv" or not files or not files[0].lower().endswith("csv"):
            return
        with open(files[0], encoding=source.encoding or "utf-8-sig", errors="replace") as lines:
            fields = next(csv.reader(lines, delimiter=source.csv_delimiter), [])
        columns = ", ".join(f"'column_{number}': 'varchar'" for number in range(len(fields)))
        options = [
            *((name, value) for name, value in source_inputs(self.plan)["options"]
              if name not in ("all_varchar", "types", "auto_type_candidates")),
            ("auto_detect", "false"),
            ("columns", "{" + columns + "}"),
        ]  # fmt: skip
        settings = ", ".join(f"{name} = {value}" for name, value in options)
        path = text(source.path or "")
        engine.execute(
            Step("source", f"select count(*)\nfrom read_csv({path}, {settings})", "rows")
        )

    def _check_names(self) -> None:
        """No table of the user's is named so that the view of the source takes another for it.

        Inside the working catalog, a name without its database is looked up there first.
        """
        tables = []
        for source in filter(None, (self.plan.source, self.plan.population)):
            tables += [source.table] if source.table else []
            tables += tables_of(source.query) if source.query else []
        for table in tables:
            parts = table.lower().split(".")
            if len(parts) < 3 and is_working_name(parts[-1]):
                raise PlanError(
                    f"'{table}' is also the name of a working table of sqlanon.",
                    where=self.plan.where("source"),
                    fix=f"name it with database and schema, such as memory.main.{parts[-1]}",
                )

    def _check_source_exists(self) -> None:
        inputs = {"source": self.plan.source}
        if self.plan.population is not None:
            inputs["population"] = self.plan.population
        for key, source in inputs.items():
            tables = (source.table, self.plan.publish.table)
            if any(tables) and self.options.connection is None:
                raise PlanError(
                    "A bare table needs a connection to find it on.",
                    where=self.plan.where(key),
                    fix="call sqlanon.run(plan, connection=…), or write FILE.duckdb::TABLE",
                )
            path = source.path
            if path is None or source.database is not None or "://" in path:
                continue
            if not glob.glob(path, root_dir=self.plan.folder, recursive=True):
                raise PlanError(
                    f"The {key} '{path}' does not exist.",
                    where=self.plan.where(key),
                    fix="check the path; it starts from the plan's folder",
                )


_FOLDERS = threading.RLock()


@contextmanager
def _in_folder(folder: Path) -> Iterator[None]:
    """The working directory of the process is this folder; as it was afterwards."""
    before = Path.cwd()
    if before == folder.resolve():
        yield
        return
    with _FOLDERS:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)
