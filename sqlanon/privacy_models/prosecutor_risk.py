"""Prosecutor risk: the chance to find the row of a person who is known to be in the table."""

from __future__ import annotations

from typing import Literal

from sqlanon.privacy_models.base import Members, ShareRiskModel


class ProsecutorRisk(ShareRiskModel):
    """1 / rows of the class is at most the threshold, but for a share of the rows.

    Guarantee: an attacker who knows that a person is in the table finds that person's row with at
    most this chance. With `share: 0` the same as k-anonymity with k = 1 / threshold, rounded up.
    Requires: one row per person, or `unit`, which counts persons.
    Source: El Emam 2013.
    """

    measure = ("highest_risk", "max")
    reference_bounds = ({"threshold": 1},)

    model: Literal["prosecutor-risk"] = "prosecutor-risk"

    @property
    def monotone_with_shared_persons(self) -> bool:
        """True of every row: only the number of persons counts, and a union has as many."""
        return not self.judges_whole_table

    def promise(self, members: Members) -> str:
        rows = f"all but a share of {self.share} of the {members}" if self.share else "every row"
        chance = f"a chance of at most {self.threshold}"
        return f"a person known to be in the table is found with {chance}, in {rows}"
