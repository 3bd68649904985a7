"""Risks over what the population can be: numbers of papers, sums term by term, and simulation."""

from __future__ import annotations

import math
import random
from collections import Counter

import duckdb
import pytest

from sqlanon.risks.population_uniques import Sample
from sqlanon.risks.table import Classes, data_intrusion, independence_figures
from sqlanon.sql.render import render
from tests.oracles import risk as oracle
from tests.support.risk_tables import asked, combined


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
        (1, 0.1, 0.255842788),
        (2, 0.1, 0.082684135),
        (3, 0.1, 0.046368429),
        (4, 0.1, 0.031884989),
        (1, 1 / 60, 0.069395671),
        (10, 0.02, 0.002216698),
        (7, 1.0, 1 / 7),
        (1, 1 / 20_000, 0.000495),  # not a number with sdcMicro's share - 0.0001
    ],
)
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
    with duckdb.connect() as connection:
        names = combined(connection, rows)
        classes = Classes(names, "rows")
        for population, expected in (
            (persons, [sum(math.exp(-x) for x in others),
                       sum(-math.expm1(-x) / x for x in others)]),
            (60, [len(uniques), len(uniques)]),
        ):  # fmt: skip
            sample = Sample(oracle.size_counts(rows), population)
            found = asked(connection, independence_figures(classes, sample))
            assert [one.value for one in found] == pytest.approx(expected)
            assert {(one.basis, one.model) for one in found} == {("estimated", "independence")}
