"""The commands about a plan: check, solve, compile, run, profile, measure."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

import sqlanon
from sqlanon.cli.layout import TITLE, WARNING
from sqlanon.cli.options import Json, Memory, PlanFile, Set, Target, Threads, app, command_options
from sqlanon.cli.output import print_json, print_pairs, print_table, print_text, verdict
from sqlanon.cli.summaries import counted, near, print_losses, print_run, print_solution
from sqlanon.errors import PlanError, brief


@app.command(short_help="Check a plan, its hierarchies and its source.")
def check(plan: PlanFile, overrides: Set = None, as_json: Json = False) -> None:
    """Check the plan, its hierarchies and the source's columns, and warn of what looks wrong.

    Reports all faults at once. For warnings it reads the first 50,000 rows of columns that are
    published as they are, and counts different values; it shows and keeps no value.
    """
    try:
        with command_options(overrides) as options:
            checked = sqlanon.check(plan, options)
    except PlanError as error:
        if as_json:
            print_json({"valid": False, "faults": [fault.as_json() for fault in error.faults]})
        raise
    if as_json:
        warnings = [warning.as_manifest() for warning in checked.warnings]
        keys = checked.model_dump(mode="json")
        print_json({"valid": True, "faults": [], "warnings": warnings, "plan": keys})
        return
    print_table(
        f"{checked.name}: valid",
        ["column", "role"],
        [[name, column.role] for name, column in checked.columns.items()],
    )
    print_text()
    print_text("promises", TITLE)
    for model in checked.privacy:
        print_text(model.promise)
    if checked.engine.placement:
        print_text()
        print_text("runs", TITLE)
        print_text(checked.engine.placement)


@app.command()
def solve(
    plan: PlanFile,
    overrides: Set = None,
    target: Target = None,
    threads: Threads = None,
    memory_limit: Memory = None,
    as_json: Json = False,
) -> None:
    """Run the search; write PLAN.solution.json next to the plan."""
    with command_options(overrides, target, threads, memory_limit) as options:
        solution = sqlanon.solve(plan, options)
    if as_json:
        print_json(solution.model_dump(mode="json"))
        return
    print_solution(solution, plan, overrides or ())


@app.command(short_help="Write the SQL: numbered files, and program.sql with all of them.")
def compile(
    plan: PlanFile,
    overrides: Set = None,
    target: Target = None,
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
    as_json: Json = False,
) -> None:
    """Write the numbered SQL files and program.sql, which alone creates the same table as run.

    Needs a solution from `solve` or `run`, except with these methods: `optimal` writes its search
    into the program as plain SQL, for lattices of up to 20,000 nodes; `mondrian` and `mpalm` are
    one statement, if the plan determines the types of all quasi-identifiers. A mask then needs its
    `characters`, because no data is read.
    """
    if dialect is not None:
        with command_options(overrides, target) as options:
            found, folder = sqlanon.compile(plan, options, dialect=dialect, tables=_tables(tables))
        if as_json:
            names = ["release", *found.proofs]
            print_json({"folder": str(folder), "queries": names, "tables": dict(found.tables),
                        "left_out": dict(found.left_out)})  # fmt: skip
            return
        print_text(f"release.sql and {len(found.proofs)} proofs written to {near(folder)}")
        for name, table in found.tables.items():
            print_text(f"reads {table} for {name}")
        for name, why in found.left_out.items():
            print_text(f"not there: {name}, which `sqlanon run` proves. {why}")
        return
    with command_options(overrides, target) as options:
        program, folder = sqlanon.compile(plan, options, tables=_tables(tables))
    if as_json:
        names = [step.name for step in program.steps]
        print_json({"folder": str(folder), "sha256": program.sha256, "steps": names})
        return
    print_text(f"{len(program.steps)} steps written to {near(folder)}")


@app.command()
def run(
    plan: PlanFile,
    overrides: Set = None,
    target: Target = None,
    threads: Threads = None,
    memory_limit: Memory = None,
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
    as_json: Json = False,
) -> None:
    """Solve, release, verify, publish; write the manifest. Publishes only what is proven."""
    with command_options(overrides, target, threads, memory_limit, overwrite, locked) as options:
        result = sqlanon.run(plan, replace(options, report=report))
    if as_json:
        print_json(result.manifest)
        return
    print_run(result, plan, overrides or (), target)


@app.command(short_help="Measure the source as if it were published unchanged.")
def profile(
    plan: PlanFile,
    overrides: Set = None,
    threads: Threads = None,
    memory_limit: Memory = None,
    as_json: Json = False,
) -> None:
    """Measure the source as if it were published unchanged: uniqueness, risk, every model."""
    with command_options(overrides, None, threads, memory_limit) as options:
        found = sqlanon.profile(plan, options)
    if as_json:
        print_json(vars(found))
        return
    classes = [[name.replace("_", " "), count] for name, count in found.classes.items()]
    print_table("equivalence classes", ["", ""], [*classes, ["uniqueness", found.uniqueness]])
    print_text()
    rows = []
    for entry in found.measured:
        about = [
            f"{value}" for key, value in entry.items() if key in ("kind", "distance", "absent")
        ]
        rows.append(
            [entry["model"], ", ".join(about), entry.get("attribute", ""),
             entry["measure"].replace("_", " "), entry["measured"]]
        )  # fmt: skip
    print_table("measured", ["model", "variant", "attribute", "measure", "value"], rows)
    for name, count in found.unknown_values.items():
        print_text(
            f"{name}: {count:,} rows have a value that is missing from its hierarchy", WARNING
        )


@app.command()
def measure(
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
    overrides: Set = None,
    threads: Threads = None,
    memory_limit: Memory = None,
    as_json: Json = False,
) -> None:
    """Measure what the publication of a node or a partition loses. Publishes nothing."""
    with command_options(overrides, None, threads, memory_limit) as options:
        found = sqlanon.measure(plan, options, node=_levels(node))
    if as_json:
        print_json(found)
        return
    levels = ", ".join(f"{name} {level}" for name, level in (found["node"] or {}).items())
    rows = found["rows"]
    print_pairs(
        f"measured {plan}",
        [
            *([("levels", levels)] if levels else []),
            ("classes", found["classes"]),
            ("rows to publish", f"{rows['published']:,} of {rows['input']:,}"),
            ("to suppress", counted(rows["suppressed"], rows["input"])),
            ("promises", verdict(found["satisfies"])),
        ],
    )
    if not found["satisfies"]:
        print_text("This node does not hold the promises within the plan's limits.", WARNING)
    print_text()
    print_losses(found["utility"])


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
