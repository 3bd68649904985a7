"""β-likeness, as the tests know it: models/base.py tells what the names mean."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import strategies as st

from sqlanon.privacy_models.beta_likeness import BetaLikeness
from tests.oracles.models.base import NEAR, Class, S, Shares, Tree, Verdict, decimals

worst = max


def of_class(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
    gains = {s: p / q[s] - 1 for s, p in c.shares.items() if p > q[s]}
    allowed = dict.fromkeys(gains, float(model.beta))
    if model.kind == "enhanced":
        allowed = {s: min(allowed[s], -math.log(q[s])) for s in gains}
    return max(gains.values(), default=0), all(gains[s] <= allowed[s] + NEAR for s in gains)


BETA: dict[str, Any] = {**S, "beta": decimals("0.25", "0.5", "1", "2")}
RANDOM = {
    "basic": st.builds(BetaLikeness, **BETA),
    "enhanced": st.builds(BetaLikeness, **BETA, kind=st.just("enhanced")),
}
RUNS = {
    "": lambda r: {"beta": r.choice([0.5, 1, 1.5])},
    "enhanced": lambda r: {"kind": "enhanced", "beta": r.choice([0.5, 1, 2])},
}
GOLDEN = {
    "beta_likeness": {"beta": 2},
    "beta_likeness.enhanced": {"kind": "enhanced", "beta": 2},
}
LEGAL = {"beta": 1}
ILLEGAL = {"beta": [0, -1, "1000000.1", 1e30], "kind": ["plain"]}

TABLES = """
# beta-likeness: formulas.md, section 1.6. Measures: the largest (share - share) / share.
model: beta-likeness
tables:
  - name: TUM seminar on l-diversity, Table 3
    quasi_identifiers: [age, zip]
    classes: # five drugs, of which each class lacks two
      - {key: [<60, 75***], values: {Tamoxifen: 4, Pepcid: 1, Erythropoietin: 1}}
      - {key: [">=60", 75***], values: {Synthroid: 3, Pepcid: 2, Captopril: 1}}
    cases: # values of one class alone have twice their share: a gain of 1
      - {parameters: {beta: 1}, measures: [1, 1], satisfied: [true, true]}
      - {parameters: {beta: 0.99}, measures: [1, 1], satisfied: [false, false]}
      # enhanced, -ln of the shares 4/12, 3/12, 3/12, 1/12, 1/12: none is below 1
      - {parameters: {kind: enhanced, beta: 1}, measures: [1, 1], satisfied: [true, true]}

  - name: a frequent value, by hand
    quasi_identifiers: [block]
    classes:
      # a: 1 against 4/6: a gain of 0.5, above -ln(4/6) = 0.405
      - {key: [1], values: {a: 3}, measure: 1/2}
      # b: 2/3 against 2/6: a gain of 1, below -ln(2/6) = 1.099
      - {key: [2], values: {a: 1, b: 2}, measure: 1}
    cases:
      - {parameters: {beta: 1}, satisfied: [true, true]}
      - {parameters: {beta: 0.5}, satisfied: [true, false]}
      - {parameters: {kind: enhanced, beta: 1}, satisfied: [false, true]}
      - {parameters: {kind: enhanced, beta: 3}, satisfied: [false, true]}
"""
