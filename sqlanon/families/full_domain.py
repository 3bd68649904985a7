"""Full-domain generalization: search for a lattice node, and release the table at its levels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from sqlanon.dialects.steps import one_query
from sqlanon.errors import PlanError, brief, did_you_mean
from sqlanon.families.base import Combinations, Family
from sqlanon.families.changed_rows import changed_steps
from sqlanon.families.header import level_words
from sqlanon.families.lattice_view import LatticeView, lattice_view
from sqlanon.families.persons import released
from sqlanon.families.release_by_place import is_by_place, place_steps
from sqlanon.families.release_query import (
    changed_release,
    label_checks,
    node_lines,
    release_sql,
)
from sqlanon.families.search import search_lattice
from sqlanon.families.search_program import search_steps
from sqlanon.families.solution import FullDomainSolution, not_held, of_input, require_same_input
from sqlanon.families.suppressed import SuppressedGroups, suppressed_groups
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.methods.full_domain import FullDomainMethod, FullDomainResult
from sqlanon.plan.plan import Plan
from sqlanon.proof.publication import renamed
from sqlanon.search.full_domain import FullDomainProblem
from sqlanon.search.lattice import Node
from sqlanon.source.frequency_set import Shape, coding_steps, level_bits_step, prepare
from sqlanon.source.hierarchies import hierarchy_steps
from sqlanon.source.tables import source_steps
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step
from sqlanon.utility.base import ClassSizes, Cost, UtilityMeasure
from sqlanon.utility.measures import STANDARD_MEASURES


@dataclass(frozen=True)
class FullDomainFamily(Family[FullDomainSolution]):
    """Each column has one level for all rows: the search is for a lattice node."""

    solution_kind: ClassVar[type[FullDomainSolution]] = FullDomainSolution
    needs_classes: ClassVar[bool] = False

    shape: Shape
    lattice_problem: FullDomainProblem | None = None

    @classmethod
    def prepare(cls, plan: Plan, hierarchies: Mapping[str, Hierarchy]) -> Search[FullDomainFamily]:
        problem, shape, counts = yield from prepare(plan, hierarchies)
        return cls(plan, counts, shape, problem)

    @classmethod
    def recorded(
        cls, plan: Plan, hierarchies: Mapping[str, Hierarchy], solution: FullDomainSolution | None
    ) -> FullDomainFamily:
        if solution is None:
            return cls(plan, {}, Shape(hierarchies, dict.fromkeys(plan.quasi_identifiers, 1)))
        known = {
            name: hierarchy.with_levels(solution.levels[name])
            for name, hierarchy in hierarchies.items()
        }
        return cls(plan, {}, Shape(known, solution.words))

    @property
    def problem(self) -> FullDomainProblem:
        assert self.lattice_problem is not None, "the data was not asked"
        return self.lattice_problem

    @property
    def method(self) -> FullDomainMethod:
        """The method of the plan."""
        return cast(FullDomainMethod, self.plan.method)

    def search(self) -> Search[FullDomainSolution]:
        found = self.method.search(self.problem)
        result = yield from search_lattice(self.plan, self.problem, found)
        return (yield from self._with_persons(self._solution(result)))

    def applied(self, reviewed: FullDomainSolution) -> Search[FullDomainSolution]:
        plan = self.plan
        now = reviewed.model_copy(update=of_input(plan, self.shape, self.counts))
        require_same_input(plan, reviewed, now)
        (score,) = yield from self.problem.score([reviewed.levels_in_order])
        if not self.method.accepts(self.problem, score):
            limit = plan.suppression.limit or 0
            raise not_held(
                plan,
                f"{score.suppressed_rows:,} of {self.problem.row_count:,} rows would have to be"
                f" suppressed, and {self.problem.limit_rows:,} may be (limit {limit})"
                if score.suppressed_rows > self.problem.limit_rows
                else "the classes that hold their promises do not hold them together",
            )
        counted = {
            "classes": score.class_count,
            "published_rows": score.published_rows,
            "suppressed_rows": score.suppressed_rows,
            "words": dict(self.shape.words),
        }
        return (yield from self._with_persons(now.model_copy(update=counted)))

    def chosen(
        self, node: Mapping[str, int] | None, own: Callable[[], FullDomainSolution]
    ) -> Search[tuple[FullDomainSolution, bool]]:
        levels = own().levels_in_order if node is None else self._levels(node)
        (score,) = yield from self.problem.score([levels])
        found = self._solution(FullDomainResult(levels, "given", score, checked=1))
        return found, self.problem.satisfies(score)

    def measure(self, solution: FullDomainSolution) -> Search[dict[str, Any]]:
        """Every utility measure of the node; the objective with the parameters of the plan."""
        node, objective = solution.levels_in_order, self.problem.objective
        others = [measure for measure in STANDARD_MEASURES if measure.name != objective.name]
        costs = yield from self.problem.measured(node, others)
        values = yield from self.problem.value([node], objective)
        costs[objective.name] = values[node][0]
        return _reported((*STANDARD_MEASURES, objective), costs)

    def standard_measures(self, solution: FullDomainSolution) -> Search[dict[str, Any]]:
        costs = yield from self.problem.measured(solution.levels_in_order, STANDARD_MEASURES)
        return _reported(STANDARD_MEASURES, costs)

    def class_sizes(self, solution: FullDomainSolution) -> Search[ClassSizes]:
        return self.problem.class_sizes(solution.levels_in_order)

    def column_losses(self, solution: FullDomainSolution) -> Search[dict[str, float]]:
        names = renamed([attribute.name for attribute in self.problem.attributes])
        levels = zip(names, solution.levels_in_order, strict=True)
        changed = self.plan.changed_columns  # labels of which nothing is left to compare
        attributes = [(*name, level) for name, level in levels if name[0] not in changed]
        if not attributes:
            return {}
        inputs = {"attributes": attributes, "row_count": self.problem.row_count}
        sql = render("release/column_losses.sql", **inputs)
        return dict((yield Step("column_losses", sql, "rows")))

    def suppressed_groups(self, solution: FullDomainSolution) -> Search[list[SuppressedGroups]]:
        if any(column.is_label for column in self.plan.changed_columns.values()):
            return []  # the rows do not show which labels they had
        levels = solution.levels_in_order
        return (yield from suppressed_groups(self.plan, self.problem, levels))

    def lattice(self, solution: FullDomainSolution) -> Search[LatticeView | None]:
        minimal = [tuple(node) for node in solution.minimal_nodes]
        return lattice_view(self.problem, solution.levels_in_order, minimal)

    @property
    def combinations(self) -> Combinations:
        key = tuple(f"key_{word}" for word in range(1, self.problem.words + 1))
        return Combinations("sqlanon.frequency_set", key, "row_count", "person")

    def class_count(self, solution: FullDomainSolution) -> Search[int]:
        return solution.classes
        yield  # every label of a node is that of one class

    def _solution(self, result: FullDomainResult) -> FullDomainSolution:
        return FullDomainSolution.of(self.plan, self.problem, self.shape, self.counts, result)

    def _with_persons(self, solution: FullDomainSolution) -> Search[FullDomainSolution]:
        """The solution with its counts of persons, where each is published whole or not at all."""
        if not self.problem.promises.linked:
            return solution
        counted = "select count(distinct person)\nfrom sqlanon.frequency_set"
        ((persons,),) = yield Step("counted_persons", counted, "rows")
        published = (yield from self.class_sizes(solution)).total
        counts = {"input": persons, "published": published, "suppressed": persons - published}
        return solution.model_copy(update={"persons": counts})

    def _levels(self, node: Mapping[str, int]) -> Node:
        """The levels of a node given by name; quasi-identifiers that are not named have level 0."""
        names = [attribute.name for attribute in self.problem.attributes]
        for name in node:
            if name not in names:
                raise PlanError(
                    f"'{brief(name)}' is not a quasi-identifier.",
                    where="--node",
                    fix=did_you_mean(name, names),
                )
        levels = []
        for attribute in self.problem.attributes:
            level = node.get(attribute.name, 0)
            if type(level) is not int or not 0 <= level <= attribute.top:
                raise PlanError(
                    f"'{attribute.name}' has no such level.",
                    where="--node",
                    fix=f"give a level from 0 to {attribute.top}",
                )
            levels.append(level)
        return tuple(levels)

    # --- release

    def release_steps(self, solution: FullDomainSolution | None, staged: str) -> list[Step]:
        plan, shape = self.plan, self.shape
        if solution is not None and is_by_place(plan, solution):
            placed = place_steps(plan, shape, solution, staged)
            return [*source_steps(plan), *self._checks(solution), *placed]
        rows, lines = release_sql(plan, shape, solution), node_lines(plan, shape, solution)
        if plan.changed_columns:
            changed = changed_release(plan, shape, lines, has_classes=False)
            release = changed_steps(plan, rows, changed, lines, staged)
        else:
            release = released(plan, rows, lines, staged)
        if solution is not None:
            return [*source_steps(plan), *self._checks(solution), *release]
        return [
            *source_steps(plan),
            *hierarchy_steps(plan, shape.hierarchies),
            level_bits_step(),
            *coding_steps(plan, shape),
            *search_steps(plan, shape),
            *release,
        ]

    def release_query(self, solution: FullDomainSolution | None) -> str:
        if not is_by_place(self.plan, solution):
            return ""
        more = [("executed", "in steps, by sql/program.sql: the same rows in the same order")]
        rows = release_sql(self.plan, self.shape, solution, more)
        if not self.plan.changed_columns:
            return rows
        lines = [*node_lines(self.plan, self.shape, solution), *more]
        changed = changed_release(self.plan, self.shape, lines, has_classes=False)
        steps = changed_steps(self.plan, rows, changed, lines, "")
        return one_query(steps, steps[-1].name)

    def _checks(self, solution: FullDomainSolution) -> list[Step]:
        """The proofs that every value has its label; whole hierarchies if a proof reads them."""
        if self.plan.population is not None or any(m.needs_value_levels for m in self.plan.privacy):
            return hierarchy_steps(self.plan, self.shape.hierarchies)
        return label_checks(self.plan, self.shape, solution)

    def words(self, solution: FullDomainSolution) -> dict[str, str]:
        return level_words(self.plan, self.shape, solution.nodes)

    def description(self, solution: FullDomainSolution | None) -> tuple[str, str]:
        if solution is None:
            method = f"method {self.plan.method.name}, objective {self.plan.objective.name}"
            return "levels", f"searched below, {method}"
        levels = ", ".join(f"{name} {level}" for name, level in solution.node.items())
        found = f"found by {solution.method}: {solution.label}"
        return "levels", f"{levels} (height {solution.height}; {found})"


def _reported(measures: Sequence[UtilityMeasure], costs: Mapping[str, Cost]) -> dict[str, Any]:
    """The measures as a manifest shows them; of two with one name the last."""
    utility: dict[str, Any] = {}
    for name, measure in {measure.name: measure for measure in measures}.items():
        reported = measure.reported(costs[name])
        utility[name.replace("-", "_")] = None if reported == float("inf") else reported
    return utility
