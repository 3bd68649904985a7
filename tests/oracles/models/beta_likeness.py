"""β-likeness, as the tests know it: models/base.py says what the names mean."""

import math
from typing import Any

from tests.oracles.models.base import NEAR, Class, Shares, Verdict

worst = max


def of_class(model: Any, c: Class, q: Shares, *_: Any) -> Verdict:
    gains = {s: p / q[s] - 1 for s, p in c.shares.items() if p > q[s]}
    allowed = dict.fromkeys(gains, float(model.beta))
    if model.kind == "enhanced":
        allowed = {s: min(allowed[s], -math.log(q[s])) for s in gains}
    return max(gains.values(), default=0), all(gains[s] <= allowed[s] + NEAR for s in gains)


BETAS = ["0.25", "0.5", "1", "2"]
RANDOM = {"basic": {"beta": BETAS}, "enhanced": {"beta": BETAS, "kind": "enhanced"}}
RUNS = {"": {"beta": [0.5, 1, 1.5]}, "enhanced": {"kind": "enhanced", "beta": [0.5, 1, 2]}}
GOLDEN = {
    "beta_likeness": {"beta": 2},
    "beta_likeness.enhanced": {"kind": "enhanced", "beta": 2},
}
LEGAL = {"beta": 1}
ILLEGAL = {"beta": [0, -1, "1000000.1", 1e30], "kind": ["plain"]}
TABLES = """
- <<: *drugs
  cases:
    # formulas.md, section 1.6. Measures: the largest (share - share) / share. Values of one class alone
    # have twice their share: a gain of 1
    - [{beta: 1}, [true, true], [1, 1]]
    - [{beta: 0.99}, [false, false], [1, 1]]
    # enhanced, -ln of the shares 4/12, 3/12, 3/12, 1/12, 1/12: none is below 1
    - [{kind: enhanced, beta: 1}, [true, true], [1, 1]]
- name: a frequent value, by hand
  classes:
    # a: 1 against 4/6: a gain of 0.5, above -ln(4/6) = 0.405
    - {key: [1], values: {a: 3}, measure: 1/2}
    # b: 2/3 against 2/6: a gain of 1, below -ln(2/6) = 1.099
    - {key: [2], values: {a: 1, b: 2}, measure: 1}
  cases:
    - [{beta: 0.5}, [true, false]]
    - [{kind: enhanced, beta: 1}, [false, true]]
    - [{kind: enhanced, beta: 3}, [false, true]]
"""
