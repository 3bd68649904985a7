"""δ-presence of a permuted publication: exact probabilities, counted from its own rows."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from sqlanon.plan.plan import Plan
from sqlanon.presence.decisions import Limits
from sqlanon.presence.membership import presence
from sqlanon.proof.findings import Finding
from sqlanon.source.tables import population_count_name
from sqlanon.sql.step import Search

_ROOM = 15
"""Times as many states as the search may count: cells are in another order here, and the order
decides how many states a count takes."""


def presence_findings(plan: Plan) -> Search[list[Finding]]:
    """What a permuted publication holds of the plan's promises about a population.

    To be asked after `verify_steps`, while the combinations of the population and the hierarchies
    exist. Only certain results count: a person whose probability could not be counted makes a
    promise fail.
    """
    models = [model for model in plan.privacy if model.presence is not None]
    if not models or not plan.publishes_buckets:
        return []
    names = list(plan.quasi_identifiers)
    found = yield from presence(
        [[name] for name in names],
        population_count=population_count_name(plan),
        generalized=names,
        title="presence",
        limits=Limits(_ROOM * plan.method.counted_states, exchanges=0, nodes=0, probes=0, steps=0),
        where=plan.where("population"),
    )
    findings = []
    for model in models:
        low, high = (Fraction(bound) for bound in model.presence or (0, 1))
        outside = {cell.bucket for cell in found.cells if cell.outside(low, high)[1]}
        _, possible = found.persons_outside(low, high)
        # Who matches no bucket is not in the table, which a dmin above 0 does not allow.
        is_missed = low > 0 and found.unmatched_persons > 0
        lowest = 0 if is_missed else min(cell.decision.lower for cell in found.cells)
        highest = max(cell.decision.upper for cell in found.cells)
        findings.append(
            Finding(
                model=model.model,
                parameters=model.parameters,
                measured=float(highest),
                measured_sides={"dmin": float(lowest), "dmax": float(highest)},
                satisfied=possible == 0,
                class_count=len({cell.bucket for cell in found.cells}),
                failing_classes=len(outside),
                failing_rows=possible,
            )
        )
    return findings


def in_plan_order(plan: Plan, findings: Sequence[Finding]) -> list[Finding]:
    """The findings in the order of the plan's promises."""
    places: list[tuple[str, dict[str, Any]]] = [
        (promise.model, dict(promise.parameters)) for promise in plan.privacy
    ]
    return sorted(findings, key=lambda found: places.index((found.model, dict(found.parameters))))
