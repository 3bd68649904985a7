"""The commands about the hierarchies of a plan: hierarchy check, hierarchy show."""

from __future__ import annotations

from typing import Annotated

import typer

import sqlanon
from sqlanon.cli.options import Json, PlanFile, Set, command_options, hierarchy_app
from sqlanon.cli.output import data, print_json, print_table, print_text


@hierarchy_app.command("check")
def hierarchy_check(plan: PlanFile, overrides: Set = None, as_json: Json = False) -> None:
    """Check that every hierarchy is nested, ends in one value, and has all values of the source."""
    with command_options(overrides) as options:
        problems = sqlanon.check_hierarchies(plan, options)
    if as_json:
        print_json([vars(problem) for problem in problems])
    elif problems:
        rows = [[p.attribute, p.level, p.problem, p.affected] for p in problems]
        print_table("not valid", ["column", "level", "problem", "values or rows"], rows)
    else:
        print_text("All hierarchies are valid.")
    if problems:
        raise typer.Exit(2)


@hierarchy_app.command("show")
def hierarchy_show(
    plan: PlanFile,
    column: Annotated[str, typer.Argument(help="A quasi-identifier of the plan.")],
    overrides: Set = None,
    as_json: Json = False,
) -> None:
    """Print a hierarchy for the values of the source."""
    with command_options(overrides) as options:
        rows = sqlanon.show_hierarchy(plan, column, options)
    if as_json:
        print_json([list(row) for row in rows])
        return
    levels = [f"level {level}" for level in range(len(rows[0]))] if rows else []
    print_table(column, levels, [list(row) for row in rows], to=data)
