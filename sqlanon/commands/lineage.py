"""Where the columns of a plan's release come from, as the proof before a run finds it."""

from __future__ import annotations

import duckdb

from sqlanon.boundary import guarded
from sqlanon.commands.options import Options, PlanLike
from sqlanon.commands.session import Session
from sqlanon.plan.overrides import Overrides
from sqlanon.proof.lineage import Lineage


@guarded
def lineage(
    plan: PlanLike,
    options: Options | None = None,
    *,
    connection: duckdb.DuckDBPyConnection | None = None,
    source: object = None,
    overrides: Overrides = (),
) -> Lineage:
    """Each published column with the source columns behind it, and what decides which rows stay.

    This is the proof that `run` makes before it executes the release. No data row is read.

    Raises:
        PlanError: the plan is not solved, or a hierarchy could put an identifier into labels.
        EngineError: it cannot be proven that no identifier is published.
    """
    session = Session(plan, options, connection=connection, source=source, overrides=overrides)
    _, found = session.proven(session.read_solution())
    return found
