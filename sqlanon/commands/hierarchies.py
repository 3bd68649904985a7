"""Checks the hierarchies of a plan over the values of the source, and shows one."""

from __future__ import annotations

from dataclasses import dataclass

from sqlanon.boundary import guarded
from sqlanon.commands.options import Options, PlanLike
from sqlanon.commands.session import Session
from sqlanon.engines.base import drive
from sqlanon.errors import PlanError, brief, did_you_mean
from sqlanon.source.hierarchies import (
    hierarchy_name,
    hierarchy_problems,
    hierarchy_step,
    with_known_levels,
)
from sqlanon.sql.step import Rows, Step, quoted


@dataclass(frozen=True)
class HierarchyProblem:
    """One problem of a hierarchy: where, what, and how many values or rows it affects."""

    attribute: str
    level: int
    problem: str
    affected: int


@guarded
def check_hierarchies(plan: PlanLike, options: Options | None = None) -> list[HierarchyProblem]:
    """The problems of the plan's hierarchies over the values of the source, if any."""
    session = Session(plan, options or Options())
    with session.engine(publishes=False) as engine:
        session.read_source(engine)
        hierarchies = session.hierarchies(copy=True)
        known = drive(engine, with_known_levels(session.plan, hierarchies))
        problems = drive(engine, hierarchy_problems(session.plan, known))
    return [HierarchyProblem(*row) for row in problems]


@guarded
def show_hierarchy(plan: PlanLike, attribute: str, options: Options | None = None) -> Rows:
    """The rows of one hierarchy over the values of the source, from level 0 to the top.

    Raises:
        PlanError: the plan has no such quasi-identifier.
    """
    session = Session(plan, options or Options())
    if attribute not in session.plan.quasi_identifiers:
        raise PlanError(
            f"'{brief(attribute)}' is not a quasi-identifier of the plan.",
            where="hierarchy show",
            fix=did_you_mean(attribute, session.plan.quasi_identifiers),
        )
    with session.engine(publishes=False) as engine:
        session.read_source(engine)
        hierarchies = session.hierarchies(copy=True)
        known = drive(engine, with_known_levels(session.plan, hierarchies))[attribute]
        engine.execute(hierarchy_step(attribute, known))
        levels = [f"level_{level}" for level in range(known.level_count or 0)]
        name = quoted(hierarchy_name(attribute))
        shown = (
            f"select {', '.join(levels)}\nfrom sqlanon.{name}\norder by {', '.join(levels[::-1])}"
        )
        return engine.execute(Step("shown", shown, "rows"))
