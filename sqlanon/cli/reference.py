"""The commands about models and plans in general: explain, schema."""

from __future__ import annotations

from typing import Annotated

import typer

import sqlanon
from sqlanon.cli.layout import SECONDARY, TITLE
from sqlanon.cli.options import Json, app
from sqlanon.cli.output import print_json, print_pairs, print_prose, print_text


@app.command(short_help="Explain a model, method, measure or attack, or list all.")
def explain(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A name, such as k-anonymity, optimal, discernibility or linkage. [default: list"
            " all]"
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Explain what a privacy model, method, measure or attack promises or does."""
    if name is None:
        names = sqlanon.explain()
        if as_json:
            print_json(names)
        else:
            _print_names(names)
        return
    found = sqlanon.explain(name)
    if as_json:
        print_json(found)
        return
    print_prose(f"{found['name']} ({found['kind']})", TITLE)
    print_text()
    print_prose(found["text"])
    if found["parameters"]:
        print_text()
        parameters = [line.partition(": ") for line in found["parameters"].split("\n")]
        print_pairs("Parameters", [(field, about) for field, _, about in parameters])
    print_text()
    print_pairs("", [("Source", found["source"])])


def _print_names(names: list[dict[str, str]]) -> None:
    for kind in dict.fromkeys(one["kind"] for one in names):
        print_pairs(
            f"{kind}s", [(one["name"], one["summary"]) for one in names if one["kind"] == kind]
        )
        print_text()
    print_prose("`sqlanon explain NAME` tells the rest.", SECONDARY)


@app.command()
def schema() -> None:
    """Print the JSON Schema of plans."""
    print_json(sqlanon.schema())
