"""Homogeneity: whoever is in the class has its one value."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from sqlanon.attacks.base import Attack
from sqlanon.bounds import Number


class Homogeneity(Attack):
    """Take the value that all rows of a class have, or nearly all, for the person's.

    No row has to be found: to know the class is enough.
    At risk: rows of a value that has at least a share of tau of its class.
    Requires: one row per person.
    Source: Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, ICDE 2006, section 1.
    """

    source: ClassVar[str] = "Machanavajjhala et al. 2006, l-diversity, section 1"

    name: Literal["homogeneity"] = "homogeneity"
    tau: Annotated[
        Number, Field(gt=0, le=1, description="share of a class at which its value is told")
    ] = Decimal(1)

    @property
    def promise(self) -> str:
        if self.tau == 1:
            return "all rows of a class have one value, so everybody in it has it"
        return f"a value has at least {self.tau} of the rows of a class"
