"""The solution file: what a search found, enough to compile the release without searching again.

`plan.yml` and `plan.solution.json` together determine the release program, byte for byte; both are
meant to be reviewed and kept in version control. The file contains no value of a source row.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict

from sqlanon.display.blocks import Block, Displayed, Pairs, Table, counted
from sqlanon.errors import PlanError, PrivacyViolation
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.plan.column_types import may_leave
from sqlanon.plan.plan import Plan
from sqlanon.source.hierarchies import Generalized
from sqlanon.system.files import write_whole

_LONG = ("minimal_nodes", "intervals", "turns", "leftovers", "raised")
"""Lists of a solution that are written with one entry per line."""


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
        types: types of the columns that are read from the source, and from the population if there
            is one.
        persons: input, published and suppressed ones, where linked histories are searched; of
            other persons, a run counts them when it has released their rows.
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
    labels_sha256: dict[str, str]
    types: dict[str, dict[str, str]]
    input: dict[str, int]
    persons: dict[str, int] = {}

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
        """What it makes of the quasi-identifiers that it generalizes."""
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
            and {table: set(types) for table, types in self.types.items()} == columns
            and all(may_leave(kind) for types in self.types.values() for kind in types.values())
        )

    def write(self, path: Path) -> None:
        """Write the file atomically; long lists have one entry per line."""
        data = self.model_dump(mode="json")
        if not self.persons:
            del data["persons"]
        long = {name: data.pop(name) for name in _LONG if name in data}
        parts = [json.dumps(data, indent=2, ensure_ascii=False).removesuffix("\n}")]
        for name, entries in long.items():
            listed = ",\n    ".join(json.dumps(entry) for entry in entries)
            parts.append(f'  "{name}": ' + (f"[\n    {listed}\n  ]" if entries else "[]"))
        write_whole(path, ",\n".join(parts) + "\n}\n")


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
    """The persons of whom a row is published, and those of whom none is, as pairs."""
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
    if isinstance(decision, list):
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
