"""Column groups: which columns of a sliced publication are permuted together.

A user names them, or they are found: attributes that are closely tied stand in one group, so that
what they say together survives, and the permutations break the ties between groups. They are found
from how closely each two attributes are tied in the source (one statement), by k-medoids in Python:
there are few attributes.

Source: Li, Li, Zhang and Molloy, Slicing: A New Approach for Privacy Preserving Data Publishing,
IEEE TKDE 24(3), 2012, attribute partitioning. The paper runs PAM (Kaufman and Rousseeuw 1990), a
swap search; here all choices of medoids are tried where they are few.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlanon.errors import PlanError, did_you_mean
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step

DEFAULT_BINS = 10
"""Intervals of equal width that a numeric attribute is put into before it is compared."""

EXACT_LIMIT = 20_000
"""Choices of medoids up to which all are tried; beyond it, PAM's swaps are."""

ColumnGroups = tuple[tuple[str, ...], ...]
"""Columns, group by group: every published column stands in one group."""

Contingencies = Mapping[tuple[str, str], float]
"""Mean-square contingency, 0 to 1, by two attributes in the order of the columns."""


@dataclass(frozen=True)
class Correlation:
    """How closely two attributes are tied.

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
    """Column groups that were found, and what they were found from.

    Attributes:
        groups: the sensitive attribute's is the last.
        correlations: of each two attributes.
        is_exact: whether every choice of medoids was tried; else no swap of one makes it better.
    """

    groups: ColumnGroups
    correlations: tuple[Correlation, ...]
    is_exact: bool


def correlations_step(attributes: Sequence[tuple[str, bool]], bins: int = DEFAULT_BINS) -> Step:
    """The question how closely each two attributes are tied in `source_rows`.

    Args:
        attributes: two or more, by name, and whether each is numeric.
        bins: intervals of equal width for the numeric ones, 1 or more.

    Returns:
        A step with one row per two attributes: their numbers from 1, the lower one first,
        mean-square contingency, Pearson's r or None.
    """
    numeric = [number for number, (_, is_one) in enumerate(attributes, start=1) if is_one]
    inputs = {"attributes": list(attributes), "numeric": numeric, "bins": bins}
    sql = render("slicing/column_correlations.sql", **inputs)
    return Step("column_correlations", sql, "rows")


def found_groups(
    attributes: Sequence[tuple[str, bool]],
    count: int,
    sensitive: str | None = None,
    *,
    bins: int = DEFAULT_BINS,
    where: str = "",
) -> Search[FoundGroups]:
    """Ask how closely the attributes are tied, and group them.

    Args:
        attributes: all published columns, by name, and whether each is numeric.
        count: groups wanted, from 2 to the number of attributes.
        sensitive: see `column_groups`.
        bins: intervals of equal width for the numeric ones, 1 or more.
        where: key of the plan that asks, for a message.

    Raises:
        PlanError: there cannot be so many groups.
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
    """The attributes in so many groups, the closely tied ones together: k-medoids.

    Each group has a medoid, and every other attribute is in the group whose medoid is nearest, at a
    distance of 1 - mean-square contingency. The medoids are those with the least sum of distances.
    Where two choices are as good, the one earlier in the order of the columns is taken. Up to
    `EXACT_LIMIT` choices all are tried; beyond it medoids are swapped, one at a time, while that
    makes the sum less.

    Args:
        attributes: names, in the order of the columns.
        correlation: of each two attributes.
        count: groups wanted, from 2 to the number of attributes.
        sensitive: an attribute that is a medoid in any case; its group comes last.
        where: key of the plan that asks, for a message.

    Returns:
        The groups in the order of their first columns, the columns of a group in theirs.

    Raises:
        PlanError: there cannot be so many groups.
    """
    _refuse_count(attributes, count, where)
    places = range(len(attributes))

    def distance(one: int, other: int) -> float:
        first, second = sorted((one, other))
        return 0.0 if one == other else 1 - correlation[attributes[first], attributes[second]]

    distances = [[distance(one, other) for other in places] for one in places]
    fixed = () if sensitive is None else (attributes.index(sensitive),)

    def cost(medoids: tuple[int, ...]) -> float:
        # fsum rounds once, so equal sums are equal in whatever order they are summed
        return math.fsum(min(distances[place][medoid] for medoid in medoids) for place in places)

    free = [place for place in places if place not in fixed]
    if _choices(attributes, count, sensitive) <= EXACT_LIMIT:
        sets = itertools.combinations(free, count - len(fixed))
        medoids = min((tuple(sorted(fixed + chosen)) for chosen in sets), key=cost)
    else:
        medoids = _swapped(free, fixed, count, cost)
    members: dict[int, list[str]] = {medoid: [] for medoid in medoids}
    for place, name in enumerate(attributes):
        # a medoid is in its own group, even if another one lies at distance 0
        nearest = place if place in members else min(medoids, key=distances[place].__getitem__)
        members[nearest].append(name)
    groups = sorted(
        (sensitive in group, attributes.index(group[0]), tuple(group)) for group in members.values()
    )
    return tuple(group for _, _, group in groups)


