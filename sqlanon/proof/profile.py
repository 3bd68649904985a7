"""The risks of a table as it is: what models would measure if its rows were published unchanged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlanon import privacy_models
from sqlanon.display.blocks import WARNING, Block, Pairs, Sentences, Table, words
from sqlanon.display.tabular import Tabular
from sqlanon.plan.plan import Plan
from sqlanon.privacy_models.base import PrivacyModel
from sqlanon.proof.external_tables import FindHierarchies
from sqlanon.proof.findings import plain, proven_findings
from sqlanon.proof.publication import publication_of
from sqlanon.source.hierarchies import hierarchy_problems, with_known_levels
from sqlanon.sql.render import question
from sqlanon.sql.step import Search, Step


@dataclass(frozen=True)
class Profile(Tabular):
    """The risks of a table as it is.

    Attributes:
        classes: class_count, row_count, unique_count, smallest, median and largest class size.
        uniqueness: share of rows whose quasi-identifiers no other row has, 0 to 1.
        measured: one entry per model and attribute: its measure if these rows were published.
        unknown_values: number of rows with a value that the hierarchy lacks, by attribute.
    """

    classes: dict[str, int]
    uniqueness: float
    measured: list[dict[str, Any]]
    unknown_values: dict[str, int]

    def records(self) -> list[dict[str, Any]]:
        """One row for each model and attribute."""
        names = dict.fromkeys(name for entry in self.measured for name in entry)
        rows = [{name: entry.get(name) for name in names} for entry in self.measured]
        for row in rows:
            row["measured"] = None if row["measured"] is None else float(row["measured"])
        return rows

    def displayed(self) -> Sequence[Block]:
        sizes = [(words(name), count) for name, count in self.classes.items()]
        measured = [
            [entry["model"],
             ", ".join(entry[key] for key in ("kind", "distance", "absent") if key in entry),
             entry.get("attribute", ""), words(entry["measure"]), entry["measured"]]
            for entry in self.measured
        ]  # fmt: skip
        columns = ["model", "variant", "attribute", "measure", "value"]
        unknown = [
            f"{name}: {count:,} rows have a value that is missing from its hierarchy"
            for name, count in self.unknown_values.items()
        ]
        return [
            Pairs("classes of the source", [*sizes, ("uniqueness", self.uniqueness)]),
            Table("models, if its rows were published unchanged", columns, measured),
            *([Sentences(unknown, style=WARNING)] if unknown else []),
        ]


def reference_models(
    plan: Plan, ordered: Sequence[str], numeric: Sequence[str]
) -> Iterator[PrivacyModel]:
    """Every model that the columns of a plan allow, with bounds that have no effect.

    Args:
        ordered: the sensitive attributes whose values have an order.
        numeric: the sensitive attributes whose values are numbers.
    """
    for cls in privacy_models.PRIVACY_MODELS:
        for parameters in cls.reference_bounds:
            names = plan.sensitive_attributes if "attribute" in cls.model_fields else (None,)
            for name in names:
                about = {} if name is None else {"attribute": name}
                model = cls.model_validate({**parameters, **about})
                if not (
                    (model.needs_population and plan.population is None)
                    or (plan.unit and model.reads_labels(len(plan.quasi_identifiers)))
                    or (model.needs_value_levels and name not in plan.hierarchies)
                    or (model.needs_order and name not in ordered)
                    or (model.needs_numbers and name not in numeric)
                ):
                    yield model


def profiled(plan: Plan, models_of: Plan, find_hierarchies: FindHierarchies) -> Search[Profile]:
    """Measure every model that the columns allow; after `read_source`.

    Args:
        plan: reads the unchanged rows as if they were published.
        models_of: the plan as it was given; its columns determine which models are measured.
    """
    if plan.counted_columns:
        rows = yield Step("ordered", _ORDERED, "rows")
        ordered, numeric = [row[0] for row in rows], [row[0] for row in rows if row[1]]
        privacy = tuple(reference_models(models_of, ordered, numeric))
        plan = plan.model_copy(update={"privacy": privacy})
    known = yield from with_known_levels(plan, find_hierarchies())
    problems = yield from hierarchy_problems(plan, known)
    publication = replace(
        publication_of(plan, "sqlanon.source_rows"),
        quasi_identifiers=list(plan.quasi_identifiers),
        located=[],
        persons=None,  # rows of the source have the key
        nodes=[dict.fromkeys(plan.quasi_identifiers, 0)],
    )
    findings = yield from proven_findings(publication, own_reference=True)
    (sizes,) = yield question("proof/class_sizes")
    names = ("class_count", "row_count", "unique_count", "smallest", "median", "largest")
    classes = dict(zip(names, map(int, sizes), strict=True))
    return Profile(
        classes=classes,
        uniqueness=classes["unique_count"] / classes["row_count"],
        measured=[
            {
                "model": finding.model,
                **{key: finding.parameters[key] for key in _SHOWN if key in finding.parameters},
                "measure": model.deciding_measure[0],
                "measured": plain(finding.measured),
            }
            for finding, model in zip(findings, plan.privacy, strict=True)
        ],
        unknown_values={row[0]: row[3] for row in problems if "without a row" in row[2]},
    )


_ORDERED = (
    "select attribute, count(number) > 0\nfrom sqlanon.counted_values\nwhere text is not null\n"
    "group by attribute\nhaving count(number) in (0, count(*))"
    " and not bool_or(coalesce(not isfinite(number), false))"
)
"""The attributes whose values all are finite numbers, or none of whose values is, and which."""

_SHOWN = ("attribute", "kind", "distance", "l", "absent")
"""Parameters that distinguish these models; the others are bounds that a profile does not use."""
