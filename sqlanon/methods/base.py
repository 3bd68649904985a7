"""What every method is: parameters, and a generator of questions that ends in a solution."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from sqlanon.bounds import Count
from sqlanon.search.bucket_levels import Raised
from sqlanon.search.dealing import DealingProblem, Leftover, Turn
from sqlanon.search.full_domain import FullDomainProblem, NodeScore
from sqlanon.search.lattice import Node
from sqlanon.search.partition import Cut, Cutting, PartitionProblem
from sqlanon.search.scales import Interval
from sqlanon.sql.step import Search, Step
from sqlanon.utility.base import Cost
from sqlanon.utility.measures import AnyUtilityMeasure, Loss


class Budget(BaseModel):
    """How long a search may go on; then the best found is returned, and labeled so."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    nodes: Annotated[Count, Field(ge=1)] | None = Field(None, description="lattice nodes to check")
    seconds: Annotated[float, Field(gt=0, le=1e9)] | None = Field(
        None, description="time to search"
    )


@dataclass(frozen=True)
class FullDomainResult:
    """The node that a method chose, and what it learned of the lattice on the way.

    Attributes:
        node: levels in the order of the quasi-identifiers.
        label: what the method claims of the node, in words.
        checked: nodes whose classes were counted; of subsets, those that leave attributes out.
        satisfying, minimal: how many nodes of the lattice hold the promise, and how many of them
            have none below; None where the method does not learn it.
        minimal_nodes: those nodes, where the method learns them.
        cost: of the node, by the objective.
    """

    node: Node
    label: str
    score: NodeScore
    checked: int
    cost: Cost | None = None
    satisfying: int | None = None
    minimal: int | None = None
    minimal_nodes: tuple[Node, ...] = ()


@dataclass(frozen=True)
class PartitionResult:
    """The partition that a method made; its cells stand in the database.

    Attributes:
        label: what the method claims of it, in words.
        class_count: classes, every one of which holds the promise.
        rounds: of cuts; 0 where nothing was cut. None where attributes are cut, not regions.
        k: the class size that decided the cuts, where the method found it.
        intervals: of every attribute, where the method cuts whole attributes.
        turns, leftovers: of anatomy: which values make up which buckets, by their ranks.
        raised: of `combined`: buckets that are generalized further than their columns need.
        column_groups: which columns stay together, where the method found it.
    """

    label: str
    class_count: int
    rounds: int | None = None
    k: int | None = None
    intervals: tuple[Interval, ...] = ()
    turns: tuple[Turn, ...] = ()
    leftovers: tuple[Leftover, ...] = ()
    raised: tuple[Raised, ...] = ()
    column_groups: tuple[tuple[str, ...], ...] = ()


LabelExtent = Literal["region", "tight"]
"""What a label tells of a class."""


