"""Histories: how many pseudonyms, or persons, are left for somebody who knows rows of a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from sqlanon.attacks.base import Attack, AttackRelations, Outcome, summary
from sqlanon.attacks.known_rows import (
    KnownRows,
    fitting_what_never_changes,
    known_rows,
    labeled_rows,
    made,
    placed_rows,
    unreadable_labels,
)
from sqlanon.bounds import Count
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step

MOST_KNOWN = {1: 1_000_000, 2: 100, 3: 31}
"""Rows of a person up to which every choice of so many known rows is tried: about 5,000 choices."""

MOST_COMPARED = 100
"""Rows of a person up to which rows with labels that overlap are compared."""

MOST_HITS = 60_000_000
"""Pairs of a known row and a pseudonym that are compared where labels overlap."""

MOST_MATCHINGS = 200_000
"""Persons and pseudonyms whose rows are matched one by one, because a row fits several."""


class Histories(Attack):
    """Find the person of a pseudonym, or of a row, by what is known of some of the person's rows.

    The attacker knows the quasi-identifiers that never change for the person, and those of none, 1,
    2, 3 or all of the person's rows, or how many rows there are. A pseudonym is left if all of its
    rows fit what never changes, and if it has a different row for each known one; for `all`, and
    for the number of rows, it also has exactly as many rows. Where no key is published, nothing
    joins rows: a known row leaves the persons of the class that it fits.
    At risk: persons with fewer than k pseudonyms or persons left; certainty is 1 / left.
    Requires: a plan with `unit`. With `--with-source`, the rows of the source are known exactly;
    otherwise what the published rows show of each other.
    Source: Nergiz, Clifton and Nergiz, Multirelational k-anonymity, TKDE 21(8), 2009.
    """

    source: ClassVar[str] = "Nergiz, Clifton and Nergiz 2009, Multirelational k-anonymity, TKDE"
    forms: ClassVar[tuple[Mapping[str, Any], ...]] = tuple(
        {"rows": rows} for rows in ("none", "number", 1, 2, 3, "all")
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
    def on_values(self) -> bool:
        return False

    @property
    def needs_unit(self) -> bool:
        return True

    @property
    def variant(self) -> str:
        if self.rows in ("none", "number"):
            return "static" if self.rows == "none" else "number-of-rows"
        first = "first-" if self.choice == "first" and self.rows != "all" else ""
        return f"{first}{self.rows}-row{'' if self.rows == 1 else 's'}"

    @property
    def measures(self) -> tuple[tuple[str, Literal["min", "max", "sum"]], ...]:
        return (("least_left", "min"), ("persons_alone", "sum"), ("persons_not_found", "sum"))

    @property
    def promise(self) -> str:
        known = {"none": "", "number": " and the number of rows", "all": " and all rows"}
        rows = known.get(str(self.rows), f" and {self.rows} of the rows")
        return f"who knows what never changes for a person{rows} finds few who can be the person"

    def missing(self, relations: AttackRelations) -> str | None:
        if not relations.person:
            return "the plan has no `unit`: every row is a person of its own"
        if not relations.readable:
            return "the rows of buckets are published unchanged; linkage counts those alike"
        if not relations.known and relations.pseudonym and relations.readable == "ranges":
            return "needs --with-source, whose values the ranges of labels are compared with"
        if not relations.known and not relations.pseudonym and not relations.persons:
            return "needs --with-source: the table does not say how many persons a class has"
        names = {name for name, _ in relations.quasi_identifiers}
        unknown = [name for name in self.columns if name not in names]
        return f"'{unknown[0]}' is no quasi-identifier of the plan" if unknown else None

    def attempt(
        self, relations: AttackRelations, *, list_classes: int = 0, with_values: bool = False
    ) -> Search[Outcome | str]:
        columns = [
            name
            for name, _ in relations.quasi_identifiers
            if not self.columns or name in self.columns
        ]
        numbers = [
            n for n, (name, _) in enumerate(relations.quasi_identifiers, 1) if name in columns
        ]
        is_all = len(numbers) == len(relations.quasi_identifiers)
        name = "_".join(("histories", *(() if is_all else map(str, numbers))))
        title = self.title(relations)
        k = self.k or max(relations.k, 2)
        stated = {"title": title, "k": k, "promise": self.promise, "source": self.source}
        if not relations.known and not relations.pseudonym:
            known = yield from labeled_rows(relations, name, columns)
            counts = yield from _class_persons(relations, known, "")
            sql = render("attacks/histories_unjoined_classes.sql", persons=counts, **stated)
            return (yield from self._told(title, sql, list_classes, (_UNJOINED,)))
        known = yield from known_rows(relations, name, columns)
        unreadable = yield from unreadable_labels(relations, known)
        if unreadable:
            return f"{unreadable:,} published label(s) cannot be read with this plan"
        least = self.rows if isinstance(self.rows, int) else 1
        if known.most_rows < least:
            return f"no person has {least} rows"
        compared = ""
        if not relations.pseudonym:
            figures = yield from self._unjoined(relations, known)
        elif self.rows in ("none", "number"):
            figures = yield from self._static(known)
        else:
            placed = yield from placed_rows(known)
            if relations.readable == "ranges":
                compared, figures = yield from self._hits(known, placed)
            else:
                figures = yield from self._classes(known, placed)
            figures += yield from _left_by_static(known, by_total=False)
        sql = render(
            self.template,
            rows=known.rows,
            figures=figures,
            compared=compared,
            least_rows=least,
            most_rows=self._most_rows,
            **stated,
        )
        outcome = yield from self._told(title, sql, list_classes, ())
        if isinstance(outcome, str):
            return outcome
        return (yield from _with_open(outcome, known, title, least))

    def _told(
        self, title: str, sql: str, list_classes: int, notes: tuple[str, ...]
    ) -> Search[Outcome | str]:
        yield Step(title, sql)
        name = f"{title}_figures"
        counting = {"name": name, "relation": title, "known_number": 0}
        ((figures,),) = yield Step(name, render("attacks/histories_count.sql", **counting), "rows")
        if not figures:
            return "every person has more rows than are compared"
        return (
            yield from summary(title, (), self.measures, list_classes=list_classes, notes=notes)
        )

    @property
    def _most_rows(self) -> int:
        """Rows of a person up to which all choices of known rows are tried; 0 if there is one."""
        is_worst = isinstance(self.rows, int) and self.choice == "worst"
        return MOST_KNOWN[int(self.rows)] if is_worst else 0

    @property
    def _fewer(self) -> list[int]:
        """The numbers of rows whose figures count, the first one that leaves somebody."""
        return list(range(self.rows if isinstance(self.rows, int) else 3, 0, -1))

    def _static(self, known: KnownRows) -> Search[list[str]]:
        """What is left by what never changes, and, if it is known, by the number of rows."""
        figures = []
        if self.rows == "number":
            figures += yield from _left_by_static(known, by_total=True)
        return figures + (yield from _left_by_static(known, by_total=False))

    def _classes(self, known: KnownRows, placed: str) -> Search[list[str]]:
        """What is left where labels do not overlap: a row fits one class, and so do persons."""
        inputs = {"placed": placed, "published": known.published}
        figures = []
        if self.rows == "all":
            figures.append(f"{known.name}_left_all")
            yield made("histories_all", figures[-1], **inputs)
        for number in self._fewer:
            figures.append(f"{known.name}_left_{self.choice}_{number}")
            most = MOST_KNOWN[number]
            yield made(
                "histories_chosen",
                figures[-1],
                number=number,
                choice=self.choice,
                most=most,
                **inputs,
            )
        return figures

    def _hits(self, known: KnownRows, placed: str) -> Search[tuple[str, list[str]]]:
        """What is left where labels overlap: pairs of a known row and a pseudonym are compared.

        Returns:
            the relation of persons whose rows were compared, and those of what is left.
        """
        extents, hits = f"{known.name}_extents", f"{known.name}_hits"
        yield made("histories_extents", extents, published=known.published, static=known.static)
        name = f"{hits}_count"
        inputs = {"placed": placed, "published": known.published}
        sql = render("attacks/histories_hit_count.sql", name=name, most=MOST_COMPARED, **inputs)
        ((pairs, persons),) = yield Step(name, sql, "rows")
        drawn = f"{known.name}_drawn"
        share = min(1, MOST_HITS / max(pairs, 1))
        yield made(
            "histories_drawn",
            drawn,
            rows=known.rows,
            most=MOST_COMPARED,
            persons=known.persons if share == 1 else max(1, int(persons * share)),
        )
        yield made(
            "histories_hits",
            hits,
            rows=known.rows,
            extents=extents,
            drawn=drawn,
            static=known.static,
            **inputs,
        )
        figures = []
        if self.rows == "all":
            figures.append((yield from _matched(known, hits)))
        for number in self._fewer:
            figures.append(f"{known.name}_left_{self.choice}_{number}")
            yield made(
                "histories_chosen_hits",
                figures[-1],
                hits=hits,
                number=number,
                choice=self.choice,
                most=MOST_KNOWN[number],
            )
        return drawn, figures

    def _unjoined(self, relations: AttackRelations, known: KnownRows) -> Search[list[str]]:
        """What is left where nothing joins rows: persons of classes."""
        placed = yield from placed_rows(known)
        counts = yield from _class_persons(relations, known, placed)
        figures = []
        if self.rows not in ("none", "number"):
            first = self.rows if isinstance(self.rows, int) and self.choice == "first" else 0
            figures.append(f"{known.name}_left_{f'first_{first}' if first else 'worst'}")
            yield made(
                "histories_unjoined", figures[-1], placed=placed, persons=counts, first=first
            )
        boxes = f"{known.name}_static_boxes"
        yield made(
            "histories_static_boxes",
            boxes,
            classes=known.classes,
            persons=counts,
            static=known.static,
        )
        tree, fitting = yield from fitting_what_never_changes(known, boxes, "persons")
        figures.append(f"{known.name}_left_static")
        yield made(
            "histories_unjoined_static",
            figures[-1],
            rows=known.rows,
            tree=tree,
            fitting=fitting,
            static=known.static,
        )
        return figures


def _left_by_static(known: KnownRows, *, by_total: bool) -> Search[list[str]]:
    """The pseudonyms that fit what never changes for a person, with as many rows or any number."""
    extents, boxes = f"{known.name}_extents", f"{known.name}_boxes"
    yield made("histories_extents", extents, published=known.published, static=known.static)
    yield made("histories_boxes", boxes, extents=extents, static=known.static)
    tree, fitting = yield from fitting_what_never_changes(known, boxes, "pseudonyms")
    figure = f"{known.name}_left_{'number' if by_total else 'static'}"
    yield made(
        "histories_static",
        figure,
        rows=known.rows,
        tree=tree,
        fitting=fitting,
        static=known.static,
        by_total=by_total,
    )
    return [figure]


def _class_persons(relations: AttackRelations, known: KnownRows, placed: str) -> Search[str]:
    """Make the relation of the persons of each class, and return its name."""
    counts = f"{known.name}_persons"
    yield made(
        "histories_persons",
        counts,
        published=known.published,
        placed=placed,
        counts=bool(relations.persons),
    )
    return counts


def _matched(known: KnownRows, hits: str) -> Search[str]:
    """What is left if all rows of a person have a different one of a pseudonym."""
    full, figure = f"{known.name}_full_hits", f"{known.name}_left_all"
    yield made("histories_full_hits", full, hits=hits)
    name = f"{known.name}_matchings"
    sql = render("attacks/histories_matchings.sql", name=name, full_hits=full, most=MOST_MATCHINGS)
    rows = yield Step(name, sql, "rows")
    matched = Counter(person for person, _, edges in rows if has_matching(edges))
    inputs = {"full_hits": full, "matched": sorted(matched.items())}
    yield made("histories_all_hits", figure, **inputs)
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


def _with_open(outcome: Outcome, known: KnownRows, title: str, least: int) -> Search[Outcome]:
    """The outcome with the persons who were not compared, who do not count as safe."""
    name = f"{title}_persons"
    sql = render("attacks/histories_count.sql", name=name, relation=known.rows, known_number=least)
    ((persons,),) = yield Step(name, sql, "rows")
    open_persons = persons - outcome.rows
    notes = list(outcome.notes)
    if open_persons:
        notes.append(
            f"{open_persons:,} of {persons:,} persons were not compared, because there are too"
            " many rows; they do not count as safe."
        )
    if outcome.measured["persons_not_found"]:
        notes.append(
            f"{int(outcome.measured['persons_not_found']):,} person(s) fit nothing that is"
            " published: their rows were left out, or another table was published."
        )
    return replace(
        outcome,
        rows=persons,
        rows_not_safe=outcome.rows_at_risk + open_persons,
        notes=tuple(notes),
    )


_UNJOINED = "Nothing joins the rows of a person: what is left is what one row leaves."
