"""The attacks, in the order of the documentation. New attacks are registered here."""

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
