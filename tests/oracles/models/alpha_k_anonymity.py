"""(alpha,k)-anonymity, as the tests know it: models/base.py tells what the names mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from sqlanon.privacy_models.alpha_k_anonymity import AlphaKAnonymity
from tests.oracles.models.base import Class, S, Shares, Tree, Verdict, decimals

worst = max
JOINT = False


def of_class(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
    p = c.shares
    largest = max([p[s] for s in p if not model.values or s in model.values], default=Fraction(0))
    return largest, c.size >= model.k and largest <= Fraction(model.alpha)


LISTED = st.sampled_from([("1",), ("1", "2"), ("2", "10", "x"), ("absent",)])


def of_bounds(model: Any, classes: Sequence[Class]) -> tuple[dict[str, Any], bool]:
    shares = [
        Fraction(count, len(c.values))
        for c in classes
        for value, count in Counter(c.values).items()
        if not model.values or value in model.values
    ]
    alpha, k = max(shares, default=Fraction(0)), min(c.size for c in classes)
    return {"alpha": alpha, "k": k}, alpha <= Fraction(model.alpha) and k >= model.k


BOUNDS = {
    "": lambda r: {
        "alpha": r.choice(["0.4", "0.5", "0.75", "1"]),
        "k": r.randint(2, 4),
        "values": r.choice([(), ("1", "x"), ("none",)]),
    }
}
RANDOM = {
    "": st.builds(
        AlphaKAnonymity, **S, k=st.integers(2, 4), alpha=decimals("0.3", "0.5", "0.75", "1")
    ),
    "listed": st.builds(
        AlphaKAnonymity, **S, k=st.integers(2, 4), alpha=decimals("0.2", "0.5"), values=LISTED
    ),
}
RUNS = {
    "": lambda r: {"k": r.randint(2, 3), "alpha": r.choice([0.5, 0.6, 0.75])},
    "listed": lambda r: {"k": 2, "alpha": 0.4, "values": ["1", "2"]},
}
GOLDEN = {
    "alpha_k_anonymity": {"alpha": 0.5, "k": 5},
    "alpha_k_anonymity.listed": {"alpha": 0.5, "k": 5, "values": ["it's", "flu"]},
}
LEGAL = {"k": 2, "alpha": 0.5}
ILLEGAL = {"k": [1], "alpha": [0, 1.1, -1]}

TABLES = """
# (alpha,k)-anonymity: formulas.md, section 1.3. Table 3 has alpha = 4/6 and k = 6.
model: alpha-k-anonymity
tables:
  - name: TUM seminar on l-diversity, Table 3
    quasi_identifiers: [age, zip]
    classes: # five drugs, of which each class lacks two
      - {key: [<60, 75***], values: {Tamoxifen: 4, Pepcid: 1, Erythropoietin: 1}}
      - {key: [">=60", 75***], values: {Synthroid: 3, Pepcid: 2, Captopril: 1}}
    cases: # largest shares 4/6 and 3/6
      - {parameters: {k: 6, alpha: 0.666666667}, measures: [4/6, 3/6], satisfied: [true, true]}
      - {parameters: {k: 6, alpha: 0.666666666}, measures: [4/6, 3/6], satisfied: [false, true]}
      - {parameters: {k: 6, alpha: 0.5}, measures: [4/6, 3/6], satisfied: [false, true]}
      - {parameters: {k: 7, alpha: 0.7}, measures: [4/6, 3/6], satisfied: [false, false]}
      # only the listed values are bounded; a class without them has a share of 0
      - {parameters: {k: 6, alpha: 0.5, values: [Tamoxifen]}, measures: [4/6, 0], satisfied: [false, true]}
      - {parameters: {k: 6, alpha: 0.2, values: [Pepcid]}, measures: [1/6, 2/6], satisfied: [true, false]}
"""
