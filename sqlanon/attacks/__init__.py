"""The attacks, in the order of the documentation; others that the folder holds follow."""

from __future__ import annotations

from typing import Annotated

from sqlanon.attacks.base import Attack
from sqlanon.registry import OneOf, registered

ATTACKS = registered(
    Attack,
    __name__,
    """
    linkage
    homogeneity
    background_knowledge
    skewness
    similarity
    membership
    minimality
    intersection
    histories
    """,
)

_ONE = OneOf(ATTACKS, "name")

AnyAttack = Annotated[Attack, _ONE, _ONE.bare_name]
"""What a plan's `attacks` list may hold."""
