"""Average risk: the mean over rows of the chance to be identified."""

from __future__ import annotations

from typing import ClassVar, Literal

from sqlanon.privacy_models.base import Members, RiskModel


class AverageRisk(RiskModel):
    """Classes divided by rows of the publication are at most the threshold.

    Guarantee: an attacker who knows that a person is in the table and guesses within the class is
    right with this chance, on average over all rows; single rows may be at a higher risk. Where
    rows may be suppressed, those of the smallest classes are.
    Requires: one row per person, or `unit`, which counts persons.
    Source: El Emam 2013 (average prosecutor risk); ARX.
    """

    measure = ("average_risk", "max")
    reference_bounds = ({"threshold": 1},)
    judges_whole_table: ClassVar[bool] = True
    # Leaving out the smallest class lowers the mean most and costs least. So no other choice leaves
    # out fewer rows, and what is left of finer classes holds in the coarser ones that they lie in,
    # which are fewer and have more rows.
    monotone_under_suppression: ClassVar[bool] = True

    model: Literal["average-risk"] = "average-risk"

    def promise(self, members: Members) -> str:
        return f"the chance to identify the person of a row is at most {self.threshold} on average"
