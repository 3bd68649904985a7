"""Prosecutor risk, as the tests know it: models/base.py tells what the names mean."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from sqlanon.privacy_models.prosecutor_risk import ProsecutorRisk
from tests.oracles.models.base import TUM, Class, Shares, T, Tree, Verdict, decimals, share_above

worst = max


def of_class(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
    highest = Fraction(1, c.size)
    return highest, highest <= Fraction(model.threshold)


def of_table(model: Any, classes: Sequence[Class]) -> Verdict:
    risky = share_above(model.threshold, classes, lambda c: c.size)
    return risky, risky <= Fraction(model.share)


def is_of_table(model: Any) -> bool:
    return bool(model.share > 0)


RANDOM = {
    "": st.builds(ProsecutorRisk, **T),
    "share": st.builds(ProsecutorRisk, **T, share=decimals("0.05", "0.2", "0.25", "0.5")),
}
RUNS = {
    "": lambda r: {"threshold": r.choice([0.25, 0.34, 0.5])},
    "share": lambda r: {"threshold": 0.25, "share": r.choice([0.05, 0.2])},
}
GOLDEN = {
    "prosecutor_risk": {"threshold": 0.2},
    "prosecutor_risk.share": {"threshold": 0.2, "share": 0.05},
}
LEGAL = {"threshold": 0.2, "share": 0.1}
ILLEGAL = {"threshold": [0, 1.1], "share": [1, -0.1]}
MONOTONE = {"": (True, True)}

TABLES = (
    """
# Prosecutor risk: formulas.md, section 1.9. Measure: 1 / rows; with a share, the share of rows at
# risk in the class and all of no higher risk.
model: prosecutor-risk
tables:
  - name: unequal classes, by hand
    quasi_identifiers: [zip]
    classes:
      - {key: [1], values: {any: 8}, measure: 1/8}
      - {key: [2], values: {any: 2}, measure: 1/2}
      - {key: [3], values: {any: 1}, measure: 1}
      - {key: [null], values: {any: 1}, measure: 1}
    cases:
      - {parameters: {threshold: 0.5}, satisfied: [true, true, false, false]}
      # above 1/4: 2 of 8 + 2 rows, and 4 of all 12
      - parameters: {threshold: 0.25, share: 0.2}
        measures: [0, 2/10, 3/11, 4/12]
        satisfied: [true, true, false, false]
      - parameters: {threshold: 0.25, share: 0.19}
        measures: [0, 2/10, 3/11, 4/12]
        satisfied: [true, false, false, false]
      - parameters: {threshold: 0.25, share: 0.333333334}
        measures: [0, 2/10, 3/11, 4/12]
        satisfied: [true, true, true, true]
"""
    + TUM
)
