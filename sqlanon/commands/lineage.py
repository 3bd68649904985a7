"""Where the columns of a plan's release come from, as the proof before a run finds it."""

from __future__ import annotations

from typing import Unpack

from sqlanon.commands.options import Inputs, Options, PlanLike, command
from sqlanon.commands.session import open_session
from sqlanon.proof.lineage import Lineage


@command
def lineage(plan: PlanLike, options: Options | None = None, **inputs: Unpack[Inputs]) -> Lineage:
    """Each published column with the source columns behind it, and what decides which rows stay.

    This is the proof that `run` makes before it executes the release. No data row is read.

    Raises:
        PlanError: the plan is not solved, or a hierarchy could put an identifier into labels.
        EngineError: it cannot be proven that no identifier is published.
    """
    session = open_session(plan, options, **inputs)
    return session.proven(session.read_solution())[1]
