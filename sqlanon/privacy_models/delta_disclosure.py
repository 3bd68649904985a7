"""δ-disclosure privacy: shares of sensitive values in a class are near those in the table."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import Field

from sqlanon.bounds import AnyNumber, Number
from sqlanon.privacy_models.base import Members, ReferenceModel, at_least


class DeltaDisclosure(ReferenceModel):
    """In every class, |log2(share in class / share in table)| of every value is below delta.

    Guarantee: nobody's odds of a value change by more than a factor of 2 to the delta. A value
    that is absent from a class has log2(0) and violates; `absent: ignore` looks only at values
    that occur, which is weaker, and not monotone.
    Requires: one row per person, or `unit`. Shares of fewer than 2^63 rows differ by less than 63
    bits, and shares that differ by at most a billionth of a bit are taken to be equal: delta lies
    between.
    Source: Brickell and Shmatikov, KDD 2008.
    """

    measure = ("largest_change_bits", "max")
    bound = "delta"
    reference_bounds = (
        {"delta": 1},
        {"delta": 1, "absent": "ignore"},
    )
    source = "Brickell and Shmatikov 2008, The cost of privacy"

    model: Literal["delta-disclosure"] = "delta-disclosure"
    delta: Annotated[
        Number,
        Field(
            gt=Decimal("0.000000001"),
            le=64,
            description="bits, above 0.000000001 to 64; the bound is out",
        ),
    ]
    absent: Literal["violation", "ignore"] = Field(
        "violation", description="what a value of the table that a class lacks counts as"
    )

    def __init__(self, delta: AnyNumber, attribute: str | None = None, **keys: Any) -> None:
        self._set_keys(delta=delta, attribute=attribute, **keys)

    @property
    def monotone_under_generalization(self) -> bool:
        return self.absent == "violation"

    def promise(self, members: Members) -> str:
        scope = "" if self.absent == "violation" else " of the values that occur"
        return (
            f"in every class the shares{scope} of {self.attribute} differ from those in the table"
            f" by less than {self.delta} bits"
        )

    def suggestion(self, measured: float) -> str:
        if math.isinf(measured):
            return "`absent: ignore`, as some value is absent, or another model"
        return f"delta above {at_least(measured)}"
