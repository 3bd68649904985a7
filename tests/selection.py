"""Which cases an ordinary run of the tests tries: the same ones every day; `--thorough` tries all.

Every test function runs in every run. What is left out are cases of functions marked
`sampled(share, by)`, and all but the first examples of a property.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import HealthCheck, settings

ORDINARY_EXAMPLES = 6
"""Examples of a property in an ordinary run, of 100 in a thorough one."""

SAME_EVERYWHERE = settings(
    deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
"""Every run tries the same examples, however slow the machine is; they share the fixtures."""

Kind = str | Callable[[dict[str, Any]], object]
"""The kind of a case: the value of a parameter, or of a function of all parameters."""


def example_count(count: int) -> int:
    """How many of so many examples this run tries; never fewer than three."""
    assert settings.default is not None
    return max(min(count, 3), math.ceil(count * settings.default.max_examples / 100))


def examples(count: int) -> settings:
    """Settings of a property that has so many examples in a thorough run."""
    return settings(max_examples=example_count(count))


def selected(
    cases: Sequence[dict[str, Any]], share: float, by: Kind | tuple[Kind, ...], name: str
) -> set[int]:
    """The positions of the cases that an ordinary run tries of the function of this name.

    It depends on nothing but the function and its parameters: not on the day, and not on what
    else is collected. At least one case, and one of every kind in each way that `by` names.
    """
    ways = by if isinstance(by, tuple) else (by,)
    kinds = [
        {(way, repr(case[way] if isinstance(way, str) else way(case))) for way in ways}
        for case in cases
    ]
    order = random.Random(name).sample(range(len(cases)), len(cases))
    kept = set(order[: max(1, math.ceil(share * len(cases)))])
    missing = set[Any]().union(*kinds) - set[Any]().union(*(kinds[case] for case in kept))
    while missing:
        best = max(order, key=lambda case: len(missing & kinds[case]))
        kept.add(best)
        missing -= kinds[best]
    return kept
