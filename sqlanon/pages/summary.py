"""The summary of a report: what is proven, what attacks measured, and warnings, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlanon.attacks.findings import AttackFinding
from sqlanon.pages.facts import PublishedFacts
from sqlanon.pages.html import percent

_MOST_FINDINGS = 4
"""Findings with a sentence each, those of most rows first."""


def summary(
    promises: Sequence[Mapping[str, Any]],
    findings: Sequence[AttackFinding],
    warnings: Sequence[Mapping[str, Any]],
    published: PublishedFacts,
    fewest: int,
) -> dict[str, Any]:
    """The variables of the summary.

    Args:
        promises: with their sentences and whether they hold.
        findings: of all attacks, also those that were not tried.
        fewest: rows that a value needs to be named.

    Returns:
        `tone`, the class of the box: good only if the promises hold, attacks were tried and none
        puts a row at risk, and no warning stands; `title`; and for `measured` a list of sentences.
    """
    tried = sorted((one for one in findings if one.tried), key=lambda one: -(one.share or 0))
    risky = [one for one in tried if one.rows_at_risk]
    kept = "The promise holds" if len(promises) == 1 else f"All {len(promises)} promises hold"
    if not all(one["holds"] for one in promises):
        return {
            "tone": "fails",
            "title": "✗ A promise does not hold. Do not use this publication.",
            "measured": [],
        }
    if risky:
        most = percent(risky[0].share or 0)
        title = f"✓ {kept}. Attacks still learn something of up to {most} of the rows."
    elif not tried:
        title = f"✓ {kept}. What attacks learn was not measured."
    else:
        title = f"✓ {kept}. The attacks that were tried put no row at risk."
    open_warnings = [one for one in warnings if not one["acknowledged"]]
    is_good = bool(tried) and not risky and not open_warnings
    measured = [_sentence(one, published, fewest) for one in risky[:_MOST_FINDINGS]]
    if len(risky) > _MOST_FINDINGS:
        others = ", ".join(one.about for one in risky[_MOST_FINDINGS:])
        measured.append(f"Fewer rows: {others}.")
    safe = [one.about for one in tried if not one.rows_at_risk]
    if safe:
        measured.append(f"No row at risk: {', '.join(safe)}.")
    return {"tone": "good" if is_good else "mixed", "title": title, "measured": measured}


def _sentence(one: AttackFinding, published: PublishedFacts, fewest: int) -> str:
    """What the figure of an attack means."""
    judged = ""
    if one.at_most is not None:
        side = "more than" if one.succeeds else "within"
        judged = f", {side} the {percent(one.at_most)} that the plan accepts"
    text = (
        f"{percent(one.share or 0)} of the rows ({one.rows_at_risk:,}), by the attack"
        f" {one.about}{judged}: {one.meaning}."
    )
    disclosed = published.disclosed.get(one.attribute or "")
    if one.attack != "homogeneity" or disclosed is None or disclosed.all_rows != one.rows_at_risk:
        return text
    left = disclosed.all_rows - disclosed.rows
    if disclosed.rows < fewest or 0 < left < fewest:
        return text
    value = "missing" if disclosed.value is None else f"“{disclosed.value}”"
    share = percent(disclosed.rows / disclosed.all_rows)
    return f"{text} Of them, {share} have the value {value}."
