"""Who is in a table of which only the counts of single values are known: exact counting.

Candidates with the same values form a cell. An outcome is a set of candidates that has the
published count of every value; all outcomes are equally likely. What is asked of each cell is the
mean share of its candidates over all outcomes: the probability that one of them is in the table.

The way, each step on what the one before left open: bounds that follow from single values
(`propagation`); a count of all outcomes, component by component (`counting`); above the limit of
states, outcomes and refutations that settle who is surely in and who is surely out (`bounds`), and
a random walk for the size of the rest (`estimate`), which proves nothing. All integers are exact.
Source: the Copenhagen thesis on permuted tables and δ-presence, Algorithm 5, which goes through all
subsets; states are counted here instead.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Way = Literal["propagation", "counting", "bounds", "estimate"]
"""How a cell was decided."""

Value = Hashable
"""A published value of one column group; equal values of different groups must differ in it."""

_BATCHES = 20
"""Parts of a random walk whose means are compared."""

_T_QUANTILE = 2.861
"""The 0.995 quantile of Student's t with `_BATCHES` - 1 degrees of freedom: 99 % intervals."""

_STARTS = 4
"""Orders of a component that are compared before counting."""

_ANNEALINGS = 6
"""Annealings before a search for a first outcome gives up; later ones have one."""

_PROBED_CELLS = 300
"""Cells of a component up to which it gets all probes: a probe of more costs more."""

_OVERESTIMATE = 2.8
"""An order is tried while its states, by the ranges of its values, are at most the limit to the
power of this: most combinations of what values still need cannot be reached."""


class NoOutcomeError(Exception):
    """No set of candidates has the published counts."""


@dataclass(frozen=True)
class Limits:
    """How much work a component may cost.

    Attributes:
        states: of an exact count, all layers together; 0 counts nothing.
        exchanges: of one search for an outcome by annealing; some times as many for the first
            outcome; 0 leaves what is not counted open.
        nodes: of one complete search, which can also find that there is no outcome.
        probes: searches a component, for cells that the walk left open; fewer in a large one.
        steps: of the random walk; 0 gives no estimate.
        seed: of the searches and the walk.
    """

    states: int = 300_000
    exchanges: int = 100_000
    nodes: int = 40
    probes: int = 100
    steps: int = 20_000
    seed: int = 1


DEFAULT_LIMITS = Limits()
"""Seconds a component, at most, on the tables of the benchmark."""


@dataclass(frozen=True)
class Estimate:
    """A mean over a random walk, with a 99 % interval from the spread of its parts.

    It assumes that exchanges of two candidates lead from every outcome to every other one, and
    that the walk was long enough. It is no bound.
    """

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Decision:
    """What is known of the candidates of one cell.

    Attributes:
        decided_by: propagation, counting: lower and upper are the same. bounds: whether the
            probability is 0, 1, or between them is settled. estimate: it is not.
        lower, upper: the probability is certainly from lower to upper.
        below_one: an outcome without one of the candidates is certain to exist.
        above_zero: an outcome with one of them is certain to exist.
        estimate: of the probability; None where it is exact or nothing was estimated.
    """

    decided_by: Way
    lower: Fraction
    upper: Fraction
    below_one: bool
    above_zero: bool
    estimate: Estimate | None = None

    @property
    def is_exact(self) -> bool:
        """Whether the probability itself is known."""
        return self.lower == self.upper

    @property
    def is_sure_in(self) -> bool:
        """Whether every candidate of the cell is in the table, for certain."""
        return self.lower == 1

    @property
    def is_sure_out(self) -> bool:
        """Whether none of them is, for certain."""
        return self.upper == 0

    @property
    def is_settled(self) -> bool:
        """Whether it is certain that the probability is 0, that it is 1, or that it is neither."""
        return self.is_exact or (self.below_one and self.above_zero)


