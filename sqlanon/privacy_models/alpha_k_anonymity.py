"""(α,k)-anonymity: classes of k rows, in which no sensitive value has more than a share of α."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from sqlanon.bounds import Count, Number
from sqlanon.privacy_models.base import Members, Sides, at_least
from sqlanon.privacy_models.sensitive import SensitiveModel


class AlphaKAnonymity(SensitiveModel):
    """Every class has at least k rows, and no sensitive value more than a share of alpha in it.

    Guarantee: k-anonymity, and no one's value can be inferred with a confidence above alpha.
    Requires: one row per person, or `unit`; `values` restricts the bound to the values that
    are listed.
    Source: Wong, Li, Fu and Wang, KDD 2006.
    """

    measure: ClassVar[tuple[str, Literal["min", "max"]]] = ("largest_share", "max")
    yardsticks: ClassVar[tuple[Mapping[str, Any], ...]] = ({"alpha": 1, "k": 2},)
    rules: ClassVar[tuple[tuple[str, str], ...]] = (
        (
            "mode == 'each'",
            "mode: joint is not for (alpha,k)-anonymity: k would count parts of classes;"
            " ask for k-anonymity and, say, beta-likeness",
        ),
    )
    source: ClassVar[str] = "Wong, Li, Fu and Wang 2006, (alpha, k)-anonymity"

    model: Literal["alpha-k-anonymity"] = "alpha-k-anonymity"
    alpha: Annotated[Number, Field(gt=0, le=1, description="largest share, above 0 to 1")]
    k: Annotated[
        Count,
        Field(ge=2, description="least rows in a class, or persons with `unit`; 2 or more"),
    ]
    values: tuple[str, ...] = Field((), description="the values concerned; all when not given")

    @property
    def sides(self) -> Sides:
        return {"alpha": self.measure, "k": ("class_size", "min")}

    @property
    def anonymity_k(self) -> int:
        return self.k

    @property
    def holds_by_upper_bounds(self) -> bool:
        return True

    @property
    def listed_values(self) -> tuple[str, ...]:
        return self.values

    def promise(self, members: Members) -> str:
        which = f"listed value of {self.attribute}" if self.values else f"{self.attribute}"
        size = f"at least {self.k} {members}"
        return f"every class has {size}, and no {which} a share above {self.alpha}"

    def feasible(self, measured: float) -> str:
        return f"alpha = {at_least(measured)} or more, and k up to the number of rows"
