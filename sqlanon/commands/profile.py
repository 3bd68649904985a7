"""Measures what the source of a plan would hold of every model if it were published unchanged."""

from __future__ import annotations

from functools import partial
from typing import Unpack

from sqlanon.commands.options import Inputs, Options, PlanLike, command
from sqlanon.commands.session import open_session
from sqlanon.engines.base import drive
from sqlanon.methods.optimal import Optimal
from sqlanon.proof.outside import yardsticks
from sqlanon.proof.profile import Profile, profiled
from sqlanon.source.columns import read_source


@command
def profile(plan: PlanLike, options: Options | None = None, **inputs: Unpack[Inputs]) -> Profile:
    """What the source of a plan would hold of every model if it were published unchanged.

    Raises:
        PlanError: the source is empty, or does not fit the plan.
    """
    session = open_session(plan, options, **inputs)
    checked = session.checked
    unchanged = {"privacy": tuple(yardsticks(checked, (), ())), "method": Optimal()}
    measured = session.of(checked.model_copy(update=unchanged))
    with measured.engine(publishes=False) as engine:
        measured.bind(engine, read_source)
        find_hierarchies = partial(measured.hierarchies, copy=True)
        return drive(engine, profiled(measured.checked, checked, find_hierarchies))
