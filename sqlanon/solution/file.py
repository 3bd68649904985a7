"""The solution file: what a search found, enough to compile the release without searching again.

`plan.yml` and `plan.solution.json` together fix the release program, byte for byte; both are meant
to be reviewed and kept in version control. No value of a source row stands in it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict

from sqlanon.errors import PlanError
from sqlanon.hierarchies.base import CutKind
from sqlanon.methods.base import FullDomainResult, PartitionMethod, PartitionResult, RegionMethod
from sqlanon.plan.column_types import may_leave
from sqlanon.plan.plan import Plan
from sqlanon.search.full_domain import FullDomainProblem
from sqlanon.source.frequency_set import Shape
from sqlanon.source.hierarchies import known_level_count
from sqlanon.source.places import PartitionShape, stated_kinds, used_hierarchies
from sqlanon.system.files import write_whole
from sqlanon.version import __version__


class LatticeCounts(BaseModel):
    """What the search learned of the lattice; null where the method does not learn it."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    nodes: int
    checked: int
    satisfying: int | None
    minimal: int | None


_LONG = ("minimal_nodes", "intervals", "turns", "leftovers", "raised")
"""Lists of a solution that are written with one entry a line."""


class Solution(BaseModel):
    """What a search found, of whatever kind.

    Attributes:
        method: which found it; label: what the method claims of it.
        classes, published_rows, suppressed_rows: of the publication.
        levels: of every hierarchy that is used.
        input: rows, and rows dropped for missing values.
        types: of the columns that are read of the source, and of the population where there is one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    sqlanon_version: str
    plan_sha256: str
    method: str
    label: str
    classes: int
    published_rows: int
    suppressed_rows: int
    levels: dict[str, int]
    types: dict[str, dict[str, str]]
    input: dict[str, int]

    @property
    def as_manifest(self) -> dict[str, Any]:
        """The entry of the manifest; what a kind of solution does not have is null."""
        unknown = {"nodes": None, "checked": None, "satisfying": None, "minimal": None}
        return {
            "method": self.method,
            "label": self.label,
            "node": None,
            "height": None,
            "classes": self.classes,
            "lattice": unknown,
        }

    def fits(self, plan: Plan) -> bool:
        """Whether the file can be a solution of this plan: its method, its columns, its numbers."""
        columns = {"source": set(plan.read_columns)}
        if "population" in self.types:  # an attack may name one that the plan has not
            columns["population"] = set(plan.quasi_identifiers)
        return (
            self.method == plan.method.name
            and all(n >= 1 for n in self.levels.values())
            and {table: set(types) for table, types in self.types.items()} == columns
            and all(may_leave(kind) for types in self.types.values() for kind in types.values())
        )

    def write(self, path: Path) -> None:
        """Write the file, whole or not at all; long lists with one entry a line."""
        data = self.model_dump(mode="json")
        long = {name: data.pop(name) for name in _LONG if name in data}
        parts = [json.dumps(data, indent=2, ensure_ascii=False).removesuffix("\n}")]
        for name, entries in long.items():
            listed = ",\n    ".join(json.dumps(entry) for entry in entries)
            parts.append(f'  "{name}": ' + (f"[\n    {listed}\n  ]" if entries else "[]"))
        write_whole(path, ",\n".join(parts) + "\n}\n")


class FullDomainSolution(Solution):
    """A lattice node to publish.

    Attributes:
        node: level per quasi-identifier. height: their sum.
        cost: by the plan's objective; null for a method that does not compare nodes.
        words: which packed key each quasi-identifier stands in.
        minimal_nodes: all of them, where the method learns them.
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

    def fits(self, plan: Plan) -> bool:
        names = list(plan.quasi_identifiers)
        return (
            super().fits(plan)
            and list(self.node) == names
            and set(self.words) == set(names)
            and set(plan.hierarchies) <= set(self.levels)
            and all(0 <= level < self.levels[name] for name, level in self.node.items())
        )

    @property
    def as_manifest(self) -> dict[str, Any]:
        return {
            **super().as_manifest,
            "node": self.node,
            "height": self.height,
            "lattice": self.lattice.model_dump(),
        }


