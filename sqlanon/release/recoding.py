"""The ways to recode a table: full-domain, where a level is chosen, or by partition, into regions.

Each says how its problem is prepared, what its solution is, which steps lead from the source to
the published rows, and what is lost. All other rooms are the same for both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, cast

from sqlanon.errors import PlanError
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.methods.base import FullDomainResult, LabelingMethod, PartitionMethod, PartitionResult
from sqlanon.plan.plan import Plan
from sqlanon.release.full_domain import chosen_node_step, release_steps
from sqlanon.release.partition import partition_steps, publication_steps, set_attributes, tree_step
from sqlanon.release.search_program import search_steps
from sqlanon.search.dealing import DealingProblem
from sqlanon.search.full_domain import FullDomainProblem
from sqlanon.search.lattice import Node
from sqlanon.search.partition import PartitionProblem
from sqlanon.solution.file import (
    FullDomainSolution,
    PartitionSolution,
    Solution,
    full_domain_solution,
    partition_solution,
)
from sqlanon.source.frequency_set import Shape, coding_steps, level_bits_step, prepare
from sqlanon.source.hierarchies import hierarchy_steps
from sqlanon.source.places import (
    PartitionShape,
    cell_steps,
    place_steps,
    prepare_partition,
    stated_kinds,
    used_hierarchies,
)
from sqlanon.source.tables import source_steps
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step
from sqlanon.utility.base import UtilityContext, UtilityMeasure
from sqlanon.utility.measures import (
    Ambiguity,
    AverageClassSize,
    Discernibility,
    Entropy,
    Height,
    Loss,
    Precision,
)

STANDARD_MEASURES: tuple[UtilityMeasure, ...] = (
    Discernibility(), AverageClassSize(), Loss(), Height(), Precision(), Entropy(), Ambiguity(),
)  # fmt: skip
"""What every manifest tells."""

PARTITION_TREE = "partition_tree.csv"
"""File in the target folder that tells the cuts of a partition."""

BUCKET_DISTANCES = "bucket_distances.csv"
"""File in the target folder that tells how far dealt buckets are from the table."""

Problem = FullDomainProblem | PartitionProblem
"""What a method may ask."""


class Prepared(Protocol):
    """A plan whose problem is prepared: what a method searches, and what comes of its result."""

    @property
    def problem(self) -> Problem: ...

    def solution(self, result: FullDomainResult | PartitionResult) -> Solution:
        """The solution of the method's result."""


class Recoding(Protocol):
    """A way to recode a table."""

    def prepare(self, plan: Plan, hierarchies: Mapping[str, Hierarchy]) -> Search[Prepared]:
        """Build what a search reads; see `prepare.prepare`."""

    def steps(
        self,
        plan: Plan,
        hierarchies: Mapping[str, Hierarchy],
        solution: Solution | None,
        staged: str,
    ) -> list[Step]:
        """From the source to the published rows in the file `staged`.

        Raises:
            PlanError: the plan needs to be solved first.
        """

    def told(self, plan: Plan, solution: Solution | None) -> tuple[str, str]:
        """A title and a line on what was found, for the head of a program."""

    def shown(self, plan: Plan, problem: Problem, folder: str) -> list[Step]:
        """Files in the target folder that show how the classes came about; after `measure`."""

    def measure(self, problem: Problem, plan: Plan, solution: Solution) -> Search[dict[str, Any]]:
        """What the publication loses, by every measure; after its steps were executed."""


@dataclass(frozen=True)
class _PreparedFullDomain:
    plan: Plan
    problem: FullDomainProblem
    shape: Shape
    counts: dict[str, int]

    def solution(self, result: FullDomainResult | PartitionResult) -> Solution:
        node = cast(FullDomainResult, result)
        return full_domain_solution(self.plan, self.problem, self.shape, self.counts, node)


class FullDomain:
    """One level for every row of a column: a lattice node is searched."""

    def prepare(self, plan: Plan, hierarchies: Mapping[str, Hierarchy]) -> Search[Prepared]:
        return _PreparedFullDomain(plan, *(yield from prepare(plan, hierarchies)))

    def steps(
        self,
        plan: Plan,
        hierarchies: Mapping[str, Hierarchy],
        solution: Solution | None,
        staged: str,
    ) -> list[Step]:
        found = cast(FullDomainSolution | None, solution)
        known = _with_levels(hierarchies, found)
        words = dict.fromkeys(plan.quasi_identifiers, 1) if found is None else found.words
        shape = Shape(known, words)
        node = (
            search_steps(plan, shape) if found is None else [chosen_node_step(plan, shape, found)]
        )
        return [
            *source_steps(plan),
            *hierarchy_steps(plan, known),
            level_bits_step(),
            *coding_steps(plan, shape),
            *node,
            *release_steps(plan, shape, staged),
        ]

    def told(self, plan: Plan, solution: Solution | None) -> tuple[str, str]:
        if solution is None:
            method = f"method {plan.method.name}, objective {plan.objective.name}"
            return "levels", f"searched below, {method}"
        found = cast(FullDomainSolution, solution)
        levels = ", ".join(f"{name} {level}" for name, level in found.node.items())
        return "levels", f"{levels} (height {found.height}; found by {found.method}: {found.label})"

    def shown(self, plan: Plan, problem: Problem, folder: str) -> list[Step]:
        return []

    def measure(self, problem: Problem, plan: Plan, solution: Solution) -> Search[dict[str, Any]]:
        node = cast(FullDomainSolution, solution).levels_in_order
        return (yield from measure_node(cast(FullDomainProblem, problem), node))


