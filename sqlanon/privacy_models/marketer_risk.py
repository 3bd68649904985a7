"""Marketer risk: the share of rows that are linked correctly with the population."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from sqlanon.privacy_models.base import Members, at_least
from sqlanon.privacy_models.risk import RiskModel


class MarketerRisk(RiskModel):
    """The mean over rows of 1 / rows of the population in the row's class is within the threshold.

    Guarantee: someone who links all rows with the population links no larger share correctly.
    Requires: a population that contains the table, one row per person.
    Source: El Emam 2013; Dankar and El Emam 2010.
    """

    measure: ClassVar[tuple[str, Literal["min", "max"]]] = ("marketer_risk", "max")
    yardsticks: ClassVar[tuple[Mapping[str, Any], ...]] = ({"threshold": 1},)

    model: Literal["marketer-risk"] = "marketer-risk"

    @property
    def judges_whole_table(self) -> bool:
        return True

    @property
    def needs_population(self) -> bool:
        return True

    def promise(self, members: Members) -> str:
        return (
            f"linking with the population is right for at most a share of {self.threshold} of"
            f" {members}"
        )

    def feasible(self, measured: float) -> str:
        return f"threshold = {at_least(measured)} or more"
