"""The commands about a published table: verify, attack and risk."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Annotated, Any

import typer

import sqlanon
from sqlanon.cli.options import QUESTION, Call, ShowValues, command
from sqlanon.errors import PlanError, brief

QuasiIdentifiers = Annotated[
    str | None, typer.Option(metavar="A,B", help="Without a plan: columns that form classes.")
]
Population = Annotated[
    str | None,
    typer.Option(metavar="TABLE", help="Without a plan: a table that contains the rows' persons."),
]
Delimiter = Annotated[
    str | None, typer.Option(metavar="CHARACTER", help="Without a plan: delimiter of a CSV file.")
]


@command(*QUESTION, short_help="Prove promises from the rows of a table.")
def verify(
    call: Call,
    table: Annotated[
        str, typer.Argument(help="FILE.parquet, FILE.csv, FILE.json or FILE.duckdb::TABLE.")
    ],
    plan: Annotated[
        Path | None, typer.Option("--plan", help="The plan whose promises to prove.")
    ] = None,
    quasi_identifiers: QuasiIdentifiers = None,
    sensitive: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="Without a plan: sensitive columns; each promise about sensitive values applies to"
            " each of them.",
        ),
    ] = None,
    k: Annotated[int | None, typer.Option("--k", help="k-anonymity.")] = None,
    l: Annotated[str | None, typer.Option("--l", metavar="X", help="l-diversity.")] = None,  # noqa: E741
    kind: Annotated[
        str, typer.Option(help="Kind of --l: distinct, entropy, frequency or recursive (with --c).")
    ] = "distinct",
    c: Annotated[
        str | None, typer.Option("--c", metavar="X", help="The c of recursive l-diversity.")
    ] = None,
    t: Annotated[str | None, typer.Option("--t", metavar="X", help="t-closeness.")] = None,
    distance: Annotated[str, typer.Option(help="Distance of --t: equal or ordered.")] = "equal",
    alpha: Annotated[
        str | None, typer.Option("--alpha", metavar="X", help="(alpha,k)-anonymity, with --k.")
    ] = None,
    promise: Annotated[
        list[str] | None,
        typer.Option(
            metavar="YAML",
            help="Any promise as in a plan: '{model: beta-likeness, beta: 2}'; may be repeated.",
        ),
    ] = None,
    population: Population = None,
    unit: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Without a plan: identifies persons.")
    ] = None,
    delimiter: Delimiter = None,
    standard: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Without a plan: a check list: hipaa-safe-harbor, ema-0070, gdpr-wp29, or"
            " '{name: hipaa-safe-harbor, year: 2026}'.",
        ),
    ] = None,
    acknowledge: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="What an officer confirms of --standard; may be repeated."
        ),
    ] = None,
    with_source: Annotated[
        bool,
        typer.Option(
            "--with-source",
            help="Also read the source of the plan: compare classes with all its rows, not only the"
            " published ones, and prove that buckets are a rearrangement of its rows.",
        ),
    ] = False,
    manifest: Annotated[
        Path | None,
        typer.Option(
            help="With --plan: the manifest of the run that published the table; digests, rows,"
            " columns and types must agree. [default: the plan's own, if it names this table]"
        ),
    ] = None,
    no_manifest: Annotated[
        bool, typer.Option("--no-manifest", help="Do not compare with a manifest.")
    ] = False,
    failing: Annotated[
        int,
        typer.Option(
            min=0, help="How many failing classes of each promise to list, the largest first."
        ),
    ] = 10,
    show_values: ShowValues = False,
) -> None:
    """Prove promises, of a plan or of options, from the rows of a table; exit code 1 if one fails.

    A column that is both a quasi-identifier and sensitive has a single published value in every
    class, and is reported so.
    """
    from sqlanon.proof.findings import violation

    if manifest is not None and (plan is None or no_manifest):
        raise PlanError(
            "--manifest needs --plan, and excludes --no-manifest.",
            where="--manifest",
            fix="give the plan that the manifest was written for, or leave out --manifest",
        )
    findings = sqlanon.verify(
        table,
        plan,
        call.options(),
        quasi_identifiers=_names(quasi_identifiers),
        sensitive=_names(sensitive),
        k=k, l=l, kind=kind, c=c, t=t, distance=distance, alpha=alpha,
        promises=[_entry(text) for text in promise or ()],
        population=population,
        unit=unit,
        delimiter=delimiter,
        standard=None if standard is None else _named(standard, "--standard"),
        acknowledge=acknowledge or (),
        with_source=with_source,
        manifest=manifest or not no_manifest,
        list_failing=failing,
        with_values=show_values,
    )  # fmt: skip
    call.show(findings)
    listed = findings.standard
    broken = violation(findings, table) or (None if listed is None else listed.violation(table))
    if broken:
        raise broken


def _entry(promise: str) -> dict[str, Any]:
    """A promise that is written as in a plan."""
    entry = _named(promise, "--promise")
    if not isinstance(entry, dict):
        raise PlanError(
            f"'{brief(promise)}' is not a promise.",
            where="--promise",
            fix="write it as in a plan, such as '{model: beta-likeness, beta: 2}'",
        )
    return entry


def _names(listed: str | None) -> list[str]:
    """Column names of a comma-separated list; a name with a comma is written in quotes."""
    return [name.strip() for name in next(csv.reader([listed or ""], skipinitialspace=True), [])]


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
        str | None,
        typer.Option(metavar="TABLE", help="A table that contains the rows' persons and others."),
    ] = None,
    background: Annotated[
        str | None,
        typer.Option(
            metavar="TABLE",
            help="A table of what is known beforehand: quasi-identifiers as published, a sensitive"
            " attribute, weight.",
        ),
    ] = None,
    earlier: Annotated[
        str | None, typer.Option(metavar="TABLE", help="Another release of the same persons.")
    ] = None,
    hold_out: Annotated[
        str | None,
        typer.Option(
            metavar="TABLE",
            help="Rows of the source that were kept out of the run: a control for linkage,"
            " membership, homogeneity, similarity and skewness.",
        ),
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

    requested = [_named(option, "--attack") for option in attacks or ()]
    findings = sqlanon.attack(
        published,
        plan,
        call.options(),
        population=population,
        background=background,
        earlier=earlier,
        hold_out=hold_out,
        with_source=with_source,
        attacks=requested,
        list_classes=riskiest,
        with_values=show_values,
    )
    call.show(findings)
    code = exit_code(findings, requested)
    if code:
        raise typer.Exit(code)


def _named(value: str, option: str) -> str | dict[str, Any]:
    """A name, or the mapping of a name and parameters that an option holds."""
    from sqlanon.boundary.text import checked_text
    from sqlanon.plan.yaml_file import parse

    entry, _ = parse(checked_text(value, option).encode(), option)
    return entry if isinstance(entry, dict) else value


@command(*QUESTION, short_help="What a table proves, and models estimate, of its persons' risk.")
def risk(
    call: Call,
    table: Annotated[
        str,
        typer.Argument(
            help="A source or a publication: FILE.parquet, FILE.csv, FILE.json or"
            " FILE.duckdb::TABLE."
        ),
    ],
    plan: Annotated[
        Path | None, typer.Option("--plan", help="The plan that reads or published the table.")
    ] = None,
    quasi_identifiers: QuasiIdentifiers = None,
    population: Population = None,
    population_size: Annotated[
        int | None,
        typer.Option(
            "--population-size",
            min=1,
            help="Persons of the population from whom the table was drawn. [default: those of the"
            " population's table]",
        ),
    ] = None,
    weight: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Sampling weights: how many persons a row stands for."),
    ] = None,
    household: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="What the members of a household share."),
    ] = None,
    k: Annotated[
        int | None, typer.Option("--k", min=1, help="k of k-map. [default: the plan's, or 5]")
    ] = None,
    largest_set: Annotated[
        int,
        typer.Option(
            "--largest-set", min=1, help="Columns of the largest sets that single rows out."
        ),
    ] = 3,
    delimiter: Delimiter = None,
) -> None:
    """Show the risk of the persons of a table: proven from its rows, estimated by named models.

    The size of the population, or sampling weights, are needed for what is estimated of it.
    """
    found = sqlanon.risk(
        table,
        plan,
        call.options(),
        quasi_identifiers=_names(quasi_identifiers),
        population=population,
        population_size=population_size,
        weight=weight,
        household=household,
        k=k,
        largest_set=largest_set,
        delimiter=delimiter,
    )
    call.show(found)
