"""Numeric intervals of increasing width."""

from __future__ import annotations

import itertools
from decimal import Decimal
from typing import Annotated, Any

from pydantic import Field, model_validator

from sqlanon.boundary.part import Part
from sqlanon.bounds import MOST_LEVELS, AnyNumber
from sqlanon.hierarchies.base import Hierarchy, Number, short_form
from sqlanon.hierarchies.grid import Grid, number_grid


class IntervalKeys(Part):
    """Interval widths from fine to coarse; each must be a multiple of the one before."""

    widths: tuple[Annotated[Number, Field(gt=0)], ...] = Field(min_length=1, max_length=MOST_LEVELS)
    start: Number = Field(Decimal(0), description="a number where an interval begins")
    lowest: Number | None = Field(None, description="all numbers below it form one open interval")
    highest: Number | None = Field(
        None, description="it and all numbers above it form one open interval"
    )

    @model_validator(mode="after")
    def _nested(self) -> IntervalKeys:
        for finer, coarser in itertools.pairwise(self.widths):
            if coarser % finer or coarser == finer:
                raise ValueError(
                    f"width {coarser} is not a larger multiple of {finer}, so its intervals would"
                    " cut across finer ones; use widths such as [5, 10, 20]"
                )
        if self.lowest is not None and self.highest is not None and self.lowest >= self.highest:
            raise ValueError(f"lowest {self.lowest} is not below highest {self.highest}; swap them")
        return self


class Intervals(Hierarchy):
    """Numeric intervals of increasing width, such as `[5, 10, 20]`, with optional open ends.

    In Python `Intervals(5, 10, 20)`.
    """

    template = "hierarchies/intervals.sql"
    rule = "hierarchies/_intervals.sql"
    exact_type = "decimal(37, 18)"
    key = "intervals"
    cut_kind = "numeric"
    intervals: Annotated[
        IntervalKeys, short_form("widths", IntervalKeys, bare=list[Number], types=(list, tuple))
    ]

    def __init__(
        self,
        *widths: AnyNumber,
        start: AnyNumber = 0,
        lowest: AnyNumber | None = None,
        highest: AnyNumber | None = None,
    ) -> None:
        ends = {"start": start, "lowest": lowest, "highest": highest}
        self._set_keys(intervals={"widths": widths, **ends})

    @property
    def inputs(self) -> dict[str, Any]:
        """Widths and open ends; `start` as a multiple of `unit`, the last decimal place used."""
        intervals = self.intervals
        digits = max(-int(n.as_tuple().exponent) for n in (*intervals.widths, intervals.start))
        unit = Decimal(1).scaleb(-max(digits, 0))
        return {
            **intervals.model_dump(exclude={"start"}),
            "unit": unit,
            "start": int(intervals.start / unit),
        }

    @property
    def grids(self) -> tuple[Grid, ...]:
        return tuple(number_grid(width, self.intervals.start) for width in self.intervals.widths)

    def label_examples(self, level: int) -> list[str]:
        width, start = self.intervals.widths[level - 1], self.intervals.start
        lowest, highest = self.intervals.lowest, self.intervals.highest
        low = start if lowest is None else lowest - (lowest - start) % width
        first = low if lowest is None else max(low, lowest)
        last = low + width if highest is None else min(low + width, highest)
        return [f"[{first:f}, {last:f})"]

    @property
    def level_titles(self) -> list[str]:
        return [f"intervals of width {width}" for width in self.intervals.widths]
