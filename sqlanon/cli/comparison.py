"""The commands that run a plan several times and publish nothing: sweep and compare."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import sqlanon
from sqlanon.cli.options import QUESTION, Call, PlanFile, command
from sqlanon.cli.output import note

Measure = Annotated[
    str | None,
    typer.Option(
        "--measure",
        metavar="NAME",
        help="Utility measure to compare by. [default: the plan's objective, or loss]",
    ),
]
Risk = Annotated[
    str, typer.Option("--risk", metavar="NAME", help="Risk to compare by: highest or average.")
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output", metavar="FILE", help="Also write the runs to a .csv or .parquet file."
    ),
]
Page = Annotated[
    Path | None,
    typer.Option(
        "--page",
        metavar="FILE",
        help="Also write a page with charts to an .html file; needs the extra `report`.",
    ),
]


@command(*QUESTION, short_help="Try values of one key of the plan, or two.")
def sweep(
    call: Call,
    plan: PlanFile,
    over: Annotated[
        list[str],
        typer.Option(
            "--over",
            metavar="KEY=A,B,…",
            help="A key of the plan and its values, as in privacy.k=2,5,10; twice for a grid.",
        ),
    ],
    measure: Measure = None,
    risk: Risk = "highest",
    output: Output = None,
    page: Page = None,
) -> None:
    """Try values of one key of the plan, or two; nothing is published."""
    result = sqlanon.sweep(
        plan, over, call.options(), measure=measure, risk=risk, output=output, page=page
    )
    _show(call, result, output, page)


@command(*QUESTION)
def compare(
    call: Call,
    plan: PlanFile,
    methods: Annotated[
        str,
        typer.Option(
            "--methods",
            metavar="A,B,…",
            help="Methods, as in optimal,datafly,mondrian or '{name: mondrian, labels: region}'.",
        ),
    ],
    measure: Measure = None,
    risk: Risk = "highest",
    output: Output = None,
    page: Page = None,
) -> None:
    """Try other methods on the plan; nothing is published."""
    result = sqlanon.compare(
        plan, methods, call.options(), measure=measure, risk=risk, output=output, page=page
    )
    _show(call, result, output, page)


def _show(call: Call, result: sqlanon.Comparison, output: Path | None, page: Path | None) -> None:
    """Print the runs, and which files were written."""
    call.show(result)
    for what, file in ((f"{len(result.rows)} runs", output), ("page", page)):
        if file is not None:
            note(f"{what} written to {file}")
