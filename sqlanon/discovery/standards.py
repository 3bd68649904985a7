"""Check lists of standards, on the rows that a plan would read and on those that are published.

Values are tested in SQL, over all rows; up to 300 different values of a column are looked at for
what SQL does not recognize. What a column's name alone suggests, or no row can show, is for an
officer to confirm. No value is in what is returned.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from sqlanon.discovery import vocabulary as words
from sqlanon.discovery.content import FEWEST_LOOKED_AT, content_of
from sqlanon.discovery.statistics import ColumnStatistics
from sqlanon.errors import PlanError, united
from sqlanon.plan.column_types import type_name
from sqlanon.plan.columns import Identifier
from sqlanon.plan.plan import Plan
from sqlanon.plan.standards import (
    ACTUAL_KNOWLEDGE,
    FREE_TEXT_RULE,
    INFERENCE,
    LEAST_AS_USED,
    LEAST_LITERALLY,
    LINKABILITY,
    MAXIMUM_RISK,
    SINGLING_OUT,
    VARIABLES,
    CheckedRule,
    Checklist,
    Rule,
    Standard,
    State,
)
from sqlanon.sql.render import question
from sqlanon.sql.step import Search, Step, quoted

_MOST_VALUES = 300
"""Different values of a column that are looked at one by one."""

_WORDS: Mapping[str, Any] = yaml.safe_load(
    Path(__file__).with_suffix(".yml").read_text(encoding="utf-8")
)
SMALL_AREAS: tuple[str, ...] = tuple(
    yaml.safe_load(
        Path(__file__).with_name("small_areas_2020.yml").read_text(encoding="utf-8")
    ).split()
)
"""The first digits of postal codes of areas with 20,000 people or fewer, by the census of 2020."""

_DROPPED = "give it the role identifier"


class Doubt(NamedTuple):
    """Why a rule is not proven.

    Attributes:
        rule: the name of the rule.
        column: that it is about; empty if it is about none.
        text: what was found.
        fix: what to change.
        is_broken: whether values show that the rule is not kept.
        form: that they have, as `_FORMS` names it; empty for other doubts.
    """

    rule: str
    column: str
    text: str
    fix: str = _DROPPED
    is_broken: bool = False
    form: str = ""

    @property
    def name(self) -> str:
        return f"{self.rule}.{self.column}" if self.column else self.rule


def required_of_source(plan: Plan) -> Search[None]:
    """Check what the plan could publish before its search; `source_rows` has been made.

    A quasi-identifier could be published at level 0, so its values are tested as they are read.

    Raises:
        PlanError: has every rule that would be broken, and every one that is not confirmed.
    """
    if plan.standard is None:
        return
    if plan.standard.tests_values:
        judged_later = {*plan.changed_columns, *([plan.person] if plan.hides_persons else [])}
        generalized = plan.quasi_identifiers
        doubts = yield from safe_harbor(plan, "sqlanon.source_rows", judged_later, generalized)
    else:
        doubts = [*_thresholds(plan, plan.k)]
    faults = [
        PlanError(
            f"{plan.standard.name}, {doubt.rule}: {doubt.text}.",
            where=plan.where(*(("columns", doubt.column) if doubt.column else ("standard",))),
            fix=doubt.fix
            if doubt.is_broken
            else f"{doubt.fix}; or look at it, and confirm it: `acknowledge: [{doubt.name}]`",
        )
        for doubt in doubts
        if doubt.is_broken or doubt.name not in plan.acknowledge
    ]
    if faults:
        raise united(faults)


def checklist(plan: Plan, *, shows_persons: bool = True) -> Search[Checklist | None]:
    """The check list of the plan's standard on published rows, after their proof; None without one.

    Args:
        shows_persons: whether the sizes of classes count persons, if the plan does.
    """
    standard = plan.standard
    if standard is None:
        return None
    if standard.tests_values:
        added = {plan.form.bucket, plan.persons_column}
        doubts = yield from safe_harbor(plan, "sqlanon.published_rows", added)
        standard = Standard(standard.name, year=year_of(standard))
    else:
        rows = yield question("discovery/smallest_class")
        ((smallest,),) = rows
        doubts = [*_thresholds(plan, int(smallest) if shows_persons else None)]
    return Checklist([_checked(plan, rule, doubts) for rule in standard.rules], standard)


def _checked(plan: Plan, rule: Rule, doubts: Sequence[Doubt]) -> CheckedRule:
    """The line of a rule, by what is doubtful about it."""
    own = [doubt for doubt in doubts if doubt.rule == rule.name]
    broken = [doubt for doubt in own if doubt.is_broken]
    open_ = [doubt for doubt in own if doubt.name not in plan.acknowledge]
    shown = broken or open_ or own
    state: State = "confirmed" if own else "proven"
    if broken or open_:
        state = "broken" if broken else "to confirm"
    names = () if broken else tuple(doubt.name for doubt in shown)
    text = "; ".join(doubt.text for doubt in shown) or rule.proof
    return CheckedRule(rule.name, rule.title, state, text, names)


def year_of(standard: Standard) -> int:
    """The year for which years of birth are ages: the standard's, or that of the clock."""
    return standard.year or datetime.datetime.now(datetime.UTC).year


