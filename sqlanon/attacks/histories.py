"""Histories: how many pseudonyms, or persons, are left to an attacker who has rows of a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from sqlanon.attacks.base import (
    Attack,
    AttackRelations,
    Form,
    NotTriedError,
    Outcome,
    ask,
    counted_rows,
    make,
)
from sqlanon.bounds import Count
from sqlanon.sql.step import Search, Step

MOST_KNOWN = {1: 1_000_000, 2: 100, 3: 31}
"""Rows of a person up to which every choice of so many known rows is tried: about 5,000 choices."""

MOST_COMPARED = 100
"""Rows of a person up to which rows with labels that overlap are compared."""

MOST_HITS = 60_000_000
"""Pairs of a known row and a pseudonym that are compared where labels overlap."""

MOST_MATCHINGS = 200_000
"""Persons and pseudonyms whose rows are matched one by one, because a row fits several."""

MOST_BOXES = 250_000
"""Boxes that are compared with a tree of cells in one statement, so that it fits into memory."""

_WIDTH = 8
"""Parts into which a cell is divided by one column: few, so that cells have the shape of boxes."""


class Histories(Attack):
    """Find the person of a pseudonym, or of a row, by what is known of some of the person's rows.

    The attacker knows the quasi-identifiers that never change for the person, and those of none, 1,
    2, 3 or all of the person's rows, or how many rows there are. A pseudonym is left if all of its
    rows fit what never changes, and if it has a different row for each known one; for `all`, and
    for the number of rows, it also has exactly as many rows. Where no key is published, nothing
    joins rows: a known row leaves the persons of the class that it fits.
    At risk: persons with fewer than k pseudonyms or persons left; certainty is 1 / left.
    Requires: a plan with `unit`. With `--with-source`, the rows of the source are known exactly;
    with a population, what never changes for its persons, in the table or not: who fits nothing is
    not published. Otherwise what the published rows show of each other is known.
    Source: Nergiz, Clifton and Nergiz, Multirelational k-anonymity, TKDE 21(8), 2009.
    """

    source: ClassVar[str] = "Nergiz, Clifton and Nergiz 2009, Multirelational k-anonymity, TKDE"
    forms: ClassVar[tuple[Form, ...]] = tuple(
        Form(
            {"rows": rows},
            needs=("unit",),
            measures={"least_left": "min", "persons_alone": "sum", "persons_not_found": "sum"},
            on_values=False,
        )
        for rows in ("none", "number", 1, 2, 3, "all")
    )

    name: Literal["histories"] = "histories"
    rows: Literal["none", "number", 1, 2, 3, "all"] = Field(
        "none",
        description="which rows of the person are known, beside what never changes: none, their"
        " number, 1, 2, 3 or all",
    )
    choice: Literal["worst", "first"] = Field(
        "worst",
        description="which 1, 2 or 3 rows: those that leave the fewest, or the first ones in the"
        " order of their quasi-identifiers",
    )
    k: Annotated[Count, Field(ge=2)] | None = Field(
        None, description="persons are at risk if fewer are left; by default the plan's k"
    )
    columns: tuple[str, ...] = Field(
        (), description="the quasi-identifiers that are known; by default all"
    )

    @property
    def variant(self) -> str:
        if self.rows in ("none", "number"):
            return "static" if self.rows == "none" else "number-of-rows"
        first = "first-" if self.choice == "first" and self.rows != "all" else ""
        return f"{first}{self.rows}-row{'' if self.rows == 1 else 's'}"

    @property
    def promise(self) -> str:
        known = {"none": "", "number": " and the number of rows", "all": " and all rows"}
        rows = known.get(str(self.rows), f" and {self.rows} of the rows")
        return f"an attacker who knows what never changes for a person{rows} finds few candidates"

    def missing(self, relations: AttackRelations) -> str | None:
        if reason := super().missing(relations):
            return reason
        if not relations.readable:
            return "the rows of buckets are published unchanged; linkage counts those alike"
        if relations.register and self.rows != "none":
            return "a population says what never changes for a person, and nothing of rows"
        if not relations.known and relations.pseudonym and relations.readable == "ranges":
            return "needs --with-source or --population: ranges of labels are compared with values"
        if not relations.known and not relations.pseudonym and not relations.persons:
            return (
                "needs --with-source or --population: the table does not say how many persons a"
                " class has"
            )
        names = [name for name, _ in relations.quasi_identifiers]
        for name in self.columns:
            if name not in names:
                return f"'{name}' is no quasi-identifier of the plan"
            if relations.register and name not in relations.register:
                return f"the population has no column '{name}'"
        return None

    def attempt(self, relations: AttackRelations) -> Search[Outcome]:
        names = [name for name, _ in relations.quasi_identifiers]
        columns = self.columns or relations.register or names
        numbers = [n for n, name in enumerate(names, 1) if name in columns]
        name = "_".join(("histories", *(map(str, numbers) if len(numbers) < len(names) else ())))
        title, least = self.title(relations), self.rows if isinstance(self.rows, int) else 1
        is_alone = not relations.known and not relations.pseudonym
        compared, figures = "", list[str]()
        known = yield from _labeled_rows(relations, name, columns)
        if not is_alone:
            known = yield from _with_known_rows(relations, known)
            unread = yield from counted_rows(
                f"{name}_unreadable",
                f"sqlanon.{known.labels}",
                "first_place is null or last_place is null",
            )
            if unread:
                nobody = " or are of nobody in the population" if relations.register else ""
                raise NotTriedError(
                    f"{unread:,} published label(s) cannot be read with this plan{nobody}"
                )
            if known.most_rows < least:
                raise NotTriedError(f"no person has {least} rows")
            compared, figures = yield from self._figures(relations, known)
        sql = self.sql(
            relations,
            rows=known.rows,
            figures=figures,
            compared=compared,
            classes=known.published if is_alone else "",
            least_rows=least,
            most_rows=self._most_rows,
            k=self.k or max(relations.k, 2),
        )
        yield Step(title, sql)
        if not (yield from counted_rows(f"{title}_figures", f"sqlanon.{title}")):
            raise NotTriedError("every person has more rows than are compared")
        outcome = yield from self.summary(replace(relations, class_key=()))
        if is_alone:
            return replace(outcome, notes=(_UNJOINED,))
        return (yield from _with_open(outcome, relations, known, title, least))

    @property
    def _most_rows(self) -> int:
        """Rows of a person up to which all choices of known rows are tried; 0 if there is one."""
        is_worst = isinstance(self.rows, int) and self.choice == "worst"
        return MOST_KNOWN[int(self.rows)] if is_worst else 0

    def _figures(
        self, relations: AttackRelations, known: KnownRows
    ) -> Search[tuple[str, list[str]]]:
        """Make the relations of what is left; of these, the first one that leaves somebody counts.

        Returns:
            the relation of persons whose rows were compared, empty for all; and the relations.
        """
        if not relations.pseudonym:
            return "", (yield from self._unjoined(relations, known))
        compared, figures = "", list[str]()
        yield make(
            "histories_extents", known.extents, published=known.published, static=known.static
        )
        if self.rows not in ("none", "number"):
            placed = yield from _placed_rows(known)
            overlaps = relations.readable == "ranges"
            compare = self._compared_rows if overlaps else self._compared_classes
            compared, figures = yield from compare(known, placed)
        for by_total in (True, False) if self.rows == "number" else (False,):
            figures.append(f"{known.name}_left_{'number' if by_total else 'static'}")
            yield from _left(known, figures[-1], known.extents, "pseudonyms", by_total=by_total)
        return compared, figures

    def _chosen(self, template: str, known: KnownRows, **inputs: Any) -> Search[list[str]]:
        """Make the relations of what so many known rows leave, and fewer ones."""
        figures = []
        for number in range(self.rows if isinstance(self.rows, int) else 3, 0, -1):
            figures.append(f"{known.name}_left_{self.choice}_{number}")
            own = {"number": number, "choice": self.choice, "most": MOST_KNOWN[number]}
            yield make(template, figures[-1], **own, **inputs)
        return figures

    def _compared_classes(self, known: KnownRows, placed: str) -> Search[tuple[str, list[str]]]:
        """Where labels do not overlap, a row fits one class, and all persons are compared."""
        inputs = {"placed": placed, "published": known.published}
        figures = []
        if self.rows == "all":
            figures.append(f"{known.name}_left_all")
            yield make("histories_all", figures[-1], **inputs)
        chosen = yield from self._chosen("histories_chosen", known, **inputs)
        return "", figures + chosen

    def _compared_rows(self, known: KnownRows, placed: str) -> Search[tuple[str, list[str]]]:
        """Where labels overlap, pairs of a known row and a pseudonym are compared."""
        drawn, hits = f"{known.name}_drawn", f"{known.name}_hits"
        inputs = {"rows": known.rows, "placed": placed, "published": known.published}
        most = {"most_rows": MOST_COMPARED, "most_pairs": MOST_HITS}
        yield make("histories_drawn", drawn, **most, **inputs)
        own = {"extents": known.extents, "drawn": drawn, "static": known.static}
        yield make("histories_hits", hits, **own, **inputs)
        figures = []
        if self.rows == "all":
            figures.append((yield from _matched(known, hits)))
        chosen = yield from self._chosen("histories_chosen_hits", known, hits=hits)
        return drawn, figures + chosen

    def _unjoined(self, relations: AttackRelations, known: KnownRows) -> Search[list[str]]:
        """Where nothing joins rows, persons of classes are left."""
        placed = "" if relations.persons else (yield from _placed_rows(known))
        figures = []
        if self.rows not in ("none", "number"):
            first = self.rows if isinstance(self.rows, int) and self.choice == "first" else 0
            figures.append(f"{known.name}_left_{f'first_{first}' if first else 'worst'}")
            yield from _left(
                known, figures[-1], known.published, "persons", placed=placed, first=first
            )
        figures.append(f"{known.name}_left_static")
        yield from _left(known, figures[-1], known.published, "persons", placed=placed)
        return figures


@dataclass(frozen=True)
class KnownRows:
    """Relations of known and of published rows, as places.

    A value has a place, and a published label covers the places from a first to a last one: those
    of a partition, or the number of a label where labels of one level do not overlap.

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

    @property
    def extents(self) -> str:
        """The relation of what the rows of each pseudonym together leave of static columns."""
        return f"{self.name}_extents"


