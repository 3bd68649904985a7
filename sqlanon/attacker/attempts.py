"""Checks the attacks that are asked for, and tries them one by one, each on every attribute."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from sqlanon.attacker.tables import AttackerTables
from sqlanon.attacks import ATTACKS
from sqlanon.attacks.base import Attack, NotTriedError, Outcome
from sqlanon.attacks.findings import AttackFinding, finding_of
from sqlanon.boundary.text import Places, plain_content
from sqlanon.errors import PlanError, brief, did_you_mean
from sqlanon.registry import default_of
from sqlanon.sql.step import Result, Rows, Search

AttackLike = str | Mapping[str, Any] | Attack
"""An attack: its name, a mapping of name and parameters, or the checked attack."""

OUT_OF_TIME = "the time for attacks was over"
"""Why an attack was not begun."""


def requested_attacks(attacks: Sequence[AttackLike]) -> list[Attack]:
    """The requested attacks, each in all its forms; every attack if none is requested.

    Raises:
        PlanError: there is no attack with this name, or it has no such parameter.
    """
    known = {default_of(cls, "name"): cls for cls in ATTACKS}
    found: list[Attack] = []
    for each in attacks or known:
        if isinstance(each, Attack):
            found.append(each)
            continue
        content = plain_content({"name": each} if isinstance(each, str) else each, Places())
        name = content.get("name") if isinstance(content, dict) else None
        if not isinstance(name, str) or name not in known:
            raise PlanError(
                f"There is no attack '{brief(name)}'." if name else "An attack has no name.",
                where="--attack",
                fix=did_you_mean(name, known),
            )
        cls = known[name]
        for form in cls.forms:
            fault: PlanError | None = None
            try:
                found.append(cls.model_validate({**form.parameters, **content}))
            except ValidationError as error:
                fault = _fault(cls, error)
            if fault is not None:  # outside of the handler: pydantic's error contains all inputs
                raise fault
    return list(dict.fromkeys(found))


def attacks_of_plan(attacks: Sequence[Attack]) -> list[Attack]:
    """The attacks of a plan, each in all forms that the plan leaves open, and with a threshold.

    A plan that does not say what is accepted accepts no row at risk.
    """
    given = [
        {**each.model_dump(exclude_unset=True), "name": each.name, "at_most": each.at_most or 0}
        for each in attacks
    ]
    return requested_attacks(given) if given else []


def _fault(cls: type[Attack], error: ValidationError) -> PlanError:
    """The error for the first invalid parameter of an attack."""
    name = default_of(cls, "name")
    known = [field for field in cls.model_fields if field != "name"]
    found = error.errors()[0]
    key = str(found["loc"][0]) if found["loc"] else ""
    what = f"{key}: {found['msg']}." if key else f"{found['msg'].removeprefix('Value error, ')}."
    fix = f"`sqlanon explain {name}` shows what is allowed"
    if found["type"] == "extra_forbidden":
        what = f"'{brief(key)}' is not a parameter of this attack."
        fix = did_you_mean(key, known)
    return PlanError(what, where=f"--attack {name}", fix=fix)


def try_attacks(
    tables: AttackerTables, attacks: Sequence[Attack], seconds: float | None = None
) -> Search[list[AttackFinding]]:
    """Try these attacks; one finding per attack, form and attribute.

    Args:
        seconds: after this time no other attack is begun; one that has begun is carried out.
    """
    start = time.monotonic()
    yield from tables.prepare()
    findings: list[AttackFinding] = []
    made: dict[str, Rows] = {}
    for attack in attacks:
        for relations, reason in tables.targets(attack, len(findings)):
            result: Outcome | str | None = reason or attack.missing(relations)
            if result is None and seconds is not None and time.monotonic() - start > seconds:
                result = OUT_OF_TIME
            if result is None:
                try:
                    result = yield from _once(attack.attempt(relations), made)
                except NotTriedError as error:
                    result = str(error)
            findings.append(finding_of(attack, relations, result))
    return findings


def _once(search: Search[Result], made: dict[str, Rows]) -> Search[Result]:
    """The same search without steps that another form of the attack has made in the same words."""
    try:
        step = next(search)
        while True:
            key = f"{step.name}: {step.sql}"
            if key not in made:
                made[key] = yield step
            step = search.send(made[key])
    except StopIteration as end:
        result: Result = end.value
        return result
