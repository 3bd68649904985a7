"""The methods, in the order that the documentation lists them. A new one is added here."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from sqlanon.methods.base import FullDomainResult, Method
from sqlanon.methods.datafly import Datafly
from sqlanon.methods.incognito import Incognito
from sqlanon.methods.optimal import Optimal
from sqlanon.methods.samarati import Samarati

METHODS: tuple[type[Method], ...] = (Optimal, Incognito, Samarati, Datafly)

AnyMethod = Annotated[
    Annotated[Optimal | Incognito | Samarati | Datafly, Field(discriminator="name")],
    BeforeValidator(lambda value: {"name": value} if isinstance(value, str) else value),
]
"""What a plan's `method` may be; a bare string is a name."""

__all__ = [
    "METHODS", "AnyMethod", "Datafly", "FullDomainResult", "Incognito", "Method", "Optimal",
    "Samarati",
]  # fmt: skip
