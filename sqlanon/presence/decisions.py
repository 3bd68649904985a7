"""What is known of a person's probability to be in a table, and what finding it may cost."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

Basis = Literal["propagation", "counting", "bounds", "estimate"]
"""How a cell was decided."""

Value = Hashable
"""A published value of one column group; equal values of different groups must differ in it."""


class NoOutcomeError(Exception):
    """No set of candidates has the published counts."""


@dataclass(frozen=True)
class Limits:
    """How much work a count may cost; each component by itself, where nothing else is said.

    Attributes:
        states: of an exact count, all layers together; 0 counts nothing.
        exchanges: of one search for an outcome by annealing; some times as many for the first
            outcome; 0 leaves what is not counted open.
        nodes: of one complete search, which can also find that there is no outcome.
        probes: searches for cells that the walk left open, of all components together; a large
            component has fewer than its share.
        steps: of the random walk; 0 gives no estimate.
        seed: of the searches and the walk.
    """

    states: int = 300_000
    exchanges: int = 20_000
    nodes: int = 40
    probes: int = 500
    steps: int = 20_000
    seed: int = 1

    def shared(self, components: int) -> Limits:
        """The limits of one of so many components."""
        return replace(self, probes=self.probes // max(components, 1))


DEFAULT_LIMITS = Limits()
"""Seconds for a publication of the benchmark."""


@dataclass(frozen=True)
class Estimate:
    """A mean over a random walk, with a 99 % interval from the spread of its parts.

    It assumes that exchanges of two candidates lead from every outcome to every other one, and
    that the walk was long enough. It is not a bound.
    """

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Decision:
    """What is known of the candidates of one cell.

    Attributes:
        basis: propagation, counting: lower and upper are the same. bounds: whether the
            probability is 0, 1, or between them is decided. estimate: it is not.
        lower, upper: the probability is certainly from lower to upper.
        below_one: an outcome without one of the candidates is certain to exist.
        above_zero: an outcome with one of them is certain to exist.
        estimate: of the probability; None where it is exact or nothing was estimated.
    """

    basis: Basis
    lower: Fraction
    upper: Fraction
    below_one: bool
    above_zero: bool
    estimate: Estimate | None = None

    @property
    def is_exact(self) -> bool:
        """Whether the probability itself is known."""
        return self.lower == self.upper

    @property
    def is_sure_in(self) -> bool:
        """Whether every candidate of the cell is in the table, for certain."""
        return self.lower == 1

    @property
    def is_sure_out(self) -> bool:
        """Whether none of them is, for certain."""
        return self.upper == 0

    @property
    def is_decided(self) -> bool:
        """Whether it is certain that the probability is 0, that it is 1, or that it is neither."""
        return self.is_exact or (self.below_one and self.above_zero)


def exact(basis: Basis, probability: Fraction) -> Decision:
    """The decision where the probability is known."""
    return Decision(basis, probability, probability, probability < 1, probability > 0)
