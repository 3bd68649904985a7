"""The minimality attack: against numbers counted by hand, and against all possible worlds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sqlanon.attacks import minimality
from sqlanon.attacks.base import Outcome
from sqlanon.attacks.minimality import (
    MOST_ENDS,
    Minimality,
    Presence,
    bound_of_class,
    credibility,
    ends_of,
    presence_of_class,
)
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


@pytest.mark.parametrize(("table", "case"), paper_cases("minimality"))
def test_paper_table(table: dict[str, Any], case: dict[str, Any]) -> None:
    assert_as_printed(attacked(Minimality, table, case), case)


def counted(groups: Sequence[int], n: int, bound: Fraction) -> list[Fraction]:
    """Of each group, a person's chance to have the value, by going through all ways to place it."""
    persons = [group for group, size in enumerate(groups) for _ in range(size)]
    left = []
    for chosen in combinations(range(len(persons)), n):
        have = Counter(persons[person] for person in chosen)
        if any(have[group] * bound > size for group, size in enumerate(groups)):
            left.append(have)
    if not left or n * bound > len(persons):
        return [Fraction(n, len(persons))] * len(groups)
    return [
        Fraction(sum(have[group] for have in left), len(left) * size)
        for group, size in enumerate(groups)
    ]


@given(
    groups=st.lists(st.integers(1, 5), min_size=1, max_size=5).filter(lambda g: sum(g) <= 11),
    bound=st.fractions(Fraction(5, 4), 6, max_denominator=4),
    data=st.data(),
)
def test_credibility_is_that_of_all_ways(
    groups: list[int], bound: Fraction, data: st.DataObject
) -> None:
    n = data.draw(st.integers(1, sum(groups)))
    found = credibility(Counter(groups), n, bound)
    assert [found[size] for size in groups] == counted(groups, n, bound)
    total = sum(size * found[size] for size in groups)
    assert total == n, "the rows with the value are all somebody's"


VALUES = st.sampled_from(["a", "b", "c", None])
LEVELS = "attribute varchar, value varchar, level integer, label varchar"


@examples(40)
@given(
    persons=st.lists(
        st.tuples(st.sampled_from(["p1", "p2", "q1", "q2"]), VALUES), min_size=1, max_size=9
    ),
    bound=st.sampled_from([Decimal("1.5"), Decimal(2), Decimal(3)]),
    values=st.sampled_from([(), ("a",)]),
)
@example(persons=[("q1", "b")], bound=Decimal(2), values=("a",))
def test_algorithm_on_rows(
    persons: list[tuple[str, Value]], bound: Decimal, values: tuple[str, ...]
) -> None:
    """Classes `p` and `q` of the hierarchy's level 1; the population is who is published."""
    persons = [("p1", "a"), *persons]
    attack = Minimality(form="algorithm", l=bound, values=values)
    levels = [
        ("q1", value, level, label)
        for value in ("p1", "p2", "q1", "q2")
        for level, label in enumerate((value, value[0], "*"))
    ]
    with bench() as made:
        made.table("hierarchy_levels", LEVELS, levels)
        rows: list[Row] = [(value[0], secret) for value, secret in persons]
        relations = made.releases([(value,) for value, _ in persons], rows)
        outcome = made.attempt(attack, relations)
        columns = "q1, class_size, rows_at_risk, certainty, broken"
        found = made.ask(f"select {columns} from sqlanon.{attack.title(relations)}")
    protected = values or {secret for _, secret in persons}
    expected = {
        at: by_hand(at, persons, Fraction(bound), protected) for at in {v[0] for v, _ in persons}
    }
    assert {row[0]: row[1:] for row in found} == expected
    assert isinstance(outcome, Outcome)
    assert outcome.rows == len(persons)
    assert outcome.rows_at_risk == sum(verdict[1] for verdict in expected.values())
    assert outcome.notes == ()


def by_hand(
    label: str, persons: Sequence[tuple[str, Value]], bound: Fraction, protected: Collection[Value]
) -> tuple[int, int, Any, bool]:
    """Size of a class, persons too sure of, highest credibility, whether there are any."""
    inside = [(value, secret) for value, secret in persons if value[0] == label]
    sizes = Counter(value for value, _ in inside)
    highest = dict.fromkeys(sizes, Fraction(0))
    for n in Counter(secret for _, secret in inside if secret in protected).values():
        for group, chance in zip(sizes, counted([*sizes.values()], n, bound), strict=True):
            highest[group] = max(highest[group], chance)
    at_risk = sum(sizes[group] for group in sizes if highest[group] * bound > 1)
    return len(inside), at_risk, pytest.approx(float(max(highest.values()))), at_risk > 0


