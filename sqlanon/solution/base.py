"""The solution file: what a search found, enough to compile the release without searching again.

`plan.yml` and `plan.solution.json` together determine the release program, byte for byte; both are
meant to be reviewed and kept in version control. No value of a source row stands in it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict

from sqlanon.errors import PlanError
from sqlanon.plan.column_types import may_leave
from sqlanon.plan.plan import Plan
from sqlanon.system.files import write_whole

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
    def published_levels(self) -> dict[str, int]:
        """The level that each quasi-identifier is published at; empty where there is no one."""
        return {}

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

    @property
    def as_table(self) -> tuple[list[str], list[list[Any]]]:
        """Columns and rows of a table for readers: what becomes of each quasi-identifier."""
        raise NotImplementedError  # pragma: no cover - every kind states its own

    def groups(self, plan: Plan) -> Sequence[Sequence[str]]:
        """The published columns that stay together; the plan's, where nothing else was found."""
        return plan.column_groups

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


SolutionType = TypeVar("SolutionType", bound=Solution)


def read_solution(path: Path, plan: Plan, kind: type[SolutionType]) -> SolutionType:
    """The solution in a file, if it is one of this very plan.

    Args:
        kind: of solutions of the plan's method.

    Raises:
        PlanError: the file is broken, or the plan has changed since.
    """
    solution: SolutionType | None = None
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8"))
        solution = kind.model_validate(data)
    except (OSError, ValueError, RecursionError):  # also pydantic's and json's
        pass
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
