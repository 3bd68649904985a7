"""Mondrian: cut the table into regions, each with its own labels."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from sqlanon.methods.partition import MultidimensionalMethod
from sqlanon.search.partition import Cutting


class Mondrian(MultidimensionalMethod):
    """Multidimensional generalization: cut regions in two, or into the children of a label.

    Every open region is cut along its widest attribute, or the next widest if no cut is allowable;
    a cut is allowable if every promise holds on every side. All open regions are cut in one pass
    of the database.
    """

    guarantee: ClassVar[str] = "holds the promise in every region; no allowable cut is left"
    source: ClassVar[str] = (
        "LeFevre, DeWitt and Ramakrishnan 2006, Mondrian multidimensional k-anonymity"
    )
    name: Literal["mondrian"] = "mondrian"
    partitioning: Literal["strict", "relaxed"] = Field(
        "strict",
        description="strict: regions do not overlap; relaxed: rows with the value of the cut are"
        " dealt to both sides to make them even",
    )

    @property
    def is_seeded(self) -> bool:
        return self.partitioning == "relaxed"

    @property
    def cutting(self) -> Cutting:
        return Cutting(self.cut, relaxed=self.is_seeded)
