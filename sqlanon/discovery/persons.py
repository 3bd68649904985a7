"""Persons with several rows: how many rows each has, and how many have a sensitive value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlanon.discovery.statistics import TableStatistics, as_text
from sqlanon.plan.plan import Plan
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step

_COVERED_SHARE = 0.9
"""Share of persons all of whose rows are within the proposed number of linked rows."""

_FEWEST_PERSONS = 1_000
"""Persons whose values are looked at, in tables that have as many."""


@dataclass(frozen=True)
class PersonShare:
    """Who has the values of a sensitive attribute.

    Attributes:
        largest: the share of persons who have the most frequent value in any of their rows.
        has_several: whether a person has different values.
    """

    largest: float
    has_several: bool


@dataclass(frozen=True)
class Persons:
    """What is known of persons who have several rows.

    Attributes:
        count: their number; about 2 % off in tables larger than the sample.
        shares: who has the values, by sensitive attribute; of tables larger than the sample, among
            about as many persons as have the rows of a sample.
        rows: how many persons have how many rows, by the number of rows, rising; only where
            histories are to be proposed.
    """

    count: int
    shares: Mapping[str, PersonShare]
    rows: Mapping[int, int] = field(default_factory=dict)

    @property
    def most_rows(self) -> int:
        """The smallest number of rows that nine of ten persons do not exceed."""
        return next(rows for rows in self.rows if self.share_within(rows) >= _COVERED_SHARE)

    def share_within(self, most: int) -> float:
        """The share of persons who have a number of rows, or fewer."""
        within = sum(persons for rows, persons in self.rows.items() if rows <= most)
        return within / sum(self.rows.values())

    def share_alone(self, k: int) -> float:
        """The share of persons whose number of rows, up to `most_rows`, fewer than k persons have.

        Whatever is published of the rows, linked histories of these persons are alike for fewer.
        """
        alike = Counter[int]()
        most = self.most_rows
        for rows, persons in self.rows.items():
            alike[min(rows, most)] += persons
        return sum(n for n in alike.values() if n < k) / sum(alike.values())


def persons_of(
    plan: Plan,
    table: TableStatistics,
    unit: str,
    sensitive: Sequence[str],
    *,
    most_rows: int,
    histories: bool,
) -> Search[Persons]:
    """Ask for the persons of a source, whose view `source` has been made."""
    collated = not plan.source.is_file
    texts = {one.name: as_text(one.name, one.type, collated=collated) for one in table.columns}
    count, rows = table[unit].distinct, {}
    if histories:
        sql = render("discovery/rows_of_persons.sql", person=texts[unit])
        counted = yield Step("rows_of_persons", sql, "rows")
        rows = {int(each): int(persons) for each, persons in counted}
    if not sensitive:
        return Persons(count, {}, rows)
    aliases = table.aliases
    sql = render(
        "discovery/person_shares.sql",
        person=texts[unit],
        columns=[{"alias": aliases[name], "text": texts[name]} for name in sensitive],
        parts=max(min(table.rows // most_rows, count // _FEWEST_PERSONS), 1),
    )
    found = {alias: counts for alias, *counts in (yield Step("person_shares", sql, "rows"))}
    shares = {}
    for name in sensitive:
        persons, most, several = map(int, found[aliases[name]])
        shares[name] = PersonShare(most / persons, several > 0)
    return Persons(count, shares, rows)
