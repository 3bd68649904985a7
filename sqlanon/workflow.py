"""The commands as Python functions: the one module that knows the order of the rooms.

Each takes a plan (a path, a mapping with the same keys, or a Plan) and returns an object; nothing
is printed. `sqlanon.cli` is a thin layer of arguments and tables over these.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast, get_args

import duckdb

from sqlanon.attacks import ATTACKS, Attack
from sqlanon.boundary import guarded
from sqlanon.engines import DuckDBEngine
from sqlanon.engines.base import drive
from sqlanon.engines.duckdb import engine_error
from sqlanon.errors import PlanError, PrivacyViolation, brief, did_you_mean
from sqlanon.files import write_whole
from sqlanon.full_domain import FullDomainProblem
from sqlanon.lattice import Node
from sqlanon.manifest import described, json_text, manifest_of
from sqlanon.methods import METHODS, Method
from sqlanon.partition import PartitionProblem
from sqlanon.paths import Places
from sqlanon.plan import Plan
from sqlanon.prepare import (
    hierarchy_error,
    hierarchy_name,
    hierarchy_problems,
    hierarchy_step,
    with_known_levels,
)
from sqlanon.presence import in_plan_order, presence_findings
from sqlanon.privacy_models import PRIVACY_MODELS, PrivacyModel
from sqlanon.program import Program, program_steps, staged_publication
from sqlanon.publish import Staged, publish, unchanged
from sqlanon.recoding import BUCKET_DISTANCES, PARTITION_TREE, Problem, measure_node, recoding_of
from sqlanon.render import text
from sqlanon.search import search
from sqlanon.session import Options, PlanLike, Session
from sqlanon.solution import FullDomainSolution, Solution, read_solution
from sqlanon.step import Rows, Step, quoted
from sqlanon.utility import UTILITY_MEASURES, UtilityMeasure
from sqlanon.verify import Finding, file_relation, violation
from sqlanon.verify import verify as verify_search


@dataclass(frozen=True)
class RunResult:
    """What a run made.

    Attributes:
        manifest: what was asked, found, measured and published; no value of a source row.
        target: folder with the program's SQL files and the manifest.
        plan: what was published, with its folder.
        connection: the caller's, where one was given.
    """

    manifest: dict[str, Any]
    target: Path
    plan: Plan
    connection: duckdb.DuckDBPyConnection | None

    @property
    @guarded
    def published(self) -> duckdb.DuckDBPyRelation:
        """The publication, to go on with; opened anew each time, so that nothing is held open.

        A table on the caller's connection, else a relation of a connection of its own.

        Raises:
            EngineError: it is not there any more.
        """
        try:
            return self._opened()
        except duckdb.Error as error:
            refusal = engine_error(error, "published")
        raise refusal

    def _opened(self) -> duckdb.DuckDBPyRelation:
        publication = self.plan.publish
        if publication.table is not None and self.connection is not None:
            table = ".".join(map(quoted, publication.table.split(".")))
            return self.connection.sql(f"select * from {table}")
        if publication.database is not None:
            file = text(str(self.plan.folder / publication.database))
            table = ".".join(map(quoted, publication.database_table.split(".")))
            opened = duckdb.connect()
            opened.execute(f"attach {file} as published (read_only)")
            return opened.sql(f"select * from published.{table}")
        relation = Places(self.plan.folder).resolved(file_relation(publication.path or ""))
        connection = self.connection or duckdb.connect()
        return connection.sql(f"select * from {relation}")


@dataclass(frozen=True)
class HierarchyProblem:
    """One fault of a hierarchy: where, what, and how many values or rows it concerns."""

    attribute: str
    level: int
    problem: str
    affected: int


@guarded
def check(plan: PlanLike, options: Options | None = None) -> Plan:
    """The plan, its hierarchies and the source's columns, all sound; no data row is read.

    Raises:
        PlanError: what is wrong, where, and how to mend it.
    """
    session = Session(plan, options or Options())
    with session.engine(publishes=False) as engine:
        hierarchies = session.hierarchies(copy=False)
        session.read_source(engine, rows=False)
        known = {n: h for n, h in hierarchies.items() if h.level_count is not None}
        problems = drive(engine, hierarchy_problems(session.plan, known))
    if problems:
        raise hierarchy_error(session.plan, problems)
    return session.plan


@guarded
def solve(plan: PlanLike, options: Options | None = None) -> Solution:
    """Run the search; write `<plan>.solution.json` beside the plan, and the search's journal.

    Raises:
        NoSolutionError: nothing within the limits holds the promise.
    """
    session = Session(plan, options or Options())
    with session.working_files(), session.engine() as engine:
        session.check_columns(engine)
        _, solution = _solve(session, engine, _Clock())
    return solution


@guarded
def compile(plan: PlanLike, options: Options | None = None) -> tuple[Program, Path]:
    """Write the numbered SQL files and `program.sql`; of the release if the plan is solved.

    Returns:
        the program, and the folder it was written to.

    Raises:
        PlanError: the method has no program of its own and the plan is not solved yet.
    """
    session = Session(plan, options or Options())
    solution = None
    if session.solution_file.is_file():
        solution = read_solution(session.solution_file, session.plan)
    else:
        session.describe_source()
    program = session.compile(solution)
    folder = session.target / "sql"
    program.write(folder)
    return program, folder


@guarded
def run(
    plan: PlanLike,
    options: Options | None = None,
    *,
    connection: duckdb.DuckDBPyConnection | None = None,
) -> RunResult:
    """Solve, release, verify, publish: the whole way, or nothing at all.

    Args:
        plan: what to publish and what must hold.
        options: how.
        connection: short for `Options(connection=…)`.

    Raises:
        PrivacyViolation: the staged rows did not hold the promise; nothing was published.
        NoSolutionError, HierarchyError, EngineError, PublishError: as their names say.
    """
    options = options or Options()
    if connection is not None:
        options = replace(options, connection=connection)
    session = Session(plan, options)
    clock = _Clock()
    with session.working_files(publishes=True) as private, session.engine() as engine:
        session.check_columns(engine)
        problem, solution = _solve(session, engine, clock)
        program = session.compile(solution)
        program.write(session.target / "sql")
        _execute_rest(engine, program)
        staged = session.staged()
        clock.lap("release")
        findings = _verify_staged(session, engine, solution)
        clock.lap("verify")
        recoding = recoding_of(session.plan)
        utility = drive(engine, recoding.measure(problem, session.plan, solution))
        for step in recoding.shown(session.plan, problem, session.target_in_sql):
            engine.execute(step)
        _move_shown(session)
        clock.lap("measure")
        published = _described(session, engine, staged)
        unchanged(staged)
        manifest: dict[str, Any] = {}

        def told() -> str:
            clock.lap("publish")
            manifest.update(
                manifest_of(
                    session.plan, (engine.name, engine.version), solution, program.sha256, findings,
                    utility, published, clock.seconds(),
                )
            )  # fmt: skip
            return json_text(manifest)

        publish(engine, session.plan, staged, private, told)
    return RunResult(manifest, session.target, session.plan, options.connection)


def _move_shown(session: Session) -> None:
    """Put the files for readers into the target folder; those of an earlier run go."""
    for name in (PARTITION_TREE, BUCKET_DISTANCES):
        (session.target / name).unlink(missing_ok=True)
    for file in session.shown():
        file.replace(session.target / file.name)


@guarded
def measure(
    plan: PlanLike, options: Options | None = None, *, node: Mapping[str, int] | None = None
) -> dict[str, Any]:
    """What the publication loses, by every measure; nothing is published.

    Args:
        node: of a full-domain method: level per quasi-identifier; the plan's solution when not
            given. A partition is made anew.

    Returns:
        node, rows suppressed and published, classes, and `utility` as in the manifest.
    """
    session = Session(plan, options or Options())
    with session.engine(publishes=False) as engine:
        session.check_columns(engine)
        recoding = recoding_of(session.plan)
        prepared = drive(engine, recoding.prepare(session.plan, session.hierarchies(copy=True)))
        problem = prepared.problem
        if isinstance(problem, PartitionProblem):
            if node:
                raise PlanError(
                    f"{session.plan.method.name} makes regions, which are no lattice node.",
                    where="--node",
                    fix="leave out --node, or measure a plan with a full-domain method",
                )
            solution = prepared.solution(drive(engine, search(session.plan, problem)))
            _execute_rest(engine, session.compile(solution), published=False)
            found: dict[str, Any] = {"node": None, "classes": solution.classes, "satisfies": True}
            rows = solution.published_rows, solution.suppressed_rows
            utility = drive(engine, recoding.measure(problem, session.plan, solution))
        else:
            levels = _node(session, problem, node)
            (score,) = drive(engine, problem.score([levels]))
            found = {
                "node": dict(zip((a.name for a in problem.attributes), levels, strict=True)),
                "classes": score.class_count,
                "satisfies": problem.satisfies(score),
            }
            rows = score.published_rows, score.suppressed_rows
            utility = drive(engine, measure_node(problem, levels))
    counted = {"input": problem.row_count, "published": rows[0], "suppressed": rows[1]}
    return {**found, "rows": counted, "utility": utility}


@guarded
def check_hierarchies(plan: PlanLike, options: Options | None = None) -> list[HierarchyProblem]:
    """Every fault of the plan's hierarchies over the values of the source; none means sound."""
    session = Session(plan, options or Options())
    with session.engine(publishes=False) as engine:
        session.read_source(engine)
        hierarchies = session.hierarchies(copy=True)
        known = drive(engine, with_known_levels(session.plan, hierarchies))
        problems = drive(engine, hierarchy_problems(session.plan, known))
    return [HierarchyProblem(*row) for row in problems]


