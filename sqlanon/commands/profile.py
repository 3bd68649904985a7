"""What the source of a plan, published as it is, would hold of every model."""

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
    """What the source of a plan, published as it is, would hold of every model; nothing is changed.

    Raises:
        PlanError: the source is empty, or not what the plan says.
    """
    options = options or Options()
    checked = load_plan(plan, options.overrides)
    as_it_is = {"privacy": tuple(yardsticks(checked, (), ())), "method": Optimal()}
    looked_at = checked.model_copy(update=as_it_is)
    session = Session(looked_at, options)
    with session.engine(publishes=False) as engine:
        session.read_source(engine)
        return drive(engine, profiled(looked_at, checked, lambda: session.hierarchies(copy=True)))
