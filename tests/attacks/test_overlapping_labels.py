"""Labels that overlap: what attacks say for certain, against all tables that are possible."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sqlanon
from sqlanon.attacker import tables as attacker_tables
from sqlanon.attacks.findings import AttackFinding
from sqlanon.attacks.overlapping import certain_cells
from tests.selection import examples

Fits = frozenset[int]


def tables(persons: Sequence[Fits], sizes: Mapping[int, int]) -> set[frozenset[int]]:
    """All sets of persons whom the rows of the classes could belong to."""
    found: set[frozenset[int]] = {frozenset()}
    for number, size in sizes.items():
        for _ in range(size):
            found = {
                chosen | {person}
                for chosen in found
                for person, fits in enumerate(persons)
                if number in fits and person not in chosen
            }
    return found


@examples(1000)
@given(
    sizes=st.lists(st.integers(1, 3), min_size=1, max_size=4),
    people=st.lists(st.frozensets(st.integers(0, 3), min_size=1), min_size=1, max_size=8),
)
def test_who_is_certain_by_brute_force(sizes: list[int], people: list[Fits]) -> None:
    """Whoever is not certain may also be missing, and everybody may be there."""
    rows = dict(enumerate(sizes))
    persons = [fits & frozenset(rows) for fits in people if fits & frozenset(rows)]
    possible = tables(persons, rows)
    cells = list(Counter(persons).items())
    if not possible:
        with pytest.raises(ValueError, match="not enough persons"):
            certain_cells(rows, cells)
        return
    everywhere = frozenset.intersection(*possible)
    for (fits, _), certain in zip(cells, certain_cells(rows, cells), strict=True):
        found = {person in everywhere for person, other in enumerate(persons) if other == fits}
        assert found == {certain}
    assert frozenset.union(*possible) == {*range(len(persons))}


ROWS = [("[1, 3]", "a"), ("[1, 3]", "b"), ("[3, 5]", "a"), ("[3, 5]", "b"), ("9", "a"), ("9", "b")]
"""Two classes that share the value 3, and one apart."""


def attacked(ages: Sequence[int], attack: Any, rows: Sequence[Any] = ROWS) -> AttackFinding:
    """The finding about these rows with a population of these ages."""
    for name, header, lines in (
        ("published", ["age", "secret"], rows),
        ("people", ["age"], [[age] for age in ages]),
    ):
        with open(f"{name}.csv", "w", newline="") as file:
            csv.writer(file).writerows([header, *lines])
    plan = {
        "source": "source.csv",
        "columns": {"age": {"role": "quasi-identifier", "type": "numeric"}, "secret": "sensitive"},
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "mondrian", "partitioning": "relaxed"},
        "publish": "open.csv",
    }
    (found,) = sqlanon.attack("published.csv", plan, population="people.csv", attacks=[attack])
    return found


def test_membership_finds_who_is_certain_and_counts_the_others_as_not_safe() -> None:
    """Four persons fit the four rows of both classes: all are certain; 9 has two of three."""
    found = attacked([1, 3, 3, 5, 9, 9, 9], "membership")
    assert (found.rows_at_risk, found.rows_not_safe, found.certainty) == (4, 4, 1)
    assert found.measured == {
        "persons": 7, "persons_counted": 7, "persons_in": 4, "persons_out": 0,
        "persons_at_risk": 4, "persons_possibly_at_risk": 0, "persons_unknown": 0,
    }  # fmt: skip
    found = attacked([1, 2, 3, 3, 5, 9, 9, 9], "membership")
    assert (found.rows_at_risk, found.rows_not_safe) == (0, 4), "five persons for four rows"
    assert found.measured is not None
    assert found.measured["persons_unknown"] == 5
    assert found.certainty == pytest.approx(2 / 3)
    assert found.succeeds
    every = {"name": "membership", "dmin": 0, "dmax": 1}
    found = attacked([1, 2, 3, 3, 5, 9, 9, 9], every)
    assert (found.rows_at_risk, found.rows_not_safe, found.succeeds) == (0, 0, False)


def test_everybody_who_is_certain_counts_and_not_just_those_of_one_class() -> None:
    """Five persons for five rows; three of them fit both classes, and more than the first holds."""
    rows = [("[1, 3]", "a"), ("[1, 3]", "b"), *[("[3, 5]", "a")] * 3]
    found = attacked([1, 3, 3, 3, 5], {"name": "membership", "at_most": 0.8}, rows)
    assert (found.rows_at_risk, found.rows_not_safe, found.classes_at_risk) == (5, 5, 2)
    assert found.succeeds


def test_persons_who_cannot_be_assigned_are_reported() -> None:
    """Each class has two persons who fit it, but one of them fits both."""
    found = attacked([1, 3, 5, 9, 9], "membership")
    assert not found.tried
    assert (
        found.reason == "the population lacks members: its persons cannot be assigned to the rows"
    )


def test_linkage_counts_everybody_who_fits_and_calls_no_row_safe() -> None:
    ages = [1, 2, 3, 3, 5, 9, 9, 9]
    journalist = {"name": "linkage", "attacker": "journalist", "threshold": 0.3}
    found = attacked(ages, journalist)
    assert found.certainty == pytest.approx(1 / 3)
    assert (found.rows_at_risk, found.rows_not_safe) == (4, 6), "[3, 5] and 9 have three persons"
    assert "an attacker may know more" in found.notes[0]
    marketer = attacked(ages, {"name": "linkage", "attacker": "marketer"})
    assert marketer.certainty == pytest.approx((2 / 4 + 2 / 3 + 2 / 3) / 6)


def test_minimality_finds_who_is_certain() -> None:
    """1 is alone at an end of [1, 3], and 5 at one of [3, 5]."""
    found = attacked([1, 2, 3, 3, 5, 9, 9, 9], {"name": "minimality", "form": "labels"})
    assert (found.rows_at_risk, found.rows_not_safe, found.certainty) == (2, 6, 1)
    assert "an attacker may know more" in found.notes[0]
    found = attacked([1, 1, 3, 3, 5, 5, 9, 9, 9], {"name": "minimality", "form": "labels"})
    assert found.rows_at_risk == 0
    assert found.certainty == pytest.approx(2 / 3)


def test_too_many_pairs_are_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven persons of six ages, of which one fits two classes."""
    ages = [1, 2, 3, 4, 5, 9, 9]
    monkeypatch.setattr(attacker_tables, "MOST_PAIRS", 6)
    with pytest.raises(sqlanon.PlanError, match="about 7 pairs of a person and a class"):
        attacked(ages, "membership")
    monkeypatch.setattr(attacker_tables, "MOST_PAIRS", 7)
    assert attacked(ages, "membership").tried
    monkeypatch.setattr(attacker_tables, "MOST_PAIRS", 0)
    apart = [(label, value) for label, value in ROWS if label != "[3, 5]"]
    assert attacked(ages, "membership", apart).tried, "nobody fits two classes"


def test_labels_that_cannot_be_read_are_reported() -> None:
    with pytest.raises(sqlanon.PlanError, match="or their labels cannot be read"):
        attacked([1, 3], "membership", [("young", "a"), ("young", "b")])
