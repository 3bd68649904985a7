"""The search of a plan's method, on a problem at hand."""

from __future__ import annotations

from sqlanon.families.search import search_lattice
from sqlanon.methods.full_domain import FullDomainMethod, FullDomainResult
from sqlanon.plan.plan import Plan
from sqlanon.search.full_domain import FullDomainProblem
from sqlanon.sql.step import Search


def searched(plan: Plan, problem: FullDomainProblem) -> Search[FullDomainResult]:
    """The node that the plan's method finds."""
    assert isinstance(plan.method, FullDomainMethod)
    return search_lattice(plan, problem, plan.method.search(problem))
