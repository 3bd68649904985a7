"""Validates content with pydantic; all errors are reported in terms of the plan's keys."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from sqlanon.errors import united
from sqlanon.plan.faults import plan_errors
from sqlanon.plan.text import Places


def validated(cls: type[_Content], data: Any, places: Places) -> _Content:
    """The data as an instance of the class.

    Raises:
        PlanError: the data is not valid; has every fault, in terms of the plan's keys.
    """
    try:
        return cls.model_validate(data)
    except ValidationError as error:
        refusal = united(plan_errors(error, cls, data, places))
    raise refusal  # outside of the handler: pydantic's own error holds all inputs


_Content = TypeVar("_Content", bound=BaseModel)
