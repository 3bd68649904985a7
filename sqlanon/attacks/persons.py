"""Which classes a person can be in: every person of the population is located in a release.

A published label is read as the values that it covers: by the places of a partition, by the levels
of a hierarchy (the lowest level that has all labels of the release), or, if neither is known, as
the value itself. Rows that were kept out may lack some labels: they fit those that are theirs, at
whatever level. If the column groups of a bucket are permuted, a person may be in the bucket if each
group has the person's values in some row. No one who may be in a class is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from sqlanon.attacks.base import AttackRelations, make
from sqlanon.sql.step import Search, Step


def labels_read_by(
    relations: AttackRelations, *, partly: bool = False
) -> Literal["places", "levels", "any level", "values"]:
    """How labels are read: by places of values, by levels of hierarchies, or as the values."""
    if {"value_places", "label_places"} <= relations.label_tables:
        return "places"
    if "hierarchy_levels" not in relations.label_tables:
        return "values"
    return "any level" if partly else "levels"


def persons_step(relations: AttackRelations, title: str) -> Step:
    """The table `TITLE_persons`: one row per combination of the population's quasi-identifiers."""
    return make(
        "persons",
        f"{title}_persons",
        population=relations.population,
        population_count=relations.population_count,
        quasi_identifiers=relations.quasi_identifiers,
    )


def located(
    relations: AttackRelations, rows: str, persons: str, title: str, *, partly: bool = False
) -> Search[None]:
    """Make the tables `TITLE_labels` (values of each label) and `TITLE_classes` (of each person).

    Args:
        rows: the rows of the release: `relations.rows` or `relations.earlier`.
        persons: the table of `persons_step`.
        partly: whether a release can be of others, too.
    """
    yield make(
        "persons_labels",
        f"{title}_labels",
        rows=rows,
        persons=persons,
        quasi_identifiers=relations.quasi_identifiers,
        by=labels_read_by(relations, partly=partly),
    )
    yield make(
        "persons_classes",
        f"{title}_classes",
        rows=rows,
        persons=persons,
        labels=f"{title}_labels",
        key=relations.named_key,
        groups=_groups(relations),
    )


def _groups(relations: AttackRelations) -> list[list[tuple[int, str]]]:
    """Number and name of the quasi-identifiers that stay together in each row, group by group."""
    numbered = [(n, name) for n, (name, _) in enumerate(relations.quasi_identifiers, start=1)]
    groups: Sequence[Sequence[str]] = relations.column_groups
    if len(groups) < 2:
        return [numbered]
    parts = [[entry for entry in numbered if entry[1] in group] for group in groups]
    return [part for part in parts if part]
