"""The table that a command reads, and the solution next to its plan."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from sqlanon.boundary.part import validated
from sqlanon.boundary.text import Places, checked_text, is_regular
from sqlanon.commands.options import Options
from sqlanon.commands.session import Session
from sqlanon.engines.base import RowEngine
from sqlanon.engines.connection import source_on_connection
from sqlanon.errors import PlanError, brief
from sqlanon.families.solution import Solution
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Destination, Source
from sqlanon.proof.external_tables import own_table
from sqlanon.sql.paths import is_pattern
from sqlanon.system.files import sha256_of


def source_of(table: str, plan: Plan, options: Options) -> Source:
    """The published table as a source; its path is relative to the current folder.

    On a connection, a name with the extension of a file is a file; so it is for engines
    with tables of their own, where a folder of files is one, too.
    """
    if not isinstance(table, str | os.PathLike):
        raise PlanError(
            f"The name of a table must be text, not a {type(table).__name__}.",
            where="table",
            fix="give a file, FILE.duckdb::TABLE, or the name of a table of `connection=`",
        )
    table = checked_text(str(table), "table")
    if table == own_table(plan):
        return plan.source
    has_ending = bool(Source.model_construct(path=table).file_format)
    is_file = "::" in table or "/" in table or has_ending
    if options.connection is not None and not is_file:
        named = validated(Source, {"table": table}, Places())
        return source_on_connection(plan, named, options.connection, table)
    if plan.engine.has_tables and not is_file:
        return validated(Source, {"table": table}, Places())
    file, separator, name = table.partition("::")
    is_there = is_regular(Path(file)) or (plan.engine.has_tables and Path(file).is_dir())
    if not is_there and not is_pattern(file):
        raise PlanError(
            f"The file '{brief(file)}' does not exist, or is not a regular file.",
            where=brief(table),
            fix="check the path; it is relative to the current folder",
        )
    found = {"path": f"{os.path.realpath(file)}{separator}{name}", "glob": not is_there}
    source = validated(Source, found, Places(file=brief(table)))
    if not separator and not source.file_format:
        raise PlanError(
            f"The name of '{brief(table)}' does not show what kind of file it is.",
            where=table,
            fix="use a name that ends in .parquet, .csv or .json, or write FILE.duckdb::TABLE",
        )
    return source


def own_solution(plan: Plan, session: Session) -> Solution | None:
    """The plan's solution, if there is one next to the plan that belongs to it."""
    if not session.solution_file.is_file():
        return None
    try:
        return session.read_solution(plan)
    except PlanError:
        return None


def solved_levels(plan: Plan, session: Session) -> dict[str, int]:
    """The levels that the plan's own solution publishes; empty if there is no such solution."""
    solution = None if plan.population is None else own_solution(plan, session)
    return {} if solution is None else dict(solution.published_levels)


def known_groups(plan: Plan, session: Session) -> Sequence[Sequence[str]]:
    """The column groups of the plan, or else those of its own solution, if any."""
    solution = None if plan.column_groups else own_solution(plan, session)
    return plan.column_groups if solution is None else solution.groups(plan)


def published_digest(plan: Plan, engine: RowEngine, place: str) -> str | None:
    """The digest of the files of a published table, as they are now; None if it has no files.

    Args:
        place: the table, or its file or folder relative to the current one.
    """
    path = Path(place)
    if "::" not in place and path.is_file():
        return sha256_of(path.resolve())
    if not plan.engine.has_tables:
        return None
    if path.is_dir():
        return engine.existing_digest(Destination(path=str(path.resolve()), table=None))
    return engine.existing_digest(Destination(path=None, table=place))
