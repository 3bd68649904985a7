"""Column groups: which columns of a sliced publication are permuted together.

The plan names the groups, or they are found: attributes that are strongly correlated are in one
group, so that their joint distribution survives, and the permutations break the correlations
between groups. One statement measures the correlation of each pair of attributes in the source, and
k-medoids clusters the attributes in Python, because there are only few.

Source: Li, Li, Zhang and Molloy, Slicing: A New Approach for Privacy Preserving Data Publishing,
IEEE TKDE 24(3), 2012, attribute partitioning. The paper uses PAM (Kaufman and Rousseeuw 1990), a
swap search; sqlanon tries all choices of medoids if there are few.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlanon.errors import PlanError, did_you_mean
from sqlanon.sql.render import question
from sqlanon.sql.step import Search, Step

DEFAULT_BINS = 10
"""Number of intervals of equal width into which numeric attributes are divided for comparison."""

EXACT_LIMIT = 20_000
"""Largest number of choices of medoids that are all tried; above it, PAM's swaps are used."""

ColumnGroups = tuple[tuple[str, ...], ...]
"""Columns, group by group; every published column is in one group."""

Contingencies = Mapping[tuple[str, str], float]
"""Mean-square contingency, 0 to 1, by pair of attributes in the order of the columns."""


@dataclass(frozen=True)
class Correlation:
    """How strongly two attributes are correlated.

    Attributes:
        first, second: the attributes, in the order of the columns.
        contingency: mean-square contingency, 0 (independent) to 1.
        pearson: Pearson's r, -1 to 1; None unless both are numeric and neither is constant.
    """

    first: str
    second: str
    contingency: float
    pearson: float | None


@dataclass(frozen=True)
class FoundGroups:
    """Column groups that were found, and the correlations that led to them.

    Attributes:
        groups: the column groups; that of the sensitive attribute is the last.
        correlations: one for each pair of attributes.
        is_exact: whether every choice of medoids was tried; otherwise no single swap is better.
    """

    groups: ColumnGroups
    correlations: tuple[Correlation, ...]
    is_exact: bool


def correlations_step(attributes: Sequence[tuple[str, bool]], bins: int = DEFAULT_BINS) -> Step:
    """The query for the correlation of each pair of attributes in `source_rows`.

    Args:
        attributes: names of two or more attributes, and whether each is numeric.
        bins: number of intervals of equal width for numeric attributes, 1 or more.

    Returns:
        A step with one row per pair of attributes: their numbers from 1, the lower one first, the
        mean-square contingency, and Pearson's r or None.
    """
    numeric = [number for number, (_, is_one) in enumerate(attributes, start=1) if is_one]
    inputs = {"attributes": list(attributes), "numeric": numeric, "bins": bins}
    return question("slicing/column_correlations", **inputs)


def found_groups(
    attributes: Sequence[tuple[str, bool]],
    count: int,
    sensitive: str | None = None,
    *,
    bins: int = DEFAULT_BINS,
    where: str = "",
) -> Search[FoundGroups]:
    """Ask how strongly the attributes are correlated, and group them.

    Args:
        attributes: names of all published columns, and whether each is numeric.
        count: number of groups, from 2 to the number of attributes.
        sensitive: see `column_groups`.
        bins: number of intervals of equal width for numeric attributes, 1 or more.
        where: key of the plan that asks for groups, for messages.

    Raises:
        PlanError: this number of groups is not possible.
    """
    names = [name for name, _ in attributes]
    _refuse_count(names, count, where)
    rows = yield correlations_step(attributes, bins)
    correlations = tuple(
        Correlation(names[first - 1], names[second - 1], contingency, pearson)
        for first, second, contingency, pearson in rows
    )
    contingencies = {(found.first, found.second): found.contingency for found in correlations}
    groups = column_groups(names, contingencies, count, sensitive, where=where)
    return FoundGroups(groups, correlations, _choices(names, count, sensitive) <= EXACT_LIMIT)


