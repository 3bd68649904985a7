"""Linkage: identifying the person of a published row by the quasi-identifiers."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from sqlanon.attacks.base import PERMUTED, Attack, AttackRelations, Form, Outcome
from sqlanon.attacks.control import controlled
from sqlanon.attacks.overlapping import LOWER_BOUND
from sqlanon.bounds import Number
from sqlanon.sql.step import Search


class Linkage(Attack):
    """Find the row of a person, or the persons of all rows, by the published quasi-identifiers.

    The prosecutor knows that the person is in the table: among the f rows of a class, one guess in
    f is right. The journalist does not know this: a row could be that of any of the F persons of
    the population who match its class. The marketer matches every row with a person; in a class,
    f / F matches are right, and the share of the whole table counts.
    At risk: rows whose probability is above the threshold; for the marketer, every row if the share
    is above it, because all rows are matched.
    Requires: one row per person, or `unit`; the quasi-identifiers of a row belong to one person.
    If the table shows neither a key of persons nor their number in a class, rows are counted: a
    class has at most as many persons, and at least as many as the plan promises, if it was kept.
    Source: El Emam, Guide to the De-Identification of Personal Health Information, 2013.
    """

    source: ClassVar[str] = "El Emam 2013, Guide to the De-Identification of Health Information"
    forms: ClassVar[tuple[Form, ...]] = (
        Form({"attacker": "prosecutor"}, on_values=False),
        Form({"attacker": "journalist"}, ("population",), on_values=False),
        Form({"attacker": "marketer"}, ("population",), on_values=False),
    )
    by_quasi_identifiers: ClassVar[bool] = True

    name: Literal["linkage"] = "linkage"
    attacker: Literal["prosecutor", "journalist", "marketer"] = Field(
        "prosecutor", description="what the attacker knows and wants"
    )
    threshold: Annotated[
        Number, Field(ge=0, lt=1, description="highest acceptable probability, 0 to below 1")
    ] = Decimal("0.2")

    @property
    def variant(self) -> str:
        return self.attacker

    @property
    def template(self) -> str:
        return "linkage_all" if self.attacker == "marketer" else "linkage"

    @property
    def promise(self) -> str:
        who = {
            "prosecutor": "a person known to be in the table is found among the rows of a class",
            "journalist": "the person of a row is found among matching persons of the population",
            "marketer": "every row is matched with a person of the population",
        }
        return f"{who[self.attacker]}, with a probability above {self.threshold}"

    def missing(self, relations: AttackRelations) -> str | None:
        return super().missing(relations) if relations.rows_are_whole else PERMUTED

    def attempt(self, relations: AttackRelations) -> Search[Outcome]:
        outcome = yield from super().attempt(relations)
        if self.attacker != "marketer":
            outcome = yield from controlled(outcome, relations, self.title(relations))
        if relations.hides_counts and self.attacker == "prosecutor":
            return self._bounded(outcome, relations.k)
        if not relations.overlapping or self.attacker == "prosecutor":
            return outcome
        return replace(outcome, rows_not_safe=outcome.rows, notes=(*outcome.notes, LOWER_BOUND))

    def _bounded(self, outcome: Outcome, k: int) -> Outcome:
        """The outcome by rows; a class has at most as many persons, and at least k by the plan."""
        is_safe = self.threshold * k >= 1 and not outcome.rows_at_risk
        least = (
            f"at least {k:,}, by a promise that rows alone do not show" if k > 1 else "perhaps one"
        )
        note = (
            "The table does not show how many persons a class has: no more than rows, and"
            f" {least}. The certainty is at least this one, and at most 1 / {k:,}"
            + ("." if is_safe else ", so no row counts as safe.")
        )
        not_safe = 0 if is_safe else outcome.rows
        return replace(outcome, rows_not_safe=not_safe, notes=(*outcome.notes, note))
