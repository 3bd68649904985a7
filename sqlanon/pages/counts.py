"""Counts for pictures: values of columns and sizes of classes, and nothing that few rows have.

A value is named only if enough published rows have it, and all that is not named is counted
together, so that no difference of two shown numbers is about few rows.
"""

from __future__ import annotations

import itertools
import math
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from sqlanon.sql.render import question, render
from sqlanon.sql.step import Search, Step

MOST_VALUES = 12
"""Values of a column that are named in a picture."""

MOST_BINS = 20
"""Ranges, beginnings of codes, or groups of a hierarchy that are named in a picture."""

MOST_DISTINCT = 100_000
"""Different texts above which a column's values are not counted: next to nothing would be named."""

_EDGES = (1, 2, 5)
"""Where ranges of class sizes begin, times powers of ten."""


class Counting(NamedTuple):
    """A column of a relation, and how its rows are counted.

    Attributes:
        relation, column: where the values are.
        rows: SQL for the number of rows.
        members: SQL for the number of those whom promises count, rows or persons.
    """

    relation: str
    column: str
    rows: str = "count(*)"
    members: str = "count(*)"


@dataclass(frozen=True)
class Bar:
    """A value and how many rows have it.

    Attributes:
        label: the value, or the range that begins with it; None for a missing value.
        source, published: rows; None where they were not counted. Of a generalized column
            `published` has the rows of the source with the value that are not suppressed.
        reconstructed: the published rows that a reader of labels takes to have the value; None of
            a column that is published as it is.
    """

    label: str | None
    source: int | None
    published: int | None
    reconstructed: float | None = None

    @property
    def after(self) -> float | None:
        """The rows with the value, as a reader of the publication has them."""
        return self.published if self.reconstructed is None else self.reconstructed


@dataclass(frozen=True)
class Counted:
    """The values of a column.

    Attributes:
        bars: those that are named.
        others: all other values together; None if there are none.
        other_values: how many these are.
        distance: of a generalized column, its part of the measure `distribution`.
    """

    bars: tuple[Bar, ...]
    others: Bar | None = None
    other_values: int = 0
    distance: float | None = None

    @property
    def in_order(self) -> Counted:
        """The same in the order of their labels, numbers in them by their size; missing last."""
        return replace(self, bars=tuple(sorted(self.bars, key=_place)))


def _place(bar: Bar) -> tuple[bool, list[tuple[float, str]]]:
    parts = _NUMBERS.split(bar.label or "")
    pairs = zip(parts[1::2], parts[2::2], strict=True)
    return bar.label is None, [(-1, parts[0]), *((float(number), text) for number, text in pairs)]


_NUMBERS = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)")


@dataclass(frozen=True)
class Sizes:
    """How many classes of which size there are.

    Attributes:
        ranges: where each begins, its classes, and their members.
        classes, members: all of them.
        smallest, largest, median: sizes of classes; the lower one of two medians.
    """

    ranges: tuple[tuple[int, int, int], ...]
    classes: int
    members: int
    smallest: int
    largest: int
    median: int


class Kind(NamedTuple):
    """How the values of a column are counted: as they are, or in bins.

    Attributes:
        how: the way; nothing if they are too many to be counted.
        width: length of a range.
        characters: of a year, a decade or a code that are counted together.
        level: the level of the hierarchy whose labels are counted.
        is_typed: whether the column's type is that of numbers.
    """

    how: Literal["values", "ranges", "years", "decades", "codes", "labels", "nothing"]
    width: float | None = None
    characters: int = 0
    level: int | None = None
    is_typed: bool = False


def edges(k: int) -> list[int]:
    """Where ranges of class sizes begin: also at k."""
    return sorted({k, *(step * 10**power for power in range(9) for step in _EDGES)})


def sizes_of(counts: Mapping[int, int], k: int) -> Sizes:
    """The sizes of classes, in ranges that begin at the edges for k.

    Args:
        counts: the number of classes of each size, by size; at least one.
    """
    sizes, begins = sorted(counts), edges(k)
    ranges = []
    for begin, group in itertools.groupby(sizes, lambda size: bisect_right(begins, size) - 1):
        within = list(group)
        members = sum(size * counts[size] for size in within)
        ranges.append((begins[begin], sum(counts[size] for size in within), members))
    classes, so_far = sum(counts.values()), itertools.accumulate(counts[size] for size in sizes)
    median = next(size for size, up_to in zip(sizes, so_far, strict=True) if 2 * up_to >= classes)
    return Sizes(
        tuple(ranges), classes, sum(members for *_, members in ranges), sizes[0], sizes[-1], median
    )


def column_kinds(
    title: str, relation: str, columns: Sequence[tuple[str, bool]]
) -> Search[dict[str, Kind]]:
    """Ask how the values of these columns are counted."""
    if not columns:
        return {}
    sql = render("pages/column_kinds.sql", title=title, relation=relation, columns=list(columns))
    rows = yield Step(title, sql, "rows")
    return {
        name: _kind(*row[1:])._replace(is_typed=is_typed)
        for (name, is_typed), row in zip(columns, rows, strict=True)
    }


def _kind(
    distinct: int,
    is_number: bool | None,
    is_date: bool | None,
    years: int,
    low: float | None,
    high: float | None,
    is_code: bool | None,
    beginnings: Sequence[int],
) -> Kind:
    if distinct <= MOST_VALUES:
        return Kind("values")
    if is_number and low is not None and high is not None:
        return Kind("ranges", _width(low, high))
    if is_date:
        return Kind("years", characters=4) if years <= MOST_BINS else Kind("decades", characters=3)
    few = [n for n, count in enumerate(beginnings, start=1) if 1 < count <= MOST_BINS]
    if is_code and few:
        return Kind("codes", characters=few[-1])
    return Kind("values" if distinct <= MOST_DISTINCT else "nothing")


