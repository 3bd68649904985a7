"""Journalist risk, as the tests know it: models/base.py tells what the names mean."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from sqlanon.privacy_models.journalist_risk import JournalistRisk
from tests.oracles.models.base import TUM, Class, Shares, T, Tree, Verdict, decimals, share_above

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


RANDOM = {
    "": st.builds(JournalistRisk, **T),
    "share": st.builds(JournalistRisk, **T, share=decimals("0.05", "0.2", "0.25", "0.5")),
}
RUNS = {
    "": lambda r: {"threshold": r.choice([0.1, 0.2, 0.25])},
    "share": lambda r: {"threshold": 0.15, "share": r.choice([0.05, 0.2])},
}
GOLDEN = {"journalist_risk": {"threshold": 0.2}}
LEGAL = {"threshold": 0.2, "share": 0.1}
ILLEGAL = {"threshold": [0, 1.1], "share": [1, -0.1]}
MONOTONE = {"": (True, True)}

TABLES = (
    """
# Journalist risk: formulas.md, section 1.9. Measure: 1 / persons of the population; with a share,
# the share of rows at risk in the class and all of no higher risk.
model: journalist-risk
tables:
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
    + TUM
)
