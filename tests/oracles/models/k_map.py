"""k-map, as the tests know it: models/base.py says what the names mean."""

from typing import Any

from tests.oracles.models.base import Class, Verdict

worst = min
POPULATION = True


def of_class(model: Any, c: Class, *_: Any) -> Verdict:
    return c.population_size, c.population_size >= model.k


RANDOM = {"": {"k": range(2, 10)}}
RUNS = {"": {"k": range(3, 10)}}
GOLDEN = {"k_map": {"k": 5}}
LEGAL = {"k": 2}
ILLEGAL = {"k": [1, 2.5]}
MONOTONE = {"": (True, True)}
TABLES = """
# The sheet has no number of its own (formulas.md, section 1.3); CPH's population of figures 2.1 and
# 2.2 has 6 and 4 persons in the classes of age 25 and 27, of whom 5 and 3 are published.
- name: CPH figures 2.1 and 2.2 at node <Z1,A0>
  classes: # measure: persons of the population
    - {key: [537*, 25], values: {any: 5}, population: 6, measure: 6}
    - {key: [537*, 27], values: {any: 3}, population: 4, measure: 4}
  cases:
    - [{k: 4}, [true, true]]
    - [{k: 5}, [true, false]]
- name: a class of one row that could be three persons, and one of two that are all there are
  classes:
    - {key: [10], values: {any: 1}, population: 3, measure: 3}
    - {key: [null], values: {any: 2}, population: 2, measure: 2}
  cases:
    - [{k: 2}, [true, true]] # as k-anonymity, the first fails
    - [{k: 3}, [true, false]]
"""
