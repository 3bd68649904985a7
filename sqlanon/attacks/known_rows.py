"""The rows of persons and of pseudonyms as places, and which of them fit each other.

A value has a place, and a published label covers the places from a first to a last one: those of a
partition, or the number of a label where labels of one level do not overlap. Distinct combinations
of places are put into a tree of cells, so that a box of labels is compared with cells before it is
compared with the combinations of a cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sqlanon.attacks.base import AttackRelations
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step

MOST_BOXES = 250_000
"""Boxes that are compared with a tree of cells in one statement, so that it fits into memory."""

_WIDTH = 8
"""Parts into which a cell is divided by one column: few, so that cells have the shape of boxes."""

Counted = Literal["rows", "pseudonyms", "persons"]
"""What boxes tell of the combinations that they cover: the rows that fit, or how many are left."""


@dataclass(frozen=True)
class KnownRows:
    """Relations of known and of published rows.

    Attributes:
        name: prefix of the names of all relations.
        numbers: the known columns, by their number among the quasi-identifiers.
        static: those that never change for a person.
        order: the known columns, those with most values first.
        persons: number of persons.
        row_count: number of their rows.
        most_rows: the most rows of a person.
    """

    name: str
    numbers: Sequence[int]
    static: Sequence[int] = ()
    order: Sequence[int] = ()
    persons: int = 0
    row_count: int = 0
    most_rows: int = 0

    @property
    def rows(self) -> str:
        """The relation of known rows, one row per row of a person."""
        return f"{self.name}_rows"

    @property
    def published(self) -> str:
        """The relation of published rows, one row per class and pseudonym."""
        return f"{self.name}_published"

    @property
    def labels(self) -> str:
        """The relation of published labels, with the places that they cover."""
        return f"{self.name}_labels"


def labeled_rows(
    relations: AttackRelations, name: str, columns: Sequence[str]
) -> Search[KnownRows]:
    """Make the relation of published rows; without pseudonyms and known rows, nothing else exists.

    Args:
        columns: the columns that the attacker knows.
    """
    named = [
        (number, column)
        for number, (column, _) in enumerate(relations.quasi_identifiers, start=1)
        if column in columns
    ]
    inputs = {"rows": relations.rows, "quasi_identifiers": named}
    known = KnownRows(name, [number for number, _ in named])
    by = relations.readable if relations.known else "values"
    yield made("histories_labels", known.labels, by=by, **inputs)
    yield made(
        "histories_published",
        known.published,
        labels=known.labels,
        pseudonym=relations.pseudonym,
        persons=relations.persons,
        **inputs,
    )
    return known


def known_rows(relations: AttackRelations, name: str, columns: Sequence[str]) -> Search[KnownRows]:
    """Make the relations of known and of published rows.

    Where the attacker has no other table, the rows of pseudonyms are what is known of persons.
    """
    known = yield from labeled_rows(relations, name, columns)
    numbers = known.numbers
    yield made(
        "histories_known",
        known.rows,
        known=relations.known or relations.rows,
        labels=known.labels,
        person=relations.person if relations.known else relations.pseudonym,
        quasi_identifiers=[
            (number, relations.quasi_identifiers[number - 1][0]) for number in numbers
        ],
        required=[
            name
            for name in relations.required
            if not relations.register or name in relations.register
        ],
        by=relations.readable if relations.known else "values",
    )
    shape = f"{name}_shape"
    sql = render("attacks/histories_shape.sql", name=shape, rows=known.rows, numbers=numbers)
    ((persons, rows, most_rows, *facts),) = yield Step(shape, sql, "rows")
    values = dict(zip(numbers, facts[1::2], strict=True))
    static = [number for number, is_static in zip(numbers, facts[::2], strict=True) if is_static]
    order = sorted(numbers, key=lambda number: -values[number])
    return KnownRows(name, numbers, static, order, persons, rows, most_rows or 0)


def placed_rows(known: KnownRows) -> Search[str]:
    """Make the relation of the classes that each known row fits, and return its name."""
    _, (placed,) = yield from fitting(known, known.published, "rows")
    return placed


def fitting(
    known: KnownRows, boxes: str, counted: Counted, *, static: bool = False, placed: str = ""
) -> Search[tuple[str, list[str]]]:
    """Compare boxes of labels with what is known.

    Args:
        boxes: the relation of boxes.
        counted: what is returned of combinations that boxes cover.
        static: whether only what never changes for persons is known.
        placed: the classes that known rows fit, by which persons of classes are counted; empty if
            they are published.

    Returns:
        the tree of combinations, and the relations of what covers its cells: one if counted by
        rows, else several if there are many boxes.
    """
    tree, cells = yield from _tree(known, static=static)
    count = (
        (yield from counted_rows(f"{tree}_{counted}_count", boxes))
        if counted == "pseudonyms"
        else 1
    )
    parts = max(1, -(-count // MOST_BOXES))
    names = []
    for part in range(parts):
        names.append(f"{tree}_{counted}" + (f"_{part + 1}" if parts > 1 else ""))
        yield made(
            "histories_fitting",
            names[-1],
            tree=tree,
            rows=known.rows,
            boxes=boxes,
            placed=placed,
            numbers=known.static if static else known.numbers,
            cells=cells,
            part=part,
            parts=parts,
            counted=counted,
        )
    return tree, names


def _tree(known: KnownRows, *, static: bool) -> Search[tuple[str, int]]:
    """Make the tree of distinct combinations of places, and return its name and depth."""
    tree, cells = f"{known.name}_{'person' if static else 'row'}_tree", 1
    while _WIDTH**cells < (known.persons if static else known.row_count):
        cells += 1
    numbers = known.static if static else known.numbers
    order = [number for number in known.order if number in numbers]
    yield made(
        "histories_tree",
        tree,
        rows=known.rows,
        numbers=numbers,
        order=order,
        cells=cells,
        width=_WIDTH,
    )
    return tree, cells


def counted_rows(name: str, relation: str, condition: str = "") -> Search[int]:
    """Ask for the number of rows of a relation, or of those for which a condition holds."""
    inputs = {"name": name, "relation": relation, "condition": condition}
    ((count,),) = yield Step(name, render("attacks/histories_count.sql", **inputs), "rows")
    return int(count)


def made(template: str, title: str, **inputs: object) -> Step:
    """A table made by a template of this attack."""
    return Step(title, render(f"attacks/{template}.sql", title=title, **inputs))