# --- thresholds


def _thresholds(plan: Plan, smallest: int | None) -> Iterator[Doubt]:
    """The doubts about a standard that is about risk, by the size of the smallest class.

    Args:
        smallest: rows or persons; None if the rows do not show persons.
    """
    rules = {rule.name for rule in plan.standard.rules} if plan.standard else set()
    members = plan.promises.members
    if MAXIMUM_RISK in rules:
        yield from _maximum_risk(smallest, members)
        yield Doubt(
            VARIABLES, "", "no row shows whether the roles of the columns name all that people know"
            " of others", "see the columns and their roles",
        )  # fmt: skip
    if SINGLING_OUT in rules:
        if smallest is None or smallest < 2:
            yield Doubt(
                SINGLING_OUT, "", f"a class can have a single one of the {members}",
                "add `{model: k-anonymity, k: 5}`", is_broken=True,
            )  # fmt: skip
        yield Doubt(
            LINKABILITY, "", "what else is published of the same persons is not in the rows;"
            f" {_pseudonyms(plan)}", "try `attack intersection`, and see who gets what else",
        )  # fmt: skip
        about = [m.model for m in plan.privacy if m.sensitive_attribute is not None]
        yield Doubt(
            INFERENCE, "", f"proven about values: {', '.join(dict.fromkeys(about)) or 'nothing'};"
            " what holds for most people can be inferred of anybody",
            "see the attacks of the report",
        )  # fmt: skip


def _maximum_risk(smallest: int | None, members: str) -> Iterator[Doubt]:
    """The doubt that a risk is at most 0.09, which 11 persons are by one reading only."""
    fix = f"add `{{model: k-anonymity, k: {LEAST_LITERALLY}}}`"
    if smallest is None:
        yield Doubt(MAXIMUM_RISK, "", "the rows do not show persons", fix, is_broken=True)
    elif smallest == LEAST_AS_USED:
        yield Doubt(
            MAXIMUM_RISK, "", f"a class of {smallest} {members} is a risk of 1/11 = 0.0909: as it"
            " is written, 0.09 needs k = 12; authorities take it for one in 11", fix,
        )  # fmt: skip
    elif smallest < LEAST_AS_USED:
        yield Doubt(
            MAXIMUM_RISK, "", f"a class of {smallest} {members} is a risk of"
            f" {1 / max(smallest, 1):.4f}; 0.09 needs k = 12, or 11 if it is taken for one in 11",
            fix, is_broken=True,
        )  # fmt: skip


def _pseudonyms(plan: Plan) -> str:
    if not plan.has_pseudonyms:
        return "there is no pseudonym"
    return "pseudonyms are " + ("new in every run" if plan.has_random_pseudonyms else "lasting")


# --- HIPAA Safe Harbor


