"""Journalist risk: the chance to identify a row's person by the population alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from sqlanon.privacy_models.base import Members, at_least
from sqlanon.privacy_models.risk import ShareRiskModel


class JournalistRisk(ShareRiskModel):
    """1 / rows of the population in the class is at most the threshold, but for a share of rows.

    Guarantee: someone who knows the population and tries to identify any person is right with at
    most this chance. With `share: 0` the same as k-map with k = 1 / threshold, rounded up.
    Requires: a population that contains the table, one row per person.
    Source: El Emam 2013.
    """

    measure: ClassVar[tuple[str, Literal["min", "max"]]] = ("highest_risk", "max")
    yardsticks: ClassVar[tuple[Mapping[str, Any], ...]] = ({"threshold": 1},)

    model: Literal["journalist-risk"] = "journalist-risk"

    @property
    def needs_population(self) -> bool:
        return True

    def promise(self, members: Members) -> str:
        rows = f"all but a share of {self.share} of the {members}" if self.share else "every row"
        chance = f"a chance of at most {self.threshold}"
        return f"the population identifies a row's person with {chance}, in {rows}"

    def feasible(self, measured: float) -> str:
        return f"threshold = {at_least(measured)} or more"
