"""The proof: what a publication promises, measured from its own rows and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlanon.errors import PrivacyViolation
from sqlanon.full_domain import judgements, values_of
from sqlanon.prepare import unused
from sqlanon.privacy_models import PrivacyModel
from sqlanon.render import render, text
from sqlanon.step import Search, Step, quoted


@dataclass(frozen=True)
class Finding:
    """What verify found about one model.

    Attributes:
        measured: the deciding class measure, such as the smallest class size; None when empty.
        measured_published: the same, with classes compared with the published rows instead of
            all rows of the source.
        failing_classes, failing_rows: how many break the promise.
    """

    model: str
    parameters: Mapping[str, Any]
    measured: float | int | None
    measured_published: float | int | None
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
            "measured": _plain(self.measured),
            "measured_published": _plain(self.measured_published),
            "satisfied": self.satisfied,
        }


def _plain(measured: float | int | None) -> float | int | str | None:
    """The measure as JSON can hold it."""
    return "infinity" if measured == float("inf") else measured


def file_relation(path: str) -> str:
    """The SQL that reads a published file: the text in it for CSV, the types in it otherwise."""
    if path.lower().endswith(".csv"):
        layout = "delim = ',', quote = '\"', escape = '\"', comment = '', skip = 0, header = true"
        return f"read_csv({text(path)}, {layout}, all_varchar = true)"
    return f"read_parquet({text(path)})"


@dataclass(frozen=True)
class Publication:
    """What verify looks at: published rows, and what is promised of them.

    Attributes:
        relation: SQL that reads the published rows.
        quasi_identifiers: the columns that form classes.
        models: the promises.
        counted: the attributes whose values the promises look at; `table_values_N` of each must
            exist, made from the source, or, without one, from the published table itself.
    """

    relation: str
    quasi_identifiers: Sequence[str]
    models: Sequence[PrivacyModel]
    counted: Sequence[str] = ()

    @property
    def renames(self) -> list[tuple[str, str]]:
        """Quasi-identifiers, and their names beside the measures of a model."""
        names: list[tuple[str, str]] = []
        for name in self.quasi_identifiers:
            taken = name.lower() in _RESERVED
            names.append(
                (name, unused(name, [*_RESERVED, *self.quasi_identifiers]) if taken else name)
            )
        return names

    @property
    def numbered(self) -> list[tuple[int, str]]:
        """The counted attributes that a model looks at, with their numbers."""
        return values_of(self.counted, self.models)

    def judged(
        self,
        classes: str = "sqlanon.published_equivalence_classes",
        class_values: str = "sqlanon.published_class_values",
        table_values: str = "sqlanon.table_values",
    ) -> list[tuple[str, str]]:
        """Name and select of every promise over the published classes."""
        made = judgements(
            self.models,
            self.counted,
            classes=classes,
            class_key=[alias for _, alias in self.renames],
            class_values=class_values,
            table_values=table_values,
        )
        return [(entry["name"], entry["sql"]) for entry in made]


_RESERVED = ("class_size", "satisfied", "value", "value_count", "diversity", "distance")


def verify_steps(publication: Publication) -> list[Step]:
    """Proofs over a publication: each is a table of violations, and no row means it holds."""
    steps = [
        Step(
            "published_rows",
            render("verify/published_rows.sql", relation=publication.relation),
            "view",
        ),
        Step("proof_of_rows", render("verify/proof_of_rows.sql"), "proof"),
        Step(
            "published_equivalence_classes",
            render(
                "verify/published_equivalence_classes.sql",
                quasi_identifiers=publication.renames,
            ),
        ),
        *_value_steps(publication),
    ]
    for name, sql in publication.judged():
        steps.append(
            Step(f"proof_of_{name}", render("verify/proof.sql", name=name, model_sql=sql), "proof")
        )
    return steps


def _value_steps(publication: Publication) -> list[Step]:
    """The values of the sensitive attributes, of the publication and of each of its classes."""
    steps = []
    for number, attribute in publication.numbered:
        inputs = {"number": number, "attribute": attribute}
        steps += [
            Step(
                f"published_class_values_{number}",
                render(
                    "verify/published_class_values.sql",
                    **inputs,
                    quasi_identifiers=publication.renames,
                ),
            ),
            Step(
                f"published_table_values_{number}",
                render("verify/published_table_values.sql", **inputs),
            ),
        ]
    return steps


def measure_steps(
    publication: Publication, table_values: str = "sqlanon.table_values"
) -> list[Step]:
    """For each model, the question of what the publication measures; after `verify_steps`."""
    judged = publication.judged(table_values=table_values)
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
        for (name, sql), model in zip(judged, publication.models, strict=True)
    ]


def verify(publication: Publication) -> Search[list[Finding]]:
    """Ask what a publication holds; all findings are returned, also of promises that fail.

    Raises:
        PrivacyViolation: the publication has no rows.
    """
    for step in verify_steps(publication):
        violations = yield step
        if step.name == "proof_of_rows" and violations:
            raise PrivacyViolation(
                "The published table has no rows; an empty table proves nothing.",
                where="verify",
                fix="raise the suppression limit only as far as something is left to publish",
            )
    findings = []
    against_table = measure_steps(publication)
    against_published = measure_steps(publication, "sqlanon.published_table_values")
    for model, step, other in zip(
        publication.models, against_table, against_published, strict=True
    ):
        ((measured, class_count, failing_classes, failing_rows),) = yield step
        measured_published = measured
        if model.sensitive_attribute is not None:
            ((measured_published, *_),) = yield other
        findings.append(
            Finding(
                model=model.model,
                parameters=model.parameters,
                measured=measured,
                measured_published=measured_published,
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


def final_proofs(publication: Publication) -> list[str]:
    """Queries that end a program: failing classes of the publication at its final place."""
    judged = publication.judged("published_equivalence_classes", "published_class_values")
    return [
        render(
            "verify/final_proof.sql",
            name=f"proof_of_{name}",
            relation=publication.relation,
            quasi_identifiers=publication.renames,
            values_of=values_of(publication.counted, [model]),
            model_sql=sql,
        )
        for (name, sql), model in zip(judged, publication.models, strict=True)
    ]
