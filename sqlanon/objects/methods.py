"""Methods: how a publication is found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from sqlanon.boundary import guarded
from sqlanon.methods import (
    anatomy,
    bucketization,
    combined,
    datafly,
    dimension_splitting,
    incognito,
    k_mondrian,
    mondrian,
    mpalm,
    optimal,
    samarati,
    slicing,
    stack_and_deal,
)
from sqlanon.objects.built import built

Objective = str | Mapping[str, Any] | None
"""A utility measure by name, or its keys as in YAML; None is the method's own."""

Cut = Literal["median", "median-both", "quantiles", "any"]
Categories = Literal["common-ancestor", "set"]
Ends = Literal["grid", "exact"]
Execution = Literal["recursive", "rounds"]
Labels = Literal["region", "tight"] | None
Partition = Literal["mondrian", "mpalm", "k-mondrian"]
Partitioning = Literal["strict", "relaxed"]


def _budget(nodes: int | None, seconds: float | None) -> dict[str, float]:
    given = {"nodes": nodes, "seconds": seconds}
    return {name: most for name, most in given.items() if most is not None}


@guarded
def Optimal(
    objective: Objective = None,
    *,
    nodes: int | None = None,
    seconds: float | None = None,
) -> optimal.Optimal:
    """The node of the lattice that loses least of all that hold the promises.

    Args:
        objective: the measure that is minimized.
        nodes: how many nodes to check at most.
        seconds: how long to search at most.
    """
    return built(optimal.Optimal, objective=objective, budget=_budget(nodes, seconds))


@guarded
def Incognito(
    objective: Objective = None,
    *,
    nodes: int | None = None,
    seconds: float | None = None,
) -> incognito.Incognito:
    """All minimal nodes of the lattice, by subsets of attributes, and the best of them.

    Args:
        objective: the measure that is minimized.
        nodes: how many nodes to check at most.
        seconds: how long to search at most.
    """
    return built(incognito.Incognito, objective=objective, budget=_budget(nodes, seconds))


@guarded
def Samarati(
    objective: Objective = None,
    *,
    nodes: int | None = None,
    seconds: float | None = None,
) -> samarati.Samarati:
    """A node of the smallest height, by binary search.

    Args:
        objective: the measure that is minimized.
        nodes: how many nodes to check at most.
        seconds: how long to search at most.
    """
    return built(samarati.Samarati, objective=objective, budget=_budget(nodes, seconds))


@guarded
def Datafly(
    objective: Objective = None,
    *,
    outliers: int | None = None,
) -> datafly.Datafly:
    """The attribute with most values is generalized until few enough rows are left over.

    Args:
        objective: the measure of the solution; the search minimizes none.
        outliers: rows in failing classes at which it ends; by default the limit of
            suppression, or else k.
    """
    return built(datafly.Datafly, objective=objective, outliers=outliers)


@guarded
def Mondrian(
    *,
    categories: Categories = "common-ancestor",
    bounds: bool = False,
    ends: Ends = "grid",
    cut: Cut = "median-both",
    execution: Execution = "recursive",
    labels: Labels = None,
    partitioning: Partitioning = "strict",
) -> mondrian.Mondrian:
    """Regions that are cut at medians, as long as both halves hold the promises.

    Args:
        categories: label of several categories.
        bounds: whether the ends of intervals are published as columns.
        ends: whether intervals end on a grid, or at values of persons.
        cut: where numbers are cut.
        execution: how the regions are found in the database.
        labels: of the region, or of the values in it.
        partitioning: relaxed: equal values may lie on both sides of a cut.
    """
    return built(
        mondrian.Mondrian,
        categories=categories,
        bounds=bounds,
        ends=ends,
        cut=cut,
        execution=execution,
        labels=labels,
        partitioning=partitioning,
    )


@guarded
def Mpalm(
    *,
    categories: Categories = "common-ancestor",
    bounds: bool = False,
    ends: Ends = "grid",
    cut: Cut = "median-both",
    execution: Execution = "recursive",
    labels: Labels = None,
) -> mpalm.Mpalm:
    """Mondrian over the population, whose rows widths and quantiles count; for δ-presence.

    Args:
        categories: label of several categories.
        bounds: whether the ends of intervals are published as columns.
        ends: whether intervals end on a grid, or at values of persons.
        cut: where numbers are cut.
        execution: how the regions are found in the database.
        labels: of the region, or of the values in it.
    """
    return built(
        mpalm.Mpalm,
        categories=categories,
        bounds=bounds,
        ends=ends,
        cut=cut,
        execution=execution,
        labels=labels,
    )


