"""A session: one plan, its folders and hierarchies, and an engine that is open for it."""

from __future__ import annotations

import contextlib
import csv
import glob
import logging
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import duckdb

from sqlanon.bounds import checked_memory, checked_threads
from sqlanon.engines.base import Engine
from sqlanon.engines.duckdb import DuckDBEngine, engine_error
from sqlanon.engines.tables import whole_name
from sqlanon.errors import EngineError, PlanError, PublishError, did_you_mean
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.plan.column_types import may_leave, refusal, type_name
from sqlanon.plan.file import load_plan
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Source
from sqlanon.plan.text import checked_text, is_regular
from sqlanon.proof.lineage import Look, prove_hierarchies, prove_no_identifier_flows
from sqlanon.publication.place import Staged, check_place, final_place, publications, staged_names
from sqlanon.publication.publish import BESIDE, recovered
from sqlanon.release.program import Program, compile_program, program_steps
from sqlanon.release.recoding import BUCKET_DISTANCES, PARTITION_TREE
from sqlanon.solution.file import Solution
from sqlanon.source.checks import source_problem
from sqlanon.source.hierarchy_files import relative, resolve_hierarchies
from sqlanon.source.reading import attached_databases, database_names, source_inputs
from sqlanon.source.tables import population_steps, source_steps
from sqlanon.sql.paths import Places, file_to_read, files_to_read, is_remote, literal_pattern
from sqlanon.sql.queries import plan_query
from sqlanon.sql.render import shipped, text
from sqlanon.sql.step import Step
from sqlanon.sql.tables import Parts, table_name, table_parts, table_sql
from sqlanon.sql.views import Reads, refuse_macros, resolved, view_sources
from sqlanon.system.files import sha256_of
from sqlanon.system.locks import locked, private_folder, remove_abandoned

