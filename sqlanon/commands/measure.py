"""What a publication loses, by every measure; nothing is published."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from sqlanon.boundary import guarded
from sqlanon.commands.session import Options, PlanLike, Session
from sqlanon.commands.solve import execute_rest
from sqlanon.engines.base import drive
from sqlanon.errors import PlanError, brief, did_you_mean
from sqlanon.release.recoding import measure_node, recoding_of
from sqlanon.search.full_domain import FullDomainProblem
from sqlanon.search.lattice import Node
from sqlanon.search.partition import PartitionProblem
from sqlanon.solution.file import FullDomainSolution, read_solution
from sqlanon.solution.search import search


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
            execute_rest(engine, session.compile(solution), published=False)
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
