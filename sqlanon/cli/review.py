"""The commands for reviewers: lineage and diff."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

import sqlanon
from sqlanon.cli.layout import shown
from sqlanon.cli.options import Json, Memory, PlanFile, Set, Threads, app, command_options
from sqlanon.cli.output import print_changes, print_json, print_table, print_text


@app.command(short_help="Prove where each published column comes from.")
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
    )
    print_text()
    print_table(
        "columns that decide which rows are kept",
        ["column", "why"],
        [[decider.name, decider.why] for decider in found.deciding],
    )


@app.command(short_help="Compare two solutions: columns, rows, and the SQL.")
def diff(
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
    overrides: Set = None,
    threads: Threads = None,
    memory_limit: Memory = None,
    as_json: Json = False,
) -> None:
    """Compare two solutions: which columns get coarser or finer, rows, and the SQL that changes."""
    with command_options(overrides, None, threads, memory_limit) as options:
        found = sqlanon.diff(plan, before, after, options, solve=solve)
    if as_json:
        print_json(dataclasses.asdict(found))
        return
    _print_difference(found)


def _print_difference(found: sqlanon.SolutionDifference) -> None:
    before, after = found.before, found.after
    if found.is_same:
        print_text("The solutions are identical.")
        return
    if not found.decisions:
        print_text("The solutions decide the same; only what they record of the data differs.")
    print_table(
        f"{before.name} → {after.name}",
        ["quasi-identifier", before.name, after.name, "change"],
        [
            [c.column, c.before, c.after, f"{c.steps} {c.change}" if c.steps else c.change]
            for c in found.columns
        ],
    )
    rows: list[list[object]] = [["method", f"{before.method}: {before.label}",
                                 f"{after.method}: {after.label}", ""]]  # fmt: skip
    for name in ("input_rows", "published_rows", "suppressed_rows", "classes"):
        one, other = getattr(before, name), getattr(after, name)
        rows.append([name.replace("_", " "), one, other, f"{other - one:+,}"])
    for objective in dict.fromkeys(s.objective for s in (before, after) if s.cost is not None):
        costs = [side.cost if side.objective == objective else None for side in (before, after)]
        told = [c and ", ".join(shown(number) for number in c) for c in costs]
        rows.append([f"cost ({objective})", *told, ""])
    print_text()
    print_table("sizes", ["", before.name, after.name, "change"], rows)
    if found.decisions or found.notes:
        print_text()
    for decision in found.decisions:
        print_text(f"decided: {decision}")
    for note in found.notes:
        print_text(note)
    if found.sql:
        print_text()
        print_changes(found.sql)
