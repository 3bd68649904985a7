"""Lattice nodes: what one node for all rows, and passes of several nodes, have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Generic, Self, TypeVar, cast

from sqlanon.dialects.steps import one_query
from sqlanon.families.base import Family
from sqlanon.families.changed_rows import changed_steps
from sqlanon.families.header import level_words
from sqlanon.families.persons import released
from sqlanon.families.placing import LeveledSolution, levels_of
from sqlanon.families.refining import refined_steps
from sqlanon.families.release_by_place import is_by_place, place_steps
from sqlanon.families.release_query import (
    changed_release,
    label_checks,
    node_lines,
    release_sql,
)
from sqlanon.families.search_program import search_steps
from sqlanon.families.solution import PassesSolution
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.methods.full_domain import FullDomainMethod
from sqlanon.plan.plan import Plan
from sqlanon.search.full_domain import FullDomainProblem
from sqlanon.source.frequency_set import Shape, coding_steps, level_bits_step, prepare
from sqlanon.source.hierarchies import hierarchy_steps
from sqlanon.source.tables import source_steps
from sqlanon.sql.step import Search, Step

Leveled = TypeVar("Leveled", bound=LeveledSolution)


@dataclass(frozen=True)
class LeveledFamily(Family[Leveled], Generic[Leveled]):
    """Labels are those of levels of hierarchies: the search is in a lattice."""

    needs_classes: ClassVar[bool] = False

    shape: Shape
    lattice_problem: FullDomainProblem | None = None

    @classmethod
    def prepare(cls, plan: Plan, hierarchies: Mapping[str, Hierarchy]) -> Search[Self]:
        problem, shape, counts = yield from prepare(plan, hierarchies)
        return cls(plan, counts, shape, problem)

    @classmethod
    def recorded(
        cls, plan: Plan, hierarchies: Mapping[str, Hierarchy], solution: Leveled | None
    ) -> Self:
        if solution is None:
            return cls(plan, {}, Shape(hierarchies, dict.fromkeys(plan.quasi_identifiers, 1)))
        known = {name: solution.known(name, each) for name, each in hierarchies.items()}
        return cls(plan, {}, Shape(known, solution.words))

    @property
    def problem(self) -> FullDomainProblem:
        assert self.lattice_problem is not None, "the data was not asked"
        return self.lattice_problem

    @property
    def method(self) -> FullDomainMethod:
        """The method of the plan."""
        return cast(FullDomainMethod, self.plan.method)

    # --- release

    def release_steps(self, solution: Leveled | None, staged: str) -> list[Step]:
        plan, shape = self.plan, self.shape
        if solution is not None and is_by_place(plan, solution):
            placed = place_steps(plan, shape, solution, staged)
            return [*source_steps(plan), *self._labels(solution), *placed]
        rows, lines = release_sql(plan, shape, solution), node_lines(plan, shape, solution)
        if plan.changed_columns:
            changed = changed_release(plan, shape, lines)
            release = changed_steps(plan, rows, changed, lines, staged)
        else:
            release = released(plan, rows, lines, staged)
        if solution is not None:
            return [*source_steps(plan), *self._labels(solution), *release]
        return [*source_steps(plan), *self._coding(), *search_steps(plan, shape), *release]

    def release_query(self, solution: Leveled | None) -> str:
        if not is_by_place(self.plan, solution) or (solution and solution.rounds is not None):
            return ""
        more = [("executed", "in steps, by sql/program.sql: the same rows in the same order")]
        rows = release_sql(self.plan, self.shape, solution, more)
        if not self.plan.changed_columns:
            return rows
        lines = [*node_lines(self.plan, self.shape, solution), *more]
        changed = changed_release(self.plan, self.shape, lines)
        steps = changed_steps(self.plan, rows, changed, lines, "")
        return one_query(steps, steps[-1].name)

    def _coding(self) -> list[Step]:
        """The source as packed keys of hierarchies."""
        hierarchies = hierarchy_steps(self.plan, self.shape.hierarchies)
        return [*hierarchies, level_bits_step(), *coding_steps(self.plan, self.shape)]

    def _labels(self, solution: Leveled) -> list[Step]:
        """The proofs that every value has its label; whole hierarchies if a proof reads them.

        Labels of refined classes are made before the release.
        """
        if solution.rounds is not None:
            refined = cast(PassesSolution, solution)
            return [*self._coding(), *refined_steps(self.plan, refined)]
        if self.plan.population is not None or any(m.needs_value_levels for m in self.plan.privacy):
            return hierarchy_steps(self.plan, self.shape.hierarchies)
        return label_checks(self.plan, self.shape, solution)

    def words(self, solution: Leveled) -> dict[str, str]:
        return level_words(self.plan, self.shape, levels_of(solution))
