"""Builds a part of a plan from parameters, which are checked as those of a YAML plan."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, TypeVar

from pydantic import BaseModel

from sqlanon.plan.text import Places, plain_content
from sqlanon.plan.validation import validated

_Part = TypeVar("_Part", bound=BaseModel)

Number = int | float | Decimal | str
"""A number; text and `Decimal` are exact, a float is what it prints."""


def built(part: type[_Part], **keys: Any) -> _Part:
    """The part with these keys; a key that is None has its default.

    Raises:
        PlanError: a value is not allowed; the text is that of a YAML plan.
    """
    given = {key: value for key, value in keys.items() if value is not None}
    return validated(part, plain_content(given, Places()), Places())
