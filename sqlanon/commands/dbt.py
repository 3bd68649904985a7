"""Writes a plan from a model of a dbt project, and a solved plan into one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Unpack, cast

from sqlanon.boundary import guarded
from sqlanon.boundary.files import write_whole
from sqlanon.boundary.text import checked_text
from sqlanon.commands.options import Connected, Options, PlanLike, command
from sqlanon.commands.session import Session, open_session
from sqlanon.dbt.export import Export, Place
from sqlanon.dbt.folder import ProjectFolder
from sqlanon.dbt.project import open_project, plain_words, plan_content
from sqlanon.dbt.refused import check_exportable
from sqlanon.dbt.seeds import Seed
from sqlanon.dialects.dialect import dialect_of
from sqlanon.errors import PlanError, PublishError, brief
from sqlanon.families.placing import LeveledSolution
from sqlanon.plan.file import load_plan
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Source, table_alone
from sqlanon.plan.yaml_file import written
from sqlanon.source.frequency_set import Shape
from sqlanon.sql.step import Rows, words

_TITLE = (
    "# Written by `sqlanon dbt plan {model}` from `meta` of the model; change that, not this file."
)


@guarded
def dbt_plan(
    model: str,
    project: str | Path = ".",
    *,
    source: str | None = None,
    inside: bool = False,
    force: bool = False,
) -> Path:
    """Write the plan of a dbt model, `MODEL.yml` in the folder of its project.

    The plan of a version of a model is `MODEL_vVERSION.yml`.

    Args:
        model: the name of a model, or its unique id.
        project: the folder of the project, whose `target/manifest.json` is read.
        source: the path of the model's rows; by default its table in the project's DuckDB file or
            PostgreSQL database, as the profile says.
        inside: the plan is for a run inside dbt: it reads the model on dbt's connection, and
            publishes to a temporary table there.
        force: replace a file that a person wrote or changed.

    Returns:
        the path of the plan.

    Raises:
        PlanError: the project, its manifest or what it says of the model is wrong, or a person
            has changed the plan.
        PublishError: the plan cannot be written.
    """
    opened = open_project(Path(checked_text(str(project), "--project")))
    node = opened.model(checked_text(model, "MODEL"))
    name = node.plan_name
    content = plan_content(opened, node, source, inside=inside)
    try:
        load_plan(content)
    except PlanError as error:
        raise PlanError(
            error.what, where=f"model {name}, meta.sqlanon: {error.where}", fix=error.fix
        ) from None
    file = opened.folder / f"{name}.yml"
    body = written(content)
    try:
        if not force and file.exists() and not _is_own(file.read_text(encoding="utf-8")):
            raise PlanError(
                "A person wrote this file, or changed it.",
                where=file.name,
                fix="put the change into `meta` of the model, and give --force to replace the file",
            )
        write_whole(file, _headed(_TITLE.format(model=plain_words(model)), body))
    except (OSError, ValueError) as error:
        raise PublishError(
            f"The plan could not be written ({type(error).__name__}).",
            where=file.name,
            fix="check that the folder of the project can be written",
        ) from error
    return file


def _headed(title: str, body: str) -> str:
    """A plan with its digest, by which the next call knows whether a person changed it."""
    digest = sha256(body.encode()).hexdigest()
    return f"{title}\n# sha256 of the lines below: {digest}\n{body}"


def _is_own(text: str) -> bool:
    """Whether a plan is as `dbt_plan` wrote it."""
    title, _, rest = text.partition("\n")
    return text == _headed(title, rest.partition("\n")[2])


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
    folder = ProjectFolder.opened(Path(checked_text(str(project), "--project")))
    session = open_session(plan, options, **inputs)
    check_exportable(session.plan)
    solution = cast(LeveledSolution, session.read_solution())  # as of all that pass this check
    typed = session.plan.with_types(solution.types)
    _check_names(name, private_schema)
    with folder.claimed(typed.file):
        place = _place(typed, folder, name, private_schema, dialect, source, population)
        session.proven(solution)
        hierarchies = session.hierarchies(copy=False)
        check_exportable(typed, hierarchies)
        known = {name: solution.known(name, one) for name, one in hierarchies.items()}
        export = Export(typed, Shape(known, solution.words), solution, place)
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
                "Invalid name.",
                where=option,
                fix="use lower-case letters, digits and single underscores between them; begin"
                " with a letter",
            )


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
    called = table_alone(plan.publish) or PurePosixPath(plan.publish.path or "").stem
    (name,) = words([called])
    if name == "column_1":
        raise PlanError(
            f"'{brief(called)}' cannot be the name of a model.",
            where=plan.where("publish"),
            fix="name the model: --name NAME",
        )
    return name


def _names(source: Source) -> list[str]:
    """What a table of the plan could be called in a project."""
    file = PurePosixPath(source.path or "").name.partition(".")[0]
    name = table_alone(source).strip('"') or file
    return [name] if name else []
