"""Permutation with generalization: to which level each bucket is generalized before it is permuted.

All persons of the population who are in a bucket's region are candidates. For each column, the
labels of the bucket are published in permuted order. A node of a bucket (one level per
quasi-identifier) may be published if an exact count shows that every candidate is in the table with
a probability from dmin to dmax.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from typing import Any

from sqlanon.presence.counting import certainly_within
from sqlanon.search.lattice import Node, nodes_of_height
from sqlanon.search.partition import PartitionProblem
from sqlanon.search.scales import CutAttribute
from sqlanon.sql.render import question, templated
from sqlanon.sql.step import Search, SoFar, Step, reporting


@dataclass(frozen=True)
class BucketLevels:
    """The steps that generalize buckets.

    Attributes:
        problem: the problem whose `class_cells` are the buckets.
        dmin, dmax: bounds of the probability that a person of the population is in the table.
    """

    problem: PartitionProblem
    dmin: Decimal
    dmax: Decimal

    def floors_step(self) -> Step:
        """For each bucket and column, the lowest level that can hold and the highest useful one.

        A label with b rows among a candidates has a mean probability of b / a, whatever the other
        columns are. This mean must be from dmin to dmax, so no lower level can hold.
        """
        inputs = {"attributes": self._attributes, "dmin": self.dmin, "dmax": self.dmax}
        return templated("buckets/bucket_floors", **inputs)

    def nodes_step(self, raised: Sequence[tuple[int, ...]]) -> Step:
        """The node of every bucket: its floor, except for buckets that are raised, with levels."""
        inputs = {"attributes": self._attributes, "raised": list(raised)}
        return templated("buckets/bucket_nodes", **inputs)

    def generalized_step(self) -> Step:
        """The distinct rows with the labels of the node of their bucket; after `bucketed_rows`."""
        by_name = {attribute.name: attribute for attribute in self._attributes}
        columns = [(name, by_name.get(name)) for name in self.problem.columns]
        names = self.problem.row_names
        inputs = {"attributes": self._attributes, "columns": columns, "names": names}
        return templated("buckets/generalized_combinations", **inputs)

    def raised(self, tries: int, states: int) -> Search[list[tuple[int, ...]]]:
        """The buckets whose floor does not hold, each with a node that does.

        First the nodes by height, from the floor on, up to `tries`. For a bucket where none of them
        is proven, all columns begin at the level where its persons are alike: there the probability
        of everyone is that of the region, which the cuts have kept from dmin to dmax. From there,
        column after column goes down by one level where the promise is still proven, until none
        can. Coarse nodes are proven fast, so this is cheap where no node from below can be proven.

        Args:
            tries: maximum number of nodes of each bucket to try by height; the last one is the one
                where all persons are alike.
            states: what an exact count may cost; a node that costs more has to be proven by bounds.
        """
        rows = yield question("buckets/floors", attributes=self._attributes)
        width = len(self._attributes)
        floors = {row[0]: tuple(row[1 : 1 + width]) for row in rows}
        tops = {row[0]: tuple(row[1 + width :]) for row in rows}
        found: dict[int, Node] = {}
        nodes = {bucket: _by_height(floors[bucket], tops[bucket]) for bucket in floors}
        for _ in range(tries - 1):
            left = {bucket: next(nodes[bucket]) for bucket in floors if bucket not in found}
            if not left:
                break
            so_far = SoFar(len(found), "buckets", len(floors))
            holding = yield from reporting(self._holding(left, states), so_far)
            found |= {bucket: left[bucket] for bucket in holding}
        descents = {
            bucket: _Descent(list(tops[bucket]), floors[bucket])
            for bucket in floors
            if bucket not in found
        }
        while lowered := {
            bucket: node
            for bucket, descent in descents.items()
            if (node := descent.next_node()) is not None
        }:
            so_far = SoFar(len(floors) - len(lowered), "buckets", len(floors))
            holding = yield from reporting(self._holding(lowered, states), so_far)
            for bucket in lowered:
                descents[bucket].learn(holds=bucket in holding)
        found |= {bucket: tuple(descent.node) for bucket, descent in descents.items()}
        return [(bucket, *node) for bucket, node in sorted(found.items()) if node != floors[bucket]]

    def _holding(self, nodes: Mapping[int, Node], states: int) -> Search[set[int]]:
        """The buckets whose node certainly holds the promise; one statement for all."""
        inputs: dict[str, Any] = {
            "attributes": self._attributes,
            "nodes": [(bucket, *node) for bucket, node in sorted(nodes.items())],
        }
        rows = yield question("buckets/candidate_cells", **inputs)
        return {
            bucket
            for bucket, group in groupby(rows, key=lambda row: row[0])
            if self._holds([row[1:] for row in group], states)
        }

    def _holds(self, cells: Sequence[Sequence[int]], states: int) -> bool:
        """Whether every candidate certainly has a probability from dmin to dmax.

        Args:
            cells: for each cell its labels, the number of candidates, and how many of them are in
                the table.
        """
        labels = [tuple(enumerate(cell[:-2])) for cell in cells]
        counts: Counter[Hashable] = Counter()
        for values, (*_, rows) in zip(labels, cells, strict=True):
            for value in values:
                counts[value] += rows
        persons = [(values, cell[-2]) for values, cell in zip(labels, cells, strict=True)]
        return certainly_within(persons, counts, Fraction(self.dmin), Fraction(self.dmax), states)

    @property
    def _attributes(self) -> tuple[CutAttribute, ...]:
        return self.problem.attributes


@dataclass
class _Descent:
    """A bucket on its way from its highest node down.

    Attributes:
        node: levels that are proven.
        floor: levels that none can be below.
        done: columns that cannot go further.
        column: the column whose turn it is.
    """

    node: list[int]
    floor: Node
    done: set[int] = field(default_factory=set)
    column: int = -1

    def next_node(self) -> Node | None:
        """The next node to try, one level of one column lower; None at the end."""
        width = len(self.node)
        turns = [(self.column + turn) % width for turn in range(1, width + 1)]
        open_columns = (
            column
            for column in turns
            if column not in self.done and self.node[column] > self.floor[column]
        )
        self.column = next(open_columns, -1)
        if self.column < 0:
            return None
        tried = self.node.copy()
        tried[self.column] -= 1
        return tuple(tried)

    def learn(self, *, holds: bool) -> None:
        """Take the node over, or keep the column from going further."""
        if holds:
            self.node[self.column] -= 1
        else:
            self.done.add(self.column)


def _by_height(floor: Node, top: Node) -> Iterator[Node]:
    """All nodes from `floor` to `top`, ordered by height, one at a time."""
    spans = [high - low for low, high in zip(floor, top, strict=True)]
    for height in range(sum(spans) + 1):
        for added in nodes_of_height(spans, height):
            yield tuple(low + more for low, more in zip(floor, added, strict=True))
