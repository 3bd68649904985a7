"""Samarati: binary search for the lowest height of the lattice that has a satisfying node."""

from __future__ import annotations

from itertools import islice
from typing import Any, ClassVar, Literal

from sqlanon.methods.full_domain import (
    AnyObjective,
    BudgetedMethod,
    FullDomainResult,
    Spending,
    cheapest,
)
from sqlanon.search.full_domain import BATCH_SIZE, FullDomainProblem, NodeScore
from sqlanon.search.lattice import Frontier, Node, nodes_of_height
from sqlanon.sql.step import Search, SoFar, reporting


class Samarati(BudgetedMethod):
    """Find a node of minimal height; among these, the best one by the objective.

    If all nodes of a height fail a monotone model, no lower node holds the promise.
    """

    guarantee: ClassVar[str] = "no satisfying node has a smaller height"
    source: ClassVar[str] = "Samarati 2001, Protecting respondents' identities in microdata release"
    name: Literal["samarati"] = "samarati"

    def __init__(self, objective: AnyObjective = "loss", **keys: Any) -> None:
        self._set_keys(objective=objective, **keys)

    def search(self, problem: FullDomainProblem) -> Search[FullDomainResult | None]:
        heights = _Heights(problem, Spending(self.budget))
        (score,) = yield from problem.score([problem.tops])
        highest = sum(problem.tops)
        if not problem.may_hold(score):
            return None
        low, high = 0, highest
        while low < high and not heights.spending.exhausted:
            middle = (low + high) // 2
            if (yield from heights.nodes(middle, stop_early=True)):
                high = middle
            elif not heights.spending.exhausted:
                low = middle + 1
        # No node below `low` holds. If the problem is not monotone, nodes of height `low` may not
        # satisfy either; then the lowest height above it that does is the answer.
        found: list[Node] = []
        proven = low == high
        for height in range(high, highest + 1):
            found = yield from heights.satisfying(height)
            proven = proven and not (heights.spending.exhausted and not found)
            if found:
                break
        if not found:
            if problem.satisfies(score):
                found = [problem.tops]
            elif heights.spending.exhausted:
                raise heights.spending.none_found()
            else:
                return None
        node, cost = yield from cheapest(problem, found)
        (score,) = yield from problem.score([node])
        label = "lowest height" if proven else "best found within the budget, not proven lowest"
        return FullDomainResult(node, label, score, heights.spending.checked, cost)


class _Heights:
    """Checks heights of the lattice one after the other, and remembers which nodes failed."""

    def __init__(self, problem: FullDomainProblem, spending: Spending) -> None:
        self.problem = problem
        self.spending = spending
        self.failed = Frontier(len(problem.attributes))
        self.scores: dict[Node, NodeScore] = {}

    def nodes(self, height: int, *, stop_early: bool) -> Search[list[Node]]:
        """Nodes of a height that may hold the promise; `stop_early` after the first such batch."""
        candidates = (
            node
            for node in nodes_of_height(self.problem.tops, height)
            if not self.failed.covers(node)
        )
        may_hold: list[Node] = []
        while not (stop_early and may_hold):
            batch = list(islice(candidates, BATCH_SIZE))
            unknown = [node for node in batch if node not in self.scores]
            if not batch or (self.spending.exhausted and unknown):
                break
            unknown = unknown[: self.spending.affordable(len(unknown))]
            if unknown:
                so_far = SoFar(self.spending.checked, "nodes", self.problem.size)
                for score in (yield from reporting(self.problem.score(unknown), so_far)):
                    self.scores[score.node] = score
                self.spending.checked += len(unknown)
            for node in batch:
                if node in self.scores and self.problem.may_hold(self.scores[node]):
                    may_hold.append(node)
                elif node in self.scores:
                    self.failed.add(node)
        return may_hold

    def satisfying(self, height: int) -> Search[list[Node]]:
        """All satisfying nodes of a height."""
        nodes = yield from self.nodes(height, stop_early=False)
        return [node for node in nodes if self.problem.satisfies(self.scores[node])]
