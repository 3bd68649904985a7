"""Marketer risk, as the tests know it: models/base.py tells what the names mean."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from sqlanon.privacy_models.marketer_risk import MarketerRisk
from tests.oracles.models.base import Class, Golden, Illegal, Random, Runs, Verdict, decimals

worst = max
POPULATION = True


def of_table(model: Any, classes: Sequence[Class]) -> Verdict:
    linked = sum((Fraction(c.size, c.population_size) for c in classes), Fraction(0))
    risk = linked / sum(c.size for c in classes)
    return risk, risk <= Fraction(model.threshold)


THRESHOLDS = decimals("0.1", "0.2", "0.25", "0.34", "0.5", "0.75", "1")
RANDOM: Random = {"": st.builds(MarketerRisk, threshold=THRESHOLDS)}
RUNS: Runs = {"": lambda r: {"threshold": r.choice([0.05, 0.1, 0.15])}}
GOLDEN: Golden = {"marketer_risk": {"threshold": 0.2}}
LEGAL = {"threshold": 0.2}
ILLEGAL: Illegal = {"threshold": [0, 1.1]}

TABLES = """
# Marketer risk: formulas.md, section 1.9. Measure of a class: the mean over rows of 1 / population,
# in it and all of as large or larger populations; that of the smallest is the table's.
model: marketer-risk
tables:
  - name: TUM seminar on l-diversity, Table 2
    quasi_identifiers: [zip, age]
    classes: # the population is the table itself, where one is asked for
      - {key: [752**, "<60"], values: {any: 3}, population: 3, measure: 1/3}
      - {key: [752**, ">=60"], values: {any: 3}, population: 3, measure: 1/3}
      - {key: [753**, "<60"], values: {any: 3}, population: 3, measure: 1/3}
      - {key: [753**, ">=60"], values: {any: 3}, population: 3, measure: 1/3}
    cases: # four classes of 12 rows: 4/12
      - {parameters: {threshold: 0.333333334}, satisfied: [true, true, true, true]}
      - {parameters: {threshold: 0.333333}, satisfied: [false, false, false, false]}

  - name: classes of a larger population, by hand
    quasi_identifiers: [zip]
    classes:
      - {key: [1], values: {any: 1}, population: 4, measure: 17/80}
      - {key: [null], values: {any: 3}, population: 5, measure: 1/5}
    cases: # 3/5 / 3; (3/5 + 1/4) / 4 = 17/80 = 0.2125
      - {parameters: {threshold: 0.2125}, satisfied: [true, true]}
      - {parameters: {threshold: 0.2124}, satisfied: [false, true]}
      - {parameters: {threshold: 0.19}, satisfied: [false, false]}
"""
