"""What `publish` of a column makes of rows, by its definition, in exact numbers."""

from __future__ import annotations

import datetime
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


def aggregated(
    change: Mapping[str, Any], values: Sequence[Any], persons: Mapping[Any, set[Any]], k: int
) -> Any:
    """One value for the values of a class, none of which is missing.

    A set has the values, or their number if there are more than four or too few have one of them.

    Args:
        persons: who has each published value.
    """
    kind, places = change["aggregate"], change.get("decimals", 2)
    if kind == "interval":
        return interval(values, change["round"])
    if kind == "set":
        there = sorted({*values})
        is_named = all(len(persons[value]) >= k for value in there)
        return sets.write([str(v) for v in there], len(persons), 4 if is_named else 0)
    if kind == "mode":
        counts = Counter(values)
        return min(v for v in counts if counts[v] == max(counts.values()))
    if kind == "median" and isinstance(values[0], datetime.date):
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
            if len({who for who, v in values if (v >= end if is_top else v <= end)}) >= k:
                return end
    if given in ("auto", None):
        return None
    is_day = isinstance(given, str) and given.count("-") == 2
    return datetime.date.fromisoformat(given) if is_day else Decimal(str(given))


def coded(values: Sequence[tuple[Any, Any]], change: Mapping[str, Any], k: int) -> list[Any]:
    """The values of all published rows, rounded and then coded.

    Args:
        values: of whom, and the value.
    """
    multiple, places = change.get("round"), change.get("decimals", 2)
    made = [(who, _rounded(value, multiple, places)) for who, value in values]
    there = [(who, value) for who, value in made if value is not None]
    high = _end(change.get("top"), there, k, is_top=True)
    low = _end(change.get("bottom"), there, k, is_top=False)

    def end(value: Any) -> Any:
        if value is not None and high is not None and value > high:
            return high
        return low if value is not None and low is not None and value < low else value

    return [end(value) for _, value in made]


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
    who = [number if person is None else row[person] for number, row in enumerate(rows)]
    members: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        members[label(row)].append(number)
    classes = {key: own for key, own in members.items() if len({who[n] for n in own}) >= k}
    kept = [number for own in classes.values() for number in own]
    made: dict[int, dict[str, Any]] = {
        number: {**rows[number], **dict(zip(labels, key, strict=True))}
        for key, own in classes.items()
        for number in own
    }
    for name, change in changes.items():
        values = [row[name] for row in rows]
        if "aggregate" not in change:
            found = coded([(who[n], values[n]) for n in kept], change, max(2, k))
            for number, value in zip(kept, found, strict=True):
                made[number][name] = value
            continue
        persons: dict[Any, set[Any]] = defaultdict(set)
        for number in kept:
            if values[number] is not None:
                persons[values[number]].add(who[number])
        for own in classes.values():
            there = [n for n in own if values[n] is not None]
            is_shown = len({who[n] for n in there}) >= max(2, k)
            of_class = [values[n] for n in there]
            shown = aggregated(change, of_class, persons, max(2, k)) if is_shown else None
            for number in own:
                made[number][name] = shown
    return [tuple(row[name] for name in columns) for row in made.values()]
