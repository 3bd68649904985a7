"""The role that `init` proposes for a column, with the reason, and what singles rows out.

The order of the rules is their rank: what identifies a person on its own comes first, and what is
not known to be harmless is never published as it is.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

from sqlanon.discovery import vocabulary as words
from sqlanon.discovery.content import Content
from sqlanon.discovery.persons import is_key_of_persons, may_be_key, staying
from sqlanon.discovery.purposes import Purpose
from sqlanon.discovery.statistics import FEWEST_VALUES, LONG_CODE, NEARLY_UNIQUE_SHARE
from sqlanon.discovery.survey import ColumnSurvey, Survey
from sqlanon.plan.column_types import NESTED
from sqlanon.risks.special_uniques import members_of
from sqlanon.sql.render import question
from sqlanon.sql.step import Search

Role = Literal["identifier", "quasi-identifier", "sensitive", "insensitive"]

MOST_LABELS = 200
"""Different values of a sensitive attribute: more are exact values, which single rows out, unless
they are texts that repeat."""

_REPEATED_LABELS = 0.1
"""Different texts for each row up to which they repeat."""

_FEWEST_ITEMS, _MOST_ANSWERS = 4, 11
"""Columns of a block of items, and the answers to each."""

CHOSEN = "chosen by you"

_UNKNOWN = 10
"""Rank of a quasi-identifier whose name says nothing."""


@dataclass(frozen=True)
class ProposedRole:
    """What is proposed for a column.

    Attributes:
        role: its role.
        reason: why, in a sentence for a comment; quotes no value.
        rank: of a quasi-identifier, how widely known it is; 0 is known to everybody.
        is_unit: whether it identifies persons who have several rows.
    """

    role: Role
    reason: str
    rank: int = 0
    is_unit: bool = False


def proposed_roles(
    survey: Survey, purpose: Purpose, chosen: Mapping[str, str] | None = None
) -> dict[str, ProposedRole]:
    """The role of every column, in their order; chosen ones are a role, or `unit`."""
    chosen = chosen or {}
    roles = {name: proposed_role(column) for name, column in survey.columns.items()}
    for name, choice in chosen.items():
        if choice == "unit":
            roles[name] = _of_key(survey.columns[name], f"the key of a person, {CHOSEN}")
        elif roles[name].role != choice:
            roles[name] = ProposedRole(cast(Role, choice), CHOSEN, _UNKNOWN)
        else:
            roles[name] = replace(roles[name], is_unit=False)
    free = [name for name in roles if name not in chosen]
    blocks = _blocks(survey)
    for name in free:
        if name in blocks and roles[name].rank == _UNKNOWN and roles[name].role != "identifier":
            roles[name] = ProposedRole(
                "sensitive",
                f"one of {blocks[name]} items with the same answers, which nobody should learn of a"
                " person",
            )
    _choose_unit(roles, survey, chosen)
    if not any(role.is_unit for role in roles.values()):
        for name in free:
            if may_be_key(survey.columns[name]):
                reason = f"perhaps the key of a person or device; {roles[name].reason}"
                known = survey.columns[name].kind != "whole" or roles[name].rank != _UNKNOWN
                role = roles[name].role if known else "identifier"  # no range of a key helps anyone
                roles[name] = replace(roles[name], role=role, reason=reason)
    _leave_out(roles, free, purpose.most_quasi_identifiers, survey)
    if not any(role.role == "quasi-identifier" for role in roles.values()):
        candidates = [
            name for name, column in survey.columns.items()
            if column.may_leave and not roles[name].is_unit
            and chosen.get(name) in (None, "quasi-identifier")
        ]  # fmt: skip
        if candidates:
            name = min(candidates, key=lambda each: survey.columns[each].distinct)
            roles[name] = ProposedRole(
                "quasi-identifier",
                f"a plan needs one, although: {roles[name].reason}; it is published as '*'",
            )
    return roles


def _leave_out(
    roles: dict[str, ProposedRole], free: Sequence[str], most: int, survey: Survey
) -> None:
    """Leave out quasi-identifiers above a number: the least known, and of these the riskiest."""
    known = [name for name, proposed in roles.items() if proposed.role == "quasi-identifier"]
    order = sorted(
        (name for name in known if name in free),
        key=lambda name: (roles[name].rank, survey.columns[name].bits),
    )
    for name in order[max(most - (len(known) - len(order)), 0) :]:
        bits = survey.columns[name].bits
        reason = f"left out, as more than {most} quasi-identifiers leave little detail; it would"
        roles[name] = ProposedRole(
            "identifier", f"{reason} divide the rows by {bits:.1f} bits: {roles[name].reason}"
        )


def _blocks(survey: Survey) -> dict[str, int]:
    """The items of questionnaires: columns that are numbered and have the same few answers."""
    found: dict[tuple[str, str, frozenset[str]], list[str]] = {}
    for name, column in sorted(survey.columns.items(), key=lambda one: -one[1].distinct):
        numbered = re.fullmatch(r"(.*?)[ _.-]?\d{1,3}[a-z]?", name)
        if numbered and 2 <= column.distinct <= _MOST_ANSWERS:
            own, values = (numbered[1], column.kind), frozenset(column.values)
            # of a few rows, some lack an answer that others have
            alike = (
                n for n in found if n[:2] == own and values <= n[2] and len(n[2]) < 2 * len(values)
            )
            found.setdefault(next(alike, (*own, values)), []).append(name)
    blocks = [names for names in found.values() if len(names) >= _FEWEST_ITEMS]
    return {name: len(names) for names in blocks for name in names}


def proposed_role(column: ColumnSurvey) -> ProposedRole:
    """The role of one column, by what it is; the order of the rules is their rank."""
    return (
        _of_unreadable(column)
        or _of_person(column)
        or (ProposedRole("identifier", _of_which(column.content)) if column.content else None)
        or _of_names(column)
        or _of_system(column)
        or _of_unique(column)
        or _of_sensitive(column)
        or _of_known(column)
        or _of_the_rest(column)
    )


def _of_unreadable(column: ColumnSurvey) -> ProposedRole | None:
    if not column.may_leave:
        why = "its values can contain others" if column.type in NESTED else "it cannot be published"
        return ProposedRole("identifier", f"the type {column.type}: {why}; docs/types.md")
    if not column.present:
        return ProposedRole("identifier", "no row has a value")
    if column.distinct == 1 and not column.missing:
        return ProposedRole("insensitive", "one value in all rows, so it cannot distinguish anyone")
    return None


def _of_person(column: ColumnSurvey) -> ProposedRole | None:
    if not is_key_of_persons(column):
        return None
    reason = f"a person's key: {number(column.distinct)} values in {number(column.present)} rows"
    if column.content is not None:
        reason = f"{_of_which(column.content)}; {reason}"
    elif not words.is_key_name(column.name):
        names = staying(column)
        if len(names) > _MOST_NAMED:
            names[_MOST_NAMED:] = [f"{len(names) - _MOST_NAMED} more"]
        listed = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
        reason += f"; {listed} {'stays' if len(names) == 1 else 'stay'} the same with it"
    return _of_key(column, reason)


_MOST_NAMED = 3
"""Columns that a reason names."""


def _of_key(column: ColumnSurvey, reason: str) -> ProposedRole:
    """The role of a key of persons."""
    if column.missing:
        reason += "; rows without one are of nobody, so that it cannot be the unit"
    return ProposedRole("identifier", reason, is_unit=not column.missing)


def _of_which(content: Content) -> str:
    """What the values are, and how many."""
    return f"{content.kind}: {percent(content.share)} of {content.looked_at} values looked at"


def _of_names(column: ColumnSurvey) -> ProposedRole | None:
    name = column.name
    reason = None
    if column.is_free_text:
        reason = "free text, in which anything can be said, such as a name"
    elif words.names_a_person(name) and column.kind == "text" and column.distinct > 1:
        reason = "by its name it has the names of persons"
    elif words.is_key_of_actors(name) and column.kind in ("whole", "text"):
        reason = "named like the key of somebody who works here, whom colleagues know"
    elif column.distinct < FEWEST_VALUES and column.distinct_share <= NEARLY_UNIQUE_SHARE:
        return None
    elif words.is_key_name(name) or words.says(name, words.IDENTIFYING):
        reason = "by its name it identifies a person on its own"
    elif words.is_key_of_others(name):
        reason = "named like the key of a record, by which others find it"
    return None if reason is None else ProposedRole("identifier", reason)


def _of_system(column: ColumnSurvey) -> ProposedRole | None:
    if column.system is None or column.has_alike:
        return None
    kind, about = column.system.kind, column.system.about
    if about == "health":
        is_telling = column.longest >= _TELLING and not words.reason_to_generalize(column.name)
        if not is_telling and not words.reason_to_protect(column.name):
            return None
        if column.is_nearly_unique:
            return ProposedRole("quasi-identifier", f"{kind}, most of one row", _UNKNOWN - 1)
        return ProposedRole("sensitive", f"{kind}; nobody should learn them of a person")
    rank, why = words.known_by(about)
    return ProposedRole("quasi-identifier", f"{kind}: {why}", rank)


_TELLING = 5
"""Characters of a code of diseases: classes, places and groups of ages have shorter ones, too."""


def _of_unique(column: ColumnSurvey) -> ProposedRole | None:
    if column.kind in ("date", "decimal"):
        return None
    if _are_keys(column):
        return ProposedRole("identifier", f"{number(column.distinct)} codes of few rows each")
    if not column.is_nearly_unique:
        return None
    known = words.reason_to_generalize(column.name, column.distinct)
    if known or words.says(column.name, words.AMOUNTS):
        return None  # generalized, it is not unique any more
    share, is_long = column.distinct_share, column.shortest >= LONG_CODE
    is_whole = column.kind == "whole"
    if is_whole and not (is_long or (share >= _UNIQUE and _is_like_a_key(column))):
        return None
    of_rows = "all rows have" if share >= 1 else f"for 100 rows {round(100 * share)}"
    return ProposedRole("identifier", f"nearly unique: {of_rows} different values")


def _are_keys(column: ColumnSurvey) -> bool:
    """Whether texts are codes that few rows share, and of no place: those of a car, or a card."""
    return (
        column.kind == "text"
        and column.has_codes
        and column.system is None
        and column.distinct > MOST_LABELS
        and column.distinct_share > _KEYS
        and not words.says(column.name, words.POSTAL)
    )


_KEYS = 0.2
"""Different codes for each row, from which on they are keys."""


def _is_like_a_key(column: ColumnSurvey) -> bool:
    """Whether whole numbers are counted, or as long as each other, rather than measured."""
    numbers = column.quantiles
    return column.shortest == column.longest or numbers[10] - numbers[0] < 2 * column.distinct


_UNIQUE = 0.98
"""Different values for each row from which a whole number is a key rather than an amount."""


def _of_sensitive(column: ColumnSurvey) -> ProposedRole | None:
    about = words.reason_to_protect(column.name)
    if about is None or column.kind == "date" or column.distinct < 2:
        return None
    repeat = column.kind == "text" and column.distinct_share <= _REPEATED_LABELS
    if (column.distinct > MOST_LABELS and not repeat) or column.is_nearly_unique:
        return _of_amount(column, f"about {about}, and its exact values single rows out")
    is_money = about == "money" and column.distinct >= FEWEST_VALUES
    if column.kind in ("whole", "decimal") and (is_money or words.says(column.name, words.AMOUNTS)):
        return _of_amount(column, f"about {about}, as exact amounts")
    if column.has_alike:
        return ProposedRole(
            "identifier",
            f"about {about}, but some values differ only in case, white space or notation, so that"
            " no promise could count them; spell each in one way, and it can be sensitive",
        )
    return ProposedRole("sensitive", f"about {about}; nobody should learn it of a person")


def _of_amount(column: ColumnSurvey, why: str) -> ProposedRole:
    if column.kind in ("whole", "decimal"):
        return ProposedRole("quasi-identifier", f"{why}; published as ranges", _UNKNOWN - 2)
    if column.has_codes and not column.is_nearly_unique:
        return ProposedRole("quasi-identifier", f"{why}; published in part", _UNKNOWN - 2)
    return ProposedRole("identifier", why)


def _of_known(column: ColumnSurvey) -> ProposedRole | None:
    reason = words.reason_to_generalize(column.name, column.distinct)
    if reason is None and column.kind == "date":
        reason = len(words.QUASI_IDENTIFYING) - 1, words.QUASI_IDENTIFYING[-1][1]
    return ProposedRole("quasi-identifier", reason[1], reason[0]) if reason else None


def _of_the_rest(column: ColumnSurvey) -> ProposedRole:
    name, values = column.name, number(column.distinct)
    if words.says(name, words.ABOUT_THE_RECORD) and column.distinct < FEWEST_VALUES:
        return ProposedRole("insensitive", "by its name about the table, with few values")
    if column.kind in ("whole", "decimal") and words.says(name, words.AMOUNTS):
        return _of_amount(column, "exact amounts, by which a bill or a transfer is found")
    if column.kind == "text" and column.distinct > MOST_LABELS and not column.has_codes:
        return ProposedRole("identifier", f"{values} different texts")
    values += " value" if column.distinct == 1 else " values"
    reason = f"{values}; its name says nothing, so others may know it"
    return ProposedRole("quasi-identifier", reason, _UNKNOWN)


def unit_of(roles: Mapping[str, ProposedRole]) -> str | None:
    """The column that identifies persons; None if every row is one."""
    return next((name for name, role in roles.items() if role.is_unit), None)


def _choose_unit(roles: dict[str, ProposedRole], survey: Survey, chosen: Mapping[str, str]) -> None:
    """Keep one key as the unit: the one with the fewest values.

    A person can have several cards or devices. What several persons can share, such as an e-mail
    address, is the unit only if there is no other key; of about equal keys, one that its name says.
    """
    keys = [survey.columns[name] for name, role in roles.items() if role.is_unit]
    own = [key for key in keys if key.content is None or words.is_key_name(key.name)]
    keys = [key for key in keys if chosen.get(key.name) == "unit"] or own or keys
    if not keys:
        return
    most = _ABOUT_EQUAL * min(key.distinct for key in keys)
    best = min(
        (key for key in keys if key.distinct <= most),
        key=lambda key: (not words.is_key_name(key.name), key.distinct),
    )
    for name, role in roles.items():
        if role.is_unit and name != best.name:
            roles[name] = replace(role, is_unit=False)


_ABOUT_EQUAL = 1.05
"""Different values, compared with the fewest: they are counted with an error of about 2 %."""


def number(count: int) -> str:
    """A count with separators of thousands."""
    return f"{count:,}"


def percent(share: float) -> str:
    """A share as a whole percentage; only a share of exactly 0 or 1 is written as 0 % or 100 %."""
    if 0 < share < 0.01:
        return "under 1 %"
    if 0.99 < share < 1:
        return "over 99 %"
    return f"{round(100 * share)} %"


SINGLING_SHARE = 0.05
"""Share of rows from which a set of columns is reported to single people out."""

_MOST_COLUMNS, _LARGEST_SET, _MOST_SETS = 12, 3, 6


@dataclass(frozen=True)
class SinglingSet:
    """A minimal set of columns that single rows out.

    Attributes:
        columns: the columns; without any of them fewer than `SINGLING_SHARE` are singled out.
        share: the share of sampled rows that no other sampled row equals in these columns.
    """

    columns: tuple[str, ...]
    share: float


def singling_sets(survey: Survey) -> Search[tuple[SinglingSet, ...]]:
    """Ask for the minimal sets of columns that single rows out: the strongest of each size.

    Every column is tried alone. Of those that are not identifiers, and that do not single rows out
    alone, the ones with the most values are tried together, two and three at a time.
    """
    table = survey.table
    least = SINGLING_SHARE * table.sampled_rows
    columns = survey.columns.values()
    found = [
        SinglingSet((column.name,), column.sampled_once / table.sampled_rows)
        for column in columns
        if column.sampled_once >= least
    ]
    others = sorted(
        (column for column in columns
         if column.sampled_once < least and proposed_role(column).role != "identifier"),
        key=lambda column: -column.sampled_distinct,
    )  # fmt: skip
    names = [column.name for column in others[:_MOST_COLUMNS]]
    for size in range(2, _LARGEST_SET + 1):
        minimal = [set(one.columns) for one in found]
        sets = [
            each
            for each in itertools.combinations(range(1, len(names) + 1), size)
            if not any(smaller <= {names[n - 1] for n in each} for smaller in minimal)
        ]
        if not sets:
            break
        aliases = [table[name].alias for name in names]
        rows = yield question("discovery/single_rows", column_names=aliases, sets=sets)
        found += [
            SinglingSet(tuple(members_of(names, mask)), count / table.sampled_rows)
            for mask, count in rows
            if count >= least
        ]
    found.sort(key=lambda one: (len(one.columns), -one.share, one.columns))
    sizes = itertools.groupby(found, key=lambda one: len(one.columns))
    return tuple(one for _, same in sizes for one in itertools.islice(same, _MOST_SETS))
