"""Grids: the lines at which ranges of numbers and dates end, whatever values a table has."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal, NamedTuple, get_args

GridPeriod = Literal["month", "quarter", "year", "decade", "century"]
"""Periods of the calendar whose beginnings are the lines of a grid of dates."""

_MONTHS = dict(zip(get_args(GridPeriod), (1, 3, 12, 120, 1200), strict=True))


class Grid(NamedTuple):
    """Lines at equal distances: of numbers, or of the beginnings of periods.

    Attributes:
        width: distance of the lines.
        start: a number where a line is.
        period: the period that begins at a line, if it is a grid of dates; its width is in months.
    """

    width: Decimal
    start: Decimal = Decimal(0)
    period: str = ""

    @property
    def decimals(self) -> int:
        """Digits after the decimal point that its lines need."""
        return max(0, *(-int(n.as_tuple().exponent) for n in (self.width, self.start)))

    @property
    def text(self) -> str:
        """The grid as a solution file has it, such as `5000`, `10 from 18` or `month`."""
        if self.period:
            return self.period
        return f"{self.width}" + (f" from {self.start}" if self.start else "")

    @property
    def description(self) -> str:
        """The grid in words."""
        return f"by {self.period}" if self.period else f"in steps of {self.text}"


def number_grid(width: Decimal, start: Decimal = Decimal(0)) -> Grid:
    """A grid of numbers, in the one form that its text has."""
    width, start = (Decimal(f"{number.normalize():f}") for number in (width, start % width))
    return Grid(width, start)


def grid_of(key: Any) -> Grid:
    """The grid that a plan or a solution file states: a width, or a period."""
    if key in _MONTHS:
        return Grid(Decimal(_MONTHS[key]), period=str(key))
    width, _, start = str(key).partition(" from ")
    try:
        found = number_grid(Decimal(width), Decimal(start or 0))
    except (ArithmeticError, ValueError):
        raise ValueError(f"'{key}' is no grid") from None
    if not ((found.width + found.start).is_finite() and found.width > 0):
        raise ValueError(f"'{key}' is no grid")
    return found


PERIOD_GRIDS = tuple(map(grid_of, _MONTHS))
"""All grids of dates, from fine to coarse."""
