"""Checks, before a database is opened, that what a plan reads is there."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import duckdb

from sqlanon.engines.connection import named_tables
from sqlanon.errors import PlanError, united
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import SOURCE_DATA, Source
from sqlanon.plan.text import is_regular
from sqlanon.source.files import matching_files
from sqlanon.source.reading import attached_databases
from sqlanon.sql.paths import is_remote
from sqlanon.sql.tables import table_name


def check_inputs(
    plan: Plan, connection: duckdb.DuckDBPyConnection | None, given: Collection[str]
) -> None:
    """Check that the source and the population exist, and that tables have a connection.

    Args:
        connection: of the caller, if any.
        given: names of tables that are given in Python.

    Raises:
        PlanError: has everything that is missing.
    """
    faults = [*_of_publication(plan), *unconnected_tables(plan, {}, connection, given)]
    for key, source in (("source", plan.source), ("population", plan.population)):
        if source is not None:
            faults += _of_input(plan, key, source, connection)
    if faults:
        raise united(faults)


def unconnected_tables(
    plan: Plan,
    hierarchies: Mapping[str, Hierarchy],
    connection: duckdb.DuckDBPyConnection | None,
    given: Collection[str],
) -> Iterator[PlanError]:
    """The faults of tables that nobody has: caller's connection, attached files, or Python."""
    databases = attached_databases(plan)
    for where, parts in named_tables(plan, hierarchies):
        if table_name(parts) in given:
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
    found = matching_files(plan, source)
    if not found or not all(map(is_regular, found)):
        yield PlanError(
            f"The {key} '{path}' does not exist, or is not a regular file."
            if found
            else f"The {key} '{path}' does not exist.",
            where=plan.where(key),
            fix="check the path; it is relative to the plan's folder",
        )
