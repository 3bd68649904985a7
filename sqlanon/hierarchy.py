"""Generalization hierarchies: from a file, or from a rule; each knows its levels and its SQL.

Level 0 is the value as in the source, the last level is one value for all. Every kind renders a
template of its own name that returns one row per value and one column per level; what comes out is
proven nested and complete by `prepare/hierarchy_problems.sql`, whatever kind it was.
"""

from __future__ import annotations

import csv
import itertools
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    model_validator,
)  # fmt: skip

TOP = "*"
"""The most general value: everything."""


class Hierarchy(BaseModel):
    """A generalization hierarchy of one quasi-identifier."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    template: ClassVar[str]

    @property
    def level_count(self) -> int | None:
        """Levels, level 0 and the top included; None when only the data can tell."""
        raise NotImplementedError  # pragma: no cover - every kind states its own

    @property
    def level_titles(self) -> list[str] | None:
        """What each level above 0 and below the top holds, in words; None when unknown."""
        return None

    def with_levels(self, count: int) -> Hierarchy:
        """The same hierarchy, its number of levels fixed where only the data could tell it."""
        return self


class SuppressionHierarchy(Hierarchy):
    """The value, then `*`: what a quasi-identifier without a hierarchy gets."""

    template: ClassVar[str] = "hierarchies/suppression.sql"

    @property
    def level_count(self) -> int:
        return 2


class FileHierarchy(Hierarchy):
    """A CSV file with one row per value and one column per level, `;` or `,`, as ARX writes them.

    A path is looked up in the plan's folder first, then among the shipped hierarchies. Delimiter
    and header are found out when not given: all rows agree in the last column but a header.
    """

    template: ClassVar[str] = "hierarchies/file.sql"

    file: str = Field(description="path of the file")
    delimiter: str | None = Field(None, min_length=1, max_length=1, description="; or , or another")
    header: bool | None = Field(None, description="whether the first line names the levels")
    columns: int | None = Field(None, ge=1, description="set when the file is looked at")

    @property
    def level_count(self) -> int | None:
        return self.columns

    def looked_at(self, found: Path, path_in_sql: str) -> FileHierarchy:
        """The same hierarchy with delimiter, header and number of levels read off the file."""
        with found.open(encoding="utf-8-sig", newline="") as lines:
            sample = lines.readline()
            delimiter = self.delimiter or (";" if sample.count(";") >= sample.count(",") else ",")
            lines.seek(0)
            reader = csv.reader(lines, delimiter=delimiter)
            first = next(reader, [])
            second = next(reader, first)
        header = self.header if self.header is not None else first[-1:] != second[-1:]
        return FileHierarchy(
            file=path_in_sql, delimiter=delimiter, header=header, columns=max(len(first), 1)
        )


class Intervals(BaseModel):
    """Interval widths from fine to coarse; each must be a multiple of the one before."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    widths: tuple[Annotated[Decimal, Field(gt=0)], ...] = Field(min_length=1)
    start: Decimal = Field(Decimal(0), description="a number where an interval begins")
    lowest: Decimal | None = Field(None, description="all below it is one open interval")
    highest: Decimal | None = Field(None, description="it and all above is one open interval")

    @model_validator(mode="after")
    def _nested(self) -> Intervals:
        for finer, coarser in itertools.pairwise(self.widths):
            if coarser % finer or coarser == finer:
                raise ValueError(
                    f"width {coarser} is no multiple of {finer}, so its intervals would cut"
                    " across finer ones; use widths such as [5, 10, 20]"
                )
        if self.lowest is not None and self.highest is not None and self.lowest >= self.highest:
            raise ValueError(f"lowest {self.lowest} must be below highest {self.highest}")
        return self


class IntervalHierarchy(Hierarchy):
    """Numeric intervals of growing width, such as `[5, 10, 20]` years; open ends on request."""

    template: ClassVar[str] = "hierarchies/intervals.sql"
    intervals: Annotated[
        Intervals, BeforeValidator(lambda v: {"widths": v} if isinstance(v, list) else v)
    ]

    @property
    def level_count(self) -> int:
        return len(self.intervals.widths) + 2

    @property
    def level_titles(self) -> list[str]:
        return [f"intervals of width {width}" for width in self.intervals.widths]


class CutPointHierarchy(Hierarchy):
    """Numeric ranges between cut points of your own, per level, with labels of your own."""

    template: ClassVar[str] = "hierarchies/cut_points.sql"
    cut_points: tuple[Annotated[tuple[Decimal, ...], Field(min_length=1)], ...] = Field(
        min_length=1, description="per level the numbers where a range begins, from fine to coarse"
    )
    labels: tuple[tuple[str, ...], ...] | None = Field(
        None, description="per level one label more than cut points"
    )

    @model_validator(mode="after")
    def _nested(self) -> CutPointHierarchy:
        for points in self.cut_points:
            if list(points) != sorted(set(points)):
                raise ValueError("cut points must rise: write each level from low to high")
        for finer, coarser in itertools.pairwise(self.cut_points):
            if not set(coarser) <= set(finer):
                raise ValueError(
                    "a coarser level may only keep cut points of the finer one:"
                    f" {', '.join(str(p) for p in coarser if p not in finer)} is new"
                )
        if self.labels is not None:
            wanted = [len(points) + 1 for points in self.cut_points]
            if [len(level) for level in self.labels] != wanted:
                raise ValueError(f"labels need {wanted} entries per level, one more than cuts")
            for level in self.labels:
                if len(set(level)) != len(level):
                    raise ValueError("two ranges of a level have the same label")
        return self

    @property
    def level_count(self) -> int:
        return len(self.cut_points) + 2

    @property
    def level_titles(self) -> list[str]:
        return [f"ranges cut at {', '.join(map(str, points))}" for points in self.cut_points]

    @property
    def ranges(self) -> list[list[tuple[Decimal | None, str]]]:
        """Per level the ranges as (exclusive upper end or None, label), from low to high."""
        levels = []
        for number, points in enumerate(self.cut_points):
            labels = (
                self.labels[number]
                if self.labels is not None
                else (
                    f"< {points[0]}",
                    *(f"[{a}, {b})" for a, b in itertools.pairwise(points)),
                    f">= {points[-1]}",
                )
            )
            levels.append(list(zip([*points, None], labels, strict=True)))
        return levels