def decisions(
    cells: Sequence[tuple[Sequence[Value], int]],
    counts: Mapping[Value, int],
    *,
    known: Sequence[int] | None = None,
    within: Sequence[tuple[int, int]] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> list[Decision]:
    """What is known of the candidates of each cell.

    Args:
        cells: the cell's value in each column group, all cells differing, and its candidates.
        counts: published rows of each value.
        known: an outcome, if the caller has one: how many candidates of each cell are in it. It
            lends certainty that other outcomes exist, and never enters a probability.
        within: bounds of each cell's candidates in an outcome, if some are proven already.
        limits: what a component may cost.

    Returns:
        one decision per cell, in their order.

    Raises:
        NoOutcomeError: no outcome exists, or the known one is none.
    """
    problem = _Problem.of(cells, counts)
    if within:
        problem.low, problem.high = (list(ends) for ends in zip(*within, strict=True))
    if known is not None:
        problem.check(known)
    problem.propagate(range(len(problem.need)))
    found: list[Decision | None] = [None] * len(cells)
    for cell, (low, high) in enumerate(zip(problem.low, problem.high, strict=True)):
        if low == high:
            found[cell] = exact("propagation", Fraction(low, problem.persons[cell]))
    for number, members in enumerate(problem.components()):
        part = problem.part(members)
        start = None if known is None else [known[cell] for cell in members]
        for cell, decision in zip(members, _decide(part, start, limits, number), strict=True):
            found[cell] = decision
    return [decision for decision in found if decision is not None]


def bounds(
    cells: Sequence[tuple[Sequence[Value], int]], counts: Mapping[Value, int]
) -> list[tuple[int, int]]:
    """How many candidates of each cell are in every outcome at least, and in any at most.

    The forced propagation alone: sound, not complete.

    Raises:
        NoOutcomeError: the counts contradict each other.
    """
    problem = _Problem.of(cells, counts)
    problem.propagate(range(len(problem.need)))
    return list(zip(problem.low, problem.high, strict=True))


def exact(way: Way, probability: Fraction) -> Decision:
    """The decision where the probability is known."""
    return Decision(way, probability, probability, probability < 1, probability > 0)


class _Problem:
    """Cells with bounds, and values with the rows that their cells must have together.

    Attributes:
        values: of each cell, the numbers of its values.
        persons: candidates of each cell.
        low, high: how many of them are in an outcome, at least and at most.
        need: rows of each value.
        cells: of each value.
    """

    def __init__(
        self, values: list[tuple[int, ...]], persons: list[int], low: list[int], high: list[int],
        need: list[int], cells: list[list[int]],
    ) -> None:  # fmt: skip
        self.values, self.persons = values, persons
        self.low, self.high = low, high
        self.need, self.cells = need, cells

    @classmethod
    def of(
        cls, cells: Sequence[tuple[Sequence[Value], int]], counts: Mapping[Value, int]
    ) -> _Problem:
        """All cells, with no bounds but their candidates."""
        number = {value: place for place, value in enumerate(counts)}
        members: list[list[int]] = [[] for _ in number]
        values = []
        for cell, (names, _) in enumerate(cells):
            if any(name not in number for name in names):
                raise ValueError("a cell has a value without a count")
            values.append(tuple(number[name] for name in names))
            for value in values[-1]:
                members[value].append(cell)
        persons = [count for _, count in cells]
        return cls(
            values, persons, [0] * len(cells), persons.copy(), list(counts.values()), members
        )

    def check(self, outcome: Sequence[int]) -> None:
        """Raises NoOutcomeError: these candidates do not have the counts."""
        within = all(0 <= x <= most for x, most in zip(outcome, self.persons, strict=True))
        sums = [sum(outcome[cell] for cell in members) for members in self.cells]
        if not within or sums != self.need:
            raise NoOutcomeError

    def copy(self) -> _Problem:
        """With bounds of its own."""
        return _Problem(
            self.values, self.persons, self.low.copy(), self.high.copy(), self.need, self.cells
        )

    def propagate(self, values: Iterable[int]) -> None:
        """Tighten the bounds until no value, beginning with these, says more.

        A value with need b: a cell has at most b less the least of the other cells, and at least b
        less the most of the others.

        Raises:
            NoOutcomeError: the bounds leave no outcome.
        """
        low, high, need, of_cell = self.low, self.high, self.need, self.values
        waiting = deque(values)
        queued = set(waiting)
        while waiting:
            value = waiting.popleft()
            queued.discard(value)
            members = self.cells[value]
            spare = need[value] - sum(low[cell] for cell in members)
            excess = sum(high[cell] for cell in members) - need[value]
            if spare < 0 or excess < 0:
                raise NoOutcomeError
            for cell in members:
                least, most = low[cell], high[cell]
                if most - least <= min(spare, excess):
                    continue
                low[cell], high[cell] = max(least, most - excess), min(most, least + spare)
                for other in of_cell[cell]:
                    if other not in queued:
                        queued.add(other)
                        waiting.append(other)

    def components(self) -> list[list[int]]:
        """The undecided cells, those together that values connect, in the order of cells."""
        found, seen = [], [low == high for low, high in zip(self.low, self.high, strict=True)]
        done = [False] * len(self.need)
        for first in range(len(seen)):
            if seen[first]:
                continue
            seen[first] = True
            members = [first]
            for cell in members:  # the list grows while it is read
                for value in self.values[cell]:
                    if done[value]:
                        continue
                    done[value] = True
                    for other in self.cells[value]:
                        if not seen[other]:
                            seen[other] = True
                            members.append(other)
            found.append(sorted(members))
        return found

    def part(self, members: Sequence[int]) -> _Problem:
        """These cells alone: what decided cells have is taken off the needs."""
        inside = set(members)
        names = sorted({value for cell in members for value in self.values[cell]})
        number = {value: place for place, value in enumerate(names)}
        place = {cell: n for n, cell in enumerate(members)}
        return _Problem(
            [tuple(number[value] for value in self.values[cell]) for cell in members],
            [self.persons[cell] for cell in members],
            [self.low[cell] for cell in members],
            [self.high[cell] for cell in members],
            [
                self.need[v] - sum(self.low[c] for c in self.cells[v] if c not in inside)
                for v in names
            ],
            [[place[c] for c in self.cells[v] if c in inside] for v in names],
        )

    def limited(self, cell: int, low: int, high: int) -> _Problem | None:
        """The problem with these bounds of a cell; None where they leave no outcome."""
        made = self.copy()
        made.low[cell], made.high[cell] = low, high
        try:
            made.propagate(made.values[cell])
        except NoOutcomeError:
            return None
        return made


def _decide(part: _Problem, known: list[int] | None, limits: Limits, number: int) -> list[Decision]:
    """What is known of the cells of one component."""
    means = _count(part, limits.states)
    if means is not None:
        return [exact("counting", mean) for mean in means]
    return _Bounds(part, known, limits, number).decide()


# --- counting all outcomes


def _count(part: _Problem, limit: int) -> list[Fraction] | None:
    """The probability of each cell, or None above the limit of states.

    Cell by cell, a state is what the open values still need: values of which some cells are
    done and some are not. `forward` has the ways to a state, `backward` those from it to the end.
    """
    cost, order = _order(part)
    if cost > limit**_OVERESTIMATE:
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


def _packed(part: _Problem, order: Sequence[int]) -> list[_CellStep]:
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


def _order(part: _Problem) -> tuple[float, list[int]]:
    """An order of cells with few states, the best of some greedy ones, and about their number."""
    widths = []
    for value, members in enumerate(part.cells):
        spare = part.need[value] - sum(part.low[cell] for cell in members)
        excess = sum(part.high[cell] for cell in members) - part.need[value]
        widths.append(math.log2(1 + min(spare, excess)))
    firsts = sorted(range(len(part.need)), key=lambda v: (len(part.cells[v]), widths[v], v))
    orders = [_greedy_order(part, widths, first) for first in firsts[:_STARTS]]
    return min(orders)


def _greedy_order(part: _Problem, widths: Sequence[float], first: int) -> tuple[float, list[int]]:
    """Close value after value, the one that opens least next; and about how many states it costs.

    The cost is the sum over cells of the product of the open values' ranges.
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
        waiting = [value for value in is_open if left[value]]
        current = min(waiting, key=lambda v: (opened(v), v)) if waiting else None
    return cost, order


# --- above the limit of states


class _Bounds:
    """Certain answers to "surely in?" and "surely out?" of a component that is not counted.

    An outcome that lacks a candidate of a cell proves that its probability is below 1, one that has
    a candidate that it is above 0. A search that ends without an outcome proves the contrary.
    """

    def __init__(
        self, part: _Problem, known: list[int] | None, limits: Limits, number: int
    ) -> None:
        self.part = part
        self.limits = limits
        self.random = random.Random(limits.seed * 1_000_003 + number)
        self.fewest = part.high.copy()
        self.most = part.low.copy()
        self.seen = False
        self.outcome = known
        self.place = {values: cell for cell, values in enumerate(part.values)}
        self._pairs: dict[tuple[int, int], list[tuple[int, int]]] = {}

    def decide(self) -> list[Decision]:
        """One decision per cell of the component.

        Raises:
            NoOutcomeError: a search ended, and no outcome exists.
        """
        size = len(self.part.values)
        if self.outcome is None and self.limits.exchanges:
            self.outcome = self._first_outcome()
        estimates: Sequence[Estimate | None] = [None] * size
        if self.outcome is not None:
            self._see(self.outcome)
            if self.limits.steps:
                estimates = self._walk(self.outcome.copy())
            self._probe()
        found = [self._decision(cell, estimate) for cell, estimate in enumerate(estimates)]
        for members in self.part.components():
            if len(members) < size:  # what was proven has left smaller components to count
                means = _count(self.part.part(members), self.limits.states)
                for cell, mean in zip(members, means or (), strict=False):
                    found[cell] = exact("counting", mean)
        return found

    def _decision(self, cell: int, estimate: Estimate | None) -> Decision:
        persons = self.part.persons[cell]
        low, high = self.part.low[cell], self.part.high[cell]
        if low == high:
            return exact("bounds", Fraction(low, persons))
        below_one = high < persons or (self.seen and self.fewest[cell] < persons)
        above_zero = low > 0 or (self.seen and self.most[cell] > 0)
        way: Way = "bounds" if below_one and above_zero else "estimate"
        lower, upper = Fraction(low, persons), Fraction(high, persons)
        return Decision(way, lower, upper, below_one, above_zero, estimate)

    def _see(self, outcome: Sequence[int]) -> None:
        self.seen = True
        for cell, chosen in enumerate(outcome):
            self.fewest[cell] = min(self.fewest[cell], chosen)
            self.most[cell] = max(self.most[cell], chosen)

    # --- outcomes by search

    def _first_outcome(self) -> list[int] | None:
        """An outcome, from a few searches; None where none was found."""
        found = self._annealed(self.part, _ANNEALINGS)
        if found is None:
            found = self._search(self.part)
        if found == []:
            raise NoOutcomeError
        return found

    def _annealed(self, problem: _Problem, times: int) -> list[int] | None:
        """An outcome within the bounds, or None: exchange one candidate for another of the same
        value in one group until the counts of the other groups are right, by simulated annealing.

        The group that keeps its counts is the one with most values. Every time it cools down half
        as fast as the time before.
        """
        groups = [sorted(set(column)) for column in zip(*problem.values, strict=True)]
        anchor = max(range(len(groups)), key=lambda group: len(groups[group]))
        for time in range(times):
            steps = self.limits.exchanges << time
            found = self._annealed_from(problem, groups[anchor], anchor, steps)
            if found is not None:
                return found
        return None

    def _annealed_from(
        self, problem: _Problem, anchored: Sequence[int], anchor: int, steps: int
    ) -> list[int] | None:
        values, high, chosen = problem.values, problem.high, problem.low.copy()
        members: list[int] = []
        for value in anchored:
            cells = problem.cells[value]
            free = [cell for cell in cells for _ in range(high[cell] - chosen[cell])]
            lacking = problem.need[value] - sum(chosen[cell] for cell in cells)
            members += self.random.sample(free, lacking)
        for cell in members:
            chosen[cell] += 1
        surplus = [
            sum(chosen[cell] for cell in cells) - need
            for cells, need in zip(problem.cells, problem.need, strict=True)
        ]
        cost = sum(map(abs, surplus))
        chance = self.random.random
        for step in range(steps if members else 0):
            if cost == 0:
                break
            place = int(chance() * len(members))
            old = members[place]
            cells = problem.cells[values[old][anchor]]
            new = cells[int(chance() * len(cells))]
            if new == old or chosen[new] >= high[new]:
                continue
            change = 0
            for less, more in zip(values[old], values[new], strict=True):
                if less != more:
                    change += (-1 if surplus[less] > 0 else 1) + (-1 if surplus[more] < 0 else 1)
            warmth = 1.15 - step / steps  # never quite cold: it ends at an outcome, not in a pit
            if change > 0 and chance() >= math.exp(-change / warmth):
                continue
            for less, more in zip(values[old], values[new], strict=True):
                surplus[less] -= 1
                surplus[more] += 1
            chosen[old] -= 1
            chosen[new] += 1
            members[place] = new
            cost += change
        return chosen if cost == 0 else None

    def _search(self, problem: _Problem) -> list[int] | None:
        """An outcome within the bounds; an empty list if there is none; None if it stays open.

        Depth first: the value with the fewest undecided cells, of it the cell whose values are in
        greatest demand; in it first the half of its bounds that the demand tells.
        """
        stack = [(problem, 0, problem.low[0], problem.high[0])]
        for _ in range(self.limits.nodes):
            if not stack:
                return []
            node = stack[-1][0].limited(*stack.pop()[1:])
            if node is None:
                continue
            cell = self._next_cell(node)
            if cell is None:
                return node.low
            low, high = node.low[cell], node.high[cell]
            middle = (low + high) // 2
            halves = [(node, cell, low, middle), (node, cell, middle + 1, high)]
            if self.random.random() > self._demand(node, cell):
                halves.reverse()
            stack += halves
        return None

    def _next_cell(self, node: _Problem) -> int | None:
        low, high = node.low, node.high
        best: list[int] = []
        for members in node.cells:
            undecided = [cell for cell in members if low[cell] < high[cell]]
            if undecided and (not best or len(undecided) < len(best)):
                best = undecided
        return max(best, key=lambda cell: self._demand(node, cell)) if best else None

    def _demand(self, node: _Problem, cell: int) -> float:
        """The share of its candidates that are needed, as the mean over the cell's values."""
        demand = 1.0
        for value in node.values[cell]:
            members = node.cells[value]
            low = sum(node.low[c] for c in members)
            demand *= (node.need[value] - low) / (sum(node.high[c] for c in members) - low)
        return float(demand ** (1 / len(node.values[cell])))

    def _probe(self) -> None:
        """Settle the cells that no outcome has settled: by propagation, an outcome, a search."""
        part = self.part
        left = self.limits.probes * _PROBED_CELLS // max(_PROBED_CELLS, len(part.values))
        for cell in range(len(part.values)):
            for low, high in self._open_questions(cell):
                limited = part.limited(cell, low, high)
                if limited is not None:
                    if left == 0:
                        continue
                    left -= 1
                    found = self._search(limited)
                    if found is None:
                        found = self._annealed(limited, 1)
                    if found:
                        self._see(found)
                    if found != []:
                        continue
                # No outcome has so many candidates of this cell: all have more, or all have fewer.
                if low == part.low[cell]:
                    part.low[cell] = high + 1
                else:
                    part.high[cell] = low - 1
                part.propagate(part.values[cell])

    def _open_questions(self, cell: int) -> Iterable[tuple[int, int]]:
        """Bounds of the outcomes that would settle a cell: fewer than all, more than none."""
        part, persons = self.part, self.part.persons[cell]
        if part.low[cell] < part.high[cell] == persons == self.fewest[cell]:
            yield part.low[cell], persons - 1
        if part.high[cell] > part.low[cell] == 0 == self.most[cell]:
            yield 1, part.high[cell]

    # --- outcomes by exchange

    def _walk(self, outcome: list[int]) -> list[Estimate | None]:
        """Exchange two candidates for two others with the same values, again and again.

        Metropolis and Hastings: over long walks every outcome that exchanges reach comes up
        equally often.
        """
        steps, chance = self.limits.steps, self.random.random
        members = [cell for cell, chosen in enumerate(outcome) for _ in range(chosen)]
        persons, count, known = self.part.persons, len(members), self._pairs
        length = max(steps // _BATCHES, 1)
        sums = [[0] * len(outcome) for _ in range(_BATCHES)]
        for batch in range(-2, _BATCHES):  # the first two parts forget where the walk began
            since = [0] * len(outcome)
            total = [0] * len(outcome)
            for now in range(length):
                first, second = int(chance() * count), int(chance() * count)
                if first == second:
                    continue
                old = members[first], members[second]
                pairs = known[old] if old in known else self._exchanges(*old)
                if not pairs:
                    continue
                new = pairs[int(chance() * len(pairs))]
                odds = 1.0
                for cell in old:
                    odds /= persons[cell] - outcome[cell] + 1
                    total[cell] += outcome[cell] * (now - since[cell])
                    since[cell] = now
                    outcome[cell] -= 1
                for cell in new:
                    odds *= persons[cell] - outcome[cell]
                    total[cell] += outcome[cell] * (now - since[cell])
                    since[cell] = now
                    outcome[cell] += 1
                if odds >= 1 or chance() < odds:
                    members[first], members[second] = new
                    for cell in (*old, *new):
                        self.fewest[cell] = min(self.fewest[cell], outcome[cell])
                        self.most[cell] = max(self.most[cell], outcome[cell])
                else:
                    for cell in old:
                        outcome[cell] += 1
                    for cell in new:
                        outcome[cell] -= 1
            if batch >= 0:
                for cell, chosen in enumerate(outcome):
                    sums[batch][cell] = total[cell] + chosen * (length - since[cell])
        return [self._estimate([part[c] / length for part in sums], c) for c in range(len(outcome))]

    def _estimate(self, means: Sequence[float], cell: int) -> Estimate:
        persons = self.part.persons[cell]
        shares = [mean / persons for mean in means]
        mean = sum(shares) / len(shares)
        spread = sum((share - mean) ** 2 for share in shares) / (len(shares) - 1)
        # A cell that never moved has no spread, which does not make it certain.
        margin = max(_T_QUANTILE * math.sqrt(spread / len(shares)), 1 / len(shares) / persons)
        return Estimate(mean, max(0.0, mean - margin), min(1.0, mean + margin))

    def _exchanges(self, first: int, second: int) -> list[tuple[int, int]]:
        """All other ordered pairs of cells that have the same values together as these two."""
        one, two = self.part.values[first], self.part.values[second]
        sides = [(a, b) if a != b else (a,) for a, b in zip(one, two, strict=True)]
        if math.prod(map(len, sides)) <= len(self.part.values):
            cells = [self.place[mix] for mix in itertools.product(*sides) if mix in self.place]
        else:
            cells = [
                cell
                for cell, values in enumerate(self.part.values)
                if all(v in side for v, side in zip(values, sides, strict=True))
            ]
        pairs = []
        for cell in cells:
            mix = self.part.values[cell]
            rest = tuple([a + b - v for a, b, v in zip(one, two, mix, strict=True)])
            if rest in self.place and cell not in (first, second):
                pairs.append((cell, self.place[rest]))
        self._pairs[first, second] = pairs
        return pairs
