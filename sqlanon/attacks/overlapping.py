"""Who is in a table whose labels overlap: what is certain if a person fits several classes.

Every row belongs to one person of the population, and every person has at most one. So the table is
an assignment of persons to the rows of classes that they fit. A person is certainly in the table if
the rows cannot be assigned without the person. Starting from any assignment, that is so unless
somebody left over fits a class of the person, or a class from which another person can move there,
and so on: persons who cannot be replaced in this way are certain (Dulmage and Mendelsohn, 1958).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from fractions import Fraction

from sqlanon.attacks.base import AttackRelations, NotTriedError, Outcome, ask, make
from sqlanon.attacks.persons import located, persons_step
from sqlanon.sql.step import Search

Cell = tuple[frozenset[int], int]
"""The classes that persons fit, and how many persons fit just these."""


def certain_cells(sizes: Mapping[int, int], cells: Sequence[Cell]) -> list[bool]:
    """Of each cell, whether all of its persons are certainly in the table.

    Nobody of another cell is certain, and everybody may be in it who fits a class.

    Args:
        sizes: rows of each class.
        cells: the persons of the population who fit a class.

    Raises:
        ValueError: there are not enough persons for the rows.
    """
    placed = [dict.fromkeys(classes, 0) for classes, _ in cells]
    left = [persons for _, persons in cells]
    fitting: dict[int, list[int]] = {number: [] for number in sizes}
    for place, (classes, _) in enumerate(cells):
        for number in classes:
            fitting[number].append(place)
    for number, size in sizes.items():
        wanted = size
        for place in sorted(fitting[number], key=lambda place: len(cells[place][0])):
            moved = min(wanted, left[place])
            placed[place][number] += moved
            left[place] -= moved
            wanted -= moved
        while wanted:
            wanted -= _fill(number, wanted, cells, placed, left, fitting)
    replaceable = {place for place, persons in enumerate(left) if persons}
    open_cells = deque(replaceable)
    while open_cells:
        for number in cells[open_cells.popleft()][0]:
            found = {p for p in fitting[number] if placed[p][number]} - replaceable
            replaceable |= found
            open_cells.extend(found)
    return [place not in replaceable for place in range(len(cells))]


def _fill(
    number: int,
    wanted: int,
    cells: Sequence[Cell],
    placed: list[dict[int, int]],
    left: list[int],
    fitting: Mapping[int, Sequence[int]],
) -> int:
    """Fill rows of a class by moving persons from other classes; return how many, 1 or more."""
    came: dict[int, tuple[int, int] | None] = {number: None}
    queue = deque([number])
    while queue:
        at = queue.popleft()
        for place in fitting[at]:
            if left[place]:
                path = [(at, place)]
                step = came[at]
                while step is not None:
                    path.append(step)
                    step = came[step[0]]
                moves = [placed[p][path[i - 1][0]] for i, (_, p) in enumerate(path) if i]
                count = min(wanted, left[place], *moves)
                left[place] -= count
                placed[place][at] += count
                for i, (to, p) in enumerate(path):
                    if i:
                        placed[p][path[i - 1][0]] -= count
                        placed[p][to] += count
                return count
            for other in cells[place][0]:
                if other not in came and placed[place][other]:
                    came[other] = (at, place)
                    queue.append(other)
    raise ValueError("there are not enough persons for the rows")


def fitting_classes(relations: AttackRelations) -> Search[tuple[str, str]]:
    """Find all classes that each person of the population fits.

    Returns:
        a relation of persons and classes, and one of classes with population_size.
    """
    title = "overlapping"
    yield persons_step(relations, title)
    yield from located(relations, relations.rows, f"{title}_persons", title)
    yield make(
        "overlapping_sizes",
        f"{title}_sizes",
        classes=relations.classes,
        located=f"{title}_classes",
        class_key=relations.class_key,
    )
    return f"{title}_classes", f"sqlanon.{title}_sizes"


LOWER_BOUND = (
    "Labels overlap, and persons who fit several classes narrow each other down: an attacker may"
    " know more, so no row counts as safe."
)
"""The note of attacks that look at one class at a time."""


def overlapping_membership(
    relations: AttackRelations, title: str, low: Fraction, high: Fraction
) -> Search[Outcome]:
    """Who is in a table whose labels overlap.

    The probability is exact for persons of a class whose persons fit no other, f / F, and for those
    who are certainly in the table, 1. Of all others it is above 0 and below 1. Certainty is at
    least f / F of every class, as that is the mean probability of its persons to be in it.

    Args:
        relations: with `overlapping`.
        title: title of the attack's relation.
        low, high: lowest and highest acceptable probability.

    Raises:
        NotTriedError: the population cannot be that of the table.
    """
    listed = yield ask("overlapping_class_list", f"{title}_class_list", classes=relations.classes)
    rows = yield ask(
        "overlapping_cells",
        f"{title}_cells",
        classes=relations.classes,
        located=relations.overlapping,
        class_key=relations.class_key,
    )
    cells = [(frozenset(map(int, text.split(","))), int(count)) for text, count in rows]
    sizes = {number: int(size) for number, size, _ in listed}
    shared = {number for classes, _ in cells if len(classes) > 1 for number in classes}
    at_risk: dict[int, int] = {}
    open_classes: set[int] = set()
    certainty = max(Fraction(int(size), int(persons)) for _, size, persons in listed)
    undecided = certain_persons = counted = persons_at_risk = rows_at_risk = 0
    try:
        is_certain = certain_cells(sizes, cells)
    except ValueError:
        raise NotTriedError(
            "the population lacks members: its persons cannot be assigned to the rows"
        ) from None
    for (classes, persons), certain in zip(cells, is_certain, strict=True):
        chance = Fraction(1) if certain else None
        if chance is None and not classes & shared:
            (number,) = classes
            chance = Fraction(sizes[number], persons)
        if chance is None:
            if low > 0 or high < 1:
                undecided += persons
                open_classes |= classes
            continue
        counted += persons
        certain_persons += persons if chance == 1 else 0
        certainty = max(certainty, chance)
        if not low <= chance <= high:
            persons_at_risk += persons
            # who is certain has a row in one of these classes; else the class has a row for some
            left = persons if certain else sizes[min(classes)]
            rows_at_risk += left
            for number in sorted(classes):
                found = min(left, sizes[number] - at_risk.get(number, 0))
                if found:
                    at_risk[number] = at_risk.get(number, 0) + found
                left -= found
    ranked = sorted(at_risk, key=lambda number: (-at_risk[number], number))
    notes = []
    if undecided:
        notes.append(
            f"{undecided:,} persons fit classes whose labels overlap: they may be in the table or"
            " not, with a probability that is not known, and so count as not safe."
        )
    return Outcome(
        classes=len(sizes),
        classes_at_risk=len(at_risk),
        rows=sum(sizes.values()),
        rows_at_risk=rows_at_risk,
        certainty=float(certainty),
        measured={
            "persons": sum(persons for _, persons in cells),
            "persons_counted": counted,
            "persons_in": certain_persons,
            "persons_at_risk": persons_at_risk,
            "persons_unknown": undecided,
        },
        riskiest=tuple(
            {
                "class_size": sizes[number],
                "rows_at_risk": at_risk[number],
                **({"class": number} if relations.with_values else {}),
            }
            for number in ranked[: relations.list_classes]
        ),
        notes=tuple(notes),
        rows_not_safe=min(
            sum(sizes[number] for number in open_classes | at_risk.keys()), rows_at_risk + undecided
        ),
    )
