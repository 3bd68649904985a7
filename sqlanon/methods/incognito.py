"""Incognito: find all satisfying nodes by way of ever larger subsets of the quasi-identifiers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from typing import Any, ClassVar, Literal

from sqlanon.methods.full_domain import (
    AnyObjective,
    BudgetedMethod,
    FullDomainResult,
    Spending,
    cheapest,
)
from sqlanon.search.full_domain import FullDomainProblem
from sqlanon.search.lattice import Node, minimal_nodes, node_count, specializations
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, SoFar, Step, reporting

Subset = tuple[int, ...]
"""Positions of quasi-identifiers, ascending; nodes of a subset have all others at the top."""

_BATCH_SIZE = 256


class Incognito(BudgetedMethod):
    """Find every satisfying node of the lattice, and choose the best one by the objective.

    A node can hold the promise only if it still does with fewer attributes. So subsets of size 1
    are searched first, then those of size 2, and so on. Only nodes whose projections all passed
    are checked, from the bottom up, and a node above a passing one passes without a check. The
    frequency set of a subset is rolled up from that of the source, and its nodes from that.
    """

    guarantee: ClassVar[str] = "finds all satisfying nodes; none costs less by the objective"
    source: ClassVar[str] = "LeFevre, DeWitt and Ramakrishnan 2005, Incognito"
    name: Literal["incognito"] = "incognito"

    def __init__(self, objective: AnyObjective = "loss", **keys: Any) -> None:
        self._set_keys(objective=objective, **keys)

    def search(self, problem: FullDomainProblem) -> Search[FullDomainResult | None]:
        spending = Spending(self.budget)
        everything = tuple(range(len(problem.attributes)))
        passing: dict[Subset, set[Node]] = {(): {()}}
        for size in range(1, len(everything) + 1):
            candidates = {
                subset: list(_candidates(problem, subset, passing))
                for subset in combinations(everything, size)
            }
            passing = yield from _search_subsets(problem, size, candidates, spending)
            if spending.exhausted and size < len(everything):
                passing = {everything: set()}
                break
        satisfying = passing.get(everything, set())
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


def _candidates(
    problem: FullDomainProblem, subset: Subset, passing: dict[Subset, set[Node]]
) -> Iterator[Node]:
    """The nodes of a subset whose projections to one attribute fewer all passed."""
    *rest, last = subset
    others = [subset[:place] + subset[place + 1 :] for place in range(len(rest))]
    sets = [(place, passing[other]) for place, other in enumerate(others)]
    for prefix in passing[tuple(rest)]:
        for level in range(problem.attributes[last].top + 1):
            node = (*prefix, level)
            if all(node[:place] + node[place + 1 :] in known for place, known in sets):
                yield node


def _search_subsets(
    problem: FullDomainProblem,
    size: int,
    candidates: dict[Subset, list[Node]],
    spending: Spending,
) -> Search[dict[Subset, set[Node]]]:
    """The passing nodes of all subsets of one size, breadth first, one statement for all."""
    subsets = [subset for subset, nodes in candidates.items() if nodes]
    passing: dict[Subset, set[Node]] = {subset: set() for subset in candidates}
    if not subsets:
        return passing
    table = f"frequency_sets_of_{size}"
    lowest = [tuple(map(min, zip(*candidates[subset], strict=True))) for subset in subsets]
    yield Step(
        table,
        render(
            "search/subset_frequency_sets.sql",
            size=size,
            words=problem.words,
            **problem.carried_inputs(),
            subsets=[
                [number, *problem.masks(_whole(problem, subset, node))]
                for number, (subset, node) in enumerate(zip(subsets, lowest, strict=True))
            ],
        ),
    )
    by_height: dict[int, list[tuple[int, Node]]] = defaultdict(list)
    for number, subset in enumerate(subsets):
        for node in candidates[subset]:
            by_height[sum(node)].append((number, node))
    for height in sorted(by_height):
        unknown: list[tuple[int, Node]] = []
        for number, node in sorted(by_height[height]):
            known = passing[subsets[number]]
            if any(below in known for below in specializations(node)):
                known.add(node)
            else:
                unknown.append((number, node))
        for start in range(0, len(unknown), _BATCH_SIZE):
            if spending.exhausted:
                return passing
            part = unknown[start : start + spending.affordable(_BATCH_SIZE)]
            asking = problem.score(
                [_whole(problem, subsets[number], node) for number, node in part],
                frequency_set=table,
                subsets=[number for number, _ in part],
            )
            scores = yield from reporting(asking, _so_far(problem, spending))
            spending.checked += len(part)
            for (number, node), score in zip(part, scores, strict=True):
                if problem.may_hold(score):
                    passing[subsets[number]].add(node)
    return passing


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
    """How far the search is in the lattices of all subsets of the attributes."""
    nodes = node_count([attribute.top + 2 for attribute in problem.attributes]) - 1
    return SoFar(spending.checked, "nodes of all subsets", nodes)


def _whole(problem: FullDomainProblem, subset: Subset, node: Node) -> Node:
    """The node of the whole lattice for a node of a subset: all other attributes at the top."""
    levels = list(problem.tops)
    for place, level in zip(subset, node, strict=True):
        levels[place] = level
    return tuple(levels)
