"""Counts all outcomes of a component, cell by cell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sqlanon.presence.decisions import NoOutcomeError
from sqlanon.presence.propagation import Cells

STARTS = 4
"""Orders of a component that are compared before counting."""

_OVERESTIMATE = 2.8
"""An order is tried while its states, by the ranges of its values, are at most the limit to the
power of this: most combinations of what values still need cannot be reached."""


def counted(part: Cells, limit: int) -> list[Fraction] | None:
    """The probability of each cell, or None above the limit of states.

    Cell by cell, a state is what the open values still need: values of which some cells are
    done and some are not. `forward` has the ways to a state, `backward` those from it to the end.
    """
    order = _order(part, limit**_OVERESTIMATE)
    if order is None:
        return None
    steps = _packed(part, order)
    layers: list[dict[int, int]] = [{0: 1}]
    total = 1
    for step in steps:
        following: dict[int, int] = {}
        for state, ways in layers[-1].items():
            rest, low, high = step.choices(state)
            for chosen in range(low, high + 1):
                after = rest - chosen * step.taken
                following[after] = following.get(after, 0) + ways * step.weights[chosen]
        layers.append(following)
        total += len(following)
        if total > limit:
            return None
    if not layers[-1]:
        raise NoOutcomeError
    means = [Fraction(0)] * len(order)
    backward = {0: 1}
    outcomes = layers[-1][0]
    for step, states in zip(reversed(steps), reversed(layers[:-1]), strict=True):
        before: dict[int, int] = {}
        persons = 0
        for state, ways in states.items():
            onward = with_persons = 0
            rest, low, high = step.choices(state)
            for chosen in range(low, high + 1):
                found = backward.get(rest - chosen * step.taken, 0) * step.weights[chosen]
                onward += found
                with_persons += found * chosen
            if onward:
                before[state] = onward
                persons += ways * with_persons
        backward = before
        means[step.cell] = Fraction(persons, outcomes * part.persons[step.cell])
    return means


@dataclass(frozen=True)
class _CellStep:
    """One cell of a count.

    Attributes:
        opened: what the values that begin with this cell add to the state.
        width: bits of a value in the state.
        fields: per value of the cell: its place in the state, and what the cells after this one
            have of it at least and at most.
        taken: what one candidate takes off the state.
        weights: by candidates chosen: in how many ways.
    """

    cell: int
    opened: int
    width: int
    fields: tuple[tuple[int, int, int], ...]
    taken: int
    low: int
    high: int
    weights: tuple[int, ...]

    def choices(self, state: int) -> tuple[int, int, int]:
        """The state with the opened values, and the fewest and the most candidates to choose."""
        state += self.opened
        low, high, mask = self.low, self.high, (1 << self.width) - 1
        for place, least, most in self.fields:
            left = (state >> place) & mask
            if left - least < high:
                high = left - least
            if left - most > low:
                low = left - most
        return state, low, high


def _packed(part: Cells, order: Sequence[int]) -> list[_CellStep]:
    """The steps of a count in this order; a value has its bits only while it is open."""
    width = max(part.need).bit_length()
    left = [len(members) for members in part.cells]
    least = [sum(part.low[cell] for cell in members) for members in part.cells]
    most = [sum(part.high[cell] for cell in members) for members in part.cells]
    place: dict[int, int] = {}
    free: list[int] = []
    steps = []
    for cell in order:
        opened = 0
        for value in part.values[cell]:
            if value not in place:
                place[value] = free.pop() if free else width * len(place)
                opened += part.need[value] << place[value]
            least[value] -= part.low[cell]
            most[value] -= part.high[cell]
            left[value] -= 1
        steps.append(
            _CellStep(
                cell,
                opened,
                width,
                tuple((place[value], least[value], most[value]) for value in part.values[cell]),
                sum(1 << place[value] for value in part.values[cell]),
                part.low[cell],
                part.high[cell],
                tuple(math.comb(part.persons[cell], x) for x in range(part.high[cell] + 1)),
            )
        )
        free += [place[value] for value in part.values[cell] if left[value] == 0]
    return steps


def _order(part: Cells, most: float) -> list[int] | None:
    """The best of some greedy orders of cells; None if each costs more than `most` states."""
    widths = []
    for value, members in enumerate(part.cells):
        spare = part.need[value] - sum(part.low[cell] for cell in members)
        excess = sum(part.high[cell] for cell in members) - part.need[value]
        widths.append(math.log2(1 + min(spare, excess)))
    firsts = sorted(range(len(part.need)), key=lambda v: (len(part.cells[v]), widths[v], v))
    tried = [_greedy_order(part, widths, first, most) for first in firsts[:STARTS]]
    found = [order for order in tried if order is not None]
    return min(found)[1] if found else None


def _greedy_order(
    part: Cells, widths: Sequence[float], first: int, most: float
) -> tuple[float, list[int]] | None:
    """Close value after value, the one that opens least next; and about how many states it costs.

    The cost is the sum over cells of the product of the open values' ranges; None above `most`.
    """
    left = [set(members) for members in part.cells]
    is_open: set[int] = set()
    order: list[int] = []
    size = cost = 0.0

    def opened(value: int) -> float:
        new = {other for cell in left[value] for other in part.values[cell]} - is_open
        closed = sum(
            widths[other] for other in new | is_open if left[other] and left[other] <= left[value]
        )
        return sum(widths[other] for other in new) - closed

    current: int | None = first
    while current is not None:
        cells = left[current]
        while cells:
            cell = min(
                cells,
                key=lambda c: (
                    sum(widths[v] for v in part.values[c] if v not in is_open)
                    - sum(widths[v] for v in part.values[c] if len(left[v]) == 1),
                    c,
                ),
            )
            order.append(cell)
            for value in part.values[cell]:
                if value not in is_open:
                    is_open.add(value)
                    size += widths[value]
                left[value].discard(cell)
                if not left[value]:
                    size -= widths[value]
            cost += 2.0 ** min(size, 900)
            if cost > most:
                return None
        waiting = [value for value in is_open if left[value]]
        current = min(waiting, key=lambda v: (opened(v), v)) if waiting else None
    return cost, order
