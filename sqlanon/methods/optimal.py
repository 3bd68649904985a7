"""Optimal: find the cheapest satisfying node by branch and bound over boxes of the lattice."""

from __future__ import annotations

import heapq
from typing import Any, ClassVar, Literal, NamedTuple

from sqlanon.methods.full_domain import (
    AnyObjective,
    Budget,
    BudgetedMethod,
    FullDomainResult,
    Rank,
    Spending,
    rank,
)
from sqlanon.search.full_domain import BATCH_SIZE, FullDomainProblem, NodeScore
from sqlanon.search.lattice import Frontier, Node, specializations
from sqlanon.sql.step import Search, SoFar, reporting
from sqlanon.utility.base import Cost, largest_gap


class Optimal(BudgetedMethod):
    """Find the cheapest of all satisfying nodes, exactly, for every objective.

    A box is the set of nodes between a lowest and a highest one. If the highest node of a box fails
    a monotone model, the box contains no satisfying node. If its lowest node could not beat the
    best node found even with no suppressed rows, the box contains no better one. All other boxes
    are cut in two, the most promising first. One statement checks the new highest nodes of a whole
    batch, and the lattice is never enumerated. With a budget, a greedy descent from the top comes
    first, so that a short search has a good node; the bounds of the boxes that are still open when
    it ends prove how much better another one can be.
    """

    guarantee: ClassVar[str] = (
        "no satisfying node costs less by the objective; if a budget ends the search, by how much"
        " one could"
    )
    source: ClassVar[str] = "branch and bound; monotonicity as in Samarati 2001, El Emam 2009 (OLA)"
    name: Literal["optimal"] = "optimal"

    def __init__(self, objective: AnyObjective = "loss", **keys: Any) -> None:
        self._set_keys(objective=objective, **keys)

    @property
    def is_one_statement(self) -> bool:
        return True

    def search(self, problem: FullDomainProblem) -> Search[FullDomainResult | None]:
        return (yield from BoxSearch(problem, Spending(self.budget)).run())


class _Box(NamedTuple):
    """A part of the lattice; boxes are ordered by a lower bound on the ranks of their nodes."""

    bound: Rank
    lowest: Node
    highest: Node


