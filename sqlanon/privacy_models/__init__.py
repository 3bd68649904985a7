"""The privacy models, in the order that the documentation lists them. A new one is added here."""

from __future__ import annotations

from sqlanon.privacy_models.base import PrivacyModel
from sqlanon.privacy_models.k_anonymity import KAnonymity

PRIVACY_MODELS: tuple[type[PrivacyModel], ...] = (KAnonymity,)

AnyPrivacyModel = KAnonymity
"""What a plan's `privacy` list may hold."""

__all__ = ["PRIVACY_MODELS", "AnyPrivacyModel", "KAnonymity", "PrivacyModel"]
