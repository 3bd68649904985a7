"""Partitions: classes with their own labels, or buckets, that are cut from the table or dealt."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from sqlanon.errors import PlanError
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.hierarchies.grid import grid_of
from sqlanon.methods.partition import PartitionResult
from sqlanon.plan.plan import Plan
from sqlanon.release.buckets import bucket_steps, bucket_words
from sqlanon.release.labels import (
    label_extent,
    label_keys,
    label_steps,
    label_trees,
    label_words,
    regions_step,
    set_attributes,
)
from sqlanon.release.suppressed import SuppressedGroups
from sqlanon.release.way import (
    BUCKET_DISTANCES,
    PARTITION_TREE,
    Combinations,
    Prepared,
    Release,
    Way,
)
from sqlanon.search.dealing import DealingProblem
from sqlanon.search.partition import PartitionProblem
from sqlanon.search.scales import CutAttribute
from sqlanon.solution.base import not_held, outdated, require_same_input
from sqlanon.solution.partition import PartitionSolution, partition_solution
from sqlanon.solution.search import search_partition
from sqlanon.source.hierarchies import hierarchy_steps
from sqlanon.source.places import (
    PartitionShape,
    cell_steps,
    cutting_problem,
    dealing_problem,
    place_steps,
    prepare_places,
    stated_shape,
    used_hierarchies,
)
from sqlanon.source.tables import row_count_name, source_steps, unit_alias
from sqlanon.sql.render import render
from sqlanon.sql.step import CSV_OPTIONS, Search, Step, asked
from sqlanon.utility.base import ClassSizes, UtilityContext
from sqlanon.utility.matching import column_groups_of, matching
from sqlanon.utility.measures import STANDARD_MEASURES

ProblemType = TypeVar("ProblemType", bound=PartitionProblem)
_Asked = TypeVar("_Asked", bound=PartitionProblem, contravariant=True)


class SearchingMethod(Protocol[_Asked]):
    """A partitioning method for one kind of problem."""

    def search(self, problem: _Asked) -> Search[PartitionResult | None]:
        """Divide the rows; None if the promise does not hold."""

    def class_steps(self, problem: _Asked, result: PartitionResult | None) -> list[Step]:
        """The steps that make the classes again, without a search."""


@dataclass(frozen=True)
class PartitionRelease(Release[PartitionSolution], Generic[ProblemType]):
    """The release of classes that are cut or dealt again."""

    plan: Plan
    method: SearchingMethod[ProblemType]
    shape: PartitionShape
    problem: ProblemType

    def steps(self, solution: PartitionSolution | None, staged: str) -> list[Step]:
        plan, problem = self.plan, self.problem
        result = None if solution is None else solution.result
        published = (
            bucket_steps(plan, problem, solution, staged)
            if plan.publishes_buckets
            else label_steps(plan, problem, staged)
        )
        cells = [] if plan.method.deals_rows else cell_steps(plan, problem)
        return [
            *source_steps(plan),
            *hierarchy_steps(plan, self.shape.hierarchies),
            *place_steps(plan, problem.attributes),
            *cells,
            *self.method.class_steps(problem, result),
            *published,
        ]

    def words(self, solution: PartitionSolution) -> dict[str, str]:
        plan = self.plan
        return bucket_words(plan) if plan.publishes_buckets else label_words(plan, self.problem)

    def description(self, solution: PartitionSolution | None) -> tuple[str, str]:
        title = "buckets" if self.plan.publishes_buckets else "regions"
        if solution is None:
            return title, f"made below, method {self.plan.method.name}"
        found = f"({solution.method}: {solution.label})"
        return title, f"{solution.classes:,} classes when solved {found}"

    @property
    def ends(self) -> Sequence[CutAttribute]:
        if self.shape.grids is None:
            return ()
        printed = set(
            label_trees(self.plan, self.problem) + set_attributes(self.plan, self.problem)
        )
        return [a for a in self.problem.attributes if a.number not in printed]

    def measured_steps(self) -> list[Step]:
        plan, problem = self.plan, self.problem
        return [
            *([problem.tree_step()] if plan.method.cuts_regions else []),
            *([] if plan.publishes_buckets else [regions_step(plan, problem)]),
        ]

    def reader_steps(self, folder: str) -> list[Step]:
        """The tree of cuts, with values only if the published regions show them anyway."""
        if not self.plan.method.cuts_regions:
            return []
        has_population = self.plan.population is not None
        sql = render(
            "partition/shown_tree.sql",
            with_values=label_extent(self.plan) == "region" and not has_population,
            population=has_population,
        )
        file = f"{folder}/{PARTITION_TREE}"
        return [Step("shown_tree", sql, "copy", target=file, copy_options=CSV_OPTIONS)]


@dataclass(frozen=True)
class PreparedPartition(Prepared[PartitionSolution], Generic[ProblemType]):
    """A plan's cells, prepared."""

    needs_classes: ClassVar[bool] = True
    plan: Plan
    method: SearchingMethod[ProblemType]
    problem: ProblemType
    release: PartitionRelease[ProblemType]
    counts: dict[str, int]

    def search(self) -> Search[PartitionSolution]:
        found = self.method.search(self.problem)
        result = yield from search_partition(self.plan, self.problem, found)
        return partition_solution(self.plan, self.release.shape, self.counts, result)

    def applied(self, reviewed: PartitionSolution) -> Search[PartitionSolution]:
        plan, result = self.plan, reviewed.result
        now = partition_solution(plan, self.release.shape, self.counts, result)
        require_same_input(plan, reviewed, now)
        changed = outdated(
            plan, "It names values or buckets by their numbers, and the table has changed"
        )
        if reviewed.counts_places and now.published_rows != reviewed.published_rows:
            raise changed
        made = self.method.class_steps(self.problem, result)
        for step in dict.fromkeys([*made, *self.release.measured_steps()]):
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
        inputs = self._measure_inputs()
        utility: dict[str, Any] = {}
        for measure in STANDARD_MEASURES:
            key = measure.name.replace("-", "_")
            if measure.on_regions not in inputs:
                utility[key] = None
                continue
            merged = measure.on_regions == "classes" and not self.plan.publishes_buckets
            sql = measure.region_sql(context, inputs[measure.on_regions])
            cost = yield from self._valued(measure.name, sql, merged=merged)
            utility[key] = measure.reported((float(cost),))
        if self.plan.is_sliced:
            utility |= yield from matching(
                column_groups_of(solution.groups(self.plan), self.plan.quasi_identifiers),
                problem.row_names["combination"],
                overlapping=problem.deals_ties(self.plan.method.cutting),
            )
        return utility

    def _valued(self, title: str, sql: str, *, merged: bool) -> Search[Any]:
        """Ask for a cost of the classes.

        Args:
            title: what is measured.
            sql: the select of the measure.
            merged: whether classes with the same labels are one.
        """
        class_key, position = label_keys(self.plan)
        valued = render(
            "partition/valued_partition.sql",
            key=class_key,
            position=position if merged else "",
            measure_title=title,
            measure_sql=sql,
        )
        ((cost,),) = yield Step("valued_partition", valued, "rows")
        return cost

    def column_losses(self, solution: PartitionSolution) -> Search[dict[str, float]]:
        inputs = self._measure_inputs().get("labels")
        if inputs is None:
            return {}
        sql = render("partition/column_losses.sql", **inputs)
        losses = yield from self._valued("loss of each quasi-identifier", sql, merged=False)
        return {a.name: loss for a, loss in zip(self.problem.attributes, losses, strict=True)}

    def _measure_inputs(self) -> dict[str, dict[str, Any]]:
        """What measures may look at, and the inputs of their templates.

        Buckets have no labels, and levels only where `combined` generalizes them. Labels have
        levels where all of them are labels of hierarchies.
        """
        plan, problem = self.plan, self.problem
        found: dict[str, dict[str, Any]] = {"classes": {}}
        labels = label_extent(plan)
        if plan.publishes_buckets:
            if plan.labeled_in_buckets:
                found["levels"] = {"levels": [a.named("level") for a in problem.attributes]}
        elif labels is not None:
            found["labels"] = {
                "trees": problem.trees,
                "sets": set_attributes(plan, problem),
                "places": {a.number: a.place for a in problem.attributes},
                "labels": labels,
                "measured": [a.number for a in problem.attributes if a.kind in ("numeric", "date")],
            }
            if len(label_trees(plan, problem)) == len(problem.attributes):
                found["levels"] = {"levels": []}
        return found

    def suppressed_groups(self, solution: PartitionSolution) -> Search[list[SuppressedGroups]]:
        return []
        yield  # every row is in a class that holds the promises, or there is no solution

    def class_sizes(self, solution: PartitionSolution) -> Search[ClassSizes]:
        key, position = label_keys(self.plan)
        merged = "" if self.plan.publishes_buckets else position
        unit = self.plan.unit is not None
        sql = render("partition/partition_class_sizes.sql", key=key, position=merged, unit=unit)
        ((count, smallest, total),) = yield Step("partition_class_sizes", sql, "rows")
        return ClassSizes(count, smallest, total)

    @property
    def combinations(self) -> Combinations:
        plan = self.plan
        names = tuple(plan.quasi_identifiers)
        relation = "sqlanon.source_combinations"
        return Combinations(relation, names, row_count_name(plan), unit_alias(plan))

    def class_count(self, solution: PartitionSolution) -> Search[int]:
        if self.plan.publishes_buckets:
            return solution.classes
        _, position = label_keys(self.plan)
        sql = render("partition/published_class_count.sql", position=position)
        ((classes,),) = yield Step("published_class_count", sql, "rows")
        return int(classes)


