"""The problem of one pass: a node places rows, and the others wait for a coarser one at a charge.

A row is placed if enough rows have its label, whatever its sensitive values are. So which rows wait
depends on quasi-identifiers alone, and reveals no value (`docs/passes.md`).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, reduce
from typing import NamedTuple

from sqlanon.search.full_domain import Attribute, FullDomainProblem
from sqlanon.search.lattice import Node
from sqlanon.sql.render import question, render
from sqlanon.sql.step import Search, Step


class LossColumn(NamedTuple):
    """The column of `waiting_set` with the loss of an attribute at a level between its ends."""

    name: str
    attribute: str
    level: int
    word: int
    mask: int
    weight: Decimal


class LossFlag(NamedTuple):
    """Where the bit of a column of losses is: the number of the integer, and the place in it."""

    name: str
    word: int
    bit: int


_FLAGS = 60
"""Bits that an integer has for columns of losses."""


class Box(NamedTuple):
    """All nodes between a lowest and a highest one."""

    lowest: Node
    highest: Node


class BoxCosts(NamedTuple):
    """What the highest node of a box places and costs, and what no node of it can undercut.

    Costs are means over the rows that wait.

    Attributes:
        least_loss: no row that a node of the box places loses less; None if none is placed.
    """

    placed_rows: int
    cost: float
    least_cost: float
    least_above: float
    least_loss: float | None


@dataclass(frozen=True)
class WaitingRows:
    """The rows that a pass searches.

    With a population they are its rows, and which of them are in the table is not looked at: so
    the nodes, and who has which label, reveal nothing of that (`docs/passes.md`).

    Attributes:
        problem: the lattice over all rows.
        size: rows, or persons if they are counted, that a class needs to be placed.
        number: of the pass, from 1.
        row_count: rows that wait.
    """

    problem: FullDomainProblem
    size: int
    number: int
    row_count: int

    @property
    def relation(self) -> str:
        """The table of these rows."""
        return f"waiting_set_{self.number}"

    @property
    def attributes(self) -> Sequence[Attribute]:
        """The quasi-identifiers."""
        return self.problem.attributes

    @property
    def unit(self) -> bool:
        """Whether persons are counted."""
        return self.problem.promises.places_persons

    @cached_property
    def _columns(self) -> list[LossColumn]:
        return [
            LossColumn(f"loss_{number}_{level}", a.name, level, a.word, a.masks[level],
                       self._weights[a.name])
            for number, a in enumerate(self.attributes, start=1)
            for level in range(1, a.top)
        ]  # fmt: skip

    @cached_property
    def _weights(self) -> dict[str, Decimal]:
        """The attributes' parts of the loss of a row."""
        total = sum(a.weight for a in self.attributes)
        return {a.name: Decimal(repr(a.weight / total)) for a in self.attributes}

    @cached_property
    def _losses(self) -> list[list[tuple[Decimal, int]]]:
        """By attribute and level: what every row loses there, and the bit of a column of losses."""
        losses = []
        bit = 1
        for a in self.attributes:
            whole = self._weights[a.name] if a.measures[a.top].leaf_count > 1 else Decimal(0)
            between = [(Decimal(0), bit << place) for place in range(a.top - 1)]
            losses.append([(Decimal(0), 0), *between, (whole, 0)][-1 - a.top :])
            bit <<= len(between)
        return losses

    def _loss(self, node: Node) -> tuple[Decimal, int]:
        """What every row loses at a node, and bits for the columns of losses that it has."""
        own = [levels[level] for levels, level in zip(self._losses, node, strict=True)]
        return sum((whole for whole, _ in own), Decimal(0)), sum(bit for _, bit in own)

    @property
    def _flag_words(self) -> range:
        """The numbers of the integers that have these bits."""
        return range(1, 2 + (len(self._columns) - 1) // _FLAGS)

    def _words_of(self, bits: int) -> list[int]:
        """The bits in these integers."""
        return [bits >> _FLAGS * (word - 1) & 2**_FLAGS - 1 for word in self._flag_words]

    def first_step(self) -> Step:
        """The table of all rows."""
        sql = render(
            "passes/waiting_set.sql",
            words=self.problem.words,
            unit=self.unit,
            population=self.problem.promises.population,
            columns=self._columns,
        )
        return Step("waiting_set_1", sql)

    def next_step(self, node: Node) -> Step:
        """The table of the rows that still wait when this node has placed its rows."""
        number = self.number + 1
        sql = render(
            "passes/next_waiting_set.sql",
            number=number,
            relation=self.relation,
            masks=self.problem.masks(node),
            size=self.size,
            unit=self.unit,
        )
        return Step(f"waiting_set_{number}", sql)

    def label_counts(self) -> Search[list[list[int]]]:
        """Ask how many labels all rows have, by quasi-identifier and level."""
        parts = [(a.word, mask) for a in self.attributes for mask in a.masks]
        (row,) = yield question("passes/label_counts", parts=parts)
        counts = iter(row)
        return [[next(counts) for _ in a.masks] for a in self.attributes]

    def combination_count(self) -> Search[int]:
        """Ask how many distinct combinations wait."""
        ((count,),) = yield question("passes/waiting_combinations", relation=self.relation)
        return int(count)

    def costs(self, boxes: Sequence[Box], charge: Decimal) -> Search[list[BoxCosts]]:
        """Ask what boxes cost if a row that waits costs `charge`; one statement."""
        ends = {
            "highest": [self._loss(box.highest) for box in boxes],
            "lowest": [self._loss(box.lowest) for box in boxes],
            "middle": [self._loss(self.halves(box)[1].lowest) for box in boxes],
        }
        used = {end: reduce(int.__or__, (bits for _, bits in nodes)) for end, nodes in ends.items()}
        flags = [
            LossFlag(column.name, 1 + place // _FLAGS, place % _FLAGS)
            for place, column in enumerate(self._columns)
        ]
        rows = yield question(
            "passes/waiting_boxes",
            relation=self.relation,
            size=self.size,
            charge=charge,
            unit=self.unit,
            words=self.problem.words,
            losses={
                end: [flag for place, flag in enumerate(flags) if bits >> place & 1]
                for end, bits in used.items()
            },
            flag_words=self._flag_words,
            boxes=[
                [
                    [number, *self.problem.masks(box.highest)],
                    *([f"{whole:f}", *self._words_of(bits)] for whole, bits in losses),
                ]
                for number, (box, *losses) in enumerate(zip(boxes, *ends.values(), strict=True))
            ],
        )
        return [
            BoxCosts(
                placed,
                float(cost) / self.row_count,
                float(least) / self.row_count,
                float(above) / self.row_count,
                least_loss,
            )
            for _, placed, cost, least, above, least_loss in rows
        ]

    def halves(self, box: Box) -> tuple[Box, Box]:
        """The nodes of a box below the highest level of an attribute, and those at it."""
        steps = self._steps
        places = [p for p, level in enumerate(box.lowest) if level < box.highest[p]]
        if not places:
            return box, box
        place = max(places, key=lambda p: (steps[p][box.highest[p]], -p))
        level = box.highest[place]
        return Box(box.lowest, _at(box.highest, place, level - 1)), Box(
            _at(box.lowest, place, level), box.highest
        )

    def beyond(self, node: Node) -> list[Box]:
        """All nodes that are neither this one nor below it, each in one of these boxes.

        Levels that cost much are in the first boxes, which are large, and can be ruled out.
        """
        lowest, highest = (0,) * len(node), self.problem.tops
        boxes = []
        places = [place for place, level in enumerate(node) if level < highest[place]]
        for place in sorted(places, key=lambda p: -self._steps[p][node[p] + 1]):
            boxes.append(Box(_at(lowest, place, node[place] + 1), highest))
            highest = _at(highest, place, node[place])
        return boxes

    @cached_property
    def _steps(self) -> list[list[float]]:
        """What all rows lose at each level of an attribute, and not at the level below it."""
        lowest = (0,) * len(self.attributes)
        means = [
            [self.problem.bound(_at(lowest, place, level))[0] for level in range(a.top + 1)]
            for place, a in enumerate(self.attributes)
        ]
        return [[0, *(b - a for a, b in itertools.pairwise(each))] for each in means]


def _at(node: Node, place: int, level: int) -> Node:
    """The node with another level of one attribute."""
    return (*node[:place], level, *node[place + 1 :])
