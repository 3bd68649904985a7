"""Anatomy: two tables that are linked by bucket numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from pydantic import Field

from sqlanon.methods.partition import DealingMethod, PartitionResult
from sqlanon.search.dealing import DealingProblem, Leftover, Turn, anatomy_turns
from sqlanon.sql.step import Search, Step


class Anatomy(DealingMethod):
    """Buckets of rows with different sensitive values, published as two tables.

    The first table has the unchanged quasi-identifiers and the bucket of each row; the second has
    the frequency of each sensitive value in each bucket. While l values have rows left, each bucket
    takes one row of each of the l most frequent; leftover rows go to buckets without their value. l
    is the smallest class that the promises allow; no value may have more than one row in l.
    """

    guarantee: ClassVar[str] = (
        "buckets of at least l rows with different values, so each has a share of at most 1 / l"
    )
    source: ClassVar[str] = (
        "Xiao and Tao 2006, Anatomy; `permute`: He, Xiao, Li, Wang and Chen 2011, Permutation"
        " anonymization"
    )
    separates_sensitive: ClassVar[bool] = True
    keeps_values_apart: ClassVar[bool] = True
    name: Literal["anatomy"] = "anatomy"
    permute: bool = Field(
        False,
        description="also permute every other column within the bucket, independently",
    )

    def __init__(self, attribute: str | None = None, **keys: Any) -> None:
        self._set_keys(attribute=attribute, **keys)

    def column_groups(
        self, quasi_identifiers: Sequence[str], sensitive: Sequence[str], others: Sequence[str]
    ) -> tuple[tuple[str, ...], ...]:
        if self.permute:
            return tuple((name,) for name in (*quasi_identifiers, *others, *sensitive))
        return super().column_groups(quasi_identifiers, sensitive, others)

    def rows_step(
        self, problem: DealingProblem, turns: Sequence[Turn], leftovers: Sequence[Leftover]
    ) -> Step:
        return problem.anatomized_rows_step(turns, leftovers)

    def label(self, attribute: str, buckets: int) -> str:
        return f"{buckets:,} buckets, no {attribute} twice in one"

    def search(self, problem: DealingProblem) -> Search[PartitionResult | None]:
        counts = yield from problem.value_counts()
        problem.require_eligible(counts)
        turns, leftovers = anatomy_turns(counts, problem.k)
        return (yield from self.dealt(problem, turns, leftovers))
