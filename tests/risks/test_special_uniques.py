"""Minimal sample uniques and SUDA scores: published examples, and brute force on small tables."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import duckdb
import pytest

from sqlanon.errors import PlanError
from sqlanon.risks.special_uniques import SudaScores, special_uniques
from tests.oracles import risk as oracle
from tests.risks.test_population_uniques import adult_rows
from tests.support.risk_tables import asked, combined


def scored(rows: Sequence[oracle.Row], largest: int = 60) -> tuple[SudaScores, list[int]]:
    """What is found, and the score of each row."""
    with duckdb.connect() as connection:
        names = combined(connection, rows)
        search = special_uniques(names, largest)
        found = asked(connection, search)
        members = connection.execute(
            "select combinations.first_row, bit_count(members) from sqlanon.special_uniques"
            " inner join sqlanon.published_combinations as combinations"
            " on combinations.rowid = row_key"
        ).fetchall()
    scores = [0] * len(rows)
    weights = {size: math.factorial(len(names) - size) for size in range(len(names) + 1)}
    for row, size in members:
        scores[row] += weights[size]
    return found, scores


# Benschop, Machingauta, Welch: Statistical disclosure control, a practice guide, 4.4
IHSN = """urban female secondary-incomplete employed/urban female secondary-incomplete employed
/urban female primary-incomplete non-LF/urban male secondary-complete employed
/rural female secondary-complete unemployed/urban male secondary-complete employed
/urban female primary-complete non-LF/urban male post-secondary unemployed
/urban female secondary-incomplete non-LF/urban female secondary-incomplete non-LF"""
EIGHT = """20s male 50k+ highschool/20s male 50k+ highschool/20s male 50k- highschool
/20s male 50k- highschool/20s female 50k- university/20s female 50k- highschool
/20s female 50k- middleschool/60s male 50k- university"""


@pytest.mark.parametrize(
    ("lines", "scores"),
    [(IHSN, [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]), (EIGHT, [0, 0, 0, 0, 4, 2, 6, 8])],
    ids=["practice guide", "eight rows"],
)
def test_scores_of_published_tables(lines: str, scores: Sequence[int]) -> None:
    """sdcMicro#227: the guide's scores, which its version 5 did not reach; sdcMicro#263."""
    assert scored([line.split() for line in lines.split("/")])[1] == scores


@pytest.mark.parametrize(
    ("rows", "scores", "percent"),
    [
        (["AXP", "BXQ", "AYQ", "CZR", "BYR", "AXP", "BZQ"], [0, 2, 3, 3, 3, 0, 2],
         [61.53846, 69.23077, 53.84615]),
        ([(2, 0, 0), (1, 3, 6), (1, 0, 0)], [2, 4, 2], [50, 37.5, 37.5]),
    ],
)  # fmt: skip
def test_contributions_of_columns(
    rows: Sequence[oracle.Row], scores: list[int], percent: list[float]
) -> None:
    """sdcMicro#356, and sdcMicro#275: it printed 25 % for the third column."""
    found, counted = scored(rows)
    assert counted == scores
    shares = {one.column: round(100 * one.contribution, 5) for one in found.columns}
    assert shares == {f"column {n}": share for n, share in enumerate(percent, start=1)}


def test_scores_of_adult() -> None:
    """Nine columns: all sizes, and sizes up to three."""
    rows = adult_rows()
    for largest, sets, singled in ((9, 62809, 15512), (3, 16096, 6240)):
        found, scores = scored(rows, largest)
        assert (found.minimal_sets, found.rows) == (sets, singled)
        assert sum(score > 0 for score in scores) == singled
        assert max(scores) == found.highest_score
        if largest == 9:
            assert (sum(scores), max(scores)) == (20402731, 40326)
            assert found.scale == pytest.approx(sum(s ** -(1 - 1 / 20) for s in scores if s))


@pytest.mark.sampled(0.4)
@pytest.mark.parametrize("seed", range(60))
def test_small_tables_by_brute_force(seed: int) -> None:
    rng = random.Random(seed)
    columns, largest = rng.randint(1, 5), rng.randint(1, 5)
    values = [None, *range(rng.randint(1, 6))]
    rows = [tuple(rng.choices(values, k=columns)) for _ in range(rng.randint(1, 12))]
    found, scores = scored(rows, largest)
    assert scores == oracle.suda_scores(rows, min(largest, columns))
    sets = [each for row in oracle.minimal_sets(rows, largest) for each in row]
    assert found.minimal_sets == len(sets)
    counted = {tuple(int(c.split()[1]) - 1 for c in one.columns): one.rows for one in found.sets}
    assert all(sets.count(members) == count for members, count in counted.items())
    if sets:
        expected = oracle.contributions(rows, min(largest, columns))
        shares = {one.column: one.contribution for one in found.columns}
        for number, share in enumerate(expected, start=1):
            assert shares[f"column {number}"] == pytest.approx(float(share))
    else:
        assert (found.rows, found.columns, found.highest_score) == (0, (), 0)


def test_persons_are_alone_where_all_their_rows_are() -> None:
    """Two rows of one person share `a`; rows are not alone there, and the person is."""
    with duckdb.connect() as connection:
        names = combined(connection, [("a", 1), ("a", 2), ("b", 1), ("b", 1)], list("ppqr"))
        found = asked(connection, special_uniques(names, 2, person="person"))
    assert found.rows == 1
    assert {one.columns: one.rows for one in found.sets} == {("column 1",): 1, ("column 2",): 1}


def test_too_many_sets_are_refused() -> None:
    with pytest.raises(PlanError, match="50 columns have 251,175 sets of up to 4"):
        next(special_uniques([(f"c{n}", f"c{n}") for n in range(50)], 4))


def test_dis_suda_of_the_highest_score() -> None:
    """One row with a score: its part of the scale is all of it, so dis = 1 / (1 + U / DIS - U)."""
    found, scores = scored([("a",), ("b",), ("b",)])
    assert scores == [1, 0, 0]
    assert found.dis_suda(1, 0.25) == pytest.approx(1 / (1 + 1 / 0.25 - 1))
    assert scored([("b",), ("b",)])[0].dis_suda(0, 0.25) == 0
