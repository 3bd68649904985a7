"""Tries attacks one by one, each on every attribute, and reports the results."""

from __future__ import annotations

import time
from collections.abc import Sequence

from sqlanon.attacks.base import Attack, Outcome
from sqlanon.attacks.findings import AttackFinding, finding_of
from sqlanon.outside.tables import Outside
from sqlanon.sql.step import Result, Rows, Search

OUT_OF_TIME = "the time for attacks was over"
"""Why an attack was not begun."""


def attacked(
    outside: Outside,
    tries: Sequence[Attack],
    *,
    list_classes: int = 0,
    with_values: bool = False,
    seconds: float | None = None,
) -> Search[list[AttackFinding]]:
    """Try these attacks on what an outsider has; one finding per attack, form and attribute.

    Args:
        list_classes: how many of the riskiest classes to list for each finding.
        with_values: whether to list their quasi-identifiers, too; they show who is at risk.
        seconds: after this time no other attack is begun; one that has begun is carried out.
    """
    start = time.monotonic()
    yield from outside.prepare()
    findings: list[AttackFinding] = []
    made: dict[str, Rows] = {}
    for attempted in tries:
        for relations, reason in outside.targets(attempted, len(findings)):
            outcome: Outcome | str | None = reason or attempted.missing(relations)
            if outcome is None and seconds is not None and time.monotonic() - start > seconds:
                outcome = OUT_OF_TIME
            if outcome is None:
                search = attempted.attempt(
                    relations, list_classes=list_classes, with_values=with_values
                )
                outcome = yield from _once(search, made)
            findings.append(finding_of(attempted, relations, outcome))
    return findings


def _once(search: Search[Result], made: dict[str, Rows]) -> Search[Result]:
    """The same search without steps that another form of the attack has made in the same words."""
    try:
        step = next(search)
        while True:
            key = f"{step.name}: {step.sql}"
            if key not in made:
                made[key] = yield step
            step = search.send(made[key])
    except StopIteration as end:
        result: Result = end.value
        return result
