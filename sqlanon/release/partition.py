"""From cells to the rows of a partitioned publication, as steps. Nothing is executed here."""

from __future__ import annotations

from typing import cast

from sqlanon.methods.base import DealingMethod, LabelingMethod, PartitionMethod, RegionMethod
from sqlanon.plan.plan import BUCKET, Plan
from sqlanon.plan.tables import values_place
from sqlanon.release.full_domain import copy_options
from sqlanon.search.bucket_levels import Combining, Raised
from sqlanon.search.dealing import DealingProblem, Leftover, Turn
from sqlanon.search.partition import PartitionProblem, row_keys
from sqlanon.search.scales import Interval
from sqlanon.search.slicing import sliced_promises, tuples_step
from sqlanon.solution.file import PartitionSolution
from sqlanon.source.places import PartitionShape, is_dealt, problem_of
from sqlanon.sql.render import render
from sqlanon.sql.step import Step, unused

_BOUND_TYPES = {"numeric": "double", "date": "timestamp"}
"""SQL types of the columns that hold the ends of intervals."""


def partition_steps(
    plan: Plan, method: PartitionMethod, shape: PartitionShape, solution: PartitionSolution | None
) -> list[Step]:
    """The steps that make the classes: rows dealt, cuts in one statement or round by round, or
    the intervals that a search found."""
    problem = problem_of(plan, shape)
    if isinstance(method, DealingMethod):
        turns = [] if solution is None else [Turn(*entry) for entry in solution.turns]
        leftovers = [] if solution is None else [Leftover(*entry) for entry in solution.leftovers]
        dealing = cast(DealingProblem, problem)
        return [
            *dealing.row_steps(dealing.part_count),
            method.rows_step(dealing, turns, leftovers),
            dealing.bucket_cells_step(),
        ]
    if not isinstance(method, RegionMethod):
        intervals = [] if solution is None else [Interval(*entry) for entry in solution.intervals]
        return [
            problem.intervals_step(intervals),
            problem.intervals_proof_step(),
            problem.split_cells_step(),
        ]
    cutting, promises = method.cutting, problem.promises
    if solution is not None and solution.k is not None:
        promises = problem.by_class_size(solution.k)
    if method.execution == "recursive":
        steps = [problem.regions_step(cutting, promises)]
    else:
        rounds = solution.rounds if solution is not None and solution.rounds is not None else 0
        steps = [problem.first_round_step(cutting)]
        steps += [
            problem.next_round_step(cutting, number, promises) for number in range(1, rounds + 2)
        ]
        steps.append(problem.rounds_step(rounds))
    return [*steps, problem.class_cells_step(cutting), problem.tree_step()]


def publication_steps(
    plan: Plan,
    method: PartitionMethod,
    shape: PartitionShape,
    solution: PartitionSolution | None,
    staged: str,
) -> list[Step]:
    """From classes to the published rows in the file `staged`: labels for each, or buckets."""
    if plan.publishes_buckets:
        return _bucket_steps(plan, method, shape, solution, staged)
    return _label_steps(plan, cast(LabelingMethod, method), shape, staged)


def _bucket_steps(
    plan: Plan,
    method: PartitionMethod,
    shape: PartitionShape,
    solution: PartitionSolution | None,
    staged: str,
) -> list[Step]:
    """Rows with their buckets; the copy of rows that are put together from parts of them."""
    groups = plan.column_groups if solution is None else solution.column_groups
    parts, problem = plan.published_parts(groups), problem_of(plan, shape)
    steps, rows, combinations = [], "dealt_rows", "row_combinations"
    if not isinstance(method, DealingMethod):
        rows = "bucketed_rows"
        steps = [*problem.row_steps(len(parts)), problem.bucketed_rows_step(len(parts))]
        presence = problem.promises.presence
        if presence is not None:
            raised = [] if solution is None else solution.raised
            combining = Combining(problem, *presence)
            combinations = "generalized_combinations"
            steps = [
                combining.floors_step(),
                combining.nodes_step([Raised(bucket, tuple(node)) for bucket, *node in raised]),
                *steps,
                combining.generalized_step(),
            ]
    if plan.is_sliced:
        steps += [
            tuples_step(each)
            for each in sliced_promises(plan.privacy, groups, plan.sensitive_attributes)
        ]
    part_of = {name: number for number, part in enumerate(parts, start=1) for name in part}
    sql = render(
        "buckets/published.sql",
        rows=rows,
        combinations=combinations,
        parts=parts,
        columns=[(name, part_of[name]) for name in plan.publication_columns if name != BUCKET],
        names=problem.row_names,
        keys=row_keys(len(parts))[1:],
    )
    options = copy_options(plan)
    steps.append(Step("published", sql, "copy", target=staged, copy_options=options))
    if plan.separates_sensitive:
        attribute = plan.dealt_attribute or ""
        sql = render(
            "buckets/published_values.sql",
            rows=rows,
            attribute=attribute,
            count=unused("row_count", [attribute]),
            names=problem.row_names,
        )
        target = values_place(staged)
        steps.append(Step("published_values", sql, "copy", target=target, copy_options=options))
    return steps


def _label_steps(
    plan: Plan, method: LabelingMethod, shape: PartitionShape, staged: str
) -> list[Step]:
    """Boxes of classes, their labels, and the copy of the published rows to the file `staged`."""
    problem = problem_of(plan, shape)
    key = unused("class", plan.columns)
    position = unused("position", plan.columns)
    return [
        *([problem.relaxed_rows_step()] if is_dealt(plan, problem) else []),
        _regions_step(plan, problem, method),
        Step(
            "class_labels",
            render(
                "partition/class_labels.sql",
                trees=problem.trees,
                sets=set_attributes(problem, method),
                labels=_extent(plan, method),
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


def _extent(plan: Plan, method: LabelingMethod) -> str:
    return method.label_extent(population=plan.population is not None)


def tree_step(plan: Plan, method: PartitionMethod, file: str) -> Step | None:
    """The cuts that were made, written to a file for readers; None where no regions are cut.

    Their values stand in it only where the published regions tell them anyway.
    """
    if not isinstance(method, RegionMethod):
        return None
    inputs = {
        "with_values": isinstance(method, LabelingMethod)
        and _extent(plan, method) == "region"
        and plan.population is None,
        "population": plan.population is not None,
    }
    sql = render("partition/shown_tree.sql", **inputs)
    return Step("shown_tree", sql, "copy", target=file, copy_options="format csv, header true")


def set_attributes(problem: PartitionProblem, method: LabelingMethod) -> list[int]:
    """Numbers of the attributes whose labels are sets of values."""
    if method.categories != "set":
        return []
    return [a.number for a in problem.attributes if a.kind in ("categorical", "ordinal")]


def _regions_step(plan: Plan, problem: PartitionProblem, method: LabelingMethod) -> Step:
    inputs = {"attributes": problem.attributes}
    if method.cuts_attributes:
        return Step("class_regions", render("partition/split_regions.sql", **inputs))
    sql = render("partition/class_regions.sql", labels=_extent(plan, method), **inputs)
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
            dealt=isinstance(plan.method, DealingMethod) or is_dealt(plan, problem),
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
