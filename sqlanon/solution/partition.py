"""The solution of a partitioning method: what is needed to make its classes again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlanon.errors import PlanError
from sqlanon.hierarchies.base import CutKind, Hierarchy
from sqlanon.hierarchies.grid import grid_of
from sqlanon.methods.partition import PartitionResult
from sqlanon.plan.plan import Plan
from sqlanon.search.bucket_levels import Raised
from sqlanon.search.dealing import Leftover, Turn
from sqlanon.search.scales import Interval
from sqlanon.solution.base import Solution
from sqlanon.source.grids import stated_grids
from sqlanon.source.hierarchies import Generalized, known_level_count
from sqlanon.source.places import PartitionShape, stated_kinds, used_hierarchies
from sqlanon.sql.step import quoted
from sqlanon.version import __version__


class PartitionSolution(Solution):
    """How a table was partitioned; the cuts themselves follow from the plan and the source.

    Attributes:
        kinds: how the values of each quasi-identifier are cut.
        grids: the grid to which the values of a quasi-identifier are rounded down, if they are.
        rounds: rounds of cuts; null if whole attributes are cut.
        k: the class size that decided the cuts, if the method found it.
        intervals: if whole attributes are cut, attribute number, first and last place of each.
        turns, leftovers: for anatomy, which values form which buckets, by rank.
        raised: for `combined`, bucket and levels if these do not follow from its columns alone.
        column_groups: the published columns that stay together; buckets permute them separately.
    """

    kinds: dict[str, CutKind]
    grids: dict[str, str]
    rounds: int | None
    k: int | None
    intervals: list[tuple[int, int, int]]
    turns: list[tuple[int, int, int, int, int, int]]
    leftovers: list[tuple[int, int]]
    raised: list[tuple[int, ...]]
    column_groups: list[tuple[str, ...]]

    @property
    def counted(self) -> str:
        return "regions" if self.rounds is not None or self.intervals else "buckets"

    @property
    def as_table(self) -> tuple[list[str], list[list[Any]]]:
        rows = [[name, kind, self.grids.get(name)] for name, kind in self.kinds.items()]
        return ["quasi-identifier", "cut as", "grid"], rows

    def labels(self, plan: Plan, hierarchies: Mapping[str, Hierarchy]) -> dict[str, Generalized]:
        if plan.publishes_buckets:
            how = "the label of its bucket, on a level of its hierarchy"
            return {
                name: Generalized(how, f"generalized_combinations.{quoted(name)}")
                for name in plan.labeled_in_buckets
            }
        found = {}
        for name in plan.quasi_identifiers:
            kind = self.kinds.get(name, "categorical")
            label = "category or set of categories" if kind == "categorical" else "interval"
            found[name] = Generalized(
                f"the {label} of its class", f"published_classes.{quoted(name)}"
            )
        return found

    @property
    def numbers(self) -> dict[str, str]:
        parts = self._intervals_of
        return {
            name: f"{kind}, {len(parts[name])} interval(s)" if parts else kind
            for name, kind in self.kinds.items()
        }

    @property
    def coarseness(self) -> dict[str, tuple[str, int, Any]]:
        return {n: ("intervals", -len(cuts), cuts) for n, cuts in self._intervals_of.items()}

    @property
    def _intervals_of(self) -> dict[str, list[tuple[int, int]]]:
        """The intervals of each attribute, if whole attributes are cut."""
        if not self.intervals:
            return {}
        return {
            name: [(first, last) for attribute, first, last in self.intervals if attribute == n]
            for n, name in enumerate(self.kinds, start=1)
        }

    @property
    def described(self) -> dict[str, str]:
        kinds = {f"The kind of the values of '{name}'": kind for name, kind in self.kinds.items()}
        grids = {f"The grid of '{name}'": self.grids.get(name, "none") for name in self.kinds}
        return {**super().described, **kinds, **grids}

    @property
    def decisions(self) -> dict[str, Any]:
        return {
            **{f"{name} cut as": kind for name, kind in self.kinds.items()},
            **{f"grid of {name}": grid for name, grid in self.grids.items()},
            **{f"intervals of {name}": cuts for name, cuts in self._intervals_of.items()},
            "rounds": self.rounds,
            "k": self.k,
            "classes": self.classes,
            "turns of buckets": [*self.turns, *self.leftovers],
            "raised buckets": self.raised,
            "column groups": self.column_groups,
            **super().decisions,
        }

    @property
    def counts_places(self) -> bool:
        """Whether it names values, or buckets, by numbers that mean something in one table only."""
        return bool(self.intervals or self.turns or self.leftovers or self.raised)

    @property
    def result(self) -> PartitionResult:
        """What the search found, to make the classes again."""
        return PartitionResult(
            label=self.label,
            class_count=self.classes,
            rounds=self.rounds,
            k=self.k,
            intervals=tuple(Interval(*entry) for entry in self.intervals),
            turns=tuple(Turn(*entry) for entry in self.turns),
            leftovers=tuple(Leftover(*entry) for entry in self.leftovers),
            raised=tuple(Raised(bucket, tuple(node)) for bucket, *node in self.raised),
            column_groups=tuple(self.column_groups),
        )

    def groups(self, plan: Plan) -> Sequence[Sequence[str]]:
        return self.column_groups

    def fits(self, plan: Plan) -> bool:
        method = plan.method
        columns = plan.quasi_identifiers if method.is_placed else {}
        if set(self.kinds) != set(columns):
            return False
        by_size = not method.is_cut_by_promises
        grouped = sorted(name for group in self.column_groups for name in group)
        return (
            super().fits(plan)
            and all(kind in (None, self.kinds[n]) for n, kind in stated_kinds(plan).items())
            and self._grids_fit(plan)
            and all(len(entry) == len(columns) + 1 for entry in self.raised)
            and set(used_hierarchies(plan, self.kinds, plan.hierarchies)) <= set(self.levels)
            and (self.rounds is not None) == method.cuts_regions
            and (self.rounds or 0) >= 0
            and (self.k is not None) == by_size
            and (self.k or 2) >= 2
            and self._parts(len(columns)) == method.cuts_attributes
            and grouped == sorted(plan.published_columns)
            and self.column_groups == list(plan.column_groups or self.column_groups)
        )

    def _grids_fit(self, plan: Plan) -> bool:
        """Whether the grids can be those of the plan."""
        if not plan.method.hides_ends:
            return not self.grids
        try:
            read = {name: grid_of(text) for name, text in self.grids.items()}
            stated = stated_grids(plan, self.kinds)
        except (ValueError, PlanError):
            return False
        return all(
            self.kinds.get(name) == ("date" if grid.period else "numeric")
            for name, grid in read.items()
        ) and all(read.get(name) == grid for name, grid in stated.items())

    def _parts(self, attributes: int) -> bool:
        """Whether every attribute has intervals that do not overlap."""
        ends = dict.fromkeys(range(1, attributes + 1), -1)
        for number, first, last in self.intervals:
            if number not in ends or not ends[number] < first <= last:
                return False
            ends[number] = last
        return bool(self.intervals) and min(ends.values()) >= 0

    @property
    def as_manifest(self) -> dict[str, Any]:
        groups = [list(group) for group in self.column_groups]
        entry = {"column_groups": groups} if len(groups) > 1 else {}
        return {**super().as_manifest, "rounds": self.rounds, "k": self.k, **entry}


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
        labels_sha256=dict(shape.labels),
        input=counts,
        types={table: dict(types) for table, types in plan.types.items()},
        kinds=dict(shape.kinds),
        grids={name: grid.text for name, grid in (shape.grids or {}).items()},
        rounds=result.rounds,
        k=result.k,
        intervals=[tuple(interval) for interval in result.intervals],
        turns=[tuple(turn) for turn in result.turns],
        leftovers=[tuple(leftover) for leftover in result.leftovers],
        raised=[(raised.bucket, *raised.node) for raised in result.raised],
        column_groups=list(result.column_groups or plan.column_groups),
    )
