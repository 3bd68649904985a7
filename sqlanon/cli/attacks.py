"""The command that attacks a published table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import sqlanon
from sqlanon.cli.layout import BAD, GOOD, SECONDARY, Styled, shown
from sqlanon.cli.options import Json, Memory, Set, Threads, app, command_options
from sqlanon.cli.output import print_json, print_table, print_text


@app.command()
def attack(
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
    show_values: Annotated[
        bool, typer.Option("--show-values", help="Also list their quasi-identifiers.")
    ] = False,
    overrides: Set = None,
    threads: Threads = None,
    memory_limit: Memory = None,
    as_json: Json = False,
) -> None:
    """Try what an outsider would try on a published table.

    Exit code 1 if an attack puts more rows at risk than its threshold accepts, or any if it has
    none; 2 if a requested attack could not be tried. Without --with-source, the source is not read.
    """
    from sqlanon.commands.attack import exit_code

    requested = [_attack_of(option) for option in attacks or ()]
    with command_options(overrides, None, threads, memory_limit) as options:
        findings = sqlanon.attack(
            published,
            plan,
            options,
            population=population,
            background=background,
            earlier=earlier,
            with_source=with_source,
            attacks=requested,
            list_classes=riskiest,
            with_values=show_values,
        )
    if as_json:
        print_json([finding.as_json() for finding in findings])
    else:
        _print_findings(published, findings)
    code = exit_code(findings, requested)
    if code:
        raise typer.Exit(code)


def _attack_of(option: str) -> str | dict[str, Any]:
    """A name, or the mapping of a name and parameters that an option holds."""
    from sqlanon.boundary.text import checked_text
    from sqlanon.plan.yaml_file import parse

    entry, _ = parse(checked_text(option, "--attack").encode(), "--attack")
    return entry if isinstance(entry, dict) else option


def _print_findings(published: str, findings: list[sqlanon.AttackFinding]) -> None:
    tried = [finding for finding in findings if finding.tried]
    print_table(
        published,
        ["attack", "on", "rows at risk", "of", "share", "classes", "certainty"],
        [
            [_attack_name(f), f.attribute, Styled(f.rows_at_risk, BAD if f.succeeds else GOOD),
             f.rows, f.share, f.classes_at_risk, f.certainty]
            for f in tried
        ],
    )  # fmt: skip
    for finding in tried:
        if finding.at_most is not None or finding.rows_not_safe != finding.rows_at_risk:
            print_text(_verdict(finding), BAD if finding.succeeds else GOOD)
    for finding in tried:
        notes = (*_measures(finding), *finding.notes)
        if notes or finding.riskiest:
            print_text()
        for note in notes:
            print_text(f"{_attack_name(finding)}: {note}")
        if finding.riskiest:
            listed = f"the {len(finding.riskiest)} riskiest of {finding.classes_at_risk} classes"
            about = f" on {finding.attribute}" if finding.attribute else ""
            rows = [list(one.values()) for one in finding.riskiest]
            columns = [name.replace("_", " ") for name in finding.riskiest[0]]
            print_table(f"{_attack_name(finding)}{about}: {listed}", columns, rows)
    not_tried = _not_tried(findings)
    if not_tried:
        print_text()
    for line in not_tried:
        print_text(line, SECONDARY)


def _not_tried(findings: list[sqlanon.AttackFinding]) -> list[str]:
    """One line for each reason why attacks were not tried.

    An attack has its forms and attributes only where the reason does not hold for all of them.
    """
    lines = []
    for why in dict.fromkeys(f.reason for f in findings if not f.tried):
        names = []
        for attack in dict.fromkeys(f.attack for f in findings if f.reason == why):
            all_of_it = [f for f in findings if f.attack == attack]
            without = [f for f in all_of_it if f.reason == why]
            name = attack
            if {f.variant for f in without} != {f.variant for f in all_of_it}:
                name += " " + "/".join(dict.fromkeys(f.variant for f in without))
            if {f.attribute for f in without} != {f.attribute for f in all_of_it}:
                name += " on " + "/".join(dict.fromkeys(f.attribute or "rows" for f in without))
            names.append(name)
        lines.append(f"  {', '.join(names)}: {why}")
    return ["not tried", *lines] if lines else []


def _verdict(finding: sqlanon.AttackFinding) -> str:
    """Whether the attack keeps its threshold, in one line."""
    about = f" on {finding.attribute}" if finding.attribute else ""
    told = "more than the" if finding.succeeds else "within the"
    return (
        f"{_attack_name(finding)}{about}: {finding.rows_not_safe:,} of {finding.rows:,} rows may be"
        f" at risk, {told} threshold of {shown(finding.at_most or 0)}"
    )


def _attack_name(finding: sqlanon.AttackFinding) -> str:
    return f"{finding.attack} {finding.variant}".rstrip()


def _measures(finding: sqlanon.AttackFinding) -> list[str]:
    """The further measures of an attack, on one line if there are any."""
    measures = (finding.measured or {}).items()
    line = ", ".join(f"{name.replace('_', ' ')} {shown(value)}" for name, value in measures)
    return [line] if line else []
