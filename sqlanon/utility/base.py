"""What every utility measure is: parameters, one template of its name, perhaps a bound.

The template reads the classes of a batch of lattice nodes and returns a cost for each, less being
better, with suppressed rows charged, and a lower bound that no node above can undercut. Measures
whose bound follows from one-way counts alone also give it in Python, so that a search can order
nodes without asking the database.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple

from sqlanon.boundary.part import Part
from sqlanon.sql.render import Expression, render

Cost = tuple[float, ...]
"""A cost to be compared: one number, or several from the most to the least important.

Integers are exact: they are the costs of measures that count.
"""


class ClassSizes(NamedTuple):
    """How large the classes of a publication are, as a reader counts them.

    Attributes:
        class_count: classes.
        smallest: size of the smallest one, in rows, or persons if they are counted; 0 without any.
        total: sum of their sizes.
    """

    class_count: int
    smallest: int
    total: int


@dataclass(frozen=True)
class LevelMeasures:
    """One row of `level_measures`: what a level of an attribute costs without suppression."""

    attribute: str
    level: int
    row_count: int
    value_count: int
    leaf_count: int
    leaf_rows: int
    single_leaf_rows: int
    leaf_logarithms: float
    data_leaf_count: int
    data_leaf_rows: int
    data_single_leaf_rows: int
    entropy_bits: float


@dataclass(frozen=True)
class UtilityContext:
    """What templates of utility measures get, in addition to their own parameters.

    Attributes:
        k: of k-anonymity; 1 without.
        kinds: of the values of each attribute: numeric, date, another, or None if unknown.
        class_values: by counted attribute, the relation of the values in classes.
        classes: the relation of published and suppressed rows by their labels.
    """

    row_count: int | Expression
    limit_rows: int | Expression
    k: int
    words: int
    weights: Mapping[str, float]
    heights: Mapping[str, int]
    kinds: Mapping[str, str | None]
    class_values: Mapping[str, str] = field(default_factory=dict)
    classes: str = "decided_classes"


Regions = Literal["", "classes", "labels", "levels"]
"""What a measure may look at in a partition."""


class UtilityMeasure(Part):
    """A measure of what a publication loses; as an objective, what a search makes small.

    Attributes:
        name: also of the template, with underscores.
        is_standard: whether every manifest reports it; only if no parameter must be given.
        is_whole: whether the cost is a whole number, which is computed and compared exactly.
        one_way: whether `bound` is available.
        more_is_better: whether a high value, as papers print it, means that little is lost.
        on_regions: what it looks at in a partition: the sizes of classes, by the same template;
            what labels cover, or their levels, by another template; or nothing.
        unit: of the cost.
        source: the paper.
    """

    name: str
    is_standard: ClassVar[bool] = True
    is_whole: ClassVar[bool] = False
    one_way: ClassVar[bool] = False
    more_is_better: ClassVar[bool] = False
    on_regions: ClassVar[Regions] = ""
    unit: ClassVar[str]
    source: ClassVar[str]

    @property
    def weighs_rows(self) -> bool:
        """Whether it is a mean of what rows lose, 0 to 1, where a suppressed row loses 1."""
        return False

    def inputs(self, context: UtilityContext) -> dict[str, Any]:
        """Variables for the template."""
        return {
            "row_count": context.row_count,
            "limit_rows": context.limit_rows,
            "words": context.words,
            "classes": context.classes,
            **{key: value for key, value in self if key != "name"},
        }

    def sql(self, context: UtilityContext) -> str:
        """The measure's select over `decided_classes`, one row per node: cost, lower_bound."""
        template = f"utility/{self.name.replace('-', '_')}.sql"
        return render(template, **self.inputs(context))

    def region_sql(self, context: UtilityContext, inputs: Mapping[str, Any]) -> str:
        """The measure's select over the classes of a partition, one row: cost."""
        if self.on_regions == "classes":
            return self.sql(context)
        return render(f"partition/{self.name.replace('-', '_')}.sql", **inputs)

    def bound(
        self, levels: Sequence[LevelMeasures], context: UtilityContext, suppressed_rows: int = 0
    ) -> Cost:
        """What a node with these levels costs at least; only if `one_way`."""
        raise NotImplementedError  # pragma: no cover - asked of one-way measures only

    def raised(self, least: Cost, row_count: int, suppressed_rows: int, limit_rows: int) -> Cost:
        """A lower bound from the classes of a node, for nodes above that suppress rows.

        Args:
            row_count: rows of the input.
            suppressed_rows: how many they suppress at least.
            limit_rows: how many may be suppressed, so that no suppressed class has more.
        """
        return least

    def spread(self, low: LevelMeasures, high: LevelMeasures) -> float:
        """How different two levels of an attribute are, for a search that divides a lattice."""
        return (high.leaf_rows - low.leaf_rows) / high.leaf_count

    def reported(self, cost: Cost) -> float | list[float]:
        """The measure as papers print it, from its cost."""
        return float(cost[0])


def as_cost(value: Any) -> Cost:
    """A cost from a database value: a number or a list of numbers; nothing costs most."""
    if value is None:
        return (float("inf"),)
    if isinstance(value, list):
        return tuple(value)
    return (value if isinstance(value, float) else int(value),)


def largest_gap(cost: Cost, least: Cost) -> float | None:
    """By what share a cost exceeds the lowest possible one at most, rounded up to a thousandth.

    Args:
        least: a lower bound on all costs, `comparable`, so that it may be rounded up.

    Returns:
        None if that is unknown, as with a bound of 0, or has no meaning, as for several numbers.
    """
    (value, *others), bound = cost, least[0]
    if others:
        return None
    if isinstance(bound, float):
        bound -= 1e-9 * max(1.0, bound)
    return math.ceil((value - bound) * 1000 / bound) / 1000 if bound > 0 else None


def comparable(cost: Cost) -> Cost:
    """Integers as they are, other numbers to nine decimals, or from 10 on to ten digits.

    Sums of doubles differ in their last digits with the order of addition, which must not decide
    between nodes. So no cost that is likely, such as a multiple of 1/1024, may lie where numbers
    are rounded up or down.
    """
    return tuple(
        value
        if isinstance(value, int)
        else float(f"{value * (1 + 2.3e-11):.9e}")
        if abs(value) >= 10
        else round(value + 2.3e-10, 9)
        for value in cost
    )
