"""The generalization hierarchies that fit a quasi-identifier, the proposed one first.

Rules are preferred, because they list no value. Numbers in them are rounded to one or two digits,
so that they reveal no person's value.
"""

from __future__ import annotations

import contextlib
import csv
import datetime
import functools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlanon.discovery import vocabulary as words
from sqlanon.discovery.survey import ColumnSurvey
from sqlanon.plan.column_types import TEXT
from sqlanon.plan.tables import Source
from sqlanon.source.reading import reader_options
from sqlanon.sql.paths import planned
from sqlanon.sql.render import render, shipped
from sqlanon.sql.step import split

FEW_NUMBERS = 8
"""Different whole numbers up to which each is a label, such as a number of children."""

LONGEST_MASK = 8
"""Characters of a code up to which each can be masked; more would be more levels than a search
needs."""

_SKEWED = 3.0
"""How many times farther the middle is from one end than from the other, for ranges of equal width
to be too wide here and too narrow there."""

_INTERVALS = 8
"""Intervals of the finest level, about, between the 5 % and the 95 % quantile."""

_COVERED = 60
"""Different values up to which a shipped hierarchy is proposed: all are in the sample then."""


@dataclass(frozen=True)
class ProposedHierarchy:
    """A proposed hierarchy.

    Attributes:
        rule: the value of `hierarchy` in a plan; None: the value, then `*`.
        levels: how many levels it has, with the value and `*`.
        reason: what becomes of values, for a comment.
        ranges: the same where a method cuts into ranges; None: it cuts along the hierarchy.
    """

    rule: Any
    levels: int
    reason: str
    ranges: str | None = None


VALUE_OR_STAR = ProposedHierarchy(None, 2, "the value, or '*'", "the value, or several")


def proposed_hierarchies(column: ColumnSurvey, source: Source) -> list[ProposedHierarchy]:
    """The hierarchies that fit one quasi-identifier of a source, the proposed one first."""
    found: Iterable[ProposedHierarchy] = ()
    if column.kind == "date":
        return _of_dates(column)
    if column.kind == "text":
        found = [*_of_shipped(column), *_of_codes(column, source)]
    elif column.kind == "whole" and words.says(column.name, words.POSTAL):
        found = [_masked(column.longest)]
    elif column.kind in ("whole", "decimal"):
        found = [*_of_coordinates(column), *_of_numbers(column)]
    return [*found, VALUE_OR_STAR]


def _of_dates(column: ColumnSurvey) -> list[ProposedHierarchy]:
    days = _days_between(column.values)
    # cuts by date know no time zone
    ends = None if column.has_time_zone else "ranges that end where months begin"
    short = ProposedHierarchy({"date": ["day", "week"]}, 4, "day or week")
    old, recent = (
        ProposedHierarchy({"date": periods}, 5, f"{periods[0]}, {periods[1]} or {periods[2]}", ends)
        for periods in (["month", "year", "decade"], ["month", "quarter", "year"])
    )
    if days is not None and days <= _FEW_DAYS:
        return [short, recent, old]
    is_old = words.says(column.name, words.ABOUT_TIME_OF_BIRTH) or (days or 0) > _MANY_DAYS
    return [old, recent, short] if is_old else [recent, old, short]


_FEW_DAYS, _MANY_DAYS = 150, 20 * 365
"""Days between which nearly all dates lie, up to which months would tell little of them, and from
which on decades tell something."""


