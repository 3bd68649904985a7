"""Who is in a class with tight labels: every set of persons that would have these labels counts.

A tight label says of several sets of persons, its *ends*, that somebody of each is in the class:
those with the lowest value of an interval, those with the highest, those with a value of a set,
and, below a label of a hierarchy, those outside of each child. All sets of as many persons as the
class has rows that meet every end are equally likely. By inclusion and exclusion over the ends,
their number is the sum over all sets J of ends of (-1)^|J| C(N(J), n), with N(J) persons at no end
of J.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import comb

MOST_ENDS = 14
"""Ends of a class whose sets of persons are counted, in a few hundredths of a second."""


@dataclass(frozen=True)
class Presence:
    """What tight labels disclose about the persons of a class.

    Attributes:
        certainty: the highest probability of a person.
        certain: persons who are in every set.
    """

    certainty: Fraction
    certain: int


def ends_of(profile: str) -> tuple[dict[frozenset[str], int], int]:
    """The number of persons by the ends that they meet, and the number of ends that nobody meets.

    Args:
        profile: cells as `TOKEN+TOKENxPERSONS`, separated by commas. A token `e1` is an end that
            the persons meet; `c2.1` the child, 1, of label 2 that they are below: somebody else is
            outside of it.
    """
    cells: Counter[frozenset[str]] = Counter()
    for cell in filter(None, profile.split(",")):
        listed, _, count = cell.rpartition("x")
        cells[frozenset(filter(None, listed.split("+")))] += int(count)
    children = {token for tokens in cells for token in tokens if token.startswith("c")}
    met: Counter[frozenset[str]] = Counter()
    for tokens, persons in cells.items():
        met[(tokens - children) | {f"not {child}" for child in children - tokens}] += persons
    empty = sum(all(child in tokens for tokens in cells) for child in children)
    return dict(met), empty


def _members(cells: Mapping[frozenset[str], int]) -> Counter[str]:
    """The persons who meet each end."""
    members: Counter[str] = Counter()
    for at, persons in cells.items():
        members.update(dict.fromkeys(at, persons))
    return members


def bound_of_class(cells: Mapping[frozenset[str], int], size: int) -> Presence:
    """What each end on its own says of the persons of a class: a lower bound of what is known.

    Args:
        cells, size: as in `presence_of_class`.
    """
    persons, members = sum(cells.values()), _members(cells)
    if persons <= size:
        return Presence(Fraction(1), size)
    alone = sum(n == 1 and any(members[end] == 1 for end in at) for at, n in cells.items())
    fewest = min(members.values(), default=persons)
    return Presence(max(Fraction(size, persons), Fraction(1, fewest)), alone)


def presence_of_class(cells: Mapping[frozenset[str], int], size: int) -> Presence | int:
    """What is known of the persons of a class, exactly; or the number of ends, if it is too large.

    Args:
        cells: persons of the population in the class, by the ends that they meet.
        size: rows of the class, n.

    Raises:
        ValueError: no set of persons meets all ends.
    """
    persons = sum(cells.values())
    members = _members(cells)
    # any n persons meet an end that fewer than n do not meet
    needed = sorted(end for end, count in members.items() if persons - count >= size)
    at_end = {end: frozenset(at for at in cells if end in at) for end in needed}
    # whoever meets an end meets all ends that contain it
    different = {at_end[end]: end for end in needed}
    least = [end for at, end in different.items() if not any(other < at for other in different)]
    if len(least) > MOST_ENDS:
        return len(least)
    bits = {end: 1 << place for place, end in enumerate(least)}
    masks: Counter[int] = Counter()
    for at, count in cells.items():
        masks[sum(bits[end] for end in at if end in bits)] += count
    every = (1 << len(least)) - 1
    below = [masks.get(mask, 0) for mask in range(every + 1)]
    _sum_subsets(below)
    without = [below[every ^ mask] for mask in range(every + 1)]
    signs = [-1 if mask.bit_count() % 2 else 1 for mask in range(every + 1)]
    ways = sum(sign * comb(n, size) for sign, n in zip(signs, without, strict=True))
    if not ways:
        raise ValueError("no set of persons has these labels")
    with_one = [
        sign * comb(n - 1, size - 1) if n else 0 for sign, n in zip(signs, without, strict=True)
    ]
    _sum_subsets(with_one)
    chances = {mask: Fraction(with_one[every ^ mask], ways) for mask in masks}
    certain = sum(masks[mask] for mask, chance in chances.items() if chance == 1)
    return Presence(max(chances.values()), certain)


def _sum_subsets(values: list[int]) -> None:
    """Replace the value of each set (a number of bits) by the sum of those of its subsets."""
    bit = 1
    while bit < len(values):
        for mask in range(len(values)):
            if mask & bit:
                values[mask] += values[mask ^ bit]
        bit <<= 1