@dataclass(frozen=True)
class _PreparedPartition:
    plan: Plan
    problem: PartitionProblem
    shape: PartitionShape
    counts: dict[str, int]

    def solution(self, result: FullDomainResult | PartitionResult) -> Solution:
        partition = cast(PartitionResult, result)
        return partition_solution(self.plan, self.shape, self.counts, partition)


class Partition:
    """Classes with labels of their own: regions are cut, or whole attributes."""

    def prepare(self, plan: Plan, hierarchies: Mapping[str, Hierarchy]) -> Search[Prepared]:
        return _PreparedPartition(plan, *(yield from prepare_partition(plan, hierarchies)))

    def steps(
        self,
        plan: Plan,
        hierarchies: Mapping[str, Hierarchy],
        solution: Solution | None,
        staged: str,
    ) -> list[Step]:
        method = cast(PartitionMethod, plan.method)
        found = cast(PartitionSolution | None, solution)
        shape = self._shape(plan, method, hierarchies, found)
        return [
            *source_steps(plan),
            *hierarchy_steps(plan, shape.hierarchies),
            *place_steps(plan, shape),
            *cell_steps(plan, shape),
            *partition_steps(plan, method, shape, found),
            *publication_steps(plan, method, shape, found, staged),
        ]

    def _shape(
        self,
        plan: Plan,
        method: PartitionMethod,
        hierarchies: Mapping[str, Hierarchy],
        solution: PartitionSolution | None,
    ) -> PartitionShape:
        if solution is not None:
            used = used_hierarchies(plan, solution.kinds, hierarchies)
            return PartitionShape(_with_levels(used, solution), solution.kinds)
        kinds = stated_kinds(plan)
        unknown = [name for name, kind in kinds.items() if kind is None]
        if unknown:
            raise PlanError(
                f"What the values of '{unknown[0]}' are is only known from the data.",
                where=plan.where("columns", unknown[0]),
                fix="run `sqlanon solve` first, or write `type: numeric`, date or ordinal",
            )
        if not method.is_one_statement:
            raise PlanError(
                f"How '{method.name}' divides the rows is only known from the data.",
                where=plan.where("method"),
                fix="run `sqlanon solve` first; then `sqlanon compile` writes the program",
            )
        known = {name: kind for name, kind in kinds.items() if kind is not None}
        return PartitionShape(used_hierarchies(plan, known, hierarchies), known)

    def told(self, plan: Plan, solution: Solution | None) -> tuple[str, str]:
        title = "buckets" if plan.publishes_buckets else "regions"
        if solution is None:
            return title, f"made below, method {plan.method.name}"
        return (
            title,
            f"{solution.classes:,} classes when solved ({solution.method}: {solution.label})",
        )

    def shown(self, plan: Plan, problem: Problem, folder: str) -> list[Step]:
        method = cast(PartitionMethod, plan.method)
        if isinstance(problem, DealingProblem):
            return [problem.shown_distances_step(f"{folder}/{BUCKET_DISTANCES}")]
        step = tree_step(plan, method, f"{folder}/{PARTITION_TREE}")
        return [] if step is None else [step]

    def measure(self, problem: Problem, plan: Plan, solution: Solution) -> Search[dict[str, Any]]:
        partition = cast(PartitionProblem, problem)
        method = cast(PartitionMethod, plan.method)
        return (yield from _measure_partition(partition, method))


def recoding_of(plan: Plan) -> Recoding:
    """How the plan's method recodes a table."""
    return Partition() if isinstance(plan.method, PartitionMethod) else FullDomain()


def measure_node(problem: FullDomainProblem, node: Node) -> Search[dict[str, Any]]:
    """Every utility measure of a node, by name; the plan's objective with its own parameters."""
    objective = problem.objective
    measures = {measure.name: measure for measure in (*STANDARD_MEASURES, objective)}
    utility: dict[str, Any] = {}
    for name, measure in measures.items():
        values = yield from problem.value([node], measure)
        reported = measure.reported(values[node][0])
        utility[name.replace("-", "_")] = None if reported == float("inf") else reported
    return utility


def _measure_partition(
    problem: PartitionProblem, method: PartitionMethod
) -> Search[dict[str, Any]]:
    """Every utility measure of a partition; those about hierarchy levels are null."""
    context = UtilityContext(
        row_count=problem.row_count,
        limit_rows=0,
        k=problem.k,
        words=1,
        weights={a.name: a.weight for a in problem.attributes},
        heights={},
    )
    inputs: dict[str, Any] = {}
    if isinstance(method, LabelingMethod) and not method.publishes_buckets:
        inputs = {
            "trees": problem.trees,
            "sets": set_attributes(problem, method),
            "labels": method.label_extent(population=problem.promises.population),
            "measured": [a.number for a in problem.attributes if a.kind in ("numeric", "date")],
        }
    utility: dict[str, Any] = {}
    for measure in STANDARD_MEASURES:
        is_asked = inputs or measure.on_regions == "classes"  # buckets have no labels to measure
        sql = measure.region_sql(context, inputs) if is_asked else None
        key = measure.name.replace("-", "_")
        if sql is None:
            utility[key] = None
            continue
        ((cost,),) = yield Step(
            "valued_partition",
            render("partition/valued_partition.sql", measure_title=measure.name, measure_sql=sql),
            "rows",
        )
        utility[key] = measure.reported((float(cost),))
    if isinstance(problem, DealingProblem):
        utility |= yield from problem.distances()
    return utility


def _with_levels(
    hierarchies: Mapping[str, Hierarchy], solution: Solution | None
) -> dict[str, Hierarchy]:
    """The hierarchies, their number of levels as the solution recorded it."""
    if solution is None:
        return dict(hierarchies)
    return {
        name: hierarchy.with_levels(solution.levels[name])
        for name, hierarchy in hierarchies.items()
    }
