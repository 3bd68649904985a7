"""The commands for projects of dbt."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

import sqlanon
from sqlanon.cli.options import Call, PlanFile, command, dbt_app
from sqlanon.cli.output import note
from sqlanon.display.blocks import Sentences

Project = Annotated[
    Path, typer.Option("--project", metavar="FOLDER", help="Folder of dbt_project.yml.")
]


@command(to=dbt_app, name="plan", short_help="Write the plan of a model.")
def dbt_plan(
    call: Call,
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model of the project.")],
    project: Project = Path(),
    source: Annotated[
        str | None,
        typer.Option(
            "--source",
            metavar="PATH",
            help="Rows of the model. [default: its table in the project's database]",
        ),
    ] = None,
    inside: Annotated[
        bool,
        typer.Option(
            "--inside", help="For a run inside dbt: read and publish tables of its connection."
        ),
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a plan that a person wrote or changed.")
    ] = False,
) -> None:
    """Write MODEL.yml, the plan of a model, from its meta in target/manifest.json."""
    file = sqlanon.dbt_plan(model, project, source=source, inside=inside, force=force)
    call.write({"plan": str(file)}, Sentences([f"plan written to {file}"]))


@command("overrides", to=dbt_app, name="export", short_help="Write a solved plan into a project.")
def dbt_export(
    call: Call,
    plan: PlanFile,
    project: Project = Path(),
    name: Annotated[
        str | None,
        typer.Option("--name", help="The published model. [default: as the publication]"),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--source",
            metavar="RELATION",
            help="Rows of the source: MODEL or SOURCE.TABLE. [default: as in the plan]",
        ),
    ] = None,
    population: Annotated[
        str | None,
        typer.Option("--population", metavar="RELATION", help="The same for the population."),
    ] = None,
    private_schema: Annotated[
        str, typer.Option("--private-schema", help="Schema of the candidate and the seeds.")
    ] = "private",
    dialect: Annotated[
        str | None,
        typer.Option("--dialect", help="Dialect of SQL. [default: of the project's profile]"),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace files that a person or another plan wrote.")
    ] = False,
) -> None:
    """Write a solved plan into a dbt project: candidate, tests, publication, seeds."""
    done = sqlanon.dbt_export(
        plan,
        project,
        name=name,
        source=source,
        population=population,
        private_schema=private_schema,
        dialect=dialect,
        force=force,
        options=call.options(),
    )
    lines = [f"written {path}" for path in done.written]
    lines += [f"removed {path}" for path in done.removed]
    call.write(asdict(done), Sentences([*lines, f"unchanged: {len(done.unchanged)} file(s)"]))
    if not done.has_package and not call.wants_json:
        note("add the package of sqlanon to packages.yml, and run dbt deps: docs/dbt.md")
