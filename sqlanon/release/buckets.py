"""The steps from buckets to the published rows: parts of rows are permuted within each bucket."""

from __future__ import annotations

from sqlanon.plan.draft import BUCKET
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import values_place
from sqlanon.release.full_domain import copy_options
from sqlanon.release.header import release_lines, release_title
from sqlanon.search.bucket_levels import BucketLevels
from sqlanon.search.partition import PartitionProblem
from sqlanon.search.parts import parts_of
from sqlanon.search.slicing import sliced_promises, tuples_step
from sqlanon.solution.partition import PartitionSolution
from sqlanon.sql.render import render
from sqlanon.sql.step import Step, unused


def bucket_steps(
    plan: Plan, problem: PartitionProblem, solution: PartitionSolution | None, staged: str
) -> list[Step]:
    """Rows with their buckets, and the copy of rows that are reassembled from permuted parts."""
    groups = plan.column_groups if solution is None else solution.groups(plan)
    columns = plan.published_parts(groups)
    steps, rows, combinations = [], "dealt_rows", "row_combinations"
    if not plan.method.deals_rows:
        rows = "bucketed_rows"
        steps = problem.bucketed_steps(plan.method.cutting, columns)
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
    parts = parts_of(columns)
    part_of = {name: part for part in parts for name in part.columns}
    sql = render(
        "buckets/release.sql",
        title=release_title(plan),
        told=_told(plan, problem, rows, columns),
        rows=rows,
        combinations=combinations,
        parts=parts,
        columns=[(name, part_of[name]) for name in plan.publication_columns if name != BUCKET],
        names=problem.row_names,
    )
    options = copy_options(plan)
    steps.append(Step("release", sql, "copy", target=staged, copy_options=options))
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


def bucket_words(plan: Plan) -> dict[str, str]:
    """What becomes of the columns that are not as in the source."""
    words = dict.fromkeys(plan.labeled_in_buckets, "its label at the level of its bucket")
    if plan.separates_sensitive:
        words[plan.dealt_attribute or ""] = "counted by bucket, in a table of its own"
    return {**words, BUCKET: "the number of the bucket"}


def _told(
    plan: Plan, problem: PartitionProblem, rows: str, parts: list[list[str]]
) -> list[tuple[str, str]]:
    """What becomes of every column, and where the buckets come from."""
    words = bucket_words(plan)
    changed = {name: f"{words[name]} (bucket_nodes)" for name in plan.labeled_in_buckets}
    changed[BUCKET] = f"{words[BUCKET]}, from {rows}"
    if plan.method.deals_rows:
        made = f"rows are dealt to them by {plan.dealt_attribute} (step dealt_rows)"
    elif problem.deals_ties(plan.method.cutting):
        made = (
            "the regions of a table that is cut repeatedly (step regions); rows with the value of a"
            " cut are dealt to both sides (step dealt_rows)"
        )
    else:
        made = "the regions of a table that is cut repeatedly (steps regions, bucketed_rows)"
    together = "; ".join(", ".join(part) for part in parts)
    made_of = [("buckets", made), ("kept together", together)]
    if plan.separates_sensitive:
        apart = f"{plan.dealt_attribute}, counted by bucket in the second table (published_values)"
        made_of.append(("published apart", apart))
    return release_lines(plan, changed, made_of)
