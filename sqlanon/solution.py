"""The solution file: what a search found, enough to compile the release without searching again.

`plan.yml` and `plan.solution.json` together fix the release program, byte for byte; both are meant
to be reviewed and kept in version control. No value of a source row stands in it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from sqlanon import __version__
from sqlanon.errors import PlanError
from sqlanon.full_domain import FullDomainProblem
from sqlanon.methods import FullDomainResult
from sqlanon.plan import Plan
from sqlanon.prepare import Shape


class LatticeCounts(BaseModel):
    """What the search learned of the lattice; null where the method does not learn it."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    nodes: int
    checked: int
    satisfying: int | None
    minimal: int | None


class Solution(BaseModel):
    """A lattice node to publish.

    Attributes:
        method: which found it; label: what the method claims of it.
        node: level per quasi-identifier. height: their sum.
        classes, published_rows, suppressed_rows: of the publication.
        cost: by the plan's objective; null for a method that does not compare nodes.
        levels, words: shape of the hierarchies' packed keys.
        input: rows, rows dropped for missing values, distinct combinations and a checksum of the
            source.
        minimal_nodes: all of them, where the method learns them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    sqlanon_version: str
    plan_sha256: str
    method: str
    label: str
    node: dict[str, int]
    height: int
    classes: int
    published_rows: int
    suppressed_rows: int
    objective: str
    cost: list[float] | None
    lattice: LatticeCounts
    levels: dict[str, int]
    words: dict[str, int]
    input: dict[str, int]
    minimal_nodes: list[list[int]]

    @property
    def levels_in_order(self) -> tuple[int, ...]:
        """The node, in the order of the plan."""
        return tuple(self.node.values())

    def write(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        data = self.model_dump(mode="json")
        nodes = ",\n    ".join(json.dumps(node) for node in data.pop("minimal_nodes"))
        body = json.dumps(data, indent=2, ensure_ascii=False).removesuffix("\n}")
        listed = f"[\n    {nodes}\n  ]" if nodes else "[]"
        temporary = path.with_name(path.name + ".part")
        temporary.write_text(f'{body},\n  "minimal_nodes": {listed}\n}}\n', encoding="utf-8")
        try:
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def full_domain_solution(
    plan: Plan,
    problem: FullDomainProblem,
    shape: Shape,
    fingerprint: dict[str, int],
    result: FullDomainResult,
) -> Solution:
    """The solution of a full-domain method's result."""
    names = [attribute.name for attribute in problem.attributes]
    return Solution(
        sqlanon_version=__version__,
        plan_sha256=plan.sha256,
        method=plan.method.name,
        label=result.label,
        node=dict(zip(names, result.node, strict=True)),
        height=sum(result.node),
        classes=result.score.class_count,
        published_rows=result.score.published_rows,
        suppressed_rows=result.score.suppressed_rows,
        objective=plan.method.objective.name,
        cost=None if result.cost is None else list(result.cost),
        lattice=LatticeCounts(
            nodes=problem.size,
            checked=result.checked,
            satisfying=result.satisfying,
            minimal=result.minimal,
        ),
        levels={name: shape.level_count(name) for name in shape.hierarchies},
        words=dict(shape.words),
        input=fingerprint,
        minimal_nodes=[list(node) for node in result.minimal_nodes],
    )


def read_solution(path: Path, plan: Plan) -> Solution:
    """The solution in a file, if it is one of this very plan.

    Raises:
        PlanError: the file is broken, or the plan has changed since.
    """
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8"))
        solution = Solution.model_validate(data)
    except (ValueError, ValidationError) as error:
        raise PlanError(
            "The solution file cannot be read.",
            where=path.name,
            fix="run `sqlanon solve` again; it writes the file anew",
        ) from error
    if solution.plan_sha256 != plan.sha256:
        raise PlanError(
            "The solution is of another version of the plan.",
            where=path.name,
            fix="run `sqlanon solve` again",
        )
    return solution
