"""Choosing among satisfying nodes: the cheapest; ties go to the lowest node, then to the first."""

from __future__ import annotations

from collections.abc import Iterable

from sqlanon.search.full_domain import BATCH_SIZE, FullDomainProblem
from sqlanon.search.lattice import Node
from sqlanon.sql.step import Search, SoFar, reporting
from sqlanon.utility.base import Cost, comparable

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
