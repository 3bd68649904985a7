"""Incognito: find all satisfying nodes, by dividing the lattice into boxes."""

from __future__ import annotations

from collections import deque
from itertools import product
from typing import Any, ClassVar, Literal

from sqlanon.methods.full_domain import (
    AnyObjective,
    BudgetedMethod,
    FullDomainResult,
    Spending,
    cheapest,
)
from sqlanon.search.full_domain import FullDomainProblem
from sqlanon.search.lattice import Frontier, Node, minimal_nodes
from sqlanon.sql.step import Search, SoFar, reporting

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
        satisfying = yield from _holding(problem, spending)
        if not problem.is_monotone:
            satisfying = yield from _satisfying(problem, satisfying, spending)
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


def _holding(problem: FullDomainProblem, spending: Spending) -> Search[set[Node]]:
    """The nodes that hold every monotone model; those found so far if the budget ends."""
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
        if asked := unknown[: spending.affordable(len(unknown))]:
            scores = yield from reporting(problem.score(asked), _so_far(problem, spending))
            spending.checked += len(asked)
            for score in scores:
                if problem.may_hold(score):
                    passed.add(below_top(score.node))
                else:
                    failed.add(score.node)
        for lowest, highest in part:
            if known(highest) is False:
                continue
            if known(lowest):
                levels = (range(low, high + 1) for low, high in zip(lowest, highest, strict=True))
                holding.update(product(*levels))
            elif lowest != highest:
                boxes.extend(_halves(lowest, highest))
    return holding


def _halves(lowest: Node, highest: Node) -> list[tuple[Node, Node]]:
    """The two halves of a box, along the attribute with the most levels in it."""
    place = max(range(len(lowest)), key=lambda place: highest[place] - lowest[place])
    middle = (lowest[place] + highest[place]) // 2
    return [
        (lowest, (*highest[:place], middle, *highest[place + 1 :])),
        ((*lowest[:place], middle + 1, *lowest[place + 1 :]), highest),
    ]


def _satisfying(
    problem: FullDomainProblem, nodes: set[Node], spending: Spending
) -> Search[set[Node]]:
    """The nodes among these that hold the promise; each is checked."""
    waiting = sorted(nodes)
    satisfying: set[Node] = set()
    while waiting and not spending.exhausted:
        part = waiting[: spending.affordable(_BATCH_SIZE)]
        waiting = waiting[len(part) :]
        scores = yield from reporting(problem.score(part), _so_far(problem, spending))
        spending.checked += len(part)
        satisfying.update(score.node for score in scores if problem.satisfies(score))
    return satisfying


def _so_far(problem: FullDomainProblem, spending: Spending) -> SoFar:
    """How far the search is."""
    return SoFar(spending.checked, "nodes", problem.size)
