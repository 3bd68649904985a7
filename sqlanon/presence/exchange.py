"""Certain bounds of probabilities, by exchanges of two rows: for components too large to count.

An exchange takes two candidates out of an outcome and puts two others in, so that the count of
every value stays. Let t be a candidate with value x in one column, and u a candidate who differs
from t in that column alone, with value y. If t is in the outcome and u is not, they change places;
to keep the counts, a candidate with y who is in changes places with one who has x instead, and is
otherwise alike. Each exchange leads from an outcome with t to one without, and back.

Every outcome with t has at least so many exchanges, because it has a fixed number of rows with y,
and cells with more candidates than rows have candidates who are not in. Every outcome without t has
at most so many. The outcomes with t are therefore at most that ratio times those without: a bound
of the odds that holds for all of them, and needs no count. It is a bound only; small cells have
none. Source: counting the edges between two sets from both sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from sqlanon.presence.propagation import Cells


def within_by_exchange(part: Cells, dmin: Fraction, dmax: Fraction) -> bool:
    """Whether bounds prove that every candidate has a probability from dmin to dmax.

    Args:
        part: a component, or any problem, after propagation.
    """
    most, least = Exchanges(part), Exchanges(complement(part))
    return all(
        (Fraction(part.high[cell], persons) <= dmax or most.upper(cell) <= dmax)
        and (Fraction(part.low[cell], persons) >= dmin or 1 - least.upper(cell) >= dmin)
        for cell, persons in enumerate(part.persons)
    )


def probability_bounds(part: Cells) -> list[tuple[Fraction, Fraction]]:
    """For each cell, the probability of its candidates, at least and at most."""
    most, least = Exchanges(part), Exchanges(complement(part))
    return [(1 - least.upper(cell), most.upper(cell)) for cell in range(len(part.values))]


def complement(part: Cells) -> Cells:
    """The same candidates, of whom those are counted who are not in the table."""
    return Cells(
        part.values,
        part.persons,
        [n - high for n, high in zip(part.persons, part.high, strict=True)],
        [n - low for n, low in zip(part.persons, part.low, strict=True)],
        [
            sum(part.persons[cell] for cell in members) - need
            for members, need in zip(part.cells, part.need, strict=True)
        ],
        part.cells,
    )


class Exchanges:
    """Upper bounds of the probabilities of a problem's candidates."""

    def __init__(self, part: Cells) -> None:
        self.part = part
        self._place = {values: cell for cell, values in enumerate(part.values)}
        self._columns: list[list[int]] = [
            sorted(set(column)) for column in zip(*part.values, strict=True)
        ]
        self._factors: dict[tuple[int, int], Fraction | None] = {}

    def upper(self, cell: int) -> Fraction:
        """The probability of a cell's candidates, at most: from 0 to 1."""
        part = self.part
        upper = Fraction(part.high[cell], part.persons[cell])
        for odds in self._odds(cell):
            upper = min(upper, odds / (1 + odds))
        return upper

    def _odds(self, cell: int) -> Iterator[Fraction]:
        """Upper bounds of the odds, one for each way to exchange.

        If c is the cell of t and d that of u, of d's a candidates at most h are in the table. So
        a share of at least (a - h) / a of the candidates u are not in an outcome with t, and of at
        most h / a are in an outcome without t.
        """
        part = self.part
        for column, values in enumerate(self._columns):
            for other in self._twins(cell, column, values):
                spare = part.persons[other] - part.high[other]
                if spare > 0:
                    pair = part.values[cell][column], part.values[other][column]
                    factor = self._factor(column, *pair)
                    if factor is not None:
                        yield Fraction(part.high[other], spare) * factor

    def _twins(self, cell: int, column: int, values: Iterable[int]) -> Iterator[int]:
        """The cells that differ from this one in one column alone."""
        mix = self.part.values[cell]
        for value in values:
            other = self._place.get((*mix[:column], value, *mix[column + 1 :]))
            if other is not None and other != cell:
                yield other

    def _factor(self, column: int, x: int, y: int) -> Fraction | None:
        """Rows with x that can change to y, against rows with y that can change to x; None: none.

        A rail is a cell e with y whose twin f with x has more candidates than rows. An exchange of
        a rail weighs 1 / (candidates of f, less its rows at most). Then a row in e has a weight of
        1 at least, and a row in f one of `ratio` = candidates of e / the same, at most. Rails
        with a large ratio are left out where that lowers the bound: rows may then all be there.
        """
        if (x, y) not in self._factors:
            self._factors[x, y] = self._least_factor(column, x, y)
        return self._factors[x, y]

    def _least_factor(self, column: int, x: int, y: int) -> Fraction | None:
        part = self.part
        rails = []
        for cell in part.cells[y]:
            for twin in self._twins(cell, column, (x,)):
                spare = part.persons[twin] - part.high[twin]
                if spare > 0:
                    ratio = Fraction(part.persons[cell], spare)
                    rails.append((ratio, part.high[cell], part.high[twin]))
        least: Fraction | None = None
        rows_of_others = sum(part.high[cell] for cell in part.cells[y])
        rows_with_x = 0
        for ratio, rows, twin_rows in sorted(rails):
            rows_of_others -= rows
            rows_with_x += twin_rows
            rows_with_y = part.need[y] - rows_of_others
            if rows_with_y > 0:
                factor = ratio * Fraction(min(part.need[x], rows_with_x), rows_with_y)
                least = factor if least is None else min(least, factor)
        return least
