"""t-closeness: the sensitive values of every class are spread as in the whole table, but for t."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from sqlanon.bounds import AnyNumber, Number
from sqlanon.privacy_models.base import Members, PrivacyModel, ReferenceModel


class TCloseness(ReferenceModel):
    """The earth mover's distance between every class and the whole table is at most t.

    Guarantee: an observer learns little about a person from knowing the class. Distances of values:
    equal: 1 between any two; hierarchical: by the height of their lowest common ancestor; ordered:
    by their places among the numeric values of the table.
    Requires: one row, or with `unit` one value, per person; a missing value is a value of its own
    (and the last in order).
    The table is the whole input, suppressed rows included, unless `reference` says otherwise;
    verify measures both.
    Source: Li, Li and Venkatasubramanian, ICDE 2007.
    """

    measure = ("distance", "max")
    bound = "t"
    reference_bounds = (
        {"distance": "equal", "t": 1},
        {"distance": "ordered", "t": 1},
        {"distance": "hierarchical", "t": 1},
    )
    variants = ("distance",)
    source = "Li, Li and Venkatasubramanian 2007, t-closeness"
    needs_one_value: ClassVar[bool] = True

    model: Literal["t-closeness"] = "t-closeness"
    distance: Literal["equal", "hierarchical", "ordered"] = Field(
        "equal", description="how far values are apart"
    )
    t: Annotated[Number, Field(ge=0, le=1, description="largest distance, 0 to 1")]

    def __init__(self, t: AnyNumber, attribute: str | None = None, **keys: Any) -> None:
        self._set_keys(t=t, attribute=attribute, **keys)

    @property
    def template(self) -> str:
        return f"privacy_models/t_closeness_{self.distance}.sql"

    @property
    def needs_value_levels(self) -> bool:
        return self.distance == "hierarchical"

    @property
    def needs_order(self) -> bool:
        return self.distance == "ordered"

    def promise(self, members: Members) -> str:
        return (
            f"in every class the values of {self.attribute} are spread as in the whole table, to a"
            f" distance of {self.t} ({self.distance})"
        )


def of_distance(attribute: str) -> PrivacyModel:
    """The model that measures how far classes are from the table, and forbids nothing."""
    return TCloseness(attribute=attribute, t=Decimal(1))