class Mask(BaseModel):
    """Which side loses characters first, and how many characters the values have."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    side: Literal["right", "left"] = "right"
    characters: int | None = Field(
        None, ge=1, description="length of the longest value; found in the data when not given"
    )


class MaskHierarchy(Hierarchy):
    """Characters replaced by `*`, one more per level, from the right or the left; then `*`."""

    template: ClassVar[str] = "hierarchies/mask.sql"
    mask: Annotated[Mask, BeforeValidator(lambda v: {"side": v} if isinstance(v, str) else v)]

    @property
    def level_count(self) -> int | None:
        return None if self.mask.characters is None else self.mask.characters + 1

    def with_levels(self, count: int) -> MaskHierarchy:
        return MaskHierarchy(mask=Mask(side=self.mask.side, characters=count - 1))

    @property
    def level_titles(self) -> list[str] | None:
        if self.mask.characters is None:
            return None
        side = self.mask.side
        return [
            f"{n} character{'s' if n > 1 else ''} masked from the {side}"
            for n in range(1, self.mask.characters)
        ]


_DATE_NESTING = ("day", "week", "month", "quarter", "year", "decade", "century")


class DateHierarchy(Hierarchy):
    """Dates and times by growing periods: day, week, month, quarter, year, decade, century."""

    template: ClassVar[str] = "hierarchies/date.sql"
    date: tuple[Literal["day", "week", "month", "quarter", "year", "decade", "century"], ...] = (
        Field(min_length=1)
    )

    @model_validator(mode="after")
    def _nested(self) -> DateHierarchy:
        places = [_DATE_NESTING.index(period) for period in self.date]
        if places != sorted(set(places)):
            raise ValueError(f"periods must grow, in the order {', '.join(_DATE_NESTING)}")
        if "week" in self.date and self.date[-1] != "week":
            raise ValueError("a week can lie in two months or years, so nothing may follow it")
        return self

    @property
    def level_count(self) -> int:
        return len(self.date) + 2

    @property
    def level_titles(self) -> list[str]:
        return [f"by {period}" for period in self.date]


class RoundHierarchy(Hierarchy):
    """Decimals rounded to fewer and fewer digits, for coordinates: `[2, 1, 0]`.

    Each level rounds the level below, half away from zero, so that the levels nest. Negative
    digits round to tens (-1), hundreds (-2) and so on.
    """

    template: ClassVar[str] = "hierarchies/round.sql"
    round: tuple[Annotated[int, Field(ge=-9, le=9)], ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _nested(self) -> RoundHierarchy:
        if list(self.round) != sorted(set(self.round), reverse=True):
            raise ValueError("digits must fall from level to level, such as [2, 1, 0]")
        return self

    @property
    def level_count(self) -> int:
        return len(self.round) + 2

    @property
    def level_titles(self) -> list[str]:
        return [f"rounded to {digits} decimal places" for digits in self.round]


class QueryHierarchy(Hierarchy):
    """The rows of a query: its first column is the value, each further one a coarser level."""

    template: ClassVar[str] = "hierarchies/query.sql"
    query: str = Field(min_length=1)
    columns: int | None = Field(None, ge=1, description="set when the query is looked at")

    @property
    def level_count(self) -> int | None:
        return self.columns

    def with_levels(self, count: int) -> QueryHierarchy:
        return QueryHierarchy(query=self.query, columns=count)


_KINDS: dict[str, type[Hierarchy]] = {
    "file": FileHierarchy,
    "intervals": IntervalHierarchy,
    "cut_points": CutPointHierarchy,
    "mask": MaskHierarchy,
    "date": DateHierarchy,
    "round": RoundHierarchy,
    "query": QueryHierarchy,
}


def _kind(value: Any) -> str | None:
    if isinstance(value, Hierarchy):
        return next((k for k, v in _KINDS.items() if type(value) is v), "none")
    if isinstance(value, dict):
        return next((key for key in _KINDS if key in value), None)
    return None


AnyHierarchy = Annotated[
    Annotated[SuppressionHierarchy, Tag("none")]
    | Annotated[FileHierarchy, Tag("file")]
    | Annotated[IntervalHierarchy, Tag("intervals")]
    | Annotated[CutPointHierarchy, Tag("cut_points")]
    | Annotated[MaskHierarchy, Tag("mask")]
    | Annotated[DateHierarchy, Tag("date")]
    | Annotated[RoundHierarchy, Tag("round")]
    | Annotated[QueryHierarchy, Tag("query")],
    Discriminator(
        _kind,
        custom_error_type="hierarchy_kind",
        custom_error_message="a hierarchy is a file name or one of: " + ", ".join(_KINDS),
    ),
    BeforeValidator(lambda value: {"file": value} if isinstance(value, str) else value),
]
"""What a plan's `hierarchy` may be; a bare string is a file."""


class HierarchyFile(BaseModel):
    """The content of a shipped or own YAML file with a rule, such as `dates.yml`."""

    hierarchy: AnyHierarchy
