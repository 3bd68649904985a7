"""Marketer risk: the share of rows that are linked correctly with the population."""

from __future__ import annotations

from typing import ClassVar, Literal

from sqlanon.privacy_models.base import Members, RiskModel


class MarketerRisk(RiskModel):
    """The mean over rows of 1 / rows of the population in the row's class is within the threshold.

    Guarantee: someone who links all rows with the population links no larger share correctly.
    Requires: a population that contains the table, one row per person.
    Source: El Emam 2013; Dankar and El Emam 2010.
    """

    measure = ("marketer_risk", "max")
    reference_bounds = ({"threshold": 1},)
    judges_whole_table: ClassVar[bool] = True
    needs_population = True

    model: Literal["marketer-risk"] = "marketer-risk"

    def promise(self, members: Members) -> str:
        return (
            f"linking with the population is right for at most a share of {self.threshold} of"
            f" {members}"
        )
