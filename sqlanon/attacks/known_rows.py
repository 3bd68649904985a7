"""The rows of persons and of pseudonyms as places, and which of them fit each other.

A value has a place, and a published label covers the places from a first to a last one: those of a
partition, or the number of a label where labels of one level do not overlap. Distinct combinations
of places are put into a tree of cells, so that a box of labels is compared with cells before it is
compared with the combinations of a cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlanon.attacks.base import AttackRelations
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step

MOST_BOXES = 250_000
"""Boxes that are compared with a tree of cells in one statement, so that it fits into memory."""

_WIDTH = 16
"""Parts into which a cell is divided, as in the template."""


@dataclass(frozen=True)
class KnownRows:
    """Relations of known and of published rows.

    Attributes:
        name: prefix of the names of all relations.
        numbers: the known columns, by their number among the quasi-identifiers.
        static: those that never change for a person.
        order: the known columns, those with most values first.
        persons: number of persons.
        most_rows: the most rows of a person.
    """

    name: str
    numbers: Sequence[int]
    static: Sequence[int] = ()
    order: Sequence[int] = ()
    persons: int = 0
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
    def classes(self) -> str:
        """The relation of classes that published rows fall into by the known columns."""
        return f"{self.name}_classes"


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
    by = relations.readable if relations.known else "values"
    labels = f"{name}_labels"
    yield _step("histories_labels", labels, by=by, **inputs)
    known = KnownRows(name, [number for number, _ in named])
    yield _step(
        "histories_published",
        known.published,
        labels=labels,
        pseudonym=relations.pseudonym,
        persons=relations.persons,
        **inputs,
    )
    return known


def known_rows(relations: AttackRelations, name: str, columns: Sequence[str]) -> Search[KnownRows]:
    """Make the relations of known and of published rows, and of classes.

    Where the attacker has no other table, the rows of pseudonyms are what is known of persons.
    """
    known = yield from labeled_rows(relations, name, columns)
    numbers = known.numbers
    named = [(number, relations.quasi_identifiers[number - 1][0]) for number in numbers]
    table = relations.known or relations.rows
    inputs = {"known": table, "quasi_identifiers": named, "values": f"{name}_values"}
    yield _step(
        "histories_values",
        f"{name}_values",
        known=table,
        quasi_identifiers=named,
        labels=f"{name}_labels",
        by=relations.readable if relations.known else "values",
    )
    yield _step(
        "histories_known",
        known.rows,
        person=relations.person if relations.known else relations.pseudonym,
        required=relations.required if relations.known else (),
        **inputs,
    )
    shape = f"{name}_shape"
    sql = render("attacks/histories_shape.sql", name=shape, rows=known.rows, numbers=numbers)
    ((persons, most_rows, *facts),) = yield Step(shape, sql, "rows")
    values = dict(zip(numbers, facts[1::2], strict=True))
    static = [number for number, is_static in zip(numbers, facts[::2], strict=True) if is_static]
    order = sorted(numbers, key=lambda number: -values[number])
    yield _step("histories_classes", known.classes, published=known.published, numbers=numbers)
    return KnownRows(name, numbers, static, order, persons, most_rows or 0)


def unreadable_labels(relations: AttackRelations, known: KnownRows) -> Search[int]:
    """The number of published labels of which it is not known what values they cover."""
    if not relations.known:
        return 0
    name = f"{known.name}_unreadable"
    sql = render(
        "attacks/histories_unreadable.sql",
        name=name,
        labels=f"{known.name}_labels",
        quasi_identifiers=[
            (number, relations.quasi_identifiers[number - 1][0]) for number in known.numbers
        ],
        by=relations.readable,
    )
    ((unreadable,),) = yield Step(name, sql, "rows")
    return int(unreadable)


def placed_rows(known: KnownRows) -> Search[str]:
    """Make the relation of the classes that each known row fits, and return its name."""
    tree, cells = yield from _tree(known, "combination", known.numbers)
    fitting = yield from _fitting(tree, cells, known.classes, "class", known.numbers)
    placed = f"{known.name}_placed"
    yield _step(
        "histories_placed",
        placed,
        rows=known.rows,
        tree=tree,
        fitting=fitting,
        numbers=known.numbers,
    )
    return placed


def fitting_what_never_changes(
    known: KnownRows, boxes: str, counted: str
) -> Search[tuple[str, list[str]]]:
    """Compare boxes with what never changes for persons.

    Args:
        boxes: the relation of boxes, numbered by `extent`.
        counted: what is counted of the boxes that cover a cell.

    Returns:
        the tree of combinations, and the relations of what covers its cells.
    """
    tree, cells = yield from _tree(known, "person", known.static)
    name = f"{boxes}_count"
    sql = render("attacks/histories_count.sql", name=name, relation=boxes, known_number=0)
    ((count,),) = yield Step(name, sql, "rows")
    parts = max(1, -(-count // MOST_BOXES))
    made = []
    for part in range(parts):
        fitting = yield from _fitting(
            tree, cells, boxes, "extent", known.static, part=part, parts=parts, counted=counted
        )
        made.append(fitting)
    return tree, made


def _tree(known: KnownRows, what: str, numbers: Sequence[int]) -> Search[tuple[str, int]]:
    """Make the tree of distinct combinations of places, and return its name and depth."""
    tree, cells = f"{known.name}_{what}_tree", 1
    name = f"{tree}_size"
    sql = render("attacks/histories_size.sql", name=name, rows=known.rows, numbers=numbers)
    ((size,),) = yield Step(name, sql, "rows")
    while _WIDTH**cells < size:
        cells += 1
    yield _step(
        "histories_tree",
        tree,
        rows=known.rows,
        numbers=numbers,
        order=[number for number in known.order if number in numbers],
        cells=cells,
    )
    return tree, cells


def _fitting(
    tree: str,
    cells: int,
    boxes: str,
    box: str,
    numbers: Sequence[int],
    *,
    part: int = 0,
    parts: int = 1,
    counted: str = "",
) -> Search[str]:
    """Make the relation of the cells that boxes cover, and return its name."""
    name = f"{boxes}_fitting" + (f"_{part + 1}" if parts > 1 else "")
    yield _step(
        "histories_fitting",
        name,
        tree=tree,
        boxes=boxes,
        box=box,
        numbers=numbers,
        cells=cells,
        part=part,
        parts=parts,
        counted=counted,
    )
    return name


def _step(template: str, title: str, **inputs: object) -> Step:
    return Step(title, render(f"attacks/{template}.sql", title=title, **inputs))


made = _step
"""A table made by a template of this attack."""
