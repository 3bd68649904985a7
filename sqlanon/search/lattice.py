"""Lattice nodes: one level per quasi-identifier, in the order of the plan. No SQL, no data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

Node = tuple[int, ...]
"""Levels in the order of the plan's quasi-identifiers; (0, 0, …) is the unchanged source."""


def nodes_of_height(heights: Sequence[int], height: int) -> Iterator[Node]:
    """Every node whose levels sum to `height`, in lexicographic order, one at a time.

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


def halved(lowest: Node, highest: Node, place: int, level: int) -> list[tuple[Node, Node]]:
    """The nodes between two, cut at a level of one attribute: up to it, and above it."""
    return [
        (lowest, (*highest[:place], level, *highest[place + 1 :])),
        ((*lowest[:place], level + 1, *lowest[place + 1 :]), highest),
    ]


def minimal_nodes(nodes: Iterable[Node]) -> list[Node]:
    """The nodes of a set that have no other node of the set below them, sorted."""
    ordered = sorted(nodes, key=lambda node: (sum(node), node))
    spare = _spare_bits(len(ordered[0])) if ordered else 0
    minimal: list[Node] = []
    packed: list[int] = []
    for node in ordered:
        raised = _packed(node) | spare
        if not any((raised - other) & spare == spare for other in packed):
            minimal.append(node)
            packed.append(raised ^ spare)
    return sorted(minimal)


_FIELD = 16
"""Bits per attribute in a packed node; the highest bit is spare."""


def _packed(node: Node) -> int:
    """The node as one integer, with one field and its spare bit for each attribute.

    `a` is below or equal to `b` in every attribute if no field of `b + spare bits - a` borrows its
    spare bit.
    """
    return sum(level << (_FIELD * place) for place, level in enumerate(node))


def _spare_bits(attributes: int) -> int:
    return sum(1 << (_FIELD * place + _FIELD - 1) for place in range(attributes))


class Frontier:
    """A set of nodes, none above another; tests whether a node is at or below one of them."""

    def __init__(self, attributes: int) -> None:
        self._spare = _spare_bits(attributes)
        self._members: list[int] = []

    def __len__(self) -> int:
        return len(self._members)

    def add(self, node: Node) -> None:
        """Add a node, and drop the members below it, because it covers all that they cover."""
        spare, raised = self._spare, _packed(node) | self._spare
        kept = [m for m in self._members if (raised - (m ^ spare)) & spare != spare]
        self._members = [*kept, raised]

    def covers(self, node: Node) -> bool:
        """Whether a member is at or above the node."""
        packed, spare = _packed(node), self._spare
        return any((member - packed) & spare == spare for member in self._members)