@guarded
def KMondrian(
    *,
    categories: Categories = "common-ancestor",
    bounds: bool = False,
    ends: Ends = "grid",
    cut: Cut = "median-both",
    execution: Execution = "recursive",
    labels: Labels = None,
) -> k_mondrian.KMondrian:
    """Mondrian by class size alone, with the smallest k whose classes hold the promises.

    Args:
        categories: label of several categories.
        bounds: whether the ends of intervals are published as columns.
        ends: whether intervals end on a grid, or at values of persons.
        cut: where numbers are cut.
        execution: how the regions are found in the database.
        labels: of the region, or of the values in it.
    """
    return built(
        k_mondrian.KMondrian,
        categories=categories,
        bounds=bounds,
        ends=ends,
        cut=cut,
        execution=execution,
        labels=labels,
    )


@guarded
def DimensionSplitting(
    *,
    categories: Categories = "common-ancestor",
    bounds: bool = False,
    ends: Ends = "grid",
) -> dimension_splitting.DimensionSplitting:
    """Regions that are split along one attribute after the other.

    Args:
        categories: label of several categories.
        bounds: whether the ends of intervals are published as columns.
        ends: whether intervals end on a grid, or at values of persons.
    """
    return built(
        dimension_splitting.DimensionSplitting, categories=categories, bounds=bounds, ends=ends
    )


@guarded
def StackAndDeal(
    attribute: str | None = None,
    *,
    categories: Categories = "common-ancestor",
    bounds: bool = False,
    ends: Ends = "grid",
    publish_as: Literal["classes", "buckets"] = "buckets",
    within: Mapping[str, int] | None = None,
) -> stack_and_deal.StackAndDeal:
    """Rows are stacked by a sensitive value, and dealt into classes or buckets.

    Args:
        attribute: the sensitive attribute; by default the only one of the plan.
        categories: label of several categories.
        bounds: whether the ends of intervals are published as columns.
        ends: whether intervals end on a grid, or at values of persons.
        publish_as: classes with labels, or buckets with values.
        within: levels by quasi-identifier; only rows with equal labels are dealt together.
    """
    return built(
        stack_and_deal.StackAndDeal,
        attribute=attribute,
        categories=categories,
        bounds=bounds,
        ends=ends,
        publish_as=publish_as,
        within=within,
    )


@guarded
def Bucketization(
    partition: Partition = "mondrian",
    *,
    cut: Cut = "median-both",
    execution: Execution = "recursive",
    partitioning: Partitioning = "strict",
) -> bucketization.Bucketization:
    """Buckets of rows that are close, whose sensitive values are permuted.

    Args:
        partition: how the buckets are cut.
        cut: where numbers are cut.
        execution: how the regions are found in the database.
        partitioning: relaxed: equal values may lie on both sides of a cut.
    """
    return built(
        bucketization.Bucketization,
        partition=partition,
        cut=cut,
        execution=execution,
        partitioning=partitioning,
    )


@guarded
def Anatomy(
    attribute: str | None = None,
    *,
    permute: bool = False,
) -> anatomy.Anatomy:
    """Buckets of l different sensitive values, which are published as a table of counts.

    Args:
        attribute: the sensitive attribute; by default the only one of the plan.
        permute: publish one table with permuted values instead.
    """
    return built(anatomy.Anatomy, attribute=attribute, permute=permute)


@guarded
def Slicing(
    columns: Literal["found", "one-attribute-per-column"] | Sequence[Sequence[str]] = "found",
    *,
    column_count: int = 3,
    sensitive: Literal["alone", "grouped"] = "alone",
    bins: int = 10,
    partition: Partition = "mondrian",
    cut: Cut = "median-both",
    execution: Execution = "recursive",
    partitioning: Partitioning = "strict",
) -> slicing.Slicing:
    """Buckets in which groups of columns are permuted separately.

    Args:
        columns: the groups; found: by the correlation of columns.
        column_count: how many groups are found.
        sensitive: whether the sensitive attribute is a group of its own.
        bins: of numbers, for correlations.
        partition: how the buckets are cut.
        cut: where numbers are cut.
        execution: how the regions are found in the database.
        partitioning: relaxed: equal values may lie on both sides of a cut.
    """
    return built(
        slicing.Slicing,
        columns=columns,
        column_count=column_count,
        sensitive=sensitive,
        bins=bins,
        partition=partition,
        cut=cut,
        execution=execution,
        partitioning=partitioning,
    )


@guarded
def Combined(
    partition: Partition = "mondrian",
    *,
    cut: Cut = "median-both",
    execution: Execution = "recursive",
    partitioning: Literal["strict"] = "strict",
    tries: int = 30,
    states: int = 20_000,
) -> combined.Combined:
    """Permuted buckets, with as little generalization as δ-presence requires.

    Args:
        partition: how the buckets are cut.
        cut: where numbers are cut.
        execution: how the regions are found in the database.
        partitioning: cuts between different values.
        tries: nodes to try in a bucket from below.
        states: the most states of an exact count in the search.
    """
    return built(
        combined.Combined,
        partition=partition,
        cut=cut,
        execution=execution,
        partitioning=partitioning,
        tries=tries,
        states=states,
    )
