"""The privacy models, in the order that the documentation lists them. A new one is added here."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from sqlanon.privacy_models.alpha_k_anonymity import AlphaKAnonymity
from sqlanon.privacy_models.average_risk import AverageRisk
from sqlanon.privacy_models.base import PrivacyModel, Relations
from sqlanon.privacy_models.beta_likeness import BetaLikeness
from sqlanon.privacy_models.delta_disclosure import DeltaDisclosure
from sqlanon.privacy_models.delta_presence import DeltaPresence
from sqlanon.privacy_models.journalist_risk import JournalistRisk
from sqlanon.privacy_models.k_anonymity import KAnonymity
from sqlanon.privacy_models.k_e_anonymity import KEAnonymity
from sqlanon.privacy_models.k_map import KMap
from sqlanon.privacy_models.l_diversity import LDiversity
from sqlanon.privacy_models.marketer_risk import MarketerRisk
from sqlanon.privacy_models.prosecutor_risk import ProsecutorRisk
from sqlanon.privacy_models.t_closeness import TCloseness

PRIVACY_MODELS: tuple[type[PrivacyModel], ...] = (
    KAnonymity,
    KMap,
    AlphaKAnonymity,
    LDiversity,
    TCloseness,
    DeltaPresence,
    DeltaDisclosure,
    BetaLikeness,
    KEAnonymity,
    AverageRisk,
    ProsecutorRisk,
    JournalistRisk,
    MarketerRisk,
)

AnyPrivacyModel = Annotated[
    KAnonymity
    | KMap
    | AlphaKAnonymity
    | LDiversity
    | TCloseness
    | DeltaPresence
    | DeltaDisclosure
    | BetaLikeness
    | KEAnonymity
    | AverageRisk
    | ProsecutorRisk
    | JournalistRisk
    | MarketerRisk,
    Field(discriminator="model"),
]
"""What a plan's `privacy` list may hold."""


def of_class_size(k: int) -> PrivacyModel:
    """The promise of k rows a class and nothing else."""
    return KAnonymity(k=k)


def of_distance(attribute: str) -> PrivacyModel:
    """The model that measures how far classes are from the table, and forbids nothing."""
    return TCloseness(attribute=attribute, t=Decimal(1))


__all__ = [
    "PRIVACY_MODELS",
    "AlphaKAnonymity",
    "AnyPrivacyModel",
    "AverageRisk",
    "BetaLikeness",
    "DeltaDisclosure",
    "DeltaPresence",
    "JournalistRisk",
    "KAnonymity",
    "KEAnonymity",
    "KMap",
    "LDiversity",
    "MarketerRisk",
    "PrivacyModel",
    "ProsecutorRisk",
    "Relations",
    "TCloseness",
    "of_class_size",
    "of_distance",
]
