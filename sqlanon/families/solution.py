"""The solution file: what a search found, enough to compile the release without searching again.

`plan.yml` and `plan.solution.json` together determine the release program, byte for byte; both are
meant to be reviewed and kept in version control. The file contains no value of a source row.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict

from sqlanon.boundary.files import write_whole
from sqlanon.display.blocks import Block, Displayed, Pairs, Table, counted
from sqlanon.errors import PlanError, PrivacyViolation, brief
from sqlanon.hierarchies.base import CutKind, Hierarchy
from sqlanon.hierarchies.grid import grid_of
from sqlanon.methods.full_domain import FullDomainResult
from sqlanon.methods.partition import PartitionResult
from sqlanon.plan.column_types import may_leave
from sqlanon.plan.plan import Plan
from sqlanon.search.full_domain import FullDomainProblem
from sqlanon.source.frequency_set import Shape
from sqlanon.source.grids import stated_grids
from sqlanon.source.hierarchies import Generalized, generalized, known_level_count
from sqlanon.source.places import PartitionShape, stated_kinds, used_hierarchies
from sqlanon.sql.step import quoted
from sqlanon.version import __version__

_LONG = ("minimal_nodes", "intervals", "turns", "leftovers", "raised")
"""Lists of a solution that are written with one entry per line."""


LABEL_WORDS = {
    "numeric": "a range of numbers, each class its own",
    "date": "a range of dates, each class its own",
    "ordinal": "a range of values in their order, each class its own",
    "nominal": "a set of values, each class its own",
    "categorical": "a label of the hierarchy, each class its own",
}
"""What a class of a partition publishes, by how an attribute is cut."""


class Solution(BaseModel, Displayed):
    """What a search found; the base class of all kinds of solutions.

    Attributes:
        method: the method that found it.
        label: what the method states about it.
        classes, published_rows, suppressed_rows: sizes of the publication.
        levels: number of levels of every hierarchy that is used.
        labels_sha256: digest of the labels of every such hierarchy: of the rows of a file or a
            query, or of the parameters of a rule.
        input: rows, rows dropped for missing values, and rows cut from histories.
        points: by column, where the groups of its hierarchy begin, if the data decides; on lines.
        types: types of the columns that are read from the source, and from the population if there
            is one.
        persons: input, published and suppressed ones, where linked histories are searched; of
            other persons, a run counts them when it has released their rows.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    sqlanon_version: str
    plan_sha256: str
    method: str
    label: str
    classes: int
    published_rows: int
    suppressed_rows: int
    levels: dict[str, int]
    labels_sha256: dict[str, str]
    types: dict[str, dict[str, str]]
    input: dict[str, int]
    persons: dict[str, int] = {}
    points: dict[str, tuple[str, ...]] = {}

    def as_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json")

    def displayed(self) -> Sequence[Block]:
        rows = self.published_rows + self.suppressed_rows
        pairs = [
            *found_by(self.as_manifest),
            ("rows to publish", f"{self.published_rows:,} of {rows:,}"),
            ("to suppress", counted(self.suppressed_rows, rows)),
            *(person_pairs(self.persons) if self.persons else ()),
            (self.counted, self.classes),
        ]
        headings, levels = self.as_table
        title = "levels" if "level" in headings else "cuts"
        return [Pairs("found", pairs), *([Table(title, headings, levels)] if levels else [])]

    @property
    def published_levels(self) -> dict[str, int]:
        """The level at which each quasi-identifier is published; empty if it has no single one."""
        return {}

    @property
    def nodes(self) -> tuple[dict[str, int], ...]:
        """The lattice nodes whose labels are published, in the order of passes."""
        return ()

    @property
    def counted(self) -> str:
        """What `classes` counts, in a word; only a release shows which have the same labels."""
        return "classes"

    @property
    def described(self) -> dict[str, str]:
        """What it records of the columns of the input, by words that name it."""
        types = {
            f"The type of '{name}' in the {table}": kind
            for table, columns in self.types.items()
            for name, kind in columns.items()
        }
        levels = {
            f"The number of levels of the hierarchy of '{name}'": str(count)
            for name, count in self.levels.items()
        }
        return {**types, **levels}

    @property
    def decisions(self) -> dict[str, Any]:
        """What determines the release beside the plan, by words that name it."""
        return {f"labels of {name}": [digest] for name, digest in self.labels_sha256.items()}

    @property
    def contradiction(self) -> str | None:
        """What no search would have written; None if nothing is wrong in itself."""
        if min(self.classes, self.published_rows, self.suppressed_rows) < 0:
            return "a count of rows or classes is negative"
        if set(self.labels_sha256) != set(self.levels):
            return "a hierarchy has no digest of its labels"
        return None

    def _missing_level(self, node: Mapping[str, int]) -> str | None:
        """Which level of a node no hierarchy has; None if all have theirs."""
        for name, level in node.items():
            top = self.levels.get(name, 0) - 1
            if not 0 <= level <= top:
                return f"'{brief(name)}' has no level {level}, as its top is level {top}"
        return None

    @property
    def as_manifest(self) -> dict[str, Any]:
        """The entry of the manifest; null for what this kind of solution does not have."""
        unknown = {"nodes": None, "checked": None, "satisfying": None, "minimal": None}
        return {
            "method": self.method,
            "label": self.label,
            "node": None,
            "height": None,
            "classes": self.classes,
            "lattice": unknown,
        }

    @property
    def as_table(self) -> tuple[list[str], list[list[Any]]]:
        """Columns and rows of a table for readers: what happens to each quasi-identifier."""
        raise NotImplementedError  # pragma: no cover - every kind states its own

    def labels(self, plan: Plan, hierarchies: Mapping[str, Hierarchy]) -> dict[str, Generalized]:
        """What is published of the quasi-identifiers that it generalizes."""
        raise NotImplementedError  # pragma: no cover - every kind states its own

    @property
    def numbers(self) -> dict[str, str]:
        """What becomes of each quasi-identifier, in numbers."""
        raise NotImplementedError  # pragma: no cover - every kind states its own

    @property
    def coarseness(self) -> dict[str, tuple[str, int, Any]]:
        """For each quasi-identifier a scale, its place there (more is coarser), and its cuts.

        Empty if these differ from class to class.
        """
        return {}

    @property
    def minimized(self) -> str | None:
        """The measure that the search minimized, if it records one."""
        return None

    @property
    def recorded_cost(self) -> list[float] | None:
        """The cost by that measure, if it is recorded."""
        return None

    def groups(self, plan: Plan) -> Sequence[Sequence[str]]:
        """The published columns that stay together; those of the plan unless others were found."""
        return plan.column_groups

    def fits(self, plan: Plan) -> bool:
        """Whether the file can be a solution of this plan, by its method, columns and numbers."""
        columns = {"source": set(plan.read_columns)}
        if "population" in self.types:  # an attack may name one that the plan does not have
            columns["population"] = set(plan.quasi_identifiers)
        return (
            self.method == plan.method.name
            and all(n >= 1 for n in self.levels.values())
            and self._points_fit(plan)
            and {table: set(types) for table, types in self.types.items()} == columns
            and all(may_leave(kind) for types in self.types.values() for kind in types.values())
        )

    def known(self, name: str, hierarchy: Hierarchy) -> Hierarchy:
        """The hierarchy of a column, with what the data decided of it."""
        return hierarchy.with_levels(self.levels[name]).with_points(self.points.get(name, ()))

    def _points_fit(self, plan: Plan) -> bool:
        """Whether the hierarchies of the plan can have groups that begin at these points."""
        try:
            found = {n: plan.hierarchies[n].with_points(p).points for n, p in self.points.items()}
        except (KeyError, ValueError, PlanError):
            return False
        return found == self.points

    def write(self, path: Path) -> None:
        """Write the file atomically; long lists have one entry per line."""
        data = self.as_json()
        for name in ("persons", "points"):
            if not data[name]:
                del data[name]
        long = {name: data.pop(name) for name in _LONG if name in data}
        parts = [json.dumps(data, indent=2, ensure_ascii=False).removesuffix("\n}")]
        for name, entries in long.items():
            listed = ",\n    ".join(json.dumps(entry) for entry in entries)
            parts.append(f'  "{name}": ' + (f"[\n    {listed}\n  ]" if entries else "[]"))
        write_whole(path, ",\n".join(parts) + "\n}\n")


