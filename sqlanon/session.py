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
from sqlanon.engines.duckdb import engine_error
from sqlanon.errors import EngineError, PlanError, PublishError, did_you_mean
from sqlanon.hierarchy import Hierarchy, QueryHierarchy
from sqlanon.lineage import Look, prove_hierarchies, prove_no_identifier_flows
from sqlanon.plan import Plan, Publication, Source
from sqlanon.plan_file import load_plan, relative, resolve_hierarchies
from sqlanon.plan_queries import (
    Parts,
    Reads,
    plan_query,
    refuse_macros,
    resolved,
    table_name,
    table_parts,
    table_sql,
    view_sources,
)
from sqlanon.prepare import (
    attached_databases,
    population_steps,
    source_inputs,
    source_problem,
    source_steps,
)
from sqlanon.program import Program, compile_program, program_steps
from sqlanon.publish import staged_files
from sqlanon.render import path_literal, text
from sqlanon.solution import Solution
from sqlanon.step import Step

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
        if options.connection is not None:
            self.plan = on_connection(self.plan, options.connection)
        self._connection = options.connection
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
            self._connection = engine.connection
            yield engine
        finally:
            self._connection = self.options.connection
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
        """The hierarchies, their files found; shipped ones copied where a program can name them.

        Raises:
            PlanError: a file or table is missing, or a hierarchy can put an identifier into labels.
        """
        found = resolve_hierarchies(self.plan, self.target / "hierarchies" if copy else None)
        connection = self.options.connection
        if connection is not None:
            for name, hierarchy in found.items():
                if isinstance(hierarchy, QueryHierarchy):
                    where = self.plan.where("columns", name, "hierarchy")
                    query = query_on_connection(self.plan, hierarchy.query, connection, where)
                    found[name] = hierarchy.model_copy(update={"query": query})
        elif self._connection is not None:
            self._refuse_bare_tables(found)
        prove_hierarchies(self.plan, found, self._look)
        return found

    @property
    def _look(self) -> Look | None:
        """Tells what a table or view reads, where there is a database to ask."""
        connection = self._connection
        if connection is None:
            return None

        def look(parts: Parts) -> Reads:
            try:
                return view_sources(connection, resolved(connection, parts, "table"))
            except PlanError:
                return Reads(frozenset({parts}), is_known=False)

        return look

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
        hierarchies = self.hierarchies(copy=True)
        program = compile_program(self.plan, hierarchies, solution, self.staged_in_sql)
        self._refuse_names_of_steps(program, hierarchies)
        prove_no_identifier_flows(self.plan, program_steps(program), hierarchies, self._look)
        return program

    def _refuse_names_of_steps(
        self, program: Program, hierarchies: Mapping[str, Hierarchy]
    ) -> None:
        """No bare name in a program is one that a step makes a table of.

        On a connection every table is named in full. A program that is compiled without one is to
        find its tables by itself, and looks into the working catalog first.
        """
        made = {step.name.lower() for step in program.steps}
        for where, parts in _tables(self.plan, hierarchies):
            if len(parts) < 3 and parts[-1].lower() in made:
                raise PlanError(
                    f"'{'.'.join(parts)}' is also the name of a working table of sqlanon.",
                    where=where,
                    fix="name it with database and schema, such as"
                    f" memory.main.{parts[-1].lower()}",
                )

    def read_source(self, engine: Engine, *, rows: bool = True) -> None:
        """Make the source's tables; its columns and the plan's must be the same ones.

        Args:
            rows: whether data rows are read, too.
        """
        self.check_columns(engine)
        for step in source_steps(self.plan):
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
        path = path_literal(source.path or "")
        engine.execute(
            Step("source", f"select count(*)\nfrom read_csv({path}, {settings})", "rows")
        )

    def _refuse_bare_tables(self, hierarchies: Mapping[str, Hierarchy]) -> None:
        """A database of sqlanon's own holds no table of the user's."""
        databases = attached_databases(self.plan)
        for where, parts in _tables(self.plan, hierarchies):
            if self.options.connection is None and parts[0].lower() not in databases:
                raise PlanError(
                    f"The table '{'.'.join(parts)}' needs a connection to find it on.",
                    where=where,
                    fix="call sqlanon.run(plan, connection=…), write FILE.duckdb::TABLE, or read a"
                    " file, its name in quotes",
                )

    def _check_source_exists(self) -> None:
        self._refuse_bare_tables({})
        inputs = {"source": self.plan.source}
        if self.plan.population is not None:
            inputs["population"] = self.plan.population
        for key, source in inputs.items():
            if self.plan.publish.table and self.options.connection is None:
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


def on_connection(plan: Plan, connection: duckdb.DuckDBPyConnection) -> Plan:
    """The plan, its source and population naming tables of a connection in full.

    Raises:
        PlanError: a table is not there, or a macro stands in place of a function of DuckDB's.
    """
    try:
        refuse_macros(connection)
        update = {
            key: source_on_connection(plan, source, connection, plan.where(key))
            for key, source in (("source", plan.source), ("population", plan.population))
            if source is not None
        }
    except duckdb.Error as error:
        raise engine_error(error, "connection") from None
    return plan.model_copy(update=update)


def source_on_connection(
    plan: Plan, source: Source, connection: duckdb.DuckDBPyConnection, where: str
) -> Source:
    """A source of a plan, naming tables of a connection in full."""
    if source.table is not None:
        parts = resolved(connection, table_parts(source.table), where)
        return source.model_copy(update={"table": table_name(parts)})
    if source.query is not None:
        query = query_on_connection(plan, source.query, connection, where)
        return source.model_copy(update={"query": query})
    return source


def query_on_connection(
    plan: Plan, query: str, connection: duckdb.DuckDBPyConnection, where: str
) -> str:
    """A query of a plan, naming tables of a connection in full."""
    databases = attached_databases(plan)

    def named(parts: Parts) -> str:
        if parts[0].lower() in databases:  # by the engine, for this plan
            return table_sql(parts)
        return table_sql(resolved(connection, parts, where))

    return plan_query(query, where).text(text, named)


def _tables(plan: Plan, hierarchies: Mapping[str, Hierarchy]) -> Iterator[tuple[str, Parts]]:
    """The tables that a plan names, each with its place in the plan."""
    for key, source in (("source", plan.source), ("population", plan.population)):
        if source is not None and source.table is not None:
            yield plan.where(key), table_parts(source.table)
        elif source is not None and source.query is not None:
            for parts in plan_query(source.query, plan.where(key)).tables:
                yield plan.where(key), parts
    for name, hierarchy in hierarchies.items():
        if isinstance(hierarchy, QueryHierarchy):
            where = plan.where("columns", name, "hierarchy")
            for parts in plan_query(hierarchy.query, where).tables:
                yield where, parts


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
