"""Similarity: the values of a class differ, but have similar meanings."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from sqlanon.attacks.base import AttackRelations, Form, NotTriedError, Outcome, ask
from sqlanon.attacks.control import GuessingAttack
from sqlanon.bounds import Levels, Number
from sqlanon.sql.step import Search


class Similarity(GuessingAttack):
    """Infer that a person has the label that all, or nearly all, values of the class share.

    The values are replaced by their labels one or more levels up in the hierarchy that the plan has
    for the sensitive attribute. The rest is the homogeneity attack: gastric ulcer, gastritis and
    stomach cancer are three different values, but all are stomach diseases.
    At risk: rows of a label that has at least the share tau of its class.
    Requires: one row per person; a hierarchy of the sensitive attribute in which `level` is below
    the top, because the single label of the top discloses nothing.
    Source: Li, Li and Venkatasubramanian, ICDE 2007, section 3.
    """

    source: ClassVar[str] = "Li, Li and Venkatasubramanian 2007, t-closeness, section 3"
    forms: ClassVar[tuple[Form, ...]] = (Form(needs=("hierarchy",)),)

    name: Literal["similarity"] = "similarity"
    level: Annotated[
        Levels, Field(ge=1, description="how many levels up in the hierarchy values are replaced")
    ] = 1
    tau: Annotated[
        Number, Field(gt=0, le=1, description="share of a class at which a label is disclosed")
    ] = Decimal(1)

    @property
    def promise(self) -> str:
        how = "all rows" if self.tau == 1 else f"at least {self.tau} of the rows"
        return f"{how} of a class have the same label, {self.level} level(s) above the values"

    def attempt(self, relations: AttackRelations) -> Search[Outcome]:
        ((top,),) = yield ask(
            "top_level", f"{self.title(relations)}_top", value_levels=relations.value_levels
        )
        if self.level >= top:
            raise NotTriedError(
                f"level {self.level} of the hierarchy of '{relations.attribute}' is not below its"
                f" top, level {top}, where all values have the same label"
            )
        return (yield from super().attempt(relations))
