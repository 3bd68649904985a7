"""Runs the search of a plan, and writes its solution."""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from sqlanon.boundary import guarded
from sqlanon.commands.options import Options, PlanLike, settled
from sqlanon.commands.session import Session
from sqlanon.engines.base import Engine, drive
from sqlanon.errors import PlanError
from sqlanon.families import families
from sqlanon.families.base import Family
from sqlanon.families.solution import Solution, changed_decisions
from sqlanon.plan.overrides import Overrides
from sqlanon.source.hierarchy_files import relative
from sqlanon.sql.step import Step
from sqlanon.system.files import write_whole

REPLACED = "replaced.{digest}.solution.json"
"""File in the target folder with a solution that a search replaced by another one."""

_LOG = logging.getLogger("sqlanon")


@guarded
def solve(
    plan: PlanLike,
    options: Options | None = None,
    *,
    connection: duckdb.DuckDBPyConnection | None = None,
    source: object = None,
    overrides: Overrides = (),
) -> Solution:
    """Run the search; write `<plan>.solution.json` next to the plan, and the SQL of the search.

    If another solution is there that decides otherwise, it is kept in the target folder, and a
    warning says what changes.

    Raises:
        NoSolutionError: nothing within the limits holds the promises.
    """
    plan, options = settled(
        plan, options, connection=connection, source=source, overrides=overrides
    )
    if options.locked:
        raise PlanError(
            "A search replaces the solution, which is to be left as it is.",
            where="locked",
            fix="leave out `locked`, or call `run`, which publishes by the solution",
        )
    session = Session(plan, options)
    with session.working_files(), session.engine() as engine:
        session.check_columns(engine)
        found = solved(session, engine, Clock())
        told = write_found(session, found, session.place_of)
        if told:
            _LOG.warning("%s", told)
        return found.solution


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
class Found:
    """A prepared plan and its solution.

    Attributes:
        stated: the solution as its file states it; the program is compiled from this one.
        solution: the same, with the counts of the data as it is now.
        asked: the questions of the search.
        reviewed_sha256: digest of the file if it was read, and nothing was searched.
    """

    prepared: Family[Any]
    stated: Solution
    solution: Solution
    asked: str = ""
    reviewed_sha256: str | None = None


def solved(session: Session, engine: Engine, clock: Clock) -> Found:
    """Prepare and search."""
    prepared, solution, asked = searched(session, engine, clock)
    return Found(prepared, solution, solution, asked)


def write_found(session: Session, found: Found, place_of: Callable[[str], Path]) -> str:
    """Write the solution, the questions of its search, and a solution that it replaces.

    Args:
        place_of: where files are written, by their names.

    Returns:
        what to say of the replaced solution; empty if none decides otherwise.
    """
    told = _keep_replaced(session, found.solution, place_of)
    found.solution.write(place_of(session.solution_file.name))
    write_whole(place_of("search.sql"), found.asked)
    return told


def searched(session: Session, engine: Engine, clock: Clock) -> tuple[Family[Any], Solution, str]:
    """Prepare and search; also return the questions of the search. No file is written."""
    prepared = _prepared(session, engine, clock)
    before = len(engine.journal)
    solution: Solution = drive(engine, prepared.search())
    clock.lap("solve")
    asked = "\n\n".join(
        f"-- asked {number}\n{entry.sql}"
        for number, entry in enumerate(engine.journal[before:], start=1)
    )
    return prepared, solution, asked + "\n"


def locked(session: Session, engine: Engine, clock: Clock) -> Found:
    """Prepare, and apply the solution next to the plan to the data as it is now.

    Raises:
        PlanError: there is no solution, or it does not fit the plan or the data.
        PrivacyViolation: what it would publish does not hold the promises.
    """
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
    prepared = _prepared(session, engine, clock)
    solution: Solution = drive(engine, prepared.applied(stated))
    solution = solution.model_copy(update={"label": f"{stated.label}, when solved"})
    clock.lap("solve")
    return Found(prepared, stated, solution, reviewed_sha256=hashlib.sha256(content).hexdigest())


def _prepared(session: Session, engine: Engine, clock: Clock) -> Family[Any]:
    hierarchies = session.hierarchies(copy=True)
    prepared = drive(engine, families.prepared(session.plan, hierarchies))
    clock.lap("frequency_set")
    return prepared


def _keep_replaced(session: Session, solution: Solution, place_of: Callable[[str], Path]) -> str:
    """Keep a solution that decides otherwise, which somebody may have reviewed; say so."""
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


def execute_rest(engine: Engine, steps: Sequence[Step], *, published: bool = True) -> None:
    """Execute the steps that the search has not executed, with or without the staged rows."""
    done = {entry.step for entry in engine.journal}
    for step in steps:
        if step not in done and (published or step.kind != "copy"):
            engine.execute(step)
