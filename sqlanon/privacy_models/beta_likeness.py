"""β-likeness: no sensitive value gains more than a factor of β on its share in the table."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from sqlanon.bounds import AnyNumber, Number
from sqlanon.privacy_models.base import Members, ReferenceModel


class BetaLikeness(ReferenceModel):
    """In every class, no value's share exceeds its share in the table by more than beta times it.

    Guarantee: basic: (share in class - share in table) / share in table <= beta. enhanced: also
    at most -ln(share in table), which binds frequent values more.
    Requires: one row per person, or `unit`. Gains up to 1,000,000 are computed with an error far
    below the tolerance of a billionth.
    Source: Cao and Karras, PVLDB 5(11), 2012.
    """

    measure = ("largest_gain", "max")
    bound = "beta"
    reference_bounds = ({"beta": 1},)
    variants = ("kind",)
    source = "Cao and Karras 2012, Publishing microdata with a robust privacy guarantee"

    model: Literal["beta-likeness"] = "beta-likeness"
    kind: Literal["basic", "enhanced"] = Field(
        "basic", description="enhanced: frequent values have a stricter bound"
    )
    beta: Annotated[
        Number, Field(gt=0, le=1_000_000, description="largest relative gain, above 0 to 1,000,000")
    ]

    def __init__(self, beta: AnyNumber, attribute: str | None = None, **keys: Any) -> None:
        self._set_keys(beta=beta, attribute=attribute, **keys)

    def promise(self, members: Members) -> str:
        more = ", or -ln of its share in the table" if self.kind == "enhanced" else ""
        return (
            f"in every class no share of a {self.attribute} exceeds that in the table by more than"
            f" {self.beta} times it{more}"
        )
