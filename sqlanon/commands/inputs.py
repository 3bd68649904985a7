"""Checks, before a database is opened, that what a plan reads is there."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

import duckdb

from sqlanon.boundary.text import is_regular
from sqlanon.commands.options import Options
from sqlanon.engines.connection import named_tables
from sqlanon.engines.tables import whole_name
from sqlanon.errors import PlanError, united
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.plan.checks import may_be_one, reads_file
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import SOURCE_DATA, Destination, Source
from sqlanon.publication.place import final_place, publications
from sqlanon.source.files import hierarchy_places, matching_files, read_tables
from sqlanon.source.reading import attached_databases
from sqlanon.sql.paths import is_remote
from sqlanon.sql.tables import table_name
from sqlanon.sql.views import Catalog, Reads

_GZIP = b"\x1f\x8b"
_CHUNK = 1 << 20


def check_inputs(
    plan: Plan, options: Options, python_tables: Collection[str], target: Path, *, publishes: bool
) -> None:
    """Check that the plan's engine can read what the plan reads, and that it is there."""
    faults = [*_of_options(plan, options)]
    if plan.engine.has_tables:
        faults += [*_of_tables(plan), *(_of_replaced(plan, target) if publishes else ())]
    else:
        connection = options.connection
        faults += [*_of_publication(plan), *unconnected_tables(plan, {}, connection, python_tables)]
        for key, source in (("source", plan.source), ("population", plan.population)):
            if source is not None:
                faults += _of_input(plan, key, source, connection)
    if faults:
        raise united(faults)


def unconnected_tables(
    plan: Plan,
    hierarchies: Mapping[str, Hierarchy],
    connection: duckdb.DuckDBPyConnection | None,
    python_tables: Collection[str],
) -> Iterator[PlanError]:
    """The faults of tables that nobody has: caller's connection, attached files, or Python."""
    databases = attached_databases(plan)
    for where, parts in named_tables(plan, hierarchies):
        if table_name(parts) in python_tables:
            continue
        if connection is None and table_name(parts) == SOURCE_DATA:
            yield PlanError(
                "The rows of the source are to be given in Python.",
                where=where,
                fix="call sqlanon.run(plan, source=…) with a DataFrame, or name a source",
            )
        elif connection is None and parts[0].lower() not in databases:
            yield PlanError(
                f"The table '{'.'.join(parts)}' needs a connection.",
                where=where,
                fix="call sqlanon.run(plan, connection=…), write FILE.duckdb::TABLE, or read a"
                " file, with its name in quotes",
            )


def _of_publication(plan: Plan) -> Iterator[PlanError]:
    place = plan.folder / (plan.publish.database or plan.publish.path or "")
    if place.exists() and not (is_regular(place) or place.is_dir()):
        yield PlanError(
            "The publication would replace a pipe or a device.",
            where=plan.where("publish"),
            fix="publish to a file",
        )
    if is_remote(plan.publish.path or ""):
        yield PlanError(
            f"The publication '{plan.publish.path}' is not on this machine.",
            where=plan.where("publish"),
            fix="name a file here, and copy it when it is proven",
        )


def _of_input(
    plan: Plan, key: str, source: Source, connection: duckdb.DuckDBPyConnection | None
) -> Iterator[PlanError]:
    if plan.publish.table and connection is None:
        yield PlanError(
            "A published table needs a connection.",
            where=plan.where(key),
            fix="call sqlanon.run(plan, connection=…), or write FILE.duckdb::TABLE",
        )
    path = source.path
    if path is None or source.database is not None:
        return
    if is_remote(path):
        if connection is None:
            yield PlanError(
                f"The {key} '{path}' is not on this machine.",
                where=plan.where(key),
                fix="open it on your own DuckDB connection, and name a table or view of it",
            )
        return
    files = matching_files(plan, source)
    if not files or not all(map(is_regular, files)):
        yield PlanError(
            f"The {key} '{path}' does not exist, or is not a regular file."
            if files
            else f"The {key} '{path}' does not exist.",
            where=plan.where(key),
            fix="check the path; it is relative to the plan's folder",
        )


def input_files(
    plan: Plan,
    target: Path,
    connection: duckdb.DuckDBPyConnection | None,
    python_tables: Collection[str],
) -> list[Path]:
    """The files that a plan reads, including its own file."""
    files = [*hierarchy_places(plan, target)]
    if plan.file != plan.name:
        files.append(plan.folder / plan.file)
    for source in read_tables(plan):
        if source.path is not None:
            files += matching_files(plan, source)
    if connection is not None:
        opened = connection.execute("select path from duckdb_databases() where path is not null")
        files += [Path(path) for (path,) in opened.fetchall()]
        reads = _read_on(plan, connection, python_tables)
        files += [Path(path) for each in reads for path in each.files]
    return files


