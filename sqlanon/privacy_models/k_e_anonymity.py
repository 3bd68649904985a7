"""(k,e)-anonymity: every class holds k different numbers that span a range of e."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from sqlanon.bounds import AnyNumber, Count, Number
from sqlanon.privacy_models.base import MeasuredBounds, Members, SensitiveModel, at_most


class KEAnonymity(SensitiveModel):
    """Every class holds at least k different numbers, and they span a range of at least e.

    Guarantee: nobody's number is known more closely than e. The range is largest minus smallest.
    Requires: one row, or with `unit` one value, per person; a numeric sensitive
    attribute, missing values apart.
    Source: Zhang, Koudas, Srivastava and Yu, ICDE 2007.
    """

    measure = ("value_range", "min")
    bound = "e"
    reference_bounds = ({"k": 2, "e": 0},)
    source = "Zhang, Koudas, Srivastava and Yu 2007, Aggregate query answering"
    needs_one_value: ClassVar[bool] = True
    needs_numbers = True

    model: Literal["k-e-anonymity"] = "k-e-anonymity"
    k: Annotated[Count, Field(ge=2, description="smallest number of different values, 2 or more")]
    e: Annotated[
        Number, Field(ge=0, le=10**15, description="smallest range of the values, 0 or more")
    ]

    def __init__(self, k: int, e: AnyNumber, attribute: str | None = None, **keys: Any) -> None:
        self._set_keys(k=k, e=e, attribute=attribute, **keys)

    @property
    def bounds_measured(self) -> MeasuredBounds:
        return {"k": ("number_count", "min"), "e": self.measure}

    @property
    def monotone_under_suppression(self) -> bool:
        """True: a superset of a passing class passes; in joint mode its parts may not."""
        return not self.is_joint

    @property
    def minimum_class_size(self) -> int:
        return self.k

    def promise(self, members: Members) -> str:
        return (
            f"every class holds at least {self.k} different values of {self.attribute}, at least"
            f" {self.e} apart from the least to the greatest"
        )

    def suggestion(self, measured: float) -> str:
        return f"e = {at_most(measured)} or less, and k up to the number of different values"
