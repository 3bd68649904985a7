"""MPALM: Mondrian over a population, for δ-presence."""

from __future__ import annotations

from typing import ClassVar, Literal

from sqlanon.methods.partition import MultidimensionalMethod
from sqlanon.search.partition import Cutting


class Mpalm(MultidimensionalMethod):
    """Mondrian over the population: widths and quantiles count its rows, not those of the table.

    It is made for δ-presence (if dmin is 0, a side without rows of the table is allowable), and
    holds every other promise, too.
    """

    guarantee: ClassVar[str] = "holds the promise in every region; no allowable cut is left"
    source: ClassVar[str] = "Nergiz, Atzori and Clifton 2007, Hiding the presence of individuals"
    name: Literal["mpalm"] = "mpalm"

    @property
    def cutting(self) -> Cutting:
        return Cutting(self.cut, by_population=True)
