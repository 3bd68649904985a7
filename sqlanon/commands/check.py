"""Checks a plan, its hierarchies and the columns of its source; no data row is read."""

from __future__ import annotations

from sqlanon.boundary import guarded
from sqlanon.commands.options import Options, PlanLike
from sqlanon.commands.session import Session
from sqlanon.engines.base import drive
from sqlanon.plan.plan import Plan
from sqlanon.source.hierarchies import hierarchy_error, hierarchy_problems


@guarded
def check(plan: PlanLike, options: Options | None = None) -> Plan:
    """Check the plan, its hierarchies and the source's columns; no data row is read.

    Returns:
        the plan, with the types of the columns.

    Raises:
        PlanError: says what is wrong, where, and how to fix it.
    """
    session = Session(plan, options or Options())
    with session.engine(publishes=False) as engine:
        hierarchies = session.hierarchies(copy=False)
        session.read_source(engine, rows=False)
        known = {n: h for n, h in hierarchies.items() if h.level_count is not None}
        problems = drive(engine, hierarchy_problems(session.plan, known))
    if problems:
        raise hierarchy_error(session.plan, problems)
    return session.plan
