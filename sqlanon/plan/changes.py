"""What a plan publishes in place of the values of a column: one value a class, or coded values."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, Self, get_args

from pydantic import Field, PlainValidator, model_validator

from sqlanon.boundary.part import Part
from sqlanon.hierarchies.grid import Grid, grid_of
from sqlanon.plan.column_types import TEXT

Aggregate = Literal["mean", "median", "mode", "sum", "interval", "set"]
Period = Literal["month", "quarter", "year"]
Computed = Literal["number", "date", "value"]
"""How values are read: as exact numbers, as days or times, or as they are."""

_DECIMALS = 2
"""Digits after the decimal point, if the plan does not say how many."""

_NOT_COMPUTED = ("mode", "set", "interval")
"""The aggregates that are values, or text with values or lines of a grid."""

_WHOLE_NUMBERS = frozenset(
    {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"}
)
_NUMBERS = frozenset({*_WHOLE_NUMBERS, "DOUBLE", "FLOAT"})
_DAYS = frozenset({"DATE", "TIMESTAMP"})
_READ_DIGITS = 9
"""Digits after the decimal point with which numbers are read that need not be whole."""

_READ_WHOLE = 15
"""Digits before the decimal point that they may have."""


def _number(value: Any) -> Decimal | None:
    """The number that a plan gives, exactly as it is written; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str):
        return None
    try:
        number = Decimal(str(value))
    except ArithmeticError:
        return None
    if not number.is_finite() or abs(number) >= 10**_READ_WHOLE or _digits(number) > 6:
        return None
    return number


def _digits(number: Decimal) -> int:
    """The digits after the decimal point, without zeros at the end."""
    exponent = number.normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _end(value: Any) -> Decimal | str:
    if value == "auto":
        return "auto"
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", value):
        return datetime.date.fromisoformat(value).isoformat()
    number = _number(value)
    if number is None:
        raise ValueError(
            "this is no end of values; write auto, a date such as 1930-01-01, or a number of at"
            f" most {_READ_WHOLE} digits, and 6 after the decimal point"
        )
    return number


def _rounded_to(value: Any) -> Decimal | str:
    if value in get_args(Period):
        return str(value)
    number = _number(value)
    if number is None or number <= 0:
        raise ValueError(
            "nothing can be rounded to this; write month, quarter, year, or a number above 0 of at"
            f" most {_READ_WHOLE} digits, and 6 after the decimal point"
        )
    return number


End = Annotated[
    Decimal | str, PlainValidator(_end, json_schema_input_type=float | Literal["auto"] | str)
]
"""Where values are coded: at a number, at a day, or where k persons are."""

Multiple = Annotated[
    Decimal | str, PlainValidator(_rounded_to, json_schema_input_type=float | Period)
]
"""What values become multiples of, or the period on whose first day they are published."""