def column_groups(
    attributes: Sequence[str],
    correlation: Contingencies,
    count: int,
    sensitive: str | None = None,
    *,
    where: str = "",
) -> ColumnGroups:
    """Cluster the attributes into groups of strongly correlated ones, by k-medoids.

    Each group has a medoid, and every other attribute is in the group of its nearest medoid. The
    distance is 1 - mean-square contingency. The medoids with the smallest sum of distances are
    chosen; ties go to the choice that is earlier in the order of the columns. Up to `EXACT_LIMIT`
    choices, all are tried. Above it, medoids are swapped, one at a time, as long as the sum
    decreases.

    Args:
        attributes: names, in the order of the columns.
        correlation: contingency of each pair of attributes.
        count: number of groups, from 2 to the number of attributes.
        sensitive: an attribute that is always a medoid; its group comes last.
        where: key of the plan that asks for groups, for messages.

    Returns:
        The groups in the order of their first columns; columns keep their order within a group.

    Raises:
        PlanError: this number of groups is not possible.
    """
    _refuse_count(attributes, count, where)
    places = range(len(attributes))

    def distance(one: int, other: int) -> float:
        first, second = sorted((one, other))
        return 0.0 if one == other else 1 - correlation[attributes[first], attributes[second]]

    distances = [[distance(one, other) for other in places] for one in places]
    fixed = () if sensitive is None else (attributes.index(sensitive),)

    def cost(medoids: tuple[int, ...]) -> float:
        # fsum rounds only once, so that equal sums compare equal in any order of summation
        return math.fsum(min(distances[place][medoid] for medoid in medoids) for place in places)

    free = [place for place in places if place not in fixed]
    if _choices(attributes, count, sensitive) <= EXACT_LIMIT:
        sets = itertools.combinations(free, count - len(fixed))
        medoids = min((tuple(sorted(fixed + chosen)) for chosen in sets), key=cost)
    else:
        medoids = _swapped(free, fixed, count, cost)
    members: dict[int, list[str]] = {medoid: [] for medoid in medoids}
    for place, name in enumerate(attributes):
        # a medoid is in its own group, even if another medoid is at distance 0
        nearest = place if place in members else min(medoids, key=distances[place].__getitem__)
        members[nearest].append(name)
    groups = sorted(
        (sensitive in group, attributes.index(group[0]), tuple(group)) for group in members.values()
    )
    return tuple(group for _, _, group in groups)


def _choices(attributes: Sequence[str], count: int, sensitive: str | None) -> int:
    """Number of possible sets of medoids."""
    fixed = 0 if sensitive is None else 1
    return math.comb(len(attributes) - fixed, count - fixed)


def _swapped(
    free: Sequence[int],
    fixed: tuple[int, ...],
    count: int,
    cost: Callable[[tuple[int, ...]], float],
) -> tuple[int, ...]:
    """PAM: add the best medoid until there are enough, then make the best swap repeatedly.

    Every swap decreases the sum of distances, so the search ends.
    """
    medoids = fixed
    while len(medoids) < count:
        others = (place for place in free if place not in medoids)
        medoids = min((tuple(sorted((*medoids, place))) for place in others), key=cost)

    def swaps() -> Iterator[tuple[int, ...]]:
        for out in medoids:
            if out not in fixed:
                kept = tuple(medoid for medoid in medoids if medoid != out)
                yield from (tuple(sorted((*kept, place))) for place in free if place not in medoids)

    while True:
        best = min(swaps(), key=lambda swapped: (cost(swapped), swapped))
        if cost(best) >= cost(medoids):
            return medoids
        medoids = best


def _refuse_count(attributes: Sequence[str], count: int, where: str) -> None:
    if not 2 <= count <= len(attributes):
        raise PlanError(
            f"{len(attributes)} published columns cannot form {count} column groups.",
            where=where,
            fix=f"ask for 2 to {len(attributes)} groups"
            if len(attributes) >= 2
            else "publish two columns or more: slicing breaks correlations between column groups",
        )


def one_attribute_per_column(attributes: Sequence[str]) -> ColumnGroups:
    """One group per attribute, so that every column is permuted independently."""
    return tuple((name,) for name in attributes)


def checked_groups(
    groups: Sequence[Sequence[str]], attributes: Sequence[str], where: str
) -> ColumnGroups:
    """The groups as the user gave them, after checking that each column is in exactly one group.

    Args:
        groups: the column groups as given.
        attributes: the published columns.
        where: key of the plan that names the groups, for messages.

    Raises:
        PlanError: a group is empty, a column is unknown, in two groups or in none, or there are
            fewer than two groups, so that no correlation is broken.
    """
    for number, group in enumerate(groups, 1):
        if not group:
            raise PlanError(
                f"Column group {number} of {len(groups)} is empty.",
                where=where,
                fix="name at least one column in it, or remove the group",
            )
    named = Counter(name for group in groups for name in group)
    for name in named:
        if name not in attributes:
            raise PlanError(
                f"A column group names '{name}', which is not a published column.",
                where=where,
                fix=f"name only published columns. {did_you_mean(name, attributes)}",
            )
    repeated = [name for name, times in named.items() if times > 1]
    if repeated:
        raise PlanError(
            f"Column groups must not overlap, but they name {_quoted(repeated)} more than once.",
            where=where,
            fix="keep each column in only one group",
        )
    missing = [name for name in attributes if name not in named]
    if missing:
        raise PlanError(
            "Every published column must be in a column group, but no group names"
            f" {_quoted(missing)}.",
            where=where,
            fix="add the missing columns to a group, or make them a group of their own",
        )
    if len(groups) < 2:
        raise PlanError(
            "A single column group breaks no correlation between columns.",
            where=where,
            fix="name two or more groups, such as the quasi-identifiers and the sensitive column",
        )
    return tuple(tuple(group) for group in groups)


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)