def safe_harbor(
    plan: Plan, relation: str, left_out: Container[str | None], generalized: Container[str] = ()
) -> Search[list[Doubt]]:
    """The doubts about 45 CFR 164.514(b)(2).

    Args:
        left_out: columns of the relation that are not tested.
        generalized: those whose values are not published as they are there.
    """
    assert plan.standard is not None
    year = year_of(plan.standard)
    described = yield Step("standard_columns", f"select *\nfrom {relation}", "columns")
    types = {name: type_name(kind) for name, kind in described if name not in left_out}
    pseudonyms = [
        name
        for name in types
        if isinstance(own := plan.columns.get(name), Identifier) and own.action == "pseudonym"
    ]
    tested = [name for name in types if name not in pseudonyms]
    doubts = [
        *_of_pseudonyms(plan, pseudonyms),
        Doubt(ACTUAL_KNOWLEDGE, "", "no row shows what the publisher knows of who is in them",
              "do not publish what you know to identify somebody"),
    ]  # fmt: skip
    if not tested:
        return doubts
    places = dict(enumerate(tested, start=1))
    rows = yield question(
        "discovery/tested_values", relation=relation, columns=tested, year=year,
        dates=[n for n, name in places.items() if _has_dates(name, types[name])],
        ages=[n for n, name in places.items() if words.trait(name) == "age"],
        birth_years=[n for n, name in places.items() if words.trait(name) == "birth"],
        postal=[n for n, name in places.items() if words.says(name, words.POSTAL)],
        small_areas=list(SMALL_AREAS), most_values=_MOST_VALUES,
    )  # fmt: skip
    for number, *counts in rows:
        name = places[number]
        column = _Tested.of(name, types[name], counts)
        doubts += column.doubts(year, is_generalized=name in generalized)
    return doubts


def _of_pseudonyms(plan: Plan, names: Iterable[str]) -> Iterator[Doubt]:
    """The doubts about keyed hashes: 164.514(c) allows a code that is not derived from a person."""
    if plan.has_random_pseudonyms:
        return
    for name in names:
        yield Doubt(
            "other-identifiers", name, f"'{name}' is a keyed hash, which is derived from a number"
            " of a person (164.514(c))", "write `key: random`, or drop it",
        )  # fmt: skip


def _has_dates(name: str, kind: str) -> bool:
    """Whether what could be a year and a month is one, by the name or type of a column."""
    return kind.startswith(("DATE", "TIMESTAMP")) or (
        words.trait(name) == "birth" or words.says(name, _listed("dates"))
    )


def _has_small_places(name: str) -> bool:
    """Whether a name has a word of a place other than those of states and postal codes."""
    known = _listed("states") | words.POSTAL
    either = "|".join(sorted(known, reverse=True))
    left = re.sub(rf"\b({either})|({either})\b", " ", " ".join(words.words_of(name)))
    return words.says(left, (words.PLACE | _listed("words", "geography")) - known)


def _listed(key: str, rule: str = "") -> words.Words:
    return frozenset((_WORDS[key][rule] if rule else _WORDS[key]).split())


DATES = "dates finer than a year"

_FORMS = (
    ("e-mail-addresses", "e-mail addresses"), ("web-addresses", "web addresses"),
    ("network-addresses", "IP addresses"), ("device-numbers", "hardware addresses"),
    ("social-security-numbers", "social security numbers"),
    ("telephone-numbers", "telephone numbers"), ("dates", DATES),
    ("dates", "ages over 89"), ("dates", "years of birth of 90 years ago and more"),
    ("geography", "postal codes of more than three digits"),
    ("geography", "postal codes of small areas"),
)  # fmt: skip
"""Of each form of values, in the order of the template, the rule that it breaks, and its name."""

_CONTENTS = {
    "IBANs": "account-numbers", "card numbers": "account-numbers",
    "device numbers (IMEI)": "device-numbers", "hardware addresses": "device-numbers",
    "US social security numbers": "social-security-numbers", "names of persons": "names",
    "phone numbers": "telephone-numbers", "e-mail addresses": "e-mail-addresses",
    "web addresses": "web-addresses", "network addresses": "network-addresses",
}  # fmt: skip
"""The rule that content breaks which is recognized in different values; of others, the last."""


def mended(form: str, value: str, year: int) -> str | None:
    """SQL for what a value without this form is read as; None if the column cannot be kept."""
    area = f"left({value}, 3)"
    small = ", ".join(f"'{each}'" for each in SMALL_AREAS)
    return {
        DATES: f"year({value})",
        "ages over 89": f"least({value}, 90)",
        "years of birth of 90 years ago and more": f"greatest({value}, {year - 90})",
        "postal codes of more than three digits": area,
        "postal codes of small areas": f"case when {area} in ({small}) then '000' else {area} end",
    }.get(form)


