"""Mondrian: cut the table into regions, each with labels of its own; MPALM, for a population."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from sqlanon.methods.base import MultidimensionalMethod, PartitionResult
from sqlanon.partition import Cutting, PartitionProblem
from sqlanon.step import Search


class Mondrian(MultidimensionalMethod):
    """Multidimensional generalization: cut regions in two, or into the children of a label.

    Every open region is cut along the attribute in which it is widest, or the next one where no cut
    is allowable; a cut is allowable if every promise holds on every side. All open regions are cut
    in one pass of the database.
    """

    guarantee: ClassVar[str] = "holds the promise in every region; no allowable cut is left"
    source: ClassVar[str] = (
        "LeFevre, DeWitt and Ramakrishnan 2006, Mondrian multidimensional k-anonymity"
    )
    name: Literal["mondrian"] = "mondrian"
    partitioning: Literal["strict", "relaxed"] = Field(
        "strict",
        description="strict: regions do not overlap; relaxed: rows with the value of the cut are"
        " dealt to both sides, so that these are even",
    )

    @property
    def cutting(self) -> Cutting:
        return Cutting(self.cut, relaxed=self.partitioning == "relaxed")

    def search(self, problem: PartitionProblem) -> Search[PartitionResult | None]:
        return (yield from cut_regions(self, problem))


class Mpalm(MultidimensionalMethod):
    """Mondrian over the population: widths and quantiles count its rows, not those of the table.

    For δ-presence (a side without rows of the table is allowable where dmin is 0), and for every
    other promise besides.
    """

    guarantee: ClassVar[str] = Mondrian.guarantee
    source: ClassVar[str] = "Nergiz, Atzori and Clifton 2007, Hiding the presence of individuals"
    name: Literal["mpalm"] = "mpalm"

    @property
    def cutting(self) -> Cutting:
        return Cutting(self.cut, by_population=True)

    def search(self, problem: PartitionProblem) -> Search[PartitionResult | None]:
        return (yield from cut_regions(self, problem))


def cut_regions(
    method: MultidimensionalMethod, problem: PartitionProblem
) -> Search[PartitionResult | None]:
    """Cut until no cut is allowable, in one statement or one a round; None if that fails."""
    if method.execution == "recursive":
        yield problem.regions_step(method.cutting)
    else:
        yield problem.first_round_step(method.cutting)
        number = 0
        more = True
        while more:
            number += 1
            yield problem.next_round_step(method.cutting, number)
            more = yield from problem.is_cut(number)
        yield problem.rounds_step(number - 1)
    rounds = yield from problem.round_count()
    yield problem.class_cells_step(method.cutting)
    judged = yield from problem.judged()
    if judged.failing_classes or not judged.covers:
        return None
    label = "no allowable cut is left" if rounds else "one class: no cut is allowable"
    return PartitionResult(label, judged.class_count, rounds)
