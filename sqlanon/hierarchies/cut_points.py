"""Numeric ranges between cut points that the plan gives."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Any

from pydantic import Field, model_validator

from sqlanon.bounds import MOST_LEVELS, AnyNumber
from sqlanon.hierarchies.base import Hierarchy, Number, Text, ranges_between


class CutPoints(Hierarchy):
    """Numeric ranges between cut points, given for each level, with optional labels.

    In Python `CutPoints([18, 30, 45, 65], [30, 65])`: a coarser level has a part of the points.
    """

    template = "hierarchies/cut_points.sql"
    rule = "hierarchies/_cut_points.sql"
    exact_type = "decimal(37, 18)"
    key = "cut_points"
    cut_kind = "numeric"
    cut_points: tuple[Annotated[tuple[Number, ...], Field(min_length=1)], ...] = Field(
        min_length=1,
        max_length=MOST_LEVELS,
        description="for each level the numbers where a range begins, from fine to coarse",
    )
    labels: tuple[tuple[Text, ...], ...] | None = Field(
        None, description="for each level one label more than cut points"
    )

    @model_validator(mode="after")
    def _nested(self) -> CutPoints:
        for points in self.cut_points:
            if list(points) != sorted(set(points)):
                raise ValueError("cut points do not increase; write each level from low to high")
        for finer, coarser in itertools.pairwise(self.cut_points):
            if not set(coarser) <= set(finer):
                new = ", ".join(str(point) for point in coarser if point not in finer)
                raise ValueError(
                    f"cut point {new} is not one of the finer level, so ranges would cut across"
                    " finer ones; a coarser level keeps some of the finer level's points"
                )
        if self.labels is not None:
            wanted = [len(points) + 1 for points in self.cut_points]
            if [len(level) for level in self.labels] != wanted:
                raise ValueError(
                    "the numbers of labels and cut points do not match; a level has one label more"
                    f" than cut points, here {', '.join(map(str, wanted))}"
                )
            for level in self.labels:
                if len(set(level)) != len(level):
                    raise ValueError(
                        "two ranges of a level have the same label; give them different labels"
                    )
        return self

    def __init__(
        self, *levels: Sequence[AnyNumber], labels: Sequence[Sequence[str]] | None = None
    ) -> None:
        self._set_keys(cut_points=levels, labels=labels)

    @property
    def inputs(self) -> dict[str, Any]:
        return {"ranges": self.ranges}

    def label_examples(self, level: int) -> list[str]:
        return [label for _, label in self.ranges[level - 1][:2]]

    @property
    def level_titles(self) -> list[str]:
        return [f"ranges cut at {', '.join(map(str, points))}" for points in self.cut_points]

    @property
    def ranges(self) -> list[list[tuple[Decimal | None, str]]]:
        """For each level the ranges as (exclusive upper end or None, label), from low to high."""
        labels = self.labels or [None] * len(self.cut_points)
        return [ranges_between(*level) for level in zip(self.cut_points, labels, strict=True)]
