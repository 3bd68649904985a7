"""Who is in a permuted table, as far as its publication shows: cells of persons, and totals."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from sqlanon.presence.decisions import Decision

Risk = Literal["certain", "possible", "unknown"]
"""Of a probability outside two bounds: it is proven; it is estimated and not refuted; it is not
refuted, and no estimate suggests it."""


@dataclass(frozen=True)
class PersonCell:
    """Persons whom the publication cannot distinguish, and what it shows about them.

    Attributes:
        bucket: the bucket that they may be in; the lowest number of united buckets.
        values: numbers of their values there, one of each column group.
        persons: number of persons of the population.
        decision: the probability that one of them is in the table.
        is_lower_bound: whether an attacker may know more, because several buckets were united.
    """

    bucket: int
    values: tuple[int, ...]
    persons: int
    decision: Decision
    is_lower_bound: bool = False

    @property
    def is_sure(self) -> bool:
        """Whether it is certain, for every attacker, that all are in the table or that none is."""
        return self.decision.is_sure_in or self.decision.is_sure_out

    @property
    def is_exact(self) -> bool:
        """Whether the probability is known, of an attacker who looks at all that is published."""
        return self.is_sure or (self.decision.is_exact and not self.is_lower_bound)

    def outside(self, dmin: Fraction, dmax: Fraction) -> tuple[bool, bool]:
        """Whether the probability is certainly, and is possibly, below dmin or above dmax."""
        lower, upper = self.decision.lower, self.decision.upper
        if self.is_lower_bound and not self.is_sure:
            lower, upper = Fraction(0), Fraction(1)
        return upper < dmin or lower > dmax, lower < dmin or upper > dmax

    def risk(self, dmin: Fraction, dmax: Fraction) -> Risk | None:
        """How much speaks for a probability outside these bounds; None where it is refuted."""
        certain, possible = self.outside(dmin, dmax)
        if certain:
            return "certain"
        estimate = self.decision.estimate
        if possible and estimate is not None and (estimate.low < dmin or estimate.high > dmax):
            return "possible"
        return "unknown" if possible else None


@dataclass(frozen=True)
class Presence:
    """Who is in the table, as far as its publication shows.

    Attributes:
        cells: persons who match a bucket; all others are certainly not in the table.
        bucket_rows: number of rows of each bucket; of united buckets by their lowest number.
        persons: number of persons of the population.
        mean_buckets, most_buckets: in how many buckets a person may be who may be in any.
        fake_share: share of the combinations in buckets that no person of the population has, 0 to
            1; None if it was not asked for.
    """

    cells: tuple[PersonCell, ...]
    bucket_rows: Counter[int]
    persons: int
    mean_buckets: float = 1.0
    most_buckets: int = 1
    fake_share: float | None = None

    @property
    def rows(self) -> int:
        """Rows of the table."""
        return self.bucket_rows.total()

    @property
    def unmatched_persons(self) -> int:
        """Persons who match no bucket."""
        return self.persons - sum(cell.persons for cell in self.cells)

    @property
    def sure_in(self) -> int:
        """Persons who are certainly in the table."""
        return sum(cell.persons for cell in self.cells if cell.decision.is_sure_in)

    @property
    def sure_out(self) -> int:
        """Persons who are certainly not in it."""
        found = sum(cell.persons for cell in self.cells if cell.decision.is_sure_out)
        return found + self.unmatched_persons

    @property
    def exact_persons(self) -> int:
        """Persons whose probability is known."""
        found = sum(cell.persons for cell in self.cells if cell.is_exact)
        return found + self.unmatched_persons

    @property
    def exact_share(self) -> Fraction:
        """The share of the population whose probability is known, 0 to 1."""
        return Fraction(self.exact_persons, self.persons)

    @property
    def perhaps_sure_in(self) -> int:
        """Persons who may be in the table for certain: neither proven nor refuted."""
        return sum(
            cell.persons
            for cell in self.cells
            if not cell.is_sure and (cell.is_lower_bound or not cell.decision.below_one)
        )

    @property
    def highest_certain(self) -> Fraction:
        """The highest probability that is certain of anybody; a lower bound of the highest one."""
        certain = (c.decision.lower for c in self.cells if c.is_sure or not c.is_lower_bound)
        return max(certain, default=Fraction(0))

    @property
    def lower_bound_persons(self) -> int:
        """Persons in united buckets: an attacker may know more of them."""
        return sum(cell.persons for cell in self.cells if cell.is_lower_bound)

    @property
    def expected_rows(self) -> tuple[Fraction, Fraction]:
        """The sum of all probabilities, at least and at most.

        The rows of the table are between these, and are the sum where all probabilities are known.
        """
        lower = sum((cell.persons * cell.decision.lower for cell in self.cells), Fraction(0))
        upper = sum((cell.persons * cell.decision.upper for cell in self.cells), Fraction(0))
        return lower, upper

    def persons_outside(self, dmin: Fraction, dmax: Fraction) -> tuple[int, int]:
        """Persons whose probability is certainly, and is possibly, below dmin or above dmax.

        Estimates are not used here: the table is δ-present only if the second number is 0.

        Args:
            dmin, dmax: bounds of the probability, 0 to 1.
        """
        certain = possible = self.unmatched_persons if dmin > 0 else 0
        for cell in self.cells:
            is_certain, is_possible = cell.outside(dmin, dmax)
            certain += cell.persons if is_certain else 0
            possible += cell.persons if is_possible else 0
        return certain, possible
