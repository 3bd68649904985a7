"""δ-presence, as the tests know it: models/base.py tells what the names mean."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from sqlanon.privacy_models.delta_presence import DeltaPresence
from tests.oracles.models.base import Class, Shares, Tree, Verdict, decimals

worst = max
POPULATION = True


def of_class(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
    presence = Fraction(c.size, c.population_size)
    return presence, Fraction(model.dmin) <= presence <= Fraction(model.dmax)


def of_bounds(model: Any, classes: Sequence[Class]) -> tuple[dict[str, Any], bool]:
    chances = [Fraction(c.size, c.population_size) for c in classes]
    low, high = min(chances), max(chances)
    holds = Fraction(model.dmin) <= low and high <= Fraction(model.dmax)
    return {"dmin": low, "dmax": high}, holds


BOUNDS = {
    "": lambda r: {"dmin": r.choice(["0", "0.25", "0.5"]), "dmax": r.choice(["0.6", "0.9", "1"])}
}
RANDOM = {
    "": st.builds(
        DeltaPresence, dmin=st.just(Decimal(0)), dmax=decimals("0.25", "0.5", "0.75", "1")
    ),
    "dmin": st.builds(
        DeltaPresence,
        dmin=decimals("0.1", "0.25", "0.5"),
        dmax=decimals("0.5", "0.75", "1"),
        suppressed=st.sampled_from(["violation", "ignore"]),
    ),
}
RUNS = {
    "": lambda r: {"dmin": 0, "dmax": r.choice([0.5, 0.6, 0.75])},
    "dmin": lambda r: {"dmin": r.choice([0.1, 0.25]), "dmax": 0.75, "suppressed": "violation"},
    "ignore": lambda r: {"dmin": r.choice([0.2, 0.3]), "dmax": 0.75, "suppressed": "ignore"},
}
GOLDEN = {"delta_presence": {"dmin": 0.1, "dmax": 0.5}}
LEGAL = {"dmin": 0.1, "dmax": 0.9}
ILLEGAL = {"dmin": [-0.1, 0.95, 1.1], "dmax": [1.1, 0.05]}

TABLES = """
# delta-presence: formulas.md, section 1.7. Measures: rows of the table / persons of the population.
model: delta-presence
tables:
  - name: CPH figures 2.1 and 2.2 at node <Z1,A0>
    quasi_identifiers: [zip, age]
    classes: # age 27 is Sara's
      - {key: [537*, 25], values: {any: 5}, population: 6, measure: 5/6}
      - {key: [537*, 27], values: {any: 3}, population: 4, measure: 3/4}
    cases:
      - {parameters: {dmin: 0.1, dmax: 0.9}, satisfied: [true, true]}
      - {parameters: {dmin: 0, dmax: 0.75}, satisfied: [false, true]}
      - {parameters: {dmin: 0.75, dmax: 0.9}, satisfied: [true, true]}
      - {parameters: {dmin: 0.76, dmax: 0.9}, satisfied: [true, false]}
      - {parameters: {dmin: 0, dmax: 0.74}, satisfied: [false, false]}

  - name: CPH figures 2.5 and 2.6 generalized as 2.7
    quasi_identifiers: [zip, age]
    classes: # Julie and Sara of three; James and Barbara of three
      - {key: [537*, 21-30], values: {any: 2}, population: 3, measure: 2/3}
      - {key: [537*, 31-40], values: {any: 2}, population: 3, measure: 2/3}
    cases:
      - {parameters: {dmin: 0, dmax: 0.666666667}, satisfied: [true, true]}
      - {parameters: {dmin: 0, dmax: 0.666666666}, satisfied: [false, false]}
      - {parameters: {dmin: 0.666666666, dmax: 1}, satisfied: [true, true]}
      - {parameters: {dmin: 0.666666667, dmax: 1}, satisfied: [false, false]}

  - name: CPH figures 2.1 and 2.2 at node <Z0,A0>, without Jesper, of whose class no row is published
    quasi_identifiers: [zip, age]
    classes: # as in figure 2.14
      - {key: ["5370", 25], values: {any: 2}, population: 3, measure: 2/3}
      - {key: ["5370", 27], values: {any: 1}, population: 1, measure: 1}
      - {key: ["5371", 27], values: {any: 2}, population: 2, measure: 1}
      - {key: ["5372", 25], values: {any: 2}, population: 2, measure: 1}
      - {key: ["5373", 25], values: {any: 1}, population: 1, measure: 1}
    cases:
      - {parameters: {dmin: 0.1, dmax: 0.9}, satisfied: [true, false, false, false, false]}
      - {parameters: {dmin: 0, dmax: 1}, satisfied: [true, true, true, true, true]}
"""
