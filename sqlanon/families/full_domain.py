"""Full-domain generalization: search for a lattice node, and release the table at its levels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from sqlanon.errors import PlanError, brief, did_you_mean
from sqlanon.families.lattice_view import LatticeView, lattice_view
from sqlanon.families.leveled import LeveledFamily
from sqlanon.families.search import search_lattice
from sqlanon.families.solution import FullDomainSolution, not_held, of_input, require_same_input
from sqlanon.families.suppressed import SuppressedGroups, suppressed_groups
from sqlanon.methods.full_domain import FullDomainResult
from sqlanon.proof.publication import class_aliases
from sqlanon.search.lattice import Node
from sqlanon.sql.render import question, templated
from sqlanon.sql.step import Search, Step
from sqlanon.utility.base import ClassSizes, Cost, UtilityMeasure
from sqlanon.utility.measures import STANDARD_MEASURES


@dataclass(frozen=True)
class FullDomainFamily(LeveledFamily[FullDomainSolution]):
    """Each column has one level for all rows: the search is for a lattice node."""

    solution_kind: ClassVar[type[FullDomainSolution]] = FullDomainSolution

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
        costs = yield from self.problem.measured(node, STANDARD_MEASURES)
        if objective not in STANDARD_MEASURES:
            values = yield from self.problem.value([node], objective)
            costs[objective.name] = values[node][0]
        return _reported((*STANDARD_MEASURES, objective), costs)

    def standard_measures(self, solution: FullDomainSolution) -> Search[dict[str, Any]]:
        costs = yield from self.problem.measured(solution.levels_in_order, STANDARD_MEASURES)
        return _reported(STANDARD_MEASURES, costs)

    def class_sizes(self, solution: FullDomainSolution) -> Search[ClassSizes]:
        return self.problem.class_sizes(solution.levels_in_order)

    def column_losses(self, solution: FullDomainSolution) -> Search[dict[str, float]]:
        attributes = [one[1:4] for one in self._unchanged(solution)]
        if not attributes:
            return {}
        inputs = {"attributes": attributes, "row_count": self.problem.row_count}
        return dict((yield question("release/column_losses", **inputs)))

    def column_distances(self, solution: FullDomainSolution) -> Search[dict[str, float]]:
        attributes = self._unchanged(solution)
        if not attributes:
            return {}
        inputs = {"attributes": attributes, "placed": False}
        yield templated("release/reconstructed_values", **inputs)
        return (yield from super().column_distances(solution))

    def _unchanged(self, solution: FullDomainSolution) -> list[tuple[int, str, str, int, float]]:
        """Number, name, alias, level and weight of the quasi-identifiers that keep their labels.

        Of others nothing is left to compare.
        """
        aliases, levels = class_aliases(self.plan), solution.levels_in_order
        return [
            (number, one.name, aliases[one.name], levels[number - 1], one.weight)
            for number, one in enumerate(self.problem.attributes, start=1)
            if one.name not in self.plan.changed_columns
        ]

    def suppressed_groups(self, solution: FullDomainSolution) -> Search[list[SuppressedGroups]]:
        if any(column.is_label for column in self.plan.changed_columns.values()):
            return []  # the rows do not show which labels they had
        levels = solution.levels_in_order
        return (yield from suppressed_groups(self.plan, self.problem, levels))

    def lattice(self, solution: FullDomainSolution) -> Search[LatticeView | None]:
        minimal = [tuple(node) for node in solution.minimal_nodes]
        return lattice_view(self.problem, solution.levels_in_order, minimal)

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
