"""Local recoding by passes, by brute force: every node of the lattice is looked at in every pass.

Standard library only, nothing of the package. Definitions: formulas_next.md section 12 and the rule
that was measured with it: a row waits while placing it would cost more than the charge, which is
0.05 at first, grows by 1.5 from pass to pass, and is 1 at most.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from tests.oracles.full_domain import Hierarchies, Node, Row, all_nodes, hierarchy_heights

CHARGE, GROWTH = Fraction(1, 20), Fraction(3, 2)


class Placed(NamedTuple):
    """What a pass does: its node, the numbers of the rows that it places, and their mean loss."""

    node: Node
    rows: list[int]
    loss: float


def covered(hierarchies: Hierarchies, row: Row, place: int, level: int) -> int:
    """How many values the label of a row covers in a column; a label of one value costs 0."""
    hierarchy = hierarchies[place]
    label = hierarchy[row[place]][level]
    count = sum(path[level] == label for path in hierarchy.values())
    return count if count > 1 else 0


def labels_of(row: Row, hierarchies: Hierarchies, node: Node) -> Row:
    """The labels of a row at a node."""
    return tuple(h[value][level] for value, h, level in zip(row, hierarchies, node, strict=True))


def by_label(
    rows: Sequence[Row], hierarchies: Hierarchies, node: Node, numbers: Sequence[int]
) -> list[list[int]]:
    """The numbers of rows by their labels."""
    found: dict[Row, list[int]] = {}
    for number in numbers:
        found.setdefault(labels_of(rows[number], hierarchies, node), []).append(number)
    return [*found.values()]


def passes(
    rows: Sequence[Row],
    hierarchies: Hierarchies,
    size: int,
    *,
    weights: Sequence[float] = (),
    persons: Sequence[str] = (),
    method: str = "optimal",
) -> list[Placed]:
    """The passes of a method; `size` counts persons if they are given."""
    members = persons or [str(number) for number in range(len(rows))]
    exact = [Fraction(weight) for weight in weights or [1.0] * len(hierarchies)]

    def lost(node: Node, number: int) -> Fraction:
        """The mean share of values that the labels of a row cover."""
        shares = (
            weight * Fraction(covered(hierarchies, rows[number], place, level), len(hierarchy))
            for place, (hierarchy, level, weight) in enumerate(
                zip(hierarchies, node, exact, strict=True)
            )
        )
        return sum(shares, Fraction(0)) / sum(exact)

    waiting = list(range(len(rows)))
    charge = CHARGE
    found: list[Placed] = []
    while waiting:
        tried: dict[Node, tuple[Fraction, list[int]]] = {}
        for node in all_nodes(hierarchy_heights(hierarchies)):
            classes = by_label(rows, hierarchies, node, waiting)
            large = [own for own in classes if len({members[n] for n in own}) >= size]
            placed = sorted(number for own in large for number in own)
            losses = sum((lost(node, number) for number in placed), Fraction(0))
            cost = (losses + charge * (len(waiting) - len(placed))) / len(waiting)
            if placed and cost <= charge:
                tried[node] = cost, placed
        chosen = _chosen(
            {node: cost for node, (cost, _) in tried.items()}, rows, hierarchies, method
        )
        if chosen is None and charge == 1:
            break
        if chosen is not None:
            _, placed = tried[chosen]
            mean = sum((lost(chosen, number) for number in placed), Fraction(0)) / len(placed)
            found.append(Placed(chosen, placed, float(mean)))
            waiting = [number for number in waiting if number not in placed]
        charge = min(Fraction(1), charge * GROWTH)
    return found


def _chosen(
    costs: Mapping[Node, Fraction], rows: Sequence[Row], hierarchies: Hierarchies, method: str
) -> Node | None:
    """The node that a method chooses among those that cost at most what waiting costs."""
    if method == "samarati":
        return min(costs, key=lambda node: (sum(node), costs[node], node), default=None)
    if method != "datafly":
        return min(costs, key=lambda node: (costs[node], sum(node), node), default=None)
    heights = hierarchy_heights(hierarchies)
    node = (0,) * len(heights)
    while node not in costs and node != heights:
        values = [
            len({h[row[place]][node[place]] for row in rows}) if node[place] < heights[place] else 0
            for place, h in enumerate(hierarchies)
        ]
        place = values.index(max(values))
        node = (*node[:place], node[place] + 1, *node[place + 1 :])
    return node if node in costs else None


def refined(
    rows: Sequence[Row],
    hierarchies: Hierarchies,
    placed: Sequence[Placed],
    k: int,
    *,
    weights: Sequence[float] = (),
    persons: Sequence[str] = (),
) -> list[tuple[Row, list[int]]]:
    """The classes of passes, each with columns a level lower while all its parts have k.

    It is the column by which the rows of the class gain most, of equal ones the first. A gain is
    a whole number of billionths, so that sums in any order are the same.

    Returns:
        labels of each class, and the numbers of its rows; classes may have the same labels.
    """
    members = persons or [str(number) for number in range(len(rows))]
    weights = weights or [1.0] * len(hierarchies)

    def loss(place: int, row: Row, level: int) -> int:
        share = round(1e9 * weights[place] / sum(weights))
        return share * covered(hierarchies, row, place, level) // len(hierarchies[place])

    open_classes = [
        (one.node, numbers)
        for one in placed
        for numbers in by_label(rows, hierarchies, one.node, one.rows)
    ]
    done = []
    while open_classes:
        node, numbers = open_classes.pop()
        tried = []
        for place, level in enumerate(node):
            if level == 0:
                continue
            lower = (*node[:place], level - 1, *node[place + 1 :])
            cut = by_label(rows, hierarchies, lower, numbers)
            if min(len({members[n] for n in part}) for part in cut) >= k:
                gain = sum(
                    loss(place, rows[n], level) - loss(place, rows[n], level - 1) for n in numbers
                )
                tried.append((-gain, place, lower, cut))
        if tried:
            _, _, lower, cut = min(tried, key=lambda one: one[:2])
            open_classes += [(lower, part) for part in cut]
        else:
            done.append((labels_of(rows[numbers[0]], hierarchies, node), numbers))
    return done
