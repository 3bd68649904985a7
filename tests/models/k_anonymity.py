"""k-anonymity, as the tests know it: models/base.py tells what the names mean."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from models.base import Class, Golden, Illegal, Monotone, Random, Runs, Shares, Tree, Verdict
from sqlanon.privacy_models.k_anonymity import KAnonymity

worst = min


def of_class(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
    return c.size, c.size >= model.k


RANDOM: Random = {"": st.builds(KAnonymity, k=st.integers(2, 6))}
RUNS: Runs = {"": lambda r: {"k": r.randint(2, 5)}}
GOLDEN: Golden = {"k_anonymity": {"k": 5}}
LEGAL = {"k": 2}
ILLEGAL: Illegal = {"k": [1, 0, -1, 2.5, "many", None]}
MONOTONE: Monotone = {"": (True, True)}

TABLES = """
# k-anonymity: class sizes as the sources give them (formulas.md, section 1.2, recomputed there).
# The sources' rows are not at hand; the rows here are invented to fall into classes of these sizes.
# A further table or case is a further entry; tests/test_models.py runs them all.
model: k-anonymity
tables:
  - name: TUM seminar on l-diversity, Table 2
    quasi_identifiers: [zip, age]
    rows:
      - [130**, "< 30"]
      - [1485*, ">= 40"]
      - [130**, "3*"]
      - [148**, "< 30"]
      - [130**, "< 30"]
      - [1485*, ">= 40"]
      - [130**, "3*"]
      - [148**, "< 30"]
      - [130**, "< 30"]
      - [1485*, ">= 40"]
      - [130**, "3*"]
      - [148**, "< 30"]
    classes: # class_size by class
      - {key: [130**, "3*"], measure: 3}
      - {key: [130**, "< 30"], measure: 3}
      - {key: [1485*, ">= 40"], measure: 3}
      - {key: [148**, "< 30"], measure: 3}
    cases:
      - {parameters: {k: 2}, measured: 3, satisfied: [true, true, true, true]}
      - {parameters: {k: 3}, measured: 3, satisfied: [true, true, true, true]}
      - {parameters: {k: 4}, measured: 3, satisfied: [false, false, false, false]}

  - name: TUM seminar on l-diversity, Table 3
    quasi_identifiers: [latitude]
    rows: [[48], [49], [48], [49], [48], [49], [48], [49], [48], [49], [48], [49]]
    classes:
      - {key: [48], measure: 6}
      - {key: [49], measure: 6}
    cases:
      - {parameters: {k: 6}, measured: 6, satisfied: [true, true]}
      - {parameters: {k: 7}, measured: 6, satisfied: [false, false]}

  - name: Genova slides, table B (Sweeney 2002, Datafly, with BirthDate as a year)
    quasi_identifiers: [race, birth, gender, zip]
    rows: # the Datafly table of formulas.md, BirthDate one level up
      - [black, "65", m, "02141"]
      - [black, "65", m, "02141"]
      - [black, "65", f, "02138"]
      - [black, "65", f, "02138"]
      - [black, "64", f, "02138"]
      - [black, "64", f, "02138"]
      - [white, "64", m, "02138"]
      - [white, "65", f, "02139"]
      - [white, "64", m, "02139"]
      - [white, "64", m, "02139"]
      - [white, "67", m, "02138"]
      - [white, "67", m, "02138"]
    classes: # 2, 2, 2, 1, 1, 2, 2 in the order of the rows
      - {key: [black, "64", f, "02138"], measure: 2}
      - {key: [black, "65", f, "02138"], measure: 2}
      - {key: [black, "65", m, "02141"], measure: 2}
      - {key: [white, "64", m, "02138"], measure: 1}
      - {key: [white, "64", m, "02139"], measure: 2}
      - {key: [white, "65", f, "02139"], measure: 1}
      - {key: [white, "67", m, "02138"], measure: 2}
    cases:
      - parameters: {k: 2}
        measured: 1
        satisfied: [true, true, true, false, true, false, true]
      - parameters: {k: 3}
        measured: 1
        satisfied: [false, false, false, false, false, false, false]

  - name: a missing value is one more value (formulas.md, section 0)
    quasi_identifiers: [zip, sex]
    rows:
      - [null, f]
      - [null, f]
      - ["10", null]
      - ["10", f]
      - ["10", f]
      - [null, null]
    classes:
      - {key: ["10", f], measure: 2}
      - {key: ["10", null], measure: 1}
      - {key: [null, f], measure: 2}
      - {key: [null, null], measure: 1}
    cases:
      - {parameters: {k: 2}, measured: 1, satisfied: [true, false, true, false]}
"""
