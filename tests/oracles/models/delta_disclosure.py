"""δ-disclosure, as the tests know it: models/base.py says what the names mean."""

import math
from typing import Any

from tests.oracles.models.base import Class, Shares, Verdict

worst = max


def of_class(model: Any, c: Class, q: Shares, *_: Any) -> Verdict:
    p = c.shares
    if model.absent == "violation" and p.keys() != q.keys():
        return math.inf, False
    changes = [max(p[s] / q[s], q[s] / p[s]) for s in p]
    squared = 2 ** int(2 * model.delta)  # deltas here are halves
    return math.log2(max(changes)), all(change**2 < squared for change in changes)


DELTAS = ["0.5", "1", "1.5", "2", "3"]
RANDOM = {"": {"delta": DELTAS}, "ignore": {"delta": DELTAS, "absent": "ignore"}}
RUNS = {"": {"delta": [1, 1.5, 2]}, "ignore": {"delta": [0.5, 1], "absent": "ignore"}}
GOLDEN = {
    "delta_disclosure": {"delta": 1.5},
    "delta_disclosure.ignore": {"delta": 1.5, "absent": "ignore"},
}
LEGAL = {"delta": 1}
ILLEGAL = {"delta": [0, -1, "0.000000001", "64.1", 1e30], "absent": ["fine"]}
MONOTONE = {"ignore": (False, False)}
TABLES = """
- <<: *drugs
  cases:
    # formulas.md, section 1.6. Measures in bits: the largest |log2(share / share)|
    # each class lacks two of the five values: log 0, whatever delta is
    - [{delta: 64}, [false, false], [.inf, .inf]]
    # ignoring those, values of one class alone have twice their share: ln 2 = 0.693, 1 bit; strict
    - [{delta: 1, absent: ignore}, [false, false], [1, 1]]
    - [{delta: 1.001, absent: ignore}, [true, true], [1, 1]]
- name: two values, by hand
  classes: # shares 2/3 and 1/3 of halves: log2(4/3) = 0.415037, log2(2/3) = -0.584963
    - {key: [1], values: {a: 2, b: 1}, measure: 0.584963}
    - {key: [null], values: {a: 1, b: 2}, measure: 0.584963}
  cases:
    - [{delta: 0.58}, [false, false]]
    - [{delta: 0.59}, [true, true]]
"""
