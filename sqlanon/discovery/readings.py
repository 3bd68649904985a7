"""How the texts of a table are written: formats of dates and numbers, and what means missing.

What the first rows could be is tried on all rows. A way of reading is proposed only if every value
fits it, or is a code for a missing value; otherwise the texts stay texts, with a note.
"""

from __future__ import annotations

import datetime
import functools
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlanon.discovery.statistics import DATES, batches, is_number
from sqlanon.discovery.vocabulary import MISSING_IN_TEXTS, MISSING_TEXTS, UNITS, without_marks
from sqlanon.errors import PlanError
from sqlanon.plan.column_types import TEXT, type_name
from sqlanon.plan.plan import Plan
from sqlanon.plan.readings import NumberFormat, Reading
from sqlanon.source.reading import lenient, text_as_read
from sqlanon.sql.render import question
from sqlanon.sql.step import Search, Step

MOST_COLUMNS = 2_000
"""Columns of a table: a plan of more, with the reasons of all, is longer than a plan may be."""

_FIRST_ROWS = 20_000
_MOST_VALUES = 300

_MISSING_NUMBERS = frozenset(
    [*range(-9, 0), *(-11 * n for n in range(1, 10)), -97, -98, *(-111 * n for n in range(1, 10)),
     -9999, 7, 8, 9, 66, 77, 88, 97, 98, 99, 777, 888, 997, 998, 999, 9997, 9998, 9999, 99999,
     999999]
)  # fmt: skip
"""Numbers that often stand for a missing one."""

_FEWEST_CODES = 2
_CODE_SHARE = 0.002
_SMALLEST_GAP = 3
"""Of a positive code for missing: rows, share of rows, and the distance to all other values."""

_LARGE_CODE = 90
"""A code below it is one only where another column has it, too."""

_LIKELY = 0.9
"""Share of different texts that must fit a way in which it is worth to try it on all rows."""

_LATEST_YEAR = 2040
"""Years after it show that two digits can be of the century before."""

_ORDERS = "%d-%m-%Y", "%m-%d-%Y", "%Y-%m-%d", "%d-%m-%y", "%m-%d-%y"
_DAYS = (
    *(order.replace("-", mark) for mark in ("-", ".", "/") for order in _ORDERS),
    "%d-%b-%Y", "%d-%b-%y", "%d %b %Y", "%b %d, %Y",
)  # fmt: skip
_TIMES = "", " %H:%M", " %H:%M:%S", " %I:%M %p"

_MARKS = (
    (".", None), (",", None), (",", "."), (",", " "), (".", ","), (".", " "), (".", "'"),
)  # fmt: skip
"""Decimal points and separators of thousands, the ones with least to assume first."""

_PLAIN = re.compile(r"[+-]?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?")
_ISO = re.compile(r"\d{4}-\d\d?-\d\d?\b")
_PADDED = re.compile(r"0[0-9]")
_IN_THREES = re.compile(r"[+-]?[1-9][0-9]{0,2}([.,][0-9]{3})+")


@dataclass(frozen=True)
class Written:
    """How a table is written.

    Attributes:
        readings: how texts are to be read, by column.
        notes: what should be looked at, in sentences.
    """

    readings: Mapping[str, Reading] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass
class _Column:
    """A column, the ways in which it could be read, and how many rows fit each."""

    name: str
    text: str
    texts: Sequence[str]
    codes: Sequence[str]
    ways: list[Reading]
    present: int = 0
    rows: Mapping[str, int] = field(default_factory=dict)
    lowest: float | None = None
    highest: float | None = None
    fitting: list[tuple[int, int, int]] = field(default_factory=list)

    @property
    def whole(self) -> list[Reading]:
        """The ways that all values fit."""
        counted = zip(self.ways, self.fitting, strict=True)
        return [way for way, (rows, *_) in counted if rows == self.present]

    @property
    def inputs(self) -> dict[str, Any]:
        """What the template of the count needs."""
        values = [{"value": lenient(way, self.name), "date": bool(way.date)} for way in self.ways]
        numbers = [one["value"] for one in values if not one["date"]]
        number = numbers[0] if numbers else f"try_cast({self.text} as double)"
        return {"text": self.text, "codes": self.codes, "number": number, "ways": values}


