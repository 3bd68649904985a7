"""Matching buckets: whether tuples that a table has can be told from tuples that it has not.

A sliced bucket is composed of all combinations of its parts. Those that are in the source are its
original tuples, all others are fake. Who is in the table is hidden if fakes are many, and match as
many buckets as originals. Only the custodian can measure this, because it takes the source.
Source: Li, Li, Zhang and Molloy, IEEE TKDE 24(3), 2012, membership disclosure protection.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

from sqlanon.sql.render import render
from sqlanon.sql.step import Rows, Search, Step

MOST_COMPOSED = 2_000_000
"""Pairs of a bucket and a tuple that are listed to count exactly; above it, tuples are sampled."""

SAMPLES = 20_000
"""Pairs that are drawn, always the same ones for the same buckets."""

UNSURE = 0.01
"""Probability that the interval of a sample does not contain the number, at most."""


@dataclass(frozen=True)
class Tuples:
    """Tuples, and the buckets that they match.

    Attributes:
        count: number of tuples; of a sample, an estimate.
        low, high: bounds of this number; of a sample, with a confidence of 99 %.
        pairs: pairs of a tuple and a bucket that it matches.
        most: largest number of buckets of a tuple; None if there is no tuple, or it is not known.
    """

    count: int
    low: int
    high: int
    pairs: int
    most: int | None

    @property
    def mean(self) -> float | None:
        """Mean number of buckets that a tuple matches; None if there is no tuple."""
        return float(Fraction(self.pairs, self.count)) if self.count else None


def matching(
    groups: Sequence[Sequence[str]], combination: str, *, overlapping: bool
) -> Search[dict[str, float | None]]:
    """How many tuples are original or fake, and how many buckets they match.

    If buckets do not overlap, every tuple matches one bucket, and sums of products count all.
    Otherwise, tuples are listed, or sampled if there are too many.

    Args:
        groups: the quasi-identifiers that stay together, by column group.
        combination: the column of `row_combinations` with the number of a distinct row.
        overlapping: whether buckets may share values of every quasi-identifier.

    Returns:
        fields of `utility` in the manifest.
    """
    count = len(groups)
    parts = [list(group) for group in groups]
    sql = render("slicing/row_parts.sql", parts=parts, combination=combination)
    yield Step("row_parts", sql)
    yield Step("bucket_parts", render("slicing/bucket_parts.sql", part_count=count))
    sql = render("slicing/part_counts.sql", part_count=count)
    counts = yield Step("part_counts", sql, "rows")
    sizes = [[int(number) for number in row[:-1]] for row in counts]
    if overlapping:
        ranked = yield Step("group_order", render("slicing/group_order.sql"), "rows")
        order = [group for (group,) in ranked]
        sql = render("slicing/original_matches.sql", part_count=count, order=order)
        originals = _counted((yield Step("original_matches", sql, "rows")))
    else:
        sql = render("slicing/original_tuples.sql", part_count=count)
        ((tuples,),) = yield Step("original_tuples", sql, "rows")
        originals = _counted([(1, tuples)])
    composed = sum(math.prod(of) for of in sizes)
    if count == 1:
        fakes = _counted([])
    elif not overlapping:
        fakes = _counted([(1, composed - originals.count)])
    elif composed <= MOST_COMPOSED:
        sql = render("slicing/fake_matches.sql", part_count=count)
        fakes = _counted((yield Step("fake_matches", sql, "rows")))
    else:
        found = yield Step("listed_parts", render("slicing/listed_parts.sql"), "rows")
        fakes = sampled_fakes(found, originals)
    return {
        "original_tuples": originals.count,
        "original_buckets": originals.mean,
        "most_original_buckets": originals.most,
        "fake_tuples": fakes.count,
        "fake_tuples_low": fakes.low,
        "fake_tuples_high": fakes.high,
        "fake_buckets": fakes.mean,
        "most_fake_buckets": fakes.most,
    }


def _counted(rows: Rows) -> Tuples:
    """Tuples that were counted, by the number of buckets that they match."""
    found = [(int(buckets), int(tuples)) for buckets, tuples in rows if tuples]
    count = sum(tuples for _, tuples in found)
    pairs = sum(buckets * tuples for buckets, tuples in found)
    return Tuples(count, count, count, pairs, max((buckets for buckets, _ in found), default=None))


def sampled_fakes(
    parts: Sequence[Sequence[int]], originals: Tuples, samples: int = SAMPLES
) -> Tuples:
    """An estimate of the fake tuples, from pairs of a bucket and one of its tuples.

    Each of all N pairs is drawn with the same probability. A tuple that matches M buckets is in M
    pairs, so the mean of 1 / M over all pairs is the number of different tuples / N. The number of
    pairs is exact, so the mean number of buckets follows from the number of fakes.

    Args:
        parts: bucket, column group and part; every bucket has parts of all groups.
        originals: the tuples of the source, counted exactly; all of them match a bucket.
        samples: number of pairs, at least 2.

    Source: Karp and Luby 1983, Monte-Carlo algorithms for enumeration; the interval by Maurer and
    Pontil 2009, empirical Bernstein bounds.
    """
    inside: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    having: dict[tuple[int, int], set[int]] = defaultdict(set)
    for bucket, group, part in parts:
        inside[bucket][group].append(part)
        having[group, part].add(bucket)
    buckets = sorted(inside)
    ends = list(accumulate(math.prod(map(len, inside[b].values())) for b in buckets))
    draw = random.Random(0)
    shares = []
    for _ in range(samples):
        bucket = buckets[bisect_right(ends, draw.randrange(ends[-1]))]
        chosen = [having[group, draw.choice(of)] for group, of in inside[bucket].items()]
        shares.append(1 / len(set.intersection(*sorted(chosen, key=len))))
    mean, spread = _bounded(shares)
    pairs = ends[-1]
    low, count, high = (
        max(0, round(pairs * Fraction(min(1.0, max(0.0, share)))) - originals.count)
        for share in (mean - spread, mean, mean + spread)
    )
    left = pairs - originals.pairs  # exact: every fake is in at least one of these pairs
    return Tuples(min(count, left), min(low, left), min(high, left), left, None)


def _bounded(values: Sequence[float]) -> tuple[float, float]:
    """The mean of values from 0 to 1, and how far it may be from that of all, at most."""
    count = len(values)
    mean = sum(values) / count
    variance = sum((value - mean) ** 2 for value in values) / (count - 1)
    logarithm = math.log(4 / UNSURE)
    spread = math.sqrt(2 * variance * logarithm / count) + 7 * logarithm / (3 * (count - 1))
    return mean, spread


def column_groups_of(
    groups: Sequence[Sequence[str]], quasi_identifiers: Mapping[str, Any]
) -> list[list[str]]:
    """The quasi-identifiers of each column group; groups without any are left out."""
    found = [[name for name in group if name in quasi_identifiers] for group in groups]
    return [group for group in found if group]
