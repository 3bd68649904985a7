"""Maps methods to families; no other module does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlanon.families.base import Family
from sqlanon.families.full_domain import FullDomainFamily
from sqlanon.families.partition import PartitionFamily
from sqlanon.families.passes import PassesFamily
from sqlanon.families.solution import Solution
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.methods.full_domain import FullDomainMethod
from sqlanon.plan.plan import Plan
from sqlanon.sql.step import Search


def family_of(plan: Plan) -> type[Family[Any]]:
    """The family of the plan's method."""
    if not isinstance(plan.method, FullDomainMethod):
        return PartitionFamily
    return PassesFamily if plan.method.makes_passes else FullDomainFamily


def prepared(plan: Plan, hierarchies: Mapping[str, Hierarchy]) -> Search[Family[Any]]:
    """The plan's family with its data; see `Family.prepare`."""
    return family_of(plan).prepare(plan, hierarchies)


def recorded(
    plan: Plan, hierarchies: Mapping[str, Hierarchy], solution: Solution | None
) -> Family[Any]:
    """The plan's family as a solution records its data; see `Family.recorded`."""
    return family_of(plan).recorded(plan, hierarchies, solution)
