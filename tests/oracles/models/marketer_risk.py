"""Marketer risk, as the tests know it: models/base.py says what the names mean."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from tests.oracles.models.base import RISKS, Class, Verdict

worst = max
POPULATION = True


def of_table(model: Any, classes: Sequence[Class]) -> Verdict:
    linked = sum((Fraction(c.size, c.population_size) for c in classes), Fraction(0))
    risk = linked / sum(c.size for c in classes)
    return risk, risk <= Fraction(model.threshold)


RANDOM = {"": {"threshold": RISKS}}
RUNS = {"": {"threshold": [0.05, 0.1, 0.15]}}
GOLDEN = {"marketer_risk": {"threshold": 0.2}}
LEGAL = {"threshold": 0.2}
ILLEGAL = {"threshold": [0, 1.1]}
TABLES = """
- *risks
# formulas.md, section 1.9. Measure of a class: the mean over rows of 1 / population, in it and all
# of as large or larger populations; that of the smallest is the table's.
- name: classes of a larger population, by hand
  classes:
    - {key: [1], values: {any: 1}, population: 4, measure: 17/80}
    - {key: [null], values: {any: 3}, population: 5, measure: 1/5}
  cases: # 3/5 / 3; (3/5 + 1/4) / 4 = 17/80 = 0.2125
    - [{threshold: 0.2125}, [true, true]]
    - [{threshold: 0.2124}, [false, true]]
    - [{threshold: 0.19}, [false, false]]
"""
