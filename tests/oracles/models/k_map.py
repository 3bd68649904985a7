"""k-map, as the tests know it: models/base.py tells what the names mean."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from sqlanon.privacy_models.k_map import KMap
from tests.oracles.models.base import Class, Shares, Tree, Verdict

worst = min
POPULATION = True


def of_class(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
    return c.population_size, c.population_size >= model.k


RANDOM = {"": st.builds(KMap, k=st.integers(2, 9))}
RUNS = {"": lambda r: {"k": r.randint(3, 9)}}
GOLDEN = {"k_map": {"k": 5}}
LEGAL = {"k": 2}
ILLEGAL = {"k": [1, 2.5]}
MONOTONE = {"": (True, True)}

TABLES = """
# k-map: the sheet has no number of its own (formulas.md, section 1.3); CPH's population of figures
# 2.1 and 2.2 has 6 and 4 persons in the classes of age 25 and 27, of whom 5 and 3 are published.
model: k-map
tables:
  - name: CPH figures 2.1 and 2.2 at node <Z1,A0>
    quasi_identifiers: [zip, age]
    classes: # measure: persons of the population
      - {key: [537*, 25], values: {any: 5}, population: 6, measure: 6}
      - {key: [537*, 27], values: {any: 3}, population: 4, measure: 4}
    cases:
      - {parameters: {k: 4}, satisfied: [true, true]}
      - {parameters: {k: 5}, satisfied: [true, false]}
      - {parameters: {k: 7}, satisfied: [false, false]}

  - name: a class of one row that could be three persons, and one of two that are all there are
    quasi_identifiers: [zip]
    classes:
      - {key: [10], values: {any: 1}, population: 3, measure: 3}
      - {key: [20], values: {any: 2}, population: 2, measure: 2}
      - {key: [null], values: {any: 1}, population: 2, measure: 2}
    cases:
      - {parameters: {k: 2}, satisfied: [true, true, true]} # as k-anonymity, the first fails
      - {parameters: {k: 3}, satisfied: [true, false, false]}
"""
