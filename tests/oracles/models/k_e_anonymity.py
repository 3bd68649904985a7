"""(k,e)-anonymity, as the tests know it: models/base.py says what the names mean."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from tests.oracles.models.base import Class, Verdict, drawn, number

worst = min


def of_class(model: Any, c: Class, *_: Any) -> Verdict:
    if c.has_several:
        return 0, False
    numbers = {n for value in c.values if (n := number(value)) is not None}
    spread = max(numbers) - min(numbers) if numbers else Fraction(0)
    return spread, len(numbers) >= model.k and spread >= Fraction(model.e)


def of_bounds(model: Any, classes: Sequence[Class]) -> tuple[dict[str, Any], bool]:
    numbers = [{float(v) for v in c.values if v not in ("x", None)} for c in classes]
    k = min(len(found) for found in numbers)
    e = min(max(found, default=0) - min(found, default=0) for found in numbers)
    return {"k": k, "e": e}, k >= model.k and e >= model.e


BOUNDS = {"": partial(drawn, k=[2, 3], e=["0", "1", "8.5"])}
RANDOM = {"": {"k": range(2, 4), "e": ["0", "0.2", "1.5", "2.5", "9"]}}
RUNS = {"": {"k": 2, "e": [1.5, 2.5, 6.5]}}
GOLDEN = {"k_e_anonymity": {"k": 3, "e": 100}}
LEGAL = {"k": 2, "e": 5}
ILLEGAL = {"k": [1], "e": [-1, 1e30]}
MONOTONE = {"": (True, True)}
TABLES = """
# formulas.md, section 1.3, has no number; worked by hand. The range is the largest less the
# smallest value, not the least difference of two.
- name: salaries, by hand
  classes: # 5000 - 3000, of three values; 9000 - 5000, of two; none
    - {key: [1], values: {3000: 1, 4000: 1, 5000: 1}, measure: 2000}
    - {key: [2], values: {5000: 2, 9000: 1}, measure: 4000}
    - {key: [null], values: {7000: 1, null: 2}, measure: 0}
  cases:
    - [{k: 3, e: 2000}, [true, false, false]] # neighbors are 1000 apart
    - [{k: 2, e: 2000.01}, [false, true, false]]
    - [{k: 2, e: 0}, [true, true, false]]
- name: fractions, by hand
  classes: # 0.3 - 0.1, which a computer makes a little less than 0.2
    - {key: [1], values: {0.1: 1, 0.3: 1}, measure: 2/10}
  cases:
    - [{k: 2, e: 0.2}, [true]]
    - [{k: 2, e: 0.2001}, [false]]
"""