class BoxSearch:
    """The state of a search: open boxes, nodes that may hold or fail, and the best node so far.

    For each node that may hold, `lost` has the number of rows that no node at or below it can
    publish. No open box has a node of a smaller rank than `least`.

    Attributes:
        complete, incomplete: what is said of a node of the smallest rank, and of another one of
            which no bound is known.
        divided_by: the measure whose spread decides along which attribute a box is cut.
    """

    complete = "optimal"
    incomplete = "not proven optimal"
    rank = staticmethod(rank)

    def __init__(self, problem: FullDomainProblem, spending: Spending) -> None:
        self.problem = problem
        self.spending = spending
        self.boxes: list[_Box] = []
        self.passed: set[Node] = set()
        self.failed = Frontier(len(problem.attributes))
        self.best: tuple[Rank, NodeScore, Cost] | None = None
        self.bounds: dict[Node, Cost] = {}
        self.lost: dict[Node, int] = {}
        self.least: Rank | None = None
        self.divided_by = problem.objective

    def run(self) -> Search[FullDomainResult | None]:
        tops = self.problem.tops
        bottom = (0,) * len(tops)
        yield from self.check([tops], lowest=[bottom])
        if tops not in self.passed:
            return None
        if self.spending.budget != Budget():
            yield from self.descend()
        self.push(bottom, tops)
        while self.is_open and not self.spending.exhausted:
            yield from self.split_most_promising()
        if self.best is None:
            if self.is_open:
                raise self.spending.none_found()
            return None
        label, gap = self.complete, None
        if self.is_open:
            self.least = self.boxes[0].bound
            label, gap = f"best found within the budget, {self.proven}", self.gap
        _, score, cost = self.best
        return FullDomainResult(score.node, label, score, self.spending.checked, cost, gap=gap)

    def descend(self) -> Search[None]:
        """Go down from the top, one level at a time, as long as that lowers the cost."""
        node: Node | None = None
        while self.best is not None and self.best[1].node != node and not self.spending.exhausted:
            node = self.best[1].node
            below = [
                other
                for other in specializations(node)
                if other not in self.passed and not self.failed.covers(other)
            ]
            yield from self.check(below[: self.batch_size], lowest=[])

    def split_most_promising(self) -> Search[None]:
        """Cut a batch of boxes in two, check their new highest nodes, keep those that may hold."""
        self.least = self.boxes[0].bound
        halves: list[tuple[Node, Node]] = []
        checks: dict[Node, None] = {}
        size = self.batch_size
        while self.boxes and len(checks) < size:
            box = heapq.heappop(self.boxes)
            if self.cannot_improve(box.bound):
                self.boxes.clear()
                break
            place, level = self.cut(box)
            lower_top = (*box.highest[:place], level, *box.highest[place + 1 :])
            upper_bottom = (*box.lowest[:place], level + 1, *box.lowest[place + 1 :])
            halves += [(box.lowest, lower_top), (upper_bottom, box.highest)]
            # Below a node that fails a monotone model, every node fails it.
            if lower_top not in self.passed and not self.failed.covers(lower_top):
                checks[lower_top] = None
        yield from self.check(list(checks), lowest=[lowest for lowest, _ in halves])
        for lowest, highest in halves:
            if highest in self.passed:
                self.push(lowest, highest)

    def push(self, lowest: Node, highest: Node) -> None:
        """Open a box, unless none of its nodes below the highest can be the best one."""
        bound = self.rank(self.bound(lowest, self.lost[highest]), lowest)
        if lowest != highest and not self.cannot_improve(bound):
            heapq.heappush(self.boxes, _Box(bound, lowest, highest))

    def check(self, highest: list[Node], lowest: list[Node]) -> Search[None]:
        """Ask which of these highest nodes may hold the promise, and what they would cost."""
        scores: list[NodeScore] = []
        if highest:
            scores = yield from reporting(self.problem.score(highest), self.so_far)
            self.spending.checked += len(highest)
        promising: dict[Node, NodeScore] = {}
        for score in scores:
            if not self.problem.may_hold(score):
                self.failed.add(score.node)
                continue
            self.passed.add(score.node)
            self.lost[score.node] = score.unpublishable_rows
            is_beaten = self.problem.objective.one_way and self.cannot_improve(
                self.rank(self.bound(score.node, score.suppressed_rows), score.node)
            )
            if self.problem.satisfies(score) and not is_beaten:
                promising[score.node] = score
        unbounded = [] if self.problem.objective.one_way else [
            node for node in dict.fromkeys(lowest) if node not in self.bounds
        ]  # fmt: skip
        asked = list(dict.fromkeys([*promising, *unbounded]))
        if asked:
            values = yield from reporting(self.problem.value(asked), self.so_far)
            for node, (cost, least) in values.items():
                self.bounds[node] = least
                if node in promising and not self.cannot_improve(self.rank(cost, node)):
                    self.best = self.rank(cost, node), promising[node], cost

    @property
    def so_far(self) -> SoFar:
        """How far the search is."""
        return SoFar(
            self.spending.checked,
            "nodes",
            self.problem.size,
            best=None if self.best is None else self.best[0][0],
            bound=None if self.least is None else self.least[0],
            left="" if self.gap is None else self.proven,
        )

    @property
    def is_open(self) -> bool:
        """Whether a better node than the best one found is possible."""
        return bool(self.boxes) and not self.cannot_improve(self.boxes[0].bound)

    @property
    def gap(self) -> float | None:
        """By what share the best node found costs more than the optimum at most."""
        if self.best is None or self.least is None:
            return None
        return largest_gap(self.best[0][0], self.least[0])

    @property
    def proven(self) -> str:
        """What is proven of the best node found while boxes are open."""
        if self.gap is None:
            return self.incomplete
        return f"at most {self.gap:,.1%} worse than the optimum"

    @property
    def batch_size(self) -> int:
        """How many nodes to ask about at once."""
        return self.spending.affordable(self.spending.in_time(BATCH_SIZE))

    def bound(self, node: Node, suppressed_rows: int) -> Cost:
        """Lower bound on the cost of nodes at or above this one that suppress this many rows."""
        if self.problem.objective.one_way:
            return self.problem.bound(node, suppressed_rows=suppressed_rows)
        return self.problem.raised(self.bounds[node], suppressed_rows)

    def cannot_improve(self, least: Rank) -> bool:
        """Whether a node of this rank or above would not replace the best one found."""
        return self.best is not None and least >= self.best[0]

    def cut(self, box: _Box) -> tuple[int, int]:
        """Where to cut a box: the attribute with the largest spread, halfway."""

        def spread(place: int) -> float:
            measures = self.problem.attributes[place].measures
            low, high = measures[box.lowest[place]], measures[box.highest[place]]
            return self.divided_by.spread(low, high)

        places = [p for p, level in enumerate(box.lowest) if level < box.highest[p]]
        place = max(places, key=lambda p: (spread(p), -p))
        return place, (box.lowest[place] + box.highest[place]) // 2