def _labeled_rows(
    relations: AttackRelations, name: str, columns: Sequence[str]
) -> Search[KnownRows]:
    """Make the relations of published labels and rows, with the known columns only."""
    named = [
        (number, column)
        for number, (column, _) in enumerate(relations.quasi_identifiers, start=1)
        if column in columns
    ]
    inputs = {"rows": relations.rows, "quasi_identifiers": named}
    known = KnownRows(name, [number for number, _ in named])
    by = relations.readable if relations.known else "values"
    yield make("histories_labels", known.labels, by=by, **inputs)
    yield make(
        "histories_published",
        known.published,
        labels=known.labels,
        pseudonym=relations.pseudonym,
        persons=relations.persons,
        **inputs,
    )
    return known


def _with_known_rows(relations: AttackRelations, known: KnownRows) -> Search[KnownRows]:
    """Make the relation of known rows: without another table, those of pseudonyms."""
    numbers, register = known.numbers, relations.register
    names = [name for name, _ in relations.quasi_identifiers]
    yield make(
        "histories_known",
        known.rows,
        known=relations.known or relations.rows,
        labels=known.labels,
        person=relations.person if relations.known else relations.pseudonym,
        quasi_identifiers=[(number, names[number - 1]) for number in numbers],
        required=[name for name in relations.required if not register or name in register],
        by=relations.readable if relations.known else "values",
    )
    ((persons, rows, most_rows, *facts),) = yield ask(
        "histories_shape", f"{known.name}_shape", rows=known.rows, numbers=numbers
    )
    values = dict(zip(numbers, facts[1::2], strict=True))
    return replace(
        known,
        static=[n for n, is_static in zip(numbers, facts[::2], strict=True) if is_static],
        order=sorted(numbers, key=lambda number: -values[number]),
        persons=persons,
        row_count=rows,
        most_rows=most_rows or 0,
    )


