"""k-map: every published row could be that of k persons of the population."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from sqlanon.bounds import Count
from sqlanon.privacy_models.base import Members, PrivacyModel


class KMap(PrivacyModel):
    """Every equivalence class has at least k rows of the population, generalized the same way.

    Guarantee: an attacker who knows the population, but not who is in the table, cannot link a row
    to fewer than k persons. Weaker than k-anonymity: a class may have a single row of the table.
    Requires: a population that contains the table, one row per person.
    Source: Sweeney, "k-anonymity: a model for protecting privacy", 2002.
    """

    measure = ("population_size", "min")
    bound = "k"
    reference_bounds = ({"k": 2},)
    source = "Sweeney 2002, k-anonymity: a model for protecting privacy (k-map)"
    monotone_under_generalization: ClassVar[bool] = True
    monotone_under_suppression: ClassVar[bool] = True
    needs_population = True

    model: Literal["k-map"] = "k-map"
    k: Annotated[Count, Field(ge=2, description="smallest population of a class, 2 or more")]

    def __init__(self, k: int) -> None:
        self._set_keys(k=k)

    @property
    def minimum_population(self) -> int:
        return self.k

    def promise(self, members: Members) -> str:
        return f"every published row could be that of at least {self.k} persons of the population"
