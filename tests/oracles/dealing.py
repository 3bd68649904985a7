"""Dealing by brute force: the reference that the tests compare the SQL with.

Standard library only, no SQL, nothing of the package. Definitions: docs/dealing.md; formulas.md,
section 4. Values are known by their index in `counts`, buckets by their place in a list.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

Bucket = Counter[int]  # rows per value


def stack_and_deal(counts: Sequence[int], k: int) -> list[Bucket]:
    """Stack the values, the most frequent first, and deal the stack to floor(rows / k) buckets."""
    stack = [
        v for v in sorted(range(len(counts)), key=lambda v: -counts[v]) for _ in range(counts[v])
    ]
    buckets: list[Bucket] = [Counter() for _ in range(len(stack) // k)]
    for place, value in enumerate(stack):
        buckets[place % len(buckets)][value] += 1
    return buckets


def anatomy_states(counts: Sequence[int], size: int) -> list[list[int]]:
    """What the values have left before each bucket of Anatomy, descending; the last: what is over.

    A bucket takes a row of each of the `size` largest. Which of equally large ones does not matter
    for what is left of all of them.
    """
    left = sorted(counts, reverse=True)
    states = [left]
    while len(left) >= size and left[size - 1] > 0:
        left = sorted([count - 1 for count in left[:size]] + left[size:], reverse=True)
        states.append(left)
    return states


def distance(bucket: Mapping[int, int], table: Mapping[int, int]) -> Fraction:
    """Earth mover's distance with equal distances: half the sum of differences of shares."""
    size, rows = sum(bucket.values()), sum(table.values())
    shares = (
        Fraction(bucket.get(v, 0), size) - Fraction(count, rows) for v, count in table.items()
    )
    return sum(map(abs, shares), Fraction(0)) / 2


def strata(labels: Iterable[str], k: int) -> dict[str, int]:
    """The stratum of each label: 0 for those of fewer than k rows, and for the smallest of the
    others where the former are fewer than k rows even so; every other has its own."""
    sizes = Counter(labels)
    small = [label for label in sizes if sizes[label] < k]
    large = sorted(
        (label for label in sizes if sizes[label] >= k), key=lambda one: (sizes[one], one)
    )
    if small and sum(sizes[label] for label in small) < k:
        small += large[:1]
        large = large[1:]
    return dict.fromkeys(small, 0) | {label: n for n, label in enumerate(large, start=1)}


def chi_square_tail(observed: Sequence[int], expected: Sequence[float]) -> float:
    """How likely counts are at least so far from what is expected, by chance alone.

    Pearson's statistic, and the closed form of the upper incomplete gamma function.
    """
    half = sum((o - e) ** 2 / e for o, e in zip(observed, expected, strict=True)) / 2
    degrees = len(observed) - 1
    if degrees % 2 == 0:
        series = math.fsum(half**n / math.factorial(n) for n in range(degrees // 2))
        return math.exp(-half) * series
    terms = (half ** (n - 0.5) / math.gamma(n + 0.5) for n in range(1, (degrees + 1) // 2))
    return math.erfc(math.sqrt(half)) + math.exp(-half) * math.fsum(terms)
