"""The steps from buckets to the published rows: parts of rows are permuted within each bucket."""

from __future__ import annotations

from sqlanon.plan.plan import BUCKET, Plan
from sqlanon.plan.tables import values_place
from sqlanon.release.full_domain import copy_options
from sqlanon.search.bucket_levels import BucketLevels
from sqlanon.search.partition import PartitionProblem, row_keys
from sqlanon.search.slicing import sliced_promises, tuples_step
from sqlanon.solution.partition import PartitionSolution
from sqlanon.sql.render import render
from sqlanon.sql.step import Step, unused


def bucket_steps(
    plan: Plan, problem: PartitionProblem, solution: PartitionSolution | None, staged: str
) -> list[Step]:
    """Rows with their buckets, and the copy of rows that are reassembled from permuted parts."""
    groups = plan.column_groups if solution is None else solution.groups(plan)
    parts = plan.published_parts(groups)
    steps, rows, combinations = [], "dealt_rows", "row_combinations"
    if not plan.method.deals_rows:
        rows = "bucketed_rows"
        steps = [*problem.row_steps(len(parts)), problem.bucketed_rows_step(len(parts))]
        presence = problem.promises.presence
        if presence is not None:
            raised = () if solution is None else solution.result.raised
            levels = BucketLevels(problem, *presence)
            combinations = "generalized_combinations"
            steps = [
                levels.floors_step(),
                levels.nodes_step(raised),
                *steps,
                levels.generalized_step(),
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
