"""Validates content with pydantic; the first error is reported in terms of the plan's keys."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from sqlanon.plan.faults import plan_error
from sqlanon.plan.text import Places


def validated(cls: type[_Content], data: Any, places: Places) -> _Content:
    """The data as an instance of the class.

    Raises:
        PlanError: the data is not valid; says so in terms of the plan's keys.
    """
    try:
        return cls.model_validate(data)
    except ValidationError as error:
        refusal = plan_error(error, cls, data, places)
    raise refusal  # outside of the handler: pydantic's own error holds all inputs


_Content = TypeVar("_Content", bound=BaseModel)
