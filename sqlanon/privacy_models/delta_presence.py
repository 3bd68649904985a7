"""δ-presence: bounds on the chance that a person of the population is in the table."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from sqlanon.bounds import Number
from sqlanon.privacy_models.base import Members, PrivacyModel, Sides, at_least, at_most


class DeltaPresence(PrivacyModel):
    """For every person of the population, the chance to be in the table is from dmin to dmax.

    Guarantee: nobody learns with more than dmax that a person is in the table, nor with more than
    1 - dmin that one is not. The chance is rows of the table / rows of the population, in the
    class that the person falls into; 0 where the person falls into none.
    Requires: a population that contains the table, one row per person.
    Source: Nergiz, Atzori and Clifton, SIGMOD 2007. A search by `optimal` is their SPALM.
    """

    measure: ClassVar[tuple[str, Literal["min", "max"]]] = ("presence", "max")
    yardsticks: ClassVar[tuple[Mapping[str, Any], ...]] = ({"dmin": 0, "dmax": 1},)
    rules: ClassVar[tuple[tuple[str, str], ...]] = (
        ("dmin <= dmax", "dmin must not be above dmax"),
    )
    source: ClassVar[str] = "Nergiz, Atzori and Clifton 2007, Hiding the presence of individuals"

    model: Literal["delta-presence"] = "delta-presence"
    dmin: Annotated[Number, Field(ge=0, le=1, description="smallest chance, 0 to 1")]
    dmax: Annotated[Number, Field(ge=0, le=1, description="largest chance, dmin to 1")]
    suppressed: Literal["violation", "ignore"] = Field(
        "violation",
        description="with dmin above 0: persons whose class is suppressed have a chance of 0 and"
        " violate; ignore: they do not count, which is weaker",
    )

    @property
    def sides(self) -> Sides:
        return {"dmin": ("presence", "min"), "dmax": ("presence", "max")}

    @property
    def monotone_under_generalization(self) -> bool:
        return True

    @property
    def monotone_under_suppression(self) -> bool:
        """False: a passing class that joins a failing one can make a larger failing one."""
        return False

    @property
    def needs_population(self) -> bool:
        return True

    @property
    def needs_cover(self) -> bool:
        return self.dmin > 0

    @property
    def allows_suppression(self) -> bool:
        return self.dmin == 0 or self.suppressed == "ignore"

    @property
    def presence(self) -> tuple[Decimal, Decimal]:
        return self.dmin, self.dmax

    def promise(self, members: Members) -> str:
        scope = " whose class is published" if self.needs_cover and self.allows_suppression else ""
        return (
            f"every person of the population{scope} is in the table with a chance from {self.dmin}"
            f" to {self.dmax}"
        )

    def feasible(self, measured: float) -> str:
        return f"dmin at most {at_most(measured)}, and dmax at least {at_least(measured)}"