@dataclass(frozen=True)
class PartitionWay(Way[PartitionSolution], Generic[ProblemType]):
    """Classes with their own labels, or buckets."""

    plan: Plan
    method: SearchingMethod[ProblemType]
    solution_kind: type[PartitionSolution] = PartitionSolution

    @abstractmethod
    def problem(self, shape: PartitionShape, row_count: int = 0) -> ProblemType:
        """The problem that the method solves; without a row count, only for writing SQL."""

    def prepare(
        self, hierarchies: Mapping[str, Hierarchy]
    ) -> Search[PreparedPartition[ProblemType]]:
        shape, counts = yield from prepare_places(self.plan, hierarchies)
        problem = self.problem(shape, counts["rows"])
        yield from asked(cell_steps(self.plan, problem))
        return self._prepared(problem, shape, counts)

    def _prepared(
        self, problem: ProblemType, shape: PartitionShape, counts: dict[str, int]
    ) -> PreparedPartition[ProblemType]:
        release = PartitionRelease(self.plan, self.method, shape, problem)
        return PreparedPartition(self.plan, self.method, problem, release, counts)

    def release(
        self, hierarchies: Mapping[str, Hierarchy], solution: PartitionSolution | None
    ) -> PartitionRelease[ProblemType]:
        shape = (
            stated_shape(self.plan, hierarchies)
            if solution is None
            else _recorded_shape(self.plan, hierarchies, solution)
        )
        return PartitionRelease(self.plan, self.method, shape, self.problem(shape))


