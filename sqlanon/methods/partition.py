"""Base classes of partitioning methods: cuts of regions or attributes, labels, buckets, dealing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from sqlanon.bounds import MOST_NAMES, Count
from sqlanon.methods.base import LabelExtent, Method
from sqlanon.search.dealing import DealingProblem, Leftover, Turn
from sqlanon.search.partition import Cut, Cutting, PartitionProblem
from sqlanon.search.scales import Interval
from sqlanon.sql.step import Search, SoFar, Step, asked, reporting


class PartitionResult(BaseModel):
    """The partition that a method made; its cells are in the database.

    Attributes:
        label: what the method states about the partition, in words.
        classes: number of classes, all of which hold the promise.
        rounds: rounds of cuts; 0 if nothing was cut, None if attributes are cut and not regions.
        k: the class size that decided the cuts, if the method found it.
        intervals: if whole attributes are cut, attribute number, first and last place of each.
        turns, leftovers: for anatomy, which values form which buckets, by rank.
        raised: for `combined`, the number of each bucket that is generalized further than its
            columns require, and its levels in the order of the quasi-identifiers.
        column_groups: the published columns that stay together; buckets permute them separately.
        repeats_rows: whether a distinct row stands for many rows, if the search made them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    label: str
    classes: int
    rounds: int | None = None
    k: int | None = None
    intervals: tuple[Interval, ...] = ()
    turns: tuple[Turn, ...] = ()
    leftovers: tuple[Leftover, ...] = ()
    raised: tuple[tuple[int, ...], ...] = ()
    column_groups: tuple[tuple[str, ...], ...] = ()
    repeats_rows: bool = False


class PartitionMethod(Method):
    """A way to divide the table into classes, with labels or as buckets.

    Its problem is a `DealingProblem` if it deals rows by a sensitive value.
    """

    makes_partition: ClassVar[bool] = True

    def search(self, problem: Any) -> Search[PartitionResult | None]:
        """Divide the rows; None if the promise does not hold."""
        raise NotImplementedError  # pragma: no cover - every method states its own

    def class_steps(self, problem: Any, result: PartitionResult | None) -> list[Step]:
        """The steps that make the classes again, without a search.

        Args:
            result: what the search found; None if the method needs no search.
        """
        raise NotImplementedError  # pragma: no cover - every method states its own


class LabelingMethod(PartitionMethod):
    """A way to divide the table that gives every class labels of its own."""

    names: Annotated[Count, Field(ge=1)] = Field(
        default=MOST_NAMES,
        description="values that the set of a nominal attribute names at most; of more, the lowest"
        " common ancestor is published, or their number if there is no hierarchy",
    )
    bounds: bool = Field(
        default=False,
        description="also publish the ends of numeric and date intervals as columns NAME_lo and"
        " NAME_hi",
    )
    ends: Literal["grid", "exact"] = Field(
        default="grid",
        description="grid: no range ends at a value that fewer than k persons have: numbers and"
        " dates are rounded down to a grid before the cut; exact: ranges end at values of persons,"
        " with a warning",
    )

    @property
    def publishes_bounds(self) -> bool:
        return self.bounds

    @property
    def prints_ends(self) -> bool:
        return self.ends == "exact" and not self.publishes_buckets

    @property
    def hides_ends(self) -> bool:
        return self.ends == "grid" and not self.publishes_buckets

    @property
    def left_out_of_digests(self) -> frozenset[str]:
        return frozenset() if self.hides_ends else frozenset({"ends"})

    @property
    def most_names(self) -> int:
        return self.names

    def label_extent(self, *, population: bool) -> LabelExtent | None:
        return "region"


class RegionMethod(PartitionMethod):
    """A way to cut regions one by one."""

    cut: Cut = Field(
        default="median-both",
        description="cuts to try: the values of the median go to the left; to either side; at the"
        " median and both quartiles; every cut, the most even first",
    )
    execution: Literal["recursive", "rounds"] = Field(
        default="recursive",
        description="recursive: all rounds in one statement; rounds: one statement per round, for"
        " every engine",
    )

    @property
    def cutting(self) -> Cutting:
        return Cutting(self.cut)

    def by_rounds(self) -> Self:
        return self.model_copy(update={"execution": "rounds"})

    @property
    def is_one_statement(self) -> bool:
        return self.execution == "recursive" and self.is_cut_by_promises

    def search(self, problem: PartitionProblem) -> Search[PartitionResult | None]:
        if not self.is_cut_by_promises:
            return (yield from self._smallest_k(problem))
        if self.execution == "recursive":
            yield problem.regions_step()
        else:
            yield problem.first_round_step()
            left = ""
            for number in count(1):
                so_far = SoFar(number - 1, "rounds", left=left)
                yield replace(problem.next_round_step(number), so_far=so_far)
                more = yield from problem.cut_cells(number)
                if not more:
                    break
                left = f"{more:,} combinations in regions that may be cut"
            yield problem.rounds_step(number - 1)
        rounds = yield from problem.round_count()
        yield problem.class_cells_step()
        judged = yield from problem.judged()
        if judged.failing_classes or not judged.covers:
            return None
        label = "no allowable cut is left" if rounds else "one class: no cut is allowable"
        return PartitionResult(label=label, classes=judged.class_count, rounds=rounds)

    def _smallest_k(self, problem: PartitionProblem) -> Search[PartitionResult | None]:
        """Cut by class size alone, with the smallest k whose classes all hold the promises.

        A larger k may fail where a smaller one holds, so k is increased from that of the plan (or
        2). The partition for k is the same for every k up to the size of its smallest class, so the
        next k to try is that size plus 1, and no k is missed.
        """
        k, tried = max(2, problem.k), 0
        while True:
            asking = problem.judged_for(problem.by_class_size(k))
            so_far = SoFar(tried, "values of k", left=f"now k = {k:,}")
            judged = yield from reporting(asking, so_far)
            if not judged.failing_classes and judged.covers:
                label = f"the smallest k that holds the promise is {k}"
                return PartitionResult(
                    label=label, classes=judged.class_count, rounds=judged.rounds, k=k
                )
            if judged.class_count <= 1:
                return None
            k, tried = judged.smallest_class + 1, tried + 1

    def class_steps(self, problem: PartitionProblem, result: PartitionResult | None) -> list[Step]:
        promises = problem.promises
        if result is not None and result.k is not None:
            promises = problem.by_class_size(result.k)
        if self.execution == "recursive":
            steps = [problem.regions_step(promises)]
        else:
            rounds = (result.rounds if result else None) or 0
            steps = [problem.first_round_step()]
            steps += [problem.next_round_step(n, promises) for n in range(1, rounds + 1)]
            steps.append(problem.rounds_step(rounds))
        return [*steps, problem.class_cells_step()]


