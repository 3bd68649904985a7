"""The methods, in the order that the documentation lists them. A new one is added here."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from sqlanon.methods.anatomy import Anatomy
from sqlanon.methods.base import (
    BucketMethod,
    DealingMethod,
    FullDomainMethod,
    FullDomainResult,
    LabelingMethod,
    Method,
    MultidimensionalMethod,
    PartitionMethod,
    PartitionResult,
    RegionMethod,
)
from sqlanon.methods.bucketization import Bucketization
from sqlanon.methods.combined import Combined
from sqlanon.methods.datafly import Datafly
from sqlanon.methods.dimension_splitting import DimensionSplitting
from sqlanon.methods.incognito import Incognito
from sqlanon.methods.k_mondrian import KMondrian
from sqlanon.methods.mondrian import Mondrian
from sqlanon.methods.mpalm import Mpalm
from sqlanon.methods.optimal import Optimal
from sqlanon.methods.samarati import Samarati
from sqlanon.methods.slicing import Slicing
from sqlanon.methods.stack_and_deal import StackAndDeal

METHODS: tuple[type[Method], ...] = (
    Optimal, Incognito, Samarati, Datafly, Mondrian, Mpalm, KMondrian, DimensionSplitting,
    StackAndDeal, Bucketization, Anatomy, Slicing, Combined,
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
        | DimensionSplitting
        | StackAndDeal
        | Bucketization
        | Anatomy
        | Slicing
        | Combined,
        Field(discriminator="name"),
    ],
    BeforeValidator(lambda value: {"name": value} if isinstance(value, str) else value),
]
"""What a plan's `method` may be; a bare string is a name."""

__all__ = [
    "METHODS", "Anatomy", "AnyMethod", "BucketMethod", "Bucketization", "Combined", "Datafly",
    "DealingMethod", "DimensionSplitting", "FullDomainMethod", "FullDomainResult", "Incognito",
    "KMondrian", "LabelingMethod", "Method", "Mondrian", "Mpalm", "MultidimensionalMethod",
    "Optimal", "PartitionMethod", "PartitionResult", "RegionMethod", "Samarati", "Slicing",
    "StackAndDeal",
]  # fmt: skip
