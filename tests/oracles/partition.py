"""Partitioning by brute force: the reference the tests compare the SQL with.

Standard library only, no SQL, nothing of the package. Definitions: docs/partitioning.md.
`mondrian` is the method `mondrian` and a run of `k-mondrian`; with `count="population"` it is
`mpalm`. `dimension_splitting` cuts whole attributes.

The table is a list of cells, its distinct combinations of places and sensitive values. A part of
the table maps the index of a cell to the rows of the table that the part has of it. Rows of the
population have no choice: those of a cell go where the cell goes, and a cell of nothing else is in
its part with 0 rows. "Counted" rows are those of the table, for `mpalm` those of the population.

What the page leaves open is read like this:

- A cut lies directly above the last counted value on its left, and "the one just below a value" is
  the cut above the counted value before it. Boxes end and begin there; rows that are not counted
  fall to the side whose box has their place.
- Rows that are not counted may lie outside the lowest common ancestor of the counted ones. They
  form sides of their own, by their labels on the level of the children.
- `quantiles` is one cut per quantile, the one above it; no cut is tried twice.
- A region without rows of the table is closed at once. That changes no class.
- An attribute whose outermost places have the same position has the width 0, and is tried late.
- Tops of a hierarchy that differ have all places as their common ancestor.
- Relaxed regions have the cut value in both boxes, also where all its rows went left.
"""

import hashlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import Literal

Part = Mapping[int, int]
Interval = tuple[int, int]  # the first and the last place
Box = tuple[Interval, ...]  # one interval per attribute
Allowable = Callable[[Part], bool]
Measure = Callable[[list[Part]], tuple[bool, float]]  # (holds, score), a larger score is better
Cut = Literal["median", "median-both", "quantiles", "any"]
Count = Literal["rows", "population"]

HALF_FIRST = (2, 1, 3)  # the quarters of `quantiles`, in the order they are tried


@dataclass(frozen=True)
class Attribute:
    """A quasi-identifier; `paths`, of one in a hierarchy's order, are labels from level 0 up."""

    name: str
    kind: Literal["numeric", "date", "ordinal", "nominal", "categorical"]
    positions: tuple[float, ...]  # one per place
    paths: tuple[tuple[object, ...], ...] = ()  # one per place, places in the hierarchy's order
    weight: float = 1.0

    def __post_init__(self) -> None:
        if self.paths and self.kind not in ("nominal", "categorical"):
            raise ValueError(f"{self.name}: paths are for attributes in the order of a hierarchy")
        if self.kind == "categorical" and not self.paths:
            raise ValueError(f"{self.name}: a categorical attribute needs paths")
        if self.paths and len(self.paths) != len(self.positions):
            raise ValueError(f"{self.name}: {len(self.paths)} paths, {len(self.positions)} places")


@dataclass(frozen=True)
class Cell:
    """One distinct combination."""

    places: tuple[int, ...]
    values: tuple[int, ...] = ()  # codes of the sensitive values
    row_count: int = 1  # rows of the table
    population_count: int = 0  # rows of the population


@dataclass(frozen=True)
class Class:
    """A class, or a region that has no rows of the table."""

    rows: dict[int, int]
    box: Box

    @property
    def size(self) -> int:
        """How many rows of the table it has."""
        return sum(self.rows.values())


@dataclass(frozen=True)
class Node:
    """A region of the cut tree, made in a round by cutting an attribute; the root: 0 and None."""

    round: int
    parent_box: Box | None
    box: Box
    attribute: int | None
    rows: int
    population: int


@dataclass(frozen=True)
class Result:
    """What Mondrian made: `regions` are the classes and the regions without rows of the table."""

    classes: list[Class]
    regions: list[Class]
    tree: list[Node]


@dataclass(frozen=True)
class SplittingResult:
    """What dimension splitting made: the intervals of each attribute, and the classes by them."""

    intervals: list[list[Interval]]
    classes: list[Class]
    regions: list[Class]


# --- attributes


