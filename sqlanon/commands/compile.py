"""Writes the SQL files of a plan; those of its release if it is solved."""

from __future__ import annotations

from pathlib import Path

from sqlanon.boundary import guarded
from sqlanon.commands.options import Options, PlanLike
from sqlanon.commands.session import Session
from sqlanon.release.program import Program


@guarded
def compile(plan: PlanLike, options: Options | None = None) -> tuple[Program, Path]:
    """Write the numbered SQL files and `program.sql`; those of the release if the plan is solved.

    Returns:
        the program, and the folder that it was written to.

    Raises:
        PlanError: the plan is not solved, and its method has no program that searches by itself.
    """
    session = Session(plan, options or Options())
    solution = None
    if session.solution_file.is_file():
        solution = session.read_solution()
    else:
        session.describe_source()
    program = session.compile(solution)
    program.write(session.target)
    return program, session.target / "sql"
