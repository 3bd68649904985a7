"""Checks the attacks that the caller asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from sqlanon.attacks import ATTACKS
from sqlanon.attacks.base import Attack
from sqlanon.boundary.text import Places, plain_content
from sqlanon.errors import PlanError, brief, did_you_mean
from sqlanon.registry import default_of

AttackLike = str | Mapping[str, Any] | Attack
"""An attack: its name, a mapping of name and parameters, or the checked attack."""


def wanted(attacks: Sequence[AttackLike]) -> list[Attack]:
    """The requested attacks, each in all its forms; every attack if none is requested.

    Raises:
        PlanError: there is no attack with this name, or it has no such parameter.
    """
    known = {default_of(cls, "name"): cls for cls in ATTACKS}
    found: list[Attack] = []
    for asked in attacks or known:
        if isinstance(asked, Attack):
            found.append(asked)
            continue
        given = plain_content({"name": asked} if isinstance(asked, str) else asked, Places())
        name = given.get("name") if isinstance(given, dict) else None
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
                found.append(cls.model_validate({**form, **given}))
            except ValidationError as error:
                fault = _fault(cls, error)
            if fault is not None:  # outside of the handler: pydantic's error contains all inputs
                raise fault
    return list(dict.fromkeys(found))


def of_plan(attacks: Sequence[Attack]) -> list[Attack]:
    """The attacks of a plan, each in all forms that the plan leaves open, and with a threshold.

    A plan that does not say what is accepted accepts no row at risk.
    """
    given = [
        {**each.model_dump(exclude_unset=True), "name": each.name, "at_most": each.at_most or 0}
        for each in attacks
    ]
    return wanted(given) if given else []


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
