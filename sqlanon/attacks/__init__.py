"""The attacks, in the order that the documentation lists them. A new one is added here."""

from __future__ import annotations

from sqlanon.attacks.background_knowledge import BackgroundKnowledge
from sqlanon.attacks.base import Attack, Outcome, Relations, summary
from sqlanon.attacks.homogeneity import Homogeneity
from sqlanon.attacks.intersection import Intersection
from sqlanon.attacks.linkage import Linkage
from sqlanon.attacks.membership import Membership
from sqlanon.attacks.minimality import Minimality
from sqlanon.attacks.similarity import Similarity
from sqlanon.attacks.skewness import Skewness

ATTACKS: tuple[type[Attack], ...] = (
    Linkage,
    Homogeneity,
    BackgroundKnowledge,
    Skewness,
    Similarity,
    Membership,
    Minimality,
    Intersection,
)

__all__ = [
    "ATTACKS",
    "Attack",
    "BackgroundKnowledge",
    "Homogeneity",
    "Intersection",
    "Linkage",
    "Membership",
    "Minimality",
    "Outcome",
    "Relations",
    "Similarity",
    "Skewness",
    "summary",
]