TREE: Tree = {
    "p1": ("p1", "p", "*"),
    "p2": ("p2", "p", "*"),
    "q1": ("q1", "q", "*"),
    "r1": ("r1", "r1", "*"),
}
ORDERS: list[list[Value]] = [[None, "1", "2", "3", "10"], list(TREE), ["a", "b", "c"]]
PERSON = st.tuples(*(st.sampled_from(order) for order in ORDERS))


def interval(places: Sequence[int], order: Sequence[Value]) -> Value:
    """The tight label of the values at these places, as docs/partitioning.md says."""
    first, last = min(places), max(places)
    if first == last:
        return order[first]
    also = ""
    if order[first] is None:
        first, also = first + 1, " or NULL"
    low, high = order[first], order[last]
    return (str(low) if first == last else f"[{low}, {high}]") + also


def published_as(rows: Sequence[Row]) -> Row:
    """The labels of a class of these rows: an interval, an ancestor, and a set."""
    levels = zip(*(TREE[row[1]] for row in rows), strict=True)
    ancestor = next(str(labels[0]) for labels in levels if len({*labels}) == 1)
    values = sorted({str(row[2]) for row in rows})
    members = values[0] if len(values) == 1 else "{" + ", ".join(values) + "}"
    return interval([ORDERS[0].index(row[0]) for row in rows], ORDERS[0]), ancestor, members


def inside(person: Row, label: Row, box: Sequence[int]) -> bool:
    tree_label, set_label = str(label[1]), str(label[2])
    return (
        ORDERS[0].index(person[0]) in range(min(box), max(box) + 1)
        and tree_label in TREE[person[1]]
        and str(person[2]) in set_label.strip("{}").split(", ")
    )


@pytest.mark.parametrize("most_ends", [MOST_ENDS, 0])
@examples(40)
@given(people=st.lists(PERSON, min_size=2, max_size=8), data=st.data())
def test_labels_reveal_what_all_possible_tables_share(
    most_ends: int, monkeypatch: pytest.MonkeyPatch, people: list[Row], data: st.DataObject
) -> None:
    """One class of some of the persons, counted; or, above the limit, bounded from below."""
    monkeypatch.setattr(minimality, "MOST_ENDS", most_ends)
    chosen = data.draw(st.sets(st.integers(0, len(people) - 1), min_size=1))
    label = published_as([people[n] for n in chosen])
    box = [ORDERS[0].index(people[n][0]) for n in chosen]
    region = [n for n, person in enumerate(people) if inside(person, label, box)]
    worlds = [
        world
        for world in combinations(region, len(chosen))
        if published_as([people[n] for n in world]) == label
    ]
    assert tuple(sorted(chosen)) in worlds
    presence = {n: Fraction(sum(n in world for world in worlds), len(worlds)) for n in region}
    attack = Minimality(form="labels")
    with bench() as made:
        made.places(ORDERS, {2: TREE}, nominal=[3])
        relations = made.releases(people, [(*label, "s")] * len(chosen))
        outcome = made.attempt(attack, relations)
        ((broken, at_risk, certainty),) = made.ask(
            f"select broken, rows_at_risk, certainty from sqlanon.{attack.title(relations)}"
        )
    assert isinstance(outcome, Outcome)
    sure = sum(chance == 1 for chance in presence.values())
    assert broken == (at_risk > 0)
    if not outcome.notes:
        assert at_risk == outcome.rows_not_safe == sure
        assert certainty == pytest.approx(float(max(presence.values())))
        return
    assert most_ends == 0
    assert at_risk <= sure <= (outcome.rows_not_safe or 0) <= len(chosen)
    assert len(chosen) / len(region) - 1e-12 <= certainty <= max(presence.values()) + 1e-12
    if len(region) == len(chosen):
        assert at_risk == len(chosen)


CELLS = st.dictionaries(
    st.frozensets(st.sampled_from("abcdef"), max_size=4), st.integers(1, 3), min_size=1, max_size=5
).filter(lambda cells: sum(cells.values()) <= 9)


@examples(1000)
@given(cells=CELLS, data=st.data())
def test_chances_are_those_of_all_sets_that_meet_every_end(
    cells: dict[frozenset[str], int], data: st.DataObject
) -> None:
    persons = [at for at, count in cells.items() for _ in range(count)]
    size = data.draw(st.integers(1, len(persons)))
    ends_met = frozenset().union(*persons)
    worlds = [
        world
        for world in combinations(range(len(persons)), size)
        if frozenset().union(*(persons[n] for n in world)) == ends_met
    ]
    if not worlds:
        with pytest.raises(ValueError, match="no set of persons"):
            presence_of_class(cells, size)
        return
    chances = [
        Fraction(sum(n in world for world in worlds), len(worlds)) for n in range(len(persons))
    ]
    expected = Presence(max(chances), sum(chance == 1 for chance in chances))
    assert presence_of_class(cells, size) == expected
    bound = bound_of_class(cells, size)
    assert bound.certainty <= expected.certainty
    assert bound.certain <= expected.certain


