"""The values of one attribute as methods see them in Python: places, counts, and cuts to try."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlanon.hierarchies.base import CutKind
from sqlanon.hierarchies.grid import Grid


@dataclass(frozen=True)
class CutAttribute:
    """A quasi-identifier as cuts see it: its order and its weight, but no values.

    Attributes:
        number: position in the plan, from 1.
        word: stands for it in generated names, such as `place_of_age`.
        hierarchy: the table of its hierarchy, if that orders its values.
        level_count: number of levels of the hierarchy.
        grid: the lines to which its values are rounded down before the cut, if they are.
        least_persons: labels name no value that fewer persons have, if values are texts: in their
            order such values share a place with their neighbors; 0: labels name every value.
    """

    number: int
    name: str
    word: str
    kind: CutKind
    weight: float
    hierarchy: str = ""
    level_count: int = 0
    grid: Grid | None = None
    least_persons: int = 0

    @property
    def place(self) -> str:
        """The column with the place of its value."""
        return self.named("place")

    def named(self, what: str) -> str:
        """The generated name of this of its columns or relations: `first_place_of_age`."""
        return f"{what}_of_{self.word}"


class Interval(NamedTuple):
    """A range of places of one attribute."""

    attribute_number: int
    first_place: int
    last_place: int


class Split(NamedTuple):
    """A cut of an interval in all rows at once."""

    interval: Interval
    pieces: tuple[Interval, ...]


class SplitOutcome(NamedTuple):
    """What the classes hold after a split.

    Attributes:
        holds: whether every class holds every promise.
        rank: measure of the first promise; less is better.
    """

    holds: bool
    rank: float


@dataclass(frozen=True)
class Scale:
    """The values of one attribute as methods see them in Python: places and counts.

    Attributes:
        counts: source rows by place, ascending; places without rows of the table are left out.
        places: places of the table, ascending.
        positions: positions by place.
        labels: for each place, also those of the population, the first and the last place that its
            label covers, level by level. Empty if the attribute is cut in two.
    """

    number: int
    kind: CutKind
    weight: float
    last_place: int
    position_range: float
    counts: Mapping[int, int]
    positions: Mapping[int, float]
    labels: Mapping[int, Sequence[tuple[int, int]]]

    places: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "places", tuple(self.counts))

    def present(self, interval: Interval) -> tuple[int, ...]:
        """The places of the interval that occur in the table."""
        first = bisect_left(self.places, interval.first_place)
        return self.places[first : bisect_right(self.places, interval.last_place)]

    def width(self, interval: Interval) -> float:
        """Share of the scale, or 1 - 1 / values if values have no distance; times the weight."""
        places = self.present(interval)
        if self.kind not in ("numeric", "date"):
            return (1 - 1 / len(places)) * self.weight
        extent = self.positions[places[-1]] - self.positions[places[0]]
        return extent / self.position_range * self.weight if self.position_range else 0.0

    def candidates(self, interval: Interval) -> list[tuple[Interval, ...]]:
        """The cuts to try: at the median and both quartiles, or into all children of a label."""
        places = self.present(interval)
        number, first, last = interval
        if self.labels:
            below, above = self.labels[places[0]], self.labels[places[-1]]
            level = next(n for n, label in enumerate(below) if label == above[n]) - 1
            children = {
                Interval(number, *labels[level])
                for place, labels in self.labels.items()
                if first <= place <= last
            }
            return [tuple(sorted(children))]
        rows = sum(self.counts[place] for place in places)
        cuts = []
        for quarters in (2, 1, 3):
            so_far = 0
            for place in places:
                so_far += self.counts[place]
                if 4 * so_far >= quarters * rows:
                    cuts.append(place)
                    break
        return [
            (Interval(number, first, cut), Interval(number, cut + 1, last))
            for cut in dict.fromkeys(cuts)
            if cut < places[-1]
        ]

    def unevenness(self, pieces: Sequence[Interval]) -> int:
        """Rows in the largest piece minus rows in the smallest."""
        sizes = [sum(self.counts[place] for place in self.present(piece)) for piece in pieces]
        return max(sizes) - min(sizes)
