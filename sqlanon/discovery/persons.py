"""Persons with several rows: their key, how many rows each has, and who has a sensitive value.

A key is found by its name, or by dependency: what a person has or is for a long time, such as the
date of birth, stays the same while the key does.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlanon.discovery import vocabulary as words
from sqlanon.discovery.statistics import FEWEST_VALUES, KEY_REPEATS, TableStatistics, as_text
from sqlanon.discovery.survey import ColumnSurvey, Survey
from sqlanon.plan.plan import Plan
from sqlanon.sql.render import question
from sqlanon.sql.step import Search

STAYS = 0.05
"""Changes, compared with chance, up to which a column stays the same: data have errors, and people
move."""

VARIES = 0.5
"""Changes, compared with chance, from which a column is of others than the key."""

_FEWEST_EXPECTED = 5
"""Values of a key within which a column changes by chance; with fewer, it shows nothing."""

_MOST_KEYS, _MOST_COLUMNS = 8, 16

_REPEATED_SHARE = KEY_REPEATS - 1
_REPEATED_FACTOR = 10
"""Pairs of equal rows, compared with chance: columns depend on each other a little."""

_FEWEST_TRAITS = 3

_SHORTEST_CODE = 4
_CODE_LENGTHS = 3
_MOST_ROWS = 100
"""What codes are like that could be keys, where nothing depends on them: characters of the
longest, the difference to the shortest, and rows for each value."""


def with_keys(survey: Survey) -> Search[Survey]:
    """Ask which columns could be keys of persons, and whether persons repeat without one."""
    columns = dict(survey.columns)
    traits = [n for n, one in columns.items() if words.trait(n, one.distinct) and one.counts]
    traits = traits[:_MOST_COLUMNS]
    keys = sorted(
        (name for name, column in columns.items() if _could_be_key(column)),
        key=lambda name: -columns[name].distinct,
    )[:_MOST_KEYS]
    if keys and traits:
        rows = yield question(
            "discovery/dependent_columns",
            keys=[columns[name].alias for name in keys],
            columns=[columns[name].alias for name in traits],
        )
        for place, *counts in rows:
            key = keys[int(place) - 1]
            changes = {}
            for name, repeated, changed in zip(traits, counts[::2], counts[1::2], strict=True):
                expected = int(repeated) * (1 - columns[name].agreement)
                if expected >= _FEWEST_EXPECTED:
                    changes[name] = int(changed) / expected
            columns[key] = replace(columns[key], changes=changes)
    survey = replace(survey, columns=columns)
    if any(map(is_key_of_persons, columns.values())):
        return survey
    return replace(survey, repeating=(yield from _repeating(survey, traits)))


def _could_be_key(column: ColumnSurvey) -> bool:
    """Whether values repeat and are codes of no system, and the name is about nothing else."""
    content = column.content
    is_about = words.trait(column.name, column.distinct) or words.reason_to_protect(column.name)
    return (
        column.repeats
        and column.kind != "date"
        and column.may_leave
        and not is_about
        and column.system is None
        and not words.says(column.name, words.AMOUNTS)
        and (column.has_codes if content is None else not content.is_of_names)
    )


def is_key_of_persons(column: ColumnSurvey) -> bool:
    """Whether a column is the key of persons who have several rows, by its name or dependency."""
    if column.is_repeating_key and not (column.content and column.content.is_of_names):
        return True
    stay, vary = _traits(column)
    if vary & _LASTING or len(stay) <= len(vary - stay):
        return False
    if len(stay) == 1 or words.is_key_of_others(column.name):
        is_year = column.kind == "whole" and column.longest <= _SHORTEST_CODE
        return "birth" in stay and not is_year  # which stays in a column of years
    return bool(stay & {"age", "birth", "sex"})


_LASTING = frozenset({"birth", "sex", "origin", "name"})
"""What a person has for life, nearly."""


def _traits(column: ColumnSurvey) -> tuple[set[str], set[str]]:
    """What stays the same while the value of a column does, and what varies.

    One that several columns are about can do both: a year of birth stays where dates vary.
    """
    stay = {words.trait(name) or "" for name in staying(column)}
    vary = {words.trait(name) or "" for name, each in column.changes.items() if each >= VARIES}
    return stay, vary


def staying(column: ColumnSurvey) -> list[str]:
    """The columns about persons that stay while this value does; what lasts for life first."""
    names = [name for name, changes in column.changes.items() if changes <= STAYS]
    return sorted(names, key=lambda name: words.trait(name) not in _LASTING)


def may_be_key(column: ColumnSurvey) -> bool:
    """Whether a column could be a key of persons or devices, and nothing says so or otherwise."""
    if is_key_of_persons(column) or not _could_be_key(column):
        return False
    if words.is_key_of_others(column.name) or _traits(column)[1] & _LASTING:
        return False
    if column.content is not None:
        return True
    is_whole = column.kind == "whole"
    return (
        column.distinct >= FEWEST_VALUES
        and column.longest >= _SHORTEST_CODE + (is_whole and not words.has_key_word(column.name))
        and column.longest - column.shortest <= (0 if is_whole else _CODE_LENGTHS)
        and column.present <= _MOST_ROWS * column.distinct
    )


def _repeating(survey: Survey, traits: Sequence[str]) -> Search[tuple[str, ...]]:
    """The columns in which persons repeat: one for each trait, the one that distinguishes most."""
    repeating: dict[str, str] = {}
    for name in sorted(traits, key=lambda each: survey.columns[each].agreement):
        repeating.setdefault(words.trait(name) or "", name)
    if len(repeating) < _FEWEST_TRAITS or not repeating.keys() & {"birth", "name"}:
        return ()
    names = [name for name in traits if name in repeating.values()]
    aliases = [survey.columns[name].alias for name in names]
    ((pairs,),) = yield question("discovery/equal_pairs", columns=aliases)
    rows, sampled = survey.table.rows, survey.table.sampled_rows
    chance = math.prod(survey.columns[name].agreement for name in names) * sampled**2 / 2
    others = 2 * int(pairs) / sampled * rows / sampled
    is_more = int(pairs) >= _REPEATED_FACTOR * chance + _FEWEST_EXPECTED
    return tuple(names) if is_more and others >= _REPEATED_SHARE else ()


_COVERED_SHARE = 0.9
"""Share of persons all of whose rows are within the proposed number of linked rows."""

_FEWEST_SAMPLED = 1_000
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
    texts = {one.name: as_text(plan.source, one.name, one.type) for one in table.columns}
    count, rows = table[unit].distinct, {}
    if histories:
        counted = yield question("discovery/rows_of_persons", person=texts[unit])
        rows = {int(each): int(persons) for each, persons in counted}
    if not sensitive:
        return Persons(count, {}, rows)
    shared = yield question(
        "discovery/person_shares",
        person=texts[unit],
        columns=[{"alias": table[name].alias, "text": texts[name]} for name in sensitive],
        parts=max(min(table.rows // most_rows, count // _FEWEST_SAMPLED), 1),
    )
    found = {alias: counts for alias, *counts in shared}
    shares = {}
    for name in sensitive:
        persons, most, several = map(int, found[table[name].alias])
        shares[name] = PersonShare(most / persons, several > 0)
    return Persons(count, shares, rows)
