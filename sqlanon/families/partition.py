"""Partitions: classes with their own labels, or buckets, that are cut from the table or dealt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, cast

from sqlanon.errors import PlanError
from sqlanon.families.base import Family
from sqlanon.families.buckets import Buckets
from sqlanon.families.labels import ClassLabels, class_key
from sqlanon.families.search import search_partition
from sqlanon.families.solution import (
    PartitionSolution,
    not_held,
    outdated,
    require_same_input,
)
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.hierarchies.grid import grid_of
from sqlanon.methods.partition import PartitionMethod
from sqlanon.plan.plan import Plan
from sqlanon.search.partition import PartitionProblem
from sqlanon.search.scales import CutAttribute
from sqlanon.source.hierarchies import hierarchy_steps
from sqlanon.source.places import (
    PartitionShape,
    cell_steps,
    partition_problem,
    place_steps,
    prepare_places,
    stated_shape,
    used_hierarchies,
)
from sqlanon.source.tables import source_steps
from sqlanon.sql.render import question, render
from sqlanon.sql.step import Search, Step, asked
from sqlanon.utility.base import ClassSizes, UtilityContext
from sqlanon.utility.matching import column_groups_of, matching
from sqlanon.utility.measures import STANDARD_MEASURES


@dataclass(frozen=True)
class PartitionFamily(Family[PartitionSolution]):
    """The rows are divided into classes with their own labels, or into buckets."""

    solution_kind: ClassVar[type[PartitionSolution]] = PartitionSolution
    needs_classes: ClassVar[bool] = True

    shape: PartitionShape

    @classmethod
    def prepare(cls, plan: Plan, hierarchies: Mapping[str, Hierarchy]) -> Search[PartitionFamily]:
        shape, counts = yield from prepare_places(plan, hierarchies)
        prepared = cls(plan, counts, shape)
        yield from asked(cell_steps(plan, prepared.problem))
        return prepared

    @classmethod
    def recorded(
        cls, plan: Plan, hierarchies: Mapping[str, Hierarchy], solution: PartitionSolution | None
    ) -> PartitionFamily:
        if solution is None:
            return cls(plan, {}, stated_shape(plan, hierarchies))
        used = used_hierarchies(plan, solution.kinds, hierarchies)
        known = {name: solution.known(name, each) for name, each in used.items()}
        grids = {name: grid_of(text) for name, text in solution.grids.items()}
        grids_used = grids if plan.method.hides_ends else None
        return cls(plan, {}, PartitionShape(known, solution.kinds, grids=grids_used))

    @cached_property
    def problem(self) -> PartitionProblem:
        return partition_problem(self.plan, self.shape, self.counts.get("rows", 0))

    @property
    def method(self) -> PartitionMethod:
        """The method of the plan."""
        return cast(PartitionMethod, self.plan.method)

    @cached_property
    def publication(self) -> ClassLabels | Buckets:
        """What is published of the classes."""
        kind = Buckets if self.plan.form.bucket else ClassLabels
        return kind(self.plan, self.problem)

    # --- search

    def search(self) -> Search[PartitionSolution]:
        found = self.method.search(self.problem)
        result = yield from search_partition(self.plan, self.problem, found)
        return PartitionSolution.of(self.plan, self.shape, self.counts, result)

    def applied(self, reviewed: PartitionSolution) -> Search[PartitionSolution]:
        plan = self.plan
        now = PartitionSolution.of(plan, self.shape, self.counts, reviewed)
        require_same_input(plan, reviewed, now)
        changed = outdated(
            plan, "It names values or buckets by their numbers, and the table has changed"
        )
        if reviewed.counts_places and now.published_rows != reviewed.published_rows:
            raise changed
        made = self.method.class_steps(self.problem, reviewed)
        for step in dict.fromkeys([*made, *self.measured_steps()]):
            violations = yield step
            if violations:
                raise changed
        judged = yield from self.problem.judged()
        if judged.failing_classes or not judged.covers:
            raise not_held(
                plan,
                f"{judged.failing_classes:,} of {judged.class_count:,} classes fail"
                if judged.failing_classes
                else "a person of the population falls into no class",
            )
        if reviewed.counts_places and judged.class_count != reviewed.classes:
            raise changed
        return now.model_copy(update={"classes": judged.class_count})

    def chosen(
        self, node: Mapping[str, int] | None, own: Callable[[], PartitionSolution]
    ) -> Search[tuple[PartitionSolution, bool]]:
        """The partition, searched again."""
        if node:
            raise PlanError(
                f"{self.plan.method.name} makes regions and has no lattice nodes.",
                where="--node",
                fix="leave out --node, or measure a plan with a full-domain method",
            )
        return (yield from self.search()), True

    def measure(self, solution: PartitionSolution) -> Search[dict[str, Any]]:
        """Every utility measure; null where it does not apply."""
        problem = self.problem
        context = UtilityContext(
            row_count=problem.row_count,
            limit_rows=0,
            k=self.plan.promises.anonymity_k,
            words=1,
            weights={a.name: a.weight for a in problem.attributes},
            heights={},
            kinds={},
        )
        inputs = self.publication.measure_inputs()
        asked: dict[str, dict[str, str]] = {}
        for measure in STANDARD_MEASURES:
            if measure.on_regions in inputs:
                position = self.publication.position if measure.on_regions == "classes" else ""
                sql = measure.region_sql(context, inputs[measure.on_regions])
                asked.setdefault(position, {})[measure.name] = sql
        costs: dict[str, Any] = {}
        for position, measures in asked.items():
            costs |= yield from self._valued(measures, position)
        utility: dict[str, Any] = {
            one.name.replace("-", "_"): one.reported((float(costs[one.name]),))
            if one.name in costs
            else None
            for one in STANDARD_MEASURES
        }
        if self.plan.method.is_sliced:
            utility |= yield from matching(
                column_groups_of(solution.groups(self.plan), self.plan.quasi_identifiers),
                problem.row_names["combination"],
                overlapping=problem.is_relaxed,
            )
        return utility | (yield from problem.measures())

    def _valued(self, measures: Mapping[str, str], position: str = "") -> Search[dict[str, Any]]:
        """Ask for costs of the classes, by name of the measure; one statement.

        Args:
            measures: the selects of the measures by their names.
            position: the column by which classes with the same labels are one, if they are.
        """
        (costs,) = yield question(
            "partition/valued_partition",
            key=class_key(self.plan),
            position=position,
            unit=False,
            kinds=self.problem.has_kinds,
            measures=[(f"by_{n.replace('-', '_')}", n, sql) for n, sql in measures.items()],
        )
        return dict(zip(measures, costs, strict=True))

    def column_losses(self, solution: PartitionSolution) -> Search[dict[str, float]]:
        if "labels" not in self.publication.measure_inputs():
            return {}
        sql = render("partition/column_losses.sql")
        losses = (yield from self._valued({"column-losses": sql}))["column-losses"]
        return {a.name: loss for a, loss in zip(self.problem.attributes, losses, strict=True)}

    def column_distances(self, solution: PartitionSolution) -> Search[dict[str, float]]:
        if "labels" not in self.publication.measure_inputs():
            return {}
        return (yield from super().column_distances(solution))

    def class_sizes(self, solution: PartitionSolution) -> Search[ClassSizes]:
        ((count, smallest, total),) = yield question(
            "partition/partition_class_sizes",
            key=class_key(self.plan),
            position=self.publication.position,
            unit=self.plan.unit is not None,
            kinds=self.problem.has_kinds,
        )
        return ClassSizes(count, smallest, total)

    def class_count(self, solution: PartitionSolution) -> Search[int]:
        return self.publication.class_count(solution)

    # --- release

    def release_steps(self, solution: PartitionSolution | None, staged: str) -> list[Step]:
        plan, problem = self.plan, self.problem
        return [
            *source_steps(plan),
            *hierarchy_steps(plan, self.shape.hierarchies),
            *place_steps(plan, problem.attributes),
            *([] if plan.method.deals_rows else cell_steps(plan, problem)),
            *self.method.class_steps(problem, solution),
            *self.publication.steps(solution, staged),
        ]

    def words(self, solution: PartitionSolution) -> dict[str, str]:
        return self.publication.words()

    def description(self, solution: PartitionSolution | None) -> tuple[str, str]:
        title = self.publication.title
        if solution is None:
            return title, f"made below, method {self.plan.method.name}"
        found = f"({solution.method}: {solution.label})"
        return title, f"{solution.classes:,} classes when solved {found}"

    @property
    def ends(self) -> Sequence[CutAttribute]:
        return () if self.shape.grids is None else self.publication.ends

    def measured_steps(self) -> list[Step]:
        return [*self.problem.measured_steps(), *self.publication.measured_steps()]

    def reader_steps(self, folder: str) -> list[Step]:
        """What shows the cuts, with values only if the published regions show them anyway."""
        with_values = self.publication.shows_regions and self.plan.population is None
        return self.problem.reader_steps(folder, with_values=with_values)
