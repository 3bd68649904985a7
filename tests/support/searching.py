"""The search of a plan's method, on a problem at hand; and few rows that are taken for many."""

from __future__ import annotations

import pytest

from sqlanon.families import release_by_place
from sqlanon.families.search import search_lattice
from sqlanon.methods.full_domain import FullDomainMethod, FullDomainResult
from sqlanon.plan.plan import Plan
from sqlanon.search import partition
from sqlanon.search.full_domain import FullDomainProblem
from sqlanon.sql.step import Search


def searched(plan: Plan, problem: FullDomainProblem) -> Search[FullDomainResult]:
    """The node that the plan's method finds."""
    assert isinstance(plan.method, FullDomainMethod)
    return search_lattice(plan, problem, plan.method.search(problem))


def release_in_steps(patch: pytest.MonkeyPatch) -> None:
    """Let few rows be cut, dealt and released as many are."""
    patch.setattr(release_by_place, "_MANY_ROWS", 1)
    for module in (release_by_place, partition):
        patch.setattr(module, "ROWS_EACH", 0)
