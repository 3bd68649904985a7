"""The methods, in the order of the documentation; others that the folder holds follow."""

from __future__ import annotations

from typing import Annotated, Any

from sqlanon.methods.base import Method
from sqlanon.registry import OneOf

_ONE = OneOf(
    Method,
    __name__,
    "name",
    "optimal incognito samarati datafly mondrian mpalm k_mondrian dimension_splitting "
    "stack_and_deal bucketization anatomy slicing combined",
    bare="name",
)

METHODS: tuple[type[Method], ...]
"""All of them; only who reads this imports the modules of all."""

AnyMethod = Annotated[Method, _ONE]
"""What the `method` of a plan may be; a bare string is the name of a method."""


def __getattr__(name: str) -> Any:
    if name == "METHODS":
        return _ONE.classes
    raise AttributeError(name)