def _days_between(texts: Sequence[str]) -> int | None:
    """The days between which nine of ten dates lie; None if there are too few."""
    days = []
    for text in texts:
        with contextlib.suppress(ValueError):
            days.append(datetime.date.fromisoformat(text[:10]).toordinal())
    if len(days) < _FEWEST_DAYS:
        return None
    days.sort()
    return days[-1 - len(days) // 20] - days[len(days) // 20]


_FEWEST_DAYS = 20


def _of_coordinates(column: ColumnSurvey) -> Iterator[ProposedHierarchy]:
    if column.kind == "decimal" and words.says(column.name, words.COORDINATES):
        ends = "ranges that end at multiples of 0.01 degrees"
        yield ProposedHierarchy({"round": [2, 1, 0]}, 5, "about 1 km, 10 km or 100 km", ends)


def _of_shipped(column: ColumnSurvey) -> Iterator[ProposedHierarchy]:
    """The shipped hierarchies that list all values of the column."""
    if 2 < len(column.values) == column.distinct <= _COVERED:
        own = set(column.values)
        for path, (listed, levels) in _shipped_values().items():
            if own <= listed:
                yield ProposedHierarchy(
                    path, levels, f"{path}, shipped with sqlanon, has all values"
                )


@functools.cache
def _shipped_values() -> dict[str, tuple[frozenset[str], int]]:
    """The values and the number of levels of each shipped file with more than two levels."""
    folder = shipped("hierarchies")
    found = {}
    for file in sorted(folder.rglob("*.csv")):
        with file.open(encoding="utf-8", newline="") as lines:
            header, *rows = csv.reader(lines)
        if len(header) > 2:
            path = file.relative_to(folder).as_posix()
            found[path] = (frozenset(row[0] for row in rows), len(header))
    return found


def _of_codes(column: ColumnSurvey, source: Source) -> Iterator[ProposedHierarchy]:
    """One more character hidden at every level, or of long codes the beginnings that say most."""
    is_place = column.system is not None and column.system.about == "place"
    if not (column.has_codes or is_place or words.says(column.name, words.POSTAL)):
        return
    if column.longest <= LONGEST_MASK:
        yield _masked(column.longest)
        return
    lengths = _telling_lengths(column.values)
    if not lengths or not source.is_file or column.type != TEXT:
        return
    query = render(
        "discovery/prefixes.sql",
        column=column.name, lengths=lengths, kind=source.file_format, path=source.path or "",
        one_file=not source.is_pattern, relation=[], options=reader_options(source),
    )  # fmt: skip
    yield ProposedHierarchy(
        {"query": planned(split(query)[1])},
        len(lengths) + 2,
        f"the first {', '.join(map(str, lengths))} characters, by which most codes differ",
        _SETS,
    )


def _masked(longest: int) -> ProposedHierarchy:
    reason = "one more character hidden at each level"
    return ProposedHierarchy({"mask": "right"}, longest + 1, reason, _SETS)


_SETS = "up to four values, or the beginning that they share"


def _telling_lengths(values: Sequence[str]) -> list[int]:
    """Up to two lengths of beginnings, from long to short.

    The longer one leaves about n^(2/3) of n different values, the shorter one n^(1/3).
    """
    longest = max(map(len, values))
    counts = {n: len({value[:n] for value in values}) for n in range(1, longest)}
    usable = {n: math.log(count) for n, count in counts.items() if 1 < count < len(values)}
    found = {
        min(usable, key=lambda n: abs(usable[n] - share * math.log(len(values))))
        for share in (2 / 3, 1 / 3)
        if usable
    }
    return sorted(found, reverse=True)


def _of_numbers(column: ColumnSurvey) -> list[ProposedHierarchy]:
    """Intervals of equal width; first those of about as many rows each where values are skewed."""
    numbers = column.quantiles
    if column.kind == "whole" and (column.distinct <= FEW_NUMBERS or column.is_long_code):
        return []
    low, middle, high = numbers[1], numbers[5], numbers[9]
    below, above = middle - low, high - middle
    is_writable = low == high or (high - low) / _INTERVALS >= _FINEST
    if max(map(abs, numbers)) >= _LARGEST or not is_writable:
        return []
    if not below + above:
        return [_of_quantiles(numbers)]
    both = [_of_intervals(column), _of_quantiles(numbers)]
    return both[::-1] if min(below, above) * _SKEWED < max(below, above) else both


def _of_intervals(column: ColumnSurvey) -> ProposedHierarchy:
    numbers = column.quantiles
    low, high = numbers[1], numbers[9]
    finest = _nice_below((high - low) / _INTERVALS)
    if column.kind == "whole":
        finest = max(finest, Decimal(2))
    widths = [finest, *(finest * factor for factor in _FACTORS[finest.as_tuple().digits[0]])]
    widths = [width for width in widths if width <= high - low] or [finest]
    lowest, highest = (
        _plain((Decimal(str(number)) / finest).to_integral_value(rounding) * finest)
        for number, rounding in ((numbers[0], "ROUND_FLOOR"), (numbers[10], "ROUND_CEILING"))
    )
    rule: dict[str, Any] = {"widths": list(map(_plain, widths))}
    if lowest > 0 or numbers[0] < 0:
        rule["lowest"] = lowest
    if lowest < highest:
        rule["highest"] = highest
    return ProposedHierarchy(
        {"intervals": rule},
        len(widths) + 2,
        f"intervals of {', '.join(map(str, rule['widths']))}; the ends are left open",
        f"ranges that end at multiples of {rule['widths'][0]}",
    )


_LARGEST, _FINEST = 1e14, 1e-8
"""Bounds of what a plan can name: 15 digits, and 9 after the decimal point."""

_FACTORS = {1: (5, 10), 2: (5, 10), 5: (2, 4)}
"""How many times wider the next levels are, so that 1, 5, 10; 2, 10, 20; or 5, 10, 20 nest."""


def _of_quantiles(numbers: Sequence[float]) -> ProposedHierarchy:
    """Ranges with about as many rows each: eight, four and two."""
    levels: list[list[Any]] = []
    for places in (range(2, 9), (3, 5, 7), (5,)):
        points = sorted({_plain(Decimal(f"{numbers[place]:.1e}")) for place in places})
        if not levels or points != levels[-1]:
            levels.append(points)
    counts = ", ".join(str(len(points) + 1) for points in levels)
    return ProposedHierarchy(
        {"cut_points": levels},
        len(levels) + 2,
        f"{counts} ranges with about as many rows each; cut points are rounded quantiles",
        "ranges with about as many rows each",
    )


def _nice_below(number: float) -> Decimal:
    """The largest of 1, 2 and 5 times a power of ten that is not above a number."""
    power = Decimal(1).scaleb(math.floor(math.log10(number)))
    return next((n * power for n in (5, 2) if n * power <= Decimal(str(number))), power)


def _plain(number: Decimal) -> int | Decimal:
    """A number as people write it: 20 rather than 2E+1."""
    return int(number) if number == number.to_integral_value() else Decimal(format(number, "f"))