def written(plan: Plan) -> Search[Written]:
    """Ask how the texts of a source are written; its view `source` has been made.

    Raises:
        PlanError: the source has too many columns.
    """
    described = yield Step("source_types", "select *\nfrom sqlanon.source", "columns")
    if len(described) > MOST_COLUMNS:
        raise PlanError(
            f"The source has {len(described):,} columns; a plan is proposed for {MOST_COLUMNS:,}.",
            where="source",
            fix="give the source as a query that selects those that readers need",
        )
    types = {name: type_name(kind) for name, kind in described}
    asked = {n: k == TEXT for n, k in types.items() if k in {TEXT, *DATES} or is_number(k)}
    if not asked:
        return Written()
    known = [*sorted(MISSING_TEXTS), *map(str, sorted(_MISSING_NUMBERS))]
    rows = yield question(
        "discovery/written_texts",
        columns=[{"name": name, "text": is_text} for name, is_text in asked.items()],
        first_rows=_FIRST_ROWS,
        codes=[known[place : place + 6] for place in range(0, len(known), 6)],
        most_values=_MOST_VALUES,
    )
    found = {place: rest for place, *rest in rows}
    columns, mixed = [], []
    for place, (name, is_text) in enumerate(asked.items(), start=1):
        texts, codes = found.get(place, ((), ()))
        ways, codes = _ways(texts) if is_text else [], _possible(codes or (), texts)
        if is_text and not ways and _are_dates(texts):
            mixed.append(f"The dates of '{name}' are written in several ways, so it is text.")
        elif is_text and not ways and _have_two_points(texts):
            mixed.append(f"Numbers of '{name}' have '.' or ',' as decimal point, so it is text.")
        if ways or codes:
            text = text_as_read(name, TEXT if is_text else "")
            columns.append(_Column(name, text, texts, [*codes, *_marks(ways, texts)], ways))
    for some in batches(columns):
        yield from _fitted(some)
    chosen = _chosen(columns)
    return replace(chosen, notes=(*chosen.notes, *mixed))


def _are_dates(texts: Sequence[str]) -> bool:
    """Whether all texts are dates of some order, and not all of the one that DuckDB reads."""
    values = [text for text in texts if without_marks(text) not in MISSING_TEXTS]
    return not all(map(_ISO.match, values)) and all(
        any(_pattern(_date(day + time)).fullmatch(value) for day in _DAYS for time in _TIMES)
        for value in values
    )


def _have_two_points(texts: Sequence[str]) -> bool:
    """Whether all texts are numbers, some with a comma as the decimal point, and others not."""
    values = [text for text in texts if without_marks(text) not in MISSING_TEXTS]
    ways = [Reading(number=NumberFormat(decimal=mark, thousands=other)) for mark, other in _MARKS]
    are_mixed = any("," in value for value in values) and any("." in value for value in values)
    return are_mixed and all(any(_pattern(way).fullmatch(v) for way in ways) for v in values)


def _marks(ways: Sequence[Reading], texts: Sequence[str]) -> list[str]:
    """The few texts of a column of numbers that are none, such as ABS: what a mark can be.

    Only abbreviations in capitals: codes are written into the plan, where no name may be.
    """
    if not ways or ways[0].number is None:
        return []
    texts = [text for text in texts if without_marks(text) not in MISSING_TEXTS]
    others = [text for text in texts if not any(_pattern(way).fullmatch(text) for way in ways)]
    are_marks = all(text.isupper() and text.isalpha() and len(text) <= 5 for text in others)
    return others if are_marks and len(others) <= _MOST_MARKS else []


_MOST_MARKS = 5
"""Different marks among numbers up to which each stands for a missing one, if it repeats."""


def _possible(codes: Sequence[str], texts: Sequence[str]) -> list[str]:
    """The codes that could be far from all other values, as they are from these."""
    numbers = [float(text) for text in texts if _PLAIN.fullmatch(text) and text not in codes]
    return [
        code for code in codes
        if without_marks(code) in MISSING_TEXTS or not numbers
        or _is_apart(float(code), min(numbers), max(numbers))
    ]  # fmt: skip


def _fitted(columns: Sequence[_Column]) -> Search[None]:
    """Ask in how many rows the texts of columns fit each way, and have each code."""
    inputs = [column.inputs for column in columns]
    ((*counts,),) = yield question("discovery/fitting_texts", columns=inputs)
    values = iter(counts)
    for column in columns:
        column.present, codes, column.lowest, column.highest = itertools.islice(values, 4)
        column.rows = codes or {}
        others = {code: rows for code, rows in column.rows.items() if _is_mark(code)}
        count = sum(others.values())
        if count > (1 - _LIKELY) * (column.present + count) or 1 in others.values():
            column.present += count
            column.rows = {code: n for code, n in column.rows.items() if code not in others}
        column.fitting = [tuple(itertools.islice(values, 3)) for _ in column.ways]


def _is_mark(code: str) -> bool:
    return without_marks(code) not in MISSING_TEXTS and not _PLAIN.fullmatch(code)


