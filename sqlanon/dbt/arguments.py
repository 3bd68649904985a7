"""The parameters of privacy models as arguments of dbt tests, with the bounds of their fields."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Literal, NamedTuple, get_args, get_origin

from pydantic.fields import FieldInfo

from sqlanon.privacy_models.base import PrivacyModel


class Argument(NamedTuple):
    """An argument of a test.

    Attributes:
        default: as Jinja has it; `none` if the argument must be given, too.
        kind: its type, as dbt calls it.
        told: what it is, in words.
        check: a call that refuses what it may not be; empty if nothing is to be checked.
        example: a value of it, where it must be given.
    """

    name: str
    default: str
    kind: str
    told: str
    check: str
    example: str = ""


def parameter(cls: type[PrivacyModel], test: str, name: str) -> Argument:
    """The argument for a field of a model."""
    field = cls.model_fields[name]
    told = field.description or _described(field)
    common = f'"{test}", "{name}", {name}'
    example = str(cls.yardsticks[0].get(name, "")) if field.is_required() else ""
    if get_origin(field.annotation) is Literal:
        choices = list(get_args(field.annotation))
        check = f"check_choice({common}, {json.dumps(choices)})"
        return Argument(name, json.dumps(field.default), "string", told, check, example)
    if get_origin(field.annotation) is tuple:
        return Argument(name, "[]", "list[string]", told, f"check_list({common})", example)
    bounds = ", ".join(f"{key}={value}" for key, value in _bounds(field).items())
    if int in (field.annotation, *get_args(field.annotation)):
        bounds += ", whole=true"
    if not field.is_required() and field.default is None:
        bounds += ", optional=true"
    expected = json.dumps(_expected(field))
    default = "none" if field.default is None or field.is_required() else str(field.default)
    kind = "integer" if "whole" in bounds else "float"
    return Argument(
        name, default, kind, told, f"check_number({common}, {expected}, {bounds})", example
    )


def _bounds(field: FieldInfo) -> dict[str, Any]:
    """The bounds of a number: `gt`, `ge`, `lt`, `le`; the closest of each."""
    found: dict[str, Any] = {}
    for each in _metadata(field):
        for key in _WORDS:
            value = getattr(each, key, None)
            if value is not None:
                closest = max if key in ("gt", "ge") else min
                found[key] = closest(found.get(key, value), value)
    return found


def _metadata(field: FieldInfo) -> Iterator[Any]:
    """What is said of a field's values, also of those of `… | None`."""
    yield from field.metadata
    for inner in get_args(field.annotation):
        for each in getattr(inner, "__metadata__", ()):
            yield from getattr(each, "metadata", [each])


def _described(field: FieldInfo) -> str:
    found = [each.description for inner in get_args(field.annotation)
             for each in getattr(inner, "__metadata__", ())
             if isinstance(each, FieldInfo) and each.description]  # fmt: skip
    return found[0] if found else ""


_WORDS = {"gt": "above", "ge": "at least", "lt": "below", "le": "at most"}


def _expected(field: FieldInfo) -> str:
    """What a number may be, in words."""
    is_whole = int in (field.annotation, *get_args(field.annotation))
    bounds = [
        f"{_WORDS[key]} {Decimal(str(value)):,f}" for key, value in sorted(_bounds(field).items())
    ]
    return f"a {'whole ' * is_whole}number, {' and '.join(bounds)}"
