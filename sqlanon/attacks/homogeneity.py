"""Homogeneity: everyone in a class has the same value."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from sqlanon.attacks.control import GuessingAttack
from sqlanon.bounds import Number


class Homogeneity(GuessingAttack):
    """Infer that a person has the value that all, or nearly all, rows of the class have.

    The attacker need not find the row of the person; it is enough to know the class.
    At risk: rows of a value that has at least the share tau of its class.
    Requires: one row per person.
    Source: Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, ICDE 2006, section 1.
    """

    source: ClassVar[str] = "Machanavajjhala et al. 2006, l-diversity, section 1"

    name: Literal["homogeneity"] = "homogeneity"
    tau: Annotated[
        Number, Field(gt=0, le=1, description="share of a class at which a value is disclosed")
    ] = Decimal(1)

    @property
    def promise(self) -> str:
        if self.tau == 1:
            return "all rows of a class have the same value, so everyone in the class has it"
        return f"a value has at least {self.tau} of the rows of a class"
