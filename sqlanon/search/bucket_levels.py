"""Permutation with generalization: to which level each bucket is generalized before it is permuted.

All persons of the population who lie in a bucket's region are candidates; of each column the
bucket's labels are published, permuted. A node of a bucket (one level per quasi-identifier) may be
published if every candidate is in the table with a probability from dmin to dmax, exactly counted.
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
from sqlanon.search.partition import CutAttribute, PartitionProblem
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step


@dataclass(frozen=True)
class Raised:
    """A bucket that is generalized further than its columns need one by one.

    Attributes:
        bucket: its number.
        node: its levels, in the order of the quasi-identifiers.
    """

    bucket: int
    node: Node


@dataclass(frozen=True)
class Combining:
    """Steps that generalize buckets.

    Attributes:
        problem: whose `class_cells` are the buckets.
        dmin, dmax: the chance of every person of the population to be in the table.
    """

    problem: PartitionProblem
    dmin: Decimal
    dmax: Decimal

    def floors_step(self) -> Step:
        """For each bucket the lowest level of every column that could do, and the highest useful.

        A column's label with b rows among a candidates has a mean probability of b / a, whatever
        the other columns are; so it must lie from dmin to dmax, and levels below cannot do.
        """
        inputs = {"attributes": self._attributes, "dmin": self.dmin, "dmax": self.dmax}
        return Step("bucket_floors", render("buckets/bucket_floors.sql", **inputs))

    def nodes_step(self, raised: Sequence[Raised]) -> Step:
        """The node of every bucket: its floor, but for those that are raised."""
        inputs = {"attributes": self._attributes, "raised": [(r.bucket, *r.node) for r in raised]}
        return Step("bucket_nodes", render("buckets/bucket_nodes.sql", **inputs))

    def generalized_step(self) -> Step:
        """The distinct rows with the labels of their bucket's node; after `bucketed_rows`."""
        by_name = {attribute.name: attribute for attribute in self._attributes}
        columns = [(name, by_name.get(name)) for name in self.problem.columns]
        names = self.problem.row_names
        inputs = {"attributes": self._attributes, "columns": columns, "names": names}
        sql = render("buckets/generalized_combinations.sql", **inputs)
        return Step("generalized_combinations", sql)

    def raised(self, tries: int, limits: Limits) -> Search[list[Raised]]:
        """The buckets whose floor does not do, each with the first node by height that does.

        The last one tried is the node at which all candidates are alike: there everybody's
        probability is that of the region, which the cuts have kept from dmin to dmax.

        Args:
            tries: nodes to count per bucket, at most.
            limits: what a count may cost; a node that costs more is left.
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
            doing = yield from self._doing(open_nodes, limits)
            done += [
                Raised(bucket, node)
                for bucket, node in open_nodes.items()
                if bucket in doing and node != floors[bucket]
            ]
            is_last = number == tries - 2
            open_nodes = {
                bucket: tops[bucket] if is_last else next(nodes[bucket], tops[bucket])
                for bucket in open_nodes
                if bucket not in doing
            }
        done += [Raised(bucket, tops[bucket]) for bucket in open_nodes]
        return sorted(done, key=lambda raised: raised.bucket)

    def _doing(self, nodes: Mapping[int, Node], limits: Limits) -> Search[set[int]]:
        """The buckets whose node does, certainly; one statement for all."""
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
            if self._does([row[1:] for row in group], limits)
        }

    def _does(self, cells: Sequence[Sequence[int]], limits: Limits) -> bool:
        """Whether every candidate has a probability from dmin to dmax, certainly.

        Args:
            cells: labels, candidates, and those of them who are in the table.
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
    """All nodes from one to another, by height; as many as are asked for."""
    spans = [high - low for low, high in zip(floor, top, strict=True)]
    for height in range(sum(spans) + 1):
        for added in nodes_of_height(spans, height):
            yield tuple(low + more for low, more in zip(floor, added, strict=True))
