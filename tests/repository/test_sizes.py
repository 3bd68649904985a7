"""What is added to a part that is full is taken away elsewhere: the limits of `tests/sizes.py`."""

from __future__ import annotations

import pytest

from tests.sizes import GOALS, LIMITS, Size, sizes

FOUND = {size.name: size for size in sizes()}


@pytest.mark.parametrize("size", FOUND.values(), ids=FOUND.keys())
def test_a_part_is_not_larger_than_its_limit(size: Size) -> None:
    assert size.found <= size.limit, f"{size.name}: `python -m tests.sizes` shows all"


def test_a_limit_is_there_for_what_misses_its_goal() -> None:
    """A limit is at most 2 % above what there is, and goes when the goal is reached."""
    for name, limit in LIMITS.items():
        assert GOALS[name] < limit <= 1.02 * FOUND[name].found + 1, name
