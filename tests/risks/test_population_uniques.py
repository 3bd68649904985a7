"""Estimates of population uniques: numbers of papers and tools, and populations of the models."""

from __future__ import annotations

import csv
import math
import random
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache

import duckdb
import pytest

from sqlanon.errors import PlanError
from sqlanon.privacy_models.estimated_k_map import EstimatedKMap, least_class_size
from sqlanon.risks.population_uniques import (
    Sample,
    estimates,
    pitman,
    pitman_uniques,
    shlosser,
    slide_negative_binomial,
    unique_chance,
    zayatz,
)
from sqlanon.risks.special_uniques import SudaScores, special_uniques
from sqlanon.risks.table import Classes, data_intrusion, independence_figures
from sqlanon.sql.render import render
from tests.oracles import risk as oracle
from tests.paths import ROOT, TESTS
from tests.selection import example_count
from tests.support.risk_tables import asked, combined


@cache
def adult_rows() -> list[tuple[str, ...]]:
    """The 30,162 rows with nine quasi-identifiers."""
    with (TESTS / "data/adult/adult.csv").open(encoding="utf-8", newline="") as lines:
        return [tuple(row) for row in csv.reader(lines, delimiter=";")][1:]


@pytest.fixture(scope="module")
def adult_sizes() -> dict[int, int]:
    sizes = oracle.size_counts(adult_rows())
    assert (sizes[1], sizes[2], sum(sizes.values())) == (15512, 2098, 19502)
    return sizes


def test_zayatz_of_adult(adult_sizes: dict[int, int]) -> None:
    """0.3207402393466189 is the constant of ARX's test of its population model."""
    for share, uniques, near in ((0.1, 0.3207402393466189, 1e-14), (0.2, 0.357709923, 2e-9)):
        sample = Sample(adult_sizes, round(30162 / share))
        found = zayatz(sample).uniques
        assert found is not None
        assert found / sample.population == pytest.approx(uniques, rel=near)
    assert unique_chance(Sample(adult_sizes, 301620)) == pytest.approx(0.623657, abs=5e-7)


def test_pitman_of_adult(adult_sizes: dict[int, int]) -> None:
    """0.27684993883653597, the constant of ARX's test, is the limit for large populations."""
    found = pitman(Sample(adult_sizes, 301620))
    theta, alpha = found.parameters["theta"], found.parameters["alpha"]
    assert theta == pytest.approx(3176.23352, abs=5e-6)
    assert alpha == pytest.approx(0.717948948, abs=5e-10)
    limit = math.exp(math.lgamma(theta + 1) - math.lgamma(theta + alpha)) * 301620**alpha
    assert limit / 301620 == pytest.approx(0.27684993883653597, rel=1e-10)
    assert found.uniques == pytest.approx(0.276033320 * 301620, rel=5e-9)
    by_percent = pitman(Sample(adult_sizes, 3016200)).uniques
    assert by_percent == pytest.approx(0.144565 * 3016200, rel=5e-6)


@pytest.mark.parametrize("persons", [3, 40, 1000])
@pytest.mark.parametrize(("theta", "alpha"), [(5.0, 0.0), (5.0, 0.5), (0.3, 0.9), (6.0, -0.5)])
def test_the_exact_form_of_pitman(theta: float, alpha: float, persons: int) -> None:
    """Person by person: the next one joins a cell of one with (1 - alpha) / (theta + n)."""
    uniques, new = 1.0, (theta + alpha) / (theta + 1)
    for n in range(1, persons):
        uniques = uniques * (1 - (1 - alpha) / (theta + n)) + new
        new *= (theta + n + alpha) / (theta + n + 1)
    assert pitman_uniques(theta, alpha, persons) == pytest.approx(uniques, rel=1e-9)


@pytest.mark.sampled(0.1, by=("seed", "alpha"))
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(
    ("theta", "alpha"), [(2000, 0.5), (500, 0.0), (20_000, -1.0), (15_000, -0.5)]
)
def test_populations_of_pitman(theta: float, alpha: float, seed: int) -> None:
    """The fit is a maximum by plain sums, and the estimate near the truth."""
    persons = 60_000
    cells = oracle.pitman_population(theta, alpha, persons, seed)
    sizes = oracle.drawn(cells, 0.2, seed)
    found = pitman(Sample(sizes, persons))
    fitted = found.parameters["theta"], found.parameters["alpha"]
    by_theta, by_alpha = oracle.pitman_slopes(sizes, *fitted)
    assert by_theta == pytest.approx(0, abs=1e-7)
    assert by_alpha == pytest.approx(0, abs=1e-4)
    assert fitted[1] == pytest.approx(alpha, abs=0.15 + abs(alpha) / 4)
    assert found.uniques == pytest.approx(cells.count(1), rel=0.15)
    assert ("alpha is not above 0" in found.error) == (fitted[1] <= 0)


