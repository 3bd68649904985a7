"""Runs the search of a plan, and writes its solution."""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

from sqlanon.boundary.files import write_whole
from sqlanon.commands.options import Inputs, Options, PlanLike, command
from sqlanon.commands.session import Session, open_session
from sqlanon.discovery.standards import required_of_source
from sqlanon.engines.base import Engine, drive
from sqlanon.errors import PlanError
from sqlanon.families.base import Family
from sqlanon.families.solution import Solution, changed_decisions
from sqlanon.source.hierarchy_files import relative

REPLACED = "replaced.{digest}.solution.json"
"""File in the target folder with a solution that a search replaced by another one."""

_LOG = logging.getLogger("sqlanon")


@command
def solve(plan: PlanLike, options: Options | None = None, **inputs: Unpack[Inputs]) -> Solution:
    """Run the search; write `<plan>.solution.json` next to the plan, and the SQL of the search.

    If another solution is there that decides otherwise, it is kept in the target folder, and a
    warning says what changes.

    Raises:
        NoSolutionError: nothing within the limits holds the promises.
    """
    session = open_session(plan, options, **inputs)
    if session.options.locked:
        raise PlanError(
            "A search replaces the solution, which is to be left as it is.",
            where="locked",
            fix="leave out `locked`, or call `run`, which publishes by the solution",
        )
    with session.working_files(), session.engine() as engine:
        session.bind(engine)
        solved = search(session, engine, Clock())
        message = write_solved(session, solved, session.place_of)
        if message:
            _LOG.warning("%s", message)
        return solved.solution


class Clock:
    """Seconds spent in each part of a run."""

    def __init__(self) -> None:
        self._start = self._last = time.perf_counter()
        self._laps: dict[str, float] = {}

    def lap(self, name: str) -> None:
        """End a part."""
        now = time.perf_counter()
        self._laps[name] = now - self._last
        self._last = now

    def seconds(self) -> dict[str, float]:
        """All parts, and their total, to the millisecond."""
        laps = {**self._laps, "total": time.perf_counter() - self._start}
        return {name: round(seconds, 3) for name, seconds in laps.items()}


@dataclass(frozen=True)
class Solved:
    """A prepared plan and its solution.

    Attributes:
        stated: the solution as its file states it; the program is compiled from this one.
        solution: the same, with the counts of the data as it is now.
        search_sql: the questions of the search.
        reviewed_sha256: digest of the file if it was read, and nothing was searched.
    """

    prepared: Family[Any]
    stated: Solution
    solution: Solution
    search_sql: str = ""
    reviewed_sha256: str | None = None


def search(session: Session, engine: Engine, clock: Clock) -> Solved:
    """Prepare and search; no file is written."""
    prepared = session.prepared(engine)
    drive(engine, required_of_source(session.plan))
    clock.lap("frequency_set")
    before = len(engine.journal)
    solution: Solution = drive(engine, prepared.search())
    clock.lap("solve")
    questions = "\n\n".join(
        f"-- asked {number}\n{entry.sql}"
        for number, entry in enumerate(engine.journal[before:], start=1)
    )
    return Solved(prepared, solution, solution, questions + "\n")


def apply_reviewed(session: Session, engine: Engine, clock: Clock) -> Solved:
    """Prepare, and apply the solution next to the plan to the data as it is now."""
    file = session.solution_file
    if not file.is_file():
        raise PlanError(
            "There is no solution to publish by.",
            where=file.name,
            fix="run `sqlanon solve`, review the solution and what `sqlanon compile` writes, and"
            " run with --locked again",
        )
    content = file.read_bytes()
    stated = session.solution_in(content)
    prepared = session.prepared(engine)
    drive(engine, required_of_source(session.plan))
    clock.lap("frequency_set")
    solution: Solution = drive(engine, prepared.applied(stated))
    solution = solution.model_copy(update={"label": f"{stated.label}, when solved"})
    clock.lap("solve")
    return Solved(prepared, stated, solution, reviewed_sha256=hashlib.sha256(content).hexdigest())


def write_solved(session: Session, solved: Solved, place_of: Callable[[str], Path]) -> str:
    """Write the solution, the questions of its search, and a solution that it replaces."""
    message = _keep_replaced(session, solved.solution, place_of)
    solved.solution.write(place_of(session.solution_file.name))
    write_whole(place_of("search.sql"), solved.search_sql)
    return message


def _keep_replaced(session: Session, solution: Solution, place_of: Callable[[str], Path]) -> str:
    """Keep a solution that decides otherwise, which somebody may have reviewed."""
    file = session.solution_file
    if not file.is_file():
        return ""
    content = file.read_bytes()
    use = "`sqlanon diff` compares both. To publish by it, put it back, and run with --locked."
    try:
        changes = ", ".join(changed_decisions(session.solution_in(content), solution))
    except PlanError:
        changes = "it cannot be read, or belongs to another version of the plan"
        use = "Nothing can be published by it."
    if not changes:
        return ""
    # a name of its own: the next search does not replace what somebody may have reviewed
    name = REPLACED.format(digest=hashlib.sha256(content).hexdigest()[:8])
    write_whole(place_of(name), content)
    kept = f"{relative(session.target, session.plan.folder)}/{name}"
    replaced = f"Another solution replaces {file.name}: {changes}."
    return f"{replaced} The earlier one is kept as {kept}. {use}"
