"""Linkage: identifying the person of a published row by the quasi-identifiers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from sqlanon.attacks.base import PERMUTED, Attack, AttackRelations, Outcome
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
    Requires: one row per person; the quasi-identifiers of a row belong to one person.
    Source: El Emam, Guide to the De-Identification of Personal Health Information, 2013.
    """

    source: ClassVar[str] = "El Emam 2013, Guide to the De-Identification of Health Information"
    forms: ClassVar[tuple[Mapping[str, Any], ...]] = (
        {"attacker": "prosecutor"},
        {"attacker": "journalist"},
        {"attacker": "marketer"},
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
    def on_values(self) -> bool:
        return False

    @property
    def needs_population(self) -> bool:
        return self.attacker != "prosecutor"

    @property
    def variant(self) -> str:
        return self.attacker

    @property
    def template(self) -> str:
        return "attacks/linkage_all.sql" if self.attacker == "marketer" else "attacks/linkage.sql"

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

    def attempt(
        self, relations: AttackRelations, *, list_classes: int = 0, with_values: bool = False
    ) -> Search[Outcome | str]:
        outcome = yield from super().attempt(
            relations, list_classes=list_classes, with_values=with_values
        )
        if isinstance(outcome, str) or not relations.overlapping or not self.needs_population:
            return outcome
        return replace(outcome, rows_not_safe=outcome.rows, notes=(*outcome.notes, LOWER_BOUND))
