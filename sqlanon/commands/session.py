"""A session: one plan, its folders and hierarchies, and an open engine."""

from __future__ import annotations

import contextlib
import logging
import os.path
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Unpack

import duckdb

from sqlanon.boundary.locks import BESIDE, claim, locked, private_folder, remove_abandoned
from sqlanon.bounds import checked_budget
from sqlanon.commands.inputs import (
    check_inputs,
    check_replaced_tables,
    input_files,
    unconnected_tables,
)
from sqlanon.commands.options import Inputs, Options, PlanLike, merged_options
from sqlanon.discovery.warnings import plan_warnings
from sqlanon.engines.base import Engine, RowEngine, drive
from sqlanon.engines.connection import on_connection, query_on_connection, refuse_names
from sqlanon.engines.duckdb import DuckDBEngine, reads_on
from sqlanon.errors import PlanError, PublishError, united
from sqlanon.families import families
from sqlanon.families.base import Family
from sqlanon.families.solution import Solution, solution_name, solution_of
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.plan.file import load_plan
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import SOURCE_DATA, Destination, Source
from sqlanon.plan.warnings import PlanWarning
from sqlanon.program.program import Program, compile_program, program_steps
from sqlanon.proof.input_lineage import Look, prove_hierarchies, prove_views
from sqlanon.proof.lineage import Lineage, prove_no_identifier_flows
from sqlanon.publication.place import check_place, final_place, publications, staged_names
from sqlanon.publication.publish import Publishing, recovered
from sqlanon.publication.ready import Ready
from sqlanon.search.dealing import BUCKET_DISTANCES
from sqlanon.search.partition import PARTITION_TREE
from sqlanon.source.columns import check_columns
from sqlanon.source.files import readable_paths
from sqlanon.source.hierarchy_files import relative, resolve_hierarchies
from sqlanon.source.reading import database_names
from sqlanon.sql.paths import PathMap, is_remote
from sqlanon.sql.step import Search, Step
from sqlanon.sql.tables import Parts
from sqlanon.sql.views import Catalog

_LOG = logging.getLogger("sqlanon")


def open_session(
    plan: PlanLike, options: Options | None = None, **inputs: Unpack[Inputs]
) -> Session:
    """The session of a plan with all that the options and keywords of a function set in it."""
    merged = merged_options(options, **inputs)
    return Session(load_plan(plan, merged.overrides), merged)


