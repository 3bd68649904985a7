"""Journalist risk, as the tests know it: models/base.py tells what the names mean."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from sqlanon.privacy_models.journalist_risk import JournalistRisk
from tests.oracles.models.base import (
    Class,
    Golden,
    Illegal,
    Monotone,
    Random,
    Runs,
    Shares,
    Tree,
    Verdict,
    decimals,
    share_above,
)

worst = max
POPULATION = True


def of_class(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
    highest = Fraction(1, c.population_size)
    return highest, highest <= Fraction(model.threshold)


def of_table(model: Any, classes: Sequence[Class]) -> Verdict:
    risky = share_above(model.threshold, classes, lambda c: c.population_size)
    return risky, risky <= Fraction(model.share)


def is_of_table(model: Any) -> bool:
    return bool(model.share > 0)


THRESHOLDS = decimals("0.1", "0.2", "0.25", "0.34", "0.5", "0.75", "1")
SHARES = decimals("0.05", "0.2", "0.25", "0.5")
RANDOM: Random = {
    "": st.builds(JournalistRisk, threshold=THRESHOLDS),
    "share": st.builds(JournalistRisk, threshold=THRESHOLDS, share=SHARES),
}
RUNS: Runs = {
    "": lambda r: {"threshold": r.choice([0.1, 0.2, 0.25])},
    "share": lambda r: {"threshold": 0.15, "share": r.choice([0.05, 0.2])},
}
GOLDEN: Golden = {"journalist_risk": {"threshold": 0.2}}
LEGAL = {"threshold": 0.2, "share": 0.1}
ILLEGAL: Illegal = {"threshold": [0, 1.1], "share": [1, -0.1]}
MONOTONE: Monotone = {"": (True, True)}

TABLES = """
# Journalist risk: formulas.md, section 1.9. Measure: 1 / persons of the population; with a share,
# the share of rows at risk in the class and all of no higher risk.
model: journalist-risk
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
      - {key: [1], values: {any: 1}, population: 4, measure: 1/4}
      - {key: [null], values: {any: 3}, population: 5, measure: 1/5}
    cases:
      - {parameters: {threshold: 0.25}, satisfied: [true, true]}
      - {parameters: {threshold: 0.2}, satisfied: [false, true]}
      - {parameters: {threshold: 0.1}, satisfied: [false, false]}
      # 1 of 3 + 1 rows
      - {parameters: {threshold: 0.2, share: 0.25}, measures: [1/4, 0], satisfied: [true, true]}
      - {parameters: {threshold: 0.2, share: 0.2}, measures: [1/4, 0], satisfied: [false, true]}
"""
