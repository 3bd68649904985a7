"""Prosecutor risk, as the tests know it: models/base.py says what the names mean."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from tests.oracles.models.base import RISKS, Class, Verdict, share_above

worst = max


def of_class(model: Any, c: Class, *_: Any) -> Verdict:
    highest = Fraction(1, c.size)
    return highest, highest <= Fraction(model.threshold)


def of_table(model: Any, classes: Sequence[Class]) -> Verdict:
    risky = share_above(model.threshold, classes, lambda c: c.size)
    return risky, risky <= Fraction(model.share)


RANDOM = {
    "": {"threshold": RISKS},
    "share": {"threshold": RISKS, "share": ["0.05", "0.2", "0.25", "0.5"]},
}
RUNS = {
    "": {"threshold": [0.25, 0.34, 0.5]},
    "share": {"threshold": 0.25, "share": [0.05, 0.2]},
}
GOLDEN = {
    "prosecutor_risk": {"threshold": 0.2},
    "prosecutor_risk.share": {"threshold": 0.2, "share": 0.05},
}
LEGAL = {"threshold": 0.2, "share": 0.1}
ILLEGAL = {"threshold": [0, 1.1], "share": [1, -0.1]}
MONOTONE = {"": (True, True)}
TABLES = """
- *risks
# formulas.md, section 1.9. Measure: 1 / rows; with a share, the share of rows at risk in the class
# and all of no higher risk.
- name: unequal classes, by hand
  classes:
    - {key: [1], values: {any: 8}, measure: 1/8}
    - {key: [2], values: {any: 2}, measure: 1/2}
    - {key: [3], values: {any: 1}, measure: 1}
    - {key: [null], values: {any: 1}, measure: 1}
  cases:
    - [{threshold: 0.5}, [true, true, false, false]]
    # above 1/4: 2 of 8 + 2 rows, and 4 of all 12
    - [{threshold: 0.25, share: 0.2}, [true, true, false, false], [0, 2/10, 3/11, 4/12]]
    - [{threshold: 0.25, share: 0.19}, [true, false, false, false], [0, 2/10, 3/11, 4/12]]
    - [{threshold: 0.25, share: 0.333333334}, [true, true, true, true], [0, 2/10, 3/11, 4/12]]
"""