def test_the_sample_of_a_negative_binomial_population() -> None:
    """20,000 cells, alpha 0.5, beta 0.05, drawn by numpy with seed 1; 30 % of 208,534 persons.

    The population has 4,496 uniques. ARX finds no estimate.
    """
    counts = (
        4596, 2409, 1672, 1227, 911, 706, 565, 470, 376, 275, 221, 192, 176, 143, 99, 75, 77, 49,
        58, 28, 43, 28, 27, 14, 11, 11, 18, 8, 8, 5, 5, 2, 1, 1, 2, 2, 1, 1, 1, 0, 1, 1, 1, 3, 2,
    )  # fmt: skip
    sample = Sample({size: n for size, n in enumerate(counts, start=1) if n}, 208_534)
    assert sample.rows == 62_560
    assert shlosser(sample) == pytest.approx(19090.74, abs=5e-3)
    found = slide_negative_binomial(sample)
    assert found.parameters["alpha"] == pytest.approx(0.507682, abs=5e-7)
    assert found.parameters["beta"] == pytest.approx(0.057060, abs=5e-7)
    assert found.uniques == pytest.approx(4461.04, abs=5e-3)
    # the fitted numbers give the classes of one and two that were drawn
    k, a, b = (found.parameters[name] for name in ("cells", "alpha", "beta"))
    d = (1 - sample.share) * (1 - b)
    single = k * sample.share * (b / (1 - d)) ** a * (1 + a * d / (1 - d))
    double = k * a * b**a * sample.share**2 * (1 - b) * (2 - (1 - a) * d)
    assert single == pytest.approx(counts[0], rel=1e-9)
    assert double / (2 * (1 - d) ** (a + 2)) == pytest.approx(counts[1], rel=1e-9)


def test_zayatz_is_exact_for_small_tables() -> None:
    rng = random.Random(1)
    for _ in range(200):
        sizes = {rng.randint(1, 9): rng.randint(1, 9) for _ in range(4)} | {1: rng.randint(1, 9)}
        sample = Sample(sizes, 0)
        persons = sample.rows + rng.choice((0, 1, 3, 50, 1000))
        chance = unique_chance(Sample(sizes, persons))
        assert chance == pytest.approx(float(oracle.unique_chance(sizes, persons)), rel=1e-12)


@pytest.mark.parametrize(
    ("sizes", "population", "expected"),
    [
        ({2: 5}, 100, {"Zayatz": 0, "Pitman": 0, "SNB": 0}),
        ({1: 5}, 5, {"Zayatz": 5, "Pitman": None, "SNB": None}),
        ({1: 2000}, 8000, {"Zayatz": 8000, "Pitman": None, "SNB": None}),
        ({1: 1}, 1, {"Zayatz": 1, "Pitman": None, "SNB": None}),
        ({1: 1, 10**6: 1}, 10**9, {"Pitman": None, "SNB": None}),
    ],
)
def test_no_estimate_is_never_0(
    sizes: dict[int, int], population: int, expected: dict[str, float | None]
) -> None:
    for one in estimates(Sample(sizes, population)):
        if one.model in expected:
            assert one.uniques == expected[one.model]
        if one.uniques is None:
            assert one.error.startswith("no estimate: ")
            assert not one.chosen


def test_any_sizes_have_an_estimate_within_the_population_or_none() -> None:
    rng = random.Random(1)
    for _ in range(example_count(500) * 2):
        sizes = {
            rng.choice((1, 1, 2, 3, rng.randint(1, 50), rng.randint(1, 10**5))):
            rng.choice((1, 2, rng.randint(1, 10**4)))
            for _ in range(rng.randint(1, 6))
        }  # fmt: skip
        rows = Sample(sizes, 0).rows
        persons = int(rows * rng.choice((1, 1.0001, 1.2, 2, 10, 1000, 10**6)))
        found = estimates(Sample(sizes, persons))
        assert sum(one.chosen for one in found) == 1
        for one in found:
            assert one.uniques is None or 0 <= one.uniques <= persons * (1 + 1e-9)


@pytest.mark.parametrize(
    ("k", "share", "plain", "truncated"),
    [(5, 0.1, 3, 3), (20, 0.2, 9, 9), (100, 0.01, 4, 4), (5, 0.01, 1, 2), (5, 1, 5, 5),
     (10**9, 1e-9, 4, 4), (10**9, 0.5, 10**9, 10**9)],
)  # fmt: skip
def test_k_map_by_estimate(k: int, share: float, plain: int, truncated: int) -> None:
    """ARX is one too careful in the first: 4, 10, 5."""
    assert least_class_size(k, share, 0.05, truncated=False) == plain
    assert least_class_size(k, share, 0.05, truncated=True) == truncated
    if k <= 100_000:
        assert EstimatedKMap(k, share).parameters["class_size"] == truncated
    if plain == 1:  # which promises nothing
        with pytest.raises(PlanError, match="takes single rows for k persons"):
            EstimatedKMap(k, share, estimator="poisson")


