"""The command that attacks a published table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import sqlanon
from sqlanon.cli.options import QUESTION, Call, ShowValues, command


@command(*QUESTION)
def attack(
    call: Call,
    published: Annotated[
        str, typer.Argument(help="FILE.parquet, FILE.csv, FILE.json or FILE.duckdb::TABLE.")
    ],
    plan: Annotated[
        Path,
        typer.Option("--plan", help="The plan, for its columns and hierarchies."),
    ],
    population: Annotated[
        str | None, typer.Option(help="A table that contains the rows' persons and others.")
    ] = None,
    background: Annotated[
        str | None,
        typer.Option(
            help="A table of what is known beforehand: quasi-identifiers as published, a sensitive"
            " attribute, weight."
        ),
    ] = None,
    earlier: Annotated[
        str | None, typer.Option(help="Another release of the same persons.")
    ] = None,
    with_source: Annotated[
        bool,
        typer.Option(
            "--with-source",
            help="The attacker knows rows of the plan's source, for histories.",
        ),
    ] = False,
    attacks: Annotated[
        list[str] | None,
        typer.Option(
            "--attack",
            metavar="NAME",
            help="The attack to try, or '{name: linkage, threshold: 0.1}'; may be repeated."
            " [default: those of the plan, or all]",
        ),
    ] = None,
    riskiest: Annotated[
        int, typer.Option(min=0, help="How many of the riskiest classes of each attack to list.")
    ] = 10,
    show_values: ShowValues = False,
) -> None:
    """Try what an outsider would try on a published table.

    Exit code 1 if an attack puts more rows at risk than its threshold accepts, or any if it has
    none; 2 if a requested attack could not be tried. Without --with-source, the source is not read.
    """
    from sqlanon.commands.attack import exit_code

    requested = [_attack_of(option) for option in attacks or ()]
    findings = sqlanon.attack(
        published,
        plan,
        call.options(),
        population=population,
        background=background,
        earlier=earlier,
        with_source=with_source,
        attacks=requested,
        list_classes=riskiest,
        with_values=show_values,
    )
    call.show(findings)
    code = exit_code(findings, requested)
    if code:
        raise typer.Exit(code)


def _attack_of(option: str) -> str | dict[str, Any]:
    """A name, or the mapping of a name and parameters that an option holds."""
    from sqlanon.plan.text import checked_text
    from sqlanon.plan.yaml_file import parse

    entry, _ = parse(checked_text(option, "--attack").encode(), "--attack")
    return entry if isinstance(entry, dict) else option
