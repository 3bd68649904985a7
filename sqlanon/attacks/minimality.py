"""Minimality: what a publication discloses by not generalizing more than necessary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import comb
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from sqlanon.attacks.base import (
    Attack,
    AttackRelations,
    Form,
    NotTriedError,
    Outcome,
    ask,
    make,
)
from sqlanon.attacks.overlapping import LOWER_BOUND
from sqlanon.attacks.persons import labels_read_by, located, persons_step
from sqlanon.bounds import Count, Number
from sqlanon.sql.step import Search, Step

MOST_ROWS = 2000
"""Rows of the largest class whose assignments are counted, in less than a second per class."""


MOST_ENDS = 14
"""Ends of a class whose sets of persons are counted, in a few hundredths of a second."""


class Minimality(Attack):
    """Use the fact that labels and classes are no coarser than necessary.

    form labels: a tight label shows that someone in the class has its lowest value, and someone its
    highest. All sets of persons of the class that would have its labels are equally likely; the
    probability of a person is the share of these sets that the person is in. At risk is who is in
    all of them.

    form algorithm: the attacker knows everyone in a class, and knows that its rows were joined only
    because some finer class would have had a value in more than 1/l of its rows. So the rows of the
    value are divided among the groups of persons with equal quasi-identifiers in one of the ways
    that break this promise. The credibility is the probability that a person has the value if all
    such assignments of rows to persons are equally likely; the attack succeeds above 1/l.

    Requires: a population that contains the table, one row per person.
    Source: Wong, Fu, Wang and Pei, VLDB 2007: credibility, and m-confidentiality with m = l.
    """

    source: ClassVar[str] = "Wong, Fu, Wang and Pei 2007, Minimality attack, VLDB"
    forms: ClassVar[tuple[Form, ...]] = (
        # labels only disclose who is in the table
        Form({"form": "labels"}, ("population",), on_values=False, others=("l", "k", "values")),
        Form({"form": "algorithm"}, ("population",), others=("labels",)),
    )

    name: Literal["minimality"] = "minimality"
    form: Literal["labels", "algorithm"] = Field(
        "labels", description="labels: tight labels; algorithm: groups that break the promise"
    )
    labels: Literal["region", "tight"] | None = Field(
        None, description="labels: the extent of labels; by default that of the plan's method"
    )
    l: Annotated[Number, Field(gt=1)] = Field(  # noqa: E741 - the paper's letter
        Decimal(2), description="algorithm: a value may have at most 1/l of the rows of a class"
    )
    k: Annotated[Count, Field(ge=1)] = Field(
        1, description="algorithm: smaller groups are generalized, whatever their values are"
    )
    values: tuple[str, ...] = Field(
        (), description="algorithm: the protected values; by default, each value separately"
    )

    @property
    def variant(self) -> str:
        return self.form

    @property
    def template(self) -> str:
        return f"minimality_{self.form}"

    @property
    def promise(self) -> str:
        if self.form == "labels":
            return "a person who alone has an extreme value of a tight label must be in the table"
        return (
            f"classes are known to exist because a group had a value in more than 1/{self.l} of its"
            f" rows; a credibility above 1/{self.l} is a success"
        )

    def missing(self, relations: AttackRelations) -> str | None:
        reason = super().missing(relations)
        if reason is not None:
            return reason
        if not {alias for _, alias in relations.quasi_identifiers} <= set(relations.class_key):
            return "values are not generalized: classes are buckets"
        if self.form == "labels" and (self.labels or relations.labels) == "region":
            return "labels show the regions that were cut, not which values are in them"
        if self.form == "algorithm" and relations.by_size:
            return "sizes alone decide which classes there are, so none tells that another failed"
        return None

    def attempt(self, relations: AttackRelations) -> Search[Outcome]:
        title, by = self.title(relations), labels_read_by(relations)
        if self.form == "labels" and by != "places":
            raise NotTriedError(
                "labels are those of a level of a hierarchy, which show no extremes"
            )
        yield persons_step(relations, title)
        yield from located(relations, relations.rows, f"{title}_persons", title)
        count = self._count_labels if self.form == "labels" else self._count_groups
        notes, open_rows = yield from count(relations, title)
        outcome = yield from self.summary(relations)
        if self.form == "algorithm":  # its relation has the classes that were tried
            outcome = replace(outcome, rows=outcome.rows + open_rows)
        not_safe = min(outcome.rows, outcome.rows_at_risk + open_rows)
        if relations.overlapping:
            not_safe, notes = outcome.rows, [*notes, LOWER_BOUND]
        return replace(outcome, rows_not_safe=not_safe, notes=tuple(notes))

    def _count_labels(
        self, relations: AttackRelations, title: str
    ) -> Search[tuple[list[str], int]]:
        """Count all sets of persons with the labels of a class; above the limit, keep bounds.

        Returns:
            notes, and the rows of classes in which a person may be certain who was not found.
        """
        cases = f"{title}_cases"
        yield make(
            "minimality_label_cases",
            cases,
            classes=relations.classes,
            class_key=relations.class_key,
            quasi_identifiers=relations.quasi_identifiers,
            persons=f"{title}_persons",
            labels=f"{title}_labels",
            located=f"{title}_classes",
        )
        columns = ["case_number", "class_size", "profile", "missing_ends"]
        listed = yield ask("minimality_cases", f"{title}_case_list", cases=cases, columns=columns)
        counted, bounded, open_rows, wrong, lacking, missing = [], 0, 0, 0, 0, 0
        for number, size, profile, ends, classes in listed:
            cells, empty_ends = ends_of(profile)
            if absent := ends + empty_ends + max(size - sum(cells.values()), 0):
                lacking += classes
                missing += classes * absent
                continue
            try:
                found = presence_of_class(cells, size)
            except ValueError:
                wrong += classes
                continue
            if isinstance(found, int):
                bounded += classes
                # with a row for each end, only who is alone at one is certain: the bound says so
                open_rows += classes * size if size < found else 0
                found = bound_of_class(cells, size)
            elif relations.overlapping and not found.certain:
                # of the persons of several classes, only who is certain in one is
                found = bound_of_class(cells, size)
            counted.append((number, found.certain, float(found.certainty)))
        if missing:
            raise NotTriedError(
                f"the population has no person for {missing:,} row(s) or end(s) of labels in"
                f" {lacking:,} class(es): it lacks members, or the labels are not tight"
            )
        if wrong:
            raise NotTriedError(
                f"no set of persons of the population has the labels of {wrong:,} class(es)"
            )
        yield Step(title, self.sql(relations, cases=cases, counted=counted))
        if not bounded:
            return [], 0
        note = f"The certainty of {bounded:,} class(es) with more than {MOST_ENDS} ends is a"
        return [f"{note} lower bound."], open_rows

    def _count_groups(
        self, relations: AttackRelations, title: str
    ) -> Search[tuple[list[str], int]]:
        """Count the credibility in every class whose persons are known.

        Returns:
            notes, and the rows of classes that were not tried.
        """
        inputs: dict[str, Any] = {
            "class_key": relations.class_key,
            "groups": f"{title}_groups",
            "profiles": f"{title}_profiles",
            "most_rows": MOST_ROWS,
        }
        yield make(
            "minimality_groups",
            inputs["groups"],
            classes=relations.classes,
            located=f"{title}_classes",
            **inputs,
        )
        yield make(
            "minimality_profiles",
            inputs["profiles"],
            class_values=relations.class_values,
            table_values=relations.table_values,
            values=self.values,
            **inputs,
        )
        columns = ["profile", "value_count"]
        cases = yield ask(
            "minimality_cases", f"{title}_cases", cases=inputs["profiles"], columns=columns
        )
        credibilities = [
            (profile, value_count, size, float(chance), chance * Fraction(self.l) > 1)
            for profile, value_count, _ in cases
            for size, chance in credibility(
                groups_of_profile(profile), value_count, Fraction(self.l), self.k
            ).items()
        ]
        yield Step(title, self.sql(relations, credibilities=credibilities, **inputs))
        ((classes, unknown, too_large, open_rows),) = yield ask(
            "minimality_tried", f"{title}_tried", classes=relations.classes, **inputs
        )
        if classes == unknown + too_large:
            raise NotTriedError(
                "for no class does the population show exactly which persons are in it"
                if not too_large
                else f"the classes whose persons are known have more than {MOST_ROWS:,} rows each"
            )
        if self.values and not cases:
            raise NotTriedError("none of its `values` is in a class whose persons are known")
        notes = []
        if unknown:
            notes.append(
                f"Of {classes:,} classes, {unknown:,} were not tried: the population does not show"
                " exactly which persons are in them."
            )
        if too_large:
            notes.append(
                f"Of {classes:,} classes, {too_large:,} were not tried: they have more than"
                f" {MOST_ROWS:,} rows."
            )
        return notes, int(open_rows)


def groups_of_profile(profile: str) -> dict[int, int]:
    """The number of groups of each size: `2x1,4x1` is one group of 2 persons and one of 4."""
    parts = (part.split("x") for part in profile.split(","))
    return {int(size): int(count) for size, count in parts}


def credibility(
    groups: Mapping[int, int], value_count: int, bound: Fraction, smallest: int = 1
) -> dict[int, Fraction]:
    """The probability that a person has a value, by the size of the person's group.

    A class of f persons has n rows with the value. Beforehand, all C(f, n) ways to choose who has
    them are equally likely. If x of the g persons of a group have the value, the group breaks the
    promise if x > g / l. The attacker knows that at least one group does, which excludes the ways
    in which none does. The number of these ways, by the x of one group, is a coefficient of the
    product of the polynomials sum of C(g, x) z^x, x <= g / l, of all groups.

    Args:
        groups: number of groups of each size; a group shares all quasi-identifiers.
        value_count: rows with the value, n.
        bound: l.
        smallest: k; if a group is smaller, it is reason enough for the class.

    Returns:
        by size, E[x | some group breaks the promise] / g. This is n / f if nothing follows: if the
        class itself breaks the promise, so that some group always does; if no group can break it;
        or if k is the reason for the class.
    """
    size = sum(group * count for group, count in groups.items())
    plain = dict.fromkeys(groups, Fraction(value_count, size))
    if min(groups) < smallest:
        return plain
    parts = {
        group: [comb(group, x) for x in range(min(int(group / bound), value_count) + 1)]
        for group in groups
    }
    product = [1]
    for group, count in groups.items():
        for _ in range(count):
            product = _times(product, parts[group], value_count)
    kept = product[value_count] if len(product) > value_count else 0
    ways = comb(size, value_count) - kept
    if not ways:
        return plain
    found = {}
    for group, part in parts.items():
        others = _without(product, part, value_count)
        kept_sum = sum(x * n * others[value_count - x] for x, n in enumerate(part))
        # E[x] over all ways is g n / f each
        of_all = Fraction(group * value_count, size) * comb(size, value_count)
        found[group] = (of_all - kept_sum) / (ways * group)
    return found


def _times(left: list[int], right: list[int], degree: int) -> list[int]:
    """The product of two polynomials, lowest coefficient first, up to a degree."""
    product = [0] * min(len(left) + len(right) - 1, degree + 1)
    for i, a in enumerate(left):
        for j, b in enumerate(right[: len(product) - i]):
            product[i + j] += a * b
    return product


def _without(product: list[int], part: list[int], degree: int) -> list[int]:
    """What times `part` is the product, up to a degree; `part` begins with 1."""
    quotient: list[int] = []
    for i in range(degree + 1):
        known = sum(part[j] * quotient[i - j] for j in range(1, min(i, len(part) - 1) + 1))
        quotient.append((product[i] if i < len(product) else 0) - known)
    return quotient


@dataclass(frozen=True)
class Presence:
    """What tight labels disclose about the persons of a class.

    Attributes:
        certainty: the highest probability of a person.
        certain: persons who are in every set.
    """

    certainty: Fraction
    certain: int


def ends_of(profile: str) -> tuple[dict[frozenset[str], int], int]:
    """The number of persons by the ends that they meet, and the number of ends that nobody meets.

    Args:
        profile: cells as `TOKEN+TOKENxPERSONS`, separated by commas. A token `e1` is an end that
            the persons meet; `c2.1` the child, 1, of label 2 that they are below: somebody else is
            outside of it.
    """
    cells: Counter[frozenset[str]] = Counter()
    for cell in filter(None, profile.split(",")):
        listed, _, count = cell.rpartition("x")
        cells[frozenset(filter(None, listed.split("+")))] += int(count)
    children = {token for tokens in cells for token in tokens if token.startswith("c")}
    met: Counter[frozenset[str]] = Counter()
    for tokens, persons in cells.items():
        met[(tokens - children) | {f"not {child}" for child in children - tokens}] += persons
    empty = sum(all(child in tokens for tokens in cells) for child in children)
    return dict(met), empty


def _members(cells: Mapping[frozenset[str], int]) -> Counter[str]:
    """The persons who meet each end."""
    members: Counter[str] = Counter()
    for at, persons in cells.items():
        members.update(dict.fromkeys(at, persons))
    return members


def bound_of_class(cells: Mapping[frozenset[str], int], size: int) -> Presence:
    """What each end on its own says of the persons of a class: a lower bound of what is known.

    Args:
        cells, size: as in `presence_of_class`.
    """
    persons, members = sum(cells.values()), _members(cells)
    if persons <= size:
        return Presence(Fraction(1), size)
    alone = sum(n == 1 and any(members[end] == 1 for end in at) for at, n in cells.items())
    fewest = min(members.values(), default=persons)
    return Presence(max(Fraction(size, persons), Fraction(1, fewest)), alone)


def presence_of_class(cells: Mapping[frozenset[str], int], size: int) -> Presence | int:
    """What is known of the persons of a class, exactly; or the number of ends, if it is too large.

    A tight label says of several sets of persons, its *ends*, that somebody of each is in the
    class: those with the lowest value of an interval, those with the highest, those with a value of
    a set, and, below a label of a hierarchy, those outside of each child. All sets of as many
    persons as the class has rows that meet every end are equally likely. By inclusion and exclusion
    over the ends, their number is the sum over all sets J of ends of (-1)^|J| C(N(J), n), with N(J)
    persons at no end of J.

    Args:
        cells: persons of the population in the class, by the ends that they meet.
        size: rows of the class, n.

    Raises:
        ValueError: no set of persons meets all ends.
    """
    persons = sum(cells.values())
    members = _members(cells)
    # any n persons meet an end that fewer than n do not meet
    needed = sorted(end for end, count in members.items() if persons - count >= size)
    at_end = {end: frozenset(at for at in cells if end in at) for end in needed}
    # whoever meets an end meets all ends that contain it
    different = {at_end[end]: end for end in needed}
    least = [end for at, end in different.items() if not any(other < at for other in different)]
    if len(least) > MOST_ENDS:
        return len(least)
    bits = {end: 1 << place for place, end in enumerate(least)}
    masks: Counter[int] = Counter()
    for at, count in cells.items():
        masks[sum(bits[end] for end in at if end in bits)] += count
    every = (1 << len(least)) - 1
    below = [masks.get(mask, 0) for mask in range(every + 1)]
    _sum_subsets(below)
    without = [below[every ^ mask] for mask in range(every + 1)]
    signs = [-1 if mask.bit_count() % 2 else 1 for mask in range(every + 1)]
    ways = sum(sign * comb(n, size) for sign, n in zip(signs, without, strict=True))
    if not ways:
        raise ValueError("no set of persons has these labels")
    with_one = [
        sign * comb(n - 1, size - 1) if n else 0 for sign, n in zip(signs, without, strict=True)
    ]
    _sum_subsets(with_one)
    chances = {mask: Fraction(with_one[every ^ mask], ways) for mask in masks}
    certain = sum(masks[mask] for mask, chance in chances.items() if chance == 1)
    return Presence(max(chances.values()), certain)


def _sum_subsets(values: list[int]) -> None:
    """Replace the value of each set (a number of bits) by the sum of those of its subsets."""
    bit = 1
    while bit < len(values):
        for mask in range(len(values)):
            if mask & bit:
                values[mask] += values[mask ^ bit]
        bit <<= 1
