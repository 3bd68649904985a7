"""The commands about a plan: check, solve, compile, run, profile, measure, report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import sqlanon
from sqlanon.cli.layout import Commands
from sqlanon.cli.options import QUESTION, WORK, Call, PlanFile, command
from sqlanon.display.blocks import GOOD, Pairs, Sentences, near
from sqlanon.errors import PlanError, brief


@command("overrides", short_help="Check a plan, its hierarchies and its source.")
def check(call: Call, plan: PlanFile) -> None:
    """Check the plan, its hierarchies and the source's columns, and warn of what looks wrong.

    Reports all faults at once. For warnings it reads the first 50,000 rows of columns that are
    published as they are, and counts different values; it shows and keeps no value.
    """
    try:
        checked = sqlanon.check(plan, call.options())
    except PlanError as error:
        if call.wants_json:
            call.write({"valid": False, "faults": [fault.as_json() for fault in error.faults]})
        raise
    warnings = [warning.as_manifest() for warning in checked.warnings]
    content = {"valid": True, "faults": [], "warnings": warnings, "plan": checked.as_json()}
    call.write(content, Sentences([f"{checked.name}: valid"], style=GOOD), *checked.displayed())


@command(*WORK, "budget")
def solve(call: Call, plan: PlanFile) -> None:
    """Run the search; write PLAN.solution.json next to the plan."""
    solution = sqlanon.solve(plan, call.options())
    file = near(plan.with_name(f"{plan.stem}.solution.json"))
    following = Commands("next", [_following(call, ["run", str(plan)])])
    call.show(solution, Pairs("", [("solution", file)]), following)


@command(
    "overrides",
    "target",
    short_help="Write the SQL: numbered files, and program.sql with all of them.",
)
def compile(
    call: Call,
    plan: PlanFile,
    dialect: Annotated[
        str | None,
        typer.Option(
            "--dialect",
            metavar="NAME",
            help="Write a solved plan's release and each proof as one query for postgres, spark,"
            " databricks, bigquery, snowflake, trino or duckdb, into target/<plan name>/NAME/.",
        ),
    ] = None,
    tables: Annotated[
        list[str] | None,
        typer.Option(
            "--table",
            metavar="NAME=TABLE",
            help="With --dialect: the table to read there for source, population, published or a"
            " column whose hierarchy is a file, taxonomy or query; may be repeated.",
        ),
    ] = None,
) -> None:
    """Write the numbered SQL files and program.sql, which alone creates the same table as run.

    Needs a solution from `solve` or `run`, except with these methods: `optimal` writes its search
    into the program as plain SQL, for lattices of up to 20,000 nodes; `mondrian` and `mpalm` are
    one statement, if the plan determines the types of all quasi-identifiers. A mask then needs its
    `characters`, because no data is read.
    """
    if dialect is None:
        program, folder = sqlanon.compile(plan, call.options(), tables=_tables(tables))
        names = [step.name for step in program.steps]
        call.write(
            {"folder": str(folder), "sha256": program.sha256, "steps": names},
            Sentences([f"{len(names)} steps written to {near(folder)}"]),
        )
        return
    queries, folder = sqlanon.compile(plan, call.options(), dialect=dialect, tables=_tables(tables))
    lines = [f"release.sql and {len(queries.proofs)} proofs written to {near(folder)}"]
    lines += [f"reads {table} for {name}" for name, table in queries.tables.items()]
    lines += [
        f"not there: {name}, which `sqlanon run` proves. {why}"
        for name, why in queries.left_out.items()
    ]
    call.write(
        {
            "folder": str(folder),
            "queries": ["release", *queries.proofs],
            "tables": dict(queries.tables),
            "left_out": dict(queries.left_out),
        },
        Sentences(lines),
    )


@command(*WORK, "budget")
def run(
    call: Call,
    plan: PlanFile,
    overwrite: Annotated[
        bool,
        typer.Option(
            "--overwrite",
            help="Replace what is at the place of the publication, even if no run of PLAN wrote it;"
            " never an input.",
        ),
    ] = False,
    locked: Annotated[
        bool,
        typer.Option(
            "--locked",
            help="Publish by the reviewed PLAN.solution.json on today's data; search nothing. Exit"
            " code 1 if a promise no longer holds.",
        ),
    ] = False,
    report: Annotated[
        bool,
        typer.Option(
            "--report",
            help="Also write both editions of the report. Exit code 6 if that fails: the rows are"
            " published all the same.",
        ),
    ] = False,
) -> None:
    """Solve, release, verify, publish; write the manifest. Publishes only what is proven."""
    result = sqlanon.run(plan, call.options(overwrite=overwrite, locked=locked, report=report))
    on_table = [["--plan", str(plan)]]
    following = [
        _following(call, ["verify", result.place], *on_table),
        _following(call, ["attack", result.place], *on_table),
    ]
    if not result.reports:
        target = call.shared["target"]
        options = [["--target", str(target)]] if target else []
        following.append(_following(call, ["report", str(plan)], *options))
    call.show(result, Commands("next", following))


def _following(call: Call, command: list[str], *options: list[str]) -> list[list[str]]:
    """A command that one may call next, in parts; it has the overrides of this one."""
    overrides = [["--set", override] for override in call.shared["overrides"] or ()]
    return [["sqlanon", *command], *options, *overrides]


@command(*QUESTION, short_help="Measure the source as if it were published unchanged.")
def profile(call: Call, plan: PlanFile) -> None:
    """Measure the source as if it were published unchanged: uniqueness, risk, every model."""
    call.show(sqlanon.profile(plan, call.options()))


@command(*QUESTION)
def measure(
    call: Call,
    plan: PlanFile,
    node: Annotated[
        list[str] | None,
        typer.Option(
            "--node",
            metavar="COLUMN=LEVEL",
            help="Measure this lattice node instead of the solution's; columns that are not named"
            " stay at level 0; may be repeated.",
        ),
    ] = None,
) -> None:
    """Measure what the publication of a node or a partition loses. Publishes nothing."""
    call.show(sqlanon.measure(plan, call.options(), node=_levels(node)))


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
    call.write({"edition": edition, "file": str(file)}, Sentences([near(file)]))


def _levels(pairs: list[str] | None) -> dict[str, int] | None:
    if not pairs:
        return None
    levels = {}
    for pair in pairs:
        name, equals, level = pair.rpartition("=")
        if not equals or not level.isdecimal() or len(level) > 9:
            raise PlanError(
                f"'{brief(pair)}' does not give a level.",
                where="--node",
                fix="write COLUMN=LEVEL, as in age=3",
            )
        levels[name] = int(level)
    return levels


def _tables(pairs: list[str] | None) -> dict[str, str]:
    tables: dict[str, str] = {}
    for pair in pairs or ():
        name, equals, table = pair.partition("=")
        if not equals or not name or not table or name in tables:
            raise PlanError(
                f"'{brief(pair)}' does not name a table.",
                where="--table",
                fix="write NAME=TABLE once for each, as in source=clinic.patients",
            )
        tables[name] = table
    return tables