class PartitionSolution(Solution):
    """How a table was partitioned; the cuts themselves follow from the plan and the source.

    Attributes:
        kinds: what the values of each quasi-identifier are, for cuts.
        rounds: of cuts; null where whole attributes are cut.
        k: the class size that decided the cuts, where the method found it.
        intervals: where whole attributes are cut: attribute number, first and last place.
        turns, leftovers: of anatomy: which values make up which buckets, by their ranks.
        raised: of `combined`: bucket and levels, where these do not follow from its columns alone.
        column_groups: the published columns that stay together; permuted apart in buckets.
    """

    kinds: dict[str, CutKind]
    rounds: int | None
    k: int | None
    intervals: list[tuple[int, int, int]]
    turns: list[tuple[int, int, int, int, int, int]]
    leftovers: list[tuple[int, int]]
    raised: list[tuple[int, ...]]
    column_groups: list[tuple[str, ...]]

    def fits(self, plan: Plan) -> bool:
        method = cast(PartitionMethod, plan.method)
        columns = plan.quasi_identifiers if method.is_placed else {}
        if set(self.kinds) != set(columns):
            return False
        cuts_regions = isinstance(method, RegionMethod)
        by_size = isinstance(method, RegionMethod) and not method.is_cut_by_promises
        grouped = sorted(name for group in self.column_groups for name in group)
        return (
            super().fits(plan)
            and all(kind in (None, self.kinds[n]) for n, kind in stated_kinds(plan).items())
            and all(len(entry) == len(columns) + 1 for entry in self.raised)
            and set(used_hierarchies(plan, self.kinds, plan.hierarchies)) <= set(self.levels)
            and (self.rounds is not None) == cuts_regions
            and (self.rounds or 0) >= 0
            and (self.k is not None) == by_size
            and (self.k or 2) >= 2
            and self._parts(len(columns)) == method.cuts_attributes
            and grouped == sorted(plan.published_columns)
            and self.column_groups == list(plan.column_groups or self.column_groups)
        )

    def _parts(self, attributes: int) -> bool:
        """Whether every attribute has intervals, and none of them overlap."""
        ends = dict.fromkeys(range(1, attributes + 1), -1)
        for number, first, last in self.intervals:
            if number not in ends or not ends[number] < first <= last:
                return False
            ends[number] = last
        return bool(self.intervals) and min(ends.values()) >= 0

    @property
    def as_manifest(self) -> dict[str, Any]:
        groups = [list(group) for group in self.column_groups]
        told = {"column_groups": groups} if len(groups) > 1 else {}
        return {**super().as_manifest, "rounds": self.rounds, "k": self.k, **told}


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
        types={table: dict(types) for table, types in plan.types.items()},
        words=dict(shape.words),
        input=counts,
        minimal_nodes=[list(node) for node in result.minimal_nodes],
    )


def partition_solution(
    plan: Plan, shape: PartitionShape, counts: dict[str, int], result: PartitionResult
) -> PartitionSolution:
    """The solution of a partitioning method's result."""
    return PartitionSolution(
        sqlanon_version=__version__,
        plan_sha256=plan.sha256,
        method=plan.method.name,
        label=result.label,
        classes=result.class_count,
        published_rows=counts["rows"],
        suppressed_rows=0,
        levels={
            name: known_level_count(name, hierarchy)
            for name, hierarchy in shape.hierarchies.items()
        },
        input=counts,
        types={table: dict(types) for table, types in plan.types.items()},
        kinds=dict(shape.kinds),
        rounds=result.rounds,
        k=result.k,
        intervals=[tuple(interval) for interval in result.intervals],
        turns=[tuple(turn) for turn in result.turns],
        leftovers=[tuple(leftover) for leftover in result.leftovers],
        raised=[(raised.bucket, *raised.node) for raised in result.raised],
        column_groups=list(result.column_groups or plan.column_groups),
    )


def read_solution(path: Path, plan: Plan) -> Solution:
    """The solution in a file, if it is one of this very plan.

    Raises:
        PlanError: the file is broken, or the plan has changed since.
    """
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8"))
        kind = PartitionSolution if isinstance(plan.method, PartitionMethod) else FullDomainSolution
        solution: Solution | None = kind.model_validate(data)
    except (OSError, ValueError, RecursionError):  # also pydantic's and json's
        solution = None
    if solution is None:
        raise PlanError(
            "The solution file cannot be read.",
            where=path.name,
            fix="run `sqlanon solve` again; it writes the file anew",
        )
    fits = solution.plan_sha256 != plan.sha256 or solution.fits(plan)
    if not fits:
        raise PlanError(
            "The solution file does not fit the plan; was it edited?",
            where=path.name,
            fix="run `sqlanon solve` again; it writes the file anew",
        )
    if solution.plan_sha256 != plan.sha256:
        raise PlanError(
            "The solution is of another version of the plan.",
            where=path.name,
            fix="run `sqlanon solve` again",
        )
    return solution
