"""Maps methods to ways; no other module does."""

from __future__ import annotations

from typing import Any

from sqlanon.methods.full_domain import FullDomainMethod
from sqlanon.methods.partition import CuttingMethod, DealingMethod
from sqlanon.plan.plan import Plan
from sqlanon.release.full_domain import FullDomainWay
from sqlanon.release.partition import CuttingWay, DealingWay
from sqlanon.release.way import Way


def way_of(plan: Plan) -> Way[Any]:
    """The way for the plan's method."""
    match plan.method:
        case FullDomainMethod() as method:
            return FullDomainWay(plan, method)
        case DealingMethod() as method:
            return DealingWay(plan, method)
        case CuttingMethod() as method:
            return CuttingWay(plan, method)
    raise TypeError(f"{plan.method.name} is of no kind of method")  # pragma: no cover
