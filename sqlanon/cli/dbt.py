"""The commands for projects of dbt."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

import sqlanon
from sqlanon.cli.options import Json, PlanFile, Set, command_options, dbt_app
from sqlanon.cli.output import note, print_json, print_text


@dbt_app.command("plan", short_help="Write the plan of a model.")
def dbt_plan(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model of the project.")],
    project: Annotated[
        Path, typer.Option("--project", metavar="FOLDER", help="Folder of dbt_project.yml.")
    ] = Path(),
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
    as_json: Json = False,
) -> None:
    """Write MODEL.yml, the plan of a model, from its meta in target/manifest.json."""
    file = sqlanon.dbt_plan(model, project, source=source, inside=inside, force=force)
    if as_json:
        print_json({"plan": str(file)})
        return
    print_text(f"plan written to {file}")


@dbt_app.command("export", short_help="Write a solved plan into a project.")
def dbt_export(
    plan: PlanFile,
    project: Annotated[
        Path, typer.Option("--project", metavar="FOLDER", help="Folder of dbt_project.yml.")
    ] = Path(),
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
    overrides: Set = None,
    as_json: Json = False,
) -> None:
    """Write a solved plan into a dbt project: candidate, tests, publication, seeds."""
    with command_options(overrides) as options:
        done = sqlanon.dbt_export(
            plan,
            project,
            name=name,
            source=source,
            population=population,
            private_schema=private_schema,
            dialect=dialect,
            force=force,
            options=options,
        )
    if as_json:
        print_json(asdict(done))
        return
    for told, paths in (("written", done.written), ("removed", done.removed)):
        for path in paths:
            print_text(f"{told} {path}")
    print_text(f"unchanged: {len(done.unchanged)} file(s)")
    if not done.has_package:
        note("add the package of sqlanon to packages.yml, and run dbt deps: docs/dbt.md")
