"""k-anonymity, as the tests know it: models/base.py tells what the names mean."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from sqlanon.privacy_models.k_anonymity import KAnonymity
from tests.oracles.models.base import Class, Shares, Tree, Verdict

worst = min


def of_class(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
    return c.size, c.size >= model.k


RANDOM = {"": st.builds(KAnonymity, k=st.integers(2, 6))}
RUNS = {"": lambda r: {"k": r.randint(2, 5)}}
GOLDEN = {"k_anonymity": {"k": 5}}
LEGAL = {"k": 2}
ILLEGAL = {"k": [1, 0, -1, 2.5, "many", None]}
MONOTONE = {"": (True, True)}

TABLES = """
# k-anonymity: the class sizes of the sources (formulas.md, section 1.2), counted by hand.
# A further table or case is a further entry; tests/privacy_models/test_models.py runs them all.
model: k-anonymity
tables:
  - name: TUM seminar on l-diversity, Table 2
    quasi_identifiers: [age, zip]
    classes:
      - {key: ["<60", 752**], values: {any: 3}, measure: 3}
      - {key: ["<60", 753**], values: {any: 3}, measure: 3}
      - {key: [">=60", 752**], values: {any: 3}, measure: 3}
      - {key: [">=60", 753**], values: {any: 3}, measure: 3}
    cases:
      - {parameters: {k: 2}, measured: 3, satisfied: [true, true, true, true]}
      - {parameters: {k: 3}, measured: 3, satisfied: [true, true, true, true]}
      - {parameters: {k: 4}, measured: 3, satisfied: [false, false, false, false]}

  - name: TUM seminar on l-diversity, Table 3
    quasi_identifiers: [age, zip]
    classes:
      - {key: ["<60", 75***], values: {any: 6}, measure: 6}
      - {key: [">=60", 75***], values: {any: 6}, measure: 6}
    cases:
      - {parameters: {k: 6}, measured: 6, satisfied: [true, true]}
      - {parameters: {k: 7}, measured: 6, satisfied: [false, false]}

  - name: Genova slides, table B (Sweeney 2002, Datafly, with BirthDate as a year)
    quasi_identifiers: [race, birth, gender, zip]
    classes: # 2, 2, 2, 1, 1, 2, 2 in the order of its rows
      - {key: [black, "1964", female, "02138"], values: {any: 2}, measure: 2}
      - {key: [black, "1965", female, "02138"], values: {any: 2}, measure: 2}
      - {key: [black, "1965", male, "02141"], values: {any: 2}, measure: 2}
      - {key: [white, "1964", male, "02138"], values: {any: 1}, measure: 1}
      - {key: [white, "1964", male, "02139"], values: {any: 2}, measure: 2}
      - {key: [white, "1965", female, "02139"], values: {any: 1}, measure: 1}
      - {key: [white, "1967", male, "02138"], values: {any: 2}, measure: 2}
    cases:
      - parameters: {k: 2}
        measured: 1
        satisfied: [true, true, true, false, true, false, true]
      - parameters: {k: 3}
        measured: 1
        satisfied: [false, false, false, false, false, false, false]

  - name: a missing value is one more value (formulas.md, section 0)
    quasi_identifiers: [zip, sex]
    classes:
      - {key: ["10", f], values: {any: 2}, measure: 2}
      - {key: ["10", null], values: {any: 1}, measure: 1}
      - {key: [null, f], values: {any: 2}, measure: 2}
      - {key: [null, null], values: {any: 1}, measure: 1}
    cases:
      - {parameters: {k: 2}, measured: 1, satisfied: [true, false, true, false]}
"""
