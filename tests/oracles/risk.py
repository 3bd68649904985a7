"""The figures of a risk by their definitions: brute force, and plain sums for closed forms."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction

Row = Sequence[Hashable]


def size_counts(rows: Sequence[Row]) -> dict[int, int]:
    """The number of classes of each size."""
    return dict(Counter(Counter(map(tuple, rows)).values()))


def minimal_sets(rows: Sequence[Row], largest: int) -> list[list[tuple[int, ...]]]:
    """For each row the sets of columns on which it is alone, and on no subset of them."""
    columns = range(len(rows[0]))
    found: list[list[tuple[int, ...]]] = [[] for _ in rows]
    for size in range(1, largest + 1):
        for members in itertools.combinations(columns, size):
            counts = Counter(tuple(row[c] for c in members) for row in rows)
            for row, minimal in zip(rows, found, strict=True):
                is_alone = counts[tuple(row[c] for c in members)] == 1
                if is_alone and not any(set(each) <= set(members) for each in minimal):
                    minimal.append(members)
    return found


def suda_scores(rows: Sequence[Row], largest: int) -> list[int]:
    """The SUDA score of each row."""
    count = len(rows[0])
    return [
        sum(math.factorial(count - len(members)) for members in sets)
        for sets in minimal_sets(rows, largest)
    ]


def contributions(rows: Sequence[Row], largest: int) -> list[Fraction]:
    """The share of the scores that comes from sets with each column."""
    count = len(rows[0])
    sets = [each for found in minimal_sets(rows, largest) for each in found]
    scores = [math.factorial(count - len(each)) for each in sets]
    return [
        Fraction(sum(s for s, each in zip(scores, sets, strict=True) if c in each), sum(scores))
        for c in range(count)
    ]


def individual_risk(size: int, weight: float) -> float:
    """Expected 1 / F, where F >= size is negative binomial with p = size / weight: term by term."""
    p = size / weight
    total, chance, population = 0.0, p**size, size
    while chance / population > 1e-18 or population < 2 * weight:
        total += chance / population
        chance *= (1 - p) * population / (population - size + 1)
        population += 1
    return total


def unique_chance(sizes: Mapping[int, int], population: int) -> Fraction:
    """P(population unique | sample unique) by Zayatz, with exact binomials."""
    rows = sum(size * count for size, count in sizes.items())

    def once(size: int) -> Fraction:
        others = math.comb(population - size, rows - 1) if population - size >= rows - 1 else 0
        return Fraction(size * others, math.comb(population, rows))

    drawn = sum(count * once(size) for size, count in sizes.items())
    return sizes.get(1, 0) * once(1) / drawn


def pitman_slopes(sizes: Mapping[int, int], theta: float, alpha: float) -> tuple[float, float]:
    """The derivatives of the likelihood of Pitman's model by theta and by alpha, as plain sums."""
    classes = sum(sizes.values())
    rows = sum(size * count for size, count in sizes.items())
    seen = [theta + i * alpha for i in range(1, classes)]
    by_theta = math.fsum(1 / s for s in seen) - math.fsum(1 / (theta + i) for i in range(1, rows))
    by_alpha = math.fsum(i / s for i, s in enumerate(seen, start=1)) - math.fsum(
        count / (j - alpha) for size, count in sizes.items() for j in range(1, size)
    )
    return by_theta, by_alpha


# --- populations of the models


def pitman_population(theta: float, alpha: float, persons: int, seed: int) -> list[int]:
    """Cell sizes of a population of Pitman's model, person by person."""
    rng = random.Random(seed)
    cells: list[int] = []
    sizes: list[int] = []
    for person in range(persons):
        if rng.random() * (theta + person) < theta + alpha * len(sizes):
            cells.append(len(sizes))
            sizes.append(1)
            continue
        cell = cells[rng.randrange(person)]
        if alpha < 0 and rng.random() * (person - alpha * len(sizes)) >= person:
            cell = rng.randrange(len(sizes))
        while rng.random() * sizes[cell] > sizes[cell] - alpha:
            cell = cells[rng.randrange(person)]
        cells.append(cell)
        sizes[cell] += 1
    return sizes


def drawn(cells: Sequence[int], share: float, seed: int) -> dict[int, int]:
    """The number of classes of each size in a sample of the persons without replacement."""
    persons = [cell for cell, size in enumerate(cells) for _ in range(size)]
    sample = random.Random(seed).sample(persons, round(share * len(persons)))
    return dict(Counter(Counter(sample).values()))
