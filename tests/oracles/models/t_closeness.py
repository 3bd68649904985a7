"""t-closeness, as the tests know it: models/base.py tells what the names mean."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from sqlanon.privacy_models.t_closeness import TCloseness
from tests.oracles.models.base import Class, S, Shares, Tree, Value, Verdict, decimals, number

worst = max


def of_class(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
    distances = {"equal": equal, "ordered": ordered, "hierarchical": hierarchical}
    if c.has_several or sum(q.values()) > 1:
        return math.inf, False
    p = c.shares
    extra = {value: p.get(value, Fraction(0)) - q[value] for value in q}
    distance = distances[model.distance](extra, tree)
    return distance, distance <= Fraction(model.t)


def equal(extra: Shares, tree: Tree) -> Fraction:
    return sum((abs(x) for x in extra.values()), Fraction(0)) / 2


def ordered(extra: Shares, tree: Tree) -> Fraction:
    def place(value: Value) -> tuple[bool, Fraction, bool, str]:
        return number(value) is None, number(value) or Fraction(0), value is None, value or ""

    in_order = [extra[value] for value in sorted(extra, key=place)]
    moved = [abs(sum(in_order[: i + 1], Fraction(0))) for i in range(len(in_order))]
    return sum(moved, Fraction(0)) / max(len(moved) - 1, 1)


def hierarchical(extra: Shares, tree: Tree) -> Fraction:
    """As the paper has it: from the leaves up, each node levels what its children can exchange."""
    top = len(next(iter(tree.values()))) - 1
    below = {tree[value]: amount for value, amount in extra.items()}
    total = Fraction(0)
    for height in range(1, top + 1):
        children: dict[tuple[Value, ...], list[Fraction]] = {}
        for path, amount in below.items():
            children.setdefault(path[1:], []).append(amount)
        for amounts in children.values():
            plus = sum((x for x in amounts if x > 0), Fraction(0))
            minus = sum((-x for x in amounts if x < 0), Fraction(0))
            total += Fraction(height, top) * min(plus, minus)
        below = {path: sum(amounts, Fraction(0)) for path, amounts in children.items()}
    return total


CLOSE: dict[str, Any] = {**S, "t": decimals("0", "0.1", "0.15", "0.25", "0.3", "0.5", "1")}
RANDOM = {
    "equal": st.builds(TCloseness, **CLOSE),
    "ordered": st.builds(TCloseness, **CLOSE, distance=st.just("ordered")),
    "hierarchical": st.builds(TCloseness, **CLOSE, distance=st.just("hierarchical")),
}
RUNS = {
    "equal": lambda r: {"t": r.choice([0.2, 0.3, 0.4])},
    "ordered": lambda r: {"distance": "ordered", "t": r.choice([0.15, 0.2, 0.3])},
    "hierarchical": lambda r: {"distance": "hierarchical", "t": r.choice([0.15, 0.25, 0.3])},
}
GOLDEN = {
    "t_closeness_equal": {"t": 0.2},
    "t_closeness_ordered": {"distance": "ordered", "t": 0.2},
    "t_closeness_hierarchical": {"distance": "hierarchical", "t": 0.2},
}
LEGAL = {"t": 0.2}
ILLEGAL = {"t": [-0.1, 1.1, None], "distance": ["far"]}

TABLES = """
# t-closeness: formulas.md, section 1.5. Measures are distances between class and table.
model: t-closeness
tables:
  - name: TUM seminar on l-diversity, Table 3
    quasi_identifiers: [age, zip]
    classes: # five drugs, of which each class lacks two
      - {key: [<60, 75***], values: {Tamoxifen: 4, Pepcid: 1, Erythropoietin: 1}}
      - {key: [">=60", 75***], values: {Synthroid: 3, Pepcid: 2, Captopril: 1}}
    cases: # half of (|4-0| + |1-2| + |1-0| + |0-3| + |0-1|) / 12 = 5/12 = 0.41667
      - {parameters: {t: 0.4}, measures: [5/12, 5/12], satisfied: [false, false]}
      - {parameters: {t: 0.416666667}, measures: [5/12, 5/12], satisfied: [true, true]}

  - name: Li 2007, salaries of 3k to 11k
    quasi_identifiers: [class]
    classes:
      # times 9, the sums up to each value differ by 2 4 6 5 4 3 2 1 0: 27 / 9 / 8 = 0.375
      - {key: [1], values: {3000: 1, 4000: 1, 5000: 1}, measure: 3/8}
      # 1 2 3 1 2 0 1 2 0: 12 / 72 = 0.1667
      - {key: [2], values: {6000: 1, 8000: 1, 11000: 1}, measure: 1/6}
      # 1 2 3 4 2 3 1 1 0: 17 / 72
      - {key: [3], values: {7000: 1, 9000: 1, 10000: 1}, measure: 17/72}
    cases:
      - {parameters: {distance: ordered, t: 0.2}, satisfied: [false, true, false]}
      - {parameters: {distance: ordered, t: 0.375}, satisfied: [true, true, true]}
      # all values one apart: each class has three of nine values
      - parameters: {distance: equal, t: 0.6}
        measures: [2/3, 2/3, 2/3]
        satisfied: [false, false, false]

  - name: Li 2007, the same salaries, class {3k, 5k, 9k}
    quasi_identifiers: [class]
    reference: {3000: 1, 4000: 1, 5000: 1, 6000: 1, 7000: 1, 8000: 1, 9000: 1, 10000: 1, 11000: 1}
    classes: # 2 1 3 2 1 0 2 1 0: 12 / 72
      - {key: [1], values: {3000: 1, 5000: 1, 9000: 1}, measure: 1/6}
    cases:
      - {parameters: {distance: ordered, t: 0.16}, satisfied: [false]}
      - {parameters: {distance: ordered, t: 0.166666667}, satisfied: [true]}

  # Stack and Deal example of the earth mover's distance: P = (.2,.1,.7), Q = (.3,0,.7), R = (.1,0,.9). The printed formula has its bars
  # in the wrong place; the printed distances 0.05, 0.2 and 0.15 are right.
  - name: Stack and Deal, distances of Q and R from P
    quasi_identifiers: [class]
    reference: {1: 2, 2: 1, 3: 7}
    classes:
      - {key: [Q], values: {1: 3, 3: 7}}
      - {key: [R], values: {1: 1, 3: 9}}
    cases:
      - {parameters: {distance: ordered, t: 0.1}, measures: [5/100, 15/100], satisfied: [true, false]}
      - {parameters: {distance: equal, t: 0.1}, measures: [1/10, 2/10], satisfied: [true, false]}
      - {parameters: {distance: equal, t: 0.2}, measures: [1/10, 2/10], satisfied: [true, true]}

  - name: Stack and Deal, distance of Q from R
    quasi_identifiers: [class]
    reference: {1: 1, 3: 9}
    classes:
      - {key: [Q], values: {1: 3, 3: 7}, measure: 2/10}
    cases:
      - {parameters: {distance: ordered, t: 0.2}, satisfied: [true]}
      - {parameters: {distance: ordered, t: 0.199}, satisfied: [false]}
      - {parameters: {distance: equal, t: 0.2}, satisfied: [true]}

  - name: Stack and Deal, Table 2, whose first class has flu alone
    quasi_identifiers: [zip, age]
    classes: # 1 - 3/9; 1/3 - 2/9 + 2 (1/3 - 1/9), in both others
      - {key: [476**, 2*], values: {Flu: 3}, measure: 6/9}
      - {key: [477**, 3*], values: {Cancer: 1, Pneumonia: 1, Bronchitis: 1}, measure: 5/9}
      - {key: [479**, 4*], values: {Cancer: 1, Ulcer: 1, Cold: 1}, measure: 5/9}
    cases:
      - {parameters: {t: 0.666666667}, satisfied: [true, true, true]}
      - {parameters: {t: 0.6}, satisfied: [false, true, true]}
      - {parameters: {t: 0.5}, satisfied: [false, false, false]}

  - name: a hierarchy of height 2, by hand
    quasi_identifiers: [class]
    hierarchy: {flu: [lung, any], asthma: [lung, any], ulcer: [stomach, any], gastritis: [stomach, any]}
    classes:
      # flu 3/4 too many, the others 1/4 too few: lung levels 1/4 at 1/2, the root 1/2 at 1: 5/8
      - {key: [1], values: {flu: 2}, measure: 5/8}
      - {key: [2], values: {asthma: 2}, measure: 5/8}
      # lung 1/2 too few, stomach 1/2 too many, the same below: the root alone, 1/2
      - {key: [3], values: {ulcer: 2, gastritis: 2}, measure: 1/2}
    cases:
      - {parameters: {distance: hierarchical, t: 0.5}, satisfied: [false, false, true]}
      - {parameters: {distance: hierarchical, t: 0.625}, satisfied: [true, true, true]}

  - name: a class that has the table's shares, one value, and none but missing ones
    quasi_identifiers: [class]
    classes:
      - {key: [1], values: {null: 3}, measure: 0}
      - {key: [null], values: {null: 1}, measure: 0}
    cases:
      - {parameters: {t: 0}, satisfied: [true, true]}
      - {parameters: {distance: ordered, t: 0}, satisfied: [true, true]}
"""