class LatticeCounts(BaseModel):
    """What the search found out about the lattice; null if the method does not find it out."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    nodes: int
    checked: int
    satisfying: int | None
    minimal: int | None


class PassOfSolution(BaseModel):
    """One pass: the rows that its node places.

    Attributes:
        node: level of each quasi-identifier.
        charge: what a row that waits cost, 0 to 1; null where the suppression limit decided.
        rows: that it places, before values are looked at; with a population, rows of that.
        loss: their mean, 0 to 1.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    node: dict[str, int]
    charge: float | None
    rows: int
    loss: float


class FullDomainSolution(Solution):
    """A lattice node to publish.

    Attributes:
        node: level of each quasi-identifier.
        height: sum of the levels.
        cost: cost by the plan's objective; null for a method that does not compare nodes.
        words: number of the packed key that contains each quasi-identifier.
        minimal_nodes: all minimal nodes, if the method finds them.
        gap: by what share the cost exceeds the lowest one at most, if a budget ended the search.
        passes: none: its one node is no pass, as all rows have its labels.
        rounds: none: nothing is refined.
    """

    passes: ClassVar[tuple[PassOfSolution, ...]] = ()
    rounds: ClassVar[None] = None

    node: dict[str, int]
    height: int
    objective: str
    cost: list[float] | None
    lattice: LatticeCounts
    words: dict[str, int]
    minimal_nodes: list[list[int]]
    gap: float | None = None

    @classmethod
    def of(
        cls,
        plan: Plan,
        problem: FullDomainProblem,
        shape: Shape,
        counts: dict[str, int],
        result: FullDomainResult,
    ) -> FullDomainSolution:
        """The solution of a method's result."""
        names = [attribute.name for attribute in problem.attributes]
        return cls(
            **of_input(plan, shape, counts),
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
            words=dict(shape.words),
            minimal_nodes=[list(node) for node in result.minimal_nodes],
            gap=result.gap,
        )

    def as_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json", exclude={"gap"} if self.gap is None else None)

    @property
    def levels_in_order(self) -> tuple[int, ...]:
        """The node, in the order of the plan."""
        return tuple(self.node.values())

    @property
    def nodes(self) -> tuple[dict[str, int], ...]:
        return (self.node,)

    @property
    def published_levels(self) -> dict[str, int]:
        return self.node

    @property
    def as_table(self) -> tuple[list[str], list[list[Any]]]:
        rows = [[n, level, self.levels[n] - 1] for n, level in self.node.items()]
        return ["quasi-identifier", "level", "of"], rows

    def labels(self, plan: Plan, hierarchies: Mapping[str, Hierarchy]) -> dict[str, Generalized]:
        return {
            name: generalized(plan, name, self.known(name, hierarchies[name]), level)
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
        missing = self._missing_level(self.node)
        if missing is not None:
            return missing
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
            **({} if self.gap is None else {"gap": self.gap}),
        }


