"""Measures what the source of a plan would hold of every model if it were published unchanged."""

from __future__ import annotations

from sqlanon.boundary import guarded
from sqlanon.commands.options import Options, PlanLike
from sqlanon.commands.session import Session
from sqlanon.engines.base import drive
from sqlanon.methods.optimal import Optimal
from sqlanon.plan.file import load_plan
from sqlanon.proof.outside import yardsticks
from sqlanon.proof.profile import Profile, profiled


@guarded
def profile(plan: PlanLike, options: Options | None = None) -> Profile:
    """What the source of a plan would hold of every model if it were published unchanged.

    Raises:
        PlanError: the source is empty, or does not fit the plan.
    """
    options = options or Options()
    checked = load_plan(plan, options.overrides)
    unchanged = {"privacy": tuple(yardsticks(checked, (), ())), "method": Optimal()}
    measured = checked.model_copy(update=unchanged)
    session = Session(measured, options)
    with session.engine(publishes=False) as engine:
        session.read_source(engine)
        return drive(engine, profiled(measured, checked, lambda: session.hierarchies(copy=True)))
