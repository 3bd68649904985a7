"""The command that writes a report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import sqlanon
from sqlanon.cli.options import WORK, Call, PlanFile, command
from sqlanon.display.blocks import Sentences, near


@command(*WORK, short_help="Write a page about what a plan published.")
def report(
    call: Call,
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
) -> None:
    """Write the report of what PLAN published: one HTML page, to be read, signed and kept."""
    file = sqlanon.report(plan, call.options(), edition=edition, output=output)
    call.tell({"edition": edition, "file": str(file)}, Sentences([near(file)]))
