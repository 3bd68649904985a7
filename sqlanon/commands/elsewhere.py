"""Opens the engine of a plan that runs in another database, and checks what it can read there."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sqlanon.commands.options import Options
from sqlanon.engines.base import Engine, drive
from sqlanon.engines.connection import named_tables
from sqlanon.engines.duckdb import DuckDBEngine
from sqlanon.engines.opening import open_database
from sqlanon.engines.split import SplitEngine
from sqlanon.engines.translating import TranslatingEngine
from sqlanon.errors import PlanError, united
from sqlanon.plan.checks import reads_file
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import SOURCE_DATA, Destination, Source
from sqlanon.proof.outside import check_metadata
from sqlanon.publication.place import final_place, publications
from sqlanon.source.files import read_tables, readable_paths
from sqlanon.sql.paths import Places, is_remote, literal_pattern
from sqlanon.sql.tables import Parts, table_parts
from sqlanon.system.files import sha256_of


def opened_elsewhere(
    plan: Plan,
    options: Options,
    places: Places,
    target: Path,
    private: Path | None,
    *,
    tables: Sequence[Source],
    staged: Mapping[str, Destination],
    publishes: bool,
) -> tuple[Engine, TranslatingEngine]:
    """The engine of a plan that runs elsewhere, and that of its rows, which is the same or a part.

    Args:
        target: the plan's target folder.
        private: the folder of the run; None if it writes nothing.
        tables: further tables to be read.
        staged: where the rows of copies will be published, by the copies' targets.
        publishes: whether rows may be published; if not, pseudonyms need no key.

    Raises:
        PlanError: the plan reads or publishes what the database cannot.
        EngineError: the database cannot be reached.
    """
    check_plan_elsewhere(plan, options, target, publishes=publishes)
    readable = readable_paths(plan, target, ())
    rows = TranslatingEngine(
        open_database(plan, options.session),
        plan,
        places,
        readable=readable,
        files=[source for source in (plan.source, plan.population, *tables) if source],
        staged=staged,
        progress=options.progress,
        publishes=publishes,
    )
    if plan.engine.search == "engine":
        return rows, rows
    try:
        search = DuckDBEngine(
            plan,
            places,
            readable=readable,
            writable=private,
            threads=options.threads,
            memory_limit=options.memory_limit,
            progress=options.progress,
            publishes=publishes,
        )
    except BaseException:
        rows.close()
        raise
    return SplitEngine(rows, search), rows


def suited(plan: Plan) -> Plan:
    """The plan with a method that asks what its engine can answer; the result is the same.

    Also if the search runs here: the program of the plan makes the classes there.
    """
    if not plan.runs_elsewhere:
        return plan
    return plan.model_copy(update={"method": plan.method.by_rounds()})


def published_digest(place: str, rows: TranslatingEngine | None) -> str | None:
    """The digest of the files of a published table, as they are now; None if it has no files.

    Args:
        place: the table, or its file or folder relative to the current one.
        rows: has the table if it is in another database.
    """
    path = Path(place)
    if "::" not in place and path.is_file():
        return sha256_of(path.resolve())
    if rows is None:
        return None
    if path.is_dir():
        return rows.standing(Destination(path=str(path.resolve()), table=None))
    return rows.standing(Destination(path=None, table=place))


def check_files(
    plan: Plan, read: Source, columns: Sequence[str], table: str, engine: Engine
) -> None:
    """Check the metadata of published Parquet files, wherever their rows are read.

    Args:
        columns: of the files.
        table: the files as the caller named them.
        engine: reads the rows.

    Raises:
        PrivacyViolation: the files contain more than their columns.
    """
    if not read.is_file or read.file_format != "parquet" or read.path is None:
        return
    if not plan.runs_elsewhere:
        is_one = not read.is_pattern
        drive(engine, check_metadata(read.path, columns, table, one_file=is_one))
        return
    folder = plan.folder / read.path
    found = folder.rglob("*") if folder.is_dir() else [folder]
    shown = (file for file in found if file.is_file() and not file.name.startswith((".", "_")))
    files = sorted(map(str, shown))
    readable = [*files, *map(literal_pattern, files)]
    here = DuckDBEngine(plan, Places(plan.folder), readable=readable, publishes=False)
    with contextlib.closing(here):
        for file in files:
            drive(here, check_metadata(file, columns, table, one_file=True))


def check_plan_elsewhere(plan: Plan, options: Options, target: Path, *, publishes: bool) -> None:
    """Check that a plan reads and publishes what its engine can, and replaces nothing it reads.

    Args:
        target: the plan's target folder.
        publishes: whether rows may be published.

    Raises:
        PlanError: has everything that it cannot.
    """
    faults = [*_of_options(plan, options), *_of_tables(plan)]
    if publishes:
        faults += _of_replaced(plan, target)
    if faults:
        raise united(faults)


def _of_options(plan: Plan, options: Options) -> Iterator[PlanError]:
    where = plan.where("engine")
    if options.connection is not None:
        yield PlanError(
            "A connection of DuckDB is given, but the plan runs elsewhere.",
            where=where,
            fix="leave out the connection, or run the plan with overrides={'engine': 'duckdb'}",
        )
    if plan.engine.search == "engine" and not plan.method.is_cut_by_promises:
        yield PlanError(
            "The smallest k whose regions hold the promises is found by statements that only DuckDB"
            " has.",
            where=plan.where("method"),
            fix="search here, with `engine: {search: driver}`, or choose `partition: mondrian`",
        )
    if options.session is not None and plan.engine.name != "spark":
        yield PlanError(
            "A session of Spark is given, but the plan does not run there.",
            where=where,
            fix="write `engine: spark`, or leave out the session",
        )


def _of_tables(plan: Plan) -> Iterator[PlanError]:
    is_spark, title = plan.engine.name == "spark", plan.engine.title
    read = "a table, a query, or Parquet files" if is_spark else "a table or a query"
    for key, source in (("source", plan.source), ("population", plan.population)):
        if source is None:
            continue
        is_parquet = source.is_file and source.file_format == "parquet"
        is_given = source.table == SOURCE_DATA
        if is_given or (source.path is not None and not (is_spark and is_parquet)):
            yield PlanError(
                f"{title} reads {read}, not {'rows of Python' if is_given else source.path!r}.",
                where=plan.where(key),
                fix=f"load it into the database, and write `{key}: {{table: SCHEMA.TABLE}}`; or run"
                " the plan with `engine: duckdb`",
            )
    place = plan.publish
    is_parquet = is_spark and not place.database and not place.is_csv
    if place.path is not None and not is_parquet:
        yield PlanError(
            f"{title} publishes {'a table or Parquet files' if is_spark else 'a table'}, not"
            f" '{place.path}'.",
            where=plan.where("publish"),
            fix="write `publish: {table: SCHEMA.TABLE}`; or run the plan with `engine: duckdb`",
        )


def _of_replaced(plan: Plan, target: Path) -> Iterator[PlanError]:
    """The faults of a publication over what the plan reads, or among it: it would be read next."""
    where, final = plan.where("publish"), final_place(plan)
    if final is None:
        read = [parts for _, parts in named_tables(plan, plan.hierarchies)]
        for place in publications(plan):
            if any(_may_be_same(table_parts(place.table or ""), parts) for parts in read):
                yield PlanError(
                    f"'{place.table}' is read by the plan; publishing would replace it.",
                    where=where,
                    fix="publish to a table of another name",
                )
        return
    if is_remote(plan.publish.path or ""):
        return
    final = Path(os.path.realpath(final))
    for source in read_tables(plan):
        if source.path is None or is_remote(source.path):
            continue
        holds = Path(os.path.realpath(plan.folder / source.path)).is_relative_to(final)
        around = (final, *final.parents)
        if holds or any(reads_file(plan.folder, source, str(folder)) for folder in around):
            yield PlanError(
                f"'{plan.publish.path}' and '{source.path}', which the plan reads, are one in the"
                " other.",
                where=where,
                fix="publish to another folder",
            )
    folder = Path(os.path.realpath(target))
    if final.is_relative_to(folder) or folder.is_relative_to(final):
        yield PlanError(
            "The publication would be in the target folder, or replace it.",
            where=where,
            fix=f"publish outside of '{target.name}/'",
        )


def _may_be_same(one: Parts, other: Parts) -> bool:
    """Whether two names can be of one table: what is left out may be anything."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    return all(part.lower() == another.lower() for part, another in pairs)
