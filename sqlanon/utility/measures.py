"""The utility measures, in the order that reports list them; each has a template of its name.

A new measure is a class here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from sqlanon.bounds import Count, Number
from sqlanon.registry import OneOf, default_of
from sqlanon.utility.base import Cost, LevelMeasures, Regions, UtilityContext, UtilityMeasure

_SuppressedRows = Annotated[
    Literal["charged", "ignored"],
    Field(description="charged: suppressed rows cost most; ignored: they count as published"),
]


def _ratio_of_leaves(low: LevelMeasures, high: LevelMeasures) -> float:
    """By how much a row stands for more values at the higher level, as a logarithm."""
    return math.log(high.leaf_rows / low.leaf_rows)


class Discernibility(UtilityMeasure):
    """Sum of squared class sizes; every suppressed row costs as much as all rows (DM).

    With `suppressed_rows: ignored`, the sum of squares over all classes (DM*, El Emam 2009).
    """

    is_whole: ClassVar[bool] = True
    on_regions: ClassVar[Regions] = "classes"
    unit: ClassVar[str] = "row pairs"
    source: ClassVar[str] = "Bayardo and Agrawal 2005; El Emam 2009 (DM*)"
    name: Literal["discernibility"] = "discernibility"
    suppressed_rows: _SuppressedRows = "charged"

    def raised(self, least: Cost, row_count: int, suppressed_rows: int, limit_rows: int) -> Cost:
        """A suppressed row costs all rows, of which the bound has those of its class."""
        if self.suppressed_rows == "ignored":
            return least
        return (least[0] + suppressed_rows * (row_count - limit_rows),)

    def spread(self, low: LevelMeasures, high: LevelMeasures) -> float:
        return high.entropy_bits - low.entropy_bits


class AverageClassSize(UtilityMeasure):
    """Published rows per class in multiples of k (C_avg); 1 is the best there is.

    With `suppressed_rows: one-class`, all rows per class, suppressed rows forming one class more.
    """

    on_regions: ClassVar[Regions] = "classes"
    unit: ClassVar[str] = "multiples of k"
    source: ClassVar[str] = "LeFevre, DeWitt and Ramakrishnan 2006"
    name: Literal["average-class-size"] = "average-class-size"
    suppressed_rows: Literal["excluded", "one-class"] = "excluded"
    k: Annotated[Count, Field(ge=1)] | None = Field(
        None, description="divisor; the k of the plan's k-anonymity when not given, or 1 without"
    )

    def inputs(self, context: UtilityContext) -> dict[str, Any]:
        smallest = context.k if context.classes == "decided_classes" else 1
        return {**super().inputs(context), "k": self.k or context.k, "smallest": smallest}

    def spread(self, low: LevelMeasures, high: LevelMeasures) -> float:
        return _ratio_of_leaves(low, high)


class Loss(UtilityMeasure):
    """Share of an attribute's values that a label covers, over all cells; `ncp` takes lengths.

    Suppressed cells cost 1. `variant` chooses between three papers' zeros and scales;
    `generalization_suppression_factor` g weighs the two: below 0.5 a suppressed cell costs its
    label's loss and 2 g of the rest, above 0.5 a kept cell costs 2 (1 - g) of its loss.
    """

    one_way: ClassVar[bool] = True
    on_regions: ClassVar[Regions] = "labels"
    unit: ClassVar[str] = "share, 0 to 1"
    source: ClassVar[str] = "Ghinita 2007; Iyengar 2002 (LM); Xiao and Tao 2006 (ILoss)"
    name: Literal["loss"] = "loss"
    aggregate: Literal["mean", "geometric-mean", "max", "sum", "rank"] = Field(
        "mean", description="over attributes; rank compares the worst first, then the next"
    )
    variant: Annotated[
        Literal["ghinita", "iyengar", "xiao-tao"],
        BeforeValidator(lambda variant: "ghinita" if variant == "ncp" else variant),
    ] = Field("ghinita", description="whose zero and scale; `ncp` is another name of ghinita")
    leaves: Literal["hierarchy", "data"] = Field(
        "hierarchy", description="count the values of the hierarchy, or those the source holds"
    )
    generalization_suppression_factor: Annotated[Number, Field(ge=0, le=1)] = Decimal("0.5")

    @property
    def kept_factor(self) -> Decimal:
        """What a kept cell counts of its loss, 0 to 1."""
        return min(Decimal(1), 2 - 2 * self.generalization_suppression_factor)

    @property
    def suppressed_factor(self) -> Decimal:
        """What a suppressed cell counts of the rest of its domain, 0 to 1."""
        return min(Decimal(1), 2 * self.generalization_suppression_factor)

    @property
    def weighs_rows(self) -> bool:
        even = self.generalization_suppression_factor == Decimal("0.5")
        return even and (self.aggregate, self.leaves, self.variant) == (
            "mean",
            "hierarchy",
            "ghinita",
        )

    def inputs(self, context: UtilityContext) -> dict[str, Any]:
        return {
            **super().inputs(context),
            "kept_factor": self.kept_factor,
            "suppressed_factor": self.suppressed_factor,
            "weights": list(context.weights.items()),
        }

    def bound(
        self, levels: Sequence[LevelMeasures], context: UtilityContext, suppressed_rows: int = 0
    ) -> Cost:
        kept = float(self.kept_factor)
        suppressed = float(self.suppressed_factor) * suppressed_rows / levels[0].row_count
        pairs = [
            (context.weights[m.attribute], self._least_loss(m, kept, suppressed)) for m in levels
        ]
        total = sum(weight for weight, _ in pairs)
        if self.aggregate == "mean":
            return (sum(weight * loss for weight, loss in pairs) / total,)
        if self.aggregate == "geometric-mean":
            return (math.expm1(sum(w * math.log1p(loss) for w, loss in pairs) / total),)
        weighed = sorted((weight * loss for weight, loss in pairs), reverse=True)
        if self.aggregate == "rank":
            return tuple(weighed)
        return (weighed[0] if self.aggregate == "max" else sum(weighed),)

    def _least_loss(self, m: LevelMeasures, kept: float, suppressed: float) -> float:
        """Loss of a level when this share of rows or more is suppressed, 0 to 1, at least.

        A suppressed cell counts at least what it would count if kept, and the suppressed factor,
        by which the share is multiplied. `kept` is the kept factor.
        """
        data = self.leaves == "data"
        leaves = m.data_leaf_count if data else m.leaf_count
        leaf_rows = m.data_leaf_rows if data else m.leaf_rows
        single = m.data_single_leaf_rows if data else m.single_leaf_rows
        counted = leaf_rows - (single if self.variant == "ghinita" else m.row_count)
        most = leaves - (kept if self.variant == "iyengar" else 0)
        if leaves <= 1:  # a single value has nothing to lose, not even when suppressed
            return 0.0
        return max(kept * counted / most / m.row_count, suppressed)

    def reported(self, cost: Cost) -> float | list[float]:
        return list(cost) if self.aggregate == "rank" else cost[0]


class Ncp(UtilityMeasure):
    """Share of an attribute's range that a label covers, over all cells (NCP; its mean is GCP).

    Of numbers and dates it is a length: highest less lowest value below the label, by that of all
    values. Everything else counts by values, as in `loss`. Suppressed cells cost 1. Values are
    numbers or dates if the column's type or its hierarchy says so, or else if all of them are.
    """

    on_regions: ClassVar[Regions] = "labels"
    unit: ClassVar[str] = "share, 0 to 1"
    source: ClassVar[str] = "Ghinita 2007 (NCP, GCP)"
    name: Literal["ncp"] = "ncp"

    def inputs(self, context: UtilityContext) -> dict[str, Any]:
        kinds = {name: kind or "any" for name, kind in context.kinds.items()}
        return {
            **super().inputs(context),
            "scales": [(n, k) for n, k in kinds.items() if k in ("numeric", "date", "any")],
            "weights": list(context.weights.items()),
        }


class Height(UtilityMeasure):
    """Sum of the node's levels."""

    is_whole: ClassVar[bool] = True
    one_way: ClassVar[bool] = True
    unit: ClassVar[str] = "levels"
    source: ClassVar[str] = "Samarati 2001"
    name: Literal["height"] = "height"

    def bound(
        self, levels: Sequence[LevelMeasures], context: UtilityContext, suppressed_rows: int = 0
    ) -> Cost:
        return (sum(m.level for m in levels),)

    def spread(self, low: LevelMeasures, high: LevelMeasures) -> float:
        return _ratio_of_leaves(low, high)


