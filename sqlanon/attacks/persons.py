"""Which classes a person can be in: each of the population is located in the rows of a release.

A published label is read as the values that it stands for: by the places of a partition, by the
levels of a hierarchy (the lowest level that has all labels of the release), or, where neither is
known, as the value itself. In a bucket whose column groups are permuted, a person is where each
group has the person's values in some row. Nobody is left out who may be in a class.
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
    """What there is to read labels with.

    Attributes:
        by: places of values, levels of hierarchies, or the values themselves.
        trees: whether labels of hierarchies have places, too.
    """

    by: By
    trees: bool


def known_labels(title: str) -> Search[Known]:
    """Ask what tells which values a label stands for.

    Args:
        title: of the attack's relation.
    """
    name = f"{title}_known_labels"
    rows = yield Step(name, render("attacks/persons_known_labels.sql", name=name), "rows")
    tables = {row[0] for row in rows}
    by: By = "values"
    if {"value_places", "label_places"} <= tables:
        by = "places"
    elif "hierarchy_levels" in tables:
        by = "levels"
    return Known(by, by == "places")


def persons_step(relations: AttackRelations, title: str) -> Step:
    """The table `TITLE_persons`: one row per combination of the population's quasi-identifiers.

    The same population has the same numbers of persons whatever is published of it.
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
        relations: the quasi-identifiers, the class key, and what is permuted by itself.
        rows: the release's rows: `relations.rows` or `relations.earlier`.
        known: what labels are read with.
        persons: the table of `persons_step`.
        title: begins the names of both tables.
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
    """Number and name of the quasi-identifiers that keep together row by row, group by group."""
    numbered = [(n, name) for n, (name, _) in enumerate(relations.quasi_identifiers, start=1)]
    groups: Sequence[Sequence[str]] = relations.column_groups
    if len(groups) < 2:
        return [numbered]
    parts = [[entry for entry in numbered if entry[1] in group] for group in groups]
    return [part for part in parts if part]
