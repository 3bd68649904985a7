"""t-closeness: the sensitive values of every class are spread as in the whole table, but for t."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from sqlanon.bounds import Number
from sqlanon.privacy_models.base import Members, PrivacyModel, at_least
from sqlanon.privacy_models.sensitive import ReferenceModel


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

    measure: ClassVar[tuple[str, Literal["min", "max"]]] = ("distance", "max")
    yardsticks: ClassVar[tuple[Mapping[str, Any], ...]] = (
        {"distance": "equal", "t": 1},
        {"distance": "ordered", "t": 1},
        {"distance": "hierarchical", "t": 1},
    )
    variants: ClassVar[tuple[str, ...]] = ("distance",)
    source: ClassVar[str] = "Li, Li and Venkatasubramanian 2007, t-closeness"

    model: Literal["t-closeness"] = "t-closeness"
    distance: Literal["equal", "hierarchical", "ordered"] = "equal"
    t: Annotated[Number, Field(ge=0, le=1, description="largest distance, 0 to 1")]

    @property
    def template(self) -> str:
        return f"privacy_models/t_closeness_{self.distance}.sql"

    @property
    def needs_one_value(self) -> bool:
        return True

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

    def feasible(self, measured: float) -> str:
        return f"t = {at_least(measured)} or more"


def of_distance(attribute: str) -> PrivacyModel:
    """The model that measures how far classes are from the table, and forbids nothing."""
    return TCloseness(attribute=attribute, t=Decimal(1))
