"""The commands for reviewers: lineage and diff, explain and schema."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import sqlanon
from sqlanon.cli.options import QUESTION, Call, PlanFile, app, command
from sqlanon.cli.output import print_json
from sqlanon.display.blocks import SECONDARY, Pairs, Sentences


@command("overrides", short_help="Prove where each published column comes from.")
def lineage(call: Call, plan: PlanFile) -> None:
    """Prove where each published column comes from, and what decides which rows are kept."""
    call.show(sqlanon.lineage(plan, call.options()))


@command(*QUESTION, short_help="Compare two solutions: columns, rows, and the SQL.")
def diff(
    call: Call,
    plan: PlanFile,
    before: Annotated[Path, typer.Argument(help="The file of a solution.")],
    after: Annotated[
        Path | None, typer.Argument(help="The file of another one. [default: PLAN.solution.json]")
    ] = None,
    solve: Annotated[
        bool,
        typer.Option(
            "--solve", help="Compare with what the search finds now, and write no solution."
        ),
    ] = False,
) -> None:
    """Compare two solutions: which columns get coarser or finer, rows, and the SQL that changes."""
    call.show(sqlanon.diff(plan, before, after, call.options(), solve=solve))


@command(short_help="Explain a model, method, measure or attack, or list all.")
def explain(
    call: Call,
    name: Annotated[
        str | None,
        typer.Argument(
            help="A name, such as k-anonymity, optimal, discernibility or linkage. [default: list"
            " all]"
        ),
    ] = None,
) -> None:
    """Explain what a privacy model, method, measure or attack promises or does."""
    if name is None:
        names = sqlanon.explain()
        kinds: dict[str, list[tuple[str, str]]] = {}
        for one in names:
            kinds.setdefault(f"{one['kind']}s", []).append((one["name"], one["summary"]))
        rest = Sentences(["", "`sqlanon explain NAME` prints the rest."], style=SECONDARY)
        call.write(names, *(Pairs(kind, pairs) for kind, pairs in kinds.items()), rest)
        return
    topic = sqlanon.explain(name)
    parameters = [line.partition(": ") for line in topic["parameters"].split("\n") if line]
    pairs = [(field, about) for field, _, about in parameters]
    call.write(
        topic,
        Sentences(["", topic["text"]], f"{topic['name']} ({topic['kind']})", is_prose=True),
        *([Pairs("Parameters", pairs)] if pairs else []),
        Sentences(topic["plan"].split("\n"), "In a plan"),
        Pairs("", [("Source", topic["source"])]),
    )


@app.command()
def schema() -> None:
    """Print the JSON Schema of plans."""
    print_json(sqlanon.schema())