class Change(Part):
    """What is published in place of the values of a column.

    Either one value for all rows of a class, or values that are coded at the ends or rounded.
    """

    aggregate: Aggregate | None = Field(
        None,
        description="one value a class: mean, median (of two the lower), mode (of equally frequent"
        " values the least), sum, interval (with `round`, to which its ends are rounded outward) or"
        " set; missing unless k rows of the class, or k persons, have a value",
    )
    decimals: Annotated[int, Field(ge=0, le=6)] | None = Field(
        None,
        description="digits after the decimal point of published numbers; when not given, 2, or"
        " those of `round`",
    )
    top: End | None = Field(
        None,
        description="values above it become it; auto: the highest value that k published rows, or"
        " persons, reach",
    )
    bottom: End | None = Field(
        None, description="values below it become it; auto: as for `top`, from below"
    )
    round: Multiple | None = Field(
        None,
        description="numbers are rounded to multiples of it, half away from zero; dates become the"
        " first day of their month, quarter or year; an interval ends at them",
    )

    def __init__(self, aggregate: Aggregate | None = None, **keys: Any) -> None:
        self._set_keys(aggregate=aggregate, **keys)

    @property
    def ends(self) -> dict[Literal["top", "bottom"], Decimal | str]:
        """The ends that it codes, in the order of the plan's keys."""
        ends: dict[Literal["top", "bottom"], Decimal | str | None]
        ends = {"top": self.top, "bottom": self.bottom}
        return {side: end for side, end in ends.items() if end is not None}

    @property
    def is_of_days(self) -> bool:
        """Whether the plan itself shows that the values are dates."""
        days = [end for end in self.ends.values() if isinstance(end, str) and end != "auto"]
        return bool(days) or isinstance(self.round, str)

    @property
    def _numbers(self) -> list[Decimal]:
        given = [*self.ends.values(), self.round]
        return [number for number in given if isinstance(number, Decimal)]

    @property
    def has_numbers(self) -> bool:
        """Whether the plan itself shows that the values are numbers."""
        return bool(self._numbers) or self.decimals is not None

    @property
    def places(self) -> int:
        """Digits after the decimal point of published numbers."""
        if self.decimals is not None:
            return self.decimals
        if isinstance(self.round, Decimal):
            return max(map(_digits, self._numbers))
        return max([_DECIMALS, *map(_digits, self._numbers)])

    @model_validator(mode="after")
    def _fits(self) -> Self:
        for fault in self._faults():
            raise ValueError(fault)
        return self

    def _faults(self) -> Iterator[str]:
        is_interval = self.aggregate == "interval"
        is_coded = bool(self.ends) or (self.round is not None and not is_interval)
        if self.aggregate is None and not is_coded:
            yield (
                "nothing is said of the values; write mean, median, mode, sum, interval or set, or"
                " give `top`, `bottom` or `round`"
            )
        if is_interval and self.round is None:
            yield (
                "the ends of an interval would be values of single persons; give `round`, to"
                " multiples of which, or to whose first days, they are rounded outward"
            )
        if self.aggregate is not None and is_coded:
            yield (
                "one value a class is neither coded nor rounded to multiples; leave out"
                " `aggregate`, or the others"
            )
        if self.decimals is not None and (self.is_of_days or self.aggregate in _NOT_COMPUTED):
            yield "only numbers that are computed have `decimals`; leave it out"
        if self.is_of_days and self._numbers:
            yield "numbers and dates are mixed; the values of a column are one or the other"
        given = [end for end in self.ends.values() if end != "auto"]
        if len(given) == 2 and not (self.is_of_days and self._numbers):
            top, bottom = given
            if top < bottom:  # type: ignore[operator]  # both are numbers, or both are days
                yield "`top` is below `bottom`; exchange them"
        if any(_digits(number) > self.places for number in self._numbers):
            yield (
                f"numbers are published with {self.places} digits after the decimal point, and"
                " `top`, `bottom` or `round` has more; give more `decimals`, up to 6"
            )
        if isinstance(self.round, Decimal):
            multiples = [end for end in self._numbers if end % self.round]
            if multiples:
                yield "`top` and `bottom` must be multiples of `round`, as every published value is"
        if isinstance(self.round, str):
            months = {"month": range(1, 13), "quarter": (1, 4, 7, 10), "year": (1,)}[self.round]
            days = [end for end in self.ends.values() if isinstance(end, str) and end != "auto"]
            if any(not end.endswith("-01") or int(end[5:7]) not in months for end in days):
                yield (
                    f"`top` and `bottom` must be first days of a {self.round}, as every published"
                    " value is"
                )


def _units(number: Decimal | str | None, digits: int) -> int:
    """A number in units of the last of so many digits after the decimal point."""
    return int(number.scaleb(digits)) if isinstance(number, Decimal) else 0


