"""The interface of a way to anonymize: a prepared problem, its search, release and measures.

There are ways for lattice nodes, for cuts and for dealing. All other stages are the same for all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Generic, NamedTuple

from sqlanon.hierarchies.base import Hierarchy
from sqlanon.plan.plan import Plan
from sqlanon.release.lattice_view import LatticeView
from sqlanon.release.suppressed import SuppressedGroups
from sqlanon.search.scales import CutAttribute
from sqlanon.solution.base import SolutionType
from sqlanon.solution.search import Problem
from sqlanon.sql.step import Search, Step
from sqlanon.utility.base import ClassSizes

PARTITION_TREE = "partition_tree.csv"
"""File in the target folder that shows the cuts of a partition."""

BUCKET_DISTANCES = "bucket_distances.csv"
"""File in the target folder that shows the distance of dealt buckets from the table."""


class Release(ABC, Generic[SolutionType]):
    """From the source to the published rows, as steps."""

    @abstractmethod
    def steps(self, solution: SolutionType | None, staged: str) -> list[Step]:
        """From the source to the published rows in the file `staged`.

        Args:
            solution: None if the steps contain the search.

        Raises:
            PlanError: the plan needs to be solved first.
        """

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
        """What measures and reader steps read and the published rows do not; after `steps`.

        The search may have executed them, as it may have executed those of the release.
        """
        return []

    def reader_steps(self, folder: str) -> list[Step]:
        """Copies to files in a folder that show how classes were made; after `measure`."""
        return []


class Combinations(NamedTuple):
    """The relation of the source's distinct combinations, one row or several for each.

    Attributes:
        key: columns with the quasi-identifiers, or that stand for them.
        rows, person: the columns of the number of rows, and of the person if the plan has a unit.
    """

    relation: str
    key: tuple[str, ...]
    rows: str
    person: str


class Prepared(ABC, Generic[SolutionType]):
    """A plan with a prepared problem: its search, its release and its utility measures.

    Attributes:
        needs_classes: whether the measures read the released classes, so that the steps of the
            release must be executed first.
    """

    needs_classes: ClassVar[bool]
    problem: Problem
    release: Release[SolutionType]

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

    @abstractmethod
    def measure(self, solution: SolutionType) -> Search[dict[str, Any]]:
        """What the publication loses by every utility measure."""

    def standard_measures(self, solution: SolutionType) -> Search[dict[str, Any]]:
        """The same with the default parameters of every measure, to compare methods by."""
        return (yield from self.measure(solution))

    @abstractmethod
    def class_sizes(self, solution: SolutionType) -> Search[ClassSizes]:
        """How large the classes are; in buckets, how large the buckets."""

    @abstractmethod
    def column_losses(self, solution: SolutionType) -> Search[dict[str, float]]:
        """The loss of each quasi-identifier, 0 to 1: the share of its values that a label covers.

        After the proof of the staged rows and the measured steps. Suppressed rows cost 1, as in the
        measure `loss`, of which this is the part of each column. Empty where labels cannot be
        compared, as in buckets.
        """

    @abstractmethod
    def suppressed_groups(self, solution: SolutionType) -> Search[list[SuppressedGroups]]:
        """Whom suppression hits: rows and suppressed rows by groups of each quasi-identifier.

        After the proof of the staged rows. A group's label is given only if `shown_from` published
        rows are of it. Empty where the method suppresses no row.
        """

    def lattice(self, solution: SolutionType) -> Search[LatticeView | None]:
        """Nodes of the lattice for readers; None where there is no lattice."""
        return None
        yield  # no question

    @property
    @abstractmethod
    def combinations(self) -> Combinations:
        """The distinct combinations of the source's quasi-identifiers."""

    @abstractmethod
    def class_count(self, solution: SolutionType) -> Search[int]:
        """Classes as a reader of the publication counts them: rows of equal labels are one."""


class Way(ABC, Generic[SolutionType]):
    """A way to anonymize a table.

    Attributes:
        solution_kind: class of the solutions that its searches find.
    """

    solution_kind: type[SolutionType]
    plan: Plan

    @abstractmethod
    def prepare(self, hierarchies: Mapping[str, Hierarchy]) -> Search[Prepared[SolutionType]]:
        """Make the relations that a search reads.

        Raises:
            HierarchyError: a hierarchy is not nested, lacks a value, or has no single top value.
            PlanError: the source is empty, or does not fit the plan.
        """

    @abstractmethod
    def release(
        self, hierarchies: Mapping[str, Hierarchy], solution: SolutionType | None
    ) -> Release[SolutionType]:
        """The release according to a solution, or to the plan alone.

        Raises:
            PlanError: the plan needs to be solved first.
        """