class Method(BaseModel):
    """A way to find a publication.

    Attributes:
        guarantee: what its result is, in a sentence.
        source: the paper.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    guarantee: ClassVar[str]
    source: ClassVar[str]

    name: str


class FullDomainMethod(Method):
    """A way to find a lattice node."""

    objective: AnyUtilityMeasure = Field(
        default_factory=Loss, description="the measure to make small"
    )

    def search(self, problem: FullDomainProblem) -> Search[FullDomainResult | None]:
        """Ask until the node is found; None when no node holds the promise."""
        raise NotImplementedError  # pragma: no cover - every method states its own


class PartitionMethod(Method):
    """A way to divide the table into classes, with labels or as buckets."""

    @property
    def publishes_buckets(self) -> bool:
        """Whether values stay as they are, and parts of rows are permuted within buckets."""
        return False

    @property
    def is_seeded(self) -> bool:
        """Whether rows are dealt or permuted, in orders that only the seed tells."""
        return False

    @property
    def is_one_statement(self) -> bool:
        """Whether the classes can be written as SQL before anything is asked of the data."""
        return False

    @property
    def is_placed(self) -> bool:
        """Whether the values of quasi-identifiers must be put into an order."""
        return True

    @property
    def cuts_along_hierarchies(self) -> bool:
        """Whether all quasi-identifiers are cut along their hierarchies, numbers and dates too."""
        return False

    @property
    def cuts_attributes(self) -> bool:
        """Whether whole attributes are cut into intervals, the same for every row."""
        return False

    def search(self, problem: PartitionProblem) -> Search[PartitionResult | None]:
        """Divide the rows; None when the promise does not hold."""
        raise NotImplementedError  # pragma: no cover - every method states its own


class LabelingMethod(PartitionMethod):
    """A way that gives every class labels of its own."""

    categories: Literal["common-ancestor", "set"] = Field(
        "common-ancestor",
        description="label of several categories: their lowest common ancestor (an interval where"
        " there is no hierarchy), or their set",
    )
    bounds: bool = Field(
        False,
        description="also publish the ends of numeric and date intervals, as columns NAME_lo and"
        " NAME_hi",
    )

    def label_extent(self, *, population: bool) -> LabelExtent:
        """Whether labels tell the region of a class, or what its rows extend to."""
        return "region"


class RegionMethod(PartitionMethod):
    """A way to cut regions one by one."""

    cut: Cut = Field(
        "median-both",
        description="cuts to try: the median's values to the left; to either side; the median and"
        " both quartiles; every cut, the most even first",
    )
    execution: Literal["recursive", "rounds"] = Field(
        "recursive",
        description="recursive: all rounds in one statement; rounds: one statement a round, for"
        " every engine",
    )

    @property
    def cutting(self) -> Cutting:
        """How regions are cut."""
        return Cutting(self.cut)

    @property
    def is_cut_by_promises(self) -> bool:
        """Whether every promise decides every cut; else class size alone does."""
        return True

    @property
    def is_one_statement(self) -> bool:
        return self.execution == "recursive" and self.is_cut_by_promises

    def search(self, problem: PartitionProblem) -> Search[PartitionResult | None]:
        if self.execution == "recursive":
            yield problem.regions_step(self.cutting)
        else:
            yield problem.first_round_step(self.cutting)
            number, more = 0, True
            while more:
                number += 1
                yield problem.next_round_step(self.cutting, number)
                more = yield from problem.is_cut(number)
            yield problem.rounds_step(number - 1)
        rounds = yield from problem.round_count()
        yield problem.class_cells_step(self.cutting)
        judged = yield from problem.judged()
        if judged.failing_classes or not judged.covers:
            return None
        label = "no allowable cut is left" if rounds else "one class: no cut is allowable"
        return PartitionResult(label, judged.class_count, rounds)


class MultidimensionalMethod(RegionMethod, LabelingMethod):
    """A way to cut regions one by one, and to label what is left."""

    labels: LabelExtent | None = Field(
        None,
        description="region: the box that the cuts bound; tight: the smallest box around the rows,"
        " which tells their extremes; when not given, tight, but region where the plan has a"
        " population",
    )

    def label_extent(self, *, population: bool) -> LabelExtent:
        return self.labels or ("region" if population else "tight")


class BucketMethod(PartitionMethod):
    """A way to publish values as they are, in buckets within which parts of rows are permuted."""

    @property
    def is_seeded(self) -> bool:
        return True

    @property
    def publishes_buckets(self) -> bool:
        return True

    def column_groups(
        self, quasi_identifiers: Sequence[str], sensitive: Sequence[str], others: Sequence[str]
    ) -> tuple[tuple[str, ...], ...]:
        """The columns that stay together; groups are permuted apart from each other.

        Args:
            quasi_identifiers, sensitive, others: the published columns by role.

        Returns:
            every column in one group; the sensitive attributes in one of their own. Empty where
            only a search finds the groups.
        """
        groups = ((*quasi_identifiers, *others), tuple(sensitive))
        return tuple(group for group in groups if group)

    @property
    def is_sliced(self) -> bool:
        """Whether the promises must hold over all buckets that a row's column groups match."""
        return False

    @property
    def separates_sensitive(self) -> bool:
        """Whether the sensitive values are published in a table of their own, with counts."""
        return False


class DealingMethod(BucketMethod):
    """A way to deal rows to buckets by a sensitive value."""

    attribute: str | None = Field(
        None, description="the sensitive attribute to deal by, where the plan has several"
    )

    @property
    def is_placed(self) -> bool:
        return False

    @property
    def keeps_values_apart(self) -> bool:
        """Whether no bucket has a value twice; else buckets have each nearly equally often."""
        return False

    @property
    def strata(self) -> Mapping[str, int]:
        """Levels of quasi-identifiers: only rows that are equal there are dealt together."""
        return {}

    def rows_step(
        self, problem: DealingProblem, turns: Sequence[Turn], leftovers: Sequence[Leftover]
    ) -> Step:
        """The step that makes `dealt_rows`.

        Args:
            turns, leftovers: what the method found, where it has to find something.
        """
        raise NotImplementedError  # pragma: no cover - every method states its own


class RegionBucketMethod(RegionMethod, BucketMethod):
    """A way to make buckets of regions: neighbors come into one bucket."""

    partition: Literal["mondrian", "mpalm"] = Field(
        "mondrian",
        description="how regions are cut: by the rows of the table, or by those of the population",
    )

    @property
    def cutting(self) -> Cutting:
        return Cutting(self.cut, by_population=self.partition == "mpalm")


class Spending:
    """A budget being spent."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._start = time.monotonic()
        self.checked = 0

    @property
    def exhausted(self) -> bool:
        """Whether no further node may be checked."""
        nodes, seconds = self._budget.nodes, self._budget.seconds
        return (nodes is not None and self.checked >= nodes) or (
            seconds is not None and time.monotonic() - self._start >= seconds
        )

    def affordable(self, wanted: int) -> int:
        """How many of `wanted` nodes may still be checked."""
        nodes = self._budget.nodes
        return wanted if nodes is None else max(0, min(wanted, nodes - self.checked))
