"""Compares two solutions of a plan, for reviewers."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Unpack

from sqlanon.boundary.text import checked_text, is_regular
from sqlanon.commands.options import Inputs, Options, PlanLike, command
from sqlanon.commands.session import Session, open_session
from sqlanon.commands.solve import Clock, search
from sqlanon.errors import PlanError, brief, did_you_mean
from sqlanon.release.program import program_steps
from sqlanon.solution.base import Solution
from sqlanon.solution.difference import SolutionDifference, any_solution, difference, is_of_plan
from sqlanon.sql.paths import written

_Named = tuple[str, Solution]


@command
def diff(
    plan: PlanLike,
    before: str | Path,
    after: str | Path | None = None,
    options: Options | None = None,
    *,
    solve: bool = False,
    **inputs: Unpack[Inputs],
) -> SolutionDifference:
    """What a second solution publishes differently: columns, rows, and the SQL of the release.

    Args:
        before: the file of the first solution.
        after: the file of the second; by default the plan's own.
        solve: instead, what the search finds now. The plan's own solution is not written.

    Raises:
        PlanError: a file is no solution, or the plan has none.
        NoSolutionError: nothing within the limits holds the promises.
    """
    if solve and after is not None:
        raise PlanError(
            "There are three solutions to compare.",
            where="--solve",
            fix="leave out the second file, or --solve",
        )
    session = open_session(plan, options, **inputs)
    first = _read(before)
    if solve:
        with session.engine(publishes=False) as engine:
            session.bind(engine)
            second = ("the search", search(session, engine, Clock()).solution)
    elif after is not None:
        second = _read(after)
    elif session.solution_file.is_file():
        second = _read(session.solution_file)
    else:
        raise PlanError(
            "The plan has no solution yet.",
            where=session.solution_file.name,
            fix="run `sqlanon solve`, give two files, or compare with the search by --solve",
        )
    hierarchies = session.hierarchies(copy=True)
    return difference(session.plan, hierarchies, first, second, _sql(session, first, second))


def _read(file: str | Path) -> _Named:
    """The solution in a file, and the file's name."""
    path = Path(checked_text(str(file), "solution"))
    if not is_regular(path):
        near = sorted(found.name for found in path.parent.glob("*.json"))
        raise PlanError(
            f"The solution '{brief(str(file))}' does not exist, or is not a regular file.",
            where=path.name,
            fix=did_you_mean(path.name, near) or "check the path; `sqlanon solve` writes one",
        )
    return path.name, any_solution(path.read_bytes(), path.name)


def _sql(session: Session, before: _Named, after: _Named) -> str:
    """The lines of the release that differ, or those of the steps that make what it reads.

    Empty if one of the two is of another plan.
    """
    if not all(is_of_plan(solution, session.plan) for _, solution in (before, after)):
        return ""
    programs = [session.compile(solution) for _, solution in (before, after)]
    texts = [program.release_sql for program in programs]
    if texts[0] == texts[1]:
        texts = [
            "\n\n".join(written(step.sql) for step in program_steps(program))
            for program in programs
        ]
    first, second = (text.splitlines() for text in texts)
    return "\n".join(difflib.unified_diff(first, second, before[0], after[0], lineterm=""))
