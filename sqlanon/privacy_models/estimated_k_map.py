"""k-map by estimate: classes that a model takes for k persons of the population or more."""

from __future__ import annotations

import functools
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from sqlanon.bounds import AnyNumber, Count, Number
from sqlanon.privacy_models.base import Members, PrivacyModel
from sqlanon.sql.render import render_macro


class EstimatedKMap(PrivacyModel):
    """Every equivalence class has so many rows that it is taken for k persons of the population.

    Guarantee: k'-anonymity with a k' of at most k, proven on the rows. That k persons of the
    population fit each row is an estimate: a combination that fewer persons have reaches k' rows
    with a probability of at most `error`, so of many classes, some are wrong.
    Requires: the table is a random sample, one row per person, or `unit`.
    Source: Pannekoek 1999; El Emam and Dankar 2008.
    """

    measure = ("class_size", "min")
    bound = "k"
    reference_bounds = ({"k": 2, "sampling_fraction": 1},)
    source = "El Emam and Dankar 2008, Protecting privacy using k-anonymity (k-map by estimate)"
    rules = (
        (
            "sqlanon.poisson_least_size(k, sampling_fraction, error,"
            " estimator != 'poisson') | int >= 2",
            "with this sampling_fraction, Poisson takes single rows for k persons, which promises"
            " nothing; leave out estimator",
        ),
    )
    monotone_under_generalization: ClassVar[bool] = True
    monotone_under_suppression: ClassVar[bool] = True
    monotone_with_shared_persons: ClassVar[bool] = True

    model: Literal["estimated-k-map"] = "estimated-k-map"
    k: Annotated[Count, Field(ge=2, le=100_000, description="persons of the population, 2 or more")]
    sampling_fraction: Annotated[
        Number,
        Field(gt=0, le=1, description="share of the population in the table, above 0 to 1"),
    ]
    estimator: Literal["zero-truncated-poisson", "poisson"] = Field(
        "zero-truncated-poisson",
        description="how many persons of a combination are drawn; zero-truncated-poisson: of"
        " combinations that the table has",
    )
    error: Annotated[
        Number,
        Field(
            gt=0, lt=1, description="highest probability that a class is wrong, above 0, below 1"
        ),
    ] = Decimal("0.05")

    def __init__(self, k: int, sampling_fraction: AnyNumber, **keys: Any) -> None:
        self._set_keys(k=k, sampling_fraction=sampling_fraction, **keys)

    @property
    def anonymity_k(self) -> int:
        truncated = self.estimator != "poisson"
        return least_class_size(self.k, self.sampling_fraction, self.error, truncated=truncated)

    @property
    def parameters(self) -> dict[str, Any]:
        """Those of the plan, and the rows of a class that follow from them."""
        return {"class_size": self.anonymity_k, **super().parameters}

    def promise(self, members: Members) -> str:
        return (
            f"every class has at least {self.anonymity_k} {members}, read as {self.k} persons of"
            f" the population by estimate ({self.estimator}, sampling fraction"
            f" {self.sampling_fraction}, error {self.error})"
        )


@functools.cache
def least_class_size(
    k: int, sampling_fraction: AnyNumber, error: AnyNumber, *, truncated: bool
) -> int:
    """The smallest class of a sample that is taken to have k persons of the population.

    It is never above k, since a class of k rows has k persons.

    Args:
        k: persons of the population, 1 or more.
        sampling_fraction: share of the population that is in the sample, above 0 to 1.
        error: the probability with which a class is wrong, above 0 and below 1.
        truncated: whether only combinations with a row in the sample are considered.

    Source: Pannekoek, Statistical methods for some simple disclosure limitation rules, Statistica
    Neerlandica 53(1), 1999; El Emam and Dankar, Protecting privacy using k-anonymity, JAMIA 15(5),
    2008.
    """
    inputs = {"k": k, "share": sampling_fraction, "error": error, "truncated": truncated}
    return int(render_macro("_poisson.sql", "least_size", **inputs))
