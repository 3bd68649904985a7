"""Who is in a table of which only the counts of single values are known: exact counting.

Candidates with the same values form a cell. An outcome is a set of candidates that has the
published count of every value; all outcomes are equally likely. What is asked of each cell is the
mean share of its candidates over all outcomes: the probability that one of them is in the table.

Each step works on what the one before left open: bounds that follow from single values
(`propagation`); a count of all outcomes, component by component (`enumeration`); above the limit of
states, certain bounds (`exchange`), outcomes and refutations that decide who is surely in and who
is surely out, and a random walk that estimates the rest (`bounds`) and proves nothing. All integers
are exact.
Source: the Copenhagen thesis on permuted tables and δ-presence, Algorithm 5, which goes through all
subsets; states are counted here instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from sqlanon.presence.bounds import Bounds
from sqlanon.presence.decisions import DEFAULT_LIMITS, Decision, Limits, Value, exact
from sqlanon.presence.enumeration import counted
from sqlanon.presence.exchange import within_by_exchange
from sqlanon.presence.propagation import Cells


def decisions(
    cells: Sequence[tuple[Sequence[Value], int]],
    counts: Mapping[Value, int],
    *,
    known: Sequence[int] | None = None,
    within: Sequence[tuple[int, int]] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> list[Decision]:
    """What is known of the candidates of each cell.

    Args:
        cells: the cell's value in each column group, all cells differing, and its candidates.
        counts: published rows of each value.
        known: an outcome, if the caller has one: how many candidates of each cell are in it. It
            lends certainty that other outcomes exist, and never enters a probability.
        within: bounds of each cell's candidates in an outcome, if some are proven already.
        limits: what a component may cost.

    Returns:
        one decision per cell, in their order.

    Raises:
        NoOutcomeError: no outcome exists, or the known one is none.
    """
    problem = Cells.of(cells, counts)
    if within:
        problem.low, problem.high = (list(ends) for ends in zip(*within, strict=True))
    if known is not None:
        problem.check(known)
    problem.propagate(range(len(problem.need)))
    found: list[Decision | None] = [None] * len(cells)
    for cell, (low, high) in enumerate(zip(problem.low, problem.high, strict=True)):
        if low == high:
            found[cell] = exact("propagation", Fraction(low, problem.persons[cell]))
    uncounted = []
    for members in problem.components():
        part = problem.part(members)
        means = counted(part, limits.states)
        if means is None:
            uncounted.append((members, part))
            continue
        for cell, mean in zip(members, means, strict=True):
            found[cell] = exact("counting", mean)
    shared = limits.shared(len(uncounted))
    for number, (members, part) in enumerate(uncounted):
        start = None if known is None else [known[cell] for cell in members]
        decided = Bounds(part, start, shared, number).decide()
        for cell, decision in zip(members, decided, strict=True):
            found[cell] = decision
    return [decision for decision in found if decision is not None]


def certainly_within(
    cells: Sequence[tuple[Sequence[Value], int]],
    counts: Mapping[Value, int],
    dmin: Fraction,
    dmax: Fraction,
    states: int,
) -> bool:
    """Whether every candidate is certain to have a probability from dmin to dmax.

    Cheap proofs and refutations come first, counts last.

    Args:
        states: of the exact count of a component; one that needs more proves nothing.
    """
    problem = Cells.of(cells, counts)
    problem.propagate(range(len(problem.need)))
    for low, high, persons in zip(problem.low, problem.high, problem.persons, strict=True):
        if low == high and not dmin <= Fraction(low, persons) <= dmax:
            return False
    parts = [problem.part(members) for members in problem.components()]
    left = [part for part in parts if not within_by_exchange(part, dmin, dmax)]
    for part in sorted(left, key=lambda part: len(part.values)):
        means = counted(part, states)
        if means is None or not all(dmin <= mean <= dmax for mean in means):
            return False
    return True


def bounds(
    cells: Sequence[tuple[Sequence[Value], int]], counts: Mapping[Value, int]
) -> list[tuple[int, int]]:
    """How many candidates of each cell are in every outcome at least, and in any at most.

    The forced propagation alone: sound, not complete.
    """
    problem = Cells.of(cells, counts)
    problem.propagate(range(len(problem.need)))
    return list(zip(problem.low, problem.high, strict=True))
