"""Dates and times by periods of increasing length."""

from __future__ import annotations

from typing import Any, Literal, get_args

from pydantic import Field, model_validator

from sqlanon.hierarchies.base import Hierarchy
from sqlanon.hierarchies.grid import PERIOD_GRIDS, Grid

_Period = Literal["day", "week", "month", "quarter", "year", "decade", "century"]
_PERIODS = get_args(_Period)
_EXAMPLES = ("1984-05-17", "1984-W20", "1984-05", "1984-Q2", "1984", "1980s", "1900-1999")


class Dates(Hierarchy):
    """Dates and times by increasing periods: day, week, month, quarter, year, decade, century.

    In Python `Dates("month", "year")`.
    """

    template = "hierarchies/date.sql"
    rule = "hierarchies/_date.sql"
    exact_type = "timestamp"
    key = "date"
    cut_kind = "date"
    date: tuple[_Period, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _nested(self) -> Dates:
        places = [_PERIODS.index(period) for period in self.date]
        if places != sorted(set(places)):
            raise ValueError(f"the periods do not increase; keep the order {', '.join(_PERIODS)}")
        if "week" in self.date and self.date[-1] != "week":
            raise ValueError(
                "a week can span two months or years, so no longer period can follow it; leave out"
                " the week or what follows it"
            )
        return self

    def __init__(self, *periods: _Period) -> None:
        self._set_keys(date=periods)

    @property
    def inputs(self) -> dict[str, Any]:
        return {"periods": self.date}

    @property
    def grids(self) -> tuple[Grid, ...]:
        return tuple(grid for grid in PERIOD_GRIDS if grid.period in self.date)

    def label_examples(self, level: int) -> list[str]:
        return [_EXAMPLES[_PERIODS.index(self.date[level - 1])]]

    @property
    def level_titles(self) -> list[str]:
        return [f"by {period}" for period in self.date]
