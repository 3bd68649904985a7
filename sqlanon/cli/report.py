"""The command that writes a report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import sqlanon
from sqlanon.cli.options import (
    Json,
    Memory,
    PlanFile,
    Set,
    Target,
    Threads,
    app,
    command_options,
)
from sqlanon.cli.output import print_json, print_text
from sqlanon.cli.summaries import near


@app.command(short_help="Write a page about what a plan published.")
def report(
    plan: PlanFile,
    edition: Annotated[
        str,
        typer.Option(
            "--edition",
            metavar="EDITION",
            help="internal, with counts of the source; or external, what the publication shows.",
        ),
    ] = "internal",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            help="The page to write. [default: report.html or report-external.html in"
            " target/<plan name>/]",
        ),
    ] = None,
    overrides: Set = None,
    target: Target = None,
    threads: Threads = None,
    memory_limit: Memory = None,
    as_json: Json = False,
) -> None:
    """Write the report of what PLAN published: one HTML page, to be read, signed and kept."""
    with command_options(overrides, target, threads, memory_limit) as options:
        file = sqlanon.report(plan, options, edition=edition, output=output)
    if as_json:
        print_json({"edition": edition, "file": str(file)})
        return
    print_text(near(file))
