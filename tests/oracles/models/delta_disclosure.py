"""δ-disclosure, as the tests know it: models/base.py tells what the names mean."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import strategies as st

from sqlanon.privacy_models.delta_disclosure import DeltaDisclosure
from tests.oracles.models.base import Class, S, Shares, Tree, Verdict, decimals

worst = max


def of_class(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
    p = c.shares
    if model.absent == "violation" and p.keys() != q.keys():
        return math.inf, False
    changes = [max(p[s] / q[s], q[s] / p[s]) for s in p]
    squared = 2 ** int(2 * model.delta)  # deltas here are halves
    return math.log2(max(changes)), all(change**2 < squared for change in changes)


DELTA: dict[str, Any] = {**S, "delta": decimals("0.5", "1", "1.5", "2", "3")}
RANDOM = {
    "": st.builds(DeltaDisclosure, **DELTA),
    "ignore": st.builds(DeltaDisclosure, **DELTA, absent=st.just("ignore")),
}
RUNS = {
    "": lambda r: {"delta": r.choice([1, 1.5, 2])},
    "ignore": lambda r: {"delta": r.choice([0.5, 1]), "absent": "ignore"},
}
GOLDEN = {
    "delta_disclosure": {"delta": 1.5},
    "delta_disclosure.ignore": {"delta": 1.5, "absent": "ignore"},
}
LEGAL = {"delta": 1}
ILLEGAL = {"delta": [0, -1, "0.000000001", "64.1", 1e30], "absent": ["fine"]}
MONOTONE = {"ignore": (False, False)}

TABLES = """
# delta-disclosure: formulas.md, section 1.6. Measures in bits: the largest |log2(share / share)|.
model: delta-disclosure
tables:
  - name: TUM seminar on l-diversity, Table 3
    quasi_identifiers: [age, zip]
    classes: # five drugs, of which each class lacks two
      - {key: [<60, 75***], values: {Tamoxifen: 4, Pepcid: 1, Erythropoietin: 1}}
      - {key: [">=60", 75***], values: {Synthroid: 3, Pepcid: 2, Captopril: 1}}
    cases:
      # each class lacks two of the five values: log 0, whatever delta is
      - {parameters: {delta: 64}, measures: [.inf, .inf], satisfied: [false, false]}
      # ignoring those, values of one class alone have twice their share: ln 2 = 0.693, 1 bit; strict
      - {parameters: {delta: 1, absent: ignore}, measures: [1, 1], satisfied: [false, false]}
      - {parameters: {delta: 1.001, absent: ignore}, measures: [1, 1], satisfied: [true, true]}

  - name: two values, by hand
    quasi_identifiers: [block]
    classes: # shares 2/3 and 1/3 of halves: log2(4/3) = 0.415037, log2(2/3) = -0.584963
      - {key: [1], values: {a: 2, b: 1}, measure: 0.584963}
      - {key: [2], values: {a: 1, b: 2}, measure: 0.584963}
      - {key: [null], values: {a: 1, b: 1}, measure: 0}
    cases:
      - {parameters: {delta: 0.58}, satisfied: [false, false, true]}
      - {parameters: {delta: 0.59}, satisfied: [true, true, true]}
"""
