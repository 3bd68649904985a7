"""Stack-and-Deal: sort rows by sensitive value, and deal them to buckets in turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from pydantic import Field

from sqlanon.bounds import Levels
from sqlanon.methods.base import LabelExtent
from sqlanon.methods.partition import DealingMethod, LabelingMethod, PartitionResult
from sqlanon.search.dealing import DealingProblem, Leftover, Turn
from sqlanon.sql.step import Search, Step


class StackAndDeal(LabelingMethod, DealingMethod):
    """Rows are stacked by sensitive value, the most frequent first, and dealt to buckets in turn.

    There are floor(rows / k) buckets, where k is the smallest class that the promises allow. The
    frequencies of a value in any two buckets differ by at most one; a value with at least as many
    rows as there are buckets is in all of them. Quasi-identifiers play no part, so labels of
    classes have little meaning; with `within`, only similar rows are dealt together.
    """

    guarantee: ClassVar[str] = (
        "buckets of k rows or more; the frequencies of a value in any two buckets of a stratum"
        " differ by at most one"
    )
    source: ClassVar[str] = "Stack and Deal (n.d.), with bucket = (z - 1) mod e + 1, e = floor(r/k)"
    name: Literal["stack-and-deal"] = "stack-and-deal"
    publish_as: Literal["classes", "buckets"] = Field(
        "buckets",
        description="buckets: quasi-identifiers unchanged, sensitive values permuted within each"
        " bucket; classes: labels for every class",
    )
    within: dict[str, Levels] = Field(
        default_factory=dict,
        description="levels of quasi-identifiers: only rows with equal labels are dealt together",
    )

    def __init__(self, attribute: str | None = None, **keys: Any) -> None:
        self._set_keys(attribute=attribute, **keys)

    @property
    def publishes_buckets(self) -> bool:
        return self.publish_as == "buckets"

    @property
    def is_one_statement(self) -> bool:
        return True

    @property
    def is_placed(self) -> bool:
        return self.publish_as == "classes"

    def label_extent(self, *, population: bool) -> LabelExtent | None:
        return "tight"

    @property
    def strata(self) -> Mapping[str, int]:
        return self.within

    def rows_step(
        self, problem: DealingProblem, turns: Sequence[Turn], leftovers: Sequence[Leftover]
    ) -> Step:
        return problem.dealt_rows_step()

    def label(self, attribute: str, buckets: int) -> str:
        return f"dealt by {attribute} into {buckets:,} buckets"

    def search(self, problem: DealingProblem) -> Search[PartitionResult | None]:
        return (yield from self.dealt(problem))
