"""The files that a plan reads: its source, its population, its hierarchies, its queries."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Source
from sqlanon.sql.paths import PathMap, files_to_read, literal_pattern
from sqlanon.sql.queries import plan_query
from sqlanon.sql.render import shipped


def matching_files(plan: Plan, source: Source) -> list[Path]:
    """The files that the path of a source matches."""
    if not source.is_pattern:
        file = plan.folder / (source.database or source.path or "")
        return [file] if file.exists() else []
    pattern = re.sub(r"\[", "[[]", source.path or "")
    found = glob.glob(pattern, root_dir=plan.folder, recursive=True, include_hidden=True)
    return [plan.folder / path for path in found]


def read_tables(plan: Plan) -> Iterator[Source]:
    """The source, the population, and the files that queries of the plan read."""
    queries = []
    for key, source in (("source", plan.source), ("population", plan.population)):
        if source is not None:
            yield source
            queries += [(source.query, plan.where(key))] if source.query else []
    for name, hierarchy in plan.hierarchies.items():
        if hierarchy.select:
            queries.append((hierarchy.select, plan.where("columns", name, "hierarchy")))
    for query, where in queries:
        for file in plan_query(query, where).files:
            yield Source(path=file.path)


def hierarchy_places(plan: Plan, target: Path) -> list[Path]:
    """Where the files of the plan's hierarchies may be.

    Args:
        target: the plan's target folder, which may hold copies.
    """
    folders = (plan.folder, shipped("hierarchies"), target / "hierarchies")
    return [
        Path(os.path.realpath(folder / hierarchy.file_path))
        for hierarchy in plan.hierarchies.values()
        if hierarchy.file_path
        for folder in folders
    ]


def readable_paths(plan: Plan, target: Path, tables: Iterable[Source]) -> list[str]:
    """The files that an engine may read: paths, and patterns with the files they match.

    Args:
        target: the plan's target folder.
        tables: further tables to be read.
    """
    paths: list[str] = []
    places = PathMap(plan.folder)
    for source in (*read_tables(plan), *tables):
        if source.path is None:
            continue
        path = source.database or source.path
        whole = places.absolute(path)
        paths += [whole, literal_pattern(whole)]
        if source.database is not None:
            paths.append(f"{whole}.wal")
        elif source.is_pattern:
            paths.append(places.resolved(files_to_read(path))[1:-1].replace("''", "'"))
            for file in matching_files(plan, source):
                paths += [str(file), os.path.realpath(file)]
    for file in hierarchy_places(plan, target):
        paths += [str(file), literal_pattern(str(file))]
    return list(dict.fromkeys(paths))
