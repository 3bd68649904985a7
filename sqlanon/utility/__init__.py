"""The utility measures, in the order that reports list them. A new one is added here."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from sqlanon.utility.base import (
    Cost,
    LevelMeasures,
    UtilityContext,
    UtilityMeasure,
    as_cost,
    comparable,
)
from sqlanon.utility.measures import (
    Ambiguity,
    AverageClassSize,
    Classification,
    Discernibility,
    Entropy,
    Height,
    Loss,
    Precision,
)

UTILITY_MEASURES: tuple[type[UtilityMeasure], ...] = (
    Discernibility, AverageClassSize, Loss, Height, Precision, Entropy, Ambiguity, Classification,
)  # fmt: skip

AnyUtilityMeasure = Annotated[
    Annotated[
        Discernibility
        | AverageClassSize
        | Loss
        | Height
        | Precision
        | Entropy
        | Ambiguity
        | Classification,
        Field(discriminator="name"),
    ],
    BeforeValidator(lambda value: {"name": value} if isinstance(value, str) else value),
]
"""What a plan's `objective` may be; a bare string is a name."""

__all__ = [
    "UTILITY_MEASURES", "Ambiguity", "AnyUtilityMeasure", "AverageClassSize", "Classification",
    "Cost", "Discernibility", "Entropy", "Height", "LevelMeasures", "Loss", "Precision",
    "UtilityContext", "UtilityMeasure", "as_cost", "comparable",
]  # fmt: skip
