"""Columns of a plan by their roles, and hierarchies of their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from sqlanon.boundary import guarded
from sqlanon.hierarchies.base import CutKind, Hierarchy
from sqlanon.hierarchies.cut_points import CutPointHierarchy
from sqlanon.hierarchies.date import DateHierarchy
from sqlanon.hierarchies.file import FileHierarchy
from sqlanon.hierarchies.grid import GridPeriod
from sqlanon.hierarchies.intervals import IntervalHierarchy
from sqlanon.hierarchies.mask import MaskHierarchy
from sqlanon.hierarchies.query import QueryHierarchy
from sqlanon.hierarchies.round import RoundHierarchy
from sqlanon.hierarchies.taxonomy import TaxonomyHierarchy
from sqlanon.objects.built import Number, built
from sqlanon.plan import columns

AsHierarchy = Hierarchy | Mapping[str, Any] | str | Path
"""A hierarchy: an object of this module, its keys as in YAML, or the path of its file."""


@guarded
def Identifier(
    action: Literal["drop", "star", "pseudonym"] = "drop", *, key: Literal["random"] | None = None
) -> columns.Identifier:
    """A column that identifies a person on its own; it never leaves the database as it is.

    Args:
        action: drop: not published; star: every value becomes '*'; pseudonym: a keyed hash.
        key: random: the key of pseudonyms is drawn anew in every run, and kept nowhere.
    """
    return built(columns.Identifier, role="identifier", action=action, key=key)


@guarded
def QuasiIdentifier(
    hierarchy: AsHierarchy | None = None,
    *,
    weight: float = 1.0,
    type: CutKind | None = None,
    grid: Number | GridPeriod | None = None,
) -> columns.QuasiIdentifier:
    """A column that identifies a person together with others; it is generalized.

    Args:
        hierarchy: how its values are generalized; by default the value, then '*'.
        weight: importance in the loss, and among cuts; 0 or more.
        type: how partitioning methods cut its values; by default as the hierarchy or the values
            say.
        grid: where its ranges end: at multiples of a number, or where periods begin; by default as
            the hierarchy and the values say.
    """
    return built(
        columns.QuasiIdentifier,
        role="quasi-identifier",
        hierarchy=hierarchy,
        weight=weight,
        type=type,
        grid=grid,
    )


@guarded
def SensitiveAttribute(
    hierarchy: AsHierarchy | None = None, *, compare: Literal["exact"] | None = None
) -> columns.SensitiveAttribute:
    """A column that nobody should learn about a person; it is published as it is.

    Args:
        hierarchy: for models that compare how close values are to each other.
        compare: exact: values that differ only in case, white space or form are different values.
    """
    return built(columns.SensitiveAttribute, role="sensitive", hierarchy=hierarchy, compare=compare)


@guarded
def InsensitiveAttribute() -> columns.InsensitiveAttribute:
    """A column that neither identifies nor harms; it is published as it is."""
    return built(columns.InsensitiveAttribute, role="insensitive")


@guarded
def Intervals(
    *widths: Number,
    start: Number = 0,
    lowest: Number | None = None,
    highest: Number | None = None,
) -> IntervalHierarchy:
    """Intervals of increasing width: `Intervals(5, 10, 20)`.

    Args:
        widths: from fine to coarse; each a multiple of the one before.
        start: a number where an interval begins.
        lowest: all numbers below it form one open interval.
        highest: it and all numbers above it form one open interval.
    """
    ends = {"lowest": lowest, "highest": highest}
    given = {name: end for name, end in ends.items() if end is not None}
    return built(IntervalHierarchy, intervals={"widths": list(widths), "start": start, **given})


@guarded
def CutPoints(
    *levels: Sequence[Number], labels: Sequence[Sequence[str]] | None = None
) -> CutPointHierarchy:
    """Numbers where intervals begin, level by level: `CutPoints([18, 30, 45, 65], [30, 65])`.

    Args:
        levels: from fine to coarse; each a part of the one before.
        labels: the labels of the intervals of each level, one more than its cut points.
    """
    return built(CutPointHierarchy, cut_points=[list(level) for level in levels], labels=labels)


@guarded
def Mask(
    side: Literal["right", "left"] = "right", *, characters: int | None = None
) -> MaskHierarchy:
    """Characters become '*', one more on each level: 81667, 8166*, 816**.

    Args:
        side: where masking begins.
        characters: how many to mask at most; by default all of the longest value.
    """
    most = {} if characters is None else {"characters": characters}
    return built(MaskHierarchy, mask={"side": side, **most})


@guarded
def Dates(
    *units: Literal["day", "week", "month", "quarter", "year", "decade", "century"],
) -> DateHierarchy:
    """Parts of the calendar, from fine to coarse: `Dates("month", "year")`."""
    return built(DateHierarchy, date=list(units))


@guarded
def Rounding(*digits: int) -> RoundHierarchy:
    """Rounded numbers: `Rounding(1, 0, -1)` rounds to tenths, to whole numbers, then to tens."""
    return built(RoundHierarchy, round=list(digits))


@guarded
def HierarchyFile(
    file: str | Path, *, delimiter: str | None = None, header: bool | None = None
) -> FileHierarchy:
    """A CSV file with a row for each value, its labels from fine to coarse.

    Args:
        file: path, relative to the plan's folder, or the name of a shipped hierarchy.
        delimiter: by default found.
        header: whether the first line names the levels; by default found.
    """
    return built(FileHierarchy, file=file, delimiter=delimiter, header=header)


@guarded
def HierarchyQuery(query: str, *, columns: int | None = None) -> QueryHierarchy:
    """A select whose columns are the value and its labels, from fine to coarse.

    Args:
        query: the select.
        columns: how many it has; by default the database is asked.
    """
    return built(QueryHierarchy, query=query, columns=columns)


@guarded
def Taxonomy(file: str | Path) -> TaxonomyHierarchy:
    """A tree in a text file with a line `parent: child, child` for each inner node.

    Args:
        file: path, relative to the plan's folder.
    """
    return built(TaxonomyHierarchy, taxonomy=file)
