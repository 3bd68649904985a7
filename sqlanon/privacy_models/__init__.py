"""The privacy models, in the order of the documentation; others that the folder holds follow."""

from __future__ import annotations

from typing import Annotated

from sqlanon.privacy_models.base import PrivacyModel
from sqlanon.registry import OneOf, registered

PRIVACY_MODELS = registered(
    PrivacyModel,
    __name__,
    """
    k_anonymity
    k_map
    estimated_k_map
    alpha_k_anonymity
    l_diversity
    t_closeness
    delta_presence
    delta_disclosure
    beta_likeness
    k_e_anonymity
    average_risk
    prosecutor_risk
    journalist_risk
    marketer_risk
    special_uniques
    """,
)

AnyPrivacyModel = Annotated[PrivacyModel, OneOf(PRIVACY_MODELS, "model")]
"""What a plan's `privacy` list may hold."""
