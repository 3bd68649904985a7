"""The commands for projects of dbt."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

import sqlanon
from sqlanon.cli.options import Json, dbt_app
from sqlanon.cli.output import print_json, talk


@dbt_app.command("plan")
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
            help="Rows of the model. [default: its table in the project's DuckDB file]",
        ),
    ] = None,
    inside: Annotated[
        bool, typer.Option("--inside", help="For a run inside dbt: read and publish tables there.")
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
    talk.print(f"plan written to {escape(str(file))}")
