"""Which warnings a plan acknowledges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlanon.errors import PlanError, brief, did_you_mean
from sqlanon.plan.draft import Draft
from sqlanon.plan.warnings import KINDS, PlanWarning

_UNUSED = "unused-acknowledgment"


def check_acknowledged(plan: Draft) -> Iterator[PlanError]:
    """The faults of acknowledgments that can be of no warning."""
    names = [f"{kind}.{column}" for kind in KINDS for column in plan.columns]
    for number, name in enumerate(plan.acknowledge):
        if name not in names:
            yield PlanError(
                f"No warning can be called '{brief(name)}': names are KIND.COLUMN.",
                where=plan.where("acknowledge", number),
                fix=did_you_mean(name, names),
            )


def marked(plan: Draft, warnings: Sequence[PlanWarning]) -> tuple[PlanWarning, ...]:
    """The warnings, marked if the plan acknowledges them, and one for each that is not there."""
    found = [replace(w, acknowledged=w.name in plan.acknowledge) for w in warnings]
    names = {warning.name for warning in warnings}
    unused = [name for name in dict.fromkeys(plan.acknowledge) if name not in names]
    return (*found, *(_unused(name, warnings) for name in unused))


def _unused(name: str, warnings: Sequence[PlanWarning]) -> PlanWarning:
    column = name.partition(".")[2]
    near = [w.name for w in warnings if w.column == column] or [w.name for w in warnings]
    return PlanWarning(
        f"{_UNUSED}.{name}",
        column,
        f"The plan acknowledges '{name}', of which there is no warning. "
        + (did_you_mean(name, near) or "Leave it out."),
    )
