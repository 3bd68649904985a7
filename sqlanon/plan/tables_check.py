"""Checks what a plan reads and where it publishes: no input is replaced, and queries only read."""

from __future__ import annotations

import fnmatch
import os.path
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from sqlanon.errors import PlanError, caught
from sqlanon.plan.draft import Draft
from sqlanon.plan.tables import Source
from sqlanon.sql.queries import plan_query


def check_source(plan: Draft) -> Iterator[PlanError]:
    """The faults of a source or population that is not given in one way, or cannot be read."""
    inputs = {"source": plan.source}
    if plan.population is not None:
        inputs["population"] = plan.population
    for key, source in inputs.items():
        given = [name for name in ("path", "query", "table") if getattr(source, name) is not None]
        if len(given) != 1:
            yield PlanError(
                f"A {key} needs one of path, query and table, not {' and '.join(given) or 'none'}.",
                where=plan.where(key),
                fix=f"write for example `{key}: patients.csv`",
            )
        elif source.query is not None:
            yield from caught(partial(plan_query, source.query, plan.where(key)))
        elif source.database is not None:
            yield from _check_database(plan, source.path or "", key)
        elif source.path and not source.file_format:
            yield PlanError(
                f"The name of '{source.path}' does not show what kind of file it is.",
                where=plan.where(key),
                fix=f"give `{key}: {{path: …, format: csv}}` (or parquet, json); for a table of a"
                " DuckDB file write FILE.duckdb::TABLE",
            )


def check_queries(plan: Draft) -> Iterator[PlanError]:
    """The faults of the queries of hierarchies."""
    for name, hierarchy in plan.hierarchies.items():
        if hierarchy.select:
            where = plan.where("columns", name, "hierarchy")
            yield from caught(partial(plan_query, hierarchy.select, where))


def check_publication(plan: Draft) -> Iterator[PlanError]:
    """The faults of a publication without one place, or one that replaces what the plan reads."""
    source, publication = plan.source, plan.publish
    where = plan.where("publish")
    places = [publication]
    if (publication.path is None) == (publication.table is None):
        yield PlanError(
            "A publication needs either a path or a table.",
            where=where,
            fix="write for example `publish: patients_k5.parquet`",
        )
        return
    if publication.csv_formulas == "escape" and not publication.is_csv:
        yield PlanError(
            "Only in a CSV file does a spreadsheet take text for formulas.",
            where=plan.where("publish", "csv_formulas"),
            fix="leave out `csv_formulas`, or publish to FILE.csv",
        )
    path = publication.path
    if plan.separates_sensitive:
        places.append(publication.of_values)
    if path is None:
        for place in places:
            for key, read in (("source", source), ("population", plan.population)):
                if read and read.table and may_be_one(read.table, place.table or ""):
                    yield PlanError(
                        f"'{place.table}' has the name of the {key}; publishing would replace it.",
                        where=where,
                        fix="publish to a table of another name",
                    )
        return
    if publication.database is not None:
        yield from _check_database(plan, path, "publish")
    elif not path.lower().endswith((".parquet", ".csv")):
        yield PlanError(
            f"'{path}' is not a file or table that can be published.",
            where=where,
            fix="end the name in .parquet or .csv, or write FILE.duckdb::TABLE",
        )
    if len(places) > 1 and publication.database is None and Path(path).parent == Path():
        yield PlanError(
            f"{plan.method.name} publishes two files in a folder that is replaced as a whole.",
            where=where,
            fix=f"give them a folder of their own, such as `publish: {Path(path).stem}/{path}`",
        )
    for place in places:
        written = place.database or place.path or ""
        for key, read in (("source", source), ("population", plan.population)):
            if (
                read is not None
                and read.path is not None
                and reads_file(plan.folder, read, written)
            ):
                yield PlanError(
                    f"'{written}' is the {key} itself; publishing would write into it.",
                    where=where,
                    fix="publish to another file",
                )


def may_be_one(table: str, other: str) -> bool:
    """Whether two names can mean one table: they agree in every part that both have.

    Before rows are published, the engine compares the tables themselves.
    """
    parts = (name.lower().split(".")[::-1] for name in (table, other))
    return all(one == another for one, another in zip(*parts, strict=False))


def _check_database(plan: Draft, path: str, key: str) -> Iterator[PlanError]:
    file, _, table = path.partition("::")
    if not file or not all(table.split(".")):
        yield PlanError(
            f"'{path}' does not name a table of a DuckDB file.",
            where=plan.where(key),
            fix="write FILE.duckdb::TABLE or FILE.duckdb::SCHEMA.TABLE",
        )


def reads_file(folder: Path, source: Source, file: str) -> bool:
    """Whether the path of a source names or matches a file."""
    parts, wanted = (
        Path(os.path.normpath(os.path.realpath(folder) / Path(path))).parts
        for path in (file, source.database or source.path or "")
    )
    if not source.is_pattern:
        return parts == wanted
    wanted = tuple(part.replace("[", "[[]") for part in wanted)
    if "**" in wanted:
        return fnmatch.fnmatchcase("/".join(parts), "/".join(wanted).replace("/**", "*"))
    return len(parts) == len(wanted) and all(map(fnmatch.fnmatchcase, parts, wanted))
