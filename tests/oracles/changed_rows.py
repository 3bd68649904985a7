"""What `publish` of a column makes of rows, by its definition, in exact numbers."""

from __future__ import annotations

import datetime
import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from tests.oracles import sets

Row = Mapping[str, Any]


def rounded(number: Fraction, multiple: Fraction) -> Fraction:
    """The nearest multiple; of two the one that is farther from zero."""
    steps = math.floor(abs(number) / multiple + Fraction(1, 2))
    return (-1 if number < 0 else 1) * steps * multiple


def _exact(value: Any) -> Fraction:
    """A number as it is read: with nine digits after the decimal point."""
    return rounded(Fraction(Decimal(str(value))), Fraction(1, 10**9))


def _decimal(number: Fraction, places: int) -> Decimal:
    units = rounded(number, Fraction(1, 10**places)) * 10**places
    assert units.denominator == 1
    return Decimal(units.numerator).scaleb(-places)


def interval(values: Sequence[Any], multiple: Any) -> str:
    """From the line at or below the least value to the line above the greatest."""
    low, high = min(values), max(values)
    if isinstance(low, datetime.date):
        width = {"month": 1, "quarter": 3, "year": 12}[multiple]
        lines = [(v.year * 12 + v.month - 1) // width * width for v in (low, high)]
        months = (f"{m // 12:04}-{m % 12 + 1:02}" for m in (lines[0], lines[1] + width))
        return "[" + ", ".join(m[:4] if multiple == "year" else m for m in months) + ")"
    step = Decimal(str(multiple))
    low, high = (math.floor(_exact(v) / Fraction(step)) * step for v in (low, high))
    return f"[{low:f}, {high + step:f})"


def set_of(values: Sequence[Any], persons: Mapping[Any, set[Any]], k: int) -> str | None:
    """The values, or their number if there are more than four or too few have one of them.

    Args:
        persons: who has each published value.
    """
    there = sorted({*values})
    is_named = all(len(persons[value]) >= k for value in there)
    return sets.write([str(v) for v in there], len(persons), 4 if is_named else 0)


def aggregate(kind: str, values: Sequence[Any], places: int) -> Any:
    """One value for the values of a class, none of which is missing."""
    if kind == "mode":
        counts = Counter(values)
        return min(v for v in counts if counts[v] == max(counts.values()))
    if isinstance(values[0], datetime.date):
        assert kind == "median"
        return sorted(values)[(len(values) - 1) // 2]
    numbers = sorted(map(_exact, values))
    if kind == "median":
        return _decimal(numbers[(len(numbers) - 1) // 2], places)
    total = sum(numbers, Fraction(0))
    return _decimal(total / len(numbers) if kind == "mean" else total, places)


def _rounded(value: Any, multiple: Any, places: int) -> Any:
    if value is None:
        return None
    if isinstance(value, datetime.date):
        month = {"year": 1, "quarter": (value.month - 1) // 3 * 3 + 1, "month": value.month}
        return value if multiple is None else value.replace(month=month[multiple], day=1)
    step = Fraction(1, 10**places) if multiple is None else Fraction(Decimal(str(multiple)))
    return _decimal(rounded(_exact(value), step), places)


def _end(given: Any, values: Sequence[tuple[Any, Any]], k: int, *, is_top: bool) -> Any:
    """An end of values: as it is given, or the outermost that k of those who have one reach.

    Args:
        values: of whom, and the value.
    """
    if given == "auto":
        for end in sorted({value for _, value in values}, reverse=is_top):
            beyond = {who for who, v in values if (v >= end if is_top else v <= end)}
            if len(beyond) >= k:
                return end
        return None
    is_day = isinstance(given, str) and given.count("-") == 2
    return datetime.date.fromisoformat(given) if is_day else Decimal(str(given))


def coded(
    values: Sequence[tuple[Any, Any]], top: Any, bottom: Any, multiple: Any, places: int, k: int
) -> list[Any]:
    """The values of all published rows, rounded and then coded.

    Args:
        values: of whom, and the value.
    """
    made = [(who, _rounded(value, multiple, places)) for who, value in values]
    there = [(who, value) for who, value in made if value is not None]
    high = None if top is None else _end(top, there, k, is_top=True)
    low = None if bottom is None else _end(bottom, there, k, is_top=False)
    found = []
    for _, value in made:
        if value is not None and high is not None and value > high:
            value = high
        elif value is not None and low is not None and value < low:
            value = low
        found.append(value)
    return found


def published(
    rows: Sequence[Row],
    label: Callable[[Row], tuple[Any, ...]],
    labels: Sequence[str],
    changes: Mapping[str, Mapping[str, Any]],
    columns: Sequence[str],
    k: int,
    person: str | None = None,
) -> list[tuple[Any, ...]]:
    """The published rows, in any order.

    Args:
        label: the labels of a row, which make its class.
        labels: the columns of the labels, in order.
        changes: by column the long form of `publish`, with `decimals` wherever numbers are made.
        person: the column of persons, who are counted in place of rows.
    """
    classes: dict[tuple[Any, ...], list[tuple[int, Row]]] = defaultdict(list)
    for number, row in enumerate(rows):
        classes[label(row)].append((number, row))

    def who(number: int, row: Row) -> Any:
        return number if person is None else row[person]

    made: list[dict[str, Any]] = []
    kept: list[tuple[int, Row]] = []
    shown_classes: list[tuple[tuple[Any, ...], list[tuple[int, Row]]]] = []
    for key, members in classes.items():
        if len({who(*one) for one in members}) < k:
            continue
        kept += members
        shown_classes.append((key, members))
    persons: dict[str, dict[Any, set[Any]]] = {name: defaultdict(set) for name in changes}
    for one, (name, having) in itertools.product(kept, persons.items()):
        if one[1][name] is not None:
            having[one[1][name]].add(who(*one))
    for key, members in shown_classes:
        shown: dict[str, Any] = dict(zip(labels, key, strict=True))
        for name, change in changes.items():
            if "aggregate" not in change:
                continue
            there = [one for one in members if one[1][name] is not None]
            values = [row[name] for _, row in there]
            if len({who(*one) for one in there}) < max(2, k):
                shown[name] = None
            elif change["aggregate"] == "interval":
                shown[name] = interval(values, change["round"])
            elif change["aggregate"] == "set":
                shown[name] = set_of(values, persons[name], max(2, k))
            else:
                shown[name] = aggregate(change["aggregate"], values, change.get("decimals", 2))
        made += [{**row, **shown} for _, row in members]
    for name, change in changes.items():
        if "aggregate" in change:
            continue
        values = [(who(*one), one[1][name]) for one in kept]
        ends = change.get("top"), change.get("bottom")
        places = change.get("decimals", 2)
        coded_values = coded(values, *ends, change.get("round"), places, max(2, k))
        for row, value in zip(made, coded_values, strict=True):
            row[name] = value
    return [tuple(row[name] for name in columns) for row in made]