def _choices(attributes: Sequence[str], count: int, sensitive: str | None) -> int:
    """How many sets of medoids there are."""
    fixed = 0 if sensitive is None else 1
    return math.comb(len(attributes) - fixed, count - fixed)


def _swapped(
    free: Sequence[int],
    fixed: tuple[int, ...],
    count: int,
    cost: Callable[[tuple[int, ...]], float],
) -> tuple[int, ...]:
    """PAM: medoids one by one, each the best beside those before it; then the best swap, repeated.

    Every swap makes the sum of distances less, so it ends.
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
            f"{len(attributes)} published columns cannot stand in {count} column groups.",
            where=where,
            fix=f"ask for 2 to {len(attributes)} groups"
            if len(attributes) >= 2
            else "publish two columns or more: slicing breaks the ties between column groups",
        )


def one_attribute_per_column(attributes: Sequence[str]) -> ColumnGroups:
    """Each attribute in a group of its own: every column is permuted by itself."""
    return tuple((name,) for name in attributes)


def checked_groups(
    groups: Sequence[Sequence[str]], attributes: Sequence[str], where: str
) -> ColumnGroups:
    """The groups as a user gave them, if every published column stands in exactly one.

    Args:
        groups: as given.
        attributes: the published columns.
        where: key of the plan that names the groups, for a message.

    Raises:
        PlanError: a group is empty, a column is unknown, in two groups or in none, or there are
            fewer than two groups, so that no tie is broken.
    """
    for number, group in enumerate(groups, 1):
        if not group:
            raise PlanError(
                f"Column group {number} of {len(groups)} is empty.",
                where=where,
                fix="name at least one column in it, or leave it out",
            )
    named = Counter(name for group in groups for name in group)
    for name in named:
        if name not in attributes:
            raise PlanError(
                f"A column group names '{name}', which is no published column.",
                where=where,
                fix=f"name published columns only. {did_you_mean(name, attributes)}",
            )
    repeated = [name for name, times in named.items() if times > 1]
    if repeated:
        raise PlanError(
            f"Column groups must not overlap; named more than once: {_quoted(repeated)}.",
            where=where,
            fix="leave each column in one group",
        )
    missing = [name for name in attributes if name not in named]
    if missing:
        raise PlanError(
            f"Every published column must be in a column group; in none: {_quoted(missing)}.",
            where=where,
            fix="add them to a group, or as a group of their own",
        )
    if len(groups) < 2:
        raise PlanError(
            "One column group alone breaks no tie between columns.",
            where=where,
            fix="give two groups or more, such as the quasi-identifiers and the sensitive one",
        )
    return tuple(tuple(group) for group in groups)


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)