class PassesSolution(Solution):
    """Lattice nodes, each for the rows that no node before has placed.

    Attributes:
        passes: in their order.
        size: rows, or persons if they are counted, that a class needs to be placed.
        cost: mean loss of all rows; a suppressed row costs 1.
        words: number of the packed key that contains each quasi-identifier.
        masks: for each level of each quasi-identifier, the bits of this key that the level keeps.
        rounds: in which the classes of the passes were refined; null if they were not.
    """

    passes: list[PassOfSolution]
    size: int
    objective: str
    cost: list[float] | None
    lattice: LatticeCounts
    words: dict[str, int]
    masks: dict[str, list[int]]
    rounds: int | None = None

    @property
    def nodes(self) -> tuple[dict[str, int], ...]:
        return tuple(one.node for one in self.passes)

    @property
    def as_table(self) -> tuple[list[str], list[list[Any]]]:
        rows = [[n, self._levels_of(n), self.levels[n] - 1] for n in self.words]
        return ["quasi-identifier", "level by pass", "of"], rows

    def displayed(self) -> Sequence[Block]:
        rows = [
            [number, one.rows, f"{one.loss:.4f}"] for number, one in enumerate(self.passes, start=1)
        ]
        what = "rows of the population" if "population" in self.types else "rows"
        return [*super().displayed(), Table("passes", ["pass", what, "mean loss"], rows)]

    def _levels_of(self, name: str) -> str:
        finer = "" if self.rounds is None else " and finer"
        return " ".join(str(node[name]) for node in self.nodes) + finer

    def labels(self, plan: Plan, hierarchies: Mapping[str, Hierarchy]) -> dict[str, Generalized]:
        found = {}
        for name in plan.quasi_identifiers:
            hierarchy = self.known(name, hierarchies[name])
            levels = sorted({node[name] for node in self.nodes})
            if self.rounds is not None:
                levels = [*range(max(levels) + 1)]
            ways = [generalized(plan, name, hierarchy, level) for level in levels]
            how = "; or ".join(way.how for way in ways)
            found[name] = Generalized(how, f"placed_combinations.{quoted(name)}")
        return found

    @property
    def numbers(self) -> dict[str, str]:
        return {n: f"levels {self._levels_of(n)} of {self.levels[n] - 1}" for n in self.words}

    @property
    def minimized(self) -> str | None:
        return self.objective

    @property
    def recorded_cost(self) -> list[float] | None:
        return self.cost

    @property
    def decisions(self) -> dict[str, Any]:
        nodes = {
            f"pass {number}": " ".join(map(str, node.values()))
            for number, node in enumerate(self.nodes, start=1)
        }
        refined = {} if self.rounds is None else {"rounds of refining": str(self.rounds)}
        return {**nodes, **refined, "size": self.size, **super().decisions}

    def fits(self, plan: Plan) -> bool:
        names = list(plan.quasi_identifiers)
        return (
            super().fits(plan)
            and all(list(node) == names for node in self.nodes)
            and self.size == plan.placed_from
            and (self.rounds is not None) == plan.method.refines
            and [*self.words] == [*self.masks] == names
            and set(plan.hierarchies) <= set(self.levels)
        )

    @property
    def contradiction(self) -> str | None:
        if not self.passes:
            return "it has no pass"
        if any(len(masks) != self.levels.get(name) for name, masks in self.masks.items()):
            return "its masks are not those of its levels"
        if not 0 <= (self.rounds or 0) <= sum(self.levels.values()):
            return f"classes of {len(self.levels)} hierarchies cannot be refined so often"
        missing = [self._missing_level(node) for node in self.nodes]
        return next(filter(None, missing), super().contradiction)

    @property
    def as_manifest(self) -> dict[str, Any]:
        return {
            **super().as_manifest,
            "lattice": self.lattice.model_dump(),
            "placed_from": self.size,
            "passes": [one.model_dump() for one in self.passes],
            **({} if self.rounds is None else {"rounds_of_refining": self.rounds}),
        }


