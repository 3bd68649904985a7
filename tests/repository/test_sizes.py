"""What is added to a part that is full is taken away elsewhere: the limits of `tests/sizes.py`."""

from __future__ import annotations

from tests.sizes import GOALS, LIMITS, sizes


def test_no_part_is_larger_than_its_limit_and_no_limit_much_larger_than_its_part() -> None:
    """A limit is at most 2 % above what there is, and goes when the goal is reached."""
    found = {size.name: size for size in sizes()}
    larger = [name for name, size in found.items() if size.found > size.limit]
    assert not larger, "`python -m tests.sizes` shows all"
    for name, limit in LIMITS.items():
        assert GOALS[name] < limit <= 1.02 * found[name].found + 1, name
