"""δ-presence: bounds on the chance that a person of the population is in the table."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from sqlanon.bounds import AnyNumber, Number
from sqlanon.privacy_models.base import MeasuredBounds, Members, PrivacyModel, at_least, at_most


class DeltaPresence(PrivacyModel):
    """For every person of the population, the chance to be in the table is from dmin to dmax.

    Guarantee: nobody learns with more than dmax that a person is in the table, nor with more than
    1 - dmin that one is not. The chance is rows of the table / rows of the population, in the
    class that the person falls into; 0 where the person falls into none.
    Requires: a population that contains the table, one row per person.
    Source: Nergiz, Atzori and Clifton, SIGMOD 2007. A search by `optimal` is their SPALM.
    """

    measure = ("presence", "max")
    bound = "dmax"
    reference_bounds = ({"dmin": 0, "dmax": 1},)
    rules = (("dmin <= dmax", "dmin must not be above dmax"),)
    source = "Nergiz, Atzori and Clifton 2007, Hiding the presence of individuals"
    needs_population = True
    monotone_under_generalization: ClassVar[bool] = True
    # a passing class that joins a failing one can make a larger failing one
    monotone_under_suppression: ClassVar[bool] = False

    model: Literal["delta-presence"] = "delta-presence"
    dmin: Annotated[Number, Field(ge=0, le=1, description="smallest chance, 0 to 1")]
    dmax: Annotated[Number, Field(ge=0, le=1, description="largest chance, dmin to 1")]
    suppressed: Literal["violation", "ignore"] = Field(
        "violation",
        description="with dmin above 0: persons whose class is suppressed have a chance of 0 and"
        " violate; ignore: they do not count, which is weaker",
    )

    def __init__(self, dmin: AnyNumber, dmax: AnyNumber, **keys: Any) -> None:
        self._set_keys(dmin=dmin, dmax=dmax, **keys)

    @property
    def bounds_measured(self) -> MeasuredBounds:
        return {"dmin": ("presence", "min"), "dmax": ("presence", "max")}

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

    def suggestion(self, measured: float) -> str:
        return f"dmin at most {at_most(measured)}, and dmax at least {at_least(measured)}"
