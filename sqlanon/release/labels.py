"""The steps from classes to the published rows: a label for each class and column."""

from __future__ import annotations

from sqlanon.methods.base import LabelExtent
from sqlanon.plan.plan import Plan
from sqlanon.release.full_domain import copy_options
from sqlanon.search.partition import PartitionProblem
from sqlanon.sql.render import render
from sqlanon.sql.step import Step, unused

_BOUND_TYPES = {"numeric": "double", "date": "timestamp"}
"""SQL types of the columns with the ends of intervals."""


def label_steps(plan: Plan, problem: PartitionProblem, staged: str) -> list[Step]:
    """Regions of classes, their labels, and the copy of the published rows to the file `staged`."""
    key = unused("class", plan.columns)
    position = unused("position", plan.columns)
    return [
        *([problem.relaxed_rows_step()] if problem.deals_ties(plan.method.cutting) else []),
        _regions_step(plan, problem),
        Step(
            "class_labels",
            render(
                "partition/class_labels.sql",
                trees=problem.trees,
                sets=set_attributes(plan, problem),
                labels=label_extent(plan),
            ),
        ),
        Step(
            "published_classes",
            render(
                "partition/published_classes.sql",
                attributes=problem.attributes,
                key=key,
                position=position,
                bounds=[
                    (attribute.number, *plan.bound_columns[attribute.name],
                     _BOUND_TYPES[attribute.kind])
                    for attribute in problem.attributes
                    if attribute.name in plan.bound_columns
                ],
            ),
        ),
        _published_step(plan, problem, key, position, staged),
    ]  # fmt: skip


def label_extent(plan: Plan) -> LabelExtent | None:
    """The extent of the labels of the plan's method."""
    return plan.method.label_extent(population=plan.population is not None)


def set_attributes(plan: Plan, problem: PartitionProblem) -> list[int]:
    """Numbers of the attributes whose labels are sets of values."""
    if not plan.method.labels_are_sets:
        return []
    return [a.number for a in problem.attributes if a.kind in ("categorical", "ordinal")]


def _regions_step(plan: Plan, problem: PartitionProblem) -> Step:
    inputs = {"attributes": problem.attributes}
    if plan.method.cuts_attributes:
        return Step("class_regions", render("partition/split_regions.sql", **inputs))
    sql = render("partition/class_regions.sql", labels=label_extent(plan), **inputs)
    return Step("class_regions", sql)


def _published_step(
    plan: Plan, problem: PartitionProblem, key: str, position: str, staged: str
) -> Step:
    taken = list(plan.columns)
    return Step(
        "published",
        render(
            "partition/published.sql",
            attributes=problem.attributes,
            places=[unused(f"place_{a.number}", taken) for a in problem.attributes],
            dealt=plan.method.deals_rows or problem.deals_ties(plan.method.cutting),
            combination=problem.row_names["combination"],
            key=key,
            position=position,
            row_number=unused("row_number", taken),
            kept=list(plan.kept_columns),
            columns=[(name, name not in plan.kept_columns) for name in plan.publication_columns],
            order=plan.order,
        ),
        "copy",
        target=staged,
        copy_options=copy_options(plan),
    )
