"""Optimal: find the cheapest satisfying node by branch and bound over boxes of the lattice."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from sqlanon.methods.full_domain import (
    AnyObjective,
    BoxSearch,
    BudgetedMethod,
    FullDomainResult,
    Spending,
)
from sqlanon.search.full_domain import FullDomainProblem
from sqlanon.sql.step import Search


class Optimal(BudgetedMethod):
    """Find the cheapest of all satisfying nodes, exactly, for every objective.

    A box is the set of nodes between a lowest and a highest one. If the highest node of a box fails
    a monotone model, the box contains no satisfying node. If its lowest node could not beat the
    best node found even with no suppressed rows, the box contains no better one. All other boxes
    are cut in two, the most promising first. One statement checks the new highest nodes of a whole
    batch, and the lattice is never enumerated. With a budget, a greedy descent from the top comes
    first, so that a short search has a good node; the bounds of the boxes that are still open when
    it ends prove how much better another one can be.
    """

    guarantee: ClassVar[str] = (
        "no satisfying node costs less by the objective; if a budget ends the search, by how much"
        " one could"
    )
    source: ClassVar[str] = "branch and bound; monotonicity as in Samarati 2001, El Emam 2009 (OLA)"
    name: Literal["optimal"] = "optimal"

    def __init__(self, objective: AnyObjective = "loss", **keys: Any) -> None:
        self._set_keys(objective=objective, **keys)

    @property
    def is_one_statement(self) -> bool:
        return not self.makes_passes

    def search(self, problem: FullDomainProblem) -> Search[FullDomainResult | None]:
        return (yield from BoxSearch(problem, Spending(self.budget)).run())
