"""What a report says of a standard, and of the three criteria of the Article 29 Working Party.

Singling out, linkability and inference are those of its Opinion 05/2014. Words that never mix:
proven from the rows; estimated by a model; measured, which an attack found in this publication.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlanon.attacks.findings import AttackFinding
from sqlanon.pages.html import Column, Table, cell_text, percent
from sqlanon.plan.plan import Plan
from sqlanon.privacy_models.base import PrivacyModel
from sqlanon.risks.figures import Figure
from sqlanon.risks.table import POPULATION_UNIQUES

_ATTACKS = {
    "singling out": ("linkage",),
    "linkability": ("membership", "intersection", "histories"),
    "inference": (
        "homogeneity", "background-knowledge", "skewness", "similarity", "minimality",
    ),
}  # fmt: skip
"""The attacks that measure each criterion."""


def criteria(
    plan: Plan,
    smallest: int,
    members: str,
    findings: Sequence[AttackFinding],
    figures: Sequence[Figure],
    standard: Mapping[str, Any] | None,
) -> list[Table]:
    """The check list of the plan's standard, if it has one, and the three criteria.

    Args:
        smallest: rows, or persons, of the smallest class.
        members: which of them.
        findings: of attacks, as far as the readers of the page may know them.
        figures: of the risk, likewise.
        standard: the entry of the manifest.
    """
    columns = (Column("criterion"), Column("what is known"), Column("of this publication"))
    proven = {
        "singling out": f"every class has {smallest:,} {members} or more",
        "linkability": _pseudonyms(plan) + _promises(plan, lambda one: one.needs_population),
        "inference": _promises(plan, lambda one: one.sensitive_attribute is not None)[2:]
        or "nothing: no promise is about values",
    }
    alone = [n for n in plan.sensitive_attributes if n not in plan.promised_columns]
    open_ = {
        "singling out": _not_generalized(plan),
        "linkability": "other tables and releases of the same persons",
        "inference": "what holds for most people can be inferred of anybody"
        + (f"; no promise is about {', '.join(alone)}" if alone else ""),
    }
    rows = [
        row
        for name, attacks in _ATTACKS.items()
        for row in (
            (name, "proven", proven[name]),
            (name, "estimated", _estimated(figures) if name == "singling out" else "nothing"),
            (name, "measured", "; ".join(_measured(findings, attacks)) or "nothing"),
            (name, "not covered", open_[name]),
        )
    ]
    title = "Singling out, linkability and inference"
    return [*_checklist(standard), Table(title, columns, rows)]


def _checklist(standard: Mapping[str, Any] | None) -> Iterator[Table]:
    if standard is not None:
        columns = (Column("rule"), Column("state"), Column("what was found"))
        rows = [(one["title"], one["state"], one["text"]) for one in standard["rules"]]
        year = f", {standard['year']}" if standard["year"] else ""
        yield Table(f"{standard['name']}{year}: a check list, and no promise of k", columns, rows)


def _pseudonyms(plan: Plan) -> str:
    if plan.has_pseudonyms:
        return "pseudonyms " + ("differ in every run" if plan.has_random_pseudonyms else "last")
    return "no pseudonym is published"


def _promises(plan: Plan, is_about: Any) -> str:
    """The promises of some models, each after a semicolon."""
    pairs: Iterator[tuple[PrivacyModel, str]]
    pairs = zip(plan.privacy, plan.promises.sentences, strict=True)
    return "".join(f"; {sentence}" for model, sentence in pairs if is_about(model))


def _measured(findings: Sequence[AttackFinding], attacks: Sequence[str]) -> Iterator[str]:
    """What the attacks found that were tried."""
    for one in findings:
        if one.tried and one.attack in attacks:
            share = percent(one.share or 0)
            yield f"{one.about}: {one.rows_at_risk:,} of {one.rows:,} at risk ({share})"


def _estimated(figures: Sequence[Figure]) -> str:
    """The population uniques that each model estimates."""
    found = [
        f"{figure.name}: {cell_text(figure.value)} ({figure.model})"
        for figure in figures
        if figure.basis == "estimated" and figure.name == POPULATION_UNIQUES
    ]
    return "; ".join(found) or "nothing"


def _not_generalized(plan: Plan) -> str:
    """The columns that can single persons out, as no promise is about them."""
    names = [name for name in plan.kept_columns if name not in plan.sensitive_attributes]
    others = f": {', '.join(names)}" if names else ""
    return f"who knows more of a person than the quasi-identifiers{others}"