class AverageGeneralization(UtilityMeasure):
    """Levels of the labels, summed over rows and attributes (AG); a suppressed row has the top.

    The thesis calls it average generalization; what it counts is the sum.
    """

    is_whole: ClassVar[bool] = True
    one_way: ClassVar[bool] = True
    on_regions: ClassVar[Regions] = "levels"
    unit: ClassVar[str] = "levels"
    source: ClassVar[str] = "thesis on δ-presence, Copenhagen (AG)"
    name: Literal["average-generalization"] = "average-generalization"

    def inputs(self, context: UtilityContext) -> dict[str, Any]:
        return {**super().inputs(context), "height": sum(context.heights.values())}

    def bound(
        self, levels: Sequence[LevelMeasures], context: UtilityContext, suppressed_rows: int = 0
    ) -> Cost:
        kept = levels[0].row_count - suppressed_rows
        height, top = sum(m.level for m in levels), sum(context.heights.values())
        return (height * kept + top * suppressed_rows,)


class Precision(UtilityMeasure):
    """Prec: 1 minus the mean share of its hierarchy that a cell has climbed; 1 is the best."""

    one_way: ClassVar[bool] = True
    more_is_better: ClassVar[bool] = True
    unit: ClassVar[str] = "share, 0 to 1"
    source: ClassVar[str] = "Sweeney 2002"
    name: Literal["precision"] = "precision"
    suppressed_rows: _SuppressedRows = "charged"

    def inputs(self, context: UtilityContext) -> dict[str, Any]:
        return {**super().inputs(context), "heights": list(context.heights.items())}

    def bound(
        self, levels: Sequence[LevelMeasures], context: UtilityContext, suppressed_rows: int = 0
    ) -> Cost:
        shares = [m.level / (context.heights[m.attribute] or 1) for m in levels]
        return (sum(shares) / len(shares),)

    def reported(self, cost: Cost) -> float | list[float]:
        return 1 - cost[0]


