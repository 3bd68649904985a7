"""Measures what a publication loses, and what the source holds as it is; publishes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Unpack

from sqlanon.commands.options import Inputs, Options, PlanLike, command
from sqlanon.commands.session import open_session
from sqlanon.display.blocks import WARNING, Block, Pairs, Sentences, Table, counted
from sqlanon.display.tabular import Tabular
from sqlanon.engines.base import drive
from sqlanon.methods.optimal import Optimal
from sqlanon.proof.findings import verdict
from sqlanon.proof.profile import Profile, profiled, reference_models
from sqlanon.registry import default_of
from sqlanon.source.columns import read_source
from sqlanon.utility.measures import UTILITY_MEASURES


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
    """What was measured of the loss, with its unit, and which values mean that less is lost."""
    known = {default_of(cls, "name").replace("-", "_"): cls for cls in UTILITY_MEASURES}
    rows = []
    for name, value in utility.items():
        if value is not None:
            kind = known.get(name)
            better = None if kind is None else "higher" if kind.more_is_better else "lower"
            rows.append([name, value, None if kind is None else kind.unit, better])
    return Table("lost", ["measure", "value", "unit", "better"], rows)


@command
def measure(
    plan: PlanLike,
    options: Options | None = None,
    *,
    node: Mapping[str, int] | None = None,
    **inputs: Unpack[Inputs],
) -> Measured:
    """What the publication loses, by every measure; nothing is published.

    Args:
        node: for a full-domain method, the level of each quasi-identifier; the plan's solution if
            not given. A partition is computed again.

    Returns:
        node, rows suppressed and published, classes, and `utility` as in the manifest.
    """
    session = open_session(plan, options, **inputs)
    with session.engine(publishes=False) as engine:
        session.bind(engine)
        prepared = session.prepared(engine)
        fix = "run `sqlanon solve`, or name the levels with --node"
        own_solution = partial(session.read_solution, fix)
        solution, satisfies = drive(engine, prepared.chosen(node, own_solution))
        if prepared.needs_classes:
            session.make_classes(engine, prepared, solution)
        utility = drive(engine, prepared.measure(solution))
        classes = drive(engine, prepared.class_count(solution))
    measured = {
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
    return Measured(measured)


@command
def profile(plan: PlanLike, options: Options | None = None, **inputs: Unpack[Inputs]) -> Profile:
    """What the source of a plan would hold of every model if it were published unchanged.

    Raises:
        PlanError: the source is empty, or does not fit the plan.
    """
    session = open_session(plan, options, **inputs)
    checked = session.checked
    unchanged = {"privacy": tuple(reference_models(checked, (), ())), "method": Optimal()}
    measured = session.of(checked.model_copy(update=unchanged))
    with measured.engine(publishes=False) as engine:
        measured.bind(engine, read_source)
        find_hierarchies = partial(measured.hierarchies, copy=True)
        return drive(engine, profiled(measured.checked, checked, find_hierarchies))
