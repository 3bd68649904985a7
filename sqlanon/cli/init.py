"""The command that proposes a plan for a table."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

import sqlanon
from sqlanon.cli.options import ENGINE, Call, command
from sqlanon.cli.output import note, print_warning
from sqlanon.errors import PlanError, printable

_ROLES = {
    "identifier": "not published",
    "quasi-identifier": "generalized by a hierarchy",
    "sensitive": "published as it is, with a promise about it",
    "insensitive": "published as it is",
    "unit": "not published; its values identify persons, who can have several rows",
}
"""What can be chosen, and what becomes of a column."""

BACK = "back"
"""The answer that asks about the column before once more."""


@command(*ENGINE, short_help="Propose a plan for a table, with the reason of each choice.")
def init(
    call: Call,
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="A CSV, Parquet or JSON file or glob, or FILE.duckdb::TABLE; with --from-arx a"
            " project of ARX.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            metavar="PLAN",
            help="The plan to write. [default: NAME.yml in the working directory]",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    sample: Annotated[
        int,
        typer.Option(
            "--sample",
            metavar="ROWS",
            min=1000,
            help="Rows in which values are looked at; counts are of all rows.",
        ),
    ] = 100_000,
    histories: Annotated[
        bool,
        typer.Option(
            "--histories",
            help="Propose linked histories: a pseudonym joins the rows of a person.",
        ),
    ] = False,
    purpose: Annotated[
        str,
        typer.Option(
            "--for",
            metavar="PURPOSE",
            help="research (k = 3, all columns), sharing (k = 5), or open-data (k = 12, ten"
            " quasi-identifiers).",
        ),
    ] = "sharing",
    standard: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="A check list that the plan keeps: hipaa-safe-harbor, ema-0070 or gdpr-wp29.",
        ),
    ] = None,
    interactive: Annotated[
        bool,
        typer.Option(
            "--interactive",
            help="Ask for the role of each column; needs sqlanon[interactive].",
        ),
    ] = False,
    from_arx: Annotated[
        bool,
        typer.Option(
            "--from-arx",
            help="SOURCE is a project of ARX (.deid), whose plan is written.",
        ),
    ] = False,
) -> None:
    """Propose a plan for a table: roles, hierarchies and promises, with the reason of each."""
    if from_arx:
        if interactive or histories or (sample, purpose, standard) != (100_000, "sharing", None):
            raise PlanError(
                "A project of ARX states its plan, so nothing is proposed.",
                where="--from-arx",
                fix="give no other options than --output, --force and --json",
            )
        plan = sqlanon.from_arx(source, output, force=force)
        _warn(plan.warnings)
        call.show(plan)
        if not call.wants_json:
            note(f"Written to {plan.path}. Review it. Then: sqlanon run {plan.path}")
        return
    from sqlanon.commands.init import default_output

    choose = _chooser() if interactive else None
    # while a person answers, nothing else is written
    options = call.options(progress=None) if interactive else call.options()
    result = sqlanon.init(
        source,
        output or default_output(source),
        options,
        sample=sample,
        force=force,
        histories=histories,
        purpose=purpose,
        standard=standard,
        choose=choose,
    )
    _warn(result.findings["warnings"])
    call.show(result)
    if not call.wants_json:
        note(
            f"Written to {result.path}. It is a proposal: read it, and change what you know better."
            f" Then: sqlanon run {result.path}"
        )


def _warn(warnings: Sequence[str]) -> None:
    for warning in warnings:
        print_warning(f"Warning: {warning}")


def _chooser() -> Callable[[Any, Mapping[str, Any]], dict[str, Any]]:
    """A function that asks for the role of every column, with the proposed one selected."""
    if not sys.stdin.isatty():
        raise PlanError(
            "The input is not a terminal, so no question can be answered.",
            where="--interactive",
            fix="leave it out, and edit the proposed plan",
        )
    try:
        questionary = importlib.import_module("questionary")
    except ImportError:
        raise PlanError(
            "The package questionary is not installed.",
            where="--interactive",
            fix="pip install 'sqlanon[interactive]'",
        ) from None

    choices = [questionary.Choice(f"{role}: {words}", value=role) for role, words in _ROLES.items()]
    choices.append(questionary.Choice("back: the column before", value=BACK))

    def ask(question: str, default: str) -> str:
        """What a person chooses with the arrow keys and enter."""
        asked = questionary.select(question, choices=choices, default=default, instruction=" ")
        return str(asked.unsafe_ask())

    return partial(asked_roles, ask)


def asked_roles(
    ask: Callable[[str, str], str], survey: Any, proposed: Mapping[str, Any]
) -> dict[str, Any]:
    """The answers about the role of every column, by its name.

    `back` asks about the column before once more. Ctrl-C ends the questions: what was answered is
    kept, and the other columns stay as they are proposed.

    Args:
        ask: called with a question and the answer that is selected.
    """
    names, answers, place = list(proposed), dict[str, Any](), 0
    while place < len(names):
        name = names[place]
        role, column = proposed[name], survey.columns[names[place]]
        alone = f"{column.sampled_once / survey.table.sampled_rows:.0%}"
        question = (
            f"{place + 1} of {len(names)}: {printable(name)} ({printable(role.reason)};"
            f" {column.bits:.1f} bits, {alone} of the rows are alone with their value)"
        )
        try:
            answer = ask(question, answers.get(name, "unit" if role.is_unit else role.role))
        except KeyboardInterrupt:
            note(f"Stopped at column {place + 1} of {len(names)}: the others are as proposed.")
            break
        if answer == BACK:
            place = max(place - 1, 0)
        else:
            answers[name] = answer
            place += 1
    return answers
