"""(k,e)-anonymity, as the tests know it: models/base.py tells what the names mean."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from sqlanon.privacy_models.k_e_anonymity import KEAnonymity
from tests.oracles.models.base import Class, S, Shares, Tree, Verdict, decimals, number

worst = min


def of_class(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
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


BOUNDS = {"": lambda r: {"k": r.choice([2, 3]), "e": r.choice(["0", "1", "8.5"])}}
RANDOM = {
    "": st.builds(KEAnonymity, **S, k=st.integers(2, 3), e=decimals("0", "0.2", "1.5", "2.5", "9")),
}
RUNS = {"": lambda r: {"k": 2, "e": r.choice([1.5, 2.5, 6.5])}}
GOLDEN = {"k_e_anonymity": {"k": 3, "e": 100}}
LEGAL = {"k": 2, "e": 5}
ILLEGAL = {"k": [1], "e": [-1]}
MONOTONE = {"": (True, True)}

TABLES = """
# (k,e)-anonymity: formulas.md, section 1.3, has no number; worked by hand. The range is the largest
# less the smallest value, not the least difference of two.
model: k-e-anonymity
tables:
  - name: salaries, by hand
    quasi_identifiers: [class]
    classes: # 5000 - 3000, of three values; 9000 - 5000, of two; none
      - {key: [1], values: {3000: 1, 4000: 1, 5000: 1}, measure: 2000}
      - {key: [2], values: {5000: 2, 9000: 1}, measure: 4000}
      - {key: [null], values: {7000: 1, null: 2}, measure: 0}
    cases:
      - {parameters: {k: 3, e: 2000}, satisfied: [true, false, false]} # neighbors are 1000 apart
      - {parameters: {k: 2, e: 2000}, satisfied: [true, true, false]}
      - {parameters: {k: 2, e: 2000.01}, satisfied: [false, true, false]}
      - {parameters: {k: 2, e: 0}, satisfied: [true, true, false]}

  - name: fractions, by hand
    quasi_identifiers: [class]
    classes: # 0.3 - 0.1, which a computer makes a little less than 0.2
      - {key: [1], values: {0.1: 1, 0.3: 1}, measure: 2/10}
    cases:
      - {parameters: {k: 2, e: 0.2}, satisfied: [true]}
      - {parameters: {k: 2, e: 0.2001}, satisfied: [false]}
"""