@guarded
def show_hierarchy(plan: PlanLike, attribute: str, options: Options | None = None) -> Rows:
    """The rows of one hierarchy over the values of the source, from level 0 to the top.

    Raises:
        PlanError: the plan has no such quasi-identifier.
    """
    session = Session(plan, options or Options())
    if attribute not in session.plan.quasi_identifiers:
        raise PlanError(
            f"'{brief(attribute)}' is no quasi-identifier of the plan.",
            where="hierarchy show",
            fix=did_you_mean(attribute, session.plan.quasi_identifiers),
        )
    with session.engine(publishes=False) as engine:
        session.read_source(engine)
        hierarchies = session.hierarchies(copy=True)
        known = drive(engine, with_known_levels(session.plan, hierarchies))[attribute]
        engine.execute(hierarchy_step(attribute, known))
        levels = [f"level_{level}" for level in range(known.level_count or 0)]
        name = quoted(hierarchy_name(attribute))
        shown = (
            f"select {', '.join(levels)}\nfrom sqlanon.{name}\norder by {', '.join(levels[::-1])}"
        )
        return engine.execute(Step("shown", shown, "rows"))


@guarded
def explain(name: str) -> dict[str, str]:
    """What a model, method, measure or attack promises or does, and where it is from.

    Raises:
        PlanError: there is nothing of this name.
    """
    kinds: tuple[
        tuple[str, Sequence[type[PrivacyModel | Method | UtilityMeasure | Attack]], str], ...
    ] = (
        ("privacy model", PRIVACY_MODELS, "model"),
        ("method", METHODS, "name"),
        ("utility measure", UTILITY_MEASURES, "name"),
        ("attack", ATTACKS, "name"),
    )
    known = {}
    for kind, classes, field in kinds:
        for cls in classes:
            known[cls.model_fields[field].default] = (kind, cls)
    if name not in known:
        raise PlanError(
            f"There is nothing called '{brief(name)}'.",
            where="explain",
            fix=did_you_mean(name, known),
        )
    kind, cls = known[name]
    parameters = [
        f"{field}: {info.description or _choices(info.annotation)}".rstrip(": ")
        for field, info in cls.model_fields.items()
        if field not in ("name", "model")
    ]
    promised = f"\n\nGuarantee: {cls.guarantee}." if issubclass(cls, Method) else ""
    if issubclass(cls, PrivacyModel):
        promised = "\n\n" + "\n".join(map(_monotonicity, _variants(cls)))
    return {
        "name": name,
        "kind": kind,
        "text": f"{inspect.getdoc(cls) or ''}{promised}",
        "source": cls.source,
        "parameters": "\n".join(parameters),
    }


