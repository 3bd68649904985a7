"""The commands about models and plans in general: explain, schema."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

import sqlanon
from sqlanon.cli.options import Json, app
from sqlanon.cli.output import data, print_json


@app.command()
def explain(
    name: Annotated[
        str, typer.Argument(help="A name, such as k-anonymity, optimal, discernibility or linkage.")
    ],
    as_json: Json = False,
) -> None:
    """Explain what a privacy model, method, measure or attack promises or does."""
    found = sqlanon.explain(name)
    if as_json:
        print_json(found)
        return
    data.print(f"[bold]{found['name']}[/bold] ({found['kind']})\n\n{escape(found['text'])}\n")
    if found["parameters"]:
        data.print(f"Parameters:\n{escape(found['parameters'])}\n")
    data.print(f"Source: {escape(found['source'])}")


@app.command()
def schema() -> None:
    """Print the JSON Schema of plans."""
    print_json(sqlanon.schema())