def _ways(texts: Sequence[str]) -> list[Reading]:
    """The ways in which most of these texts could be read."""
    values = [text for text in texts if without_marks(text) not in MISSING_TEXTS]
    if not values:
        return []
    if _fits(_PLAIN, values):
        return [_date("%Y%m%d")] if _fits(_pattern(_date("%Y%m%d")), values) else _thousands(values)
    dates = [_date(day + time) for day in _DAYS for time in _TIMES]
    ways = [way for way in dates if _fits(_pattern(way), values)]
    ways = [way for way in ways if not (way.date or "").startswith("%Y-%m-%d")]  # DuckDB reads them
    return ways or [way for way in _numbers(values) if _fits(_pattern(way), values)]


def _thousands(values: Sequence[str]) -> list[Reading]:
    """Plain numbers of which all dots could be between thousands."""
    dotted = [value for value in values if "." in value]
    if dotted and all(map(_IN_THREES.fullmatch, dotted)):
        return [Reading(number=NumberFormat(decimal=",", thousands="."))]
    return [] if all(map(_PLAIN.fullmatch, values)) else [_AS_THEY_ARE]


_AS_THEY_ARE = Reading(number=NumberFormat())


def _numbers(values: Sequence[str]) -> Iterable[Reading]:
    """The ways of numbers that these texts could be, of which no one begins like a code."""
    digits = [re.sub(r"^[^0-9]*", "", value) for value in values]
    if any(map(_PADDED.match, digits)):
        return
    units = Counter(map(_unit, values))
    unit = next((u for u, count in units.most_common(1) if count >= _LIKELY * len(values)), None)
    lengths = {len(re.split("[^0-9]", each)[0]) for each in digits}
    for decimal, thousands in _MARKS:
        if thousands == " " and len(lengths) == 1 and not any(decimal in each for each in values):
            continue  # groups of digits alone, as many in each, are rather a key
        if unit or (decimal, thousands) != (".", None):
            yield Reading(number=NumberFormat(decimal=decimal, thousands=thousands, unit=unit))


def _unit(value: str) -> str | None:
    """What stands before or after a number: a sign, or a known unit; letters are of a code."""
    found = _WITH_UNIT.fullmatch(value)
    if found is None:
        return None
    before, after = found["before"], found["after"]
    unit = (before or after).strip()
    is_unit = unit in UNITS or not unit.replace(".", "").isalpha()
    return unit if unit and is_unit and not (before and after) else None


_WITH_UNIT = re.compile(
    r"(?P<before>[^0-9\s+-]{0,4}\s?)[+-]?[0-9][0-9.,' \xa0\u202f]*?(?P<after>\s?[^0-9\s+-]{0,4})"
)


def _fits(pattern: re.Pattern[str], values: Sequence[str]) -> bool:
    return sum(map(bool, map(pattern.fullmatch, values))) >= _LIKELY * len(values)


@functools.cache
def _date(written: str) -> Reading:
    return Reading(date=written)


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace(r"\x{a0}", "\xa0").replace(r"\x{202f}", "\u202f"))


def _pattern(way: Reading) -> re.Pattern[str]:
    return _compiled(way.pattern)


def _chosen(columns: Sequence[_Column]) -> Written:
    """The way to read each column, of those that all values fit."""
    readings, notes = {}, []
    sure = [column.whole[0] for column in columns if len(column.whole) == 1]
    # in how many columns each code is far from the other values
    repeated = Counter(code for one in columns for code in one.rows if _is_far(one, code))
    repeated.update(_used_codes(columns))
    for column in columns:
        way, note = _way(column, sure)
        if note:
            notes.append(note)
        codes = [code for code in column.rows if _is_missing(column, code, way, repeated)]
        if way is not None and way != _AS_THEY_ARE:
            readings[column.name] = way.model_copy(update={"missing": tuple(codes)})
        elif codes:
            readings[column.name] = Reading(missing=tuple(codes))
    return Written(readings, tuple(notes))


