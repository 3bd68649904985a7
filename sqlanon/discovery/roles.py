"""The role that `init` proposes for a column, with the reason; a pure function of its survey.

The order of the rules is their rank: what identifies a person on its own comes first, and what is
not known to be harmless is never published as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from sqlanon.discovery import nature
from sqlanon.discovery import vocabulary as words
from sqlanon.discovery.survey import ColumnSurvey, Survey

Role = Literal["identifier", "quasi-identifier", "sensitive", "insensitive"]

MOST_QUASI_IDENTIFIERS = 10
"""Quasi-identifiers of a proposal. Each further one divides the classes, and all lose detail; what
is less widely known than the others is left out instead of published as it is."""

MOST_SENSITIVE = 4
"""Sensitive attributes of a proposal, for each of which a promise must hold in every class."""

MOST_LABELS = 200
"""Different values of a sensitive attribute: more are exact values, which single rows out."""

_UNKNOWN = 10
"""Rank of a quasi-identifier whose name says nothing."""


@dataclass(frozen=True)
class ProposedRole:
    """What is proposed for a column.

    Attributes:
        role: its role.
        reason: why, in a sentence for a comment; quotes no value.
        rank: of a quasi-identifier, how widely known it is; 0 is known to everybody.
        is_unit: whether it tells persons apart who have several rows.
    """

    role: Role
    reason: str
    rank: int = 0
    is_unit: bool = False


def proposed_roles(
    survey: Survey, chosen: dict[str, Role] | None = None
) -> dict[str, ProposedRole]:
    """The role of every column, in their order.

    Args:
        survey: what is known of the columns.
        chosen: roles that a person chose; they are not changed.
    """
    chosen = chosen or {}
    roles = {name: proposed_role(column) for name, column in survey.columns.items()}
    for name, role in chosen.items():
        if roles[name].role != role:
            roles[name] = ProposedRole(role, "chosen by you", _UNKNOWN)
    free = [name for name in roles if name not in chosen]
    _choose_unit(roles, survey, chosen)
    _limit(roles, free, "sensitive", MOST_SENSITIVE, survey)
    _limit(roles, free, "quasi-identifier", MOST_QUASI_IDENTIFIERS, survey)
    if not any(role.role == "quasi-identifier" for role in roles.values()):
        candidates = [
            name for name, column in survey.columns.items()
            if column.statistics.may_leave and not roles[name].is_unit
            and chosen.get(name) in (None, "quasi-identifier")
        ]  # fmt: skip
        if candidates:
            name = min(candidates, key=lambda each: survey.columns[each].statistics.distinct)
            roles[name] = ProposedRole(
                "quasi-identifier",
                f"a plan needs one, although: {roles[name].reason}; it is published as '*'",
            )
    return roles


def proposed_role(column: ColumnSurvey) -> ProposedRole:
    """The role of one column, by what it is; see the rules in the order of the code."""
    return (
        _of_unreadable(column)
        or _of_content(column)
        or _of_names(column)
        or _of_unique(column)
        or _of_sensitive(column)
        or _of_known(column)
        or _of_the_rest(column)
    )


def _of_unreadable(column: ColumnSurvey) -> ProposedRole | None:
    found = column.statistics
    if not found.may_leave:
        why = "its values can contain others" if found.is_nested else "it cannot be published"
        return ProposedRole("identifier", f"the type {found.type}: {why}; docs/types.md")
    if not found.present:
        return ProposedRole("identifier", "no row has a value")
    if found.distinct == 1 and not found.missing:
        return ProposedRole("insensitive", "one value in all rows, so it tells nobody apart")
    return None


def _of_content(column: ColumnSurvey) -> ProposedRole | None:
    content = column.content
    if content is None:
        return None
    return ProposedRole(
        "identifier",
        f"{content.kind}: {percent(content.share)} of {content.looked_at} values looked at",
    )


def _of_names(column: ColumnSurvey) -> ProposedRole | None:
    found = column.statistics
    if nature.is_repeating_key(found):
        told = f"a person's key: {number(found.distinct)} values in {number(found.present)} rows"
        if found.missing:
            told += "; rows without one are of nobody, so that it cannot be the unit"
        return ProposedRole("identifier", told, is_unit=not found.missing)
    if nature.is_free_text(found):
        return ProposedRole(
            "identifier", "free text, in which anything can be said, such as a name"
        )
    many = (
        found.distinct >= nature.FEWEST_VALUES or found.distinct_share > nature.NEARLY_UNIQUE_SHARE
    )
    if many and (nature.is_key_name(found.name) or words.says(found.name, words.IDENTIFYING)):
        return ProposedRole("identifier", "by its name it identifies a person on its own")
    if many and words.names_a_person(found.name):
        return ProposedRole("identifier", "by its name it has the names of persons")
    if many and nature.is_key_of_others(found.name):
        return ProposedRole("identifier", "by its name a key, by which others find the record")
    return None


def _of_unique(column: ColumnSurvey) -> ProposedRole | None:
    found = column.statistics
    if not nature.is_nearly_unique(found) or found.kind in ("date", "decimal"):
        return None
    if words.reason_to_generalize(found.name) or words.says(found.name, words.AMOUNTS):
        return None  # generalized, it is not unique any more
    told = f"nearly unique: {share_words(found.distinct_share)} different values"
    if found.kind == "whole" and found.distinct_share < _UNIQUE:
        return None
    return ProposedRole("identifier", told)


_UNIQUE = 0.98
"""Different values for each row from which a whole number is a key rather than an amount."""


def _of_sensitive(column: ColumnSurvey) -> ProposedRole | None:
    found, about = column.statistics, words.reason_to_protect(column.name)
    if about is None or found.kind == "date":
        return None
    if found.distinct < 2:
        return None
    if found.distinct > MOST_LABELS or nature.is_nearly_unique(found):
        return _of_amount(column, f"about {about}, and its exact values single rows out")
    if found.kind in ("whole", "decimal") and words.says(found.name, words.AMOUNTS):
        return _of_amount(column, f"about {about}, as exact amounts")
    if column.has_alike:
        return ProposedRole(
            "identifier",
            f"about {about}, but some values differ only in case, white space or notation, so that"
            " no promise could count them; spell each in one way, and it can be sensitive",
        )
    return ProposedRole("sensitive", f"about {about}; nobody should learn it of a person")


def _of_amount(column: ColumnSurvey, why: str) -> ProposedRole:
    if column.statistics.kind in ("whole", "decimal"):
        return ProposedRole("quasi-identifier", f"{why}; published as ranges", _UNKNOWN - 2)
    return ProposedRole("identifier", why)


def _of_known(column: ColumnSurvey) -> ProposedRole | None:
    found = column.statistics
    reason = words.reason_to_generalize(found.name)
    if reason is None and found.kind == "date":
        reason = len(words.QUASI_IDENTIFYING) - 1, words.QUASI_IDENTIFYING[-1][1]
    return ProposedRole("quasi-identifier", reason[1], reason[0]) if reason else None


def _of_the_rest(column: ColumnSurvey) -> ProposedRole:
    found = column.statistics
    if words.says(found.name, words.ABOUT_THE_RECORD) and found.distinct < nature.FEWEST_VALUES:
        return ProposedRole("insensitive", "by its name about the table, with few values")
    if found.kind in ("whole", "decimal") and words.says(found.name, words.AMOUNTS):
        return _of_amount(column, "exact amounts, by which a bill or a transfer is found")
    if found.kind == "text" and found.distinct > MOST_LABELS and not column.has_codes:
        return ProposedRole("identifier", f"{number(found.distinct)} different texts")
    told = f"{number(found.distinct)} values; its name says nothing, so others may know it"
    return ProposedRole("quasi-identifier", told, _UNKNOWN)


def _choose_unit(
    roles: dict[str, ProposedRole], survey: Survey, chosen: Mapping[str, Role]
) -> None:
    """Keep one key as the unit: the one with the fewest values.

    A person can have several cards or devices.
    """
    keys = [
        name for name, role in roles.items()
        if role.is_unit and chosen.get(name) in (None, "identifier")
    ]  # fmt: skip
    best = min(keys, key=lambda name: survey.columns[name].statistics.distinct, default=None)
    for name, role in roles.items():
        if role.is_unit and name != best:
            roles[name] = replace(role, is_unit=False)


def _limit(
    roles: dict[str, ProposedRole], free: list[str], role: Role, most: int, survey: Survey
) -> None:
    """Drop what is above the limit: the least known, and of these the columns with most values."""
    having = [name for name, proposed in roles.items() if proposed.role == role]
    order = sorted(
        (name for name in having if name in free),
        key=lambda name: (roles[name].rank, survey.columns[name].statistics.distinct),
    )
    room = max(most - (len(having) - len(order)), 0)
    for name in order[room:]:
        of_what = f"{role} attributes" if role == "sensitive" else f"{role}s"
        reason = f"left out, beyond the {most} {of_what} of the plan: {roles[name].reason}"
        roles[name] = ProposedRole("identifier", reason)


def number(count: int) -> str:
    """A count with separators of thousands."""
    return f"{count:,}"


def percent(share: float) -> str:
    """A share as a whole percentage; only a share of exactly 0 or 1 is told as 0 % or 100 %."""
    if 0 < share < 0.01:
        return "under 1 %"
    if 0.99 < share < 1:
        return "over 99 %"
    return f"{round(100 * share)} %"


def share_words(share: float) -> str:
    """Different values for each hundred rows, in words."""
    return "all rows have" if share >= 1 else f"for 100 rows {round(100 * share)}"
