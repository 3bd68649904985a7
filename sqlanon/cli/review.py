"""The commands for reviewers: lineage and diff."""

from __future__ import annotations

import dataclasses

import sqlanon
from sqlanon.cli.options import Json, PlanFile, Set, app, command_options
from sqlanon.cli.output import data, print_json, print_table


@app.command()
def lineage(plan: PlanFile, overrides: Set = None, as_json: Json = False) -> None:
    """Prove where each published column comes from, and what decides which rows are kept."""
    with command_options(overrides) as options:
        found = sqlanon.lineage(plan, options)
    if as_json:
        print_json(dataclasses.asdict(found))
        return
    print_table(
        "published columns",
        ["column", "from", "how", "expression"],
        [
            [column.name, ", ".join(column.sources) or None, column.how, column.expression]
            for column in found.columns
        ],
        to=data,
    )
    print_table(
        "columns that decide which rows are kept",
        ["column", "why"],
        [[decider.name, decider.why] for decider in found.deciding],
        to=data,
    )
