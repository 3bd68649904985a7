"""Numeric ranges of at least so many rows of the source, as even in themselves as can be."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, NamedTuple

from pydantic import Field, model_validator

from sqlanon.boundary.part import Part
from sqlanon.bounds import AnyNumber, Count
from sqlanon.hierarchies.base import Hierarchy, Number, ranges_between
from sqlanon.hierarchies.grid import Grid, number_grid
from sqlanon.sql.render import question
from sqlanon.sql.step import Rows, Step

MOST_LINES = 2_000
"""Lines with values that groups are made of; nobody reads more ranges."""


class Line(NamedTuple):
    """The values from a line of a grid to the next.

    Attributes:
        number: of the line; lines follow each other by 1.
        rows: that have such a value, 1 or more.
        is_end: whether a group may begin here.
    """

    number: int
    rows: int
    is_end: bool


def optimal_cuts(lines: Sequence[Line], least: int) -> list[int]:
    """Where groups begin that together have the least squares about their means.

    The shortest path of Hansen and Mukherjee (2003) over lines in place of rows: of equal values
    none is in another group. If every line has one row, it is theirs. A later group never begins at
    an earlier line, so that few beginnings are tried for each end. Of equal sums the one with the
    earliest cuts is taken; they are compared as fractions, exactly.

    Args:
        lines: in their order.
        least: rows of every group, 1 or more.

    Returns:
        the places in `lines` at which all groups but the first begin; empty if there is only one,
        or none.
    """
    weights = ((line.number - lines[0].number) * line.rows for line in lines)
    sums = [0, *itertools.accumulate(weights)]
    rows = [0, *itertools.accumulate(line.rows for line in lines)]
    # Least squares have the greatest sum of (sum of a group)^2 / (its rows).
    best: list[Fraction | None] = [Fraction(0)]
    begins, first = [0], 0
    for end in range(1, len(lines) + 1):
        best.append(None)
        begins.append(first)
        if end < len(lines) and not lines[end].is_end:
            continue
        for begin in range(first, end):
            size, before, so_far = rows[end] - rows[begin], best[begin], best[end]
            if size < least:
                break
            if before is not None:
                found = before + Fraction((sums[end] - sums[begin]) ** 2, size)
                if so_far is None or found > so_far:
                    best[end], begins[end] = found, begin
        first = begins[end]
    cuts, end = [], begins[-1] if best[-1] is not None else 0
    while end:
        cuts.append(end)
        end = begins[end]
    return cuts[::-1]


class GroupKeys(Part):
    """How many rows a group has at least, and where groups may begin."""

    of: Annotated[Count, Field(ge=2)] = Field(
        description="rows of the source that every group has at least"
    )
    round: Annotated[Number, Field(gt=0)] = Field(
        description="groups begin at multiples of it, at no value that fewer rows have than a group"
    )
    points: Annotated[tuple[Number, ...], Field(min_length=1)] | None = Field(
        None, description="where groups begin, but the first; found in the values when not given"
    )

    @model_validator(mode="after")
    def _on_lines(self) -> GroupKeys:
        points = self.points or ()
        if list(points) != sorted(set(points)) or any(point % self.round for point in points):
            raise ValueError("`points` must increase, and be multiples of `round`")
        return self


class Groups(Hierarchy):
    """Numeric ranges of at least so many rows each, with the least squares about their means.

    In Python `Groups(5, round=1000)`. Of ranges of 5 rows or more, those with the least sum of
    squared distances of the values, rounded down to multiples of 1000, from the mean of their range
    (Hansen and Mukherjee, A polynomial algorithm for optimal univariate microaggregation, 2003).
    """

    template = "hierarchies/groups.sql"
    rule = "hierarchies/_cut_points.sql"
    exact_type = "decimal(37, 18)"
    key = "groups"
    cut_kind = "numeric"
    counts_rows = True
    groups: GroupKeys

    def __init__(
        self, of: int, *, round: AnyNumber, points: Sequence[AnyNumber] | None = None
    ) -> None:
        self._set_keys(groups={"of": of, "round": round, "points": points})

    @property
    def inputs(self) -> dict[str, Any]:
        return {"ranges": [ranges_between(self.groups.points or ())]}

    @property
    def grids(self) -> tuple[Grid, ...]:
        return (number_grid(self.groups.round),)

    @property
    def level_titles(self) -> list[str] | None:
        return None if self.groups.points is None else [f"groups of {self.groups.of} rows or more"]

    def counting_step(self, attribute: str) -> Step | None:
        if self.groups.points is not None:
            return None
        inputs = {"grid": self.grids[0], "least": self.groups.of, "most": MOST_LINES + 1}
        return question("source/values_by_line", attribute=attribute, **inputs)

    def with_answer(self, rows: Rows) -> Groups:
        width = self.grids[0].width
        if len(rows) > MOST_LINES:
            what = f"would be made of more than {MOST_LINES:,} multiples of {width}"
            raise ValueError(what, "write a larger `round`")
        lines = [Line(int(Decimal(line) / width), int(n), bool(end)) for line, n, end in rows]
        points = [lines[place].number * width for place in optimal_cuts(lines, self.groups.of)]
        if not points:
            raise ValueError(
                f"would have one group: it cannot be cut into two of {self.groups.of} rows or more,"
                " at a multiple that is no value of fewer",
                "write a smaller `of`, or another `round`",
            )
        return self.with_points([f"{point:f}" for point in points])

    @property
    def points(self) -> tuple[str, ...]:
        return tuple(f"{point:f}" for point in self.groups.points or ())

    def with_points(self, points: Sequence[str]) -> Groups:
        return Groups(self.groups.of, round=self.groups.round, points=points) if points else self
