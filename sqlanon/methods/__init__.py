"""The methods, in the order that the documentation lists them. A new one is added here."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from sqlanon.methods.base import (
    FullDomainMethod,
    FullDomainResult,
    Method,
    MultidimensionalMethod,
    PartitionMethod,
    PartitionResult,
)
from sqlanon.methods.datafly import Datafly
from sqlanon.methods.dimension_splitting import DimensionSplitting
from sqlanon.methods.incognito import Incognito
from sqlanon.methods.k_mondrian import KMondrian
from sqlanon.methods.mondrian import Mondrian
from sqlanon.methods.mpalm import Mpalm
from sqlanon.methods.optimal import Optimal
from sqlanon.methods.samarati import Samarati

METHODS: tuple[type[Method], ...] = (
    Optimal, Incognito, Samarati, Datafly, Mondrian, Mpalm, KMondrian, DimensionSplitting,
)  # fmt: skip

AnyMethod = Annotated[
    Annotated[
        Optimal
        | Incognito
        | Samarati
        | Datafly
        | Mondrian
        | Mpalm
        | KMondrian
        | DimensionSplitting,
        Field(discriminator="name"),
    ],
    BeforeValidator(lambda value: {"name": value} if isinstance(value, str) else value),
]
"""What a plan's `method` may be; a bare string is a name."""

__all__ = [
    "METHODS", "AnyMethod", "Datafly", "DimensionSplitting", "FullDomainMethod",
    "FullDomainResult", "Incognito", "KMondrian", "Method", "Mondrian", "Mpalm",
    "MultidimensionalMethod", "Optimal", "PartitionMethod", "PartitionResult", "Samarati",
]  # fmt: skip
