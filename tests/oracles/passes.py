"""Local recoding by passes, by brute force: every node of the lattice is looked at in every pass.

Standard library only, nothing of the package. Definitions: formulas_next.md section 12 and the rule
that was measured with it: a row waits while placing it would cost more than the charge, which is
0.05 at first, grows by 1.5 from pass to pass, and is 1 at most.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from tests.oracles.full_domain import Hierarchies, Node, Row, all_nodes, hierarchy_heights

CHARGES = (Fraction(1, 20), Fraction(3, 2))


class Placed(NamedTuple):
    """What a pass does: its node, the numbers of the rows that it places, and their mean loss."""

    node: Node
    rows: list[int]
    loss: float


class Tried(NamedTuple):
    """A node in a pass: rows that it would place, and the mean cost of all that wait."""

    node: Node
    placed: list[int]
    cost: Fraction


def row_loss(row: Row, hierarchies: Hierarchies, node: Node, weights: Sequence[float]) -> Fraction:
    """The mean share of values that the labels of a row cover; a label of one value costs 0."""
    total = Fraction(0)
    for value, hierarchy, level, weight in zip(row, hierarchies, node, weights, strict=True):
        label = hierarchy[value][level]
        covered = sum(path[level] == label for path in hierarchy.values())
        total += Fraction(weight) * (Fraction(covered, len(hierarchy)) if covered > 1 else 0)
    return total / sum(map(Fraction, weights))


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
            losses = [row_loss(rows[number], hierarchies, node, weights) for number in placed]
            lost = sum(losses, Fraction(0))
            cost = (lost + charge * (len(waiting) - len(placed))) / len(waiting)
            if cost <= charge:
                tried.append(Tried(node, placed, cost))
        chosen = _chosen(tried, rows, hierarchies, method)
        if chosen is None and charge == 1:
            break
        if chosen is not None:
            losses = [row_loss(rows[n], hierarchies, chosen.node, weights) for n in chosen.placed]
            mean = float(sum(losses) / len(losses))
            found.append(Placed(chosen.node, chosen.placed, mean))
            waiting = [number for number in waiting if number not in chosen.placed]
        if not waiting:
            break
        charge = min(Fraction(1), charge * CHARGES[1])
    return found


def _chosen(
    tried: list[Tried], rows: Sequence[Row], hierarchies: Hierarchies, method: str
) -> Tried | None:
    """The node that a method chooses among those that cost at most what waiting costs."""
    if method == "samarati":
        return min(tried, key=lambda t: (sum(t.node), t.cost, t.node), default=None)
    if method != "datafly":
        return min(tried, key=lambda t: (t.cost, sum(t.node), t.node), default=None)
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
        hierarchy = hierarchies[place]
        label = hierarchy[row[place]][level]
        covered = sum(path[level] == label for path in hierarchy.values())
        share = round(1e9 * weights[place] / sum(weights))
        return share * covered // len(hierarchy) if covered > 1 else 0

    def parts(place: int, level: int, numbers: list[int]) -> list[list[int]]:
        found: dict[str | None, list[int]] = {}
        for number in numbers:
            found.setdefault(hierarchies[place][rows[number][place]][level], []).append(number)
        return [*found.values()]

    open_classes: list[tuple[Node, list[int]]] = []
    for one in placed:
        classes: dict[Row, list[int]] = {}
        for number in one.rows:
            classes.setdefault(labels_of(rows[number], hierarchies, one.node), []).append(number)
        open_classes += [(one.node, numbers) for numbers in classes.values()]
    done = []
    while open_classes:
        node, numbers = open_classes.pop()
        tried = []
        for place, level in enumerate(node):
            if level == 0:
                continue
            cut = parts(place, level - 1, numbers)
            if min(len({members[n] for n in part}) for part in cut) >= k:
                gain = sum(
                    loss(place, rows[n], level) - loss(place, rows[n], level - 1) for n in numbers
                )
                tried.append((-gain, place, cut))
        if tried:
            _, place, cut = min(tried, key=lambda one: one[:2])
            lower = (*node[:place], node[place] - 1, *node[place + 1 :])
            open_classes += [(lower, part) for part in cut]
        else:
            done.append((labels_of(rows[numbers[0]], hierarchies, node), numbers))
    return done
