"""What distinguishes two solutions: columns that get coarser or finer, rows, classes and cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlanon.display.blocks import Block, Changes, Sentences, Table, cell_text, words
from sqlanon.display.tabular import Tabular
from sqlanon.errors import PlanError
from sqlanon.families.solution import (
    FullDomainSolution,
    PartitionSolution,
    PassesSolution,
    Solution,
    changed_decisions,
    read_solution,
    require_consistent,
)
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.plan.plan import Plan

_KINDS: tuple[type[Solution], ...] = (FullDomainSolution, PassesSolution, PartitionSolution)


@dataclass(frozen=True)
class Compared:
    """One of the two solutions.

    Attributes:
        name: its file, or where it is from.
        is_of_plan: whether it belongs to this version of the plan.
        input_rows, published_rows, suppressed_rows, classes: as it records them.
        objective, cost: what the search minimized, and the cost; None if it does not record them.
    """

    name: str
    is_of_plan: bool
    method: str
    label: str
    input_rows: int
    published_rows: int
    suppressed_rows: int
    classes: int
    objective: str | None
    cost: list[float] | None


@dataclass(frozen=True)
class ColumnChange:
    """What becomes of a quasi-identifier by either solution.

    Attributes:
        before, after: in words; None if that solution does not have it.
        change: coarser, finer, same, or other if the two cannot be compared.
        steps: by how many levels or intervals; None if the two cannot be compared.
    """

    column: str
    before: str | None
    after: str | None
    change: str
    steps: int | None


@dataclass(frozen=True)
class SolutionDifference(Tabular):
    """What distinguishes two solutions.

    Attributes:
        is_same: whether the two are the same in all that they record.
        columns: every quasi-identifier, also those that stay the same.
        decisions: everything that they decide differently, in words.
        rows_gained: published rows of the second without those of the first.
        sql: the lines of the release that differ, as a unified diff.
        notes: what could not be compared, and why.
    """

    before: Compared
    after: Compared
    is_same: bool
    columns: tuple[ColumnChange, ...]
    decisions: tuple[str, ...]
    rows_gained: int
    sql: str
    notes: tuple[str, ...]

    def records(self) -> list[dict[str, Any]]:
        """One row for each quasi-identifier."""
        return [dict(vars(change)) for change in self.columns]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def displayed(self) -> Sequence[Block]:
        """What becomes of each column and of the sizes, decisions, notes, and the SQL."""
        if self.is_same:
            return [Sentences(["The solutions are identical."])]
        before, after = self.before, self.after
        columns = [
            [one.column, one.before, one.after, f"{one.steps or ''} {one.change}".lstrip()]
            for one in self.columns
        ]
        rows: list[list[Any]] = [
            ["method", f"{before.method}: {before.label}", f"{after.method}: {after.label}", ""]
        ]
        for name in ("input_rows", "published_rows", "suppressed_rows", "classes"):
            one, other = getattr(before, name), getattr(after, name)
            rows.append([words(name), one, other, f"{other - one:+,}"])
        for objective in dict.fromkeys(s.objective for s in (before, after) if s.cost is not None):
            costs = [s.cost if s.objective == objective else None for s in (before, after)]
            texts = [cost and ", ".join(map(cell_text, cost)) for cost in costs]
            rows.append([f"cost ({objective})", *texts, ""])
        sides = [before.name, after.name, "change"]
        same = "The solutions decide the same; only what they record of the data differs."
        return [
            *([] if self.decisions else [Sentences([same])]),
            Table(" → ".join(sides[:2]), ["quasi-identifier", *sides], columns),
            Table("sizes", ["", *sides], rows),
            *([Sentences(self.decisions, "decided")] if self.decisions else []),
            *([Sentences(self.notes, "notes")] if self.notes else []),
            *([Changes(self.sql)] if self.sql else []),
        ]


def any_solution(content: bytes, name: str) -> Solution:
    """The solution in a file, of whatever plan.

    Raises:
        PlanError: it is none, or contradicts itself.
    """
    for kind in _KINDS:
        solution = read_solution(content, kind)
        if solution is not None:
            require_consistent(solution, name)
            return solution
    raise PlanError(
        "This is not the file of a solution.",
        where=name,
        fix="give a file that `sqlanon solve` wrote, such as plan.solution.json",
    )


def is_of_plan(solution: Solution, plan: Plan) -> bool:
    """Whether the solution belongs to this version of the plan."""
    return solution.plan_sha256 == plan.sha256 and solution.fits(plan)


def compared(name: str, solution: Solution, plan: Plan) -> Compared:
    """A solution as a side of a comparison."""
    return Compared(
        name=name,
        is_of_plan=is_of_plan(solution, plan),
        method=solution.method,
        label=solution.label,
        input_rows=sum(solution.input.values()),
        published_rows=solution.published_rows,
        suppressed_rows=solution.suppressed_rows,
        classes=solution.classes,
        objective=solution.minimized,
        cost=solution.recorded_cost,
    )


def difference(
    plan: Plan,
    hierarchies: Mapping[str, Hierarchy],
    before: tuple[str, Solution],
    after: tuple[str, Solution],
    sql: str,
) -> SolutionDifference:
    """Compare two solutions.

    Args:
        hierarchies: those of the plan, with their files found.
        before, after: the name and the solution.
        sql: the lines of the release that differ.
    """
    sides = [compared(name, solution, plan) for name, solution in (before, after)]
    earlier, later = before[1], after[1]
    words = [
        _words(solution, plan, hierarchies, is_of_plan=side.is_of_plan)
        for side, solution in zip(sides, (earlier, later), strict=True)
    ]
    notes = [
        f"{side.name} belongs to another version of the plan: the SQL of the release is not"
        " compared, and levels are compared only where both hierarchies have as many."
        for side in sides
        if not side.is_of_plan
    ]
    is_one_method = earlier.method == later.method
    columns = [
        ColumnChange(name, words[0].get(name), words[1].get(name), *_change(name, earlier, later))
        for name in dict.fromkeys([*words[0], *words[1]])
    ]
    return SolutionDifference(
        before=sides[0],
        after=sides[1],
        is_same=earlier.model_dump() == later.model_dump(),
        columns=tuple(columns),
        decisions=tuple(changed_decisions(earlier, later))
        if is_one_method
        else (f"method {earlier.method} → {later.method}",),
        rows_gained=later.published_rows - earlier.published_rows,
        sql=sql,
        notes=tuple(notes),
    )


def _words(
    solution: Solution, plan: Plan, hierarchies: Mapping[str, Hierarchy], *, is_of_plan: bool
) -> dict[str, str]:
    """What becomes of each quasi-identifier; in numbers alone if the plan is another one."""
    labels = solution.labels(plan, hierarchies) if is_of_plan and solution.coarseness else {}
    words = dict(solution.numbers)
    for name in solution.published_levels.keys() & labels.keys():
        how = labels[name].how
        words[name] = how if how.startswith("level ") else f"{words[name]}, {how}"
    return words


def _change(name: str, before: Solution, after: Solution) -> tuple[str, int | None]:
    """How a quasi-identifier changes, and by how much."""
    one, other = before.coarseness.get(name), after.coarseness.get(name)
    if one is not None and one == other:
        return "same", 0
    if one is None and other is None and before.decisions == after.decisions:
        return "same", 0
    if one is None or other is None or one[:1] != other[:1] or one[1] == other[1]:
        return "other", None
    steps = other[1] - one[1]
    return "coarser" if steps > 0 else "finer", abs(steps)
