"""From buckets to the published rows: parts of rows are permuted within each bucket."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlanon.families.header import release_lines, release_title
from sqlanon.families.persons import copy_options
from sqlanon.families.release_by_place import has_many_rows, type_step
from sqlanon.families.solution import PartitionSolution
from sqlanon.plan.column_types import TEXT
from sqlanon.plan.draft import BUCKET
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import values_place
from sqlanon.search.bucket_levels import BucketLevels
from sqlanon.search.partition import PartitionProblem
from sqlanon.search.parts import Part, Parts, parts_of
from sqlanon.search.scales import CutAttribute
from sqlanon.search.slicing import sliced_promises, tuples_step
from sqlanon.sql.render import render, templated
from sqlanon.sql.step import Search, Step, unused, words


@dataclass(frozen=True)
class Buckets:
    """The publication of buckets, or of two tables that the numbers of buckets link.

    Attributes:
        title: what the classes are.
        problem: its `class_cells` hold the buckets.
        position: empty, as buckets have numbers, and two of them are never one.
        shows_regions: values show no boxes.
    """

    plan: Plan
    problem: PartitionProblem
    title = "buckets"
    position = ""
    shows_regions = False

    def steps(self, solution: PartitionSolution | None, staged: str) -> list[Step]:
        """Rows with their buckets, and the copy of rows reassembled from permuted parts."""
        plan, problem = self.plan, self.problem
        groups = plan.column_groups if solution is None else solution.groups(plan)
        columns = plan.published_parts(groups)
        rows, combinations = "dealt_rows", "row_combinations"
        steps: list[Step] = []
        if not plan.method.deals_rows:
            rows = "bucketed_rows"
            steps = problem.bucketed_steps(columns)
            presence = problem.promises.presence
            if presence is not None:
                raised = () if solution is None else solution.raised
                levels = BucketLevels(problem, *presence)
                combinations = "generalized_combinations"
                nodes = [levels.floors_step(), levels.nodes_step(raised)]
                steps = [*nodes, *steps, levels.generalized_step()]
        if plan.method.is_sliced:
            sliced = sliced_promises(plan.privacy, groups, plan.sensitive_attributes)
            steps += map(tuples_step, sliced)
        parts = parts_of(columns)
        part_of = {name: part for part in parts for name in part.columns}
        published = [(name, part_of[name]) for name in plan.form.columns if name != BUCKET]
        header = {"title": release_title(plan), "lines": self._lines(rows, columns)}
        inputs = {**header, "names": problem.row_names}
        repeats = solution is not None and solution.repeats_rows
        is_listed = repeats and combinations == "row_combinations"
        if is_listed and plan.engine.keeps_order and has_many_rows(solution):
            types = self._types([name for name, _ in published])
            steps += self._joined_steps(rows, parts, types)
            listed = [(name, part, types.get(name, "")) for name, part in published]
            sql = render("buckets/release_of_joined_parts.sql", **inputs, columns=listed)
        else:
            relations = {"rows": rows, "combinations": combinations, "parts": parts}
            sql = render("buckets/release.sql", **inputs, **relations, columns=published)
        options = copy_options(plan)
        steps.append(Step("release", sql, "copy", target=staged, copy_options=options))
        attribute = plan.form.apart
        if attribute:
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

    def _types(self, names: Sequence[str]) -> dict[str, str]:
        """The types of the texts of columns, by which they are written as numbers."""
        texts = [name for name in names if self.plan.release_types[name] == TEXT]
        return {name: f"value_of_{word}" for name, word in zip(texts, words(texts), strict=True)}

    def _joined_steps(
        self, rows: str, parts: Sequence[Part], types: Mapping[str, str]
    ) -> list[Step]:
        """The published rows in their order, as the numbers of the distinct rows of their parts."""
        made = [
            Step(part.shuffled, render("buckets/shuffled_part.sql", part=part, rows=rows))
            for part in parts
        ]
        joined = templated("buckets/joined_parts", parts=parts)
        return [
            *made,
            joined,
            *(
                type_step(kind, name, name, "row_combinations", masked=False)
                for name, kind in types.items()
            ),
        ]

    def words(self) -> dict[str, str]:
        """What becomes of the columns that are not as in the source."""
        plan = self.plan
        words = dict.fromkeys(plan.labeled_in_buckets, "its label at the level of its bucket")
        if plan.form.apart:
            words[plan.form.apart] = "counted by bucket, in a table of its own"
        return {**words, BUCKET: "the number of the bucket"}

    def measured_steps(self) -> list[Step]:
        """What measures read, and the release need not."""
        return []

    def measure_inputs(self) -> dict[str, dict[str, Any]]:
        """What measures may look at, and the inputs of their templates.

        Buckets have no labels, and levels only where `combined` generalizes them.
        """
        levels = [a.named("level") for a in self.problem.attributes]
        labeled = {"levels": {"levels": levels}} if self.plan.labeled_in_buckets else {}
        return {"classes": {}, **labeled}

    def class_count(self, solution: PartitionSolution) -> Search[int]:
        """Buckets."""
        return solution.classes
        yield  # no question

    @property
    def ends(self) -> list[CutAttribute]:
        """No attribute has ranges."""
        return []

    def _lines(self, rows: str, parts: Parts) -> Sequence[tuple[str, str]]:
        """What becomes of every column, and where the buckets come from."""
        plan, words = self.plan, self.words()
        changed = {name: f"{words[name]} (bucket_nodes)" for name in plan.labeled_in_buckets}
        changed[BUCKET] = f"{words[BUCKET]}, from {rows}"
        if plan.method.deals_rows:
            made = f"rows are dealt to them by {plan.dealt_attribute} (step dealt_rows)"
        elif self.problem.is_relaxed:
            made = (
                "the regions of a table that is cut repeatedly (step regions); rows with the value"
                " of a cut are dealt to both sides (step dealt_rows)"
            )
        else:
            made = "the regions of a table that is cut repeatedly (steps regions, bucketed_rows)"
        together = "; ".join(", ".join(part) for part in parts)
        made_of = [("buckets", made), ("kept together", together)]
        if plan.form.apart:
            apart = f"{plan.form.apart}, counted by bucket in the second table"
            made_of.append(("published apart", f"{apart} (published_values)"))
        return release_lines(plan, changed, made_of)
