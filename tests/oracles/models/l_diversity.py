"""l-diversity, as the tests know it: models/base.py tells what the names mean."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from sqlanon.privacy_models.l_diversity import LDiversity
from tests.oracles.models.base import NEAR, Class, S, Shares, Tree, Verdict, decimals

worst = min


def of_class(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
    kinds = {
        "distinct": distinct, "entropy": entropy, "frequency": frequency, "recursive": recursive,
    }  # fmt: skip
    return kinds[model.kind](model, c)


def distinct(model: Any, c: Class) -> Verdict:
    """So many values, and for each of them one person less without it."""
    counts = c.counts
    others = min(c.size - n for n in counts.values())
    return min(len(counts), others + 1), len(counts) >= model.l and others >= model.l - 1


def entropy(model: Any, c: Class) -> Verdict:
    if c.has_several:
        return 0, False
    entropy = -sum(p * math.log(p) for p in c.shares.values())
    return math.exp(entropy), entropy >= math.log(model.l) - NEAR


def frequency(model: Any, c: Class) -> Verdict:
    largest = max(c.shares.values())
    return 1 / largest, largest <= 1 / Fraction(model.l)


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


RECURSIVE: dict[str, Any] = {
    **S,
    "kind": st.just("recursive"),
    "l": st.integers(1, 4).map(Decimal),
    "c": decimals("0.5", "1", "1.5", "2", "4"),
}
LISTED = st.sampled_from([("1",), ("1", "2"), ("2", "10", "x"), ("absent",)])


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
    "": lambda r: {
        "kind": "recursive",
        "l": r.choice([2, 3]),
        "c": r.choice(["1.5", "3"]),
        "never_excluded": r.choice([("1",), ("1", "2")]),
        "c2": r.choice(["0.1", "0.25"]),
    }
}
RANDOM = {
    "distinct": st.builds(LDiversity, **S, l=st.integers(1, 4).map(Decimal)),
    "entropy": st.builds(
        LDiversity, **S, kind=st.just("entropy"), l=decimals("1", "1.5", "2", "2.5", "3")
    ),
    "frequency": st.builds(
        LDiversity, **S, kind=st.just("frequency"), l=decimals("1", "1.5", "2", "2.5", "3")
    ),
    "recursive": st.builds(LDiversity, **RECURSIVE),
    "recursive pd": st.builds(LDiversity, **RECURSIVE, harmless=LISTED),
    "recursive npd": st.builds(
        LDiversity,
        **RECURSIVE,
        harmless=st.one_of(st.just(()), LISTED),
        never_excluded=st.sampled_from([("1",), ("1", "2"), ("2", "2")]),
        c2=decimals("0.1", "0.25", "0.4"),
    ),
}
RUNS = {
    "distinct": lambda r: {"l": r.randint(2, 4)},
    "entropy": lambda r: {"kind": "entropy", "l": r.choice([1.5, 2, 2.5])},
    "frequency": lambda r: {"kind": "frequency", "l": r.choice([1.5, 2, 2.5])},
    "recursive": lambda r: {
        "kind": "recursive", "l": r.randint(2, 3), "c": r.choice([1, 1.5, 2, 4]),
    },
    "pd": lambda r: {"kind": "recursive", "l": 2, "c": 1.5, "harmless": ["1", "2"]},
    "npd": lambda r: {"kind": "recursive", "l": 2, "c": 3, "never_excluded": ["1"], "c2": 0.2},
}  # fmt: skip
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
# l-diversity: formulas.md, section 1.4, as corrected there.
# Measures: distinct: values; entropy: exp(entropy); recursive: (r_l + ... + r_m) / r_1, so that c
# must be above its inverse.
model: l-diversity
tables:
  - name: TUM seminar on l-diversity, Table 3
    quasi_identifiers: [age, zip]
    classes: # five drugs, of which each class lacks two
      - {key: [<60, 75***], values: {Tamoxifen: 4, Pepcid: 1, Erythropoietin: 1}}
      - {key: [">=60", 75***], values: {Synthroid: 3, Pepcid: 2, Captopril: 1}}
    cases:
      - {parameters: {kind: distinct, l: 3}, measures: [3, 3], satisfied: [true, true]}
      - {parameters: {kind: distinct, l: 4}, measures: [3, 3], satisfied: [false, false]}
      # {4,1,1}: H = 0.867563 nats = 0.37678 in tens; the paper rounds to 0.378 and prints 2.387
      - {parameters: {kind: entropy, l: 2}, measures: [2.381102, 2.749459], satisfied: [true, true]}
      - {parameters: {kind: entropy, l: 2.3811}, measures: [2.381102, 2.749459], satisfied: [true, true]}
      - {parameters: {kind: entropy, l: 2.387}, measures: [2.381102, 2.749459], satisfied: [false, true]}
      - {parameters: {kind: entropy, l: 2.7494}, measures: [2.381102, 2.749459], satisfied: [false, true]}
      - {parameters: {kind: entropy, l: 2.75}, measures: [2.381102, 2.749459], satisfied: [false, false]}
      # frequency: 6 rows by 4, and by 3
      - {parameters: {kind: frequency, l: 1.5}, measures: [6/4, 6/3], satisfied: [true, true]}
      - {parameters: {kind: frequency, l: 2}, measures: [6/4, 6/3], satisfied: [false, true]}
      - {parameters: {kind: frequency, l: 2.000001}, measures: [6/4, 6/3], satisfied: [false, false]}
      # l = 2: 4 < c (1 + 1), so c above 2; 3 < c (2 + 1), so c above 1
      - {parameters: {kind: recursive, l: 2, c: 2}, measures: [2/4, 3/3], satisfied: [false, true]}
      - {parameters: {kind: recursive, l: 2, c: 2.000001}, measures: [2/4, 3/3], satisfied: [true, true]}
      - {parameters: {kind: recursive, l: 2, c: 1}, measures: [2/4, 3/3], satisfied: [false, false]}
      # l = 3: 4 < c 1, so c above 4; 3 < c 1, so c above 3; pycanon returns (1,3)
      - {parameters: {kind: recursive, l: 3, c: 4}, measures: [1/4, 1/3], satisfied: [false, true]}
      - {parameters: {kind: recursive, l: 3, c: 4.000001}, measures: [1/4, 1/3], satisfied: [true, true]}
      # fewer than l values: nothing is left to compare with
      - {parameters: {kind: recursive, l: 4, c: 1000}, measures: [0, 0], satisfied: [false, false]}

  - name: TUM seminar on l-diversity, Table 4
    quasi_identifiers: [block]
    classes:
      - {key: [1], values: {a: 3, b: 2, c: 1, d: 1}, measure: 2/3}
    cases: # 3 < 2 (1 + 1); the infimum of c, 1.5, is not attained
      - {parameters: {kind: recursive, l: 3, c: 2}, satisfied: [true]}
      - {parameters: {kind: recursive, l: 3, c: 1.5}, satisfied: [false]}
      - {parameters: {kind: recursive, l: 3, c: 1.500001}, satisfied: [true]}

  - name: a value that may be disclosed, by hand (pd-recursive)
    quasi_identifiers: [block]
    classes:
      - {key: [1], values: {none: 5, flu: 2, hiv: 1}}
      - {key: [2], values: {none: 4}}
      - {key: [3], values: {flu: 3, none: 3, hiv: 1}}
    cases:
      # l = 2; block 1: flu is second, after 'none': 2 < c (5 + 1); block 3: 3 < c (3 + 1), whichever
      # of flu and none counts as first; block 2 has nothing to hide, and no measure
      - parameters: {kind: recursive, l: 2, c: 0.5, harmless: [none]}
        measures: [6/2, null, 4/3]
        satisfied: [true, true, false]
      - parameters: {kind: recursive, l: 2, c: 0.8, harmless: [none]}
        measures: [6/2, null, 4/3]
        satisfied: [true, true, true]
      # l = 3; flu stands no later than second: 2 < c 1, and 3 < c 1
      - parameters: {kind: recursive, l: 3, c: 2, harmless: [none]}
        measures: [1/2, null, 1/3]
        satisfied: [false, true, false]
      - parameters: {kind: recursive, l: 3, c: 2.5, harmless: [none]}
        measures: [1/2, null, 1/3]
        satisfied: [true, true, false]
      # without it: 5 < c (2 + 1), 4 < c 0, 3 < c (3 + 1)
      - parameters: {kind: recursive, l: 2, c: 2}
        measures: [3/5, 0, 4/3]
        satisfied: [true, false, true]

  - name: a value that must stay possible, by hand (npd-recursive)
    quasi_identifiers: [block]
    classes: # hiv: 1 of 8, and none of 3; diversities (2 + 1) / 5 and (1 + 1) / 1
      - {key: [1], values: {none: 5, flu: 2, hiv: 1}, measure: 3/5}
      - {key: [2], values: {none: 1, flu: 1, cold: 1}, measure: 2}
    cases:
      - parameters: {kind: recursive, l: 2, c: 2, never_excluded: [hiv], c2: 0.125}
        satisfied: [true, false]
      - parameters: {kind: recursive, l: 2, c: 2, never_excluded: [hiv], c2: 0.126}
        satisfied: [false, false]
      - parameters: {kind: recursive, l: 2, c: 2, never_excluded: [flu, none], c2: 0.25}
        satisfied: [true, true]
      - parameters: {kind: recursive, l: 2, c: 2, never_excluded: [flu, none], c2: 0.3}
        satisfied: [false, true] # flu: 2 of 8

  - name: a missing value is a value of its own
    quasi_identifiers: [block]
    classes:
      - {key: [1], values: {null: 1, flu: 1}}
      - {key: [null], values: {null: 2}}
    cases:
      - {parameters: {kind: distinct, l: 2}, measures: [2, 1], satisfied: [true, false]}
      - {parameters: {kind: entropy, l: 2}, measures: [2, 1], satisfied: [true, false]}
"""
