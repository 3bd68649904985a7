"""What every method is, and what a plan, a release and a proof ask of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from sqlanon.search.partition import Cutting
from sqlanon.utility.base import UtilityMeasure
from sqlanon.utility.measures import Loss

LabelExtent = Literal["region", "tight"]
"""What a label shows of a class: its region, or only how far its rows extend."""


class Method(BaseModel):
    """A way to find a publication.

    What a kind of method does not have or do, this class answers for it.

    Attributes:
        guarantee: what its result is, in a sentence.
        source: the paper.
        makes_partition: whether the table is divided into regions or buckets; else a lattice node
            is searched.
        cuts_regions: whether regions are cut one by one.
        needs_sensitive: whether rows are parted from their sensitive values.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    guarantee: ClassVar[str]
    source: ClassVar[str]
    makes_partition: ClassVar[bool] = False
    cuts_regions: ClassVar[bool] = False
    needs_sensitive: ClassVar[bool] = False

    name: str

    @property
    def minimized(self) -> UtilityMeasure:
        """The measure that it makes small; the loss where it makes none small."""
        return Loss()

    @property
    def is_one_statement(self) -> bool:
        """Whether its search can be written as SQL before anything is asked of the data."""
        return False

    @property
    def is_seeded(self) -> bool:
        """Whether rows are dealt or permuted, in orders that only the seed determines."""
        return False

    # --- classes and their labels

    @property
    def is_placed(self) -> bool:
        """Whether the values of quasi-identifiers must be put into an order."""
        return self.makes_partition

    @property
    def cuts_along_hierarchies(self) -> bool:
        """Whether all quasi-identifiers are cut along their hierarchies, numbers and dates too."""
        return False

    @property
    def cuts_attributes(self) -> bool:
        """Whether whole attributes are cut into intervals, the same for every row."""
        return False

    @property
    def cutting(self) -> Cutting:
        """How regions are cut, where they are."""
        return Cutting()

    @property
    def is_cut_by_promises(self) -> bool:
        """Whether every promise decides every cut; else class size alone does."""
        return True

    @property
    def publishes_bounds(self) -> bool:
        """Whether the ends of intervals are published as columns of their own."""
        return False

    @property
    def labels_are_sets(self) -> bool:
        """Whether the label of several categories is the set of them."""
        return False

    def label_extent(self, *, population: bool) -> LabelExtent | None:
        """Whether labels show the region of a class, or what its rows extend to.

        None where classes get no labels of their own.
        """
        return None

    # --- buckets

    @property
    def publishes_buckets(self) -> bool:
        """Whether values stay as they are, and parts of rows are permuted within buckets."""
        return False

    @property
    def separates_sensitive(self) -> bool:
        """Whether the sensitive values are published in a table of their own, with counts."""
        return False

    @property
    def is_sliced(self) -> bool:
        """Whether the promises must hold over all buckets that a row's column groups match."""
        return False

    def column_groups(
        self, quasi_identifiers: Sequence[str], sensitive: Sequence[str], others: Sequence[str]
    ) -> tuple[tuple[str, ...], ...]:
        """The columns that stay together; groups are permuted independently of each other.

        Args:
            quasi_identifiers, sensitive, others: the published columns by role.

        Returns:
            every column in one group; the sensitive attributes in one of their own. Empty where
            only a search finds the groups.
        """
        groups = ((*quasi_identifiers, *others), tuple(sensitive))
        return tuple(group for group in groups if group)

    # --- dealing

    @property
    def deals_rows(self) -> bool:
        """Whether rows are dealt to buckets by a sensitive value."""
        return False

    @property
    def dealt_attribute(self) -> str | None:
        """The sensitive attribute that rows are dealt by, where the plan names it."""
        return None

    @property
    def keeps_values_apart(self) -> bool:
        """Whether no bucket has a value twice; else buckets have each nearly equally often."""
        return False

    @property
    def strata(self) -> Mapping[str, int]:
        """Levels of quasi-identifiers: only rows that are equal there are dealt together."""
        return {}
