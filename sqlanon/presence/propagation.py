"""Forced propagation: cells with bounds, and values with the rows that their cells must have."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence

from sqlanon.presence.decisions import NoOutcomeError, Value


class Cells:
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
    def of(cls, cells: Sequence[tuple[Sequence[Value], int]], counts: Mapping[Value, int]) -> Cells:
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

    def copy(self) -> Cells:
        """A copy whose bounds can be changed."""
        return Cells(
            self.values, self.persons, self.low.copy(), self.high.copy(), self.need, self.cells
        )

    def propagate(self, values: Iterable[int]) -> None:
        """Tighten the bounds until no value, beginning with these, says more.

        A value with need b: a cell has at most b less the least of the other cells, and at least b
        less the most of the others. NoOutcomeError if the bounds leave no outcome.
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

    def part(self, members: Sequence[int]) -> Cells:
        """These cells alone: what decided cells have is taken off the needs."""
        inside = set(members)
        names = sorted({value for cell in members for value in self.values[cell]})
        number = {value: place for place, value in enumerate(names)}
        place = {cell: n for n, cell in enumerate(members)}
        return Cells(
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

    def limited(self, cell: int, low: int, high: int) -> Cells | None:
        """The problem with these bounds of a cell; None where they leave no outcome."""
        made = self.copy()
        made.low[cell], made.high[cell] = low, high
        try:
            made.propagate(made.values[cell])
        except NoOutcomeError:
            return None
        return made
