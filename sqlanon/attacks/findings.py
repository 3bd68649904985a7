"""What came of an attack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlanon.attacks.base import Attack, AttackRelations, Outcome


@dataclass(frozen=True)
class AttackFinding:
    """What came of one form of an attack, on one attribute.

    Attributes:
        attack, variant: its name, and which form of it; empty where there is one alone.
        attribute: the sensitive attribute that was attacked; None where none was.
        parameters: of the attack, usual values included.
        tried: whether it could be tried; if not, `reason` says why, and there are no numbers.
        classes, rows: how many were attacked; rows are persons where the plan has a unit.
        classes_at_risk, rows_at_risk: how many of them the attack succeeds with.
        share: rows at risk of all rows, 0 to 1.
        certainty: how sure the attacker is at worst, 0 to 1.
        measured: further numbers of this attack, by name.
        riskiest: the classes where the attacker is surest: sizes and measures, and, where that is
            asked for, their quasi-identifiers.
        notes: what the numbers leave out.
    """

    attack: str
    variant: str
    attribute: str | None
    parameters: Mapping[str, Any]
    tried: bool
    reason: str | None = None
    classes: int | None = None
    classes_at_risk: int | None = None
    rows: int | None = None
    rows_at_risk: int | None = None
    share: float | None = None
    certainty: float | None = None
    measured: Mapping[str, Any] | None = None
    riskiest: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)  # may hold cells
    notes: tuple[str, ...] = ()

    @property
    def succeeds(self) -> bool:
        """Whether rows are at risk."""
        return bool(self.rows_at_risk)

    def as_json(self) -> dict[str, Any]:
        """The finding as JSON can hold it."""
        return {**vars(self), "riskiest": [dict(one) for one in self.riskiest]}


def finding_of(
    attempted: Attack, relations: AttackRelations, outcome: Outcome | str
) -> AttackFinding:
    """The finding of an attempt: its outcome, or why there is none."""
    common: dict[str, Any] = {
        "attack": attempted.name,
        "variant": attempted.variant,
        "attribute": relations.attribute or None,
        "parameters": attempted.parameters,
    }
    if isinstance(outcome, str):
        return AttackFinding(**common, tried=False, reason=outcome)
    share = outcome.rows_at_risk / outcome.rows if outcome.rows else 0.0
    names = {alias: name for name, alias in relations.named_key}
    told = {**vars(outcome), "riskiest": tuple(_named(one, names) for one in outcome.riskiest)}
    return AttackFinding(**common, tried=True, share=share, **told)


def _named(one: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """A class with its columns called as they are published, unless a number is called so."""
    told = {}
    for key, value in one.items():
        name = names.get(key, key)
        told[key if name in one else name] = value
    return told
