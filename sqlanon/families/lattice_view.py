"""Nodes of a lattice for readers: which hold the promise, which are minimal, what they lose.

A search learns of few nodes what it needs. Where the lattice and the table are small, all nodes are
asked about here; else those next to the chosen one and the minimal ones that the search found; and
of large tables only the chosen one, which is known already.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlanon.search.full_domain import BATCH_SIZE, FullDomainProblem
from sqlanon.search.lattice import Node, minimal_nodes
from sqlanon.sql.step import Search, Step
from sqlanon.utility.measures import Loss

MOST_NODES = 400
"""Nodes of a lattice of which all are shown."""

_MOST_MINIMAL = 24

_MOST_WORK = 12_000_000
"""Nodes times distinct combinations that are asked about: about a second."""


@dataclass(frozen=True)
class SeenNode:
    """A node of the lattice.

    Attributes:
        levels: of each quasi-identifier, in the order of the plan.
        loss: by the measure `loss`, 0 to 1, with suppressed rows.
        holds: whether it may be published: the promises hold within the suppression limit.
        is_minimal: whether no node below it may be.
        is_chosen: whether it is the published one.
    """

    levels: Node
    loss: float
    classes: int
    suppressed_rows: int
    holds: bool
    is_minimal: bool
    is_chosen: bool

    @property
    def height(self) -> int:
        """The sum of its levels."""
        return sum(self.levels)


@dataclass(frozen=True)
class LatticeView:
    """What is known of a lattice.

    Attributes:
        attributes: the quasi-identifiers.
        size: number of nodes.
        nodes: those that are known; empty if only the chosen one is.
    """

    attributes: tuple[str, ...]
    size: int
    nodes: tuple[SeenNode, ...]

    @property
    def satisfying(self) -> list[SeenNode]:
        """The nodes that may be published: the chosen one, the minimal ones, others; by loss."""
        found = [node for node in self.nodes if node.is_chosen or node.holds]
        return sorted(found, key=lambda node: (not node.is_chosen, not node.is_minimal, node.loss))

    @property
    def is_whole(self) -> bool:
        """Whether every node is known."""
        return len(self.nodes) == self.size


def lattice_view(
    problem: FullDomainProblem, chosen: Node, minimal: Sequence[Node]
) -> Search[LatticeView]:
    """Ask about nodes, as many as take about a second.

    Args:
        chosen: the published node.
        minimal: minimal nodes that the search found, if it looks for them.
    """
    names = tuple(attribute.name for attribute in problem.attributes)
    counted = "select count(*)\nfrom sqlanon.frequency_set"
    ((combinations,),) = yield Step("combination_count", counted, "rows")
    nodes: list[Node] = []
    if problem.size <= MOST_NODES and problem.size * combinations <= _MOST_WORK:
        nodes = list(itertools.product(*(range(top + 1) for top in problem.tops)))
    else:
        few = minimal if len(minimal) <= _MOST_MINIMAL else ()
        near = list(dict.fromkeys([chosen, *_neighbors(chosen, problem.tops), *few]))
        if len(near) * combinations <= _MOST_WORK:
            nodes = sorted(near)
    seen: list[SeenNode] = []
    for first in range(0, len(nodes), BATCH_SIZE):
        batch = nodes[first : first + BATCH_SIZE]
        scores = yield from problem.score(batch)
        values = yield from problem.value(batch, Loss())
        seen += [
            SeenNode(
                score.node,
                float(values[score.node][0][0]),
                score.class_count,
                score.suppressed_rows,
                problem.satisfies(score),
                is_minimal=False,
                is_chosen=score.node == chosen,
            )
            for score in scores
        ]
    if len(seen) == problem.size:
        least = set(minimal_nodes([node.levels for node in seen if node.holds]))
    else:
        least = set(minimal)
    marked = (replace(node, is_minimal=node.levels in least) for node in seen)
    return LatticeView(names, problem.size, tuple(marked))


def _neighbors(node: Node, tops: Node) -> list[Node]:
    """The nodes directly below and above."""
    return [
        (*node[:place], level + step, *node[place + 1 :])
        for place, level in enumerate(node)
        for step in (-1, 1)
        if 0 <= level + step <= tops[place]
    ]
