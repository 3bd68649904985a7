"""Measures what the source of a plan would hold of every model if it were published unchanged."""

from __future__ import annotations

import duckdb

from sqlanon.boundary import guarded
from sqlanon.commands.options import Options, PlanLike, settled
from sqlanon.commands.session import Session
from sqlanon.engines.base import drive
from sqlanon.methods.optimal import Optimal
from sqlanon.plan.overrides import Overrides
from sqlanon.proof.outside import reference_models
from sqlanon.proof.profile import Profile, profiled


@guarded
def profile(
    plan: PlanLike,
    options: Options | None = None,
    *,
    connection: duckdb.DuckDBPyConnection | None = None,
    source: object = None,
    overrides: Overrides = (),
) -> Profile:
    """What the source of a plan would hold of every model if it were published unchanged.

    Raises:
        PlanError: the source is empty, or does not fit the plan.
    """
    checked, options = settled(
        plan, options, connection=connection, source=source, overrides=overrides
    )
    unchanged = {"privacy": tuple(reference_models(checked, (), ())), "method": Optimal()}
    measured = checked.model_copy(update=unchanged)
    session = Session(measured, options)
    with session.engine(publishes=False) as engine:
        session.read_source(engine)
        return drive(engine, profiled(measured, checked, lambda: session.hierarchies(copy=True)))