class Entropy(UtilityMeasure):
    """Non-uniform entropy: bits lost on the original values, over rows and attributes.

    Charged, the entropy of the suppressed rows' labels is added.
    """

    one_way: ClassVar[bool] = True
    on_regions: ClassVar[Regions] = "labels"
    unit: ClassVar[str] = "bits"
    source: ClassVar[str] = "Gionis and Tassa 2009"
    name: Literal["entropy"] = "entropy"
    suppressed_rows: _SuppressedRows = "charged"

    def bound(
        self, levels: Sequence[LevelMeasures], context: UtilityContext, suppressed_rows: int = 0
    ) -> Cost:
        return (sum(m.entropy_bits for m in levels),)


class Ambiguity(UtilityMeasure):
    """Mean number of original combinations that a published row could represent.

    The mean of a product is at least the product of geometric means (Jensen), which follow from
    one-way counts: that is its bound.
    """

    one_way: ClassVar[bool] = True
    on_regions: ClassVar[Regions] = "labels"
    unit: ClassVar[str] = "combinations"
    source: ClassVar[str] = "Nergiz and Clifton 2007"
    name: Literal["ambiguity"] = "ambiguity"

    def bound(
        self, levels: Sequence[LevelMeasures], context: UtilityContext, suppressed_rows: int = 0
    ) -> Cost:
        least = math.exp(sum(m.leaf_logarithms / m.row_count for m in levels))
        return (least * (1 - 1e-12),)


class Distribution(UtilityMeasure):
    """How far each column's shares of values are from what a reader of the labels reconstructs.

    A reader spreads the published rows of a label evenly over the values of the hierarchy that it
    covers; the distance is the total variation, half the sum of the differences of the shares: the
    share of rows that would have to have another value. Suppressed and masked rows are not counted
    as a reader does not have them, but the source's shares are those of all rows.
    """

    on_regions: ClassVar[Regions] = "labels"
    unit: ClassVar[str] = "share, 0 to 1"
    source: ClassVar[str] = "total variation; Xiao and Tao 2006, section 3 (the even spread)"
    name: Literal["distribution"] = "distribution"

    def inputs(self, context: UtilityContext) -> dict[str, Any]:
        return {**super().inputs(context), "weights": list(context.weights.items())}


class Classification(UtilityMeasure):
    """Share of rows suppressed or with another label than most of their class."""

    is_standard: ClassVar[bool] = False
    unit: ClassVar[str] = "share, 0 to 1"
    source: ClassVar[str] = "Iyengar 2002"
    name: Literal["classification"] = "classification"
    attribute: str = Field(description="the column with the label to be predicted")

    def inputs(self, context: UtilityContext) -> dict[str, Any]:
        class_values = context.class_values[self.attribute]
        return {**super().inputs(context), "class_values": class_values}


_ONE = OneOf(UtilityMeasure, "sqlanon.utility", "name", "measures", bare="name")

AnyUtilityMeasure = Annotated[UtilityMeasure, _ONE]
"""What a plan's `objective` may be; a bare string is a name."""

UTILITY_MEASURES = tuple(_ONE.in_module("measures"))
"""The measures, in the order of this module."""

STANDARD_MEASURES = tuple(
    cls.model_construct(name=default_of(cls, "name")) for cls in UTILITY_MEASURES if cls.is_standard
)
"""The measures that every manifest reports, with their default parameters."""
