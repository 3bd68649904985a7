"""The base class of all methods: what a plan, a release and a proof need to know of a method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, Self

from sqlanon.boundary.part import Part
from sqlanon.errors import PlanError
from sqlanon.presence.decisions import DEFAULT_LIMITS
from sqlanon.search.partition import Cutting
from sqlanon.utility.base import UtilityMeasure
from sqlanon.utility.measures import Loss

LabelExtent = Literal["region", "tight"]
"""What a label shows of a class: its region, or only the extent of its rows."""


class Method(Part):
    """A way to find a publication.

    The properties of this class have defaults for methods that lack a feature.

    Attributes:
        guarantee: what the method guarantees about its result, in one sentence.
        source: the paper.
        makes_partition: whether the table is divided into regions or buckets; otherwise the method
            searches for a lattice node.
        needs_sensitive: whether rows are separated from their sensitive values.
        cuts_along_hierarchies: whether all quasi-identifiers, even numbers and dates, are cut along
            hierarchies.
        separates_sensitive: whether the sensitive values are published in a separate table, with
            counts.
        is_sliced: whether the promises must hold over all buckets that the column groups of a row
            match.
        deals_rows: whether rows are dealt to buckets by a sensitive value.
        keeps_values_apart: whether no bucket has a value twice; else each value is spread evenly
            over buckets.
    """

    guarantee: ClassVar[str]
    source: ClassVar[str]
    makes_partition: ClassVar[bool] = False
    needs_sensitive: ClassVar[bool] = False
    cuts_along_hierarchies: ClassVar[bool] = False
    separates_sensitive: ClassVar[bool] = False
    is_sliced: ClassVar[bool] = False
    deals_rows: ClassVar[bool] = False
    keeps_values_apart: ClassVar[bool] = False

    name: str

    @property
    def minimized(self) -> UtilityMeasure:
        """The measure that the method minimizes; the loss if it minimizes none."""
        return Loss()

    @property
    def is_one_statement(self) -> bool:
        """Whether its search can be written as SQL before any query of the data."""
        return False

    def limited_to(self, seconds: float) -> Self:
        """This method with a search that ends after so many seconds.

        Raises:
            PlanError: it has no search that could end with a result before it is complete.
        """
        raise PlanError(
            f"The method {self.name} cannot end its search early.",
            where="--budget",
            fix="leave it out, or choose the method optimal, incognito or samarati",
        )

    def by_rounds(self) -> Self:
        """This method, with only those questions that every database can answer."""
        return self

    @property
    def makes_passes(self) -> bool:
        """Whether nodes place rows, one after the other, so that rows have several levels."""
        return False

    @property
    def refines(self) -> bool:
        """Whether classes that passes make go down to lower levels."""
        return False

    def placed_from(self, k: int, *, reads_values: bool) -> int:
        """What a class of a pass has at least: persons of the population, persons, or rows.

        Args:
            k: the smallest class that the promises allow.
            reads_values: whether a promise reads sensitive values.

        Returns:
            1 where no passes are made.
        """
        return 1

    def outlier_rows(self, k: int) -> int:
        """How many rows may be suppressed where no limit is stated; k: as of `placed_from`."""
        return 0

    @property
    def is_seeded(self) -> bool:
        """Whether rows are dealt or permuted in an order that only the seed determines."""
        return False

    # --- classes and their labels

    @property
    def is_placed(self) -> bool:
        """Whether the values of quasi-identifiers must be ordered."""
        return self.makes_partition

    @property
    def cutting(self) -> Cutting | None:
        """How regions are cut; None if attributes are cut, or rows are dealt."""
        return None

    @property
    def is_relaxed(self) -> bool:
        """Whether rows with the value of a cut are dealt to both sides."""
        return False

    @property
    def is_cut_by_promises(self) -> bool:
        """Whether all promises decide about every cut; otherwise only the class size does."""
        return True

    @property
    def publishes_bounds(self) -> bool:
        """Whether the ends of intervals are published as separate columns."""
        return False

    @property
    def prints_ends(self) -> bool:
        """Whether ranges end at values of persons, however few have them."""
        return False

    @property
    def hides_ends(self) -> bool:
        """Whether ranges do not end at values that few persons have."""
        return False

    @property
    def most_names(self) -> int:
        """How many values the label of several may name."""
        return 0

    def label_extent(self, *, population: bool) -> LabelExtent | None:
        """Whether labels show the region of a class, or only the extent of its rows.

        None if classes get no labels of their own.
        """
        return None

    # --- buckets

    @property
    def publishes_buckets(self) -> bool:
        """Whether values are published unchanged, and parts of rows are permuted within buckets."""
        return False

    @property
    def left_out_of_digests(self) -> frozenset[str]:
        """Parameters whose value changes nothing: plans that cannot have them publish the same.

        The order of shuffled rows depends on the digest of the plan.
        """
        return frozenset()

    @property
    def counted_states(self) -> int:
        """Maximum states of the exact count by which a search proves who could be in a bucket."""
        return DEFAULT_LIMITS.states

    def column_groups(
        self, quasi_identifiers: Sequence[str], sensitive: Sequence[str], others: Sequence[str]
    ) -> tuple[tuple[str, ...], ...]:
        """The columns that stay together; groups are permuted independently of each other.

        Args:
            quasi_identifiers, sensitive, others: the published columns by role.

        Returns:
            the groups, with every column in one of them; by default, the sensitive attributes form
            their own group. Empty if only a search finds the groups.
        """
        groups = ((*quasi_identifiers, *others), tuple(sensitive))
        return tuple(group for group in groups if group)

    # --- dealing

    @property
    def dealt_attribute(self) -> str | None:
        """The sensitive attribute by which rows are dealt, if the plan names it."""
        return None

    @property
    def strata(self) -> Mapping[str, int]:
        """Levels of quasi-identifiers: only rows with equal labels there are dealt together."""
        return {}
