"""k-Mondrian: the smallest k whose Mondrian partition as a whole holds all promises."""

from __future__ import annotations

from typing import ClassVar, Literal

from sqlanon.methods.partition import MultidimensionalMethod


class KMondrian(MultidimensionalMethod):
    """Mondrian by class size alone, with the smallest k whose classes all hold the promises.

    It is made for δ-presence.
    """

    guarantee: ClassVar[str] = (
        "holds the promise; of all partitions by class size, the one with the smallest k"
    )
    source: ClassVar[str] = "Nergiz, Atzori and Clifton 2007; LeFevre, DeWitt and Ramakrishnan 2006"
    is_cut_by_promises: ClassVar[bool] = False
    name: Literal["k-mondrian"] = "k-mondrian"