_LOG = logging.getLogger("sqlanon")

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
        overwrite: replace what stands where the plan publishes, though no run of the plan wrote it.
    """

    overrides: Sequence[str] = field(default=(), repr=False)  # one may set the seed
    target: Path | None = None
    connection: duckdb.DuckDBPyConnection | None = None
    threads: int | None = None
    memory_limit: str | None = None
    progress: Callable[[str], None] | None = None
    overwrite: bool = False

    def __post_init__(self) -> None:
        checked_threads(self.threads)
        checked_memory(self.memory_limit)
        if self.target is not None:
            checked_text(str(self.target), "--target")


class Session:
    """A plan, its folders, its hierarchies, and an engine that is open."""

    def __init__(self, plan: PlanLike, options: Options) -> None:
        self.plan = load_plan(plan, options.overrides)
        if options.connection is not None:
            self.plan = on_connection(self.plan, options.connection)
        self._connection = options.connection
        default = self.plan.folder / "target" / self.plan.name
        self.target = Path(options.target or default).resolve()
        self.options = options
        self._private: Path | None = None

    @contextmanager
    def engine(self, *tables: Source, publishes: bool = True) -> Iterator[DuckDBEngine]:
        """An open engine whose working tables are gone afterwards.

        Args:
            tables: to be read besides what the plan names.
            publishes: whether rows may be published; if not, pseudonyms need no key.
        """
        self._check_source_exists()
        engine = DuckDBEngine(
            self.plan,
            self._places(),
            readable=self._readable(tables),
            writable=self._private,
            connection=self.options.connection,
            threads=self.options.threads,
            memory_limit=self.options.memory_limit,
            progress=self.options.progress,
            publishes=publishes,
        )
        try:
            self._connection = engine.connection
            yield engine
        finally:
            self._connection = self.options.connection
            engine.close()

    @contextmanager
    def working_files(self, *, publishes: bool = False) -> Iterator[Path]:
        """The target folder, this run's alone, and a private folder in it.

        Another run with the same target, or that publishes to the same place, waits.

        Raises:
            PlanError: the publication would replace an input.
            PublishError: a working file cannot be written, or something that no run wrote stands
                where the plan publishes.
        """
        if publishes:
            self._check_source_exists()
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
                        self.plan, self.target, self._inputs(), connection,
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
        """No table that the plan reads is published over, nor one that a view reads.

        Raises:
            PlanError: one is.
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

    def hierarchies(self, *, copy: bool) -> dict[str, Hierarchy]:
        """The hierarchies, their files found; shipped ones copied where a program can name them.

        Raises:
            PlanError: a file or table is missing, or a hierarchy can put an identifier into labels.
        """
        found = resolve_hierarchies(self.plan, self.target / "hierarchies" if copy else None)
        connection = self.options.connection
        if connection is not None:
            for name, hierarchy in found.items():
                if hierarchy.select:
                    where = self.plan.where("columns", name, "hierarchy")
                    query = query_on_connection(self.plan, hierarchy.select, connection, where)
                    found[name] = hierarchy.with_select(query)
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
    def target_in_sql(self) -> str:
        """The target folder as SQL names it, relative to the plan's folder."""
        return relative(self.target, self.plan.folder)

    @property
    def staged_paths(self) -> list[str]:
        """The files of what is not yet proven, as SQL names them."""
        return [f"{self.target_in_sql}/{name}" for name in staged_names(self.plan)]

    @property
    def staged_in_sql(self) -> str:
        """The first of them, of rows."""
        return self.staged_paths[0]

    def staged(self) -> list[Staged]:
        """The rows that wait for their proof, with the digests of their files now."""
        files = [self._own(name) for name in staged_names(self.plan)]
        return [
            Staged(place, file, sha256_of(file))
            for place, file in zip(publications(self.plan), files, strict=True)
        ]

    def shown(self) -> list[Path]:
        """Files for readers that the engine wrote to the private folder."""
        files = [self._own(name) for name in (PARTITION_TREE, BUCKET_DISTANCES)]
        return [file for file in files if file.is_file()]

    def _own(self, name: str) -> Path:
        assert self._private is not None  # only within `working_files`
        return self._private / name

    def _places(self) -> Places:
        """Where paths in SQL lie: what is written to the target folder, in the private one."""
        if self._private is None:
            return Places(self.plan.folder)
        names = (*staged_names(self.plan), PARTITION_TREE, BUCKET_DISTANCES)
        private = {f"{self.target_in_sql}/{name}": self._private / name for name in names}
        return Places(self.plan.folder, private)

    def _readable(self, tables: Sequence[Source]) -> list[str]:
        """The files that an engine may read: paths, and patterns with what they stand for."""
        paths: list[str] = []
        places = Places(self.plan.folder)
        for source in (*self._sources(), *tables):
            if source.path is None:
                continue
            path = source.database or source.path
            whole = places.absolute(path)
            paths += [whole, literal_pattern(whole)]
            if source.database is not None:
                paths.append(f"{whole}.wal")
            elif source.is_pattern:
                paths.append(places.resolved(files_to_read(path))[1:-1].replace("''", "'"))
                for file in self._matching(source):
                    paths += [str(file), os.path.realpath(file)]
        for file in self._hierarchy_files():
            paths += [str(file), literal_pattern(str(file))]
        return list(dict.fromkeys(paths))

    def _matching(self, source: Source) -> list[Path]:
        """The files that the path of a source stands for."""
        if not source.is_pattern:
            file = self.plan.folder / (source.database or source.path or "")
            return [file] if file.exists() else []
        pattern = re.sub(r"\[", "[[]", source.path or "")
        found = glob.glob(pattern, root_dir=self.plan.folder, recursive=True, include_hidden=True)
        return [self.plan.folder / path for path in found]

    def _hierarchy_files(self) -> list[Path]:
        """Where the files of the plan's hierarchies may lie."""
        folders = (self.plan.folder, shipped("hierarchies"), self.target / "hierarchies")
        return [
            Path(os.path.realpath(folder / hierarchy.file_path))
            for hierarchy in self.plan.hierarchies.values()
            if hierarchy.file_path
            for folder in folders
        ]

    def _inputs(self) -> list[Path]:
        """The files that the plan reads, its own and its solution among them."""
        files = [self.solution_file, *self._hierarchy_files()]
        if self.plan.file != self.plan.name:
            files.append(self.plan.folder / self.plan.file)
        for source in self._sources():
            if source.path is not None:
                files += self._matching(source)
        connection = self.options.connection
        if connection is not None:
            opened = connection.execute(
                "select path from duckdb_databases() where path is not null"
            )
            files += [Path(path) for (path,) in opened.fetchall()]
            files += [Path(path) for reads in self._read_on(connection) for path in reads.files]
        return files

    def _read_on(self, connection: duckdb.DuckDBPyConnection) -> Iterator[Reads]:
        """What the tables and views of a connection that the plan names read, through all views."""
        for where, parts in _tables(self.plan, self.plan.hierarchies):
            yield view_sources(connection, resolved(connection, parts, where))

    def _sources(self) -> Iterator[Source]:
        """The source, the population, and the files that queries of the plan read."""
        queries = []
        for key, source in (("source", self.plan.source), ("population", self.plan.population)):
            if source is not None:
                yield source
                queries += [(source.query, self.plan.where(key))] if source.query else []
        for name, hierarchy in self.plan.hierarchies.items():
            if hierarchy.select:
                queries.append((hierarchy.select, self.plan.where("columns", name, "hierarchy")))
        for query, where in queries:
            for file in plan_query(query, where).files:
                yield Source(path=file.path)

    def compile(self, solution: Solution | None) -> Program:
        """The program, with its identifiers' absence proven."""
        plan = self.plan if solution is None else self.plan.with_types(solution.types)
        hierarchies = self.hierarchies(copy=True)
        program = compile_program(plan, hierarchies, solution, self.staged_in_sql)
        self._refuse_names_of_steps(program, hierarchies)
        prove_no_identifier_flows(plan, program_steps(program), hierarchies, self._look)
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
            if step.name == "listed_problems" and not rows:
                continue  # no value is known
            if step.name == "source_combinations" and not rows:
                step = Step(step.name, f"select *\nfrom (\n{step.sql}\n) as nothing\nlimit 0")
            error = source_problem(self.plan, step, engine.execute(step))
            if error:
                raise error

    def check_columns(self, engine: Engine) -> None:
        """Every column of the source has a role, and every role a column; their types are learned.

        Raises:
            PlanError: with the first column that does not, or has a type that cannot leave.
        """
        self.check_population(engine)
        source = source_steps(self.plan)[0]
        described = f"select column_name, column_type\nfrom (\ndescribe\n{source.sql}\n)"
        try:
            rows = engine.execute(Step("source_columns", described, "rows"))
        except EngineError as error:
            self._tell_broken_line(engine)
            raise PlanError(
                f"The source cannot be read: {error.what}",
                where=self.plan.where("source"),
                fix="check the query or the table's name, the kind of file, and `types`",
            ) from None
        types = {row[0]: row[1] for row in rows}
        found = list(types)
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
        self._learn_types("source", self.plan.read_columns, types)

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
        described = f"select column_name, column_type\nfrom (\ndescribe\n{population.sql}\n)"
        try:
            rows = engine.execute(Step("population_columns", described, "rows"))
        except EngineError as error:
            raise PlanError(
                f"The population cannot be read: {error.what}",
                where=where or self.plan.where("population"),
                fix="check the query or the table's name, the kind of file, and `types`",
            ) from None
        types = {row[0]: row[1] for row in rows}
        found = list(types)
        for name in self.plan.quasi_identifiers:
            if name.lower() not in {other.lower() for other in found}:
                raise PlanError(
                    f"The population has no column '{name}', a quasi-identifier.",
                    where=where or self.plan.where("population"),
                    fix=did_you_mean(name, found),
                )
        self._learn_types("population", self.plan.quasi_identifiers, types, where)

    def describe_source(self) -> None:
        """Learn the types of columns where the source is there; else they are taken for text.

        Raises:
            PlanError: the source is there and does not fit the plan.
        """
        try:
            self._check_source_exists()
        except PlanError:
            return
        if not all((self.plan.folder / file).is_file() for file in database_names(self.plan)):
            return
        with self.engine(publishes=False) as engine:
            self.check_columns(engine)

    def _learn_types(
        self,
        table: Literal["source", "population"],
        columns: Iterable[str],
        described: Mapping[str, str],
        where: str = "",
    ) -> None:
        """Keep the types of these columns with the plan.

        Raises:
            PlanError: with the first column of a type that cannot leave the source.
        """
        lower = {name.lower(): type_name(kind) for name, kind in described.items()}
        types = {name: lower[name.lower()] for name in columns}
        for name, kind in types.items():
            if not may_leave(kind):
                why, fix = refusal(table, name, kind)
                raise PlanError(
                    f"The column '{name}' of the {table} is of the type {kind}: {why}.",
                    where=where or self.plan.where("columns", name),
                    fix=fix,
                )
        self.plan = self.plan.with_types({**self.plan.types, table: types})

    def _tell_broken_line(self, engine: Engine) -> None:
        """Read a CSV file that DuckDB makes nothing of by its first line; the error tells the line.

        Raises:
            EngineError: with the line that does not fit the first one.
        """
        source = self.plan.source
        files = self._matching(source) if source.path is not None else []
        if source.file_format != "csv" or not files or files[0].suffix.lower() != ".csv":
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
        path = (files_to_read if source.is_pattern else file_to_read)(source.path or "")
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
        publication = self.plan.publish
        place = self.plan.folder / (publication.database or publication.path or "")
        if place.exists() and not (is_regular(place) or place.is_dir()):
            raise PlanError(
                "The publication is to replace a pipe or a device.",
                where=self.plan.where("publish"),
                fix="publish to a file",
            )
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
            if path is None or source.database is not None:
                continue
            if is_remote(path) and self.options.connection is None:
                raise PlanError(
                    f"The {key} '{path}' is not on this machine.",
                    where=self.plan.where(key),
                    fix="open it on a DuckDB connection of yours, and give a table or view of it",
                )
            found = self._matching(source)
            if not is_remote(path) and (not found or not all(map(is_regular, found))):
                raise PlanError(
                    f"The {key} '{path}' does not exist, or is no regular file."
                    if found
                    else f"The {key} '{path}' does not exist.",
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
        if hierarchy.select:
            where = plan.where("columns", name, "hierarchy")
            for parts in plan_query(hierarchy.select, where).tables:
                yield where, parts
