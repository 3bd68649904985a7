"""The commands for reviewers: lineage and diff."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import sqlanon
from sqlanon.cli.options import QUESTION, Call, PlanFile, command


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
