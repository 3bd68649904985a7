"""k-anonymity: every published row shares its quasi-identifiers with at least k - 1 others."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from sqlanon.bounds import Count
from sqlanon.privacy_models.base import Members, PrivacyModel


class KAnonymity(PrivacyModel):
    """Every equivalence class has at least k rows, or with `unit` persons.

    Guarantee: nobody can be linked to fewer than k published rows, or with `unit` persons, by the
    quasi-identifiers.
    Requires: one row per person, or `unit`; the quasi-identifiers are all that an attacker knows.
    Source: Sweeney, "k-anonymity: a model for protecting privacy", 2002; Samarati 2001.
    """

    measure = ("class_size", "min")
    bound = "k"
    reference_bounds = ({"k": 2},)
    source = "Sweeney 2002, k-anonymity: a model for protecting privacy"
    monotone_under_generalization: ClassVar[bool] = True
    monotone_under_suppression: ClassVar[bool] = True
    # only the number of persons counts, and a union has at least as many
    monotone_with_shared_persons: ClassVar[bool] = True

    model: Literal["k-anonymity"] = "k-anonymity"
    k: Annotated[
        Count,
        Field(ge=2, description="least rows in a class, or persons with `unit`; 2 or more"),
    ]

    def __init__(self, k: int) -> None:
        self._set_keys(k=k)

    @property
    def anonymity_k(self) -> int:
        return self.k

    def promise(self, members: Members) -> str:
        other = ("other person" if members == "persons" else "other") + "s" * (self.k > 2)
        return (
            f"every published row shares its quasi-identifiers with at least {self.k - 1} {other}"
            f" (k = {self.k})"
        )


def of_class_size(k: int) -> PrivacyModel:
    """The promise of k rows a class and nothing else."""
    return KAnonymity(k=k)
