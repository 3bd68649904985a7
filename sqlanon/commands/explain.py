"""Explains what a model, method, measure or attack promises or does; the JSON Schema of plans."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from typing import Any, get_args, overload

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

_Explained = type[PrivacyModel | Method | UtilityMeasure | Attack]


@overload
def explain(name: str) -> dict[str, str]: ...


@overload
def explain(name: None = None) -> list[dict[str, str]]: ...


@guarded
def explain(name: str | None = None) -> dict[str, str] | list[dict[str, str]]:
    """What a model, method, measure or attack promises or does, and its source.

    Args:
        name: if None, all names.

    Returns:
        `name`, `kind`, `text`, `source` and `parameters`; of all names `name`, `kind` and
        `summary`, a sentence.

    Raises:
        PlanError: the name is unknown.
    """
    known = _known()
    if name is None:
        return [
            {"name": each, "kind": kind, "summary": _text(cls).partition("\n")[0]}
            for each, (kind, cls) in known.items()
        ]
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
        guarantee += "\nWhere the plan has `unit`, persons are counted in place of rows."
    return {
        "name": name,
        "kind": kind,
        "text": f"{_text(cls)}{guarantee}",
        "source": cls.source,
        "parameters": "\n".join(parameters),
    }


def _known() -> dict[str, tuple[str, _Explained]]:
    """All names, with their kind and class."""
    kinds: tuple[tuple[str, Sequence[_Explained], str], ...] = (
        ("privacy model", PRIVACY_MODELS, "model"),
        ("method", METHODS, "name"),
        ("utility measure", UTILITY_MEASURES, "name"),
        ("attack", ATTACKS, "name"),
    )
    return {
        default_of(cls, field): (kind, cls) for kind, classes, field in kinds for cls in classes
    }


def _text(cls: _Explained) -> str:
    """The docstring, each paragraph and each of its sections, such as `Requires:`, on one line."""
    paragraphs = (inspect.getdoc(cls) or "").split("\n\n")
    return "\n\n".join(re.sub(r"\n(?![A-Z]\w+: )", " ", each) for each in paragraphs)


def _variants(cls: type[PrivacyModel]) -> list[PrivacyModel]:
    """The variants of a model, which its parameters select."""
    about = {"attribute": "attribute"} if "attribute" in cls.model_fields else {}
    return [cls.model_validate({**parameters, **about}) for parameters in cls.reference_bounds]


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
