"""Writes the SQL files of a plan; those of its release if it is solved."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, Unpack, cast, overload

from sqlanon.boundary.locks import claim
from sqlanon.boundary.text import checked_text
from sqlanon.commands.options import Inputs, Options, PlanLike, command
from sqlanon.commands.session import Session, open_session
from sqlanon.dialects.dialect import dialect_of
from sqlanon.engines.base import Database
from sqlanon.engines.runner import Runner
from sqlanon.errors import PlanError
from sqlanon.families import families
from sqlanon.families.base import Family
from sqlanon.families.solution import Solution
from sqlanon.program.postgresql_script import PostgreSQLScript
from sqlanon.program.program import Program, preamble, proven_step, secrets_of
from sqlanon.program.scripts import Script
from sqlanon.program.spark_script import SparkScript
from sqlanon.program.translation import Translation, translation
from sqlanon.source.files import readable_paths
from sqlanon.sql.paths import PathMap
from sqlanon.sql.step import Step


@overload
def compile(
    plan: PlanLike,
    options: Options | None = None,
    *,
    dialect: None = None,
    tables: Mapping[str, str] | None = None,
    **inputs: Unpack[Inputs],
) -> tuple[Program, Path]: ...


@overload
def compile(
    plan: PlanLike,
    options: Options | None = None,
    *,
    dialect: str,
    tables: Mapping[str, str] | None = None,
    **inputs: Unpack[Inputs],
) -> tuple[Translation, Path]: ...


@command
def compile(
    plan: PlanLike,
    options: Options | None = None,
    *,
    dialect: str | None = None,
    tables: Mapping[str, str] | None = None,
    **inputs: Unpack[Inputs],
) -> tuple[Program | Translation, Path]:
    """Write the numbered SQL files and `program.sql`; those of the release if the plan is solved.

    With a dialect, write the release and each proof as one query for that database instead.

    Args:
        dialect: `duckdb`, `postgres`, `spark`, `databricks`, `bigquery`, `snowflake` or `trino`.
        tables: with a dialect, the tables that are read there, by what they stand for: `source`,
            `population`, a column whose hierarchy is a table, or `published`.

    Returns:
        the program or the translation, and the folder that it was written to.

    Raises:
        PlanError: the plan is not solved, and its method has no program that searches by itself;
            or a part of the release does not carry over.
        PublishError: the target folder has files of somebody else.
    """
    session = open_session(plan, options, **inputs)
    if dialect is not None:
        return _translated(session, dialect, tables or {})
    if tables:
        raise PlanError(
            "Tables are named for another database.",
            where="--table",
            fix="add --dialect, such as --dialect postgres",
        )
    solution = None
    if session.solution_file.is_file():
        solution = session.read_solution()
    elif not session.plan.engine.searches_in_programs:
        raise PlanError(
            "A program for another database than DuckDB does not search.",
            where=session.solution_file.name,
            fix="run `sqlanon solve` first",
        )
    else:
        session.describe_source()
    program = program_of(session, solution)
    if program.refusal:
        raise program.refusal
    claim(session.target)
    program.write(session.target)
    return program, session.target / "sql"


def program_of(
    session: Session, solution: Solution | None, release: Family[Any] | None = None
) -> Program:
    """The proven program, in the dialect of the database that the plan runs in."""
    program = session.compile(solution, release)
    if solution is None or session.plan.engine.dialect == "duckdb":
        return program
    plan = session.plan.with_types(solution.types)
    release = release or families.recorded(plan, session.hierarchies(copy=True), solution)
    script = _SCRIPTS[plan.engine.name](plan, session.copies, session.columns_of)
    engine = Runner(
        lambda: cast(Database, script),  # it has no rows
        plan,
        PathMap(plan.folder),
        readable=readable_paths(plan, session.target, ()),
        files=[source for source in (plan.source, plan.population) if source],
        staged=session.copies,
        publishes=False,
    )
    texts, release_text = [], ""
    refusals: list[PlanError] = []
    with contextlib.closing(engine):
        proven = proven_step(plan, program.steps)
        for step in (*program.steps, proven):
            _record(step, engine, script, refusals)
            texts.append(script.taken())
            if step.name == "release":
                release_text = engine.translated(program.release_query)
    closing = [*texts.pop(), *script.published()]
    folder = PurePosixPath(next(iter(session.copies))).parent
    lines = script.header(f"{folder}/sql/program.sql")
    return replace(
        program,
        preamble=preamble(plan, release.description(solution), lines, script.secret_setting),
        opening=tuple(script.opening(secrets_of(plan).values())),
        closing=tuple(closing),
        texts=tuple(texts),
        release=release_text.rstrip("\n") + ";\n",
        refusal=next(iter(refusals), None),
    )


_SCRIPTS: Mapping[str, type[Script]] = {"postgres": PostgreSQLScript, "spark": SparkScript}


def _record(step: Step, engine: Runner, script: Script, refusals: list[PlanError]) -> None:
    """Have a script write down what the engine would execute for a step.

    A step that does not carry over may have been one of a search in DuckDB: then there is no
    program, but there is a release.
    """
    try:
        script.count_plans(step)
    except PlanError as refused:
        refusals.append(refused)
    try:
        engine.execute(step)
        if step.kind == "proof":
            engine.execute(Step(step.name, step.stop, "rows"))
    except PlanError as refused:
        if step.kind == "copy":
            raise
        fix = "publish with `sqlanon run` and `engine: {search: driver}`"
        refusals.append(PlanError(refused.what, where=refused.where, fix=fix))
        engine.assume(step)


def _translated(
    session: Session, dialect: str, tables: Mapping[str, str]
) -> tuple[Translation, Path]:
    dialect_of(dialect)
    for name, table in tables.items():
        checked_text(name, "--table")
        checked_text(table, "--table")
    solution = session.read_solution()
    session.proven(solution)  # that no identifier flows into the release
    plan = session.plan.with_types(solution.types)
    translated = translation(plan, session.hierarchies(copy=True), solution, dialect, tables)
    folder = session.target / dialect
    claim(session.target)
    translated.write(folder)
    return translated, folder
