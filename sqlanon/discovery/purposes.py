"""What a publication is for: how small its classes may be, and how many columns it keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

PurposeName = Literal["research", "sharing", "open-data"]


@dataclass(frozen=True)
class Purpose:
    """What `init` proposes a plan for.

    Attributes:
        words: who gets the publication.
        choices_of_k: k, the fewest persons for it, and the reason; the largest k first.
        most_quasi_identifiers: more are left out, first those of which least is known: each divides
            the classes, so that all lose detail.
        suppression_limit: share of the rows that may be suppressed.
    """

    words: str
    choices_of_k: tuple[tuple[int, int, str], ...]
    most_quasi_identifiers: int
    suppression_limit: float

    def k_of(self, count: int) -> tuple[int, str]:
        """The k for so many rows or persons, and the reason."""
        return next((k, why) for k, fewest, why in self.choices_of_k if count >= fewest)


_SMALL = (
    (3, 50, "a small table would lose nearly everything with 5"),
    (2, 0, "with so few, more would leave nothing"),
)

PURPOSES: Mapping[str, Purpose] = {
    "research": Purpose(
        "researchers who are bound by contract",
        ((3, 50, "for researchers who are bound not to identify anybody"), _SMALL[-1]),
        60,
        0.01,
    ),
    "sharing": Purpose(
        "partners who are known",
        (
            (10, 1_000_000, "a large table can afford more than the usual 5"),
            (5, 500, "no group below 5, as offices of statistics count"),
            *_SMALL,
        ),
        30,
        0.02,
    ),
    "open-data": Purpose(
        "everybody",
        (
            (12, 1_000, "a risk of at most 0.09 for everybody, as EMA's policy 0070 has it; with 11"
             " it would be 0.091"),
            (5, 200, "no group below 5, as offices of statistics count"),
            *_SMALL,
        ),
        10,
        0.05,
    ),
}  # fmt: skip
"""By name, as `init --for` has them."""