def _way(column: _Column, sure: Sequence[Reading]) -> tuple[Reading | None, str]:
    """The way to read a column, and what should be looked at.

    Args:
        sure: the ways of columns that can be read in one way only.
    """
    name, counted = column.name, zip(column.ways, column.fitting, strict=True)
    late = {way.date for way, (_, _, last) in counted if (last or 0) > _LATEST_YEAR}
    ways = [way for way in column.whole if way.date != "%Y%m%d" or _is_recent(column, way)]
    first_year = datetime.date.today().year - 99
    for n, way in enumerate(ways):
        if "%y" in (way.date or "") and way.date in late:
            ways[n] = way.model_copy(update={"first_year": first_year})
    if not ways:
        best = max(column.fitting, default=(0, 0, 0))
        if column.ways and _LIKELY * column.present <= best[0] < column.present:
            way = column.ways[column.fitting.index(best)]
            return None, (
                f"{column.present - best[0]:,} of {column.present:,} values of '{name}' are no"
                f" {way.what}, as the others are, so it is text. Correct them, or name what means"
                " missing under `read`."
            )
        most = sorted(zip(column.fitting, column.ways, strict=True), key=lambda one: -one[0][0])[:2]
        if len(most) > 1 and most[0][1].date and sum(n for (n, *_), _ in most) >= column.present:
            shares = [f"{n / column.present:.0%} fit {way.date}" for (n, *_), way in most]
            several = f"The dates of '{name}' are written in several ways, so it is text"
            return None, f"{several}: {' and '.join(shares)}."
        return None, ""
    if ways[0].number is not None:
        return _number_way(ways, column.texts, sure), ""
    orders = {_order(each) for each in sure if each.date and not each.date.startswith("%Y")}
    likely = [way for way in ways if _order(way) in orders]
    if len(ways) == 1 or len({*map(_order, ways)}) == 1:
        return ways[0], ""
    if likely:
        return likely[0], ""
    return ways[0], (
        f"Day and month of '{name}' cannot be distinguished; it is read as {ways[0].date}. If that"
        " is wrong, write the other order under `read`."
    )


def _order(way: Reading) -> bool:
    """Whether the day comes before the month."""
    date = way.date or ""
    return date.find("%d") < max(date.find("%m"), date.find("%b"))


def _is_recent(column: _Column, way: Reading) -> bool:
    _, first, last = column.fitting[column.ways.index(way)]
    return first >= 1870 and last <= _LATEST_YEAR


def _number_way(
    ways: Sequence[Reading], texts: Sequence[str], sure: Sequence[Reading]
) -> Reading | None:
    """The way to read numbers whose marks could be decimal points or between thousands."""
    plain = [text for text in texts if without_marks(text) not in MISSING_TEXTS]
    marked = [text for text in plain if "." in text or "," in text]
    if not marked or not all(map(_IN_THREES.search, marked)):
        return ways[0]
    decimals = {each.number.decimal for each in sure if each.number is not None}
    mark = "." if any("." in text for text in marked) else ","
    likely = [way for way in ways if way.number and way.number.thousands == mark]
    if likely and (mark not in decimals and (mark == "," or decimals)):
        return likely[0]
    return None if mark == "." and _fits(_PLAIN, plain) else ways[0]


def _used_codes(columns: Sequence[_Column]) -> Iterator[str]:
    """The texts that the table uses for missing values: among numbers, or in several columns."""
    coded = (code for one in columns for code in one.rows)
    texts = Counter(code for code in coded if without_marks(code) in MISSING_TEXTS)
    for code, count in texts.items():
        among = any(code in one.rows and one.lowest is not None for one in columns)
        if among or (count >= _SEVERAL and code.isupper()):
            yield code


_SEVERAL = 3


def _is_missing(
    column: _Column, code: str, way: Reading | None, repeated: Mapping[str, int]
) -> bool:
    """Whether a code means that a value is missing."""
    if without_marks(code) in MISSING_IN_TEXTS:
        return True
    is_date = bool(way and way.date) or _reads_itself(column)
    if without_marks(code) in MISSING_TEXTS:
        return way is not None or column.lowest is not None or is_date or repeated[code] > 0
    if _is_mark(code):
        return way is not None
    is_clear = not 0 <= float(code) < _LARGE_CODE or repeated[code] > 1
    return is_date or (_is_far(column, code) and is_clear)


def _reads_itself(column: _Column) -> bool:
    """Whether all other texts are dates that DuckDB reads."""
    others = [text for text in column.texts if text not in column.codes]
    return bool(others) and all(map(_ISO.match, others))


def _is_far(column: _Column, code: str) -> bool:
    """Whether a number is far from all other values, and frequent enough to be no error."""
    if not _PLAIN.fullmatch(code) or column.lowest is None or column.highest is None:
        return False
    number, fewest = float(code), max(_FEWEST_CODES, _CODE_SHARE * column.present)
    is_frequent = number < 0 or column.rows[code] >= fewest
    return is_frequent and _is_apart(number, column.lowest, column.highest)


def _is_apart(number: float, lowest: float, highest: float) -> bool:
    """Whether a number is negative and no other is, or as far above them as they are apart."""
    if number < 0:
        return lowest >= 0
    return number - highest >= max(highest - lowest, _SMALLEST_GAP)
