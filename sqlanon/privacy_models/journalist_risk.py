"""Journalist risk: the chance to identify a row's person by the population alone."""

from __future__ import annotations

import math
from typing import Literal

from sqlanon.privacy_models.base import Members, ShareRiskModel


class JournalistRisk(ShareRiskModel):
    """1 / rows of the population in the class is at most the threshold, but for a share of rows.

    Guarantee: an attacker who knows the population and tries to identify any person is right with
    at most this chance. With `share: 0` the same as k-map with k = 1 / threshold, rounded up.
    Requires: a population that contains the table, one row per person.
    Source: El Emam 2013.
    """

    measure = ("highest_risk", "max")
    reference_bounds = ({"threshold": 1},)
    needs_population = True

    model: Literal["journalist-risk"] = "journalist-risk"

    @property
    def minimum_population(self) -> int:
        return math.ceil(1 / self.threshold)

    def promise(self, members: Members) -> str:
        rows = f"all but a share of {self.share} of the {members}" if self.share else "every row"
        chance = f"a chance of at most {self.threshold}"
        return f"the population identifies a row's person with {chance}, in {rows}"
