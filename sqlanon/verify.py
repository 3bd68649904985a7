"""The proof: what a publication promises, measured from its own rows and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlanon.errors import PrivacyViolation
from sqlanon.full_domain import judgements
from sqlanon.prepare import unused
from sqlanon.privacy_models import PrivacyModel
from sqlanon.render import render, text
from sqlanon.step import Search, Step, quoted


@dataclass(frozen=True)
class Finding:
    """What verify found about one model.

    Attributes:
        measured: the deciding class measure, such as the smallest class size; None when empty.
        failing_classes, failing_rows: how many break the promise.
    """

    model: str
    parameters: Mapping[str, Any]
    measured: float | int | None
    satisfied: bool
    class_count: int
    failing_classes: int
    failing_rows: int

    def as_manifest(self) -> dict[str, Any]:
        """The entry of the manifest's `privacy` list."""
        return {
            "model": self.model,
            "parameters": dict(self.parameters),
            "attribute": self.parameters.get("attribute"),
            "measured": self.measured,
            "satisfied": self.satisfied,
        }


def file_relation(path: str) -> str:
    """The SQL that reads a published file: the text in it for CSV, the types in it otherwise."""
    if path.lower().endswith(".csv"):
        layout = "delim = ',', quote = '\"', escape = '\"', comment = '', skip = 0, header = true"
        return f"read_csv({text(path)}, {layout}, all_varchar = true)"
    return f"read_parquet({text(path)})"


def verify_steps(
    relation: str, quasi_identifiers: Sequence[str], models: Sequence[PrivacyModel]
) -> list[Step]:
    """Proofs over a publication: each is a table of violations, and no row means it holds.

    Args:
        relation: SQL that reads the published rows.
        quasi_identifiers: the columns that form classes.
    """
    renames = _renames(quasi_identifiers)
    steps = [
        Step("published_rows", render("verify/published_rows.sql", relation=relation), "view"),
        Step("proof_of_rows", render("verify/proof_of_rows.sql"), "proof"),
        Step(
            "published_equivalence_classes",
            render("verify/published_equivalence_classes.sql", quasi_identifiers=renames),
        ),
    ]
    for name, sql in _model_sql(models, renames):
        steps.append(
            Step(f"proof_of_{name}", render("verify/proof.sql", name=name, model_sql=sql), "proof")
        )
    return steps


def measure_steps(quasi_identifiers: Sequence[str], models: Sequence[PrivacyModel]) -> list[Step]:
    """For each model, the question of what the publication measures; after `verify_steps`."""
    return [
        Step(
            f"measured_{name}",
            render(
                "verify/measured.sql",
                name=f"measured_{name}",
                model_sql=sql,
                column=quoted(model.measure[0]),
                aggregate=model.measure[1],
            ),
            "rows",
        )
        for (name, sql), model in zip(
            _model_sql(models, _renames(quasi_identifiers)), models, strict=True
        )
    ]


def verify(
    relation: str, quasi_identifiers: Sequence[str], models: Sequence[PrivacyModel]
) -> Search[list[Finding]]:
    """Ask what a publication holds; all findings are returned, also of promises that fail.

    Raises:
        PrivacyViolation: the publication has no rows.
    """
    for step in verify_steps(relation, quasi_identifiers, models):
        violations = yield step
        if step.name == "proof_of_rows" and violations:
            raise PrivacyViolation(
                "The published table has no rows; an empty table proves nothing.",
                where="verify",
                fix="raise the suppression limit only as far as something is left to publish",
            )
    findings = []
    for step, model in zip(measure_steps(quasi_identifiers, models), models, strict=True):
        ((measured, class_count, failing_classes, failing_rows),) = yield step
        findings.append(
            Finding(
                model=model.model,
                parameters=model.parameters,
                measured=measured,
                satisfied=failing_classes == 0,
                class_count=class_count,
                failing_classes=failing_classes,
                failing_rows=int(failing_rows),
            )
        )
    return findings


def violation(findings: Sequence[Finding], where: str) -> PrivacyViolation | None:
    """The error for findings that do not all hold; None when they do."""
    broken = [finding for finding in findings if not finding.satisfied]
    if not broken:
        return None
    told = "; ".join(
        f"{finding.model} {_listed(finding.parameters)}: {finding.failing_classes} of"
        f" {finding.class_count} classes fail ({finding.failing_rows} rows),"
        f" measured {finding.measured}"
        for finding in broken
    )
    return PrivacyViolation(
        f"The rows do not hold the promise: {told}.",
        where=where,
        fix="do not publish this table; generalize or suppress more, then verify again",
    )


def _listed(parameters: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in parameters.items())


def _renames(quasi_identifiers: Sequence[str]) -> list[tuple[str, str]]:
    """Quasi-identifiers and their names beside the measures of a model."""
    reserved = ("class_size", "satisfied")
    names: list[tuple[str, str]] = []
    for name in quasi_identifiers:
        alias = name
        if name.lower() in reserved:
            alias = unused(name, [*reserved, *quasi_identifiers])
        names.append((name, alias))
    return names


def final_proofs(
    relation: str, quasi_identifiers: Sequence[str], models: Sequence[PrivacyModel]
) -> list[str]:
    """Queries that end a program: failing classes of the publication at its final place."""
    renames = _renames(quasi_identifiers)
    return [
        render(
            "verify/final_proof.sql",
            name=f"proof_of_{name}",
            relation=relation,
            quasi_identifiers=renames,
            model_sql=sql,
        )
        for name, sql in _model_sql(models, renames, "published_equivalence_classes")
    ]


def _model_sql(
    models: Sequence[PrivacyModel],
    renames: Sequence[tuple[str, str]],
    classes: str = "sqlanon.published_equivalence_classes",
) -> list[tuple[str, str]]:
    made = judgements(
        models,
        classes=classes,
        class_key=[alias for _, alias in renames],
    )
    return [(entry["name"], entry["sql"]) for entry in made]
