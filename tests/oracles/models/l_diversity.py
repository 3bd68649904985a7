"""l-diversity, as the tests know it: models/base.py says what the names mean."""

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from tests.oracles.models.base import LISTED, NEAR, Class, Verdict, drawn

worst = min


def of_class(model: Any, c: Class, *_: Any) -> Verdict:
    counts = c.counts
    if model.kind == "distinct":  # and for each value one person less without it
        others = min(c.size - n for n in counts.values())
        return min(len(counts), others + 1), len(counts) >= model.l and others >= model.l - 1
    if model.kind == "frequency":
        largest = max(c.shares.values())
        return 1 / largest, largest <= 1 / Fraction(model.l)
    if model.kind == "recursive":
        return recursive(model, c)
    if c.has_several:
        return 0, False
    entropy = -sum(p * math.log(p) for p in c.shares.values())
    return math.exp(entropy), entropy >= math.log(model.l) - NEAR


def recursive(model: Any, c: Class) -> Verdict:
    """As the paper has it, by the rank y of the most frequent value that is not harmless."""
    counts = c.counts
    kept = all(counts[s] >= Fraction(model.c2) * c.size for s in model.never_excluded)
    if model.l == 1:
        return ..., kept
    if c.has_several:
        return 0, False
    ranked = counts.most_common()
    r = [0, *(n for _, n in ranked)]
    y = next((i for i, (s, _) in enumerate(ranked, 1) if s not in model.harmless), 0)
    l = int(model.l)  # noqa: E741
    if not y:
        return None, kept
    rarer = sum(r[l:]) if y <= l - 1 else sum(r[l - 1 : y]) + sum(r[y + 1 :])
    return rarer / r[y], kept and r[y] < Fraction(model.c) * rarer


def of_bounds(model: Any, classes: Sequence[Class]) -> tuple[dict[str, Any], bool]:
    ratios, shares = [], []
    for c in classes:
        counts = Counter(c.values)
        ranked = sorted(counts.values(), reverse=True)
        rarer = sum(ranked[int(model.l) - 1 :])
        ratios.append(Fraction(ranked[0], rarer) if rarer else float("inf"))
        shares += [Fraction(counts[v], len(c.values)) for v in model.never_excluded]
    ratio, share = max(ratios), min(shares)
    return {"c": ratio, "c2": share}, ratio < model.c and share >= Fraction(model.c2)


