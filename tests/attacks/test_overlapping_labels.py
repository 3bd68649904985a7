"""Labels that overlap: what attacks say for certain, against all tables that are possible."""

from __future__ import annotations

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
from tests.plan.plans import plan_of
from tests.selection import examples
from tests.support.tables import write_csv

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


LABELS = {"name": "minimality", "form": "labels"}


def attacked(ages: Sequence[int], *attacks: Any, rows: Sequence[Any] = ROWS) -> list[AttackFinding]:
    """The findings about these rows with a population of these ages."""
    write_csv("published.csv", [["age", "secret"], *rows])
    write_csv("people.csv", [["age"], *([age] for age in ages)])
    columns = {"age": {"role": "quasi-identifier", "type": "numeric"}, "secret": "sensitive"}
    plan = plan_of(columns, method={"name": "mondrian", "partitioning": "relaxed"})
    return sqlanon.attack("published.csv", plan, population="people.csv", attacks=attacks)


def test_five_persons_for_four_rows() -> None:
    """1 is alone at an end of [1, 3], and 5 at one of [3, 5]; else nobody is certain."""
    membership, of_nothing, journalist, marketer, labels = attacked(
        [1, 2, 3, 3, 5, 9, 9, 9], "membership", {"name": "membership", "dmin": 0, "dmax": 1},
        {"name": "linkage", "attacker": "journalist", "threshold": 0.3},
        {"name": "linkage", "attacker": "marketer"}, LABELS,
    )  # fmt: skip
    assert (membership.rows_at_risk, membership.rows_not_safe) == (0, 4)
    assert (membership.measured or {})["persons_unknown"] == 5
    assert membership.certainty == pytest.approx(2 / 3)
    assert membership.succeeds
    assert (of_nothing.rows_at_risk, of_nothing.rows_not_safe) == (0, 0)
    assert not of_nothing.succeeds
    # [3, 5] and 9 have three persons
    assert (journalist.rows_at_risk, journalist.rows_not_safe) == (4, 6)
    assert journalist.certainty == pytest.approx(1 / 3)
    assert "an attacker may know more" in journalist.notes[0]
    assert marketer.certainty == pytest.approx((2 / 4 + 2 / 3 + 2 / 3) / 6)
    assert (labels.rows_at_risk, labels.rows_not_safe, labels.certainty) == (2, 6, 1)
    assert "an attacker may know more" in labels.notes[0]


def test_who_is_certain_counts() -> None:
    """Four persons fit the four rows of both classes: all are certain; 9 has two of three."""
    (found,) = attacked([1, 3, 3, 5, 9, 9, 9], "membership")
    assert (found.rows_at_risk, found.rows_not_safe, found.certainty) == (4, 4, 1)
    # persons, counted, in, out, at risk, possibly at risk, unknown
    assert [*(found.measured or {}).values()] == [7, 7, 4, 0, 4, 0, 0]
    (found,) = attacked([1, 1, 3, 3, 5, 5, 9, 9, 9], LABELS)
    assert found.rows_at_risk == 0
    assert found.certainty == pytest.approx(2 / 3)
    # five persons for five rows; three of them fit both classes, and more than the first holds
    rows = [*ROWS[:2], *[("[3, 5]", "a")] * 3]
    (found,) = attacked([1, 3, 3, 3, 5], {"name": "membership", "at_most": 0.8}, rows=rows)
    assert (found.rows_at_risk, found.rows_not_safe, found.classes_at_risk) == (5, 5, 2)
    assert found.succeeds


def test_who_cannot_be_assigned_or_listed_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each class has two persons who fit it, but one of them fits both."""
    (found,) = attacked([1, 3, 5, 9, 9], "membership")
    assert not found.tried
    assert (found.reason or "").startswith("the population lacks members: its persons cannot be")
    with pytest.raises(sqlanon.PlanError, match="or their labels cannot be read"):
        attacked([1, 3], "membership", rows=[("young", "a"), ("young", "b")])
    ages = [1, 2, 3, 4, 5, 9, 9]  # one of six ages fits two classes
    monkeypatch.setattr(attacker_tables, "MOST_PAIRS", 6)
    with pytest.raises(sqlanon.PlanError, match="about 7 pairs of a person and a class"):
        attacked(ages, "membership")
    monkeypatch.setattr(attacker_tables, "MOST_PAIRS", 7)
    assert attacked(ages, "membership")[0].tried
    monkeypatch.setattr(attacker_tables, "MOST_PAIRS", 0)
    apart = [row for row in ROWS if row[0] != "[3, 5]"]
    assert attacked(ages, "membership", rows=apart)[0].tried, "nobody fits two classes"