class RelaxableMethod(RegionMethod):
    """A way to cut regions one by one, strictly or with rows that are dealt to both sides."""

    partitioning: Literal["strict", "relaxed"] = Field(
        default="strict",
        description="strict: regions do not overlap; relaxed: rows with the value of the cut are"
        " dealt to both sides to make them even",
    )

    @property
    def is_seeded(self) -> bool:
        return self.publishes_buckets or self.is_relaxed

    @property
    def is_relaxed(self) -> bool:
        return self.partitioning == "relaxed"

    @property
    def cutting(self) -> Cutting:
        return replace(super().cutting, relaxed=self.is_relaxed)


class MultidimensionalMethod(RegionMethod, LabelingMethod):
    """A way to cut regions one by one, and to label the resulting classes."""

    labels: LabelExtent | None = Field(
        default=None,
        description="region: the box that the cuts bound; tight: the smallest box around the rows,"
        " which shows their extremes; by default tight, but region if the plan has a population",
    )

    def label_extent(self, *, population: bool) -> LabelExtent | None:
        return self.labels or ("region" if population else "tight")


class BucketMethod(PartitionMethod):
    """A way to publish values unchanged, in buckets within which parts of rows are permuted."""

    needs_sensitive: ClassVar[bool] = True

    @property
    def is_seeded(self) -> bool:
        return True

    @property
    def publishes_buckets(self) -> bool:
        return True


class DealingMethod(BucketMethod):
    """A way to deal rows to buckets by a sensitive value."""

    deals_rows: ClassVar[bool] = True

    attribute: str | None = Field(
        default=None, description="the sensitive attribute to deal by, if the plan has several"
    )

    @property
    def is_placed(self) -> bool:
        return False

    @property
    def dealt_attribute(self) -> str | None:
        return self.attribute

    def rows_step(
        self, problem: DealingProblem, turns: Sequence[Turn], leftovers: Sequence[Leftover]
    ) -> Step:
        """The step that makes `dealt_rows`.

        Args:
            turns, leftovers: what the search of the method found; empty if it needs no search.
        """
        raise NotImplementedError  # pragma: no cover - every method states its own

    def label(self, attribute: str, buckets: int) -> str:
        """What the method states about buckets of values of an attribute."""
        raise NotImplementedError  # pragma: no cover - every method states its own

    def dealt(
        self,
        problem: DealingProblem,
        turns: Sequence[Turn] = (),
        leftovers: Sequence[Leftover] = (),
    ) -> Search[PartitionResult | None]:
        """Deal the rows; None if a bucket does not hold the promises."""
        yield from asked(problem.row_steps(problem.parts))
        yield self.rows_step(problem, turns, leftovers)
        yield from asked(problem.measured_steps())
        judged = yield from problem.judged()
        if judged.failing_classes:
            return None
        return PartitionResult(
            label=self.label(problem.attribute, judged.class_count),
            classes=judged.class_count,
            turns=tuple(turns),
            leftovers=tuple(leftovers),
            repeats_rows=(yield from problem.repeats_rows()),
        )

    def class_steps(self, problem: DealingProblem, result: PartitionResult | None) -> list[Step]:
        """The steps that deal the rows again, without a search."""
        turns, leftovers = ((), ()) if result is None else (result.turns, result.leftovers)
        return [
            *problem.row_steps(problem.parts),
            self.rows_step(problem, turns, leftovers),
            *([] if self.publishes_buckets else problem.measured_steps()),
        ]


Partition = Literal["mondrian", "mpalm", "k-mondrian"]


class RegionBucketMethod(RegionMethod, BucketMethod):
    """A way to make buckets of regions: rows with similar values go into one bucket."""

    partition: Partition = Field(
        default="mondrian",
        description="how regions are cut: mondrian: by the rows of the table; mpalm: by those of"
        " the population; k-mondrian: by class size alone, with the smallest k whose regions hold"
        " every promise",
    )

    @property
    def left_out_of_digests(self) -> frozenset[str]:
        return frozenset() if self.is_relaxed else frozenset({"partitioning"})

    @property
    def is_cut_by_promises(self) -> bool:
        return self.partition != "k-mondrian"

    @property
    def cutting(self) -> Cutting:
        return Cutting(self.cut, by_population=self.partition == "mpalm")

    def search(self, problem: PartitionProblem) -> Search[PartitionResult | None]:
        result = yield from super().search(problem)
        if result is not None and not self.is_cut_by_promises:
            yield from asked(self.class_steps(problem, result))
        return result
