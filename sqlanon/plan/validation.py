"""Validates content with pydantic; the first error is reported in the words of the plan."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from sqlanon.plan.faults import plan_error
from sqlanon.plan.text import Places


def validated(cls: type[_Content], data: Any, places: Places) -> _Content:
    """What pydantic makes of the data.

    Raises:
        PlanError: its first fault, in the plan's own words.
    """
    try:
        return cls.model_validate(data)
    except ValidationError as error:
        fault = plan_error(error, cls, data, places)
    raise fault  # outside of the handler: pydantic's own error holds all inputs


_Content = TypeVar("_Content", bound=BaseModel)
