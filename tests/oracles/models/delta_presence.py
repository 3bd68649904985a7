"""δ-presence, as the tests know it: models/base.py says what the names mean."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from tests.oracles.models.base import Class, Verdict, drawn

worst = max
POPULATION = True


def of_class(model: Any, c: Class, *_: Any) -> Verdict:
    presence = Fraction(c.size, c.population_size)
    return presence, Fraction(model.dmin) <= presence <= Fraction(model.dmax)


def of_bounds(model: Any, classes: Sequence[Class]) -> tuple[dict[str, Any], bool]:
    verdicts = [of_class(model, c) for c in classes]
    chances = [presence for presence, _ in verdicts]
    return {"dmin": min(chances), "dmax": max(chances)}, all(holds for _, holds in verdicts)


BOUNDS = {"": partial(drawn, dmin=["0", "0.25", "0.5"], dmax=["0.6", "0.9", "1"])}
RANDOM = {
    "": {"dmin": 0, "dmax": ["0.25", "0.5", "0.75", "1"]},
    "dmin": {
        "dmin": ["0.1", "0.25", "0.5"], "dmax": ["0.5", "0.75", "1"],
        "suppressed": ["violation", "ignore"],
    },
}  # fmt: skip
RUNS = {
    "": {"dmin": 0, "dmax": [0.5, 0.6, 0.75]},
    "dmin": {"dmin": [0.1, 0.25], "dmax": 0.75, "suppressed": "violation"},
    "ignore": {"dmin": [0.2, 0.3], "dmax": 0.75, "suppressed": "ignore"},
}
GOLDEN = {"delta_presence": {"dmin": 0.1, "dmax": 0.5}}
LEGAL = {"dmin": 0.1, "dmax": 0.9}
ILLEGAL = {"dmin": [-0.1, 0.95, 1.1], "dmax": [1.1, 0.05]}
TABLES = """
# formulas.md, section 1.7. Measures: rows of the table / persons of the population
- name: CPH figures 2.1 and 2.2 at node <Z1,A0>
  classes: # age 27 is Sara's
    - {key: [537*, 25], values: {any: 5}, population: 6, measure: 5/6}
    - {key: [537*, 27], values: {any: 3}, population: 4, measure: 3/4}
  cases:
    - [{dmin: 0.75, dmax: 0.9}, [true, true]]
    - [{dmin: 0, dmax: 0.75}, [false, true]]
    - [{dmin: 0.76, dmax: 0.9}, [true, false]]
- name: CPH figures 2.5 and 2.6 generalized as 2.7
  classes: # Julie and Sara of three; James and Barbara of three
    - {key: [537*, 21-30], values: {any: 2}, population: 3, measure: 2/3}
    - {key: [537*, 31-40], values: {any: 2}, population: 3, measure: 2/3}
  cases:
    - [{dmin: 0, dmax: 0.666666667}, [true, true]]
    - [{dmin: 0, dmax: 0.666666666}, [false, false]]
    - [{dmin: 0.666666666, dmax: 1}, [true, true]]
    - [{dmin: 0.666666667, dmax: 1}, [false, false]]
- name: CPH figures 2.1 and 2.2 at node <Z0,A0>, without Jesper, of whose class no row is published
  classes: # as in figure 2.14
    - {key: ["5370", 25], values: {any: 2}, population: 3, measure: 2/3}
    - {key: ["5370", 27], values: {any: 1}, population: 1, measure: 1}
    - {key: ["5371", 27], values: {any: 2}, population: 2, measure: 1}
    - {key: ["5372", 25], values: {any: 2}, population: 2, measure: 1}
    - {key: ["5373", 25], values: {any: 1}, population: 1, measure: 1}
  cases:
    - [{dmin: 0.1, dmax: 0.9}, [true, false, false, false, false]]
    - [{dmin: 0, dmax: 1}, [true, true, true, true, true]]
"""