def label_ranges(attribute: Attribute) -> list[list[Interval]]:
    """Per level and place, the places below the place's label; the last level is one label's."""
    ranges: list[list[Interval]] = []
    for level in range(len(attribute.paths[0]) if attribute.paths else 0):
        labels = [path[level] for path in attribute.paths]
        runs = [(label, len(list(run))) for label, run in groupby(labels)]
        if len({label for label, _ in runs}) < len(runs):
            raise ValueError(f"{attribute.name}: values below a label of level {level} are apart")
        if level == 0 and len(runs) < len(labels):
            raise ValueError(f"{attribute.name}: two places have the same value")
        ends = list(accumulate(length for _, length in runs))
        level_ranges = [
            (end - length, end - 1)
            for end, (_, length) in zip(ends, runs, strict=True)
            for _ in range(length)
        ]
        if level and any(
            level_ranges[place] != level_ranges[last]
            for place, (_, last) in enumerate(ranges[level - 1])
        ):
            raise ValueError(f"{attribute.name}: a label of level {level - 1} has two parents")
        ranges.append(level_ranges)
    everything = (0, len(attribute.paths) - 1)
    if ranges and ranges[-1][0] != everything:
        ranges.append([everything] * len(attribute.paths))
    return ranges


def lowest_common_level(ranges: list[list[Interval]], first: int, last: int) -> int:
    """The level of the lowest common ancestor of two places, and so of all between them."""
    return next(level for level, at in enumerate(ranges) if at[first][1] >= last)


def share_of_positions(attribute: Attribute, first: int, last: int) -> float:
    """The distance of two places, as a share of the distance of the outermost places."""
    everything = attribute.positions[-1] - attribute.positions[0]
    if everything == 0:
        return 0.0
    return (attribute.positions[last] - attribute.positions[first]) / everything


# --- cuts


def quantile(cumulative: Sequence[int], quarters: int) -> int:
    """The index of the first value with n * quarters / 4 rows at or below it."""
    return next(
        index for index, rows in enumerate(cumulative) if 4 * rows >= cumulative[-1] * quarters
    )


def cuts_above(cumulative: Sequence[int], cut: Cut) -> list[int]:
    """The values, by index, above which to cut, first choice first; never the last value."""
    unevenness = [abs(2 * rows - cumulative[-1]) for rows in cumulative]
    median = quantile(cumulative, 2)
    match cut:
        case "median":
            indexes = [median]
        case "median-both":
            indexes = sorted((median - 1, median), key=lambda index: (unevenness[index], index))
        case "quantiles":
            indexes = [quantile(cumulative, quarters) for quarters in HALF_FIRST]
        case "any":
            indexes = sorted(range(len(cumulative)), key=lambda index: (unevenness[index], index))
    return [index for index in dict.fromkeys(indexes) if 0 <= index < len(cumulative) - 1]


Text = str | None


def keyed_hash(seed: str, title: str, texts: Sequence[Text]) -> str:
    """The keyed hash of a row: every value with its length."""
    shown = "".join(f"|{'' if t is None else len(t)}:{t or ''}" for t in texts)
    return hashlib.sha256(f"{seed}|{title}{shown}".encode()).hexdigest()


def release_key(
    seed: str, release: str, rows: Sequence[Sequence[Text]], beside: Sequence[Sequence[Text]] = ()
) -> str:
    """The key of one release: of the plan's digest, its rows, and what else it reads."""
    digests = [keyed_hash(seed, "row", row) for row in rows]
    digests += [keyed_hash(seed, "beside", row) for row in beside]
    sums = [sum(int(digest[start : start + 15], 16) for digest in digests) for start in (0, 15)]
    shown = f"{seed}|release|{release}|{sums[0]}|{sums[1]}"
    return hashlib.sha256(shown.encode()).hexdigest()[:32]


