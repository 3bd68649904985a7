"""Samarati: search for the lowest height of the lattice that has a satisfying node."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from sqlanon.methods.full_domain import (
    AnyObjective,
    BoxSearch,
    BudgetedMethod,
    FullDomainResult,
    Spending,
)
from sqlanon.methods.passes import Rank
from sqlanon.search.full_domain import FullDomainProblem
from sqlanon.search.lattice import Node
from sqlanon.sql.step import Search
from sqlanon.utility.base import Cost, comparable
from sqlanon.utility.measures import Height


class Samarati(BudgetedMethod):
    """Find a node of minimal height; among these, the best one by the objective.

    The paper halves the heights, and looks at all nodes of one. This divides the lattice as
    `optimal` does, which finds the same node with fewer questions.
    """

    guarantee: ClassVar[str] = "no satisfying node has a smaller height"
    source: ClassVar[str] = "Samarati 2001, Protecting respondents' identities in microdata release"
    pass_label: ClassVar[str] = "the lowest node at which the rows lose less than if all wait"
    name: Literal["samarati"] = "samarati"

    def __init__(self, objective: AnyObjective = "loss", **keys: Any) -> None:
        self._set_keys(objective=objective, **keys)

    @staticmethod
    def rank(cost: Cost, node: Node) -> Rank:
        return _LowestSearch.rank(cost, node)

    def search(self, problem: FullDomainProblem) -> Search[FullDomainResult | None]:
        return (yield from _LowestSearch(problem, Spending(self.budget)).run())


class _LowestSearch(BoxSearch):
    """The same search, by height before cost."""

    complete = "lowest height"
    incomplete = "not proven lowest"

    def __init__(self, problem: FullDomainProblem, spending: Spending) -> None:
        super().__init__(problem, spending)
        self.divided_by = Height()

    @staticmethod
    def rank(cost: Cost, node: Node) -> Rank:
        height = sum(node)
        return (height, *comparable(cost)), height, node
