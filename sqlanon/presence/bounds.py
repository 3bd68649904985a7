"""Bounds and estimates of probabilities where the outcomes are too many to count."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterable, Sequence
from fractions import Fraction

from sqlanon.presence.decisions import Basis, Decision, Estimate, Limits, NoOutcomeError, exact
from sqlanon.presence.enumeration import counted
from sqlanon.presence.exchange import probability_bounds
from sqlanon.presence.propagation import Cells

_BATCHES = 20
"""Parts of a random walk whose means are compared."""

_T_QUANTILE = 2.861
"""The 0.995 quantile of Student's t with `_BATCHES` - 1 degrees of freedom: 99 % intervals."""

_ANNEALINGS = 6
"""Annealings before a search for a first outcome gives up; later ones have one."""

_PROBED_CELLS = 300
"""Cells of a component up to which it gets all probes: a probe of more costs more."""


class Bounds:
    """Certain answers to "surely in?" and "surely out?" of a component that is not counted.

    An outcome that lacks a candidate of a cell proves that its probability is below 1, one that has
    a candidate that it is above 0. A search that ends without an outcome proves the contrary.
    """

    def __init__(self, part: Cells, known: list[int] | None, limits: Limits, number: int) -> None:
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
        """One decision per cell of the component."""
        size = len(self.part.values)
        if self.outcome is None and self.limits.exchanges:
            self.outcome = self._first_outcome()
        estimates: Sequence[Estimate | None] = [None] * size
        if self.outcome is not None:
            self._see(self.outcome)
            if self.limits.steps:
                estimates = self._walk(self.outcome.copy())
            self._probe()
        ranges = probability_bounds(self.part)
        found = [self._decision(cell, *ranges[cell], estimates[cell]) for cell in range(size)]
        for members in self.part.components():
            if len(members) < size:  # what was proven has left smaller components to count
                means = counted(self.part.part(members), self.limits.states)
                for cell, mean in zip(members, means or (), strict=False):
                    found[cell] = exact("counting", mean)
        return found

    def _decision(
        self, cell: int, lower: Fraction, upper: Fraction, estimate: Estimate | None
    ) -> Decision:
        if lower == upper:
            return exact("bounds", lower)
        below_one = upper < 1 or (self.seen and self.fewest[cell] < self.part.persons[cell])
        above_zero = lower > 0 or (self.seen and self.most[cell] > 0)
        basis: Basis = "bounds" if below_one and above_zero else "estimate"
        return Decision(basis, lower, upper, below_one, above_zero, estimate)

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

    def _annealed(self, problem: Cells, times: int) -> list[int] | None:
        """An outcome within the bounds, or None; by simulated annealing.

        One candidate is exchanged for another of the same value in one group, until the counts of
        the other groups are right. The group that keeps its counts is the one with most values.
        Each try cools down half as fast as the one before.
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
        self, problem: Cells, anchored: Sequence[int], anchor: int, steps: int
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

    def _search(self, problem: Cells) -> list[int] | None:
        """An outcome within the bounds; an empty list if there is none; None if it stays open.

        Depth first: the value with the fewest undecided cells, of it the cell whose values are in
        greatest demand; in it, first the half of its bounds that the demand suggests.
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

    def _next_cell(self, node: Cells) -> int | None:
        low, high = node.low, node.high
        best: list[int] = []
        for members in node.cells:
            undecided = [cell for cell in members if low[cell] < high[cell]]
            if undecided and (not best or len(undecided) < len(best)):
                best = undecided
        return max(best, key=lambda cell: self._demand(node, cell)) if best else None

    def _demand(self, node: Cells, cell: int) -> float:
        """The share of its candidates that are needed, as the mean over the cell's values."""
        demand = 1.0
        for value in node.values[cell]:
            members = node.cells[value]
            low = sum(node.low[c] for c in members)
            demand *= (node.need[value] - low) / (sum(node.high[c] for c in members) - low)
        return float(demand ** (1 / len(node.values[cell])))

    def _probe(self) -> None:
        """Decide the cells that no outcome has decided: by propagation, an outcome, a search."""
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
