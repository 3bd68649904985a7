"""Runs the search of a plan, and writes its solution."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from sqlanon.boundary import guarded
from sqlanon.commands.options import Options, PlanLike
from sqlanon.commands.session import Session
from sqlanon.engines.base import drive
from sqlanon.engines.duckdb import DuckDBEngine
from sqlanon.release.way import Prepared
from sqlanon.release.ways import way_of
from sqlanon.solution.base import Solution
from sqlanon.sql.step import Step
from sqlanon.system.files import write_whole


@guarded
def solve(plan: PlanLike, options: Options | None = None) -> Solution:
    """Run the search; write `<plan>.solution.json` next to the plan, and the SQL of the search.

    Raises:
        NoSolutionError: nothing within the limits holds the promises.
    """
    session = Session(plan, options or Options())
    with session.working_files(), session.engine() as engine:
        session.check_columns(engine)
        _, solution = solved(session, engine, Clock())
    return solution


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


def solved(session: Session, engine: DuckDBEngine, clock: Clock) -> tuple[Prepared[Any], Solution]:
    """Prepare and search; write the solution and the questions of the search."""
    hierarchies = session.hierarchies(copy=True)
    prepared = drive(engine, way_of(session.plan).prepare(hierarchies))
    clock.lap("frequency_set")
    before = len(engine.journal)
    solution: Solution = drive(engine, prepared.search())
    clock.lap("solve")
    solution.write(session.solution_file)
    session.target.mkdir(parents=True, exist_ok=True)
    asked = "\n\n".join(
        f"-- asked {number}\n" + "\n\n".join(entry.step.statements())
        for number, entry in enumerate(engine.journal[before:], start=1)
    )
    write_whole(session.target / "search.sql", asked + "\n")
    return prepared, solution


def execute_rest(engine: DuckDBEngine, steps: Sequence[Step], *, published: bool = True) -> None:
    """Execute the steps that the search has not executed, with or without the staged rows."""
    done = {entry.step for entry in engine.journal}
    for step in steps:
        if step not in done and (published or step.kind != "copy"):
            engine.execute(step)
