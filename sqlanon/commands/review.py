"""Lineage, differences of solutions, explanations and the schema, for reviewers."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack, get_args, overload

from sqlanon.attacks import ATTACKS
from sqlanon.attacks.base import Attack
from sqlanon.boundary import guarded
from sqlanon.boundary.text import checked_text, is_regular
from sqlanon.commands.options import Inputs, Options, PlanLike, command
from sqlanon.commands.session import Session, open_session
from sqlanon.commands.solve import Clock, search
from sqlanon.errors import PlanError, brief, did_you_mean
from sqlanon.families.difference import SolutionDifference, any_solution, difference, is_of_plan
from sqlanon.families.solution import Solution
from sqlanon.methods import METHODS
from sqlanon.methods.base import Method
from sqlanon.plan.plan import Plan
from sqlanon.privacy_models import PRIVACY_MODELS
from sqlanon.privacy_models.base import PrivacyModel
from sqlanon.program.program import program_steps
from sqlanon.proof.lineage import Lineage
from sqlanon.registry import default_of
from sqlanon.sql.paths import written
from sqlanon.utility.base import UtilityMeasure
from sqlanon.utility.measures import UTILITY_MEASURES


@command
def lineage(plan: PlanLike, options: Options | None = None, **inputs: Unpack[Inputs]) -> Lineage:
    """Each published column with the source columns behind it, and what decides which rows stay.

    This is the proof that `run` makes before it executes the release. No data row is read.

    Raises:
        PlanError: the plan is not solved, or a hierarchy could put an identifier into labels.
        EngineError: it cannot be proven that no identifier is published.
    """
    session = open_session(plan, options, **inputs)
    return session.proven(session.read_solution())[1]


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


_Explained = type[PrivacyModel | Method | UtilityMeasure | Attack]


@overload
def explain(name: str) -> dict[str, str]: ...


@overload
def explain(name: None = None) -> list[dict[str, str]]: ...


@guarded
def explain(name: str | None = None) -> dict[str, str] | list[dict[str, str]]:
    """What a model, method, measure or attack promises or does, and its source.

    Args:
        name: if None, all names.

    Returns:
        `name`, `kind`, `text`, `source`, `parameters` and `plan`, a piece of a plan to copy; of all
        names `name`, `kind` and `summary`, a sentence.

    Raises:
        PlanError: the name is unknown.
    """
    known = _known()
    if name is None:
        return [
            {"name": each, "kind": kind, "summary": _text(cls).partition("\n")[0]}
            for each, (kind, cls) in known.items()
        ]
    if name not in known:
        raise PlanError(
            f"Unknown name '{brief(name)}'.",
            where="explain",
            fix=did_you_mean(name, known),
        )
    kind, cls = known[name]
    parameters = []
    for field, info in cls.model_fields.items():
        if field not in ("name", "model"):
            about = info.description or " or ".join(map(str, get_args(info.annotation)))
            parameters.append(f"{field}: {about}".rstrip(": "))
    guarantee = f"\n\nGuarantee: {cls.guarantee}." if issubclass(cls, Method) else ""
    if issubclass(cls, PrivacyModel):
        column = {"attribute": "attribute"} if "attribute" in cls.model_fields else {}
        variants = [cls.model_validate({**bounds, **column}) for bounds in cls.reference_bounds]
        guarantee = "\n\n" + "\n".join(map(_monotonicity, variants))
        guarantee += "\nWhere the plan has `unit`, persons are counted in place of rows."
    return {
        "name": name,
        "kind": kind,
        "text": f"{_text(cls)}{guarantee}",
        "source": cls.source,
        "parameters": "\n".join(parameters),
        "plan": _in_plan(name, cls),
    }


_EXAMPLES: Mapping[str, object] = {
    "k": 5, "l": 3, "t": 0.3, "alpha": 0.5, "beta": 2, "delta": 1, "e": 1000, "dmin": 0.1,
    "dmax": 0.5, "threshold": 0.2, "size": 3, "sampling_fraction": 0.1,
    "attribute": "COLUMN",
}  # fmt: skip
"""Values of the parameters that must be given, for a piece of a plan."""


def _in_plan(name: str, cls: _Explained) -> str:
    """A piece of a plan with this model, method, measure or attack."""
    given = {n: _EXAMPLES[n] for n, info in cls.model_fields.items() if info.is_required()}
    key = "model" if issubclass(cls, PrivacyModel) else "name"
    more = "".join(f", {field}: {value}" for field, value in given.items() if field != key)
    entry = f"{{{key}: {name}{more}}}" if more else name
    if issubclass(cls, PrivacyModel):
        return f"privacy:\n  - {entry}"
    if issubclass(cls, Attack):
        return f"attacks:\n  - {entry}"
    return f"method: {entry}" if issubclass(cls, Method) else (
        f"method: {{name: optimal, objective: {entry}}}"
    )  # fmt: skip


def _known() -> dict[str, tuple[str, _Explained]]:
    """All names, with their kind and class."""
    kinds: tuple[tuple[str, Sequence[_Explained], str], ...] = (
        ("privacy model", PRIVACY_MODELS, "model"),
        ("method", METHODS, "name"),
        ("utility measure", UTILITY_MEASURES, "name"),
        ("attack", ATTACKS, "name"),
    )
    return {
        default_of(cls, field): (kind, cls) for kind, classes, field in kinds for cls in classes
    }


def _text(cls: _Explained) -> str:
    """The docstring, each paragraph and each of its sections, such as `Requires:`, on one line."""
    paragraphs = (inspect.getdoc(cls) or "").split("\n\n")
    return "\n\n".join(re.sub(r"\n(?![A-Z]\w+: )", " ", each) for each in paragraphs)


def _monotonicity(model: PrivacyModel) -> str:
    """Whether a model still holds, or suppresses no more rows, further up the lattice."""
    texts = [str(value) for value in model.parameters.values() if isinstance(value, str)]
    variant = "".join(f" ({value})" for value in texts if value != "attribute")
    general, suppressed = (
        "yes" if flag else "no"
        for flag in (model.monotone_under_generalization, model.monotone_under_suppression)
    )
    return f"Monotone{variant}: under generalization {general}, under suppression {suppressed}."


@guarded
def schema() -> dict[str, Any]:
    """The JSON Schema of plans, for editors and checks."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Plan.model_json_schema()}
