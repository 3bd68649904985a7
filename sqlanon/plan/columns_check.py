"""Checks the columns of a plan, and that each promise names an attribute that it can use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from sqlanon.errors import PlanError, did_you_mean
from sqlanon.plan.columns import Identifier
from sqlanon.plan.draft import Draft
from sqlanon.plan.keys import Unit
from sqlanon.privacy_models.base import PrivacyModel
from sqlanon.privacy_models.sensitive import SensitiveModel

_Plan = TypeVar("_Plan", bound=Draft)


def with_attributes(plan: _Plan) -> tuple[_Plan, list[PlanError]]:
    """The plan, where each model of a sensitive attribute names its attribute, and the faults.

    It is a fault if an attribute is missing, unknown, or lacks the hierarchy that the model needs.
    """
    models, faults = [], []
    for number, model in enumerate(plan.privacy):
        if isinstance(model, SensitiveModel):
            try:
                model = _with_attribute(plan, model, plan.where("privacy", number, "attribute"))
            except PlanError as fault:
                faults.append(fault)
        models.append(model)
    return plan.model_copy(update={"privacy": tuple(models)}), faults


def _with_attribute(plan: Draft, model: SensitiveModel, where: str) -> SensitiveModel:
    name = model.attribute
    known = [*plan.sensitive_attributes, *plan.quasi_identifiers]
    if name is None and len(plan.sensitive_attributes) != 1:
        raise PlanError(
            f"The plan has {len(plan.sensitive_attributes)} sensitive attributes, and"
            f" {model.model} does not say which one it protects.",
            where=where,
            fix="add `attribute:` with the name of a column whose role is sensitive",
        )
    name = name or plan.sensitive_attributes[0]
    if name not in known:
        raise PlanError(
            f"'{name}' is not a sensitive attribute of the plan.",
            where=where,
            fix=did_you_mean(name, known),
        )
    if model.needs_value_levels and name not in plan.hierarchies:
        raise PlanError(
            f"{model.model} needs a hierarchy of '{name}' to measure distances of values.",
            where=where,
            fix=f"give `columns.{name}` a hierarchy, or choose another distance",
        )
    return model.model_copy(update={"attribute": name})


def check_columns(plan: Draft) -> Iterator[PlanError]:
    """The faults that depend on several columns."""
    if not plan.quasi_identifiers:
        yield PlanError(
            "No column is a quasi-identifier, so there is nothing to generalize.",
            where=plan.where("columns"),
            fix="give the role quasi-identifier to every column that together with others could"
            " reveal who a person is, such as age, sex and postal code",
        )
    seen: dict[str, str] = {}
    for name in plan.columns:
        if "\n" in name or "\r" in name or not name:
            yield PlanError(
                "A column name is empty or contains a line break; SQL is read line by line.",
                where=plan.where("columns", name),
                fix="rename the column in a `source: {query: …}`",
            )
        other = seen.setdefault(name.lower(), name)
        if other != name:
            yield PlanError(
                f"'{other}' and '{name}' are the same column: SQL ignores case in names.",
                where=plan.where("columns", name),
                fix="keep one of them, or rename a column in a `source: {query: …}`",
            )
    keys = {c.key: name for name, c in plan.columns.items()
            if isinstance(c, Identifier) and c.action == "pseudonym"}  # fmt: skip
    if len(keys) > 1:
        yield PlanError(
            "Pseudonyms of a plan have one key, which cannot be random and from the environment.",
            where=plan.where("columns", keys[None]),
            fix="write `key: random` for every pseudonym, or for none",
        )
    if plan.quasi_identifiers and all(
        column.weight == 0 for column in plan.quasi_identifiers.values()
    ):
        yield PlanError(
            "Every quasi-identifier has the weight 0, so losses cannot be compared.",
            where=plan.where("columns"),
            fix="give at least one quasi-identifier a weight above 0",
        )
    attribute = plan.label_attribute
    if attribute is not None and attribute not in plan.columns:
        yield PlanError(
            f"The plan has no column '{attribute}'.",
            where=plan.where("method", "objective", "attribute"),
            fix=did_you_mean(attribute, plan.columns),
        )
    elif attribute is not None and isinstance(plan.columns[attribute], Identifier):
        yield PlanError(
            f"'{attribute}' is an identifier; its values are not published, so they cannot be"
            " predicted.",
            where=plan.where("method", "objective", "attribute"),
            fix="name a column that is published as it is",
        )


def _check_generalized(plan: Draft, number: int, model: PrivacyModel) -> Iterator[PlanError]:
    """The fault of a promise about a quasi-identifier, of which each class has one published value.

    Such a promise can be counted (l = 1 holds, l = 2 does not), but it cannot be compared with the
    table, whose values differ from the published ones.
    """
    listed = getattr(model, "values", ()) or getattr(model, "harmless", ())
    if (
        model.compares_with_table
        or model.needs_numbers
        or listed
        or getattr(model, "never_excluded", ())
        or plan.label_attribute == model.sensitive_attribute
    ):
        yield PlanError(
            f"'{model.sensitive_attribute}' is a quasi-identifier: every class has one published"
            f" value of it, which {model.model} cannot compare with the values of the source.",
            where=plan.where("privacy", number),
            fix="give the column the role sensitive; with `mode: joint` the promises of other"
            " attributes then treat it as known",
        )


def check_promises(plan: Draft) -> Iterator[PlanError]:
    """The faults of models, population, unit and suppression that do not fit each other."""
    masked = plan.suppression.rows == "mask"
    for number, model in enumerate(plan.privacy):
        if model.needs_population and plan.population is None:
            yield PlanError(
                f"{model.model} compares with a population, but the plan has none.",
                where=plan.where("privacy", number),
                fix="add `population:` with a table that contains the source's persons and others",
            )
        if model.sensitive_attribute in plan.quasi_identifiers:
            yield from _check_generalized(plan, number, model)
        if masked and (model.needs_population or model.judges_whole_table):
            yield PlanError(
                f"{model.model} cannot be judged where rows are kept with '*' in every"
                " quasi-identifier: they belong to no class of their own.",
                where=plan.where("suppression", "rows"),
                fix="write `rows: drop`",
            )
    if plan.unit is not None:
        yield from _check_unit(plan, plan.unit)


def _check_unit(plan: Draft, unit: Unit) -> Iterator[PlanError]:
    """The faults of a plan that counts persons."""
    where, key = plan.where("unit"), unit.column
    if key not in plan.columns:
        yield PlanError(
            f"The plan has no column '{key}'.",
            where=where,
            fix=did_you_mean(key, plan.columns),
        )
        return
    yield from _check_key(plan, unit)
    if plan.suppression.rows == "mask":
        yield PlanError(
            "Suppressed rows cannot be kept with '*' where persons are counted: a person can have"
            " rows in several suppressed classes, whose persons cannot be added up.",
            where=plan.where("suppression", "rows"),
            fix="write `rows: drop`",
        )
    if plan.order == "source":
        yield PlanError(
            "The order of the source can show which rows are of one person.",
            where=plan.where("order"),
            fix="leave out `order:`",
        )
    if plan.population is not None and unit.is_linked:
        yield PlanError(
            "A population has one row per person; it cannot be compared with linked histories.",
            where=plan.where("population"),
            fix="leave out `histories:`, or the population and the models that need it",
        )
    if plan.promises.against_published.models and plan.suppression.limit:
        yield PlanError(
            "A promise cannot be compared with the published rows where persons are counted and"
            " rows are suppressed.",
            where=where,
            fix="write `reference: original`, or a suppression limit of 0",
        )
    if plan.label_attribute is not None:
        yield PlanError(
            f"The objective {plan.objective.name} counts rows, but the plan counts persons.",
            where=plan.where("method", "objective"),
            fix="choose another objective, such as loss",
        )


def _check_key(plan: Draft, unit: Unit) -> Iterator[PlanError]:
    """The faults of the column that identifies persons, and of what is published in its place."""
    key, column = unit.column, plan.columns[unit.column]
    is_published = key in plan.published_columns and key not in plan.quasi_identifiers
    if unit.is_linked and not is_published:
        yield PlanError(
            f"Linked histories need a published key, and '{key}' is not published.",
            where=plan.where("columns", key),
            fix=f"write `{key}: {{role: identifier, action: pseudonym, key: random}}`",
        )
    if unit.is_linked and isinstance(column, Identifier) and column.key is None and is_published:
        yield PlanError(
            "Two publications with one key of pseudonyms can be joined by them.",
            where=plan.where("columns", key),
            fix=f"write `{key}: {{role: identifier, action: pseudonym, key: random}}`",
        )
    if unit.is_linked and (plan.method.makes_partition or plan.publishes_buckets):
        yield PlanError(
            f"{plan.method.name} makes each row alike to others by itself; rows that a key joins"
            " would show more of a person than each of them.",
            where=plan.where("method"),
            fix="choose optimal, incognito, samarati or datafly, or leave out `histories:`",
        )
    if unit.is_linked and plan.promises.about_whole.models and plan.suppression.limit:
        yield PlanError(
            "A promise about all classes together leaves out the smallest; which of two histories"
            " of as many persons is left out is not defined.",
            where=plan.where("suppression", "limit"),
            fix="leave out `limit:`, or a promise such as average-risk, or `histories:`",
        )
    if not unit.is_linked and not (isinstance(column, Identifier) and column.action == "drop"):
        yield PlanError(
            f"The rows of a person could be joined by '{key}', which would be published.",
            where=plan.where("columns", key),
            fix=f"write `{key}: identifier`; or, if histories are to be published,"
            f" `unit: {{column: {key}, histories: linked}}` and"
            f" `{key}: {{role: identifier, action: pseudonym, key: random}}`",
        )
    taken = {name.lower() for name in plan.columns}
    if plan.persons_column is not None and plan.persons_column.lower() in taken:
        yield PlanError(
            f"There is already a column '{plan.persons_column}', and `unit` adds another.",
            where=plan.where("unit"),
            fix=f"write `unit: {{column: {key}, count: NAME}}` with another name, or `count: none`",
        )
