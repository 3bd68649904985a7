"""(alpha,k)-anonymity, as the tests know it: models/base.py says what the names mean."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from tests.oracles.models.base import LISTED, Class, Verdict, drawn

worst = max
JOINT = False


def of_class(model: Any, c: Class, *_: Any) -> Verdict:
    p = c.shares
    largest = max([p[s] for s in p if not model.values or s in model.values], default=Fraction(0))
    return largest, c.size >= model.k and largest <= Fraction(model.alpha)


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
    "": partial(drawn, alpha=["0.4", "0.5", "0.75", "1"], k=range(2, 5),
                values=[(), ("1", "x"), ("none",)])
}  # fmt: skip
RANDOM = {
    "": {"k": range(2, 5), "alpha": ["0.3", "0.5", "0.75", "1"]},
    "listed": {"k": range(2, 5), "alpha": ["0.2", "0.5"], "values": LISTED},
}
RUNS = {
    "": {"k": range(2, 4), "alpha": [0.5, 0.6, 0.75]},
    "listed": {"k": 2, "alpha": 0.4, "values": ("1", "2")},
}
GOLDEN = {
    "alpha_k_anonymity": {"alpha": 0.5, "k": 5},
    "alpha_k_anonymity.listed": {"alpha": 0.5, "k": 5, "values": ["it's", "flu"]},
}
LEGAL = {"k": 2, "alpha": 0.5}
ILLEGAL = {"k": [1], "alpha": [0, 1.1, -1]}
TABLES = """
- <<: *drugs
  cases:
    # formulas.md, section 1.3. Table 3 has alpha = 4/6 and k = 6: largest shares 4/6 and 3/6
    - [{k: 6, alpha: 0.666666667}, [true, true], [4/6, 3/6]]
    - [{k: 6, alpha: 0.666666666}, [false, true], [4/6, 3/6]]
    - [{k: 7, alpha: 0.7}, [false, false], [4/6, 3/6]]
    # only the listed values are bounded; a class without them has a share of 0
    - [{k: 6, alpha: 0.5, values: [Tamoxifen]}, [false, true], [4/6, 0]]
    - [{k: 6, alpha: 0.2, values: [Pepcid]}, [true, false], [1/6, 2/6]]
"""
