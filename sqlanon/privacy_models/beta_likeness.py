"""β-likeness: no sensitive value gains more than a factor of β on its share in the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from sqlanon.bounds import Number
from sqlanon.privacy_models.base import Members, at_least
from sqlanon.privacy_models.sensitive import ReferenceModel


class BetaLikeness(ReferenceModel):
    """In every class, no value's share exceeds its share in the table by more than beta times it.

    Guarantee: basic: (share in class - share in table) / share in table <= beta. enhanced: also
    at most -ln(share in table), which binds frequent values more.
    Requires: one row per person, or `unit`. Gains up to 1,000,000 are computed with an error far
    below the tolerance of a billionth.
    Source: Cao and Karras, PVLDB 5(11), 2012.
    """

    measure: ClassVar[tuple[str, Literal["min", "max"]]] = ("largest_gain", "max")
    yardsticks: ClassVar[tuple[Mapping[str, Any], ...]] = ({"beta": 1},)
    variants: ClassVar[tuple[str, ...]] = ("kind",)
    source: ClassVar[str] = (
        "Cao and Karras 2012, Publishing microdata with a robust privacy guarantee"
    )

    model: Literal["beta-likeness"] = "beta-likeness"
    kind: Literal["basic", "enhanced"] = "basic"
    beta: Annotated[
        Number, Field(gt=0, le=1_000_000, description="largest relative gain, above 0 to 1,000,000")
    ]

    def promise(self, members: Members) -> str:
        more = ", or -ln of its share in the table" if self.kind == "enhanced" else ""
        return (
            f"in every class no share of a {self.attribute} exceeds that in the table by more than"
            f" {self.beta} times it{more}"
        )

    def feasible(self, measured: float) -> str:
        return f"beta = {at_least(measured)} or more"
