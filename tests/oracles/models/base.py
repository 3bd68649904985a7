"""What the modules of this package share: types, and words for their definitions.

A module is named as the model's own, and holds these names:

    worst           `min` or `max`: which of the classes' measures a manifest tells
    of_class        the definition: the measure of a class, and whether it is satisfied
    of_table        the same of all classes together, for a model that judges the whole table; a
                    model with both judges it so if `share` is above 0
    RANDOM          by variant, random parameters for random classes of values "1", "x" …
    RUNS            by variant, random parameters for whole runs; the sensitive values are numbers
    GOLDEN          by golden file, the parameters that it shows
    LEGAL, ILLEGAL  parameters that are allowed; by parameter, values that are not
    MONOTONE        by variant, the flags under generalization and suppression, if not (True, False)
    POPULATION      True where it counts rows of a population
    of_bounds       for a model with two bounds: what is measured of each by its name, and whether
    BOUNDS          both hold; and random parameters for it
    JOINT           False where it refuses `mode: joint`
    TABLES          YAML: tables of the paper; a case has parameters, which classes are satisfied,
                    and their measures, if the classes do not say them

A variant is what tells its title from that of others: `l-diversity entropy`; the only one is "".
Of random parameters a list or a range has the choices; all else is as it stands.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from tests.oracles.class_relations import Class as Class
from tests.oracles.class_relations import Value

Shares = Mapping[Value, Fraction]
"""Of each value, in the table."""

Verdict = tuple[Any, bool]
"""The measure (an Ellipsis where it has no meaning), and whether the class is satisfied."""

NEAR = 1e-9
LISTED = [("1",), ("1", "2"), ("2", "10", "x"), ("absent",)]
RISKS = ["0.1", "0.2", "0.25", "0.34", "0.5", "0.75", "1"]


def drawn(choose: random.Random, /, **given: Any) -> dict[str, Any]:
    """Random parameters as a plan has them."""
    chosen = {
        name: choose.choice(value) if isinstance(value, list | range) else value
        for name, value in given.items()
    }
    return {n: list(value) if isinstance(value, tuple) else value for n, value in chosen.items()}


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


SHARED = """
- &risks
  name: TUM seminar on l-diversity, Table 2
  classes: # of zip and age; the population is the table itself, where one is asked for
    - {key: [752**, "<60"], values: {any: 3}, population: 3, measure: 1/3}
    - {key: [752**, ">=60"], values: {any: 3}, population: 3, measure: 1/3}
    - {key: [753**, "<60"], values: {any: 3}, population: 3, measure: 1/3}
    - {key: [753**, ">=60"], values: {any: 3}, population: 3, measure: 1/3}
  cases: # four classes of 12 rows: 4/12
    - [{threshold: 0.333333334}, [true, true, true, true]]
    - [{threshold: 0.333333}, [false, false, false, false]]
- &drugs
  name: TUM seminar on l-diversity, Table 3
  classes: # of age and zip: five drugs, of which each class lacks two
    - {key: [<60, 75***], values: {Tamoxifen: 4, Pepcid: 1, Erythropoietin: 1}}
    - {key: [">=60", 75***], values: {Synthroid: 3, Pepcid: 2, Captopril: 1}}
"""
"""Tables of which the modules of several models tell what is measured in them."""