def test_more_ends_than_are_counted_are_reported() -> None:
    """The number of ends is the result; nobody is outside of the only child of a label."""
    many = {frozenset({f"e{n}"}): 2 for n in range(MOST_ENDS + 1)}
    assert presence_of_class(many, MOST_ENDS + 1) == MOST_ENDS + 1
    assert isinstance(presence_of_class(dict([*many.items()][:-1]), MOST_ENDS), Presence)
    cells = {frozenset({"e1", "not c2.2"}): 4, frozenset({"not c2.1"}): 1}
    assert ends_of("c2.1+e1x4,c2.2x1") == (cells, 0)
    assert ends_of("c2.1x4,c2.1+e1x1")[1] == 1


def tried(
    orders: Sequence[Sequence[Value]],
    trees: dict[int, Tree],
    people: Sequence[Row],
    rows: Sequence[Row],
    form: Any = "labels",
) -> Outcome | str:
    """What the attack finds with this population."""
    with bench() as made:
        made.places(orders, trees)
        return made.attempt(Minimality(form=form), made.releases(people, rows))


def test_a_label_of_a_hierarchy_reveals_that_not_all_are_below_one_child() -> None:
    """Four persons below `*`, three of them below `p`: whoever is published, r1 is."""
    people: list[Row] = [("p1",), ("p1",), ("p2",), ("r1",)]
    for rows, at_risk in ((2, 1), (3, 1), (4, 4)):
        outcome = tried([list(TREE)], {1: TREE}, people, [("*", "s")] * rows)
        assert isinstance(outcome, Outcome)
        assert (outcome.rows_at_risk, outcome.certainty) == (at_risk, 1)


def test_whoever_is_alone_at_two_ends_counts_once() -> None:
    """The person of 10 is the only one there, and the only one below `*` who is not below `p`.

    In a class of `p`, only children of `p` matter: p2 of 20 is published, and one of two p1.
    """
    people: list[Row] = [("1", "p1"), ("1", "p1"), ("1", "p2"), ("10", "r1")]
    people += [("20", "p1"), ("20", "p1"), ("20", "p2")]
    rows: list[Row] = [("[1, 10]", "*", "s"), ("20", "p", "s")] * 2
    outcome = tried([["1", "10", "20"], list(TREE)], {2: TREE}, people, rows)
    assert isinstance(outcome, Outcome)
    assert (outcome.rows_at_risk, outcome.certainty) == (2, 1)


def test_classes_with_others_in_them_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only of `p` are the persons known; the rows of the other classes are not safe."""

    def found(people: list[str], rows: list[Row]) -> Outcome | str:
        tree: Tree = {value: (value, value[0], "*") for value in ("p1", "p2", "q1", "r1")}
        return tried([list(tree)], {1: tree}, [(p,) for p in people], rows, "algorithm")

    rows: list[Row] = [("p", "a"), ("p", "b"), ("q", "a"), ("r", "a"), ("r", "b")]
    outcome = found(["p1", "p2", "q1", "q1", *["r1"] * 3], rows)
    assert isinstance(outcome, Outcome)
    assert outcome.classes == 1
    assert (outcome.rows, outcome.rows_at_risk, outcome.rows_not_safe) == (5, 0, 3)
    assert [note[:36] for note in outcome.notes] == ["Of 3 classes, 2 were not tried: the "]
    said = found(["p1", "p2", "p2", "q1", "q1"], rows[:3])
    assert said == "for no class does the population show exactly which persons are in it"
    # a class of more rows than are counted
    monkeypatch.setattr(minimality, "MOST_ROWS", 20)
    large: list[Row] = [("q", str(n)) for n in range(21)]
    outcome = found(["p1", *["q1"] * 21], [("p", "a"), *large])
    assert isinstance(outcome, Outcome)
    assert (outcome.classes, outcome.rows) == (1, 22)
    assert outcome.rows_not_safe == outcome.rows_at_risk + 21
    said = found(["q1"] * 21, large)
    assert said == "the classes whose persons are known have more than 20 rows each"


@pytest.mark.parametrize("people", [["1", "2", "3"], ["1", "2", "2"], ["1", "10"]])
def test_a_population_that_lacks_members_is_reported(people: list[str]) -> None:
    """[1, 10] of three rows: nobody at 10, or only two persons."""
    rows: list[Row] = [("[1, 10]", "s")] * 3
    said = tried([["1", "2", "3", "10"]], {}, [(value,) for value in people], rows)
    assert str(said).startswith("the population has no person for 1 row(s) or end(s) of labels")


def test_labels_of_regions_and_of_levels_reveal_no_extremes() -> None:
    with bench() as made:
        made.table("hierarchy_levels", LEVELS, [])
        relations = made.releases([("p1",)], [("p", "s")])
        assert "no extremes" in str(made.attempt(Minimality(), relations))
        assert "regions" in str(Minimality(labels="region").missing(relations))