def _placed_rows(known: KnownRows) -> Search[str]:
    """Make the relation of the classes that each known row fits, and return its name."""
    _, (placed,) = yield from _fitting(known, known.published, "rows")
    return placed


def _fitting(
    known: KnownRows,
    boxes: str,
    counted: Literal["rows", "pseudonyms", "persons"],
    *,
    static: bool = False,
    placed: str = "",
) -> Search[tuple[str, list[str]]]:
    """Compare boxes of labels with what is known, by a tree of cells of combinations of places.

    Args:
        boxes: the relation of boxes.
        counted: what is returned of combinations that boxes cover: the rows that fit, or how many
            pseudonyms or persons are left.
        static: whether only what never changes for persons is known.
        placed: the classes that known rows fit, by which persons of classes are counted; empty if
            they are published.

    Returns:
        the tree of combinations, and the relations of what covers its cells: one if counted by
        rows, else several if there are many boxes.
    """
    numbers = known.static if static else known.numbers
    tree, cells = f"{known.name}_{'person' if static else 'row'}_tree", 1
    while _WIDTH**cells < (known.persons if static else known.row_count):
        cells += 1
    inputs: dict[str, Any] = {"rows": known.rows, "numbers": numbers, "cells": cells}
    order = [number for number in known.order if number in numbers]
    yield make("histories_tree", tree, order=order, width=_WIDTH, **inputs)
    name, parts = f"{tree}_{counted}", 1
    if counted == "pseudonyms":
        count = yield from counted_rows(f"{name}_count", f"sqlanon.{boxes}")
        parts = max(1, -(-count // MOST_BOXES))
    names = [f"{name}_{part + 1}" if parts > 1 else name for part in range(parts)]
    inputs |= {"tree": tree, "boxes": boxes, "placed": placed, "counted": counted, "parts": parts}
    for part, fits in enumerate(names):
        yield make("histories_fitting", fits, part=part, **inputs)
    return tree, names


def _left(
    known: KnownRows,
    figure: str,
    boxes: str,
    counted: Literal["pseudonyms", "persons"],
    *,
    placed: str = "",
    by_total: bool = False,
    first: int | None = None,
) -> Search[None]:
    """Make the relation of what is left by boxes that fit what is known of a person.

    Args:
        figure: its name.
        boxes, placed: as in `_fitting`.
        by_total: whether pseudonyms must have as many rows as the person.
        first: how many rows of a person are known, 0 for all; None for what never changes.
    """
    static = first is None
    tree, fits = yield from _fitting(known, boxes, counted, static=static, placed=placed)
    yield make(
        "histories_left",
        figure,
        rows=known.rows,
        tree=tree,
        fitting=fits,
        numbers=known.static if static else known.numbers,
        counted=counted,
        by_total=by_total,
        first=1 if first is None else first,
    )


def _matched(known: KnownRows, hits: str) -> Search[str]:
    """What is left if all rows of a person have a different one of a pseudonym."""
    full, figure = f"{known.name}_full_hits", f"{known.name}_left_all"
    yield make("histories_full_hits", full, hits=hits)
    rows = yield ask(
        "histories_matchings", f"{known.name}_matchings", full_hits=full, most=MOST_MATCHINGS
    )
    matched = Counter(person for person, edges in rows if has_matching(edges))
    yield make("histories_all_hits", figure, full_hits=full, matched=sorted(matched.items()))
    return figure


def has_matching(edges: Iterable[Sequence[int]]) -> bool:
    """Whether every row has a different slot.

    Args:
        edges: each a row, a class that it fits, and the slots of the class.
    """
    slots: dict[int, int] = {}
    fitting: dict[int, list[int]] = {}
    for row, number, count in edges:
        slots[number] = count
        fitting.setdefault(row, []).append(number)
    taken: dict[int, list[int]] = {number: [] for number in slots}

    def place(row: int, seen: set[int]) -> bool:
        for number in fitting[row]:
            if number in seen:
                continue
            seen.add(number)
            if len(taken[number]) < slots[number]:
                taken[number].append(row)
                return True
            for at, other in enumerate(taken[number]):
                if place(other, seen):
                    taken[number][at] = row
                    return True
        return False

    return all(place(row, set()) for row in fitting)


def _with_open(
    outcome: Outcome, relations: AttackRelations, known: KnownRows, title: str, least: int
) -> Search[Outcome]:
    """The outcome with the persons who were not compared, who do not count as safe."""
    having = f"known_number = {least}"
    persons = yield from counted_rows(f"{title}_persons", f"sqlanon.{known.rows}", having)
    open_persons = persons - outcome.rows
    notes = list(outcome.notes)
    if open_persons:
        notes.append(
            f"{open_persons:,} of {persons:,} persons were not compared, because there are too"
            " many rows; they do not count as safe."
        )
    absent = int(outcome.measured["persons_not_found"] or 0)
    if absent and relations.register:
        notes.append(f"{absent:,} person(s) of the population fit nothing: they are not published.")
    elif absent:
        notes.append(
            f"{absent:,} person(s) fit nothing that is published: their rows were suppressed, or"
            " another table was published."
        )
    return replace(
        outcome,
        rows=persons,
        rows_not_safe=outcome.rows_at_risk + open_persons,
        notes=tuple(notes),
    )


_UNJOINED = "Nothing joins the rows of a person: what is left is what one row leaves."