def _width(low: float, high: float) -> float:
    """A round length of which about ten cover the numbers from `low` to `high`."""
    least = (high - low) / (MOST_VALUES - 2)
    if not math.isfinite(least) or least <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= least * 0.999)


def counted_values(
    attribute: str,
    published: Counting | None,
    source: Counting | None,
    kind: Kind,
    shown_from: int,
) -> Search[Counted]:
    """Ask for the values of a column, in the publication, the source, or both.

    Without a publication, the rows of the source decide what is named: for methods that publish
    all of them.
    """
    rows = yield question(
        "pages/value_counts",
        title="value_counts",
        attribute=attribute,
        published=published,
        source=source,
        width=kind.width,
        typed=kind.is_typed,
        characters=kind.characters,
        shown_from=shown_from,
        most=MOST_VALUES if kind.how == "values" else 2 * MOST_VALUES,
    )
    bars: list[Bar] = []
    others, values, persons = None, 0, None
    counting = published or source
    counts_persons = counting is not None and counting.members != counting.rows
    for value, is_shown, count, most_members, *counts in rows:
        before = int(counts.pop(0)) if source else None
        bar = Bar(
            _label(value, kind) if is_shown else None, before, counts[0] if published else None
        )
        if is_shown:
            bars.append(bar)
        else:
            others, values = bar, int(count)
            persons = int(most_members) if counts_persons else None
    return together(bars, others, values, shown_from, persons)


def reconstructed_values(
    attribute: str, kind: Kind, shown_from: int, unit: str = ""
) -> Search[Counted]:
    """Ask for the values of a generalized column before and after, in the same bins.

    Args:
        shown_from: rows of the source, or persons, that a value needs to be named.
        unit: the column of `source_combinations` with the persons, if promises count them.
    """
    rows = yield question(
        "pages/reconstructed_counts",
        attribute=attribute,
        width=kind.width,
        characters=kind.characters,
        level=kind.level,
        unit=unit,
        shown_from=shown_from,
        most=MOST_VALUES if kind.how == "values" else 2 * MOST_VALUES,
    )
    bars: list[Bar] = []
    others, values, persons = None, 0, None
    for value, is_shown, count, most_members, before, after in rows:
        label = _label(value, kind) if is_shown else None
        bar = Bar(label, int(before), None, float(after))
        if is_shown:
            bars.append(bar)
        else:
            others, values = bar, int(count)
            persons = int(most_members) if unit else None
    return together(bars, others, values, shown_from, persons)


def read_ranges(attribute: str, column: str, shown_from: int) -> Search[Counted | None]:
    """Ask what a reader reconstructs of labels that are ranges; None if they are few, or no ranges.

    Args:
        column: of `published_combinations`, with the labels.
    """
    inputs: dict[str, Any] = {"attribute": attribute, "column": column}
    ((labels, ranges, rows, is_number, low, high),) = yield question("pages/label_scale", **inputs)
    if labels <= MOST_VALUES or 2 * ranges < rows or low is None:
        return None
    width = _width(low, high)
    first, last = math.floor(low / width), math.floor(high / width)
    inputs |= {"width": width, "bins": [n * width for n in range(first, last + 1)]}
    kind = Kind("ranges" if is_number else "years", width)
    bars, named = [], 0.0
    for start, read in (yield question("pages/read_ranges", **inputs)):
        if read >= shown_from:
            bars.append(Bar(_label(start, kind), None, None, float(read)))
            named += read
    left = rows - named
    others = Bar(None, None, None, left) if left > 0.5 else None
    return Counted(tuple(bars), others, last - first + 1 - len(bars) if others else 0)


def together(
    bars: Sequence[Bar],
    others: Bar | None,
    values: int,
    shown_from: int,
    persons: int | None = None,
) -> Counted:
    """The values, where all others together are enough, too: else the rarest of the named joins.

    Otherwise the number of all rows, less what is shown, would be about few rows.
    """
    kept = list(bars)
    if others is not None and kept and persons is not None and 0 < persons < shown_from:
        shown_from = _decides(others) + 1  # one of the named joins, which enough persons have
    while others is not None and kept and _is_few(others, shown_from):
        rarest = min(kept, key=_decides)
        kept.remove(rarest)
        others, values = _added(others, rarest), values + 1
    return Counted(tuple(kept), others, values)


def _is_few(bar: Bar, shown_from: int) -> bool:
    """Whether a bar is about few rows, of the source or the publication, and not about none."""
    return any(0 < count < shown_from for count in (bar.source, bar.published) if count is not None)


def _decides(bar: Bar) -> int:
    return (bar.source or 0) if bar.published is None else bar.published


def _added(one: Bar, other: Bar) -> Bar:
    """Two bars as one without a label."""
    read = (
        None
        if one.reconstructed is None or other.reconstructed is None
        else one.reconstructed + other.reconstructed
    )
    return Bar(None, _sum(one.source, other.source), _sum(one.published, other.published), read)


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _label(value: Any, kind: Kind) -> str | None:
    if value is None:
        return None
    if kind.width is None:
        ending = {"decades": "0s", "codes": "…"}.get(kind.how, "")
        return f"{value}{ending}"
    shown = ".10g" if kind.how == "years" else ",.10g"
    return f"{value:{shown}} to {value + kind.width:{shown}}"
