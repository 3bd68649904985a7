"""Combined: permutation with as little generalization as δ-presence requires."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from sqlanon.bounds import Count
from sqlanon.errors import NoSolutionError
from sqlanon.methods.partition import Partition, PartitionResult, RegionBucketMethod
from sqlanon.search.bucket_levels import BucketLevels
from sqlanon.search.partition import PartitionProblem
from sqlanon.sql.step import Search


class Combined(RegionBucketMethod):
    """Permute every column of a bucket independently, and generalize only as far as required.

    The table is cut along hierarchies as in Mondrian, and every region holds δ-presence. For each
    bucket, nodes are tried by height, from the lowest labels on, up to `tries`. The first node is
    published for which it is certain that, after permutation, every person of the population is in
    the table with a probability from dmin to dmax: by an exact count, or by bounds. If none is
    found, the bucket goes down from the labels that all its persons share, level by level.
    """

    guarantee: ClassVar[str] = (
        "holds the promise in every bucket, δ-presence against an attacker with the population; a"
        " bucket has the first proven node by height, or one that was lowered as far as proven"
    )
    source: ClassVar[str] = "Algorithm 6 of the Copenhagen thesis on δ-presence, corrected"
    is_one_statement: ClassVar[bool] = False
    cuts_along_hierarchies: ClassVar[bool] = True
    name: Literal["combined"] = "combined"
    partitioning: Literal["strict"] = Field(
        "strict",
        description="strict: the only one, because the proof counts persons bucket by bucket",
    )
    tries: Annotated[Count, Field(ge=1)] = Field(
        30, description="nodes to try per bucket from below before it goes down from the highest"
    )
    states: Annotated[Count, Field(ge=1)] = Field(
        20_000,
        description="maximum states of an exact count in the search, of which the proof may take"
        " more; a bucket that needs more has to be proven by bounds",
    )

    def __init__(self, partition: Partition = "mondrian", **keys: Any) -> None:
        self._set_keys(partition=partition, **keys)

    @property
    def counted_states(self) -> int:
        return self.states

    def column_groups(
        self, quasi_identifiers: Sequence[str], sensitive: Sequence[str], others: Sequence[str]
    ) -> tuple[tuple[str, ...], ...]:
        return tuple((name,) for name in (*quasi_identifiers, *others, *sensitive))

    def search(self, problem: PartitionProblem) -> Search[PartitionResult | None]:
        result = yield from super().search(problem)
        if result is None:
            return None
        presence = problem.promises.presence
        if presence is None:
            raise NoSolutionError(
                "The plan makes no promise about who is in the table.",
                where="method combined",
                fix="add `{model: delta-presence, dmin: 0, dmax: 0.5}`",
            )
        levels = BucketLevels(problem, *presence)
        yield levels.floors_step()
        raised = yield from levels.raised(self.tries, self.states)
        label = f"{result.label}; {len(raised):,} of {result.classes:,} buckets raised"
        return result.model_copy(update={"label": label, "raised": tuple(raised)})
