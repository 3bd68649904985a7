"""Measures what a publication loses; nothing is published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import duckdb

from sqlanon.boundary import guarded
from sqlanon.commands.options import Options, PlanLike
from sqlanon.commands.session import Session
from sqlanon.commands.solve import execute_rest
from sqlanon.display.blocks import WARNING, Block, Pairs, Sentences, Table, counted
from sqlanon.display.tabular import Tabular
from sqlanon.engines.base import drive
from sqlanon.families import families
from sqlanon.families.solution import Solution
from sqlanon.plan.overrides import Overrides
from sqlanon.program.program import program_steps
from sqlanon.proof.findings import verdict


class Measured(dict[str, Any], Tabular):
    """What a publication loses: node, classes, satisfies, rows and utility."""

    def records(self) -> list[dict[str, Any]]:
        """One row for each measure that is a number."""
        return [
            {"measure": name, "value": float(value)}
            for name, value in self["utility"].items()
            if isinstance(value, int | float)
        ]

    def as_json(self) -> dict[str, Any]:
        return dict(self)

    def displayed(self) -> Sequence[Block]:
        levels = ", ".join(f"{name} {level}" for name, level in (self["node"] or {}).items())
        rows, satisfies = self["rows"], self["satisfies"]
        pairs = [
            *([("levels", levels)] if levels else []),
            ("classes", self["classes"]),
            ("rows to publish", f"{rows['published']:,} of {rows['input']:,}"),
            ("to suppress", counted(rows["suppressed"], rows["input"])),
            ("promises", verdict(satisfies)),
        ]
        refused = "This node does not hold the promises within the plan's limits."
        return [
            Pairs("measured", pairs),
            *([] if satisfies else [Sentences([refused], style=WARNING)]),
            lost(self["utility"]),
        ]


def lost(utility: Mapping[str, Any]) -> Table:
    """What was measured of the loss."""
    rows = [[name, value] for name, value in utility.items() if value is not None]
    return Table("lost", ["measure", "value"], rows)


@guarded
def measure(
    plan: PlanLike,
    options: Options | None = None,
    *,
    connection: duckdb.DuckDBPyConnection | None = None,
    source: object = None,
    overrides: Overrides = (),
    node: Mapping[str, int] | None = None,
) -> Measured:
    """What the publication loses, by every measure; nothing is published.

    Args:
        node: for a full-domain method, the level of each quasi-identifier; the plan's solution if
            not given. A partition is computed again.

    Returns:
        node, rows suppressed and published, classes, and `utility` as in the manifest.
    """
    session = Session(plan, options, connection=connection, source=source, overrides=overrides)
    with session.engine(publishes=False) as engine:
        session.check_columns(engine)
        prepared = drive(engine, families.prepared(session.plan, session.hierarchies(copy=True)))

        def own_solution() -> Solution:
            return session.read_solution(fix="run `sqlanon solve`, or name the levels with --node")

        solution, satisfies = drive(engine, prepared.chosen(node, own_solution))
        if prepared.needs_classes:
            program = session.compile(solution, prepared)
            execute_rest(engine, program_steps(program), published=False)
            execute_rest(engine, prepared.measured_steps())
        utility = drive(engine, prepared.measure(solution))
        classes = drive(engine, prepared.class_count(solution))
    found = {
        "node": solution.published_levels or None,
        "classes": classes,
        "satisfies": satisfies,
        "rows": {
            "input": prepared.problem.row_count,
            "published": solution.published_rows,
            "suppressed": solution.suppressed_rows,
        },
        "utility": utility,
    }
    return Measured(found)
