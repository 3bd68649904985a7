"""The attacks, in the order that the documentation lists them. A new one is registered here."""

from __future__ import annotations

from sqlanon.attacks.base import Attack
from sqlanon.registry import registered

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
    """,
)
