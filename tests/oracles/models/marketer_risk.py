"""Marketer risk, as the tests know it: models/base.py tells what the names mean."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from sqlanon.privacy_models.marketer_risk import MarketerRisk
from tests.oracles.models.base import TUM, Class, T, Verdict

worst = max
POPULATION = True


def of_table(model: Any, classes: Sequence[Class]) -> Verdict:
    linked = sum((Fraction(c.size, c.population_size) for c in classes), Fraction(0))
    risk = linked / sum(c.size for c in classes)
    return risk, risk <= Fraction(model.threshold)


RANDOM = {"": st.builds(MarketerRisk, **T)}
RUNS = {"": lambda r: {"threshold": r.choice([0.05, 0.1, 0.15])}}
GOLDEN = {"marketer_risk": {"threshold": 0.2}}
LEGAL = {"threshold": 0.2}
ILLEGAL = {"threshold": [0, 1.1]}

TABLES = (
    """
# Marketer risk: formulas.md, section 1.9. Measure of a class: the mean over rows of 1 / population,
# in it and all of as large or larger populations; that of the smallest is the table's.
model: marketer-risk
tables:
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
    + TUM
)
