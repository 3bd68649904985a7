"""The solution of a full-domain method: a lattice node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

from sqlanon.errors import brief
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.methods.full_domain import FullDomainResult
from sqlanon.plan.plan import Plan
from sqlanon.search.full_domain import FullDomainProblem
from sqlanon.solution.base import Solution
from sqlanon.source.frequency_set import Shape
from sqlanon.source.hierarchies import Generalized, generalized
from sqlanon.version import __version__


class LatticeCounts(BaseModel):
    """What the search found out about the lattice; null if the method does not find it out."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    nodes: int
    checked: int
    satisfying: int | None
    minimal: int | None


class FullDomainSolution(Solution):
    """A lattice node to publish.

    Attributes:
        node: level of each quasi-identifier.
        height: sum of the levels.
        cost: cost by the plan's objective; null for a method that does not compare nodes.
        words: number of the packed key that contains each quasi-identifier.
        minimal_nodes: all minimal nodes, if the method finds them.
    """

    node: dict[str, int]
    height: int
    objective: str
    cost: list[float] | None
    lattice: LatticeCounts
    words: dict[str, int]
    minimal_nodes: list[list[int]]

    @property
    def levels_in_order(self) -> tuple[int, ...]:
        """The node, in the order of the plan."""
        return tuple(self.node.values())

    @property
    def published_levels(self) -> dict[str, int]:
        return self.node

    @property
    def as_table(self) -> tuple[list[str], list[list[Any]]]:
        rows = [[n, level, self.levels[n] - 1] for n, level in self.node.items()]
        return ["quasi-identifier", "level", "of"], rows

    def labels(self, plan: Plan, hierarchies: Mapping[str, Hierarchy]) -> dict[str, Generalized]:
        return {
            name: generalized(plan, name, hierarchies[name].with_levels(self.levels[name]), level)
            for name, level in self.node.items()
        }

    @property
    def numbers(self) -> dict[str, str]:
        return {n: f"level {level} of {self.levels[n] - 1}" for n, level in self.node.items()}

    @property
    def coarseness(self) -> dict[str, tuple[str, int, Any]]:
        return {
            n: (f"{self.levels[n]} levels of {self.labels_sha256[n]}", level, None)
            for n, level in self.node.items()
        }

    @property
    def minimized(self) -> str | None:
        return self.objective

    @property
    def recorded_cost(self) -> list[float] | None:
        return self.cost

    @property
    def decisions(self) -> dict[str, Any]:
        return {**self.node, **super().decisions}

    def fits(self, plan: Plan) -> bool:
        names = list(plan.quasi_identifiers)
        return (
            super().fits(plan)
            and list(self.node) == names
            and set(self.words) == set(names)
            and set(plan.hierarchies) <= set(self.levels)
        )

    @property
    def contradiction(self) -> str | None:
        for name, level in self.node.items():
            top = self.levels.get(name, 0) - 1
            if not 0 <= level <= top:
                return f"'{brief(name)}' has no level {level}, as its top is level {top}"
        if self.height != sum(self.node.values()):
            return f"its height is not the sum of its levels, {sum(self.node.values())}"
        return super().contradiction

    @property
    def as_manifest(self) -> dict[str, Any]:
        return {
            **super().as_manifest,
            "node": self.node,
            "height": self.height,
            "lattice": self.lattice.model_dump(),
        }


def full_domain_solution(
    plan: Plan,
    problem: FullDomainProblem,
    shape: Shape,
    counts: dict[str, int],
    result: FullDomainResult,
) -> FullDomainSolution:
    """The solution of a full-domain method's result."""
    names = [attribute.name for attribute in problem.attributes]
    return FullDomainSolution(
        sqlanon_version=__version__,
        plan_sha256=plan.sha256,
        method=plan.method.name,
        label=result.label,
        node=dict(zip(names, result.node, strict=True)),
        height=sum(result.node),
        classes=result.score.class_count,
        published_rows=result.score.published_rows,
        suppressed_rows=result.score.suppressed_rows,
        objective=plan.objective.name,
        cost=None if result.cost is None else list(result.cost),
        lattice=LatticeCounts(
            nodes=problem.size,
            checked=result.checked,
            satisfying=result.satisfying,
            minimal=result.minimal,
        ),
        levels={name: shape.level_count(name) for name in shape.hierarchies},
        labels_sha256=dict(shape.labels),
        types={table: dict(types) for table, types in plan.types.items()},
        words=dict(shape.words),
        input=counts,
        minimal_nodes=[list(node) for node in result.minimal_nodes],
    )
