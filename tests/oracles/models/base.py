"""What the modules of this package share: types, and words for their definitions.

A module is named as the model's own, and holds these names:

    worst           `min` or `max`: which of the classes' measures a manifest tells
    of_class        the definition: the measure of a class, and whether it is satisfied
    of_table        the same of all classes together, for a model that judges the whole table
    is_of_table     where there are both: whether parameters make it judge the whole table
    RANDOM          by variant, models of random parameters, for random classes of values "1", "x" …
    RUNS            by variant, random parameters for whole runs; the sensitive values are numbers
    GOLDEN          by golden file, the parameters that it shows
    LEGAL, ILLEGAL  parameters that are allowed; by parameter, values that are not
    MONOTONE        by variant, the flags under generalization and suppression, if not (True, False)
    POPULATION      True where it counts rows of a population
    of_bounds       for a model with two bounds: what is measured of each by its name, and whether
    BOUNDS          both hold; and random parameters for it
    JOINT           False where it refuses `mode: joint`
    BREAKAGES       changes of a template that the comparison with Python must notice: a name, the
                    file, the text and what replaces it, what a publication would be; may be left out
    TABLES          YAML: tables of the paper, by parameters the measure of each class and which
                    are satisfied

A variant is what tells its title from that of others: `l-diversity entropy`; the only one is "".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from tests.oracles.class_relations import Class, Tree, Value

__all__ = [
    "NEAR", "TUM", "Class", "S", "Shares", "T", "Tree", "Value", "Verdict", "decimals",
    "number", "share_above",
]  # fmt: skip

Shares = Mapping[Value, Fraction]
"""Of each value, in the table."""

Verdict = tuple[Any, bool]
"""The measure (an Ellipsis where it has no meaning), and whether the class is satisfied."""

NEAR = 1e-9

S: dict[str, Any] = {"attribute": st.just("s")}
"""The sensitive attribute of random models."""


def decimals(*numbers: str) -> st.SearchStrategy[Decimal]:
    """One of these numbers."""
    return st.sampled_from([Decimal(number) for number in numbers])


def number(value: Value) -> Fraction | None:
    """The number that a value is, if it is one."""
    try:
        return Fraction(value or "x")
    except ValueError:
        return None


def share_above(
    threshold: Decimal, classes: Sequence[Class], size: Callable[[Class], int]
) -> Fraction:
    """The share of rows whose risk, one in `size`, is above the threshold."""
    high = [c.size for c in classes if Fraction(1, size(c)) > Fraction(threshold)]
    return Fraction(sum(high), sum(c.size for c in classes))


T: dict[str, Any] = {"threshold": decimals("0.1", "0.2", "0.25", "0.34", "0.5", "0.75", "1")}
"""The thresholds of random measures of risk."""

TUM = """
  - name: TUM seminar on l-diversity, Table 2
    quasi_identifiers: [zip, age]
    classes: # the population is the table itself, where one is asked for
      - {key: [752**, "<60"], values: {any: 3}, population: 3, measure: 1/3}
      - {key: [752**, ">=60"], values: {any: 3}, population: 3, measure: 1/3}
      - {key: [753**, "<60"], values: {any: 3}, population: 3, measure: 1/3}
      - {key: [753**, ">=60"], values: {any: 3}, population: 3, measure: 1/3}
    cases: # four classes of 12 rows: 4/12
      - {parameters: {threshold: 0.333333334}, satisfied: [true, true, true, true]}
      - {parameters: {threshold: 0.333333}, satisfied: [false, false, false, false]}
"""
"""A table of each measure of risk, which all find the same in it."""
