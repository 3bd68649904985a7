"""The privacy models, in the order of the documentation; others that the folder holds follow."""

from __future__ import annotations

from typing import Annotated, Any

from sqlanon.privacy_models.base import PrivacyModel
from sqlanon.registry import OneOf

_ONE = OneOf(
    PrivacyModel,
    __name__,
    "model",
    "k_anonymity k_map estimated_k_map alpha_k_anonymity l_diversity t_closeness "
    "delta_presence delta_disclosure beta_likeness k_e_anonymity average_risk "
    "prosecutor_risk journalist_risk marketer_risk special_uniques",
)

PRIVACY_MODELS: tuple[type[PrivacyModel], ...]
"""All of them; only who reads this imports the modules of all."""

AnyPrivacyModel = Annotated[PrivacyModel, _ONE]
"""What a plan's `privacy` list may hold."""


def __getattr__(name: str) -> Any:
    if name == "PRIVACY_MODELS":
        return _ONE.classes
    raise AttributeError(name)
