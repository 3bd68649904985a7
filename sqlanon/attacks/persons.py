"""Which classes a person can be in: every person of the population is located in a release.

A published label is read as the values that it covers: by the places of a partition, by the levels
of a hierarchy (the lowest level that has all labels of the release), or, if neither is known, as
the value itself. If the column groups of a bucket are permuted, a person may be in the bucket if
each group has the person's values in some row. No one who may be in a class is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sqlanon.attacks.base import AttackRelations
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step

By = Literal["places", "levels", "values"]


@dataclass(frozen=True)
class Known:
    """How labels can be read.

    Attributes:
        by: by places of values, by levels of hierarchies, or as the values themselves.
        trees: whether labels of hierarchies have places, too.
    """

    by: By
    trees: bool


def known_labels(relations: AttackRelations) -> Known:
    """How labels can be read as the values that they cover."""
    by: By = "values"
    if {"value_places", "label_places"} <= relations.label_tables:
        by = "places"
    elif "hierarchy_levels" in relations.label_tables:
        by = "levels"
    return Known(by, by == "places")


def persons_step(relations: AttackRelations, title: str) -> Step:
    """The table `TITLE_persons`: one row per combination of the population's quasi-identifiers.

    The numbers of a population's persons do not depend on the release.
    """
    name = f"{title}_persons"
    sql = render(
        "attacks/persons.sql",
        title=name,
        population=relations.population,
        population_count=relations.population_count,
        quasi_identifiers=relations.quasi_identifiers,
    )
    return Step(name, sql)


def located(
    relations: AttackRelations, rows: str, known: Known, persons: str, title: str
) -> Search[None]:
    """Make the tables `TITLE_labels` (values of each label) and `TITLE_classes` (of each person).

    Args:
        relations: the quasi-identifiers, the class key, and the column groups.
        rows: the rows of the release: `relations.rows` or `relations.earlier`.
        known: how labels can be read.
        persons: the table of `persons_step`.
        title: prefix of the names of both tables.
    """
    labels, classes = f"{title}_labels", f"{title}_classes"
    yield Step(
        labels,
        render(
            "attacks/persons_labels.sql",
            title=labels,
            rows=rows,
            persons=persons,
            quasi_identifiers=relations.quasi_identifiers,
            by=known.by,
        ),
    )
    yield Step(
        classes,
        render(
            "attacks/persons_classes.sql",
            title=classes,
            rows=rows,
            persons=persons,
            labels=labels,
            key=relations.named_key,
            groups=groups_of(relations),
        ),
    )


def groups_of(relations: AttackRelations) -> list[list[tuple[int, str]]]:
    """Number and name of the quasi-identifiers that stay together in each row, group by group."""
    numbered = [(n, name) for n, (name, _) in enumerate(relations.quasi_identifiers, start=1)]
    groups: Sequence[Sequence[str]] = relations.column_groups
    if len(groups) < 2:
        return [numbered]
    parts = [[entry for entry in numbered if entry[1] in group] for group in groups]
    return [part for part in parts if part]