class CuttingWay(PartitionWay[PartitionProblem]):
    """Regions or whole attributes are cut."""

    def problem(self, shape: PartitionShape, row_count: int = 0) -> PartitionProblem:
        return cutting_problem(self.plan, shape, row_count)


class DealtRelease(PartitionRelease[DealingProblem]):
    """The release of rows that are dealt again."""

    def measured_steps(self) -> list[Step]:
        return [self.problem.bucket_cells_step(), *super().measured_steps()]

    def reader_steps(self, folder: str) -> list[Step]:
        return [self.problem.shown_distances_step(f"{folder}/{BUCKET_DISTANCES}")]


class PreparedDealing(PreparedPartition[DealingProblem]):
    """A plan's rows, to be dealt."""

    def measure(self, solution: PartitionSolution) -> Search[dict[str, Any]]:
        """Every utility measure, and the distances of the buckets from the table."""
        utility = yield from super().measure(solution)
        return utility | (yield from self.problem.distances())


class DealingWay(PartitionWay[DealingProblem]):
    """Rows are dealt to buckets by a sensitive value."""

    def problem(self, shape: PartitionShape, row_count: int = 0) -> DealingProblem:
        return dealing_problem(self.plan, shape, row_count)

    def _prepared(
        self, problem: DealingProblem, shape: PartitionShape, counts: dict[str, int]
    ) -> PreparedDealing:
        release = DealtRelease(self.plan, self.method, shape, problem)
        return PreparedDealing(self.plan, self.method, problem, release, counts)


def _recorded_shape(
    plan: Plan, hierarchies: Mapping[str, Hierarchy], solution: PartitionSolution
) -> PartitionShape:
    """What a solution records about the data."""
    used = used_hierarchies(plan, solution.kinds, hierarchies)
    known = {name: hierarchy.with_levels(solution.levels[name]) for name, hierarchy in used.items()}
    grids = {name: grid_of(text) for name, text in solution.grids.items()}
    return PartitionShape(known, solution.kinds, grids=grids if plan.method.hides_ends else None)
