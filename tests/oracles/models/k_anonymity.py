"""k-anonymity, as the tests know it: models/base.py says what the names mean."""

from typing import Any

from tests.oracles.models.base import Class, Verdict

worst = min


def of_class(model: Any, c: Class, *_: Any) -> Verdict:
    return c.size, c.size >= model.k


RANDOM = {"": {"k": range(2, 7)}}
RUNS = {"": {"k": range(2, 6)}}
GOLDEN = {"k_anonymity": {"k": 5}}
LEGAL = {"k": 2}
ILLEGAL = {"k": [1, 0, -1, 2.5, "many", None]}
MONOTONE = {"": (True, True)}
TABLES = """
- <<: *drugs
  cases:
    # The class sizes of the sources (formulas.md, section 1.2), counted by hand.
    # A further table or case is a further entry; tests/privacy_models/test_models.py runs them all.
    - [{k: 6}, [true, true], [6, 6]]
    - [{k: 7}, [false, false], [6, 6]]
- <<: *risks
  cases:
    - [{k: 3}, [true, true, true, true], [3, 3, 3, 3]]
    - [{k: 4}, [false, false, false, false], [3, 3, 3, 3]]
- name: Genova slides, table B (Sweeney 2002, Datafly, with BirthDate as a year)
  classes: # of race, birth, gender and zip: 2, 2, 2, 1, 1, 2, 2 in the order of its rows
    - {key: [black, "1964", female, "02138"], values: {any: 2}, measure: 2}
    - {key: [black, "1965", female, "02138"], values: {any: 2}, measure: 2}
    - {key: [black, "1965", male, "02141"], values: {any: 2}, measure: 2}
    - {key: [white, "1964", male, "02138"], values: {any: 1}, measure: 1}
    - {key: [white, "1964", male, "02139"], values: {any: 2}, measure: 2}
    - {key: [white, "1965", female, "02139"], values: {any: 1}, measure: 1}
    - {key: [white, "1967", male, "02138"], values: {any: 2}, measure: 2}
  cases:
    - [{k: 2}, [true, true, true, false, true, false, true]]
    - [{k: 3}, [false, false, false, false, false, false, false]]
- name: a missing value is one more value (formulas.md, section 0)
  classes:
    - {key: ["10", f], values: {any: 2}, measure: 2}
    - {key: ["10", null], values: {any: 1}, measure: 1}
    - {key: [null, f], values: {any: 2}, measure: 2}
    - {key: [null, null], values: {any: 1}, measure: 1}
  cases:
    - [{k: 2}, [true, false, true, false]]
"""
