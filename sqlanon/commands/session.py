"""A session: one plan, its folders and hierarchies, and an open engine."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import duckdb

from sqlanon.commands.inputs import check_inputs, unconnected_tables
from sqlanon.commands.options import Given, Options, PlanLike, settled
from sqlanon.discovery.warnings import plan_warnings
from sqlanon.engines.base import Engine, drive
from sqlanon.engines.connection import (
    named_tables,
    on_connection,
    query_on_connection,
    refuse_names,
)
from sqlanon.engines.duckdb import DuckDBEngine
from sqlanon.engines.tables import whole_name
from sqlanon.errors import PlanError, PublishError, united
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.plan.overrides import Overrides
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import SOURCE_DATA, Source
from sqlanon.proof.hierarchy_lineage import Look, prove_hierarchies
from sqlanon.proof.lineage import Lineage, prove_no_identifier_flows
from sqlanon.publication.place import Staged, check_place, final_place, publications, staged_names
from sqlanon.publication.publish import BESIDE, recovered
from sqlanon.release.program import Program, compile_program, program_steps
from sqlanon.release.way import BUCKET_DISTANCES, PARTITION_TREE, Release
from sqlanon.release.ways import way_of
from sqlanon.solution.base import Solution, solution_name, solution_of
from sqlanon.source.columns import check_columns, check_population, read_source
from sqlanon.source.files import hierarchy_places, matching_files, read_tables, readable_paths
from sqlanon.source.hierarchy_files import relative, resolve_hierarchies
from sqlanon.source.reading import database_names
from sqlanon.sql.paths import Places
from sqlanon.sql.tables import Parts, table_name
from sqlanon.sql.views import Reads, resolved, view_sources
from sqlanon.system.files import sha256_of
from sqlanon.system.locks import locked, private_folder, remove_abandoned

_LOG = logging.getLogger("sqlanon")


class Session:
    """A plan, its folders and hierarchies, and an open engine."""

    def __init__(
        self,
        plan: PlanLike,
        options: Options | None = None,
        *,
        connection: duckdb.DuckDBPyConnection | None = None,
        source: object = None,
        overrides: Overrides = (),
    ) -> None:
        self.plan, options = settled(
            plan, options, connection=connection, source=source, overrides=overrides
        )
        self._tables: dict[str, object] = {}
        if isinstance(options.source, Given) and self.plan.source.table == SOURCE_DATA:
            self._tables[SOURCE_DATA] = options.source.table
        if options.connection is not None:
            self.plan = on_connection(self.plan, options.connection, self._tables)
        self._connection = options.connection
        default = self.plan.folder / "target" / self.plan.name
        self.target = Path(options.target or default).resolve()
        self.options = options
        self._private: Path | None = None

    @contextmanager
    def engine(self, *tables: Source, publishes: bool = True) -> Iterator[DuckDBEngine]:
        """An open engine, whose working tables are dropped afterwards.

        Args:
            tables: further tables to be read.
            publishes: whether rows may be published; if not, pseudonyms need no key.
        """
        check_inputs(self.plan, self.options.connection, self._tables)
        engine = DuckDBEngine(
            self.plan,
            self._places(),
            readable=readable_paths(self.plan, self.target, tables),
            writable=self._private,
            connection=self.options.connection,
            threads=self.options.threads,
            memory_limit=self.options.memory_limit,
            progress=self.options.progress,
            publishes=publishes,
            tables=self._tables,
        )
        try:
            self._connection = engine.connection
            yield engine
        finally:
            self._connection = self.options.connection
            engine.close()

    @contextmanager
    def working_files(self, *, publishes: bool = False) -> Iterator[Path]:
        """Lock the target folder for this run, and make a private folder in it.

        Another run with the same target or the same place of publication waits.

        Raises:
            PlanError: the publication would replace an input.
            PublishError: a working file cannot be written, or the publication would replace
                something that no run wrote.
        """
        if publishes:
            check_inputs(self.plan, self.options.connection, self._tables)
        try:
            with contextlib.ExitStack() as claims:
                self.target.mkdir(parents=True, exist_ok=True)
                claims.enter_context(self._locked(self.target / ".lock"))
                final = final_place(self.plan) if publishes else None
                if final is not None:
                    final.parent.mkdir(parents=True, exist_ok=True)
                    lock = final.with_name(f".{final.name[:200]}.lock")
                    claims.enter_context(self._locked(lock))
                    remove_abandoned(final.parent, BESIDE)
                connection = self.options.connection
                recover = recovered(self.plan, self.target, connection)
                folder = claims.enter_context(private_folder(self.target, ".run_", recover))
                if publishes:
                    check_place(
                        self.plan, self.target, self.inputs(), connection,
                        overwrite=self.options.overwrite,
                    )  # fmt: skip
                    self._check_tables()
                self._private = folder
                yield folder
        except OSError as error:
            raise PublishError(
                f"A working file could not be written ({type(error).__name__}).",
                where=Path(error.filename or self.target.name).name,
                fix="check that the target folder, the place of the publication and the solution"
                " file can be written",
            ) from error
        finally:
            self._private = None

    def _check_tables(self) -> None:
        """Check that the publication replaces no table that the plan reads, also through views.

        Raises:
            PlanError: it would replace one.
        """
        connection = self.options.connection
        if connection is None or self.plan.publish.table is None:
            return
        names = {
            tuple(part.lower() for part in parts)
            for reads in self._read_on(connection)
            for parts in reads.tables
        }
        for place in publications(self.plan):
            whole = whole_name(connection, (place.table or "").split("."))
            if tuple(part.lower() for part in whole) in names:
                raise PlanError(
                    f"'{place.table}' is read by the plan; publishing would replace it.",
                    where=self.plan.where("publish"),
                    fix="publish to a table of another name",
                )

    def _locked(self, path: Path) -> AbstractContextManager[None]:
        def waits(holder: str) -> None:
            _LOG.warning("Waiting for %s, which uses '%s'.", holder, path.parent.name)

        return locked(path, self.plan.name, waits)

    def hierarchies(self, *, copy: bool, only: str | None = None) -> dict[str, Hierarchy]:
        """The hierarchies with their files found, and shipped ones copied to the target folder.

        Args:
            copy: whether to copy shipped hierarchies, so that a program can name them.
            only: the column whose hierarchy alone is wanted; None for all.

        Raises:
            PlanError: has every missing file or table, and labels that could contain an identifier.
        """
        copies = self.target / "hierarchies" if copy else None
        found = resolve_hierarchies(self.plan, copies, only)
        connection = self.options.connection
        if connection is not None:
            for name, hierarchy in found.items():
                if hierarchy.select:
                    where = self.plan.where("columns", name, "hierarchy")
                    query = query_on_connection(
                        self.plan, hierarchy.select, connection, where, self._tables
                    )
                    found[name] = hierarchy.with_select(query)
        elif self._connection is not None:
            faults = list(unconnected_tables(self.plan, found, connection, self._tables))
            if faults:
                raise united(faults)
        prove_hierarchies(self.plan, found, self._look)
        return found

    @property
    def _look(self) -> Look | None:
        """A function that finds what a table or view reads; None if no database is open."""
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
        """The file of the plan's solution.

        It is next to the plan, but in the target folder if the publication is a temporary table.
        """
        folder = self.target if self.plan.publish.is_temporary else self.plan.folder
        return folder / solution_name(self.plan)

    @property
    def target_in_sql(self) -> str:
        """The target folder as SQL names it, relative to the plan's folder."""
        return relative(self.target, self.plan.folder)

    @property
    def staged_paths(self) -> list[str]:
        """The files of staged rows, which are not yet proven, as SQL names them."""
        return [f"{self.target_in_sql}/{name}" for name in staged_names(self.plan)]

    @property
    def staged_in_sql(self) -> str:
        """The file of the staged rows: the first of `staged_paths`."""
        return self.staged_paths[0]

    def staged(self) -> list[Staged]:
        """The staged tables, with the current digests of their files."""
        files = [self._own(name) for name in staged_names(self.plan)]
        return [
            Staged(place, file, sha256_of(file))
            for place, file in zip(publications(self.plan), files, strict=True)
        ]

    def shown(self) -> list[Path]:
        """The files for readers that the engine wrote to the private folder."""
        files = [self._own(name) for name in (PARTITION_TREE, BUCKET_DISTANCES)]
        return [file for file in files if file.is_file()]

    def _own(self, name: str) -> Path:
        assert self._private is not None  # only within `working_files`
        return self._private / name

    def _places(self) -> Places:
        """Where paths in SQL are: files for the target folder are written to the private one."""
        if self._private is None:
            return Places(self.plan.folder)
        names = (*staged_names(self.plan), PARTITION_TREE, BUCKET_DISTANCES)
        private = {f"{self.target_in_sql}/{name}": self._private / name for name in names}
        return Places(self.plan.folder, private)

    def inputs(self) -> list[Path]:
        """The files that the plan reads, including its own file and its solution."""
        files = [self.solution_file, *hierarchy_places(self.plan, self.target)]
        if self.plan.file != self.plan.name:
            files.append(self.plan.folder / self.plan.file)
        for source in read_tables(self.plan):
            if source.path is not None:
                files += matching_files(self.plan, source)
        connection = self.options.connection
        if connection is not None:
            opened = connection.execute(
                "select path from duckdb_databases() where path is not null"
            )
            files += [Path(path) for (path,) in opened.fetchall()]
            files += [Path(path) for reads in self._read_on(connection) for path in reads.files]
        return files

    def _read_on(self, connection: duckdb.DuckDBPyConnection) -> Iterator[Reads]:
        """What the tables and views that the plan names read on a connection."""
        for where, parts in named_tables(self.plan, self.plan.hierarchies):
            if table_name(parts) not in self._tables:
                yield view_sources(connection, resolved(connection, parts, where))

    def read_solution(self, plan: Plan | None = None, fix: str = "run `sqlanon solve`") -> Solution:
        """The plan's own solution.

        Args:
            plan: the plan as its file states it, if the session reads other tables.
            fix: what to do if there is none.

        Raises:
            PlanError: there is none, or it is broken or of another version of the plan.
        """
        if not self.solution_file.is_file():
            raise PlanError("The plan has no solution yet.", where=self.solution_file.name, fix=fix)
        return self.solution_in(self.solution_file.read_bytes(), plan)

    def solution_in(self, content: bytes, plan: Plan | None = None) -> Solution:
        """The solution in the content of the plan's solution file; see `read_solution`."""
        kind: type[Solution] = way_of(plan or self.plan).solution_kind
        return solution_of(content, self.solution_file.name, plan or self.plan, kind)

    def compile(self, solution: Solution | None, release: Release[Any] | None = None) -> Program:
        """The program; see `proven`."""
        return self.proven(solution, release)[0]

    def proven(
        self, solution: Solution | None, release: Release[Any] | None = None
    ) -> tuple[Program, Lineage]:
        """The program, and the proof that no identifier reaches its output.

        Args:
            release: of the problem that was solved; if None, it follows from the solution.
        """
        plan = self.plan if solution is None else self.plan.with_types(solution.types)
        hierarchies = self.hierarchies(copy=True)
        found = release or way_of(plan).release(hierarchies, solution)
        program = compile_program(plan, found, solution, self.staged_in_sql)
        refuse_names(plan, hierarchies, {step.name.lower() for step in program.steps})
        labels = None if solution is None else solution.labels(plan, hierarchies)
        steps = program_steps(program)
        return program, prove_no_identifier_flows(plan, steps, hierarchies, self._look, labels)

    def read_source(self, engine: Engine) -> None:
        """Create the tables of the source, and find the types of its columns."""
        self.plan = drive(engine, read_source(self.plan))

    def check_columns(self, engine: Engine) -> None:
        """Check the columns of the source and the population, and find their types.

        Raises:
            PlanError: they do not fit the plan.
        """
        self.plan = drive(engine, check_columns(self.plan))

    def check_population(self, engine: Engine) -> None:
        """Check the columns of the population, and find their types.

        Raises:
            PlanError: they do not fit the plan.
        """
        self.plan = drive(engine, check_population(self.plan))

    def warn(self, engine: Engine) -> None:
        """Find what the plan is to be warned of, and log what it does not acknowledge.

        The view `source` has been made. The plan then has `warnings`.
        """
        self.plan = self.plan.with_warnings(drive(engine, plan_warnings(self.plan)))
        for warning in self.plan.warnings:
            if not warning.acknowledged:
                _LOG.warning("Warning %s: %s", warning.name, warning.text)

    def describe_source(self) -> None:
        """Find the types of columns if the source exists; otherwise columns are treated as text.

        Raises:
            PlanError: the source exists and does not fit the plan.
        """
        try:
            check_inputs(self.plan, self.options.connection, self._tables)
        except PlanError:
            return
        if not all((self.plan.folder / file).is_file() for file in database_names(self.plan)):
            return
        with self.engine(publishes=False) as engine:
            self.check_columns(engine)
