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

HALF_FIRST = (2, 1, 3)  # the quarters of `quantiles`, in the order they are tried


@dataclass(frozen=True)
class Attribute:
    """A quasi-identifier; `paths`, of one in a hierarchy's order, are labels from level 0 up."""

    name: str
    kind: Literal["numeric", "date", "ordinal", "nominal", "categorical"]
    positions: tuple[float, ...]  # one per place
    paths: tuple[tuple[object, ...], ...] = ()  # one per place, places in the hierarchy's order
    weight: float = 1.0

    @property
    def whole(self) -> Interval:
        return 0, len(self.positions) - 1


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
    for labels in zip(*attribute.paths, strict=True):
        lengths = [len(list(run)) for _, run in groupby(labels)]
        ends = accumulate(lengths)
        runs = [(end - length, end - 1) for end, length in zip(ends, lengths, strict=True)]
        ranges.append([run for run in runs for _ in range(run[0], run[1] + 1)])
    if ranges and ranges[-1][0] != attribute.whole:
        ranges.append([attribute.whole] * len(attribute.paths))
    return ranges


def lowest_common_level(ranges: list[list[Interval]], first: int, last: int) -> int:
    """The level of the lowest common ancestor of two places, and so of all between them."""
    return next(level for level, at in enumerate(ranges) if at[first][1] >= last)


def share_of_positions(attribute: Attribute, first: int, last: int) -> float:
    """The distance of two places, as a share of the distance of the outermost places."""
    everything = attribute.positions[-1] - attribute.positions[0]
    distance = attribute.positions[last] - attribute.positions[first]
    return distance / everything if everything else 0.0


# --- cuts


def cuts_above(cumulative: Sequence[int], cut: Cut) -> list[int]:
    """The values, by index, above which to cut, first choice first; never the last value."""

    def quantile(quarters: int) -> int:
        """The first value with so many quarters of the rows at or below it."""
        return next(i for i, rows in enumerate(cumulative) if 4 * rows >= cumulative[-1] * quarters)

    def unevenness(index: int) -> tuple[int, int]:
        return abs(2 * cumulative[index] - cumulative[-1]), index

    median = quantile(2)
    indexes = {
        "median": [median],
        "median-both": sorted((median - 1, median), key=unevenness),
        "quantiles": [quantile(quarters) for quarters in HALF_FIRST],
        "any": sorted(range(len(cumulative)), key=unevenness),
    }[cut]
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
    digests = [
        keyed_hash(seed, title, row)
        for title, own in (("row", rows), ("beside", beside))
        for row in own
    ]
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
    return [turn for _, turn in sorted((row, turn) for turn, row in enumerate(order))]


# --- Mondrian


