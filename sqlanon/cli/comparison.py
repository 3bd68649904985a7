"""The commands that run a plan several times and publish nothing: sweep and compare."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

import sqlanon
from sqlanon.cli.layout import GOOD, SECONDARY, WARNING, Styled
from sqlanon.cli.options import Json, Memory, PlanFile, Set, Threads, app, command_options
from sqlanon.cli.output import data, note, print_json, print_table, print_text

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


@app.command(short_help="Try values of one key of the plan, or two.")
def sweep(
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
    overrides: Set = None,
    threads: Threads = None,
    memory_limit: Memory = None,
    as_json: Json = False,
) -> None:
    """Try values of one key of the plan, or two; nothing is published."""
    with command_options(overrides, None, threads, memory_limit) as options:
        found = sqlanon.sweep(
            plan, over, options, measure=measure, risk=risk, output=output, page=page
        )
    _show(found, output, page, as_json=as_json)


@app.command()
def compare(
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
    overrides: Set = None,
    threads: Threads = None,
    memory_limit: Memory = None,
    as_json: Json = False,
) -> None:
    """Try other methods on the plan; nothing is published."""
    with command_options(overrides, None, threads, memory_limit) as options:
        found = sqlanon.compare(
            plan, methods, options, measure=measure, risk=risk, output=output, page=page
        )
    _show(found, output, page, as_json=as_json)


def _show(
    found: sqlanon.Comparison, output: Path | None, page: Path | None, *, as_json: bool
) -> None:
    """Print the runs, the levels that they chose, and the reasons of gaps."""
    if as_json:
        runs = [dataclasses.asdict(run) for run in found.rows]
        axes = dataclasses.asdict(found.axes)
        print_json({"plan": found.plan, "keys": found.keys, **axes, "runs": runs})
    else:
        _print_runs(found)
        _print_levels(found)
        for run in found.gaps:
            print_text(f"{found.named(run)}: {run.reason}", WARNING)
    for what, file in ((f"{len(found.rows)} runs", output), ("page", page)):
        if file is not None:
            note(f"{what} written to {file}")


def _print_runs(found: sqlanon.Comparison) -> None:
    axes = found.axes
    rows = [
        [
            *found.values(run),
            run.classes,
            run.suppressed_rows,
            _short(run.loss(axes.measure)),
            _short(run.highest_risk),
            _short(run.average_risk),
            _short(run.seconds),
            Styled("*", GOOD) if run.on_front else "",
        ]
        for run in found.rows
    ]
    methods = {run.method for run in found.rows}
    by = f", by the method {methods.pop()}" if len(methods) == 1 else ""
    print_table(
        f"{found.plan}{by}",
        [*found.titles, "classes", "suppressed", axes.measure, "highest risk", "average risk",
         "seconds", "front"],
        rows,
    )  # fmt: skip
    print_text(
        f"* no other run is better by {axes.risk} risk or by {axes.measure} and not worse by the"
        " other",
        SECONDARY,
    )


def _short(number: float | None) -> float | None:
    """A number with three digits."""
    return None if number is None else float(f"{number:.3g}")


MOST_RUNS_SHOWN = 12
"""Runs whose levels are shown side by side."""


def _print_levels(found: sqlanon.Comparison) -> None:
    runs = [run for run in found.rows if run.levels]
    if not 1 <= len(runs) <= MOST_RUNS_SHOWN:
        return
    data.print()
    print_table(
        f"levels by {', '.join(found.keys)}",
        ["", *(", ".join(map(str, found.values(run))) for run in runs)],
        [[name, *((run.levels or {}).get(name) for run in runs)] for name in runs[0].levels or {}],
    )
