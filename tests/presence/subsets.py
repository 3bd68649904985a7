"""The brute force of presence: every subset of the population with the published counts."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import Any


def outcomes(
    persons: Sequence[Sequence[Any]], marginals: Sequence[Counter[Any]]
) -> list[tuple[int, ...]]:
    """All sets of persons that have these values in each column."""
    return [
        chosen
        for chosen in itertools.combinations(range(len(persons)), marginals[0].total())
        if all(
            Counter(persons[n][column] for n in chosen) == marginal
            for column, marginal in enumerate(marginals)
        )
    ]


def columns_of(rows: Sequence[Sequence[Any]]) -> list[Counter[Any]]:
    """The values of each column, with their counts."""
    return [Counter(column) for column in zip(*rows, strict=True)]
