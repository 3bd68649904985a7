"""The commands about hierarchies, models and plans in general: hierarchy, explain, schema."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

import sqlanon
from sqlanon.cli.options import Json, PlanFile, Set, app, command_options, hierarchy_app
from sqlanon.cli.output import data, print_json, print_table, talk


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
        talk.print("All hierarchies are valid.")
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


@app.command()
def explain(
    name: Annotated[
        str, typer.Argument(help="A name, such as k-anonymity, optimal, discernibility or linkage.")
    ],
    as_json: Json = False,
) -> None:
    """Explain what a privacy model, method, measure or attack promises or does."""
    found = sqlanon.explain(name)
    if as_json:
        print_json(found)
        return
    data.print(f"[bold]{found['name']}[/bold] ({found['kind']})\n\n{escape(found['text'])}\n")
    if found["parameters"]:
        data.print(f"Parameters:\n{escape(found['parameters'])}\n")
    data.print(f"Source: {escape(found['source'])}")


@app.command()
def schema() -> None:
    """Print the JSON Schema of plans."""
    print_json(sqlanon.schema())
