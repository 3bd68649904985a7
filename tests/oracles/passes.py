"""Local recoding by passes, by brute force: every node of the lattice is looked at in every pass.

Standard library only, nothing of the package. Definitions: formulas_next.md section 12 and the rule
that was measured with it: a row waits while placing it would cost more than the charge, which is
0.05 at first, grows by 1.5 from pass to pass, and is 1 at most.
"""

from collections.abc import Sequence
from typing import NamedTuple

from tests.oracles.full_domain import Hierarchies, Node, Row, all_nodes, hierarchy_heights

CHARGES = (0.05, 1.5)


class Placed(NamedTuple):
    """What a pass does: its node, the numbers of the rows that it places, and their mean loss."""

    node: Node
    rows: list[int]
    loss: float


class Tried(NamedTuple):
    """A node in a pass: rows that it would place, and the mean cost of all that wait."""

    node: Node
    placed: list[int]
    cost: float


def row_loss(row: Row, hierarchies: Hierarchies, node: Node, weights: Sequence[float]) -> float:
    """The mean share of values that the labels of a row cover; a label of one value costs 0."""
    total = 0.0
    for value, hierarchy, level, weight in zip(row, hierarchies, node, weights, strict=True):
        label = hierarchy[value][level]
        covered = sum(path[level] == label for path in hierarchy.values())
        total += weight * (covered / len(hierarchy) if covered > 1 else 0)
    return total / sum(weights)


def labels_of(row: Row, hierarchies: Hierarchies, node: Node) -> Row:
    """The labels of a row at a node."""
    return tuple(h[value][level] for value, h, level in zip(row, hierarchies, node, strict=True))


def passes(
    rows: Sequence[Row],
    hierarchies: Hierarchies,
    size: int,
    *,
    weights: Sequence[float] = (),
    persons: Sequence[str] = (),
    method: str = "optimal",
    most: int = 100,
) -> list[Placed]:
    """The passes of a method; `size` counts persons if they are given."""
    members = persons or [str(number) for number in range(len(rows))]
    weights = weights or [1.0] * len(hierarchies)
    waiting = list(range(len(rows)))
    charge = CHARGES[0]
    found: list[Placed] = []
    while len(found) < most:
        tried = []
        for node in all_nodes(hierarchy_heights(hierarchies)):
            classes: dict[Row, set[str]] = {}
            for number in waiting:
                label = labels_of(rows[number], hierarchies, node)
                classes.setdefault(label, set()).add(members[number])
            placed = [
                number
                for number in waiting
                if len(classes[labels_of(rows[number], hierarchies, node)]) >= size
            ]
            if not placed:
                continue
            lost = sum(row_loss(rows[number], hierarchies, node, weights) for number in placed)
            cost = (lost + charge * (len(waiting) - len(placed))) / len(waiting)
            if round(cost, 9) <= round(charge, 9):
                tried.append(Tried(node, placed, cost))
        chosen = _chosen(tried, rows, hierarchies, method)
        if chosen is None and charge == 1:
            break
        if chosen is not None:
            losses = [row_loss(rows[n], hierarchies, chosen.node, weights) for n in chosen.placed]
            found.append(Placed(chosen.node, chosen.placed, sum(losses) / len(losses)))
            waiting = [number for number in waiting if number not in chosen.placed]
        if not waiting:
            break
        charge = min(1, charge * CHARGES[1])
    return found


def _chosen(
    tried: list[Tried], rows: Sequence[Row], hierarchies: Hierarchies, method: str
) -> Tried | None:
    """The node that a method chooses among those that cost at most what waiting costs."""
    if method == "samarati":
        return min(tried, key=lambda t: (sum(t.node), round(t.cost, 9), t.node), default=None)
    if method != "datafly":
        return min(tried, key=lambda t: (round(t.cost, 9), sum(t.node), t.node), default=None)
    by_node = {one.node: one for one in tried}
    heights = hierarchy_heights(hierarchies)
    node = (0,) * len(heights)
    while node not in by_node and node != heights:
        values = [
            len({h[row[place]][node[place]] for row in rows}) if node[place] < heights[place] else 0
            for place, h in enumerate(hierarchies)
        ]
        place = values.index(max(values))
        node = (*node[:place], node[place] + 1, *node[place + 1 :])
    return by_node.get(node)
