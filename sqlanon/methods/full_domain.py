"""The base classes of full-domain methods: a search for a lattice node, within a budget, by boxes.

The cheapest satisfying node is chosen; ties go to the lowest node, then to the first.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, ClassVar, NamedTuple, Self

from pydantic import Field, model_validator

from sqlanon.boundary.part import Part
from sqlanon.bounds import Count
from sqlanon.errors import NoSolutionError
from sqlanon.methods.base import Method
from sqlanon.methods.passes import AnyPasses, Pass, Passes, Rank, best_pass
from sqlanon.search.full_domain import BATCH_SIZE, FullDomainProblem, NodeScore
from sqlanon.search.lattice import Frontier, Node, halved, specializations
from sqlanon.search.passes import WaitingRows
from sqlanon.sql.step import Search, SoFar, reporting
from sqlanon.utility.base import Cost, UtilityMeasure, comparable, largest_gap
from sqlanon.utility.measures import AnyUtilityMeasure, Loss

_BATCH_CLASSES = 100_000
"""Classes that a statement counts fast; more of them do not fit in the processor's cache."""

_MANY_CLASSES = 2_000
"""Classes of a node, on average, from which on it is faster to ask about their sizes first."""

AnyObjective = str | Mapping[str, Any] | UtilityMeasure
"""A utility measure that is given in Python: by name, by its keys, or as it is."""


class Budget(Part):
    """How long a search may take; then it returns the best node found, and labels it so."""

    nodes: Annotated[Count, Field(ge=1)] | None = Field(None, description="lattice nodes to check")
    seconds: Annotated[float, Field(gt=0, le=1e9)] | None = Field(
        None, description="search time in seconds"
    )


@dataclass(frozen=True)
class FullDomainResult:
    """The node that a method chose, and what the search found out about the lattice.

    Attributes:
        node: levels in the order of the quasi-identifiers.
        label: what the method states about the node, in words.
        checked: number of nodes whose classes were counted.
        satisfying, minimal: how many nodes of the lattice hold the promise, and how many of these
            have no such node below; None if the method does not find out.
        minimal_nodes: the minimal nodes, if the method finds them.
        cost: cost of the node by the objective.
        gap: by what share it exceeds the lowest cost at most; None if the method does not find out,
            or the node is optimal.
    """

    node: Node
    label: str
    score: NodeScore
    checked: int
    cost: Cost | None = None
    satisfying: int | None = None
    minimal: int | None = None
    minimal_nodes: tuple[Node, ...] = ()
    gap: float | None = None


class FullDomainMethod(Method):
    """A way to find a lattice node.

    Attributes:
        pass_label: what the method states about the node of a pass.
    """

    pass_label: ClassVar[str] = "the node at which the rows that wait lose least"
    objective: AnyUtilityMeasure = Field(
        default_factory=Loss, description="the measure to minimize"
    )
    passes: AnyPasses = Field(
        Passes(most=1),
        description="`auto`: search again on the rows that a node does not place, which wait at a"
        " growing charge; a number: so many passes at most",
    )
    refine: bool = Field(
        False,
        description="lower the levels of single classes as far as their parts keep the promises",
    )

    @property
    def minimized(self) -> UtilityMeasure:
        return self.objective

    @property
    def makes_passes(self) -> bool:
        return self.passes.most > 1 or self.refine

    @property
    def refines(self) -> bool:
        return self.refine

    def placed_from(self, k: int, *, reads_values: bool) -> int:
        if not self.makes_passes:
            return 1
        return self.passes.size or (2 * k if reads_values else k)

    @property
    def left_out_of_digests(self) -> frozenset[str]:
        unused = {"passes": self.passes.most == 1, "refine": not self.refine}
        return frozenset(key for key, is_unused in unused.items() if is_unused)

    def next_pass(self, rows: WaitingRows, charge: Decimal, start: Node) -> Search[Pass | None]:
        """The next pass; see `NextPass`."""
        return (yield from best_pass(rows, charge, start, self.rank))

    @staticmethod
    def rank(cost: Cost, node: Node) -> Rank:
        """The order of nodes; the smallest is chosen."""
        return rank(cost, node)

    def allowed_rows(self, problem: FullDomainProblem) -> int:
        """How many rows may be suppressed."""
        return problem.limit_rows

    def accepts(self, problem: FullDomainProblem, score: NodeScore) -> bool:
        """Whether the method may publish a node with this score."""
        return problem.satisfies(score)

    def search(self, problem: FullDomainProblem) -> Search[FullDomainResult | None]:
        """Search for the node; None if no node holds the promise."""
        raise NotImplementedError  # pragma: no cover - every method states its own


