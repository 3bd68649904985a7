"""Mondrian: cut the table into regions, each with its own labels."""

from __future__ import annotations

from typing import ClassVar, Literal

from sqlanon.methods.partition import MultidimensionalMethod, RelaxableMethod


class Mondrian(RelaxableMethod, MultidimensionalMethod):
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
