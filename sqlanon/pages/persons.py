"""What a report tells of persons with several rows; the sentences are in its template."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sqlanon.attacks.findings import AttackFinding
from sqlanon.pages.counts import MOST_VALUES
from sqlanon.pages.facts import PublishedFacts, SourceFacts
from sqlanon.pages.html import Column, Table
from sqlanon.plan.plan import Plan
from sqlanon.release.suppressed import shown_from


def persons_section(
    plan: Plan,
    published: PublishedFacts,
    findings: Sequence[AttackFinding],
    source: SourceFacts | None,
    manifest: Mapping[str, Any],
) -> dict[str, Any] | None:
    """The variables of the section; None if every row is a person."""
    if plan.unit is None:
        return None
    sizes, counts, tables = published.sizes, [], []
    if plan.unit.is_linked:
        counts.append(("Published persons", f"{sizes.members:,}"))
    if source is not None or published.row_sizes is None:
        counts.append(("Persons in the smallest class", f"{sizes.smallest:,}"))
        counts.append(("Persons in the median class", f"{sizes.median:,}"))
    if source is not None:
        rows = rows_by_ranges(source.rows_of_persons, shown_from(plan))
        middle = sum(source.rows_of_persons.values()) / 2
        before = [sum(count for _, count in rows[:place]) for place in range(len(rows))]
        label = max(place for place, count in enumerate(before) if count < middle)
        counts.append(("Rows of the median person in the source", rows[label][0]))
        tables = [_counted(manifest), _distribution(rows)]
    tried = [one for one in findings if one.attack == "histories" and one.tried]
    return {
        "column": plan.person if plan.unit.is_linked or source is not None else None,
        "is_linked": plan.unit.is_linked,
        "count": plan.persons_column,
        "most_rows": plan.unit.rows,
        "hides_presence": any(model.presence for model in plan.privacy),
        "counts": counts,
        "tables": tables,
        "histories": _histories(plan, tried) if tried else None,
        "notes": list(dict.fromkeys(note for one in tried for note in one.notes)),
    }


def rows_by_ranges(persons: Mapping[int, int], fewest: int) -> list[tuple[str, int]]:
    """Numbers of rows and the persons who have them, in ranges of enough persons, rising."""
    left = sum(persons.values())
    if len(persons) > MOST_VALUES:
        fewest = max(fewest, math.ceil(left / MOST_VALUES))
    ranges: list[tuple[str, int]] = []
    least, numbers, counted = 1, 0, 0
    for rows, count in persons.items():
        numbers, counted, left = numbers + 1, counted + count, left - count
        if left and min(counted, left) < fewest:
            continue
        label = f"{least:,} to {rows:,}" if left else f"{least:,} or more"
        ranges.append((f"{rows:,}" if numbers == 1 else label, counted))
        least, numbers, counted = rows + 1, 0, 0
    return ranges


def _distribution(ranges: Sequence[tuple[str, int]]) -> Table:
    total = sum(count for _, count in ranges)
    columns = (Column("rows of a person"), Column("persons", "count"), Column("share", "share"))
    rows = [(label, count, count / total) for label, count in ranges]
    return Table("Persons of the source by their number of rows", columns, rows)


def _counted(manifest: Mapping[str, Any]) -> Table:
    """Persons and rows of the source, and what became of them."""
    rows, persons = manifest["rows"], manifest["persons"]
    read = "in the source" + (", without dropped rows" if rows["dropped"] else "")
    told: list[tuple[Any, ...]] = [(read, persons["input"], rows["input"] - rows["dropped"])]
    told += [(what, persons[what], rows[what]) for what in ("published", "suppressed")]
    if "cut" in rows:
        told.append(("beyond the most rows of a person", None, rows["cut"]))
    columns = (Column("what"), Column("persons", "count"), Column("rows", "count"))
    return Table("Persons and rows; a person without a published row is suppressed", columns, told)


_KNOWN = {"none": "what never changes", "number": "… and how many rows", "all": "… and all rows"}


def _histories(plan: Plan, tried: Sequence[AttackFinding]) -> Table:
    """What is left by what is known of a person; one row if it never matters which rows are."""
    rows = []
    for one in tried:
        known, first = one.parameters["rows"], one.parameters["choice"] == "first"
        told = f"… and {'the first ' if first else ''}{known} row{'' if known == 1 else 's'}"
        measured = {name: value and int(value) for name, value in (one.measured or {}).items()}
        figures = (measured["least_left"], one.rows_at_risk, measured["persons_alone"])
        rows.append((_KNOWN.get(known, told), one.rows, *figures))
    if len(rows) > 1 and len({row[1:] for row in rows}) == 1:
        rows = [("any rows", *rows[0][1:])]
    least = sorted({one.parameters["k"] or max(plan.k, 2) for one in tried})
    names = ("persons by class" if plan.hides_persons else "persons", "fewest",
             f"below {' or '.join(map(str, least))}", "one")  # fmt: skip
    columns = (Column("known"), *(Column(name, "count") for name in names))
    return Table("Attack histories: persons who are left, for who knows rows of one", columns, rows)