def row_keys(seed: str, key: str, rows: Sequence[Sequence[Text]]) -> list[int]:
    """The first key of every row, 60 bits; equal rows are numbered."""
    seen: Counter[tuple[Text, ...]] = Counter()
    found = []
    for row in rows:
        own = hashlib.sha256(f"{key}{keyed_hash(seed, 'row', row)}".encode()).hexdigest()[:32]
        shown = f"{own}|1|{seen[tuple(row)]}"
        found.append(int(hashlib.sha256(shown.encode()).hexdigest()[:15], 16))
        seen[tuple(row)] += 1
    return found


def dealing_turns(places: Sequence[tuple[int, ...]], keys: Sequence[int]) -> list[int]:
    """Per row its turn in relaxed partitioning: equal places together, by key among themselves."""
    first: dict[tuple[int, ...], int] = {}
    for place, key in zip(places, keys, strict=True):
        first[place] = min(key, first.get(place, key))
    order = sorted(range(len(keys)), key=lambda row: (first[places[row]], keys[row]))
    turns = [0] * len(keys)
    for turn, row in enumerate(order):
        turns[row] = turn
    return turns


# --- Mondrian


@dataclass(frozen=True)
class _Mondrian:
    """The arguments of a run, and how one region of it is cut."""

    cells: Sequence[Cell]
    attributes: Sequence[Attribute]
    ranges: list[list[list[Interval]]]
    allowable: Allowable
    cut: Cut
    relaxed: bool
    turns: Sequence[int]  # per cell
    count: Count
    empty_allowed: bool

    def counted(self, cell: int, rows: int) -> int:
        return rows if self.count == "rows" else self.cells[cell].population_count

    def first_allowable(self, region: Class) -> tuple[int, list[Class]] | None:
        """The attribute that is cut and the sides, or None where the region is a class."""
        if not region.size:
            return None
        for index, counts in self.by_width(region):
            for sides in self.candidates(region, index, counts):
                if all(self.side_is_allowable(side) for side in sides):
                    return index, sides
        return None

    def side_is_allowable(self, side: Class) -> bool:
        return self.allowable(side.rows) if side.size else self.empty_allowed

    def by_width(self, region: Class) -> list[tuple[int, dict[int, int]]]:
        """The attributes with two or more values, widest first, with counted rows per place."""
        counted = [(cell, self.counted(cell, rows)) for cell, rows in region.rows.items()]
        found: list[tuple[float, int, dict[int, int]]] = []
        for index in range(len(self.attributes)):
            counts: dict[int, int] = {}
            for cell, rows in counted:
                if rows:
                    place = self.cells[cell].places[index]
                    counts[place] = counts.get(place, 0) + rows
            if len(counts) > 1:
                counts = dict(sorted(counts.items()))
                found.append((self.width(index, min(counts), max(counts)), index, counts))
        found.sort(key=lambda entry: (-entry[0], entry[1]))
        return [(index, counts) for _, index, counts in found]

    def width(self, index: int, first: int, last: int) -> float:
        attribute = self.attributes[index]
        if attribute.kind == "categorical":
            ranges = self.ranges[index]
            lowest, highest = ranges[lowest_common_level(ranges, first, last)][first]
            return (highest - lowest + 1) / len(attribute.paths) * attribute.weight
        return share_of_positions(attribute, first, last) * attribute.weight

    def candidates(
        self, region: Class, index: int, counts: dict[int, int]
    ) -> Iterator[list[Class]]:
        """The sides of every candidate for an attribute; `counts` has two or more places."""
        if self.attributes[index].kind == "categorical":
            ranges = self.ranges[index]
            level = lowest_common_level(ranges, min(counts), max(counts))
            yield self.children(region, index, ranges[level - 1])
        elif self.relaxed:
            yield from self.dealt(region, index, counts)
        else:
            first, last = region.box[index]
            places = list(counts)
            for cut in cuts_above(list(accumulate(counts.values())), self.cut):
                left, right = (first, places[cut]), (places[cut] + 1, last)
                sides = [left if place <= places[cut] else right for place in range(last + 1)]
                yield self.children(region, index, sides)

    def children(self, region: Class, index: int, sides: Sequence[Interval]) -> list[Class]:
        """The sides that have rows; `sides` has each place's interval."""
        parts: dict[Interval, dict[int, int]] = {}
        for cell, rows in region.rows.items():
            parts.setdefault(sides[self.cells[cell].places[index]], {})[cell] = rows
        return [Class(rows, _with(region.box, index, side)) for side, rows in sorted(parts.items())]

    def dealt(self, region: Class, index: int, counts: dict[int, int]) -> Iterator[list[Class]]:
        """The two sides of every relaxed candidate: the left one has exactly its share of rows."""
        first, last = region.box[index]
        places, cumulative = list(counts), list(accumulate(counts.values()))
        order = sorted(
            region.rows,
            key=lambda cell: (self.cells[cell].places[index], self.turns[cell]),
        )
        for quarters in HALF_FIRST if self.cut == "quantiles" else HALF_FIRST[:1]:
            share = -(-cumulative[-1] * quarters // 4)  # rounded up
            if share == cumulative[-1]:
                continue
            cut = places[bisect_left(cumulative, share)]
            left: dict[int, int] = {}
            right: dict[int, int] = {}
            for cell in order:
                to_left = min(region.rows[cell], share)
                share -= to_left
                if to_left:
                    left[cell] = to_left
                if region.rows[cell] > to_left:
                    right[cell] = region.rows[cell] - to_left
            yield [
                Class(left, _with(region.box, index, (first, cut))),
                Class(right, _with(region.box, index, (cut, last))),
            ]


def mondrian(
    cells: Sequence[Cell],
    attributes: Sequence[Attribute],
    allowable: Allowable,
    *,
    cut: Cut = "median-both",
    turns: Sequence[int] = (),
    count: Count = "rows",
    empty_allowed: bool = True,
) -> Result:
    """Cut regions until no candidate is allowable; `allowable` sees sides with rows of the table.

    A side without rows of the table is allowable if `empty_allowed`. With `turns`, one a cell,
    partitioning is relaxed: it takes `median-both` as `median`, has no cut `any`, and cannot have a
    population.
    """
    relaxed = bool(turns)
    if relaxed and (cut == "any" or count != "rows" or any(c.population_count for c in cells)):
        raise ValueError("relaxed partitioning has no cut 'any' and no population")
    ranges = [label_ranges(attribute) for attribute in attributes]
    run = _Mondrian(cells, attributes, ranges, allowable, cut, relaxed, turns, count, empty_allowed)

    def node(made_in: int, parent: Class | None, region: Class, index: int | None) -> Node:
        population = sum(cells[cell].population_count for cell in region.rows)
        parent_box = parent.box if parent else None
        return Node(made_in, parent_box, region.box, index, region.size, population)

    root = Class(everything(cells), tuple((0, len(a.positions) - 1) for a in attributes))
    tree = [node(0, None, root, None)]
    closed: list[Class] = []
    regions, this_round = [root], 0
    while regions:
        this_round += 1
        made: list[Class] = []
        for region in regions:
            found = run.first_allowable(region)
            if found is None:
                closed.append(region)
                continue
            index, sides = found
            made += sides
            tree += [node(this_round, region, side, index) for side in sides]
        regions = made
    return Result([region for region in closed if region.size], closed, tree)


# --- dimension splitting


def dimension_splitting(
    cells: Sequence[Cell],
    attributes: Sequence[Attribute],
    measure: Measure,
    *,
    empty_allowed: bool = True,
) -> SplittingResult:
    """Cut whole attributes, the widest interval first, as long as a recoding holds.

    `measure` sees the parts that the cut makes, as far as they have rows of the table: those whose
    interval of the attribute that is cut is one of the sides. A cut that makes a part without any
    is none unless `empty_allowed`.
    """
    ranges = [label_ranges(attribute) for attribute in attributes]
    intervals: list[list[Interval]] = [[(0, len(a.positions) - 1)] for a in attributes]
    closed: set[tuple[int, Interval]] = set()
    counts: list[Counter[int]] = [Counter() for _ in attributes]
    for cell in cells:
        for index, place in enumerate(cell.places):
            if cell.row_count:
                counts[index][place] += cell.row_count
    settled = {  # places with rows of the table or of the population
        (index, place)
        for cell in cells
        if cell.row_count or cell.population_count
        for index, place in enumerate(cell.places)
    }

    def present(index: int, interval: Interval) -> list[int]:
        return sorted(p for p in counts[index] if interval[0] <= p <= interval[1])

    def width(index: int, interval: Interval) -> float:
        places, attribute = present(index, interval), attributes[index]
        if attribute.kind in ("numeric", "date"):
            return share_of_positions(attribute, places[0], places[-1]) * attribute.weight
        return (1 - 1 / len(places)) * attribute.weight

    def candidates(index: int, interval: Interval) -> Iterator[list[Interval]]:
        places = present(index, interval)
        if attributes[index].kind == "categorical":
            level = lowest_common_level(ranges[index], places[0], places[-1])
            within = range(interval[0], interval[1] + 1)
            yield sorted({ranges[index][level - 1][p] for p in within if (index, p) in settled})
        else:
            cumulative = list(accumulate(counts[index][place] for place in places))
            for cut in cuts_above(cumulative, "quantiles"):
                yield [(interval[0], places[cut]), (places[cut] + 1, interval[1])]

    def unevenness(index: int, sides: list[Interval]) -> int:
        sizes = [sum(counts[index][place] for place in present(index, side)) for side in sides]
        return max(sizes) - min(sizes)

    def replaced(index: int, interval: Interval, sides: list[Interval]) -> list[list[Interval]]:
        kept = [other for other in intervals[index] if other != interval]
        return [*intervals[:index], sorted(kept + sides), *intervals[index + 1 :]]

    while True:
        opened = [
            (-width(index, interval), index, interval)
            for index in range(len(attributes))
            for interval in intervals[index]
            if (index, interval) not in closed and len(present(index, interval)) > 1
        ]
        if not opened:
            break
        _, index, interval = min(opened)
        held: list[tuple[float, int, int, list[list[Interval]]]] = []
        for order, sides in enumerate(candidates(index, interval)):
            recoding = replaced(index, interval, sides)
            made = [r for r in _recoded(cells, recoding) if r.box[index] in sides]
            parts: list[Part] = [region.rows for region in made if region.size]
            if len(parts) < len(made) and not empty_allowed:
                continue
            holds, score = measure(parts)
            if holds:
                held.append((-score, unevenness(index, sides), order, recoding))
        if held:
            intervals = min(held)[-1]
        else:
            closed.add((index, interval))
    regions = _recoded(cells, intervals)
    return SplittingResult(intervals, [region for region in regions if region.size], regions)


def _recoded(cells: Sequence[Cell], intervals: Sequence[Sequence[Interval]]) -> list[Class]:
    """The cells by their intervals."""
    interval_of = [{p: i for i in own for p in range(i[0], i[1] + 1)} for own in intervals]
    parts: dict[Box, dict[int, int]] = {}
    for cell, rows in everything(cells).items():
        box = tuple(at[p] for at, p in zip(interval_of, cells[cell].places, strict=True))
        parts.setdefault(box, {})[cell] = rows
    return [Class(rows, box) for box, rows in sorted(parts.items())]


# --- shared


def everything(cells: Sequence[Cell]) -> dict[int, int]:
    """The whole table as a part."""
    return {
        index: cell.row_count
        for index, cell in enumerate(cells)
        if cell.row_count or cell.population_count
    }


def _with(box: Box, index: int, interval: Interval) -> Box:
    return (*box[:index], interval, *box[index + 1 :])


def k_anonymous(k: int) -> Allowable:
    """At least k rows."""
    return lambda part: sum(part.values()) >= k
