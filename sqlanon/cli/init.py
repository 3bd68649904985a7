"""The command that proposes a plan for a table."""

from __future__ import annotations

import importlib
import shlex
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

BACK = "back"
"""The answer that asks the question before once more."""


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
            help="research (k = 3), sharing (k = 5), or open-data (k = 12, ten quasi-identifiers).",
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
            help="Ask for roles, hierarchies, k and promises, with what each costs; needs"
            " sqlanon[interactive].",
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
            note(f"Written to {plan.path}. Review it. {_then(plan.path)}")
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
        seconds = result.findings["seconds"]
        if seconds is not None:
            note(f"A run takes about {seconds:,.0f} s of a processor.")
        note(
            f"Written to {result.path}. It is a proposal: read it, and change what you know better."
            f" {_then(result.path)}"
        )


def _then(plan: Path | None) -> str:
    """The next command, as a shell takes it."""
    return f"Then: sqlanon run {shlex.quote(str(plan))}"


def _warn(warnings: Sequence[str]) -> None:
    for warning in warnings:
        print_warning(f"Warning: {warning}")


def _chooser() -> Callable[[Any], dict[str, str]]:
    """A function that asks all questions, with the proposed answer selected."""
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

    def ask(text: str, answers: Mapping[str, str], default: str) -> str:
        """What a person chooses with the arrow keys and enter."""
        choices = [
            questionary.Choice(words if answer.isdecimal() else f"{answer}: {words}", value=answer)
            for answer, words in answers.items()
        ]
        asked = questionary.select(text, choices=choices, default=default, instruction=" ")
        return str(asked.unsafe_ask())

    return partial(given_answers, ask)


def given_answers(
    ask: Callable[[str, Mapping[str, str], str], str],
    questions: Callable[[Mapping[str, str]], Sequence[Any]],
) -> dict[str, str]:
    """The answers to all questions, by their keys.

    `back` asks the question before once more. Ctrl-C ends the questions: what was answered is
    kept, and the rest is as it is proposed.

    Args:
        ask: called with a question, its answers with their meaning, and the one that is selected.
        questions: those that follow from the answers so far.
    """
    given, place = dict[str, str](), 0
    while place < len(asked := questions(given)):
        one, so_far = asked[place], f"{place + 1} of {len(asked)}"
        default = given.get(one.key, one.proposed)
        default = default if default in one.answers else one.proposed
        answers = {**one.answers, BACK: "the question before"}
        try:
            answer = ask(f"{so_far}: {printable(one.text)}", answers, default)
        except KeyboardInterrupt:
            note(f"Stopped at question {so_far}: the rest is as proposed.")
            break
        if answer == BACK:
            place = max(place - 1, 0)
        else:
            given[one.key] = answer
            place += 1
    return given
