"""The key of persons who have several rows, also where its name does not show it.

A key is found by dependency: what a person has or is for a long time, such as the date of birth,
stays the same while the key does. The sample is asked in one statement.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sqlanon.discovery import nature
from sqlanon.discovery import vocabulary as words
from sqlanon.discovery.survey import ColumnSurvey, Survey
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step

STAYS = 0.05
"""Changes, compared with chance, up to which a column stays the same: data have errors, and people
move."""

VARIES = 0.5
"""Changes, compared with chance, from which a column is of others than the key."""

_FEWEST_EXPECTED = 5
"""Values of a key within which a column changes by chance; with fewer, it shows nothing."""

_MOST_KEYS, _MOST_COLUMNS = 8, 16

_REPEATED_SHARE = nature.KEY_REPEATS - 1
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
    traits = [name for name in columns if words.trait(name) and columns[name].counts]
    traits = traits[:_MOST_COLUMNS]
    keys = sorted(
        (name for name, column in columns.items() if _could_be_key(column)),
        key=lambda name: -columns[name].statistics.distinct,
    )[:_MOST_KEYS]
    if keys and traits:
        aliases = survey.table.aliases
        sql = render(
            "discovery/dependent_columns.sql",
            keys=[aliases[name] for name in keys],
            columns=[aliases[name] for name in traits],
        )
        rows = yield Step("dependent_columns", sql, "rows")
        for place, *counts in rows:
            key = keys[int(place) - 1]
            changes = dict(_changes(columns, traits, counts))
            columns[key] = replace(columns[key], changes=changes)
    survey = replace(survey, columns=columns)
    if any(map(is_key_of_persons, columns.values())):
        return survey
    return replace(survey, repeating=(yield from _repeating(survey, traits)))


def _changes(
    columns: Mapping[str, ColumnSurvey], traits: Sequence[str], counts: Sequence[int]
) -> Iterator[tuple[str, float]]:
    """How often each column changes within the values of a key, compared with chance."""
    for name, repeated, changed in zip(traits, counts[::2], counts[1::2], strict=True):
        expected = int(repeated) * (1 - columns[name].agreement)
        if expected >= _FEWEST_EXPECTED:
            yield name, int(changed) / expected


def _could_be_key(column: ColumnSurvey) -> bool:
    """Whether values repeat and are codes, and the name is not about something else."""
    found, content = column.statistics, column.content
    is_about = words.trait(found.name) or words.reason_to_protect(found.name)
    return (
        nature.repeats(found)
        and found.kind != "date"
        and found.may_leave
        and not is_about
        and not words.says(found.name, words.AMOUNTS)
        and (column.has_codes if content is None else content.kind != "names of persons")
    )


def is_key_of_persons(column: ColumnSurvey) -> bool:
    """Whether a column is the key of persons who have several rows, by its name or dependency."""
    if nature.is_repeating_key(column.statistics):
        return True
    stay, vary = _traits(column)
    if vary & _LASTING or len(stay) <= len(vary - stay):
        return False
    if len(stay) == 1 or nature.is_key_of_others(column.name):
        found = column.statistics  # a year of birth stays in a column of years
        return "birth" in stay and not (found.kind == "whole" and found.longest <= _SHORTEST_CODE)
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
    """The columns about persons that stay the same while the value of this one does.

    What a person has for life comes first.
    """
    names = [name for name, changes in column.changes.items() if changes <= STAYS]
    return sorted(names, key=lambda name: words.trait(name) not in _LASTING)


def may_be_key(column: ColumnSurvey) -> bool:
    """Whether a column could be a key of persons or devices, and nothing says so or otherwise."""
    if is_key_of_persons(column) or not _could_be_key(column):
        return False
    if nature.is_key_of_others(column.name) or _traits(column)[1] & _LASTING:
        return False
    found = column.statistics
    if column.content is not None:
        return True
    return (
        found.distinct >= nature.FEWEST_VALUES
        and found.longest >= _SHORTEST_CODE + (found.kind == "whole")
        and found.longest - found.shortest <= (0 if found.kind == "whole" else _CODE_LENGTHS)
        and found.present <= _MOST_ROWS * found.distinct
    )


def _repeating(survey: Survey, traits: Sequence[str]) -> Search[tuple[str, ...]]:
    """The columns in which persons repeat: one for each trait, the one that tells most apart."""
    telling: dict[str, str] = {}
    for name in sorted(traits, key=lambda each: survey.columns[each].agreement):
        telling.setdefault(words.trait(name) or "", name)
    if len(telling) < _FEWEST_TRAITS or not telling.keys() & {"birth", "name"}:
        return ()
    names = [name for name in traits if name in telling.values()]
    aliases = survey.table.aliases
    sql = render("discovery/equal_pairs.sql", columns=[aliases[name] for name in names])
    ((pairs,),) = yield Step("equal_pairs", sql, "rows")
    rows, sampled = survey.table.rows, survey.table.sampled_rows
    chance = math.prod(survey.columns[name].agreement for name in names) * sampled**2 / 2
    others = 2 * int(pairs) / sampled * rows / sampled
    is_more = int(pairs) >= _REPEATED_FACTOR * chance + _FEWEST_EXPECTED
    return tuple(names) if is_more and others >= _REPEATED_SHARE else ()
