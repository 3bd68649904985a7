"""The intersection attack: against numbers counted by hand, and against a few lines of Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlanon.attacks.base import Outcome
from sqlanon.attacks.intersection import Intersection
from tests.oracles.persons_relations import (
    Row,
    Tree,
    Value,
    assert_as_printed,
    attacked,
    bench,
    paper_cases,
)
from tests.selection import examples

ATTACK = Intersection()


@pytest.mark.parametrize(("table", "case"), paper_cases("intersection"))
def test_paper_table(table: dict[str, Any], case: dict[str, Any]) -> None:
    assert_as_printed(attacked(Intersection, table, case), case)


def candidates(early: Sequence[Value], late: Sequence[Value]) -> dict[Value, int]:
    """The values in both, weighed by their rows in the one times their rows in the other."""
    here, there = Counter(early), Counter(late)
    return {value: here[value] * there[value] for value in here if value in there}


def by_hand(
    people: Sequence[Row],
    early: Sequence[Sequence[Value]],
    late: Sequence[Sequence[Value]],
    classes: Sequence[Sequence[Sequence[Value]]],
) -> dict[str, Any]:
    """What is reported of all persons.

    Args:
        people: the population.
        early, late: of each person the values of all rows in the person's classes.
        classes: the values of each class, of both releases.
    """
    both = [n for n in range(len(people)) if early[n] and late[n]]
    left = {n: candidates(early[n], late[n]) for n in both}
    alone = {n: min(len({*early[n]}), len({*late[n]})) for n in both}
    shrunk = [alone[n] - len(left[n]) for n in both if 0 < len(left[n]) < alone[n]]
    changed = sum({*early[n]} != {*late[n]} for n in both)
    every = [values for release in classes for values in release]
    unique = all(len({*values}) == len(values) for values in every)
    largest = min(map(len, every)) if unique else 0
    return {
        "persons": len(people),
        "persons_in_both": len(both),
        "persons_known": sum(len(left[n]) == 1 for n in both),
        "persons_shrunk": len(shrunk),
        "values_lost": float(Fraction(sum(shrunk), len(shrunk))) if shrunk else None,
        "persons_inconsistent": sum(not left[n] for n in both),
        "signatures_changed": changed,
        "largest_m": largest,
        "m_invariance": 0 if changed else largest,
    }


AGES: list[Value] = [None, "1", "2", "3", "10", "20"]
TREE: Tree = {"p1": ("p1", "p", "*"), "p2": ("p2", "p", "*"), "q1": ("q1", "q", "*")}
PERSON = st.tuples(st.sampled_from(AGES), st.sampled_from(list(TREE)))
SECRET = st.sampled_from(["a", "b", "c", None])


def age_label(place: int, cuts: Sequence[int]) -> Value:
    """The label of the interval that a place falls into; a cut lies before its place."""
    first, last = next((a, b - 1) for a, b in pairwise(cuts) if a <= place < b)
    if first == last:
        return AGES[first]
    if first > 0:
        return f"[{AGES[first]}, {AGES[last]}]"
    return f"[{AGES[1]}, {AGES[last]}] or NULL" if last > 1 else f"{AGES[1]} or NULL"


def release(
    people: Sequence[Row], secrets: Sequence[Value], cuts: Sequence[int], level: int
) -> list[Row]:
    return [
        (age_label(AGES.index(person[0]), cuts), TREE[str(person[1])][level], secret)
        for person, secret in zip(people, secrets, strict=True)
    ]


@st.composite
def cut_places(draw: st.DrawFn) -> list[int]:
    inner = draw(st.sets(st.integers(1, len(AGES) - 1), max_size=3))
    return [0, *sorted(inner), len(AGES)]


@examples(25)
@given(
    people=st.lists(st.tuples(PERSON, SECRET, SECRET), min_size=1, max_size=9),
    cuts=st.tuples(cut_places(), cut_places()),
    levels=st.tuples(st.integers(0, 2), st.integers(0, 2)),
    absent=st.tuples(st.integers(0, 2), st.integers(0, 2)),
)
def test_generalized_releases(
    people: list[tuple[Row, Value, Value]],
    cuts: tuple[list[int], list[int]],
    levels: tuple[int, int],
    absent: tuple[int, int],
) -> None:
    """Some persons at the end are not in a release, though in the population."""
    persons = [person for person, _, _ in people]
    published, values = [], []
    for number in (0, 1):
        count = max(len(people) - absent[number], 1)
        secrets = [(early, late)[number] for _, early, late in people[:count]]
        rows = release(persons[:count], secrets, cuts[number], levels[number])
        published.append(rows)
        classes: dict[Row, list[Value]] = {}
        for row in rows:
            classes.setdefault(row[:-1], []).append(row[-1])
        everybody = release(persons, [None] * len(persons), cuts[number], levels[number])
        labels = [row[:-1] for row in everybody]
        values.append(([classes.get(label, []) for label in labels], classes, labels))
    (before, earlier, _), (after, later, labels) = values
    expected = by_hand(persons, before, after, ([*earlier.values()], [*later.values()]))
    with bench() as made:
        made.places([AGES, list(TREE)], {2: TREE})
        relations = made.releases(persons, published[1], published[0])
        outcome = made.attempt(ATTACK, relations)
        rows = made.ask(f"select * from sqlanon.{ATTACK.title(relations)}")
    if agrees(outcome, expected):
        by_class = classwise(labels, before, after, later)
        assert {(*row[:4], row[5]): row[4] for row in rows} == {
            key: pytest.approx(certainty) for key, certainty in by_class.items()
        }


def agrees(outcome: Outcome | str, expected: dict[str, Any]) -> bool:
    """The attack found what is expected; False, where it is right that it could not be tried."""
    cannot = expected["persons_in_both"] in (0, expected["persons_inconsistent"])
    assert isinstance(outcome, str) == cannot
    if isinstance(outcome, str):
        return False
    assert outcome.measured == expected
    return True


def classwise(
    labels: Sequence[Row],
    early: Sequence[Sequence[Value]],
    late: Sequence[Sequence[Value]],
    classes: Mapping[Row, Sequence[Value]],
) -> dict[tuple[Any, ...], float | None]:
    """Labels, size, rows at risk and broken of each class; certainty, if a value is left."""
    found: dict[tuple[Any, ...], float | None] = {}
    for label, values in classes.items():
        persons = [n for n, other in enumerate(labels) if other == label]
        left = [c for n in persons if (c := candidates(early[n], late[n]))]
        known = Counter(next(iter(weights)) for weights in left if len(weights) == 1)
        rows = sum((known & Counter(values)).values())
        worst = [Fraction(max(w.values()), sum(w.values())) for w in left]
        found[(*label, len(values), rows, rows > 0)] = float(max(worst)) if worst else None
    return found


def test_levels_of_a_hierarchy_are_found_for_each_release() -> None:
    """Earlier zips on level 1, later ones on level 2; the same label on two levels of `r1`."""
    tree: Tree = {"p1": ("p1", "p", "*"), "p2": ("p2", "p", "*"), "r1": ("r1", "r1", "*")}
    levels = [("q1", v, n, label) for v, labels in tree.items() for n, label in enumerate(labels)]
    columns = "attribute varchar, value varchar, level integer, label varchar"
    earlier: list[Row] = [("p", "a"), ("p", "b"), ("r1", "c")]
    rows: list[Row] = [("*", "a"), ("*", "b"), ("*", "c")]
    with bench() as made:
        made.table("hierarchy_levels", columns, levels)
        outcome = made.attempt(ATTACK, made.releases([("p1",), ("p2",), ("r1",)], rows, earlier))
    assert isinstance(outcome, Outcome)
    assert (outcome.rows_at_risk, outcome.certainty) == (1, 1)  # r1 has c


QUASI = st.tuples(st.sampled_from(["1", "2", None]), st.sampled_from(["x", "y"]))
BUCKETED = st.tuples(st.integers(1, 3), QUASI, SECRET)


@examples(20)
@given(
    rows=st.lists(BUCKETED, min_size=1, max_size=8),
    earlier=st.lists(BUCKETED, min_size=1, max_size=8),
    absent=st.lists(QUASI, max_size=2),
    together=st.booleans(),
)
def test_buckets(
    rows: list[tuple[int, Row, Value]],
    earlier: list[tuple[int, Row, Value]],
    absent: list[Row],
    together: bool,
) -> None:
    """A person can be in every bucket that has the person's values, each group's in some row."""
    people = [*(quasi for _, quasi, _ in rows), *absent]
    groups = [("q1", "q2"), ("s",)] if together else [("q1",), ("q2", "s")]

    def fits(person: Row, bucket: Sequence[tuple[int, Row, Value]]) -> bool:
        if together:
            return person in [quasi for _, quasi, _ in bucket]
        return all(person[n] in [quasi[n] for _, quasi, _ in bucket] for n in (0, 1))

    def values(release: list[tuple[int, Row, Value]]) -> list[list[list[Value]]]:
        buckets = [[row for row in release if row[0] == b] for b in {row[0] for row in release}]
        of_person = [
            [row[2] for bucket in buckets if fits(person, bucket) for row in bucket]
            for person in people
        ]
        return [of_person, [[row[2] for row in bucket] for bucket in buckets]]

    (early, every_early), (late, every_late) = values(earlier), values(rows)
    expected = by_hand(people, early, late, (every_early, every_late))
    with bench() as made:
        relations = made.releases(people, [(*quasi, s) for _, quasi, s in rows], [("1", "x", "a")])
        columns = "bucket integer, q1 varchar, q2 varchar, s varchar"
        made.table("dealt", columns, [(b, *quasi, s) for b, quasi, s in rows])
        made.table("dealt_earlier", columns, [(b, *quasi, s) for b, quasi, s in earlier])
        sizes = Counter(bucket for bucket, _, _ in rows)
        made.table("buckets", "bucket integer, class_size bigint", [*sizes.items()])
        relations = replace(
            relations,
            class_key=["bucket"],
            named_key=[("bucket", "bucket")],
            classes="sqlanon.buckets",
            rows="sqlanon.dealt",
            earlier="sqlanon.dealt_earlier",
            column_groups=groups,
        )
        agrees(made.attempt(ATTACK, relations), expected)


def test_what_cannot_be_tried_and_what_is_left_out_is_reported() -> None:
    people: list[Row] = [("1",), ("2",), ("3",)]

    def said(rows: list[Row], *earlier: Row) -> Outcome | str:
        with bench() as made:
            return made.attempt(ATTACK, made.releases(people, rows, earlier))

    assert "no person of the population can be in both" in str(said([("1", "a")], ("2", "a")))
    assert "contradict each other for every person" in str(said([("1", "a")], ("1", "b")))
    outcome = said([("1", "a"), ("2", "b"), ("3", "c")], ("1", "a"), ("2", "c"))
    assert isinstance(outcome, Outcome)
    # nothing was left for one of three, who is not safe; one is in one release alone
    assert (outcome.rows, outcome.rows_at_risk, outcome.rows_not_safe) == (3, 1, 2)
    assert [note.split(" ")[:2] for note in outcome.notes] == [["1", "person(s)"], ["For", "1"]]
    with bench() as made:
        relations = made.releases([("1",)], [("1", "a")])
    assert "--earlier" in str(ATTACK.missing(relations))
    assert "--population" in str(ATTACK.missing(replace(relations, population="", earlier="e")))