class Session:
    """A checked plan, its folders and hierarchies, and an open engine.

    Attributes:
        checked: the plan as its keys say.
        plan: the same, bound to its data; see `bind`.
        target: the folder for SQL files and the manifest.
    """

    def __init__(self, plan: Plan, options: Options) -> None:
        self.checked = plan
        self.options = options
        self.target = Path(os.path.realpath(options.target or plan.folder / "target" / plan.name))
        self._tables: dict[str, object] = {}
        if options.source is not None and plan.source.table == SOURCE_DATA:
            self._tables[SOURCE_DATA] = options.source
        self._private: Path | None = None
        self._engine: RowEngine | None = None

    def of(self, plan: Plan) -> Session:
        """The session of another plan, with the same options and the engine that is open."""
        other = Session(plan, self.options)
        other._engine = self._engine
        return other

    @cached_property
    def plan(self) -> Plan:
        """The plan as its engine executes it, naming tables of the caller's connection in full."""
        plan = self.checked
        if not plan.engine.recurses:  # the result is the same, also if the search runs here
            plan = plan.model_copy(update={"method": plan.method.by_rounds()})
        seconds = checked_budget(self.options.budget)
        if seconds is not None:
            plan = plan.model_copy(update={"method": plan.method.limited_to(seconds)})
        if self.options.connection is not None:
            plan = on_connection(plan, self.options.connection, self._tables)
        return plan

    def bind(self, engine: Engine, check: Check = check_columns) -> None:
        """Give the plan the types of the columns that it reads, as they are now.

        Args:
            check: finds them: `check_columns`, `read_source`, which also makes the tables of the
                source, or `check_population`, which reads no source.
        """
        self.plan = drive(engine, check(self.plan))
        connection = None if self.plan.source.table in self._tables else self._connection
        if connection is not None and check is check_columns:
            prove_views(self.plan, partial(Catalog, connection))

    @contextmanager
    def engine(self, *tables: Source, publishes: bool = True) -> Iterator[RowEngine]:
        """An open engine, whose working tables are dropped afterwards."""
        self._check_inputs(publishes=publishes)
        engine = self._engine = self._opened(tables, publishes=publishes)
        try:
            yield engine
        finally:
            self._engine = None
            engine.close()

    @contextmanager
    def embedded(self, *tables: Source, publishes: bool = True) -> Iterator[DuckDBEngine]:
        """DuckDB in this process, or on the caller's connection; see `engine`."""
        if self.plan.engine.dialect != "duckdb":
            raise PlanError(
                "This runs in DuckDB only.",
                where=self.plan.where("engine"),
                fix="set `engine: duckdb`, and name a source that DuckDB reads, such as a sample",
            )
        with self.engine(*tables, publishes=publishes) as opened:
            assert isinstance(opened, DuckDBEngine)
            yield opened

    def _opened(self, tables: Sequence[Source], *, publishes: bool) -> RowEngine:
        plan, options, places = self.plan, self.options, self._places()
        here = partial(
            DuckDBEngine, plan, places, writable=self._private, threads=options.threads,
            memory_limit=options.memory_limit, progress=options.progress, publishes=publishes,
        )  # fmt: skip
        if plan.engine.dialect == "duckdb":
            readable = readable_paths(plan, self.target, tables)
            return here(readable=readable, connection=options.connection, tables=self._tables)
        from sqlanon.engines.runner import Runner, open_database

        readable = readable_paths(plan, self.target, ())
        is_searched_here = plan.engine.search == "driver"
        return Runner(
            partial(open_database, plan, options.session), plan, places, readable=readable,
            files=[source for source in (plan.source, plan.population, *tables) if source],
            staged=self.copies,
            open_search=partial(here, readable=readable) if is_searched_here else None,
            progress=options.progress, publishes=publishes,
        )  # fmt: skip

    def _check_inputs(self, *, publishes: bool) -> None:
        check_inputs(self.plan, self.options, self._tables, self.target, publishes=publishes)

    @property
    def _connection(self) -> duckdb.DuckDBPyConnection | None:
        """DuckDB where the plan's tables are: that of the open engine, or the caller's."""
        engine = self._engine
        return engine.connection if isinstance(engine, DuckDBEngine) else self.options.connection

    @contextmanager
    def working_files(self, *, publishes: bool = False) -> Iterator[Ready]:
        """Lock the target folder for this run, and make a private folder in it.

        Another run with the same target or the same place of publication waits.
        """
        plan, connection = self.plan, self.options.connection
        if publishes:
            self._check_inputs(publishes=True)
        try:
            with contextlib.ExitStack() as claims:
                claim(self.target)
                claims.enter_context(self._locked(self.target / f"{BESIDE}run.lock"))
                is_file = publishes and not is_remote(plan.publish.path or "")
                final = final_place(plan) if is_file else None
                if final is not None:
                    final.parent.mkdir(parents=True, exist_ok=True)
                    lock = final.with_name(f"{BESIDE}{final.name[:200]}.lock")
                    claims.enter_context(self._locked(lock))
                    remove_abandoned(final.parent, BESIDE)
                recover = recovered(plan, self.place_of, connection)
                folder = claims.enter_context(private_folder(self.target, ".run_", recover))
                if publishes and plan.engine.path_becomes == "file":
                    check_place(plan, self.target, self.inputs())
                    check_replaced_tables(plan, connection, self._tables)
                self._private = folder
                ready = Ready(folder, self.place_of)
                ready.folder.mkdir()
                yield ready
        except OSError as error:
            raise PublishError(
                f"A working file could not be written ({type(error).__name__}).",
                where=Path(error.filename or self.target.name).name,
                fix="check that the target folder, the place of the publication and the solution"
                " file can be written",
            ) from error
        finally:
            self._private = None

    def _locked(self, path: Path) -> AbstractContextManager[None]:
        def waits(holder: str) -> None:
            _LOG.warning("Waiting for %s, which uses '%s'.", holder, path.parent.name)

        return locked(path, self.checked.name, waits)

    def hierarchies(self, *, copy: bool, only: str | None = None) -> dict[str, Hierarchy]:
        """The hierarchies with their files found, and shipped ones copied to the target folder.

        Args:
            copy: whether to copy shipped hierarchies, so that a program can name them.
            only: the column whose hierarchy alone is wanted; None for all.
        """
        copies = self.target / "hierarchies" if copy else None
        hierarchies = resolve_hierarchies(self.plan, copies, only)
        connection = self.options.connection
        if connection is not None:
            for name, hierarchy in hierarchies.items():
                if hierarchy.select:
                    where = self.plan.where("columns", name, "hierarchy")
                    query = query_on_connection(
                        self.plan, hierarchy.select, connection, where, self._tables
                    )
                    hierarchies[name] = hierarchy.with_select(query)
        elif self._connection is not None:
            faults = list(unconnected_tables(self.plan, hierarchies, connection, self._tables))
            if faults:
                raise united(faults)
        prove_hierarchies(self.plan, hierarchies, self._look)
        return hierarchies

    @property
    def _look(self) -> Look | None:
        """A function that finds what a table or view reads; None if no database is open."""
        if self._engine is not None:
            return self._engine.reads
        connection = self.options.connection
        return None if connection is None else partial(reads_on, connection)

    @property
    def solution_file(self) -> Path:
        """The file of the plan's solution.

        It is next to the plan, but in the target folder if the publication is a temporary table.
        """
        folder = self.target if self.checked.publish.is_temporary else self.checked.folder
        return folder / solution_name(self.checked)

    def place_of(self, name: str) -> Path:
        """Where a file of this name goes that a run makes."""
        solution = self.solution_file
        return solution if name == solution.name else self.target / name

    @property
    def target_in_sql(self) -> str:
        """The target folder as SQL names it, relative to the plan's folder."""
        return relative(self.target, self.checked.folder)

    @property
    def staged_paths(self) -> list[str]:
        """The files of staged rows, which are not yet proven, as SQL names them."""
        return [f"{self.target_in_sql}/{name}" for name in staged_names(self.plan)]

    @property
    def staged_in_sql(self) -> str:
        """The file of the staged rows: the first of `staged_paths`."""
        return self.staged_paths[0]

    @property
    def copies(self) -> dict[str, Destination]:
        """Where the rows of the staged files will be published, by these files."""
        return dict(zip(self.staged_paths, publications(self.plan), strict=True))

    def publishing(self, engine: RowEngine) -> Publishing:
        """What becomes of the rows that the engine stages; within `working_files`."""
        publishing = Publishing(self.plan, self.copies, engine)
        publishing.check(self.target, overwrite=self.options.overwrite)
        return publishing

    def _places(self) -> PathMap:
        """Where paths in SQL are: files for the target folder are written to the private one."""
        if self._private is None:
            return PathMap(self.plan.folder)
        names = (*staged_names(self.plan), PARTITION_TREE, BUCKET_DISTANCES)
        private = {f"{self.target_in_sql}/{name}": self._private / name for name in names}
        return PathMap(self.plan.folder, private)

    def inputs(self) -> list[Path]:
        """The files that the plan reads, including its own file and its solution."""
        connection = self.options.connection
        return [
            self.solution_file,
            *input_files(self.plan, self.target, connection, self._tables),
        ]

    def read_solution(self, fix: str = "run `sqlanon solve`") -> Solution:
        """The plan's own solution."""
        if not self.solution_file.is_file():
            raise PlanError("The plan has no solution yet.", where=self.solution_file.name, fix=fix)
        return self.solution_in(self.solution_file.read_bytes())

    def solution_in(self, content: bytes) -> Solution:
        """The solution in the content of the plan's solution file; see `read_solution`."""
        kind: type[Solution] = families.family_of(self.checked).solution_kind
        return solution_of(content, self.solution_file.name, self.checked, kind)

    def solution_if_any(self) -> Solution | None:
        """The plan's own solution, if there is one that belongs to it."""
        try:
            return self.read_solution()
        except PlanError:
            return None

    def column_groups(self) -> Sequence[Sequence[str]]:
        """The column groups of the plan, or else those of its own solution, if any."""
        solution = None if self.checked.column_groups else self.solution_if_any()
        return self.checked.column_groups if solution is None else solution.groups(self.checked)

    def solved_nodes(self, population: Source | None) -> Sequence[Mapping[str, int]]:
        """The nodes that the plan's own solution publishes, to divide a population by them."""
        solution = None if population is None else self.solution_if_any()
        return () if solution is None else solution.nodes

    def prepared(self, engine: Engine, *, copy: bool = True) -> Family[Any]:
        """The problem of the plan's method, with the tables that its search reads."""
        return drive(engine, families.prepared(self.plan, self.hierarchies(copy=copy)))

    def make_classes(self, engine: Engine, prepared: Family[Any], solution: Solution) -> None:
        """Make the release of a solution, and what measures read of it, without staging rows."""
        program = self.compile(solution, prepared)
        execute_rest(engine, program_steps(program), published=False)
        execute_rest(engine, prepared.measured_steps())

    def compile(self, solution: Solution | None, release: Family[Any] | None = None) -> Program:
        """The program; see `proven`."""
        return self.proven(solution, release)[0]

    def columns_of(self, table: Parts) -> dict[str, str] | None:
        """The columns of a table of the database that the plan runs in, if it is not DuckDB."""
        from sqlanon.engines.runner import Runner

        if self._engine is None:
            with self.engine(publishes=False):
                return self.columns_of(table)
        assert isinstance(self._engine, Runner)
        return self._engine.columns(table)

    def proven(
        self, solution: Solution | None, release: Family[Any] | None = None
    ) -> tuple[Program, Lineage]:
        """The program, and the proof that no identifier reaches its output."""
        plan = self.plan if solution is None else self.plan.with_types(solution.types)
        hierarchies = self.hierarchies(copy=True)
        release = release or families.recorded(plan, hierarchies, solution)
        program = compile_program(plan, release, solution, self.staged_in_sql)
        if plan.engine.keeps_names:
            refuse_names(plan, hierarchies, {step.name.lower() for step in program.steps})
        labels = None if solution is None else solution.labels(plan, hierarchies)
        steps = program_steps(program)
        return program, prove_no_identifier_flows(plan, steps, hierarchies, self._look, labels)

    def warned(
        self, engine: Engine, more: Sequence[PlanWarning] = (), *, is_released: bool = False
    ) -> Plan:
        """The plan with its `warnings`; those that it does not acknowledge are logged.

        The view `source` has been made; if `is_released`, the release, too. There are no warnings
        where texts of rows stay in their database.
        """
        if not self.plan.engine.shows_texts:
            return self.plan
        asked = plan_warnings(self.plan, is_released=is_released, more=more)
        warnings = drive(engine, asked)
        for warning in warnings:
            if not warning.acknowledged:
                _LOG.warning("Warning %s: %s", warning.name, warning.text)
        return self.plan.with_warnings(warnings)

    def describe_source(self) -> None:
        """Find the types of columns if the source exists; otherwise columns are treated as text."""
        try:
            self._check_inputs(publishes=False)
        except PlanError:
            return
        if not all((self.plan.folder / file).is_file() for file in database_names(self.plan)):
            return
        with self.engine(publishes=False) as engine:
            self.bind(engine)


Check = Callable[[Plan], Search[Plan]]
"""What reads the columns of tables and returns the plan with their types."""


def execute_rest(engine: Engine, steps: Sequence[Step], *, published: bool = True) -> None:
    """Execute the steps that the search has not executed, with or without the staged rows."""
    done = {entry.step for entry in engine.journal}
    for step in steps:
        if step not in done and (published or step.kind != "copy"):
            engine.execute(step)
