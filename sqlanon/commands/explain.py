"""Explains what a model, method, measure or attack promises or does; the JSON Schema of plans."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, get_args

from sqlanon.attacks import ATTACKS
from sqlanon.attacks.base import Attack
from sqlanon.boundary import guarded
from sqlanon.errors import PlanError, brief, did_you_mean
from sqlanon.methods import METHODS
from sqlanon.methods.base import Method
from sqlanon.plan.plan import Plan
from sqlanon.privacy_models import PRIVACY_MODELS
from sqlanon.privacy_models.base import PrivacyModel
from sqlanon.registry import default_of
from sqlanon.utility.base import UtilityMeasure
from sqlanon.utility.measures import UTILITY_MEASURES


@guarded
def explain(name: str) -> dict[str, str]:
    """What a model, method, measure or attack promises or does, and its source.

    Raises:
        PlanError: the name is unknown.
    """
    kinds: tuple[
        tuple[str, Sequence[type[PrivacyModel | Method | UtilityMeasure | Attack]], str], ...
    ] = (
        ("privacy model", PRIVACY_MODELS, "model"),
        ("method", METHODS, "name"),
        ("utility measure", UTILITY_MEASURES, "name"),
        ("attack", ATTACKS, "name"),
    )
    known = {}
    for kind, classes, field in kinds:
        for cls in classes:
            known[default_of(cls, field)] = (kind, cls)
    if name not in known:
        raise PlanError(
            f"Unknown name '{brief(name)}'.",
            where="explain",
            fix=did_you_mean(name, known),
        )
    kind, cls = known[name]
    parameters = [
        f"{field}: {info.description or _choices(info.annotation)}".rstrip(": ")
        for field, info in cls.model_fields.items()
        if field not in ("name", "model")
    ]
    guarantee = f"\n\nGuarantee: {cls.guarantee}." if issubclass(cls, Method) else ""
    if issubclass(cls, PrivacyModel):
        guarantee = "\n\n" + "\n".join(map(_monotonicity, _variants(cls)))
    return {
        "name": name,
        "kind": kind,
        "text": f"{inspect.getdoc(cls) or ''}{guarantee}",
        "source": cls.source,
        "parameters": "\n".join(parameters),
    }


def _variants(cls: type[PrivacyModel]) -> list[PrivacyModel]:
    """The variants of a model, which its parameters select."""
    about = {"attribute": "attribute"} if "attribute" in cls.model_fields else {}
    return [cls.model_validate({**parameters, **about}) for parameters in cls.yardsticks]


def _monotonicity(model: PrivacyModel) -> str:
    """Whether a model still holds, or suppresses no more rows, further up the lattice."""
    texts = [str(value) for value in model.parameters.values() if isinstance(value, str)]
    variant = "".join(f" ({value})" for value in texts if value != "attribute")
    general, suppressed = (
        "yes" if flag else "no"
        for flag in (model.monotone_under_generalization, model.monotone_under_suppression)
    )
    return f"Monotone{variant}: under generalization {general}, under suppression {suppressed}."


def _choices(annotation: Any) -> str:
    """The values that a parameter may have."""
    return " or ".join(map(str, get_args(annotation)))


@guarded
def schema() -> dict[str, Any]:
    """The JSON Schema of plans, for editors and checks."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Plan.model_json_schema()}
