"""Lattice nodes: one level per quasi-identifier, in the order of the plan. No SQL, no data."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

Node = tuple[int, ...]
"""Levels in the order of the plan's quasi-identifiers; (0, 0, …) is the source as it is."""


def below_or_equal(node: Node, other: Node) -> bool:
    """Whether `other` generalizes `node` (or is the same)."""
    return all(a <= b for a, b in zip(node, other, strict=True))


def node_count(level_counts: Sequence[int]) -> int:
    """Nodes of the lattice."""
    return math.prod(level_counts)


def nodes_of_height(heights: Sequence[int], height: int) -> Iterator[Node]:
    """Every node whose levels add up to `height`, in lexicographic order, one at a time.

    Args:
        heights: the top level of each attribute.
    """
    if not heights:
        if height == 0:
            yield ()
        return
    room = sum(heights[1:])
    for level in range(max(0, height - room), min(heights[0], height) + 1):
        for rest in nodes_of_height(heights[1:], height - level):
            yield (level, *rest)


def specializations(node: Node) -> Iterator[Node]:
    """The nodes directly below: one attribute one level finer."""
    for place, level in enumerate(node):
        if level:
            yield (*node[:place], level - 1, *node[place + 1 :])


def minimal_nodes(nodes: Iterable[Node]) -> list[Node]:
    """Those of an upward closed set that have no node of the set directly below them, sorted."""
    known = set(nodes)
    return sorted(n for n in known if not any(s in known for s in specializations(n)))
