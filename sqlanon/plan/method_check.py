"""Checks that a plan's method fits the rest of the plan."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from sqlanon.errors import PlanError, caught, did_you_mean
from sqlanon.hierarchies.base import CutKind
from sqlanon.hierarchies.grid import grid_of
from sqlanon.methods.base import Method
from sqlanon.plan.draft import Draft
from sqlanon.plan.published import BUCKET
from sqlanon.search.column_groups import checked_groups
from sqlanon.search.slicing import KEEP_SENSITIVE_ALONE, unbounded_companions

_Plan = TypeVar("_Plan", bound=Draft)


def check_method(plan: Draft) -> Iterator[PlanError]:
    """The faults of a method that does not fit the rest of the plan."""
    yield from _check_cutting(plan, plan.method)
    yield from _check_labels(plan, plan.method)
    if plan.method.needs_sensitive:
        yield from _check_buckets(plan, plan.method)
    if plan.method.deals_rows:
        yield from _check_dealing(plan, plan.method)


def _check_cutting(plan: Draft, method: Method) -> Iterator[PlanError]:
    """Check that a method that cuts by a population has one, and that dealt rows have no order."""
    cutting = method.cutting
    if cutting.by_population and plan.population is None:
        yield PlanError(
            f"{method.name} cuts by the rows of a population, but the plan has none.",
            where=plan.where("method"),
            fix="add `population:`, or choose the method mondrian",
        )
    if cutting.relaxed and (plan.population is not None or plan.unit is not None):
        what = "a population" if plan.population is not None else "`unit`"
        yield PlanError(
            f"Relaxed partitioning deals rows of one combination to several classes; with {what},"
            " it would be unknown which class each person belongs to.",
            where=plan.where("method", "partitioning"),
            fix="write `partitioning: strict`",
        )
    if cutting.relaxed and plan.order == "source":
        yield PlanError(
            "Relaxed partitioning deals rows in a secret order; they cannot stay in the order of"
            " the source.",
            where=plan.where("order"),
            fix="leave out `order:`, or write `partitioning: strict`",
        )
    if cutting.relaxed and cutting.cut == "any":
        yield PlanError(
            "Relaxed partitioning deals rows at a quantile, which `cut: any` does not have.",
            where=plan.where("method", "cut"),
            fix="write `cut: median` or `cut: quantiles`, or `partitioning: strict`",
        )


def _check_labels(plan: Draft, method: Method) -> Iterator[PlanError]:
    """Check that labels can locate a population, and that columns of bounds have unused names."""
    if method.labels_are_sets and plan.population is not None:
        yield PlanError(
            "A set of values does not show where the rest of a population belongs.",
            where=plan.where("method", "categories"),
            fix="write `categories: common-ancestor`",
        )
    for name, column in plan.quasi_identifiers.items():
        if method.makes_partition and column.kind is not None:
            yield from check_grid(plan, name, column.kind)
    if not method.publishes_bounds:
        return
    taken = {name.lower() for name in plan.columns}
    for name, column in plan.quasi_identifiers.items():
        if column.kind is None:
            yield PlanError(
                f"`bounds: true` needs the type of '{name}' to know whether it has intervals.",
                where=plan.where("columns", name),
                fix="write `type: numeric`, date, ordinal or categorical",
            )
        for bound in plan.bound_columns.get(name, ()):
            if bound.lower() in taken:
                yield PlanError(
                    f"There is already a column '{bound}', and `bounds: true` would add another.",
                    where=plan.where("method", "bounds"),
                    fix="rename the column in a `source: {query: …}`, or leave out `bounds`",
                )


def check_grid(plan: Draft, name: str, kind: CutKind) -> Iterator[PlanError]:
    """Check that the grid of a column, if the plan states one, is one of values of this kind."""
    grid = plan.quasi_identifiers[name].grid
    if grid is None or kind == ("date" if grid_of(grid).period else "numeric"):
        return
    yield PlanError(
        f"'{name}' is cut as {kind}, which has no grid '{grid}'.",
        where=plan.where("columns", name, "grid"),
        fix="write a width for numbers, or a period for dates: month, quarter, year, decade or"
        " century; leave it out for other values",
    )


def _check_buckets(plan: Draft, method: Method) -> Iterator[PlanError]:
    """Check that a method that deals or permutes rows fits the rest of the plan."""
    if BUCKET in (name.lower() for name in plan.columns) and method.publishes_buckets:
        yield PlanError(
            f"There is already a column '{BUCKET}', and {method.name} adds another.",
            where=plan.where("columns", BUCKET),
            fix="rename the column in a `source: {query: …}`",
        )
    if not plan.sensitive_attributes:
        yield PlanError(
            f"{method.name} separates rows from their sensitive values, but the plan has no"
            " sensitive attribute.",
            where=plan.where("columns"),
            fix="give the role sensitive to the column that nobody should learn",
        )
    if plan.unit is not None:
        yield PlanError(
            f"{method.name} puts each row into a bucket on its own; a person with several rows"
            " would be in several buckets.",
            where=plan.where("unit"),
            fix="leave out `unit:`, or choose a method that generalizes, such as mondrian",
        )
    if plan.order == "source":
        yield PlanError(
            f"The rows that {method.name} publishes cannot stay in the order of the source, which"
            " would reveal whose they are.",
            where=plan.where("order"),
            fix="leave out `order:`",
        )
    by_population = method.cutting.by_population
    promises_presence = method.cuts_along_hierarchies
    if plan.population is not None and not (by_population or promises_presence):
        yield PlanError(
            f"{method.name} does not use a population.",
            where=plan.where("population"),
            fix="leave it out; `sqlanon attack --population` measures who can be found in one",
        )
    for number, model in enumerate(plan.privacy):
        if model.needs_population and not (promises_presence and model.presence):
            yield PlanError(
                f"Quasi-identifiers that are published as they are reveal who is in the table, so"
                f" buckets cannot promise {model.model}.",
                where=plan.where("privacy", number),
                fix="choose a method that generalizes, such as mondrian or mpalm",
            )
        if model.sensitive_attribute in plan.quasi_identifiers and method.publishes_buckets:
            yield PlanError(
                f"{model.model} cannot protect '{model.sensitive_attribute}', which is published"
                " with its row as it is.",
                where=plan.where("privacy", number, "attribute"),
                fix="give the column the role sensitive",
            )
    if promises_presence:
        yield from _check_combined(plan)
    if plan.is_sliced and plan.column_groups:
        where = plan.where("method", "columns")
        faults = caught(lambda: checked_groups(plan.column_groups, plan.published_columns, where))
        yield from faults
        if faults:
            return
        problem = unbounded_companions(plan.privacy, plan.column_groups, plan.sensitive_attributes)
        if problem is not None:
            yield PlanError(problem, where=where, fix=KEEP_SENSITIVE_ALONE)


def _check_combined(plan: Draft) -> Iterator[PlanError]:
    """Check that permuting every column with generalization fits the rest of the plan."""
    if plan.promises.presence is None:
        yield PlanError(
            f"{plan.method.name} generalizes only for δ-presence, which the plan does not promise.",
            where=plan.where("privacy"),
            fix="add `{model: delta-presence, dmin: 0, dmax: 0.5}`, or choose bucketization",
        )
    for name, column in plan.quasi_identifiers.items():
        if column.type not in (None, "categorical"):
            yield PlanError(
                f"{plan.method.name} cuts '{name}' along its hierarchy, not by its type.",
                where=plan.where("columns", name, "type"),
                fix="leave out `type:`, and give the column a hierarchy",
            )


def _check_dealing(plan: Draft, method: Method) -> Iterator[PlanError]:
    """Check that a method that deals rows by their values fits the rest of the plan."""
    if plan.bucket_size < 2:
        yield PlanError(
            f"The promises decide how many rows a bucket of {method.name} needs, and these promises"
            " allow single rows.",
            where=plan.where("privacy"),
            fix="add `{model: k-anonymity, k: 5}`, or an l-diversity model",
        )
    for name, level in method.strata.items():
        keys = ("method", "within", name)
        if name not in plan.quasi_identifiers:
            yield PlanError(
                f"'{name}' is not a quasi-identifier.",
                where=plan.where(*keys),
                fix=did_you_mean(name, plan.quasi_identifiers),
            )
            continue
        count = plan.quasi_identifiers[name].hierarchy.level_count
        if level < 0 or (count is not None and level >= count):
            yield PlanError(
                f"'{name}' has no level {level}.",
                where=plan.where(*keys),
                fix=f"give a level from 0 to {count - 1}" if count else "give a level of 0 or more",
            )
    others = set(plan.sensitive_attributes) - {plan.dealt_attribute}
    if others and method.separates_sensitive:
        yield PlanError(
            f"The second table of {method.name} has one sensitive attribute, but the plan has"
            f" {len(others) + 1}.",
            where=plan.where("columns", sorted(others)[0]),
            fix="leave the others out by a `source: {query: …}`, or publish buckets another way",
        )


def with_dealt_attribute(plan: _Plan) -> _Plan:
    """The plan, where the method names the sensitive attribute that it deals by.

    Raises:
        PlanError: the attribute is not sensitive, or there are several to choose from.
    """
    method = plan.method
    if not method.deals_rows or not plan.sensitive_attributes:
        return plan
    known = plan.sensitive_attributes
    if method.dealt_attribute is None and len(known) > 1:
        raise PlanError(
            f"The plan has {len(known)} sensitive attributes, and {method.name} does not say which"
            " one it deals by.",
            where=plan.where("method"),
            fix="add `attribute:` to the method, with the name of a sensitive column",
        )
    if method.dealt_attribute is not None and method.dealt_attribute not in known:
        raise PlanError(
            f"'{method.dealt_attribute}' is not a sensitive attribute of the plan.",
            where=plan.where("method", "attribute"),
            fix=did_you_mean(method.dealt_attribute, known),
        )
    dealt = method.model_copy(update={"attribute": method.dealt_attribute or known[0]})
    return plan.model_copy(update={"method": dealt})
