"""The base class of full-domain methods: a search for a lattice node within a budget.

The cheapest satisfying node is chosen; ties go to the lowest node, then to the first.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Self

from pydantic import Field

from sqlanon.boundary.part import Part
from sqlanon.bounds import Count
from sqlanon.errors import NoSolutionError
from sqlanon.methods.base import Method
from sqlanon.search.full_domain import BATCH_SIZE, FullDomainProblem, NodeScore
from sqlanon.search.lattice import Node
from sqlanon.sql.step import Search, SoFar, reporting
from sqlanon.utility.base import Cost, UtilityMeasure, comparable
from sqlanon.utility.measures import AnyUtilityMeasure, Loss

AnyObjective = str | Mapping[str, Any] | UtilityMeasure
"""A utility measure that is given in Python: by name, by its keys, or as it is."""


class Budget(Part):
    """How long a search may take; then it returns the best node found, and labels it so."""

    nodes: Annotated[Count, Field(ge=1)] | None = Field(None, description="lattice nodes to check")
    seconds: Annotated[float, Field(gt=0, le=1e9)] | None = Field(
        None, description="search time in seconds"
    )


@dataclass(frozen=True)
class FullDomainResult:
    """The node that a method chose, and what the search found out about the lattice.

    Attributes:
        node: levels in the order of the quasi-identifiers.
        label: what the method states about the node, in words.
        checked: number of nodes whose classes were counted, also nodes of subsets of attributes.
        satisfying, minimal: how many nodes of the lattice hold the promise, and how many of these
            have no such node below; None if the method does not find out.
        minimal_nodes: the minimal nodes, if the method finds them.
        cost: cost of the node by the objective.
        gap: by what share it exceeds the lowest cost at most; None if the method does not find out,
            or the node is optimal.
    """

    node: Node
    label: str
    score: NodeScore
    checked: int
    cost: Cost | None = None
    satisfying: int | None = None
    minimal: int | None = None
    minimal_nodes: tuple[Node, ...] = ()
    gap: float | None = None


class FullDomainMethod(Method):
    """A way to find a lattice node."""

    objective: AnyUtilityMeasure = Field(
        default_factory=Loss, description="the measure to minimize"
    )

    @property
    def minimized(self) -> UtilityMeasure:
        return self.objective

    def accepts(self, problem: FullDomainProblem, score: NodeScore) -> bool:
        """Whether the method may publish a node with this score."""
        return problem.satisfies(score)

    def search(self, problem: FullDomainProblem) -> Search[FullDomainResult | None]:
        """Search for the node; None if no node holds the promise."""
        raise NotImplementedError  # pragma: no cover - every method states its own


class BudgetedMethod(FullDomainMethod):
    """A way to find a lattice node that may end before it knows that there is no better one."""

    budget: Budget = Budget()

    def limited_to(self, seconds: float) -> Self:
        budget = self.budget.model_copy(update={"seconds": seconds})
        return self.model_copy(update={"budget": budget})


class Spending:
    """How much of a budget has been used."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._start = time.monotonic()
        self.checked = 0

    @property
    def exhausted(self) -> bool:
        """Whether no more nodes may be checked."""
        nodes, seconds = self.budget.nodes, self.budget.seconds
        return (nodes is not None and self.checked >= nodes) or (
            seconds is not None and time.monotonic() - self._start >= seconds
        )

    def affordable(self, wanted: int) -> int:
        """How many of the `wanted` nodes may still be checked."""
        nodes = self.budget.nodes
        return wanted if nodes is None else max(0, min(wanted, nodes - self.checked))

    def in_time(self, wanted: int) -> int:
        """How many of the `wanted` nodes to check next, so that the time does not end meanwhile."""
        seconds, spent = self.budget.seconds, time.monotonic() - self._start
        if seconds is None or not self.checked or spent <= 0:
            return wanted
        return max(1, min(wanted, int((seconds - spent) * self.checked / spent)))

    def none_found(self) -> NoSolutionError:
        """The error for a search that the budget ended before any node was found that holds."""
        return NoSolutionError(
            f"The budget ended the search after {self.checked:,} nodes, before one was found that"
            " holds the promise. Nothing is known of the others.",
            where="budget",
            fix="give the search more time, raise suppression.limit, or ask for less under privacy",
        )


Rank = tuple[Cost, int, Node]
"""The order of nodes: by cost, then by height, then by levels in the order of the plan."""


def rank(cost: Cost, node: Node) -> Rank:
    """The rank of a node; the smallest is chosen. It increases on every path up the lattice."""
    return comparable(cost), sum(node), node


def cheapest(problem: FullDomainProblem, satisfying: Iterable[Node]) -> Search[tuple[Node, Cost]]:
    """The satisfying node of the smallest rank, and its cost.

    If bounds are known without a query, nodes are valued in the order of their bounds, and the
    rest is skipped as soon as a bound exceeds the best rank found.
    """
    unknown: Cost = (float("-inf"),)
    queue = sorted(
        (rank(problem.bound(node) if problem.objective.one_way else unknown, node), node)
        for node in satisfying
    )
    best: tuple[Rank, Cost] | None = None
    for start in range(0, len(queue), BATCH_SIZE):
        part = queue[start : start + BATCH_SIZE]
        batch = [node for bound, node in part if best is None or bound < best[0]]
        if not batch:
            break
        so_far = SoFar(start, "satisfying nodes", len(queue), best=best and best[1])
        values = yield from reporting(problem.value(batch), so_far)
        for node, (cost, _) in values.items():
            if best is None or rank(cost, node) < best[0]:
                best = rank(cost, node), cost
    if best is None:
        raise ValueError("cheapest() needs at least one satisfying node")
    return best[0][2], best[1]
