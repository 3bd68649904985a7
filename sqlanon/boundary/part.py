"""The base class of what a plan consists of; pydantic's errors become errors of the plan."""

from __future__ import annotations

from inspect import Signature, signature
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from sqlanon.boundary import guarded
from sqlanon.boundary.faults import plan_errors
from sqlanon.boundary.text import Places, plain_content
from sqlanon.errors import united

_Content = TypeVar("_Content", bound=BaseModel)


class _Signature:
    """The keys of a class, which pydantic knows as soon as it has built the class."""

    def __get__(self, instance: object, owner: type[BaseModel]) -> Signature:
        owner.model_rebuild()
        return signature(owner)


class Part(BaseModel):
    """A part of a plan. It cannot be changed, and has no other keys than its fields.

    Parts are made from the content of a plan, or in Python: `KAnonymity(5)` or `KAnonymity(k=5)`.
    A class whose first keys may be given by position has an `__init__` that names them for type
    checkers and readers, and only calls `_set_keys`. Classes are built when they are first used.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        defer_build=True,
        validate_by_name=True,
        serialize_by_alias=True,
    )

    def __init__(self, **keys: Any) -> None:
        self._set_keys(**keys)

    @guarded
    def _set_keys(self, **keys: Any) -> None:
        """Check the keys as those of a YAML plan.

        Raises:
            PlanError: has every fault.
        """
        given = plain_content(keys, Places())
        try:
            super().__init__(**given)
            return
        except ValidationError as error:
            refusal = united(plan_errors(error, type(self), given, Places()))
        raise refusal  # outside of the handler: pydantic's own error holds all inputs

    # so that pydantic, when it validates the content of a plan, calls no constructor
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.__signature__ = _Signature()  # type: ignore[assignment]
        cls.__init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]


def validated(cls: type[_Content], data: Any, places: Places) -> _Content:
    """The data as an instance of the class.

    Raises:
        PlanError: the data is not valid; has every fault, in terms of the plan's keys.
    """
    try:
        return cls.model_validate(data)
    except ValidationError as error:
        refusal = united(plan_errors(error, cls, data, places))
    raise refusal  # as above
