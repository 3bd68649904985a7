"""The methods, in the order of the documentation; others that the folder holds follow."""

from __future__ import annotations

from typing import Annotated

from sqlanon.methods.base import Method
from sqlanon.registry import OneOf, registered

METHODS = registered(
    Method,
    __name__,
    """
    optimal
    incognito
    samarati
    datafly
    mondrian
    mpalm
    k_mondrian
    dimension_splitting
    stack_and_deal
    bucketization
    anatomy
    slicing
    combined
    """,
)

_ONE = OneOf(METHODS, "name")

AnyMethod = Annotated[Method, _ONE, _ONE.bare_name]
"""What the `method` of a plan may be; a bare string is the name of a method."""
