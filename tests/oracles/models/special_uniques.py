"""No special uniques, as the tests know it: models/base.py says what the names mean.

With as many quasi-identifiers as there are, or more, a class is judged by itself. What is counted
over several classes is in tests/privacy_models/test_special_uniques.py.
"""

from typing import Any

from tests.oracles.models.base import Class, Verdict

worst = max


def of_class(model: Any, c: Class, *_: Any) -> Verdict:
    return int(c.size == 1), c.size > 1


RANDOM = {"": {"size": range(3, 61)}}
RUNS = {"": {"size": range(3, 6)}}
GOLDEN = {"special_uniques": {"size": 1}}
LEGAL = {"size": 3}
ILLEGAL = {"size": [0, -1, 2.5, "all", None]}
MONOTONE = {"": (True, True)}
TABLES = """
# Rows of Benschop, Machingauta and Welch, Statistical disclosure control, a practice guide, 4.4: the
# classes of all four columns; those of one row have a SUDA score there.
- name: a practice guide, ten rows
  classes: # of residence, sex, education and labor
    - {key: [rural, female, secondary-complete, unemployed], values: {any: 1}, measure: 1}
    - {key: [urban, female, primary-complete, non-LF], values: {any: 1}, measure: 1}
    - {key: [urban, female, primary-incomplete, non-LF], values: {any: 1}, measure: 1}
    - {key: [urban, female, secondary-incomplete, employed], values: {any: 2}, measure: 0}
    - {key: [urban, female, secondary-incomplete, non-LF], values: {any: 2}, measure: 0}
    - {key: [urban, male, post-secondary, unemployed], values: {any: 1}, measure: 1}
    - {key: [urban, male, secondary-complete, employed], values: {any: 2}, measure: 0}
  cases:
    - [{size: 4}, [false, false, false, true, true, false, true]]
    - [{size: 9}, [false, false, false, true, true, false, true]]
- name: two rows of each class
  classes:
    - {key: [f], values: {any: 2}, measure: 0}
    - {key: [null], values: {any: 2}, measure: 0}
  cases:
    - [{size: 1}, [true, true]]
"""