def _variants(cls: type[PrivacyModel]) -> list[PrivacyModel]:
    """The forms of a model that its parameters choose between."""
    about = {"attribute": "attribute"} if "attribute" in cls.model_fields else {}
    return [cls.model_validate({**parameters, **about}) for parameters in cls.yardsticks]


def _monotonicity(model: PrivacyModel) -> str:
    """Whether a model holds, or suppresses no more, on the way up the lattice."""
    told = [str(value) for value in model.parameters.values() if isinstance(value, str)]
    form = "".join(f" ({value})" for value in told if value != "attribute")
    general, suppressed = (
        "yes" if flag else "no"
        for flag in (model.monotone_under_generalization, model.monotone_under_suppression)
    )
    return f"Monotone{form}: under generalization {general}, under suppression {suppressed}."


def _choices(annotation: Any) -> str:
    """The values that a parameter chooses from."""
    return " or ".join(map(str, get_args(annotation)))


@guarded
def schema() -> dict[str, Any]:
    """The JSON Schema of plans, for editors and checks."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Plan.model_json_schema()}


class _Clock:
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


def _solve(session: Session, engine: DuckDBEngine, clock: _Clock) -> tuple[Problem, Solution]:
    """Prepare and search; write the solution, and what was asked on the way."""
    plan = session.plan
    hierarchies = session.hierarchies(copy=True)
    prepared = drive(engine, recoding_of(plan).prepare(plan, hierarchies))
    clock.lap("frequency_set")
    before = len(engine.journal)
    result = drive(engine, search(plan, prepared.problem))
    clock.lap("solve")
    solution = prepared.solution(result)
    solution.write(session.solution_file)
    session.target.mkdir(parents=True, exist_ok=True)
    asked = "\n\n".join(
        f"-- asked {number}\n" + "\n\n".join(entry.step.statements())
        for number, entry in enumerate(engine.journal[before:], start=1)
    )
    write_whole(session.target / "search.sql", asked + "\n")
    return prepared.problem, solution


def _execute_rest(engine: DuckDBEngine, program: Program, *, published: bool = True) -> None:
    """Execute what the search has not executed already, up to the staged rows (or before them)."""
    done = {entry.step for entry in engine.journal}
    for step in program_steps(program):
        if step not in done and (published or step.kind != "copy"):
            engine.execute(step)


def _verify_staged(session: Session, engine: DuckDBEngine, solution: Solution) -> list[Finding]:
    """Prove the staged rows; a promise that fails, or a row too few or many, stops the run."""
    plan = session.plan
    publication = staged_publication(plan, solution, session.staged_in_sql)
    findings = drive(engine, verify_search(publication))
    findings += drive(engine, presence_findings(plan))
    findings = in_plan_order(plan, findings)
    broken = violation(findings, "verify")
    if broken:
        raise broken
    counted = Step("published_row_count", "select count(*)\nfrom sqlanon.published_rows", "rows")
    ((rows,),) = engine.execute(counted)
    expected = solution.published_rows
    if plan.suppression.rows == "mask":
        expected += solution.suppressed_rows
    described = engine.execute(Step("published_columns", _COLUMNS, "rows"))
    columns = {row[0]: row[1] for row in described}
    planned = plan.publication_types
    if rows != expected or list(columns.items()) != list(planned.items()):
        raise PrivacyViolation(
            f"The staged table has {rows} rows and {len(columns)} columns, not the {expected}"
            f" rows and {len(planned)} columns that the solution publishes, or another type.",
            where="verify",
            fix="did the source change during the run? Run again; nothing was published",
        )
    return findings


_COLUMNS = "select column_name, column_type\nfrom (describe select * from sqlanon.published_rows)"


def _described(
    session: Session, engine: DuckDBEngine, staged: Sequence[Staged]
) -> list[dict[str, Any]]:
    """Of every staged table its digest, rows and columns, as the manifest tells them."""
    publication = session.plan.publish
    in_database = publication.path is None or publication.database is not None
    relations = [file_relation(path) for path in session.staged_paths]
    return [
        {
            "sha256": each.sha256,
            **drive(engine, described(relation, in_database=in_database)),
        }
        for each, relation in zip(staged, relations, strict=True)
    ]


def _node(session: Session, problem: FullDomainProblem, node: Mapping[str, int] | None) -> Node:
    """The node to measure: given level by level, or the plan's solution."""
    if node is None:
        if not session.solution_file.is_file():
            raise PlanError(
                "The plan has no solution yet.",
                where=session.solution_file.name,
                fix="run `sqlanon solve`, or name the levels with --node",
            )
        solution = read_solution(session.solution_file, session.plan)
        return cast(FullDomainSolution, solution).levels_in_order
    names = [attribute.name for attribute in problem.attributes]
    for name in node:
        if name not in names:
            raise PlanError(
                f"'{brief(name)}' is no quasi-identifier.",
                where="--node",
                fix=did_you_mean(name, names),
            )
    levels = []
    for attribute in problem.attributes:
        level = node.get(attribute.name, 0)
        if type(level) is not int or not 0 <= level <= attribute.top:
            raise PlanError(
                f"'{attribute.name}' has no such level.",
                where="--node",
                fix=f"give a level from 0 to {attribute.top}",
            )
        levels.append(level)
    return tuple(levels)