def test_the_table_of_the_comparison() -> None:
    page = (ROOT / "docs/comparison.md").read_text(encoding="utf-8")
    printed = re.findall(r"^\| (\d+) % \|(.*)\|$", page, re.M)
    assert [int(share) for share, _ in printed] == [5, 10, 20, 30, 50]
    for columns, uniques in ((9, "15,512"), (4, "543")):
        people = [row[:columns] for row in adult_rows()]
        assert f"{oracle.size_counts(people)[1]:,}" == uniques
        assert uniques in page
        for percent, line in printed:
            rows = random.Random(3).sample(people, round(int(percent) / 100 * len(people)))
            found = estimates(Sample(oracle.size_counts(rows), len(people)))
            cells = [cell.strip() for cell in line.split("|")]
            marks = ["**" * one.chosen for one in found]
            expected = [f"{m}{one.uniques:,.0f}{m}" for m, one in zip(marks, found, strict=True)]
            assert (cells[: len(found)] if columns == 9 else cells[len(found) :]) == expected


# --- risks of rows, over what the population can be


def individual_risks(classes: list[tuple[int, float]]) -> list[float]:
    """The risk in classes of these sizes and weights."""
    listed = ", ".join(f"({n}, {size}, {weight!r})" for n, (size, weight) in enumerate(classes))
    with duckdb.connect() as connection:
        connection.execute(
            "create table classes as select * from (values"
            f" {listed}) as listed (number, class_size, weight)"
        )
        sql = render(
            "risks/individual_risks.sql", title="risks", relation="classes", columns=["number"],
            weight="weight", share=0.0,
        )  # fmt: skip
        rows = connection.execute(f"select individual_risk from ({sql}) order by number")
        return [risk for (risk,) in rows.fetchall()]


@pytest.mark.parametrize(
    ("size", "share", "risk"),
    [
        (1, 0.1, 0.255842788), (2, 0.1, 0.082684135), (3, 0.1, 0.046368429), (4, 0.1, 0.031884989),
        (1, 1 / 60, 0.069395671), (10, 0.02, 0.002216698), (7, 1.0, 1 / 7),
        (1, 1 / 20_000, 0.000495),  # not a number with sdcMicro's share - 0.0001
    ],
)  # fmt: skip
def test_risks_of_benedetti_and_franconi(size: int, share: float, risk: float) -> None:
    digits = 5e-7 if share < 1e-3 else 5e-10
    assert individual_risks([(size, size / share)]) == [pytest.approx(risk, abs=digits)]


def test_risks_by_their_sum() -> None:
    """On both sides of where the series takes over: shares of a half, and classes of ten."""
    classes = [
        (size, size / share)
        for size in (1, 2, 3, 9, 10, 11, 12, 40)
        for share in (0.02, 0.2, 0.49, 0.5, 0.51, 0.9, 0.999)
    ]
    expected = [oracle.individual_risk(*one) for one in classes]
    assert individual_risks(classes) == pytest.approx(expected, rel=1e-10)


def test_data_intrusion_of_adult() -> None:
    """Skinner and Elliot's probability, from 15,512 uniques and 2,098 pairs."""
    sizes = {1: 15512, 2: 2098, 3: 900}
    rows = Sample(sizes, 0).rows
    for share, chance in ((0.01, 0.03599774), (0.1, 0.29116300)):
        assert data_intrusion(Sample(sizes, round(rows / share))) == pytest.approx(chance, rel=1e-5)
    assert data_intrusion(Sample({2: 5}, 100)) is None


def test_independence_by_its_definition() -> None:
    rng = random.Random(4)
    rows = [
        (rng.choice("abcdef"), rng.choice("xyz"), rng.choice([None, "1", "2"])) for _ in range(60)
    ]
    persons = 400
    shares = [Counter(column) for column in zip(*rows, strict=True)]
    uniques = [row for row, count in Counter(rows).items() if count == 1]
    others = [
        (persons - 60) * math.prod(c[value] / 60 for c, value in zip(shares, row, strict=True))
        for row in uniques
    ]
    assert len(uniques) > 5
    alone = [sum(math.exp(-x) for x in others), sum(-math.expm1(-x) / x for x in others)]
    with duckdb.connect() as connection:
        classes = Classes(combined(connection, rows), "rows")
        for population, expected in ((persons, alone), (60, [len(uniques)] * 2)):
            sample = Sample(oracle.size_counts(rows), population)
            found = asked(connection, independence_figures(classes, sample))
            assert [one.value for one in found] == pytest.approx(expected)
            assert {(one.basis, one.model) for one in found} == {("estimated", "independence")}


# --- minimal sample uniques and SUDA scores: published examples, and brute force on small tables


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
