"""The commands about a published table: verify and attack."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

import sqlanon
from sqlanon.cli.options import QUESTION, Call, ShowValues, command
from sqlanon.errors import PlanError, brief


@command(*QUESTION, short_help="Prove promises from the rows of a table.")
def verify(
    call: Call,
    table: Annotated[
        str, typer.Argument(help="FILE.parquet, FILE.csv, FILE.json or FILE.duckdb::TABLE.")
    ],
    plan: Annotated[
        Path | None, typer.Option("--plan", help="The plan whose promises to prove.")
    ] = None,
    quasi_identifiers: Annotated[
        str | None, typer.Option(metavar="A,B", help="Without a plan: columns that form classes.")
    ] = None,
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
    population: Annotated[
        str | None,
        typer.Option(
            metavar="TABLE", help="Without a plan: a table that contains the rows' persons."
        ),
    ] = None,
    unit: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Without a plan: identifies persons.")
    ] = None,
    delimiter: Annotated[
        str | None,
        typer.Option(metavar="CHARACTER", help="Without a plan: delimiter of a CSV file."),
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

    others = {"population": population, "unit": unit, "delimiter": delimiter}
    own = {"k": k, "l": l, "c": c, "t": t, "alpha": alpha, "promise": promise,
           "quasi-identifiers": quasi_identifiers, "sensitive": sensitive, **others}  # fmt: skip
    stated = {name: value for name, value in own.items() if value not in (None, "", [])}
    privacy = []
    if plan is None:
        privacy = list(_promises(stated, kind, distance))
    for is_wrong, what, where, fix in (
        (plan is None and with_source, "Without a plan there is no source to compare with.",
         "--with-source", "give --plan, or leave out --with-source"),
        (manifest is not None and (plan is None or no_manifest),
         "--manifest needs --plan, and excludes --no-manifest.", "--manifest",
         "give the plan that the manifest was written for, or leave out --manifest"),
        (plan is not None and stated, f"--{next(iter(stated), '')} and --plan both say what is"
         " promised.", "verify", "give either a plan or such options; --set changes a plan"),
        (plan is None and not (quasi_identifiers and privacy),
         "Without a plan, --quasi-identifiers and a promise are required.", "verify",
         "give --plan, or, for example, --quasi-identifiers age,sex --sensitive job --k 5"),
    ):  # fmt: skip
        if is_wrong:
            raise PlanError(what, where=where, fix=fix)
    keys: dict[str, Any] = {name: stated[name] for name in others if name in stated}
    source = {"path": table, **({"delimiter": keys.pop("delimiter")} if delimiter else {})}
    columns = _names(quasi_identifiers), _names(sensitive)
    findings = sqlanon.verify(
        table,
        plan or sqlanon.promised(source, *columns, privacy, **keys),
        call.options(),
        with_source=with_source,
        manifest=manifest or not no_manifest,
        list_failing=failing,
        with_values=show_values,
    )
    call.show(findings)
    broken = violation(findings, table)
    if broken:
        raise broken


def _promises(stated: Mapping[str, Any], kind: str, distance: str) -> Iterator[dict[str, Any]]:
    """The entries of a plan's `privacy` that the options mean."""
    from sqlanon.boundary.text import checked_text
    from sqlanon.plan.yaml_file import parse

    k, diversity, c, t, alpha = (stated.get(name) for name in ("k", "l", "c", "t", "alpha"))
    for option, needed, is_wrong in (
        ("--c", "--l and --kind recursive", c is not None and kind != "recursive"),
        ("--kind", "--l", kind != "distinct" and diversity is None),
        ("--kind recursive", "--c", kind == "recursive" and c is None),
        ("--distance", "--t", distance != "equal" and t is None),
        ("--alpha", "--k", alpha is not None and k is None),
    ):
        if is_wrong:
            raise PlanError(f"{option} needs {needed}.", where="verify", fix=f"give {needed} too")
    if distance == "hierarchical":
        raise PlanError(
            "Without a plan there is no hierarchy to measure distances with.",
            where="--distance",
            fix="give --plan, or choose equal or ordered",
        )
    if alpha is not None:
        yield {"model": "alpha-k-anonymity", "alpha": alpha, "k": k}
    elif k is not None:
        yield {"model": "k-anonymity", "k": k}
    if diversity is not None:
        yield {
            "model": "l-diversity",
            "kind": kind,
            "l": diversity,
            **({} if c is None else {"c": c}),
        }
    if t is not None:
        yield {"model": "t-closeness", "distance": distance, "t": t}
    for promise in stated.get("promise", ()):
        entry, _ = parse(checked_text(promise, "--promise").encode(), "--promise")
        if not isinstance(entry, dict):
            raise PlanError(
                f"'{brief(promise)}' is not a promise.",
                where="--promise",
                fix="write it as in a plan, such as '{model: beta-likeness, beta: 2}'",
            )
        yield entry


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
    from sqlanon.boundary.text import checked_text
    from sqlanon.plan.yaml_file import parse

    entry, _ = parse(checked_text(option, "--attack").encode(), "--attack")
    return entry if isinstance(entry, dict) else option
