"""Average risk, as the tests know it: models/base.py says what the names mean."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from tests.oracles.models.base import RISKS, Class, Verdict

worst = max


def of_table(model: Any, classes: Sequence[Class]) -> Verdict:
    risk = Fraction(len(classes), sum(c.size for c in classes))
    return risk, risk <= Fraction(model.threshold)


RANDOM = {"": {"threshold": RISKS}}
RUNS = {"": {"threshold": [0.1, 0.2, 0.25, 0.34]}}
GOLDEN = {"average_risk": {"threshold": 0.1}}
LEGAL = {"threshold": 0.2}
ILLEGAL = {"threshold": [0, 1.1]}
MONOTONE = {"": (True, True)}
TABLES = """
- *risks
# formulas.md, section 1.9. Measure of a class: classes / rows, of it and all that are as large or
# larger; that of the smallest class is the table's.
- name: unequal classes, by hand
  classes: # 1/4; 2/(4 + 2); 3/(4 + 2 + 1); 4/(4 + 2 + 1 + 1)
    - {key: [1], values: {any: 4}, measure: 1/4}
    - {key: [2], values: {any: 2}, measure: 2/6}
    - {key: [3], values: {any: 1}, measure: 3/7}
    - {key: [null], values: {any: 1}, measure: 4/8}
  cases:
    - [{threshold: 0.5}, [true, true, true, true]]
    - [{threshold: 0.4}, [true, true, false, false]]
    - [{threshold: 0.2}, [false, false, false, false]]
"""
