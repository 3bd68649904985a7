"""The commands about models and plans in general: explain, schema."""

from __future__ import annotations

from typing import Annotated

import typer

import sqlanon
from sqlanon.cli.layout import TITLE
from sqlanon.cli.options import Json, app
from sqlanon.cli.output import print_json, print_text


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
    print_text(f"{found['name']} ({found['kind']})\n", TITLE)
    print_text(f"{found['text']}\n")
    if found["parameters"]:
        print_text(f"Parameters:\n{found['parameters']}\n")
    print_text(f"Source: {found['source']}")


@app.command()
def schema() -> None:
    """Print the JSON Schema of plans."""
    print_json(sqlanon.schema())
