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
    counted_rows,
    fitting,
    known_rows,
    labeled_rows,
    made,
    placed_rows,
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
    with a population, what never changes for its persons, in the table or not: who fits nothing is
    not published. Otherwise what the published rows show of each other is known.
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

    def attempt(
        self, relations: AttackRelations, *, list_classes: int = 0, with_values: bool = False
    ) -> Search[Outcome | str]:
        names = [name for name, _ in relations.quasi_identifiers]
        columns = self.columns or relations.register or names
        numbers = [n for n, name in enumerate(names, 1) if name in columns]
        name = "_".join(("histories", *(map(str, numbers) if len(numbers) < len(names) else ())))
        title, least = self.title(relations), self.rows if isinstance(self.rows, int) else 1
        is_alone = not relations.known and not relations.pseudonym
        compared, figures = "", list[str]()
        if is_alone:
            known = yield from labeled_rows(relations, name, columns)
        else:
            known = yield from known_rows(relations, name, columns)
            is_unread = "first_place is null or last_place is null"
            unread = yield from counted_rows(f"{name}_unreadable", known.labels, is_unread)
            if unread:
                nobody = " or are of nobody in the population" if relations.register else ""
                return f"{unread:,} published label(s) cannot be read with this plan{nobody}"
            if known.most_rows < least:
                return f"no person has {least} rows"
            compared, figures = yield from self._figures(relations, known)
        sql = render(
            self.template,
            title=title,
            rows=known.rows,
            figures=figures,
            compared=compared,
            classes=known.published if is_alone else "",
            least_rows=least,
            most_rows=self._most_rows,
            k=self.k or max(relations.k, 2),
            promise=self.promise,
            source=self.source,
        )
        yield Step(title, sql)
        if not (yield from counted_rows(f"{title}_figures", title)):
            return "every person has more rows than are compared"
        notes = (_UNJOINED,) if is_alone else ()
        outcome = yield from summary(
            title, (), self.measures, list_classes=list_classes, notes=notes
        )
        return (
            outcome
            if is_alone
            else (yield from _with_open(outcome, relations, known, title, least))
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

    def _figures(
        self, relations: AttackRelations, known: KnownRows
    ) -> Search[tuple[str, list[str]]]:
        """The relations of what is left, the first one that leaves somebody counts.

        Returns:
            the relation of persons whose rows were compared, empty for all; and the relations.
        """
        if not relations.pseudonym:
            return "", (yield from self._unjoined(relations, known))
        compared, figures = "", list[str]()
        extents = f"{known.name}_extents"
        yield made("histories_extents", extents, published=known.published, static=known.static)
        if self.rows not in ("none", "number"):
            placed = yield from placed_rows(known)
            if relations.readable == "ranges":
                compared, figures = yield from self._hits(known, placed, extents)
            else:
                figures = yield from self._classes(known, placed)
        for by_total in (True, False) if self.rows == "number" else (False,):
            figures.append(f"{known.name}_left_{'number' if by_total else 'static'}")
            yield from _left(known, figures[-1], extents, "pseudonyms", by_total=by_total)
        return compared, figures

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

    def _hits(self, known: KnownRows, placed: str, extents: str) -> Search[tuple[str, list[str]]]:
        """What is left where labels overlap: pairs of a known row and a pseudonym are compared.

        Returns:
            the relation of persons whose rows were compared, and those of what is left.
        """
        drawn, hits = f"{known.name}_drawn", f"{known.name}_hits"
        inputs = {"rows": known.rows, "placed": placed, "published": known.published}
        most = {"most_rows": MOST_COMPARED, "most_pairs": MOST_HITS}
        yield made("histories_drawn", drawn, **most, **inputs)
        yield made(
            "histories_hits", hits, extents=extents, drawn=drawn, static=known.static, **inputs
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
        placed = "" if relations.persons else (yield from placed_rows(known))
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
        boxes, placed: as in `fitting`.
        by_total: whether pseudonyms must have as many rows as the person.
        first: how many rows of a person are known, 0 for all; None for what never changes.
    """
    static = first is None
    tree, fits = yield from fitting(known, boxes, counted, static=static, placed=placed)
    yield made(
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
    yield made("histories_full_hits", full, hits=hits)
    name = f"{known.name}_matchings"
    sql = render("attacks/histories_matchings.sql", name=name, full_hits=full, most=MOST_MATCHINGS)
    rows = yield Step(name, sql, "rows")
    matched = Counter(person for person, edges in rows if has_matching(edges))
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


def _with_open(
    outcome: Outcome, relations: AttackRelations, known: KnownRows, title: str, least: int
) -> Search[Outcome]:
    """The outcome with the persons who were not compared, who do not count as safe."""
    having = f"known_number = {least}"
    persons = yield from counted_rows(f"{title}_persons", known.rows, having)
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
            f"{absent:,} person(s) fit nothing that is published: their rows were left out, or"
            " another table was published."
        )
    return replace(
        outcome,
        rows=persons,
        rows_not_safe=outcome.rows_at_risk + open_persons,
        notes=tuple(notes),
    )


_UNJOINED = "Nothing joins the rows of a person: what is left is what one row leaves."
