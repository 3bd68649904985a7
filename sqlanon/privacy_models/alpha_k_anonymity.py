"""(α,k)-anonymity: classes of k rows, in which no sensitive value has more than a share of α."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from sqlanon.bounds import AnyNumber, Count, Number
from sqlanon.privacy_models.base import MeasuredBounds, Members, SensitiveModel, at_least


class AlphaKAnonymity(SensitiveModel):
    """Every class has at least k rows, and no sensitive value more than a share of alpha in it.

    Guarantee: k-anonymity, and no one's value can be inferred with a confidence above alpha.
    Requires: one row per person, or `unit`; `values` restricts the bound to the values that
    are listed.
    Source: Wong, Li, Fu and Wang, KDD 2006.
    """

    measure = ("largest_share", "max")
    bound = "alpha"
    reference_bounds = ({"alpha": 1, "k": 2},)
    rules = (
        (
            "mode == 'each'",
            "mode: joint is not for (alpha,k)-anonymity: k would count parts of classes;"
            " ask for k-anonymity and, say, beta-likeness",
        ),
    )
    source = "Wong, Li, Fu and Wang 2006, (alpha, k)-anonymity"
    holds_by_upper_bounds: ClassVar[bool] = True

    model: Literal["alpha-k-anonymity"] = "alpha-k-anonymity"
    alpha: Annotated[Number, Field(gt=0, le=1, description="largest share, above 0 to 1")]
    k: Annotated[
        Count,
        Field(ge=2, description="least rows in a class, or persons with `unit`; 2 or more"),
    ]
    values: tuple[str, ...] = Field((), description="the values concerned; all when not given")

    def __init__(self, alpha: AnyNumber, k: int, attribute: str | None = None, **keys: Any) -> None:
        self._set_keys(alpha=alpha, k=k, attribute=attribute, **keys)

    @property
    def bounds_measured(self) -> MeasuredBounds:
        return {"alpha": self.measure, "k": ("class_size", "min")}

    @property
    def anonymity_k(self) -> int:
        return self.k

    @property
    def listed_values(self) -> tuple[str, ...]:
        return self.values

    def promise(self, members: Members) -> str:
        which = f"listed value of {self.attribute}" if self.values else f"{self.attribute}"
        size = f"at least {self.k} {members}"
        return f"every class has {size}, and no {which} a share above {self.alpha}"

    def suggestion(self, measured: float) -> str:
        return f"alpha = {at_least(measured)} or more, and k up to the number of rows"