def mondrian(
    cells: Sequence[Cell],
    attributes: Sequence[Attribute],
    allowable: Allowable,
    *,
    cut: Cut = "median-both",
    turns: Sequence[int] = (),
    count: Literal["rows", "population"] = "rows",
    empty_allowed: bool = True,
) -> Result:
    """Cut regions until no candidate is allowable; `allowable` sees sides with rows of the table.

    A side without rows of the table is allowable if `empty_allowed`. With `turns`, one a cell,
    partitioning is relaxed: it takes `median-both` as `median`, has no cut `any`, and cannot have a
    population.
    """
    ranges = [label_ranges(attribute) for attribute in attributes]

    def width(index: int, first: int, last: int) -> float:
        attribute, own = attributes[index], ranges[index]
        if attribute.kind == "categorical":
            lowest, highest = own[lowest_common_level(own, first, last)][first]
            return (highest - lowest + 1) / len(attribute.paths) * attribute.weight
        return share_of_positions(attribute, first, last) * attribute.weight

    def by_width(region: Class) -> list[tuple[int, dict[int, int]]]:
        """The attributes with two or more values, widest first, with counted rows per place."""
        found: list[tuple[float, int, dict[int, int]]] = []
        for index in range(len(attributes)):
            counts = Counter[int]()
            for cell, rows in region.rows.items():
                counted = rows if count == "rows" else cells[cell].population_count
                counts[cells[cell].places[index]] += counted
            present = {place: n for place, n in sorted(counts.items()) if n}
            if len(present) > 1:
                found.append((-width(index, min(present), max(present)), index, present))
        return [(index, counts) for _, index, counts in sorted(found, key=lambda one: one[:2])]

    def candidates(region: Class, index: int, counts: dict[int, int]) -> Iterator[list[Class]]:
        """The sides of every candidate for an attribute; `counts` has two or more places."""
        first, last = region.box[index]
        places, cumulative = list(counts), list(accumulate(counts.values()))
        if attributes[index].kind == "categorical":
            level = lowest_common_level(ranges[index], places[0], places[-1])
            yield children(region, index, ranges[index][level - 1])
        elif turns:
            for quarters in HALF_FIRST if cut == "quantiles" else HALF_FIRST[:1]:
                share = -(-cumulative[-1] * quarters // 4)  # rounded up
                if share < cumulative[-1]:
                    yield dealt(region, index, share, places[bisect_left(cumulative, share)])
        else:
            for cut_at in (places[each] for each in cuts_above(cumulative, cut)):
                left, right = (first, cut_at), (cut_at + 1, last)
                sides = [left if place <= cut_at else right for place in range(last + 1)]
                yield children(region, index, sides)

    def children(region: Class, index: int, sides: Sequence[Interval]) -> list[Class]:
        """The sides that have rows; `sides` has each place's interval."""
        parts: dict[Interval, dict[int, int]] = {}
        for cell, rows in region.rows.items():
            parts.setdefault(sides[cells[cell].places[index]], {})[cell] = rows
        return [Class(rows, _with(region.box, index, side)) for side, rows in sorted(parts.items())]

    def dealt(region: Class, index: int, share: int, cut_at: int) -> list[Class]:
        """The two sides of a relaxed candidate: the left one has exactly its share of rows."""
        left: dict[int, int] = {}
        right: dict[int, int] = {}
        for cell in sorted(region.rows, key=lambda c: (cells[c].places[index], turns[c])):
            to_left = min(region.rows[cell], share - sum(left.values()))
            if to_left:
                left[cell] = to_left
            if region.rows[cell] > to_left:
                right[cell] = region.rows[cell] - to_left
        first, last = region.box[index]
        return [
            Class(left, _with(region.box, index, (first, cut_at))),
            Class(right, _with(region.box, index, (cut_at, last))),
        ]

    def first_allowable(region: Class) -> tuple[int | None, list[Class]]:
        """The attribute that is cut and the sides; no sides where the region is a class."""
        for index, counts in by_width(region) if region.size else ():
            for sides in candidates(region, index, counts):
                if all(allowable(s.rows) if s.size else empty_allowed for s in sides):
                    return index, sides
        return None, []

    def node(made_in: int, parent: Box | None, region: Class, index: int | None) -> Node:
        population = sum(cells[cell].population_count for cell in region.rows)
        return Node(made_in, parent, region.box, index, region.size, population)

    root = Class(everything(cells), tuple(attribute.whole for attribute in attributes))
    tree = [node(0, None, root, None)]
    closed: list[Class] = []
    regions, this_round = [root], 0
    while regions:
        this_round += 1
        made: list[Class] = []
        for region in regions:
            index, sides = first_allowable(region)
            closed += [] if sides else [region]
            made += sides
            tree += [node(this_round, region.box, side, index) for side in sides]
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
    intervals: list[list[Interval]] = [[attribute.whole] for attribute in attributes]
    closed: set[tuple[int, Interval]] = set()
    counts: list[Counter[int]] = [Counter() for _ in attributes]
    settled = set()  # places with rows of the table or of the population
    for cell in (cells[number] for number in everything(cells)):
        for index, place in enumerate(cell.places):
            counts[index][place] += cell.row_count
            settled.add((index, place))

    def present(index: int, interval: Interval) -> list[int]:
        first, last = interval
        return sorted(p for p, n in counts[index].items() if n and first <= p <= last)

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
            kept = [other for other in intervals[index] if other != interval]
            recoding = [*intervals[:index], sorted(kept + sides), *intervals[index + 1 :]]
            made = [r for r in _recoded(cells, recoding) if r.box[index] in sides]
            parts: list[Part] = [region.rows for region in made if region.size]
            if len(parts) < len(made) and not empty_allowed:
                continue
            holds, score = measure(parts)
            sizes = [sum(counts[index][place] for place in present(index, side)) for side in sides]
            if holds:
                held.append((-score, max(sizes) - min(sizes), order, recoding))
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
