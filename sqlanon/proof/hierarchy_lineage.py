"""The proof that no hierarchy puts an identifier into labels, from the plan's queries alone."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sqlanon.errors import PlanError, united
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.plan.columns import Identifier
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Source
from sqlanon.source.reading import reader_options, source_parts
from sqlanon.sql.queries import READERS, PlanQuery, plan_query
from sqlanon.sql.render import text
from sqlanon.sql.tables import Parts
from sqlanon.sql.views import Reads

Look = Callable[[Parts], Reads]
"""Returns what a table or view reads in the end, by asking a database."""


def prove_hierarchies(plan: Plan, hierarchies: Mapping[str, Hierarchy], look: Look | None) -> None:
    """Check that no hierarchy puts an identifier into labels.

    A query that reads the source or the population must name its columns one by one, without
    identifiers. If column names may differ from those of the plan (through a view, by another
    reader, or because the source is a query itself), it may not read them at all.

    Raises:
        PlanError: has every hierarchy that could.
    """
    faults = []
    inputs = [_Input.of(plan, source, look) for source in (plan.source, plan.population) if source]
    for name, hierarchy in hierarchies.items():
        try:
            _prove_hierarchy(plan, name, hierarchy, inputs, look)
        except PlanError as error:
            faults.append(error)
    if faults:
        raise united(faults)


@dataclass(frozen=True)
class _Input:
    """The source or the population.

    Attributes:
        files: the files that it reads, each in all spellings by which it can be known.
        tables: the tables that it reads in the end, including itself if it is a table.
        is_known: whether these are known to be all.
        table: the table that it is; empty if it is not a table.
        reader: file format and options with which a query must read it; None if it is not a file.
        call: the same as SQL.
    """

    files: frozenset[str]
    tables: frozenset[Parts]
    is_known: bool
    table: Parts = ()
    reader: tuple[str, tuple[tuple[str, str], ...]] | None = None
    call: str = ""

    @classmethod
    def of(cls, plan: Plan, source: Source, look: Look | None) -> _Input:
        if source.query is not None:
            query = plan_query(source.query, "source")
            reads = _reads(query.tables, look)
            paths = [*(file.path for file in query.files), *reads.files]
            return cls(_files(plan, *paths), reads.tables, reads.is_known)
        if parts := source_parts(plan, source):
            reads = _reads([parts], look)
            files = _files(plan, *reads.files, *filter(None, [source.database]))
            return cls(files, reads.tables | {parts}, reads.is_known, parts)
        options = "".join(f", {name} = {value}" for name, value in reader_options(source))
        call = f"read_{source.file_format}({text(source.path or '')}{options})"
        (file,) = plan_query(f"from {call}", "source").files
        reader = (source.file_format, file.options)
        return cls(_files(plan, source.path or ""), frozenset(), True, (), reader, call)


def _prove_hierarchy(
    plan: Plan, name: str, hierarchy: Hierarchy, inputs: list[_Input], look: Look | None
) -> None:
    where = plan.where("columns", name, "hierarchy")
    if hierarchy.file_path:
        if any(one.files & _files(plan, hierarchy.file_path) for one in inputs):
            raise _may_disclose(where, "its file is that of the source or the population")
    elif hierarchy.select:
        _prove_query(plan, plan_query(hierarchy.select, where), where, inputs, look)


def _prove_query(
    plan: Plan, query: PlanQuery, where: str, inputs: list[_Input], look: Look | None
) -> None:
    identifiers = {n.lower() for n, c in plan.columns.items() if isinstance(c, Identifier)}
    is_read = False
    for one in inputs:
        for file in query.files:
            if not one.files & _files(plan, file.path):
                continue
            if one.reader != (READERS[file.reader], file.options):
                fix = f"read it as the plan does, by {one.call}" if one.call else ""
                raise _may_disclose(where, "it reads a file of the source in another way", fix)
            is_read = True
        for parts in query.tables:
            if one.table and _same(parts, one.table):
                is_read = True
                continue
            reads = _reads([parts], look)
            same_catalog = look is None and one.table[:1] == parts[:1] != ()  # may be a view of it
            if same_catalog or not (reads.is_known and one.is_known):
                raise _may_disclose(where, f"it is unknown what '{'.'.join(parts)}' reads")
            through = any(_same(mine, other) for mine in reads.tables for other in one.tables)
            if through or one.files & _files(plan, *reads.files):
                raise _may_disclose(where, f"it reads the source through '{'.'.join(parts)}'")
    if is_read and identifiers:
        named = identifiers & query.names
        if named:
            raise _may_disclose(where, f"it names the identifier '{min(named)}'")
        if query.unnamed:
            raise _may_disclose(where, f"it reads columns that it does not name ({query.unnamed})")


def _reads(tables: Iterable[Parts], look: Look | None) -> Reads:
    found = Reads()
    for parts in tables:
        found |= look(parts) if look else Reads(frozenset({parts}))
    return found


def _same(one: Parts, other: Parts) -> bool:
    """Whether two names can be those of one table; a shorter one leaves parts unknown."""
    mine, others = ([part.lower() for part in parts] for parts in (one, other))
    return mine[-1] == others[-1] and (len(mine) < 3 or len(others) < 3 or mine == others)


def _files(plan: Plan, *paths: str) -> frozenset[str]:
    """The files of paths and patterns, by path and by their identity in the file system."""
    found: set[str] = set()
    for path in paths:
        found.add(path if "://" in path else os.path.normpath(plan.folder / path))
        matches = glob.glob(path, root_dir=plan.folder, recursive=True)
        for file in (plan.folder / match for match in {*matches, path}):
            found |= _identity(file)
    return frozenset(found)


def _identity(file: Path) -> set[str]:
    try:
        status = file.stat()
    except OSError:
        return set()
    return {str(file.resolve()), f"{status.st_dev}:{status.st_ino}"}


def _may_disclose(where: str, why: str, fix: str = "") -> PlanError:
    return PlanError(
        f"The hierarchy can put an identifier into its labels: {why}.",
        where=where,
        fix=fix or "read another file or table, or name the columns one by one without identifiers",
    )
