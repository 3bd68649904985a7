"""A family of methods: how it prepares a plan, searches, releases and measures.

There are three: lattice nodes, passes of several nodes, and partitions. All other stages are the
same for them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Self

from sqlanon.families.header import level_text
from sqlanon.families.lattice_view import LatticeView
from sqlanon.families.search import Problem
from sqlanon.families.solution import SolutionType
from sqlanon.families.suppressed import SuppressedGroups
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.plan.plan import Plan
from sqlanon.search.scales import CutAttribute
from sqlanon.source.frequency_set import Shape
from sqlanon.source.hierarchies import known_level_count
from sqlanon.source.places import PartitionShape
from sqlanon.sql.render import question
from sqlanon.sql.step import Search, Step
from sqlanon.utility.base import ClassSizes


@dataclass(frozen=True)
class Family(ABC, Generic[SolutionType]):
    """A plan, what is known of its data, and all that its kind of method does with them.

    `prepare` asks the data; `recorded` takes what a solution records, or the plan alone, which is
    enough to write the release.

    Attributes:
        solution_kind: class of the solutions that searches find.
        needs_classes: whether the measures read the released classes, so that the steps of the
            release must be executed first.
        counts: rows of the input; empty if the data was not asked.
        shape: what is known of the hierarchies.
    """

    solution_kind: ClassVar[type[Any]]
    needs_classes: ClassVar[bool]

    plan: Plan
    counts: dict[str, int]
    shape: Shape | PartitionShape

    # --- preparation

    @classmethod
    @abstractmethod
    def prepare(cls, plan: Plan, hierarchies: Mapping[str, Hierarchy]) -> Search[Self]:
        """Make the relations that a search reads.

        Raises:
            HierarchyError: a hierarchy is not nested, lacks a value, or has no single top value.
            PlanError: the source is empty, or does not fit the plan.
        """

    @classmethod
    @abstractmethod
    def recorded(
        cls, plan: Plan, hierarchies: Mapping[str, Hierarchy], solution: SolutionType | None
    ) -> Self:
        """What a solution records of the data, or what the plan states; nothing is asked.

        Raises:
            PlanError: the plan needs to be solved first.
        """

    @property
    @abstractmethod
    def problem(self) -> Problem:
        """The problem that the search solves."""

    # --- search

    @abstractmethod
    def search(self) -> Search[SolutionType]:
        """What the plan's method finds.

        Raises:
            NoSolutionError: nothing within the limits holds the promise.
        """

    @abstractmethod
    def applied(self, reviewed: SolutionType) -> Search[SolutionType]:
        """A reviewed solution with the counts of the data as it is now; nothing is searched.

        Raises:
            PlanError: it does not fit the data any more.
            PrivacyViolation: what it would publish does not hold the promises.
        """

    @abstractmethod
    def chosen(
        self, node: Mapping[str, int] | None, own: Callable[[], SolutionType]
    ) -> Search[tuple[SolutionType, bool]]:
        """What is to be measured, and whether it holds the promise.

        Args:
            node: levels of quasi-identifiers; None for the plan's own solution.
            own: reads the plan's own solution.

        Raises:
            PlanError: there is no such node.
        """

    # --- release

    @abstractmethod
    def release_steps(self, solution: SolutionType | None, staged: str) -> list[Step]:
        """From the source to the published rows in the file `staged`.

        Args:
            solution: None if the steps contain the search.

        Raises:
            PlanError: the plan needs to be solved first.
        """

    def release_query(self, solution: SolutionType | None) -> str:
        """The release as one query, for a reader, where several steps make it; else empty."""
        return ""

    @abstractmethod
    def words(self, solution: SolutionType) -> dict[str, str]:
        """What becomes of the columns that are generalized or made, in words."""

    @abstractmethod
    def description(self, solution: SolutionType | None) -> tuple[str, str]:
        """A title and a line about what was found, for the header of a program."""

    @property
    def ends(self) -> Sequence[CutAttribute]:
        """The attributes whose published ranges end at no value of too few persons."""
        return ()

    def measured_steps(self) -> list[Step]:
        """What measures and reader steps read and published rows do not; after the release.

        The search may have executed them, as it may have executed those of the release.
        """
        return []

    def reader_steps(self, folder: str) -> list[Step]:
        """Copies to files in a folder that show how classes were made; after `measure`."""
        return []

    # --- measures, after the proof of the staged rows and the measured steps

    @abstractmethod
    def measure(self, solution: SolutionType) -> Search[dict[str, Any]]:
        """What the publication loses by every utility measure."""

    def standard_measures(self, solution: SolutionType) -> Search[dict[str, Any]]:
        """The utility measures with default parameters, to compare methods by."""
        return (yield from self.measure(solution))

    @abstractmethod
    def class_sizes(self, solution: SolutionType) -> Search[ClassSizes]:
        """How large the classes are; in buckets, how large the buckets."""

    @abstractmethod
    def class_count(self, solution: SolutionType) -> Search[int]:
        """Classes as a reader of the publication counts them: rows of equal labels are one."""

    @abstractmethod
    def column_losses(self, solution: SolutionType) -> Search[dict[str, float]]:
        """The loss of each quasi-identifier, 0 to 1: the share of its values that a label covers.

        Suppressed rows cost 1, as in the measure `loss`, of which this is the part of each column.
        Empty where labels cannot be compared, as in buckets.
        """

    def column_distances(self, solution: SolutionType) -> Search[dict[str, float]]:
        """The part of each quasi-identifier in the measure `distribution`, 0 to 1.

        `reconstructed_values` then has the values by which it is measured. Empty in buckets.
        """
        return dict((yield question("release/column_distances")))

    def suppressed_groups(self, solution: SolutionType) -> Search[list[SuppressedGroups]]:
        """Suppression by group: rows and suppressed rows by groups of each quasi-identifier.

        A group's label is given only if `shown_from` published rows are of it. Empty where every
        row is in a class that holds the promises, or there is no solution.
        """
        return []
        yield  # no question

    @property
    def level_titles(self) -> dict[str, list[str]]:
        """Of each quasi-identifier with a hierarchy the labels of every level, in words."""
        return {
            name: [
                level_text(self.plan, name, each, n) for n in range(known_level_count(name, each))
            ]
            for name, each in self.shape.hierarchies.items()
            if name in self.plan.quasi_identifiers
        }

    def lattice(self, solution: SolutionType) -> Search[LatticeView | None]:
        """Nodes of the lattice for readers; None where there is no lattice."""
        return None
        yield  # no question
