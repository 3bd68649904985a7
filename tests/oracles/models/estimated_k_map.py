"""k-map by estimate, as the tests know it: models/base.py says what the names mean."""

import math
from typing import Any

from tests.oracles.models.base import Class, Verdict

worst = min
ESTIMATORS = ["zero-truncated-poisson", "poisson"]


def least(model: Any) -> int:
    """The smallest class that k persons make with a probability of at most `error`, or k rows."""
    mean = float(model.sampling_fraction) * model.k
    chances = [math.exp(-mean) * mean**f / math.factorial(f) for f in range(100)]
    drawn = 1.0 if model.estimator == "poisson" else sum(chances[1:])
    rare = (f for f in range(100) if sum(chances[f:]) / drawn <= float(model.error))
    return min(int(model.k), next(rare))


def of_class(model: Any, c: Class, *_: Any) -> Verdict:
    return c.size, c.size >= least(model)


RANDOM = {
    "": {"k": range(2, 13), "sampling_fraction": ["0.05", "0.3", "1"], "estimator": ESTIMATORS,
         "error": ["0.05", "0.01"]}
}  # fmt: skip
RUNS = {"": {"k": range(3, 10), "sampling_fraction": 0.3, "estimator": ESTIMATORS}}
GOLDEN = {"estimated_k_map": {"k": 5, "sampling_fraction": 0.1}}
LEGAL = {"k": 5, "sampling_fraction": 0.1}
ILLEGAL = {"k": [1, 2.5, 100_001], "sampling_fraction": [0, 1.1, None], "error": [0, 1],
           "estimator": ["binomial"]}  # fmt: skip
MONOTONE = {"": (True, True)}
TABLES = """
# Worked by hand (formulas_next.md, section 8.5): of k = 5 at 0.1, 3 rows; of k = 5 at 0.01, 2 rows,
# and by plain Poisson 1, which is refused; of k = 20 at 0.2, 9 rows.
- name: classes of one to nine rows
  classes:
    - {key: [10], values: {any: 1}, measure: 1}
    - {key: [20], values: {any: 2}, measure: 2}
    - {key: [30], values: {any: 3}, measure: 3}
    - {key: [40], values: {any: 8}, measure: 8}
    - {key: [null], values: {any: 9}, measure: 9}
  cases:
    - [{k: 5, sampling_fraction: 0.1}, [false, false, true, true, true]]
    - [{k: 5, sampling_fraction: 0.1, estimator: poisson}, [false, false, true, true, true]]
    - [{k: 5, sampling_fraction: 0.01}, [false, true, true, true, true]]
    - [{k: 20, sampling_fraction: 0.2}, [false, false, false, false, true]]
"""
