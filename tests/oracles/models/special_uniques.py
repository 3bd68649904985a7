"""No special uniques, as the tests know it: models/base.py tells what the names mean.

With as many quasi-identifiers as there are, or more, a class is judged by itself. What is counted
over several classes is in tests/privacy_models/test_special_uniques.py.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from sqlanon.privacy_models.special_uniques import SpecialUniques
from tests.oracles.models.base import Class, Shares, Tree, Verdict

worst = max


def of_class(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
    return int(c.size == 1), c.size > 1


RANDOM = {"": st.builds(SpecialUniques, size=st.integers(3, 60))}
RUNS = {"": lambda r: {"size": r.randint(3, 5)}}
GOLDEN = {"special_uniques": {"size": 1}}
LEGAL = {"size": 3}
ILLEGAL = {"size": [0, -1, 2.5, "all", None]}
MONOTONE = {"": (True, True)}

TABLES = """
# Rows of Benschop, Machingauta and Welch, Statistical disclosure control, a practice guide, 4.4: the
# classes of all four columns; those of one row have a SUDA score there.
model: special-uniques
tables:
  - name: a practice guide, ten rows
    quasi_identifiers: [residence, sex, education, labor]
    classes:
      - {key: [rural, female, secondary-complete, unemployed], values: {any: 1}, measure: 1}
      - {key: [urban, female, primary-complete, non-LF], values: {any: 1}, measure: 1}
      - {key: [urban, female, primary-incomplete, non-LF], values: {any: 1}, measure: 1}
      - {key: [urban, female, secondary-incomplete, employed], values: {any: 2}, measure: 0}
      - {key: [urban, female, secondary-incomplete, non-LF], values: {any: 2}, measure: 0}
      - {key: [urban, male, post-secondary, unemployed], values: {any: 1}, measure: 1}
      - {key: [urban, male, secondary-complete, employed], values: {any: 2}, measure: 0}
    cases:
      - {parameters: {size: 4}, satisfied: [false, false, false, true, true, false, true]}
      - {parameters: {size: 9}, satisfied: [false, false, false, true, true, false, true]}

  - name: two rows of each class
    quasi_identifiers: [sex]
    classes:
      - {key: [f], values: {any: 2}, measure: 0}
      - {key: [null], values: {any: 2}, measure: 0}
    cases:
      - {parameters: {size: 1}, satisfied: [true, true]}
"""