class BudgetedMethod(FullDomainMethod):
    """A way to find a lattice node that may end before it knows that there is no better one."""

    budget: Budget = Budget()

    @model_validator(mode="after")
    def _one_search(self) -> Self:
        if self.makes_passes and self.budget != Budget():
            raise ValueError(
                "a budget ends the search of one node, and passes search several; leave out one of"
                " the two"
            )
        return self

    def limited_to(self, seconds: float) -> Self:
        if self.makes_passes:
            return super().limited_to(seconds)
        budget = self.budget.model_copy(update={"seconds": seconds})
        return self.model_copy(update={"budget": budget})


class Spending:
    """How much of a budget has been used."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._start = time.monotonic()
        self.checked = 0
        self._classes = 0  # of a node, on average

    @property
    def exhausted(self) -> bool:
        """Whether no more nodes may be checked."""
        nodes, seconds = self.budget.nodes, self.budget.seconds
        return (nodes is not None and self.checked >= nodes) or (
            seconds is not None and time.monotonic() - self._start >= seconds
        )

    def score(
        self,
        problem: FullDomainProblem,
        nodes: Sequence[Node],
        so_far: SoFar,
        needs_no_values: Callable[[NodeScore], bool],
    ) -> Search[list[NodeScore]]:
        """Ask about these nodes, and count them.

        Where there are many classes, the sizes of some nodes' classes may tell all.
        """
        known: list[NodeScore] = []
        by_sizes = problem.by_sizes
        if by_sizes is not None and self._classes >= _MANY_CLASSES:
            sizes = yield from reporting(by_sizes.score(nodes), so_far)
            known = [score for score in sizes if needs_no_values(score)]
        decided = {score.node for score in known}
        rest = [node for node in nodes if node not in decided]
        counted = (yield from reporting(problem.score(rest), so_far)) if rest else []
        scores = [*known, *counted]
        self.checked += len(nodes)
        self._classes = sum(score.all_classes for score in scores) // len(scores)
        return scores

    def affordable(self, wanted: int) -> int:
        """How many of the `wanted` nodes to check in the next statement, by nodes and classes."""
        wanted = min(wanted, 1 + _BATCH_CLASSES // (1 + self._classes))
        nodes = self.budget.nodes
        return wanted if nodes is None else max(0, min(wanted, nodes - self.checked))

    def in_time(self, wanted: int) -> int:
        """How many of the `wanted` nodes to check next, so that the time does not end meanwhile."""
        seconds, spent = self.budget.seconds, time.monotonic() - self._start
        if seconds is None or not self.checked or spent <= 0:
            return wanted
        return max(1, min(wanted, int((seconds - spent) * self.checked / spent)))

    def none_found(self) -> NoSolutionError:
        """The error for a search that the budget ended before any node was found that holds."""
        return NoSolutionError(
            f"The budget ended the search after {self.checked:,} nodes, before one was found that"
            " holds the promise. Nothing is known of the others.",
            where="budget",
            fix="give the search more time, raise suppression.limit, or ask for less under privacy",
        )


def rank(cost: Cost, node: Node) -> Rank:
    """The rank of a node; the smallest is chosen. It increases on every path up the lattice."""
    return comparable(cost), sum(node), node


def cheapest(problem: FullDomainProblem, satisfying: Iterable[Node]) -> Search[tuple[Node, Cost]]:
    """The satisfying node of the smallest rank, and its cost.

    If bounds are known without a query, nodes are valued in the order of their bounds, and the
    rest is skipped as soon as a bound exceeds the best rank found.
    """
    unknown: Cost = (float("-inf"),)
    queue = sorted(
        (rank(problem.bound(node) if problem.objective.one_way else unknown, node), node)
        for node in satisfying
    )
    best: tuple[Rank, Cost] | None = None
    for start in range(0, len(queue), BATCH_SIZE):
        part = queue[start : start + BATCH_SIZE]
        batch = [node for bound, node in part if best is None or bound < best[0]]
        if not batch:
            break
        so_far = SoFar(start, "satisfying nodes", len(queue), best=best and best[1])
        values = yield from reporting(problem.value(batch), so_far)
        for node, (cost, _) in values.items():
            if best is None or rank(cost, node) < best[0]:
                best = rank(cost, node), cost
    if best is None:
        raise ValueError("cheapest() needs at least one satisfying node")
    return best[0][2], best[1]


# --- boxes of the lattice


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
            lower, upper = halved(box.lowest, box.highest, *self.cut(box))
            halves += [lower, upper]
            lower_top = lower[1]
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
            asking = self.spending.score(self.problem, highest, self.so_far, self.needs_no_values)
            scores = yield from asking
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

    def needs_no_values(self, sizes: NodeScore) -> bool:
        """Whether a node fails, or cannot be the best one, by the sizes of its classes alone."""
        if not self.problem.may_hold(sizes) or sizes.failing_rows > self.problem.limit_rows:
            return True
        return self.problem.objective.one_way and self.cannot_improve(
            self.rank(self.bound(sizes.node, sizes.failing_rows), sizes.node)
        )

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
