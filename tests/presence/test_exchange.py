"""Bounds by exchanges of two rows: beside all subsets, beside counts, and by hand."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from fractions import Fraction
from typing import Any

from sqlanon.presence.counting import certainly_within, decisions
from sqlanon.presence.decisions import Limits, Value
from tests.presence.subsets import outcomes

Values = tuple[tuple[int, int], ...]
Table = tuple[list[tuple[Values, int]], Counter[Value]]
"""Cells with their candidates, and the rows of each value: (column, value)."""

BOUNDS_ONLY = Limits(states=0, exchanges=0, nodes=0, probes=0, steps=0)


def table(seed: int) -> Table:
    """Two or three columns of two values; a share of the candidates of each cell are rows."""
    drawn = random.Random(seed)
    mixes = itertools.product(*[range(2)] * drawn.choice([2, 2, 3]))
    cells: list[tuple[Values, int]] = [
        (tuple(enumerate(mix)), drawn.randint(1, 4)) for mix in mixes if drawn.random() < 0.85
    ]
    share = drawn.choice([0.1, 0.3, 0.6])
    counts: Counter[Value] = Counter()
    for values, persons in cells:
        rows = sum(drawn.random() < share for _ in range(persons))
        counts.update(dict.fromkeys(values, rows))
    return cells, counts


def by_subsets(cells: list[tuple[Values, int]], counts: Counter[Any]) -> list[Fraction]:
    """Of each cell, the mean share of its candidates over all subsets with these counts."""
    places = [cell for cell, (_, number) in enumerate(cells) for _ in range(number)]
    persons = [[value for _, value in cells[cell][0]] for cell in places]
    marginals = [
        Counter({value: n for (column, value), n in counts.items() if n and column == place})
        for place in range(len(persons[0]))
    ]
    found = outcomes(persons, marginals)
    members = Counter(places[number] for chosen in found for number in chosen)
    return [Fraction(members[c], len(found) * number) for c, (_, number) in enumerate(cells)]


def test_bounds_hold_for_all_subsets() -> None:
    tried = tighter = 0
    for cells, counts in map(table, range(600)):
        if len(cells) < 2 or sum(persons for _, persons in cells) > 15:
            continue
        tried += 1
        expected = by_subsets(cells, counts)
        found = decisions(cells, counts, limits=BOUNDS_ONLY)
        for probability, decision in zip(expected, found, strict=True):
            assert decision.lower <= probability <= decision.upper
            assert not decision.below_one or probability < 1
            assert not decision.above_zero or probability > 0
        within = certainly_within(cells, counts, Fraction(1, 4), Fraction(3, 4), 100_000)
        assert within == all(Fraction(1, 4) <= p <= Fraction(3, 4) for p in expected)
        if certainly_within(cells, counts, Fraction(1, 4), Fraction(3, 4), 0):
            assert within, "bounds alone prove nothing that a count refutes"
        tighter += any(0 < d.lower < d.upper or d.lower < d.upper < 1 for d in found)
    assert tried > 300
    assert tighter > 100


def test_a_bound_by_hand() -> None:
    """Somebody is alone in her cell; her neighbors are many.

    In the table are 10 rows with 0, 12 with 9 in the first column; 10 with 1, 12 with 2 in the
    second. Of the 100 like her but for the first column at most 10 are in, so 90 can take her
    place. Of the 12 rows with 9 two at least have a 2; each can change to one of the 99, of whom 89
    at least are not in. The other way, at most 10 rows change to one of 100. So the odds that she
    is in are at most 10/90 * 100/89 * 10/2, and the same by the second column.
    """
    cells: list[tuple[Values, int]] = [
        (((0, 0), (1, 1)), 1),
        (((0, 0), (1, 2)), 99),
        (((0, 9), (1, 1)), 100),
        (((0, 9), (1, 2)), 100),
    ]
    counts: Counter[Value] = Counter({(0, 0): 10, (0, 9): 12, (1, 1): 10, (1, 2): 12})
    bound = decisions(cells, counts, limits=BOUNDS_ONLY)[0]
    odds = Fraction(10, 90) * Fraction(100, 89) * Fraction(10, 2)
    assert bound.upper == odds / (1 + odds)
    exact = decisions(cells, counts)[0]
    assert exact.is_exact
    assert exact.upper < bound.upper < Fraction(1, 2)
    # with 10 rows each, all with 9 may have a 1, who have nobody to change to: nothing follows
    ten: dict[Value, int] = dict.fromkeys(counts, 10)
    assert decisions(cells, ten, limits=BOUNDS_ONLY)[0].upper == 1