def check_compressed(files: Iterable[Path]) -> None:
    """Check the lengths and checksums of the files that are gzip, which DuckDB does not check.

    Without this, a damaged file could be published with other values. It is read once more.
    """
    for path in filter(is_regular, dict.fromkeys(files)):
        try:
            with path.open("rb") as file:
                if file.read(2) != _GZIP:
                    continue
            with gzip.open(path) as content:
                while content.read(_CHUNK):
                    pass
        except (gzip.BadGzipFile, EOFError, zlib.error):
            raise PlanError(
                f"The compressed file '{path.name}' is damaged: its end, its length or its checksum"
                " is wrong.",
                where=path.name,
                fix="write the file again; `gzip -t FILE` shows whether it is whole",
            ) from None
        except OSError:  # a file that cannot be read is the engine's to refuse
            continue


def check_replaced_tables(
    plan: Plan, connection: duckdb.DuckDBPyConnection | None, python_tables: Collection[str]
) -> None:
    """Check that the publication replaces no table that the plan reads, also through views."""
    if connection is None or plan.publish.table is None:
        return
    names = {
        tuple(part.lower() for part in parts)
        for reads in _read_on(plan, connection, python_tables)
        for parts in reads.tables
    }
    for place in publications(plan):
        whole = whole_name(connection, (place.table or "").split("."))
        if tuple(part.lower() for part in whole) in names:
            raise _replaced(plan, place)


def _read_on(
    plan: Plan, connection: duckdb.DuckDBPyConnection, python_tables: Collection[str]
) -> Iterator[Reads]:
    """What the tables and views that the plan names read on a connection."""
    for where, parts in named_tables(plan, plan.hierarchies):
        if table_name(parts) not in python_tables:
            catalog = Catalog(connection)
            yield catalog.sources(catalog.resolved(parts, where=where))


# --- what an engine can do


def _of_options(plan: Plan, options: Options) -> Iterator[PlanError]:
    where = plan.where("engine")
    takes, title = plan.engine.takes, plan.engine.title
    if options.connection is not None and takes != "connection":
        yield PlanError(
            f"A connection of DuckDB is given, but the plan runs in {title}.",
            where=where,
            fix="leave out the connection, or run the plan with overrides={'engine': 'duckdb'}",
        )
    is_searched_here = plan.engine.recurses or plan.engine.search == "driver"
    if not is_searched_here and not plan.method.is_cut_by_promises:
        yield PlanError(
            "The smallest k whose regions hold the promises is found by statements that only DuckDB"
            " has.",
            where=plan.where("method"),
            fix="search here, with `engine: {search: driver}`, or choose `partition: mondrian`",
        )
    if options.session is not None and takes != "session":
        yield PlanError(
            "A session of Spark is given, but the plan does not run there.",
            where=where,
            fix="write `engine: spark`, or leave out the session",
        )


def _of_tables(plan: Plan) -> Iterator[PlanError]:
    title, formats = plan.engine.title, plan.engine.file_formats
    read = "a table, a query, or Parquet files" if formats else "a table or a query"
    for key, source in (("source", plan.source), ("population", plan.population)):
        if source is None:
            continue
        is_read = source.path is None or (source.is_file and source.file_format in formats)
        is_given = source.table == SOURCE_DATA
        if is_given or not is_read:
            yield PlanError(
                f"{title} reads {read}, not {'rows of Python' if is_given else source.path!r}.",
                where=plan.where(key),
                fix=f"load it into the database, and write `{key}: {{table: SCHEMA.TABLE}}`; or run"
                " the plan with `engine: duckdb`",
            )
    place, is_folder = plan.publish, plan.engine.path_becomes == "folder"
    if place.path is not None and (not is_folder or place.database or place.is_csv):
        yield PlanError(
            f"{title} publishes {'a table or Parquet files' if is_folder else 'a table'}, not"
            f" '{place.path}'.",
            where=plan.where("publish"),
            fix="write `publish: {table: SCHEMA.TABLE}`; or run the plan with `engine: duckdb`",
        )


def _of_replaced(plan: Plan, target: Path) -> Iterator[PlanError]:
    """The faults of a publication over what the plan reads, or among it: it would be read next."""
    where, final = plan.where("publish"), final_place(plan)
    if final is None:
        read = [table_name(parts) for _, parts in named_tables(plan, plan.hierarchies)]
        for place in publications(plan):
            if any(may_be_one(place.table or "", name) for name in read):
                yield _replaced(plan, place)
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
                f"The publication '{plan.publish.path}' and '{source.path}', which the plan reads,"
                " overlap.",
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


def _replaced(plan: Plan, place: Destination) -> PlanError:
    return PlanError(
        f"'{place.table}' is read by the plan; publishing would replace it.",
        where=plan.where("publish"),
        fix="publish to a table of another name",
    )
