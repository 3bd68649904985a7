"""Datafly: generalize the attribute with the most distinct values until few enough rows fail."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from sqlanon.bounds import Count
from sqlanon.methods.full_domain import AnyObjective, FullDomainMethod, FullDomainResult
from sqlanon.methods.passes import Pass, made_pass
from sqlanon.search.full_domain import FullDomainProblem, NodeScore
from sqlanon.search.lattice import Node
from sqlanon.search.passes import Box, WaitingRows
from sqlanon.sql.step import Search, SoFar, reporting
from sqlanon.utility.base import comparable


class Datafly(FullDomainMethod):
    """Greedy full-domain generalization: one node per step, at most as many as the lattice is high.

    While more than `outliers` rows are in failing classes, the attribute with the most distinct
    values is raised by one level. Attributes at their top are skipped; ties go to the first in the
    plan. The remaining rows in failing classes are suppressed.
    """

    guarantee: ClassVar[str] = "holds the promise; greedy, neither minimal nor proven optimal"
    source: ClassVar[str] = "Sweeney 2002, Achieving k-anonymity privacy protection"
    pass_label: ClassVar[str] = (
        "the first node on the way up at which the rows lose less than if all wait"
    )
    name: Literal["datafly"] = "datafly"
    outliers: Annotated[Count, Field(ge=0)] | None = Field(
        None,
        description="rows in failing classes at which the loop ends; by default the suppression"
        " limit if the plan states one, otherwise the smallest class that the promises allow (k)",
    )

    def __init__(self, objective: AnyObjective = "loss", **keys: Any) -> None:
        self._set_keys(objective=objective, **keys)

    def allowed_rows(self, problem: FullDomainProblem) -> int:
        allowed = self._outliers(problem)
        return min(allowed, problem.limit_rows) if problem.limit_stated else allowed

    def outlier_rows(self, k: int) -> int:
        return k if self.outliers is None else self.outliers

    def _outliers(self, problem: FullDomainProblem) -> int:
        return self.outlier_rows(problem.limit_rows if problem.limit_stated else problem.k)

    def accepts(self, problem: FullDomainProblem, score: NodeScore) -> bool:
        within = score.suppressed_rows <= problem.limit_rows or not problem.limit_stated
        return (
            score.failing_rows <= self._outliers(problem)
            and score.published_rows > 0
            and within
            and problem.agrees(score)
        )

    def search(self, problem: FullDomainProblem) -> Search[FullDomainResult | None]:
        levels = [0] * len(problem.attributes)
        counts = [[level.value_count for level in a.measures] for a in problem.attributes]
        checked = 0
        while True:
            node = tuple(levels)
            so_far = SoFar(checked, "steps", sum(problem.tops) + 1)
            (score,) = yield from reporting(problem.score([node]), so_far)
            checked += 1
            if self.accepts(problem, score):
                label = "greedy, not proven optimal"
                return FullDomainResult(node, label, score, checked)
            if not self._raise(counts, levels):
                return None

    def next_pass(self, rows: WaitingRows, charge: Decimal, start: Node) -> Search[Pass | None]:
        """The first node on the way up whose rows cost at most what it costs that all wait."""
        levels = [0] * len(rows.attributes)
        counts = yield from rows.label_counts()
        checked = 0
        while True:
            node = tuple(levels)
            (costs,) = yield from rows.costs([Box(node, node)], charge)
            checked += 1
            if costs.placed_rows and comparable((costs.cost,)) <= comparable((float(charge),)):
                return made_pass(rows, node, charge, costs, checked)
            if not self._raise(counts, levels):
                return None

    @staticmethod
    def _raise(counts: Sequence[Sequence[int]], levels: list[int]) -> bool:
        """Raise the attribute with the most distinct values; False if all are at their top.

        Args:
            counts: distinct values by attribute and level.
        """
        places = [place for place, level in enumerate(levels) if level < len(counts[place]) - 1]
        if not places:
            return False
        levels[max(places, key=lambda place: (counts[place][levels[place]], -place))] += 1
        return True
