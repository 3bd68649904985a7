"""Incognito: find all satisfying nodes, by dividing the lattice into boxes."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import product
from typing import Any, ClassVar, Literal

from sqlanon.methods.full_domain import (
    AnyObjective,
    BudgetedMethod,
    FullDomainResult,
    Spending,
    cheapest,
)
from sqlanon.search.full_domain import FullDomainProblem, NodeScore
from sqlanon.search.lattice import Frontier, Node, halved, minimal_nodes
from sqlanon.sql.step import Search, SoFar

_BATCH_SIZE = 256


class Incognito(BudgetedMethod):
    """Find every satisfying node of the lattice, and choose the best one by the objective.

    A box is the set of nodes between a lowest and a highest one. If the highest fails a monotone
    model, all of them do; if the lowest holds it, all of them do. Every other box is cut in two.
    The paper goes by ever larger subsets of the attributes, which asks about more nodes.
    """

    guarantee: ClassVar[str] = "finds all satisfying nodes; none costs less by the objective"
    source: ClassVar[str] = "LeFevre, DeWitt and Ramakrishnan 2005, Incognito"
    name: Literal["incognito"] = "incognito"

    def __init__(self, objective: AnyObjective = "loss", **keys: Any) -> None:
        self._set_keys(objective=objective, **keys)

    def search(self, problem: FullDomainProblem) -> Search[FullDomainResult | None]:
        spending = Spending(self.budget)
        scores: dict[Node, NodeScore] = {}
        satisfying = yield from _holding(problem, spending, scores)
        if not problem.is_monotone:
            yield from _check(problem, [n for n in satisfying if n not in scores], spending, scores)
            checked = satisfying & scores.keys()
            satisfying = {node for node in checked if problem.satisfies(scores[node])}
        complete = not spending.exhausted
        if not satisfying:
            if complete:
                return None
            (score,) = yield from problem.score([problem.tops])
            if not problem.satisfies(score):
                raise spending.none_found()
            satisfying = {problem.tops}
        node, cost = yield from cheapest(problem, satisfying)
        (score,) = yield from problem.score([node])
        minimal = minimal_nodes(satisfying)
        return FullDomainResult(
            node,
            "optimal, of all satisfying nodes" if complete
            else "best found within the budget, not proven optimal",
            score,
            checked=spending.checked,
            cost=cost,
            satisfying=len(satisfying) if complete else None,
            minimal=len(minimal) if complete else None,
            minimal_nodes=tuple(minimal) if complete else (),
        )  # fmt: skip


def _holding(
    problem: FullDomainProblem, spending: Spending, scores: dict[Node, NodeScore]
) -> Search[set[Node]]:
    """The nodes that hold every monotone model; those found so far if the budget ends.

    Args:
        scores: gets those of the nodes that are asked about.
    """
    tops = problem.tops
    holding: set[Node] = set()
    passed, failed = Frontier(len(tops)), Frontier(len(tops))

    def below_top(node: Node) -> Node:
        return tuple(top - level for top, level in zip(tops, node, strict=True))

    def known(node: Node) -> bool | None:
        if passed.covers(below_top(node)):
            return True
        return False if failed.covers(node) else None

    boxes = deque([((0,) * len(tops), tops)])
    while boxes and not spending.exhausted:
        part = [boxes.popleft() for _ in range(min(len(boxes), _BATCH_SIZE // 2))]
        unknown = [n for n in dict.fromkeys(c for box in part for c in box) if known(n) is None]
        yield from _check(problem, unknown, spending, scores)
        for node in (node for node in unknown if node in scores):  # all, unless the budget ended
            if problem.may_hold(scores[node]):
                passed.add(below_top(node))
            else:
                failed.add(node)
        for lowest, highest in part:
            if known(highest) is False:
                continue
            if known(lowest):
                levels = (range(low, high + 1) for low, high in zip(lowest, highest, strict=True))
                holding.update(product(*levels))
            elif lowest != highest:
                levels_left = [high - low for low, high in zip(lowest, highest, strict=True)]
                place = levels_left.index(max(levels_left))
                boxes.extend(halved(lowest, highest, place, (lowest[place] + highest[place]) // 2))
    return holding


def _check(
    problem: FullDomainProblem,
    nodes: Sequence[Node],
    spending: Spending,
    scores: dict[Node, NodeScore],
) -> Search[None]:
    """Ask about nodes, as many as the budget allows."""
    waiting = sorted(nodes)
    while waiting and not spending.exhausted:
        part = waiting[: spending.affordable(_BATCH_SIZE)]
        waiting = waiting[len(part) :]
        so_far = SoFar(spending.checked, "nodes", problem.size)
        found = yield from spending.score(
            problem, part, so_far, lambda sizes: not problem.may_hold(sizes)
        )
        scores.update((score.node, score) for score in found)
