"""Findings of attacks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlanon.attacks.base import Attack, AttackRelations, Outcome
from sqlanon.display.blocks import (
    BAD,
    GOOD,
    SECONDARY,
    Block,
    Sentences,
    Styled,
    Table,
    cell_text,
    words,
)
from sqlanon.display.tabular import Records


@dataclass(frozen=True)
class AttackFinding:
    """The result of one form of an attack on one attribute.

    Attributes:
        attack, variant: name and form of the attack; the form is empty if there is only one.
        attribute: the sensitive attribute that was attacked; None if there was none.
        parameters: the parameters of the attack, also those with default values.
        meaning: what the attacker does, and when a row is at risk, in a sentence.
        tried: whether the attack could be tried; if not, `reason` says why, and there are no
            numbers.
        classes, rows: how many were attacked; rows are persons if the plan has a unit and the table
            shows them or their number.
        classes_at_risk, rows_at_risk: for how many of them the attack succeeds.
        share: share of rows at risk, 0 to 1.
        rows_not_safe: rows at risk, and those for which that could not be ruled out.
        at_most: the threshold of the attack: the largest share of rows that may be not safe; None
            if it has none, and then no row may be.
        succeeds: whether more rows are not safe than the threshold accepts.
        certainty: the highest certainty that the attacker reaches, 0 to 1.
        measured: further measures of this attack, by name.
        riskiest: the classes with the highest certainty: sizes and measures, and, on request,
            their quasi-identifiers.
        notes: what the numbers do not include.
    """

    attack: str
    variant: str
    attribute: str | None
    parameters: Mapping[str, Any]
    tried: bool
    meaning: str = ""
    reason: str | None = None
    classes: int | None = None
    classes_at_risk: int | None = None
    rows: int | None = None
    rows_at_risk: int | None = None
    share: float | None = None
    rows_not_safe: int | None = None
    at_most: float | None = None
    succeeds: bool = False
    certainty: float | None = None
    measured: Mapping[str, Any] | None = None
    riskiest: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)  # may hold cells
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The attack with its form."""
        return f"{self.attack} {self.variant}".rstrip()

    @property
    def about(self) -> str:
        """The attack with its form and attribute."""
        return self.title + (f" on {self.attribute}" if self.attribute else "")

    @property
    def style(self) -> str:
        """How its numbers are printed: it succeeds, or does not."""
        return BAD if self.succeeds else GOOD

    @property
    def verdict(self) -> str:
        """Whether the attack keeps its threshold, in one sentence."""
        side = "more than the" if self.succeeds else "within the"
        return (
            f"{self.about}: {self.rows_not_safe:,} of {self.rows:,} rows may be at risk, {side}"
            f" threshold of {cell_text(self.at_most or 0)}"
        )

    def as_record(self) -> dict[str, Any]:
        """The finding as a row of a table, without classes and notes."""
        parameters = ", ".join(f"{name} = {value}" for name, value in self.parameters.items())
        return {
            "attack": self.attack,
            "variant": self.variant or None,
            "attribute": self.attribute,
            "parameters": parameters or None,
            "tried": self.tried,
            "rows_at_risk": self.rows_at_risk,
            "rows": self.rows,
            "share": self.share,
            "rows_not_safe": self.rows_not_safe,
            "classes_at_risk": self.classes_at_risk,
            "classes": self.classes,
            "certainty": None if self.certainty is None else float(self.certainty),
            "at_most": self.at_most,
            "succeeds": self.succeeds if self.tried else None,
            "reason": self.reason,
        }

    def as_json(self) -> dict[str, Any]:
        """The finding as a JSON object."""
        return {**vars(self), "riskiest": [dict(one) for one in self.riskiest]}


class AttackFindings(Records[AttackFinding]):
    """What attacks learned from a published table."""

    def records(self) -> list[dict[str, Any]]:
        return [finding.as_record() for finding in self]

    def as_json(self) -> list[dict[str, Any]]:
        return [finding.as_json() for finding in self]

    def displayed(self) -> Sequence[Block]:
        """The attacks that were tried, the riskiest classes of each, and why others were not."""
        tried = [finding for finding in self if finding.tried]
        blocks: list[Block] = [
            Table(
                self.title,
                ["attack", "on", "rows at risk", "of", "share", "classes", "certainty"],
                [
                    [one.title, one.attribute, Styled(one.rows_at_risk, one.style),
                     one.rows, one.share, one.classes_at_risk, one.certainty]
                    for one in tried
                ],
            )
        ]  # fmt: skip
        for one in tried:
            if one.at_most is not None or one.rows_not_safe != one.rows_at_risk:
                blocks.append(Sentences([one.verdict], style=one.style))
        for one in tried:
            measured = (one.measured or {}).items()
            line = ", ".join(f"{words(name)} {cell_text(value)}" for name, value in measured)
            notes = [*filter(None, [line]), *one.notes]
            if notes:
                blocks.append(Sentences(notes, one.about))
            if one.riskiest:
                count = f"the {len(one.riskiest)} riskiest of {one.classes_at_risk} classes"
                rows = [list(each.values()) for each in one.riskiest]
                headings = list(map(words, one.riskiest[0]))
                blocks.append(Table(f"{one.about}: {count}", headings, rows))
        not_tried = list(self._not_tried())
        return [*blocks, Sentences(not_tried, "not tried", SECONDARY)] if not_tried else blocks

    def _not_tried(self) -> Iterator[str]:
        """One line for each reason why attacks were not tried.

        An attack has its forms and attributes only where the reason does not hold for all of them.
        """
        for why in dict.fromkeys(one.reason for one in self if not one.tried):
            names = []
            for name in dict.fromkeys(one.attack for one in self if one.reason == why):
                every = [one for one in self if one.attack == name]
                without = [one for one in every if one.reason == why]
                if {one.variant for one in without} != {one.variant for one in every}:
                    name += " " + "/".join(dict.fromkeys(one.variant for one in without))
                if {one.attribute for one in without} != {one.attribute for one in every}:
                    attributes = dict.fromkeys(one.attribute or "rows" for one in without)
                    name += " on " + "/".join(attributes)
                names.append(name)
            yield f"  {', '.join(names)}: {why}"


def finding_of(
    attempted: Attack, relations: AttackRelations, outcome: Outcome | str
) -> AttackFinding:
    """The finding of an attempt: its outcome, or the reason why there is none."""
    common: dict[str, Any] = {
        "attack": attempted.name,
        "variant": attempted.variant,
        "attribute": relations.attribute or None,
        "parameters": attempted.parameters,
        "meaning": attempted.promise,
        "at_most": None if attempted.at_most is None else float(attempted.at_most),
    }
    if isinstance(outcome, str):
        return AttackFinding(**common, tried=False, reason=outcome)
    share = outcome.rows_at_risk / outcome.rows if outcome.rows else 0.0
    names = {alias: name for name, alias in relations.named_key}
    riskiest = tuple(_named(one, names) for one in outcome.riskiest)
    not_safe = outcome.rows_at_risk if outcome.rows_not_safe is None else outcome.rows_not_safe
    results = {**vars(outcome), "riskiest": riskiest, "rows_not_safe": not_safe}
    succeeds = not_safe > (attempted.at_most or 0) * outcome.rows
    return AttackFinding(**common, tried=True, share=share, succeeds=succeeds, **results)


def _named(one: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """A class with the published names of its columns, unless one is the name of a measure."""
    named = {}
    for key, value in one.items():
        name = names.get(key, key)
        named[key if name in one else name] = value
    return named
