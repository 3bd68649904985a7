"""Permutation with generalization: to which level each bucket is generalized before it is permuted.

All persons of the population who are in a bucket's region are candidates. For each column, the
labels of the bucket are published in permuted order. A node of a bucket (one level per
quasi-identifier) may be published if an exact count shows that every candidate is in the table with
a probability from dmin to dmax.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from typing import Any

from sqlanon.presence.counting import decisions
from sqlanon.presence.decisions import Limits
from sqlanon.search.lattice import Node, nodes_of_height
from sqlanon.search.partition import PartitionProblem
from sqlanon.search.scales import CutAttribute
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step


@dataclass(frozen=True)
class Raised:
    """A bucket that is generalized further than its columns require one by one.

    Attributes:
        bucket: number of the bucket.
        node: levels of the bucket, in the order of the quasi-identifiers.
    """

    bucket: int
    node: Node


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
        return Step("bucket_floors", render("buckets/bucket_floors.sql", **inputs))

    def nodes_step(self, raised: Sequence[Raised]) -> Step:
        """The node of every bucket: its floor, except for the buckets that are raised."""
        inputs = {"attributes": self._attributes, "raised": [(r.bucket, *r.node) for r in raised]}
        return Step("bucket_nodes", render("buckets/bucket_nodes.sql", **inputs))

    def generalized_step(self) -> Step:
        """The distinct rows with the labels of the node of their bucket; after `bucketed_rows`."""
        by_name = {attribute.name: attribute for attribute in self._attributes}
        columns = [(name, by_name.get(name)) for name in self.problem.columns]
        names = self.problem.row_names
        inputs = {"attributes": self._attributes, "columns": columns, "names": names}
        sql = render("buckets/generalized_combinations.sql", **inputs)
        return Step("generalized_combinations", sql)

    def raised(self, tries: int, limits: Limits) -> Search[list[Raised]]:
        """The buckets whose floor does not hold, each with its first node by height that does.

        The last node tried is the one at which all candidates are alike. There the probability of
        every candidate is that of the region, which the cuts have kept from dmin to dmax.

        Args:
            tries: maximum number of nodes to count for each bucket.
            limits: what a count may cost; a node that costs more is skipped.
        """
        sql = render("buckets/floors.sql", attributes=self._attributes)
        rows = yield Step("floors", sql, "rows")
        width = len(self._attributes)
        tops = {row[0]: tuple(row[1 + width :]) for row in rows}
        nodes = {row[0]: _by_height(tuple(row[1 : 1 + width]), tops[row[0]]) for row in rows}
        open_nodes = {bucket: next(found) for bucket, found in nodes.items()}
        floors, done = dict(open_nodes), list[Raised]()
        for number in range(tries):
            if not open_nodes:
                break
            holding = yield from self._holding(open_nodes, limits)
            done += [
                Raised(bucket, node)
                for bucket, node in open_nodes.items()
                if bucket in holding and node != floors[bucket]
            ]
            is_last = number == tries - 2
            open_nodes = {
                bucket: tops[bucket] if is_last else next(nodes[bucket], tops[bucket])
                for bucket in open_nodes
                if bucket not in holding
            }
        done += [Raised(bucket, tops[bucket]) for bucket in open_nodes]
        return sorted(done, key=lambda raised: raised.bucket)

    def _holding(self, nodes: Mapping[int, Node], limits: Limits) -> Search[set[int]]:
        """The buckets whose node certainly holds the promise; one statement for all."""
        inputs: dict[str, Any] = {
            "attributes": self._attributes,
            "nodes": [(bucket, *node) for bucket, node in sorted(nodes.items())],
        }
        rows = yield Step(
            "candidate_cells", render("buckets/candidate_cells.sql", **inputs), "rows"
        )
        return {
            bucket
            for bucket, group in groupby(rows, key=lambda row: row[0])
            if self._holds([row[1:] for row in group], limits)
        }

    def _holds(self, cells: Sequence[Sequence[int]], limits: Limits) -> bool:
        """Whether every candidate certainly has a probability from dmin to dmax.

        Args:
            cells: for each cell its labels, the number of candidates, and how many of them are in
                the table.
        """
        labels = [tuple(enumerate(cell[:-2])) for cell in cells]
        persons, known = [cell[-2] for cell in cells], [cell[-1] for cell in cells]
        counts: Counter[Hashable] = Counter()
        for values, rows in zip(labels, known, strict=True):
            for value in values:
                counts[value] += rows
        found = decisions(
            list(zip(labels, persons, strict=True)), counts, known=known, limits=limits
        )
        low, high = Fraction(self.dmin), Fraction(self.dmax)
        return all(low <= decision.lower and decision.upper <= high for decision in found)

    @property
    def _attributes(self) -> tuple[CutAttribute, ...]:
        return self.problem.attributes


def _by_height(floor: Node, top: Node) -> Iterator[Node]:
    """All nodes from `floor` to `top`, ordered by height, one at a time."""
    spans = [high - low for low, high in zip(floor, top, strict=True)]
    for height in range(sum(spans) + 1):
        for added in nodes_of_height(spans, height):
            yield tuple(low + more for low, more in zip(floor, added, strict=True))
