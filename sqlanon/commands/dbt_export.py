"""Writes a solved plan into a dbt project."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Unpack, cast

from sqlanon.boundary.text import checked_text
from sqlanon.commands.options import Connected, Options, PlanLike, command
from sqlanon.commands.session import Session, open_session
from sqlanon.dbt.export import Export, Place
from sqlanon.dbt.folder import ProjectFolder, open_folder
from sqlanon.dbt.refused import check_exportable
from sqlanon.dbt.seeds import Seed
from sqlanon.dialects.dialect import dialect_of
from sqlanon.errors import PlanError, brief
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Source
from sqlanon.solution.full_domain import FullDomainSolution
from sqlanon.source.frequency_set import Shape
from sqlanon.sql.names import words
from sqlanon.sql.step import Rows

FOLDER = "anonymized"
"""The folder of an export among the models and seeds of a project."""

PRIVATE_SCHEMA = "private"
"""The schema of what is not proven, unless another is named."""


@dataclass(frozen=True)
class DbtExport:
    """What an export did, by paths in the project.

    Attributes:
        name: of the publication's model.
        removed: files of an earlier export that do not belong any more.
        has_package: whether the project names the dbt package.
    """

    name: str
    written: list[str]
    unchanged: list[str]
    removed: list[str]
    has_package: bool


@command
def dbt_export(
    plan: PlanLike,
    project: str | Path = ".",
    *,
    name: str | None = None,
    source: str | None = None,
    population: str | None = None,
    private_schema: str = PRIVATE_SCHEMA,
    dialect: str | None = None,
    force: bool = False,
    options: Options | None = None,
    **inputs: Unpack[Connected],
) -> DbtExport:
    """Write a solved plan into a dbt project: candidate, tests, publication and seeds.

    Args:
        project: the folder of the project.
        name: of the publication's model; by default that of the plan's publication.
        source: what holds the rows of the source, MODEL or SOURCE.TABLE; by default the model or
            the source table that is called as in the plan.
        population: the same for the population.
        private_schema: the schema of everything but the publication.
        dialect: of the project's database; by default as the project's profile says.
        force: replace and remove files that a person wrote or changed, or that an export of another
            plan wrote.

    Raises:
        PlanError: the plan is not solved, dbt cannot do what it says, or the project has other
            files of these names, such as those of another plan's export.
        PublishError: a file cannot be written.
    """
    folder = open_folder(Path(checked_text(str(project), "--project")))
    session = open_session(plan, options, **inputs)
    check_exportable(session.plan)
    solution = cast(FullDomainSolution, session.read_solution())  # as of all that pass this check
    typed = session.plan.with_types(solution.types)
    _check_names(name, private_schema)
    with folder.claimed(typed.file):
        place = _place(typed, folder, name, private_schema, dialect, source, population)
        session.proven(solution)
        found = session.hierarchies(copy=False)
        check_exportable(typed, found)
        export = Export(typed, _shape(found, solution), solution, place)
        files = export.files(_rows(session, export.seeds))
        done = folder.write(typed.file, files, place.digests, force=force)
    return DbtExport(place.name, done.written, done.unchanged, done.removed, folder.has_package)


def _check_names(name: str | None, private_schema: str) -> None:
    """Check the names that the user gives.

    What follows `__` in the name of a model or seed says which of an export it is. So the name of
    no export may contain it, or exports would take files of others for their own.
    """
    for option, value in (("--name", name), ("--private-schema", private_schema)):
        if value is not None and not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", value):
            raise PlanError(
                "This is no plain name.",
                where=option,
                fix="use lower-case letters, digits and single underscores between them; begin"
                " with a letter",
            )


def _shape(found: Mapping[str, Hierarchy], solution: FullDomainSolution) -> Shape:
    known = {
        name: hierarchy.with_levels(solution.levels[name]) for name, hierarchy in found.items()
    }
    return Shape(known, solution.words)


def _rows(session: Session, seeds: list[Seed]) -> dict[str, Rows]:
    """The rows of every seed."""
    if not seeds:
        return {}
    with session.engine(publishes=False) as engine:
        return {seed.name: engine.execute(seed.step) for seed in seeds}


def _place(
    plan: Plan,
    folder: ProjectFolder,
    name: str | None,
    private_schema: str,
    dialect: str | None,
    source: str | None,
    population: str | None,
) -> Place:
    people = None
    if plan.population is not None:
        people = folder.relation("population", population, _names(plan.population))
    elif population is not None:
        raise PlanError(
            "The plan has no population.", where="--population", fix="leave the option out"
        )
    return Place(
        name=name or _publication(plan),
        models=f"{folder.models}/{FOLDER}",
        seeds=f"{folder.seeds}/{FOLDER}",
        private=private_schema,
        dialect=dialect_of(dialect or folder.dialect).name,
        source=folder.relation("source", source, _names(plan.source)),
        population=people,
    )


def _publication(plan: Plan) -> str:
    """A name for the model of a plan's publication."""
    place = plan.publish
    table = place.table or (place.database_table if place.database else "")
    called = table.rpartition(".")[2] or PurePosixPath(place.path or "").stem
    (found,) = words([called])
    if found == "column_1":
        raise PlanError(
            f"'{brief(called)}' cannot be the name of a model.",
            where=plan.where("publish"),
            fix="name the model: --name NAME",
        )
    return found


def _names(source: Source) -> list[str]:
    """What a table of the plan could be called in a project."""
    if source.table is not None or source.database is not None:
        table = source.table or source.database_table
        return [table.rpartition(".")[2].strip('"')]
    return [PurePosixPath(source.path).name.partition(".")[0]] if source.path else []