BOUNDS = {
    "": partial(drawn, kind="recursive", l=[2, 3], c=["1.5", "3"],
                never_excluded=[("1",), ("1", "2")], c2=["0.1", "0.25"])
}  # fmt: skip
LEAST = ["1", "1.5", "2", "2.5", "3"]
RECURSIVE = {"kind": "recursive", "l": range(1, 5), "c": ["0.5", "1", "1.5", "2", "4"]}
RANDOM = {
    "distinct": {"l": range(1, 5)},
    "entropy": {"kind": "entropy", "l": LEAST},
    "frequency": {"kind": "frequency", "l": LEAST},
    "recursive": RECURSIVE,
    "recursive pd": {**RECURSIVE, "harmless": LISTED},
    "recursive npd": {
        **RECURSIVE, "harmless": [(), *LISTED], "c2": ["0.1", "0.25", "0.4"],
        "never_excluded": [("1",), ("1", "2"), ("2", "2")],
    },
}  # fmt: skip
RUNS = {
    "distinct": {"l": range(2, 5)},
    "entropy": {"kind": "entropy", "l": [1.5, 2, 2.5]},
    "frequency": {"kind": "frequency", "l": [1.5, 2, 2.5]},
    "recursive": {"kind": "recursive", "l": range(2, 4), "c": [1, 1.5, 2, 4]},
    "pd": {"kind": "recursive", "l": 2, "c": 1.5, "harmless": ("1", "2")},
    "npd": {"kind": "recursive", "l": 2, "c": 3, "never_excluded": ("1",), "c2": 0.2},
}
GOLDEN = {
    "l_diversity_distinct": {"l": 3},
    "l_diversity_entropy": {"kind": "entropy", "l": 2.5},
    "l_diversity_frequency": {"kind": "frequency", "l": 3},
    "l_diversity_recursive": {"kind": "recursive", "l": 3, "c": 2.5},
    "l_diversity_recursive.pd_npd": {
        "kind": "recursive", "l": 3, "c": 2.5, "harmless": ["it's none"],
        "never_excluded": ["flu", "ulcer"], "c2": 0.1,
    },
}  # fmt: skip
LEGAL = {"kind": "recursive", "l": 2, "c": 3}
ILLEGAL = {"l": [0, 0.5, 2.5, None], "c": [0, -1, None], "kind": ["other"]}
MONOTONE = {"distinct": (True, True)}
TABLES = """
- <<: *drugs
  cases:
    # formulas.md, section 1.4, as corrected there. Measures: values; exp(entropy); recursive:
    # (r_l + ... + r_m) / r_1, so that c must be above its inverse
    - [{kind: distinct, l: 3}, [true, true], [3, 3]]
    - [{kind: distinct, l: 4}, [false, false], [3, 3]]
    # {4,1,1}: H = 0.867563 nats = 0.37678 in tens; the paper rounds to 0.378 and prints 2.387
    - [{kind: entropy, l: 2.3811}, [true, true], [2.381102, 2.749459]]
    - [{kind: entropy, l: 2.387}, [false, true], [2.381102, 2.749459]]
    - [{kind: entropy, l: 2.7494}, [false, true], [2.381102, 2.749459]]
    - [{kind: entropy, l: 2.75}, [false, false], [2.381102, 2.749459]]
    # frequency: 6 rows by 4, and by 3
    - [{kind: frequency, l: 1.5}, [true, true], [6/4, 6/3]]
    - [{kind: frequency, l: 2}, [false, true], [6/4, 6/3]]
    - [{kind: frequency, l: 2.000001}, [false, false], [6/4, 6/3]]
    # l = 2: 4 < c (1 + 1), so c above 2; 3 < c (2 + 1), so c above 1
    - [{kind: recursive, l: 2, c: 2}, [false, true], [2/4, 3/3]]
    - [{kind: recursive, l: 2, c: 2.000001}, [true, true], [2/4, 3/3]]
    - [{kind: recursive, l: 2, c: 1}, [false, false], [2/4, 3/3]]
    # l = 3: 4 < c 1, so c above 4; 3 < c 1, so c above 3; pycanon returns (1,3)
    - [{kind: recursive, l: 3, c: 4}, [false, true], [1/4, 1/3]]
    - [{kind: recursive, l: 3, c: 4.000001}, [true, true], [1/4, 1/3]]
    # fewer than l values: nothing is left to compare with
    - [{kind: recursive, l: 4, c: 1000}, [false, false], [0, 0]]
- name: TUM seminar on l-diversity, Table 4
  classes: [{key: [1], values: {a: 3, b: 2, c: 1, d: 1}, measure: 2/3}]
  cases: # 3 < 2 (1 + 1); the infimum of c, 1.5, is not attained
    - [{kind: recursive, l: 3, c: 2}, [true]]
    - [{kind: recursive, l: 3, c: 1.5}, [false]]
    - [{kind: recursive, l: 3, c: 1.500001}, [true]]
- name: a value that may be disclosed, by hand (pd-recursive)
  classes:
    - {key: [1], values: {none: 5, flu: 2, hiv: 1}}
    - {key: [2], values: {none: 4}}
    - {key: [3], values: {flu: 3, none: 3, hiv: 1}}
  cases:
    # l = 2; block 1: flu is second, after 'none': 2 < c (5 + 1); block 3: 3 < c (3 + 1), whichever
    # of flu and none counts as first; block 2 has nothing to hide, and no measure
    - [{kind: recursive, l: 2, c: 0.5, harmless: [none]}, [true, true, false], [6/2, null, 4/3]]
    - [{kind: recursive, l: 2, c: 0.8, harmless: [none]}, [true, true, true], [6/2, null, 4/3]]
    # l = 3; flu stands no later than second: 2 < c 1, and 3 < c 1
    - [{kind: recursive, l: 3, c: 2, harmless: [none]}, [false, true, false], [1/2, null, 1/3]]
    - [{kind: recursive, l: 3, c: 2.5, harmless: [none]}, [true, true, false], [1/2, null, 1/3]]
    # without it: 5 < c (2 + 1), 4 < c 0, 3 < c (3 + 1)
    - [{kind: recursive, l: 2, c: 2}, [true, false, true], [3/5, 0, 4/3]]
- name: a value that must stay possible, by hand (npd-recursive)
  classes: # hiv: 1 of 8, and none of 3; diversities (2 + 1) / 5 and (1 + 1) / 1
    - {key: [1], values: {none: 5, flu: 2, hiv: 1}, measure: 3/5}
    - {key: [2], values: {none: 1, flu: 1, cold: 1}, measure: 2}
  cases: # flu: 2 of 8
    - [{kind: recursive, l: 2, c: 2, never_excluded: [hiv], c2: 0.125}, [true, false]]
    - [{kind: recursive, l: 2, c: 2, never_excluded: [hiv], c2: 0.126}, [false, false]]
    - [{kind: recursive, l: 2, c: 2, never_excluded: [flu, none], c2: 0.25}, [true, true]]
    - [{kind: recursive, l: 2, c: 2, never_excluded: [flu, none], c2: 0.3}, [false, true]]
- name: a missing value is a value of its own
  classes: [{key: [1], values: {null: 1, flu: 1}}, {key: [null], values: {null: 2}}]
  cases:
    - [{kind: distinct, l: 2}, [true, false], [2, 1]]
    - [{kind: entropy, l: 2}, [true, false], [2, 1]]
"""
