"""Journalist risk, as the tests know it: models/base.py says what the names mean."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from tests.oracles.models.base import RISKS, Class, Verdict, share_above

worst = max
POPULATION = True


def of_class(model: Any, c: Class, *_: Any) -> Verdict:
    highest = Fraction(1, c.population_size)
    return highest, highest <= Fraction(model.threshold)


def of_table(model: Any, classes: Sequence[Class]) -> Verdict:
    risky = share_above(model.threshold, classes, lambda c: c.population_size)
    return risky, risky <= Fraction(model.share)


RANDOM = {
    "": {"threshold": RISKS},
    "share": {"threshold": RISKS, "share": ["0.05", "0.2", "0.25", "0.5"]},
}
RUNS = {
    "": {"threshold": [0.1, 0.2, 0.25]},
    "share": {"threshold": 0.15, "share": [0.05, 0.2]},
}
GOLDEN = {"journalist_risk": {"threshold": 0.2}}
LEGAL = {"threshold": 0.2, "share": 0.1}
ILLEGAL = {"threshold": [0, 1.1], "share": [1, -0.1]}
MONOTONE = {"": (True, True)}
TABLES = """
- *risks
# formulas.md, section 1.9. Measure: 1 / persons of the population; with a share, the share of rows
# at risk in the class and all of no higher risk.
- name: classes of a larger population, by hand
  classes:
    - {key: [1], values: {any: 1}, population: 4, measure: 1/4}
    - {key: [null], values: {any: 3}, population: 5, measure: 1/5}
  cases:
    - [{threshold: 0.25}, [true, true]]
    - [{threshold: 0.2}, [false, true]]
    # 1 of 3 + 1 rows
    - [{threshold: 0.2, share: 0.25}, [true, true], [1/4, 0]]
    - [{threshold: 0.2, share: 0.2}, [false, true], [1/4, 0]]
"""
