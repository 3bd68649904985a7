"""What every full-domain method is: a search for a lattice node, within a budget."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from sqlanon.bounds import Count
from sqlanon.methods.base import Method
from sqlanon.search.full_domain import FullDomainProblem, NodeScore
from sqlanon.search.lattice import Node
from sqlanon.sql.step import Search
from sqlanon.utility.base import Cost, UtilityMeasure
from sqlanon.utility.measures import AnyUtilityMeasure, Loss


class Budget(BaseModel):
    """How long a search may go on; then the best found is returned, and labeled so."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    nodes: Annotated[Count, Field(ge=1)] | None = Field(None, description="lattice nodes to check")
    seconds: Annotated[float, Field(gt=0, le=1e9)] | None = Field(
        None, description="time to search"
    )


@dataclass(frozen=True)
class FullDomainResult:
    """The node that a method chose, and what it learned of the lattice on the way.

    Attributes:
        node: levels in the order of the quasi-identifiers.
        label: what the method claims of the node, in words.
        checked: nodes whose classes were counted; of subsets, those that leave attributes out.
        satisfying, minimal: how many nodes of the lattice hold the promise, and how many of them
            have none below; None where the method does not learn it.
        minimal_nodes: those nodes, where the method learns them.
        cost: of the node, by the objective.
    """

    node: Node
    label: str
    score: NodeScore
    checked: int
    cost: Cost | None = None
    satisfying: int | None = None
    minimal: int | None = None
    minimal_nodes: tuple[Node, ...] = ()


class FullDomainMethod(Method):
    """A way to find a lattice node."""

    objective: AnyUtilityMeasure = Field(
        default_factory=Loss, description="the measure to make small"
    )

    @property
    def minimized(self) -> UtilityMeasure:
        return self.objective

    def search(self, problem: FullDomainProblem) -> Search[FullDomainResult | None]:
        """Ask until the node is found; None when no node holds the promise."""
        raise NotImplementedError  # pragma: no cover - every method states its own


class Spending:
    """A budget being spent."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._start = time.monotonic()
        self.checked = 0

    @property
    def exhausted(self) -> bool:
        """Whether no further node may be checked."""
        nodes, seconds = self._budget.nodes, self._budget.seconds
        return (nodes is not None and self.checked >= nodes) or (
            seconds is not None and time.monotonic() - self._start >= seconds
        )

    def affordable(self, wanted: int) -> int:
        """How many of `wanted` nodes may still be checked."""
        nodes = self._budget.nodes
        return wanted if nodes is None else max(0, min(wanted, nodes - self.checked))
