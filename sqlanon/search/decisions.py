"""Template variables of the CTEs that count the values of classes and decide what is published."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlanon.privacy_models.promises import Promises
from sqlanon.sql.render import Expression
from sqlanon.utility.base import UtilityMeasure


def class_key(promises: Promises, words: int) -> list[str]:
    """The columns that identify a class of a node.

    Of linked histories these are the number of rows and two sums of hashes; else the packed keys.
    """
    parts = 3 if promises.linked else words
    return ["node", *(f"class_{part}" for part in range(1, parts + 1))]


def decision_inputs(
    promises: Promises,
    places: Sequence[tuple[int, int | Expression]],
    *,
    masked: bool,
    pruning: bool = False,
) -> dict[str, Any]:
    """Template variables for the CTEs that decide which classes of a node are published.

    Args:
        places: of each attribute the number of its packed key, and the mask of its bits there.
    """
    words = max(word for word, _ in places)
    key = class_key(promises, words)
    labels = [f"class_{word} & {mask}" for word, mask in places]
    inputs = class_inputs(promises, key, masked=masked, pruning=pruning, labels=labels)
    return {"words": words, **inputs}


def class_inputs(
    promises: Promises,
    key: Sequence[str],
    *,
    masked: bool,
    pruning: bool = False,
    labels: Sequence[str] = (),
    table_values: str = "sqlanon.table_values",
    value_levels: str = "sqlanon.value_levels",
) -> dict[str, Any]:
    """Template variables for the CTEs that decide which classes are published.

    Args:
        key: columns that identify a class; the first is `node`.
        labels: as in `ClassRelations`.
        table_values, value_levels: names of relations, as in `Promises.model_checks`.
    """
    whole = promises.about_whole
    tables: Any = {"table_values": table_values, "value_levels": value_levels}
    return {
        "class_key": list(key),
        "masked": masked,
        "pruning": pruning,
        "unit": promises.unit is not None,
        "linked": promises.linked,
        "population": promises.population,
        "model_checks": promises.model_checks(
            key,
            whole_classes="satisfied_classes",
            labels=labels,
            scope=["node"],
            excess=pruning,
            **tables,
        ),
        "alone": whole.pruning.model_checks(key, scope=["node"], prefix="alone_")
        if pruning
        else [],
        "rechecks": whole.model_checks(
            key, classes="left_classes", scope=["node"], prefix="left_", **tables
        ),
        "star_checks": promises.model_checks(
            ["node", "added_classes"],
            classes="star_classes",
            class_values="star_class_values",
            joint_values="star_joint_values",
            joint_classes="star_joint_classes",
            prefix="star_",
            **tables,
        )
        if masked
        else [],
    }


def kept_inputs(promises: Promises, words: int, *, masked: bool) -> dict[str, Any]:
    """Template variables for the CTEs that compare published classes with the published rows.

    If suppressed rows are kept with '*', all rows are published and nothing needs to be added; nor
    where persons are counted, because a plan that does both is refused if rows are suppressed.
    """
    kept = promises.against_published
    if masked or promises.unit is not None or not kept.models:
        return {"kept_checks": [], "kept_values": []}
    model_checks = kept.model_checks(
        class_key(promises, words),
        classes="kept_classes",
        class_values="kept_class_values",
        joint_values="kept_joint_values",
        joint_classes="kept_joint_classes",
        table_values="kept_table_values",
        table_scope=["node"],
        prefix="kept_",
    )
    return {"kept_checks": model_checks, "kept_values": kept.class_values()}


def counted_inputs(promises: Promises, measure: UtilityMeasure | None = None) -> dict[str, Any]:
    """Template variables for the CTEs that count values in classes."""
    values = promises.class_values(getattr(measure, "attribute", None))
    read = {column for each in values for column in (each.column, *each.known)}
    carried = [column.named("value") for column in promises.columns.values() if column in read]
    return {"values_counted": values, "carried": carried}
