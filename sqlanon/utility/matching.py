"""Matching buckets: whether tuples of a table can be distinguished from others.

A sliced bucket is composed of all combinations of its parts. Those that are in the source are its
original tuples, all others are fake. Who is in the table is hidden if fakes are many, and match as
many buckets as originals. Only the custodian can measure this, because it takes the source.
Source: Li, Li, Zhang and Molloy, IEEE TKDE 24(3), 2012, membership disclosure protection.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from statistics import NormalDist
from typing import Any

from sqlanon.sql.render import question, templated
from sqlanon.sql.step import Rows, Search

MOST_COMPOSED = 2_000_000
"""Pairs of a bucket and a tuple that are listed to count exactly; above it, tuples are sampled."""

SAMPLES = 20_000
"""Pairs, and original tuples, that are drawn, always the same ones for the same buckets."""

UNSURE = 0.01
"""Probability that the interval of a sample does not contain the number, at most."""


@dataclass(frozen=True)
class Tuples:
    """Tuples, and the buckets that they match.

    Attributes:
        count: number of tuples; of a sample, an estimate.
        low, high: bounds of this number; of a sample, with a confidence of 99 %.
        pairs: pairs of a tuple and a bucket that it matches; of a sample of tuples, an estimate.
        few, many: bounds of the number of pairs; of a sample, with a confidence of 99 %.
        most: largest number of buckets of a tuple; None if there is no tuple, or it is not known.
    """

    count: int
    low: int
    high: int
    pairs: int
    most: int | None
    few: int
    many: int

    @property
    def mean(self) -> float | None:
        """Mean number of buckets that a tuple matches; None if there is no tuple."""
        return _per_tuple(self.pairs, self.count)


def matching(
    groups: Sequence[Sequence[str]], combination: str, *, overlapping: bool
) -> Search[dict[str, float | None]]:
    """How many tuples are original or fake, and how many buckets they match.

    If buckets do not overlap, every tuple matches one bucket, and sums of products count all.
    Otherwise, tuples are listed, or, if there are too many, originals and fakes are sampled.
    """
    count = len(groups)
    parts = [list(group) for group in groups]
    yield templated("slicing/row_parts", parts=parts, combination=combination)
    yield templated("slicing/bucket_parts", part_count=count)
    counts = yield question("slicing/part_counts", part_count=count)
    sizes = [[int(number) for number in row[:-1]] for row in counts]
    composed = sum(math.prod(of) for of in sizes)
    if overlapping and composed <= MOST_COMPOSED:
        listed = yield question("slicing/composed_matches", part_count=count)
        originals, fakes = (
            _counted([row[1:] for row in listed if row[0] == kind]) for kind in (True, False)
        )
    else:
        ((tuples,),) = yield question("slicing/original_tuples", part_count=count)
        if overlapping:
            ranked = yield question("slicing/group_order")
            order = [group for (group,) in ranked]
            inputs = {"part_count": count, "order": order, "samples": SAMPLES}
            sampled = yield question("slicing/original_matches", **inputs)
            originals = sampled_originals(sampled, tuples)
        else:
            originals = _counted([(1, tuples)])
        if count == 1:
            fakes = _counted([])
        elif overlapping:
            found = yield question("slicing/listed_parts")
            fakes = sampled_fakes(found, originals)
        else:
            fakes = _counted([(1, composed - tuples)])
    return {
        "original_tuples": originals.count,
        "original_buckets": originals.mean,
        "original_buckets_low": _per_tuple(originals.few, originals.count),
        "original_buckets_high": _per_tuple(originals.many, originals.count),
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
    most = max((buckets for buckets, _ in found), default=None)
    return Tuples(count, count, count, pairs, most, pairs, pairs)


def _per_tuple(pairs: int, count: int) -> float | None:
    """The mean number of buckets that tuples match; None if there is no tuple."""
    return float(Fraction(pairs, count)) if count else None


def sampled_originals(rows: Rows, tuples: int) -> Tuples:
    """The pairs of all original tuples, estimated by those of some.

    The interval is that of a normal distribution, with the correction for a finite number.


    Source: Cochran 1977, Sampling Techniques, section 2.8.
    """
    drawn = _counted(rows)
    if drawn.count == tuples:
        return drawn
    mean = Fraction(drawn.pairs, drawn.count)
    squares = sum((int(n) * (int(buckets) - mean) ** 2 for buckets, n in rows), Fraction())
    variance = squares / (drawn.count - 1) * (1 - Fraction(drawn.count, tuples))
    normal = NormalDist().inv_cdf(1 - UNSURE / 2)
    spread = Fraction(normal * math.sqrt(variance / drawn.count))
    few, pairs, many = (
        max(tuples, round(tuples * of)) for of in (mean - spread, mean, mean + spread)
    )
    return Tuples(tuples, tuples, tuples, pairs, None, few, many)


def sampled_fakes(
    parts: Sequence[Sequence[int]], originals: Tuples, samples: int = SAMPLES
) -> Tuples:
    """An estimate of the fake tuples, from pairs of a bucket and one of its tuples.

    Each of all N pairs is drawn with the same probability. A tuple that matches M buckets is in M
    pairs, so the mean of 1 / M over all pairs is the number of different tuples / N. The number of
    pairs is known, so the mean number of buckets follows from the number of fakes.


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
    drawn = []
    for _ in range(samples):
        bucket = buckets[bisect_right(ends, draw.randrange(ends[-1]))]
        drawn.append([draw.choice(of) for of in inside[bucket].values()])
    mean, spread = _bounded([1 / number for number in _matching_buckets(drawn, having)])
    pairs = ends[-1]
    low, count, high = (
        max(0, round(pairs * Fraction(min(1.0, max(0.0, share)))) - originals.count)
        for share in (mean - spread, mean, mean + spread)
    )
    # no original is in these pairs, and every fake is in at least one
    few, left, many = (pairs - of for of in (originals.many, originals.pairs, originals.few))
    count, low, high = (min(of, many) for of in (count, low, high))
    return Tuples(count, low, high, max(left, count), None, few, many)


def _matching_buckets(
    tuples: Sequence[Sequence[int]], having: Mapping[tuple[int, int], set[int]]
) -> list[int]:
    """The number of buckets that each tuple matches.

    Tuples are sorted, so that what several have in common at their beginning is looked up once.
    """
    sizes: Counter[int] = Counter()
    parts: Counter[int] = Counter()
    for (group, _), buckets in having.items():
        sizes[group] += len(buckets)
        parts[group] += 1
    order = sorted(sizes, key=lambda group: sizes[group] / parts[group])
    keys = [tuple((group, of[group - 1]) for group in order) for of in tuples]
    found = [0] * len(keys)
    path: list[tuple[tuple[int, int], set[int]]] = []
    for place in sorted(range(len(keys)), key=keys.__getitem__):
        same = 0
        while same < len(path) and path[same][0] == keys[place][same]:
            same += 1
        del path[same:]
        for key in keys[place][same:]:
            path.append((key, path[-1][1] & having[key] if path else having[key]))
        found[place] = len(path[-1][1])
    return found


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
