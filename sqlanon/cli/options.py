"""Arguments and options that several commands share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

import sqlanon
from sqlanon.cli.progress import steps_shown

app = typer.Typer(
    name="sqlanon",
    help="A SQL-native anonymizer: a plan becomes SQL that an analyst can read, and a proof.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
hierarchy_app = typer.Typer(help="Check or show generalization hierarchies.", no_args_is_help=True)
app.add_typer(hierarchy_app, name="hierarchy")
dbt_app = typer.Typer(help="Work with a project of dbt.", no_args_is_help=True)
app.add_typer(dbt_app, name="dbt")

PlanFile = Annotated[Path, typer.Argument(metavar="PLAN", help="The plan, a YAML file.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON to stdout.")]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Replace a key of the plan, as in suppression.limit=0.05, privacy.0.k=10 or"
        " method.name=datafly; may be repeated.",
    ),
]
Target = Annotated[
    Path | None,
    typer.Option(
        "--target",
        metavar="FOLDER",
        help="Folder for SQL and manifest. [default: target/<plan name>/ next to the plan]",
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads", metavar="N", min=1, help="Threads for DuckDB, 1 to 512. [default: all cores]"
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(
        "--memory-limit",
        metavar="SIZE",
        help="Memory for DuckDB, as in 4GB, 64MB or more; beyond it DuckDB spills to disk.",
    ),
]


@contextmanager
def command_options(
    overrides: list[str] | None = None,
    target: Path | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    overwrite: bool = False,
    locked: bool = False,
) -> Iterator[sqlanon.Options]:
    """The options of a command, whose steps are shown while it runs."""
    with steps_shown() as progress:
        yield sqlanon.Options(
            overrides=overrides or (),
            target=target,
            threads=threads,
            memory_limit=memory_limit,
            progress=progress,
            overwrite=overwrite,
            locked=locked,
        )