class PartitionSolution(PartitionResult, Solution):
    """How a table was partitioned; the cuts themselves follow from the plan and the source.

    Attributes:
        kinds: how the values of each quasi-identifier are cut.
        grids: the grid to which the values of a quasi-identifier are rounded down, if they are.
    """

    kinds: dict[str, CutKind]
    grids: dict[str, str]

    @classmethod
    def of(
        cls, plan: Plan, shape: PartitionShape, counts: dict[str, int], result: PartitionResult
    ) -> PartitionSolution:
        """The solution of a method's result."""
        found = {name: getattr(result, name) for name in PartitionResult.model_fields}
        found["column_groups"] = result.column_groups or tuple(map(tuple, plan.column_groups))
        return cls(
            **of_input(plan, shape, counts),
            **found,
            published_rows=counts["rows"],
            suppressed_rows=0,
            kinds=dict(shape.kinds),
            grids={name: grid.text for name, grid in (shape.grids or {}).items()},
        )

    @property
    def counted(self) -> str:
        return "regions" if self.rounds is not None or self.intervals else "buckets"

    @property
    def as_table(self) -> tuple[list[str], list[list[Any]]]:
        rows = [[name, kind, self.grids.get(name)] for name, kind in self.kinds.items()]
        return ["quasi-identifier", "cut as", "grid"], rows

    def labels(self, plan: Plan, hierarchies: Mapping[str, Hierarchy]) -> dict[str, Generalized]:
        if plan.form.bucket:
            how = "the label of its bucket, on a level of its hierarchy"
            return {
                name: Generalized(how, f"generalized_combinations.{quoted(name)}")
                for name in plan.labeled_in_buckets
            }
        found = {}
        for name in plan.quasi_identifiers:
            label = LABEL_WORDS[self.kinds.get(name, "categorical")]
            found[name] = Generalized(label, f"published_classes.{quoted(name)}")
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

    def groups(self, plan: Plan) -> Sequence[Sequence[str]]:
        return self.column_groups

    def fits(self, plan: Plan) -> bool:
        method = plan.method
        columns = plan.quasi_identifiers if method.is_placed else {}
        if set(self.kinds) != set(columns):
            return False
        by_size = not method.is_cut_by_promises
        splits = method.cutting is None and not method.deals_rows
        grouped = sorted(name for group in self.column_groups for name in group)
        return (
            super().fits(plan)
            and all(kind in (None, self.kinds[n]) for n, kind in stated_kinds(plan).items())
            and self._grids_fit(plan)
            and all(len(entry) == len(columns) + 1 for entry in self.raised)
            and set(used_hierarchies(plan, self.kinds, plan.hierarchies)) <= set(self.levels)
            and (self.rounds is not None) == (method.cutting is not None)
            and (self.rounds or 0) >= 0
            and (self.k is not None) == by_size
            and (self.k or 2) >= 2
            and self._parts(len(columns)) == splits
            and grouped == sorted(plan.published_columns)
            and self.column_groups == tuple(plan.column_groups or self.column_groups)
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


def of_input(plan: Plan, shape: Shape | PartitionShape, counts: dict[str, int]) -> dict[str, Any]:
    """What every solution records of the plan and of the input."""
    return {
        "sqlanon_version": __version__,
        "plan_sha256": plan.sha256,
        "method": plan.method.name,
        "levels": {n: known_level_count(n, each) for n, each in shape.hierarchies.items()},
        "labels_sha256": dict(shape.labels),
        "types": {table: dict(types) for table, types in plan.types.items()},
        "input": counts,
        "points": {n: each.points for n, each in shape.hierarchies.items() if each.points},
    }


def found_by(entry: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The method, what it states about its result, and how far it searched, as pairs.

    Args:
        entry: of a solution in the manifest.
    """
    pairs = [("method", entry["method"]), ("result", entry["label"])]
    lattice = entry["lattice"]
    if lattice["checked"] is not None:
        pairs.append(("nodes checked", f"{lattice['checked']:,} of {lattice['nodes']:,}"))
    if entry.get("rounds"):
        pairs.append(("rounds", entry["rounds"]))
    if entry.get("column_groups"):
        groups = "; ".join(", ".join(group) for group in entry["column_groups"])
        pairs.append(("kept together", groups))
    return pairs


def person_pairs(counts: Mapping[str, int]) -> list[tuple[str, Any]]:
    """Published and suppressed persons, as pairs for a summary."""
    return [
        ("persons", f"{counts['published']:,} of {counts['input']:,}"),
        ("persons suppressed", counted(counts["suppressed"], counts["input"])),
    ]


def changed_decisions(before: Solution, after: Solution) -> list[str]:
    """What another solution of the same plan decides differently, in words; empty if nothing."""
    earlier, later = before.decisions, after.decisions
    found = []
    for name in {**earlier, **later}:
        if earlier.get(name) != later.get(name):
            one, other = _short(earlier.get(name)), _short(later.get(name))
            found.append(f"{name} {one} → {other}" if one != other else f"other {name}")
    return found


def _short(decision: Any) -> str:
    """A decision in a word; a list by its length."""
    if isinstance(decision, list | tuple):
        return f"{len(decision):,}"
    return "none" if decision is None else str(decision)


def require_same_input(plan: Plan, reviewed: Solution, now: Solution) -> None:
    """Check that a reviewed solution still describes the columns of the input.

    Raises:
        PlanError: names the first column that has changed.
    """
    then = reviewed.described
    for key, value in {**then, **now.described}.items():
        if value != then.get(key):
            raise outdated(
                plan, f"{key} is {value} now, and was {then.get(key)} when the solution was found"
            )
    for name, digest in now.labels_sha256.items():
        if digest != reviewed.labels_sha256.get(name, digest):
            raise outdated(
                plan,
                f"The labels of the hierarchy of '{name}' are others than when the solution was"
                " found",
            )


def outdated(plan: Plan, why: str) -> PlanError:
    """The error for a reviewed solution that does not fit the data any more."""
    return PlanError(
        f"{why}, so the reviewed solution does not fit the data any more.",
        where=solution_name(plan),
        fix="run `sqlanon solve`, review the new solution, and run with --locked again",
    )


def not_held(plan: Plan, why: str) -> PrivacyViolation:
    """The error for a reviewed solution by which the data does not hold the promises any more."""
    return PrivacyViolation(
        f"By the reviewed solution, the data does not hold the promises any more: {why}."
        " Nothing was published.",
        where=solution_name(plan),
        fix="run `sqlanon solve`, review the new solution, and run with --locked again",
    )


def solution_name(plan: Plan) -> str:
    """The name of the file of a plan's solution."""
    return f"{plan.name}.solution.json"


SolutionType = TypeVar("SolutionType", bound=Solution)


def read_solution(content: bytes, kind: type[SolutionType]) -> SolutionType | None:
    """The solution in a file; None if it is none of this kind. No value is read as another type."""
    with contextlib.suppress(ValueError, RecursionError):  # also pydantic's
        return kind.model_validate_json(content, strict=True)
    return None


def require_consistent(solution: Solution, name: str) -> None:
    """Check that a solution is one that a search can have written, whatever the plan.

    Raises:
        PlanError: it contradicts itself.
    """
    what = solution.contradiction
    if what is not None:
        raise PlanError(
            f"This is no solution that a search has found: {what}. Was it edited?",
            where=name,
            fix="run `sqlanon solve` again; it rewrites the file",
        )


def solution_of(content: bytes, name: str, plan: Plan, kind: type[SolutionType]) -> SolutionType:
    """The solution in a file, after checking that it is a solution of this version of the plan.

    Args:
        content: the file, whole.
        name: its name, for messages.
        kind: the class of solutions of the plan's method.

    Raises:
        PlanError: the file is broken, or the plan has changed since.
    """
    solution = read_solution(content, kind)
    if solution is None:
        raise PlanError(
            "The solution file cannot be read.",
            where=name,
            fix="run `sqlanon solve` again; it rewrites the file",
        )
    require_consistent(solution, name)
    fits = solution.plan_sha256 != plan.sha256 or solution.fits(plan)
    if not fits:
        raise PlanError(
            "The solution file does not fit the plan; was it edited?",
            where=name,
            fix="run `sqlanon solve` again; it rewrites the file",
        )
    if solution.plan_sha256 != plan.sha256:
        raise PlanError(
            "The solution belongs to another version of the plan.",
            where=name,
            fix="run `sqlanon solve` again",
        )
    return solution