class _Tested(NamedTuple):
    """A column with what its values show.

    Attributes:
        statistics: of its values.
        shown: different values other than '*'.
        drawn: up to 300 different values.
        affected: rows with a value of each of `_FORMS`.
    """

    statistics: ColumnStatistics
    shown: int
    drawn: Sequence[str]
    affected: Sequence[int]

    @staticmethod
    def of(name: str, kind: str, counts: Sequence[Any]) -> _Tested:
        """The column of a row of `tested_values`."""
        rows, present, distinct, singles, shown, longest, mean, own = counts[:8]
        numbers, wholes, dates, padded = map(int, counts[8:12])
        drawn, *affected = counts[12:]
        statistics = ColumnStatistics(
            name, kind, rows, rows - present, distinct, True, 0, longest, numbers, wholes, dates,
            present, distinct, singles, mean, own, padded,
        )  # fmt: skip
        return _Tested(statistics, shown, drawn, affected)

    def doubts(self, year: int, *, is_generalized: bool) -> Iterator[Doubt]:
        """The doubts about the column: of each rule one, as each is confirmed by itself."""
        if not self.shown:
            return
        broken = [*self._of_values(year)]
        yield from broken
        named = self._named()
        rules = {doubt.rule for doubt in broken}
        if named and named not in rules and not self._is_judged_by_values(named):
            text = f"'{self.statistics.name}' is named like one of this rule"
            yield Doubt(named, self.statistics.name, text)
            rules.add(named)
        if is_generalized:
            return
        name, column = self.statistics.name, self.statistics
        if column.is_free_text:
            yield Doubt(FREE_TEXT_RULE, name, f"'{name}' has sentences")
        if column.is_nearly_unique and "other-identifiers" not in rules:
            text = f"'{name}' has nearly as many different values as rows"
            fix = "make it a quasi-identifier with a hierarchy, or an identifier"
            yield Doubt("other-identifiers", name, text, fix)

    def _of_values(self, year: int) -> Iterator[Doubt]:
        """What values show, over all rows, and of those that are looked at.

        What so few values show that chance could have made them is to confirm.
        """
        name = self.statistics.name
        is_fax, value = self._named() == "fax-numbers", quoted(name)
        for (rule, form), rows in zip(_FORMS, self.affected, strict=True):
            if rows:
                rule = "fax-numbers" if is_fax and rule == "telephone-numbers" else rule
                text = f"'{name}' has {form} ({rows:,} row{'s' * (rows > 1)})"
                fix, read = _DROPPED, mended(form, value, year)
                if read is not None:
                    fix = f"read it as `{read} as {quoted(name)}` in a `source: {{query: …}}`, or"
                    fix += f" {_DROPPED}"
                if form == DATES:  # of which only years are compared
                    value = read or value
                yield Doubt(rule, name, text, fix, True, form)
        content = content_of(self.statistics, self.drawn, fewest=1)
        if content is not None and not any(self.affected):
            rule = _CONTENTS.get(content.kind, "other-identifiers")
            rule = "fax-numbers" if is_fax and rule == "telephone-numbers" else rule
            text = f"{content.share:.0%} of the values of '{name}' looked at are {content.kind}"
            is_broken = content.looked_at >= FEWEST_LOOKED_AT
            yield Doubt(rule, name, text, is_broken=is_broken)

    def _named(self) -> str:
        """The rule of what a column is called like; empty if its name suggests none."""
        name, own = self.statistics.name, {*words.words_of(self.statistics.name)}
        if words.trait(name) == "name":
            return "names"
        for rule in _WORDS["words"]:
            if words.says(name, _listed("words", rule)):
                return str(rule)
        is_keyed = words.has_key_word(name)
        for rule in _WORDS["with_a_key"]:
            if own & _listed("with_a_key", rule) and (is_keyed or len(own) == 1):
                return str(rule)
        if _has_small_places(name) or words.says(name, words.POSTAL):
            return "geography"
        if own & _listed("parts_of_dates"):
            return "dates"
        return "other-identifiers" if words.is_key_name(name) else ""

    def _is_judged_by_values(self, rule: str) -> bool:
        """Whether values show all there is to a rule that a name suggests."""
        name = self.statistics.name
        if rule == "geography":
            return not _has_small_places(name)
        return rule == "dates" and words.trait(name) in ("age", "birth")