class ChangedColumn(NamedTuple):
    """A column of which other values are published: what SQL needs to know of it.

    Attributes:
        name: of the column.
        change: what the plan says.
        kind: the type of its values as they are read.
        is_label: whether it is a quasi-identifier, whose label is replaced.
    """

    name: str
    change: Change
    kind: str
    is_label: bool

    @property
    def computed(self) -> Computed:
        """How its values are read."""
        if self.change.aggregate in ("mode", "set"):
            return "value"
        return "date" if self.change.is_of_days or self.kind in _DAYS else "number"

    @property
    def digits(self) -> int:
        """Digits after the decimal point with which its numbers are read."""
        return 0 if self.kind in _WHOLE_NUMBERS else _READ_DIGITS

    @property
    def raised(self) -> int:
        """What numbers are multiplied with, so that `round` is a whole number of their units."""
        return int(10 ** max(0, self.change.places - self.digits))

    @property
    def multiple(self) -> int:
        """`round` in units of these numbers."""
        return _units(self.change.round, max(self.digits, self.change.places))

    @property
    def multiple_units(self) -> int:
        """`round` in units of the last digit that is published."""
        return _units(self.change.round, self.change.places)

    @property
    def grid(self) -> Grid | None:
        """Where its intervals end; None if it has none."""
        return grid_of(self.change.round) if self.change.aggregate == "interval" else None

    @property
    def has_squares(self) -> bool:
        """Whether what is published of its numbers is a number, from which they deviate."""
        return self.computed == "number" and self.grid is None

    @property
    def published_type(self) -> str:
        """The type of what is published."""
        if self.change.aggregate in ("interval", "set"):
            return TEXT
        return f"DECIMAL(38,{self.change.places})" if self.computed == "number" else self._day_type

    @property
    def _day_type(self) -> str:
        """The type of its days; if they are none, of its values."""
        return "DATE" if self.computed == "date" and self.kind == TEXT else self.kind

    @property
    def read_type(self) -> str:
        """The SQL type as which its values are read; empty for values as they are."""
        if self.computed == "number":
            digits = self.digits
            return f"decimal({_READ_WHOLE + digits}, {digits})" if digits else "hugeint"
        return self._day_type.lower() if self.computed == "date" else ""

    @property
    def fault(self) -> str:
        """Why values of its type cannot be changed so; empty if they can."""
        change = self.change
        is_numeric = self.kind in _NUMBERS or self.kind.startswith("DECIMAL")
        if self.computed == "value":
            return ""
        if self.kind in _DAYS and change.aggregate in ("mean", "sum"):
            return f"dates have no {change.aggregate}; write median or mode"
        if self.kind in _DAYS and change.has_numbers:
            return "its values are dates, and the plan gives numbers"
        if is_numeric and change.is_of_days:
            return "its values are numbers, and the plan gives dates"
        if not is_numeric and self.kind not in (TEXT, *_DAYS):
            return f"values of the type {self.kind} are neither numbers nor dates"
        return ""

    @property
    def is_open(self) -> bool:
        """Whether only its values show whether all of them can be changed so."""
        is_read = self.computed == "value" or self.kind in (*_WHOLE_NUMBERS, *_DAYS)
        ends, of_periods = self.change.ends.values(), isinstance(self.change.round, str)
        return not is_read or "auto" in ends or self.grid is not None or of_periods

    @property
    def words(self) -> str:
        """What is published, in words."""
        change = self.change
        digits = f", {self.grid.description}" if self.grid else ""
        if self.has_squares:
            digits = f", {change.places} decimal{'' if change.places == 1 else 's'}"
        if change.aggregate is not None:
            return f"the {change.aggregate} of the class{digits}"
        ends = {"top": "most", "bottom": "least"}
        parts = [
            f"at {ends[side]} {'the value that k reach' if end == 'auto' else end}"
            for side, end in change.ends.items()
        ]
        if isinstance(change.round, Decimal):
            parts.append(f"rounded to multiples of {change.round:f}")
        elif change.round is not None:
            parts.append(f"the first day of the {change.round}")
        return ", ".join(parts) + (digits if change.round is None else "")
