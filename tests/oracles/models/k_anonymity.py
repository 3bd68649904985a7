"""k-anonymity, as the tests know it: models/base.py tells what the names mean."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from sqlanon.privacy_models.k_anonymity import KAnonymity
from tests.oracles.models.base import (
    Class,
    Golden,
    Illegal,
    Monotone,
    Random,
    Runs,
    Shares,
    Tree,
    Verdict,
)

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
# k-anonymity: the rows as the sources print them; class sizes: formulas.md, section 1.2.
# A further table or case is a further entry; tests/privacy_models/test_models.py runs them all.
model: k-anonymity
tables:
  - name: TUM seminar on l-diversity, Table 2
    quasi_identifiers: [age, zip]
    rows:
      - ["<60", 752**]
      - ["<60", 752**]
      - ["<60", 752**]
      - [">=60", 752**]
      - [">=60", 752**]
      - [">=60", 752**]
      - ["<60", 753**]
      - ["<60", 753**]
      - ["<60", 753**]
      - [">=60", 753**]
      - [">=60", 753**]
      - [">=60", 753**]
    classes: # class_size by class
      - {key: ["<60", 752**], measure: 3}
      - {key: ["<60", 753**], measure: 3}
      - {key: [">=60", 752**], measure: 3}
      - {key: [">=60", 753**], measure: 3}
    cases:
      - {parameters: {k: 2}, measured: 3, satisfied: [true, true, true, true]}
      - {parameters: {k: 3}, measured: 3, satisfied: [true, true, true, true]}
      - {parameters: {k: 4}, measured: 3, satisfied: [false, false, false, false]}

  - name: TUM seminar on l-diversity, Table 3
    quasi_identifiers: [age, zip]
    rows:
      - ["<60", 75***]
      - ["<60", 75***]
      - ["<60", 75***]
      - ["<60", 75***]
      - ["<60", 75***]
      - ["<60", 75***]
      - [">=60", 75***]
      - [">=60", 75***]
      - [">=60", 75***]
      - [">=60", 75***]
      - [">=60", 75***]
      - [">=60", 75***]
    classes:
      - {key: ["<60", 75***], measure: 6}
      - {key: [">=60", 75***], measure: 6}
    cases:
      - {parameters: {k: 6}, measured: 6, satisfied: [true, true]}
      - {parameters: {k: 7}, measured: 6, satisfied: [false, false]}

  - name: Genova slides, table B (Sweeney 2002, Datafly, with BirthDate as a year)
    quasi_identifiers: [race, birth, gender, zip]
    rows:
      - [black, "1965", male, "02141"]
      - [black, "1965", male, "02141"]
      - [black, "1965", female, "02138"]
      - [black, "1965", female, "02138"]
      - [black, "1964", female, "02138"]
      - [black, "1964", female, "02138"]
      - [white, "1964", male, "02138"]
      - [white, "1965", female, "02139"]
      - [white, "1964", male, "02139"]
      - [white, "1964", male, "02139"]
      - [white, "1967", male, "02138"]
      - [white, "1967", male, "02138"]
    classes: # 2, 2, 2, 1, 1, 2, 2 in the order of the rows
      - {key: [black, "1964", female, "02138"], measure: 2}
      - {key: [black, "1965", female, "02138"], measure: 2}
      - {key: [black, "1965", male, "02141"], measure: 2}
      - {key: [white, "1964", male, "02138"], measure: 1}
      - {key: [white, "1964", male, "02139"], measure: 2}
      - {key: [white, "1965", female, "02139"], measure: 1}
      - {key: [white, "1967", male, "02138"], measure: 2}
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
