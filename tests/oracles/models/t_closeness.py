"""t-closeness, as the tests know it: models/base.py says what the names mean."""

import math
from fractions import Fraction
from typing import Any

from tests.oracles.class_relations import Tree, Value
from tests.oracles.models.base import Class, Shares, Verdict, number

worst = max


def of_class(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
    if c.has_several or sum(q.values()) > 1:
        return math.inf, False
    p = c.shares
    extra = {value: p.get(value, Fraction(0)) - q[value] for value in q}
    if model.distance == "ordered":
        distance = ordered(extra)
    elif model.distance == "hierarchical":
        distance = hierarchical(extra, tree)
    else:
        distance = sum((abs(x) for x in extra.values()), Fraction(0)) / 2
    return distance, distance <= Fraction(model.t)


def ordered(extra: Shares) -> Fraction:
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


T = ["0", "0.1", "0.15", "0.25", "0.3", "0.5", "1"]
RANDOM = {name: {"t": T, "distance": name} for name in ("equal", "ordered", "hierarchical")}
RUNS = {
    "equal": {"t": [0.2, 0.3, 0.4]},
    "ordered": {"distance": "ordered", "t": [0.15, 0.2, 0.3]},
    "hierarchical": {"distance": "hierarchical", "t": [0.15, 0.25, 0.3]},
}
GOLDEN = {
    "t_closeness_equal": {"t": 0.2},
    "t_closeness_ordered": {"distance": "ordered", "t": 0.2},
    "t_closeness_hierarchical": {"distance": "hierarchical", "t": 0.2},
}
LEGAL = {"t": 0.2}
ILLEGAL = {"t": [-0.1, 1.1, None], "distance": ["far"]}
TABLES = """
- <<: *drugs
  cases:
    # formulas.md, section 1.5. Measures are distances between class and table: half of
    # (|4-0| + |1-2| + |1-0| + |0-3| + |0-1|) / 12 = 5/12 = 0.41667
    - [{t: 0.4}, [false, false], [5/12, 5/12]]
    - [{t: 0.416666667}, [true, true], [5/12, 5/12]]
- name: Li 2007, salaries of 3k to 11k
  classes:
    # times 9, the sums up to each value differ by 2 4 6 5 4 3 2 1 0: 27 / 9 / 8 = 0.375
    - {key: [1], values: {3000: 1, 4000: 1, 5000: 1}, measure: 3/8}
    # 1 2 3 1 2 0 1 2 0: 12 / 72 = 0.1667
    - {key: [2], values: {6000: 1, 8000: 1, 11000: 1}, measure: 1/6}
    # 1 2 3 4 2 3 1 1 0: 17 / 72
    - {key: [3], values: {7000: 1, 9000: 1, 10000: 1}, measure: 17/72}
  cases:
    - [{distance: ordered, t: 0.2}, [false, true, false]]
    - [{distance: ordered, t: 0.375}, [true, true, true]]
    # all values one apart: each class has three of nine values
    - [{distance: equal, t: 0.6}, [false, false, false], [2/3, 2/3, 2/3]]
- name: Li 2007, the same salaries, class {3k, 5k, 9k}
  reference: {3000: 1, 4000: 1, 5000: 1, 6000: 1, 7000: 1, 8000: 1, 9000: 1, 10000: 1, 11000: 1}
  classes: # 2 1 3 2 1 0 2 1 0: 12 / 72
    - {key: [1], values: {3000: 1, 5000: 1, 9000: 1}, measure: 1/6}
  cases:
    - [{distance: ordered, t: 0.16}, [false]]
    - [{distance: ordered, t: 0.166666667}, [true]]
# Stack and Deal example of the earth mover's distance: P = (.2,.1,.7), Q = (.3,0,.7), R = (.1,0,.9).
# The printed formula has its bars in the wrong place; the printed 0.05, 0.2 and 0.15 are right.
- name: Stack and Deal, distances of Q and R from P
  reference: {1: 2, 2: 1, 3: 7}
  classes: [{key: [Q], values: {1: 3, 3: 7}}, {key: [R], values: {1: 1, 3: 9}}]
  cases:
    - [{distance: ordered, t: 0.1}, [true, false], [5/100, 15/100]]
    - [{distance: equal, t: 0.1}, [true, false], [1/10, 2/10]]
- name: Stack and Deal, distance of Q from R
  reference: {1: 1, 3: 9}
  classes: [{key: [Q], values: {1: 3, 3: 7}, measure: 2/10}]
  cases:
    - [{distance: ordered, t: 0.2}, [true]]
    - [{distance: ordered, t: 0.199}, [false]]
- name: Stack and Deal, Table 2, whose first class has flu alone
  classes: # of zip and age: 1 - 3/9; 1/3 - 2/9 + 2 (1/3 - 1/9), in both others
    - {key: [476**, 2*], values: {Flu: 3}, measure: 6/9}
    - {key: [477**, 3*], values: {Cancer: 1, Pneumonia: 1, Bronchitis: 1}, measure: 5/9}
    - {key: [479**, 4*], values: {Cancer: 1, Ulcer: 1, Cold: 1}, measure: 5/9}
  cases:
    - [{t: 0.666666667}, [true, true, true]]
    - [{t: 0.6}, [false, true, true]]
    - [{t: 0.5}, [false, false, false]]
- name: a hierarchy of height 2, by hand
  hierarchy: {flu: [lung, any], asthma: [lung, any], ulcer: [stomach, any], gastritis: [stomach, any]}
  classes:
    # flu 3/4 too many, the others 1/4 too few: lung levels 1/4 at 1/2, the root 1/2 at 1: 5/8
    - {key: [1], values: {flu: 2}, measure: 5/8}
    - {key: [2], values: {asthma: 2}, measure: 5/8}
    # lung 1/2 too few, stomach 1/2 too many, the same below: the root alone, 1/2
    - {key: [3], values: {ulcer: 2, gastritis: 2}, measure: 1/2}
  cases:
    - [{distance: hierarchical, t: 0.5}, [false, false, true]]
    - [{distance: hierarchical, t: 0.625}, [true, true, true]]
- name: a class that has the table's shares, one value, and none but missing ones
  classes:
    - {key: [1], values: {null: 3}, measure: 0}
    - {key: [null], values: {null: 1}, measure: 0}
  cases:
    - [{t: 0}, [true, true]]
    - [{distance: ordered, t: 0}, [true, true]]
"""
