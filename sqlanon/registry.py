"""Registries: the classes that a plan can name, found in the modules of a package."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Generic, Literal, TypeVar, Union

from pydantic import (
    BaseModel,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    TypeAdapter,
    ValidationError,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import core_schema

_Registered = TypeVar("_Registered", bound=BaseModel)


def default_of(cls: type[BaseModel], field: str) -> str:
    """The name by which a plan refers to a class."""
    name: str = cls.model_fields[field].default
    return name


@dataclass(frozen=True)
class OneOf(Generic[_Registered]):
    """Annotates a field whose value is of one class of a package; a key of it names the class.

    A module of the package that is called like a class is only imported for a value that names it.

    Attributes:
        base: the class that all are below.
        package: in whose modules they are.
        key: the field that names the class: `name` or `model`.
        order: the modules in the order of the documentation; others that the folder holds follow.
        bare: the key of which a string alone is the value; empty if none may stand alone.
    """

    base: type[_Registered]
    package: str
    key: str
    order: str
    bare: str = ""

    @cached_property
    def modules(self) -> list[str]:
        """The modules in which classes may be, in order."""
        first = self.order.split()
        found = sorted(one.name for one in pkgutil.iter_modules(sys.modules[self.package].__path__))
        return [*first, *(name for name in found if name not in (*first, "base"))]

    @cached_property
    def classes(self) -> tuple[type[_Registered], ...]:
        """All classes that a plan has a name for, in order."""
        return tuple(cls for module in self.modules for cls in self.in_module(module))

    def in_module(self, name: str) -> Iterator[type[_Registered]]:
        """The classes of one module that a plan has a name for."""
        module = f"{self.package}.{name}"
        for cls in vars(importlib.import_module(module)).values():
            if not (isinstance(cls, type) and issubclass(cls, self.base)):
                continue
            is_own = cls.__module__ == module
            if is_own and {"model", "name", "key"} & {*inspect.get_annotations(cls), *vars(cls)}:
                yield cls

    @property
    def union(self) -> Any:
        """The classes as pydantic takes them."""
        return Annotated[Union[self.classes], Field(discriminator=self.key)]  # noqa: UP007

    def named_by(self, value: Any) -> type[_Registered] | None:
        """The class that a value names; None if there is none of this name."""
        name = value.get(self.key) if isinstance(value, dict) else None
        module = name.replace("-", "_") if isinstance(name, str) else ""
        found = self.in_module(module) if module in self.modules else self.classes
        return next((cls for cls in found if default_of(cls, self.key) == name), None)

    def _checked(self, value: Any) -> Any:
        if self.bare and isinstance(value, str):
            value = {self.bare: value}
        cls = type(value) if isinstance(value, self.base) else self.named_by(value)
        if cls is not None:
            try:
                return cls.model_validate(value)
            except ValidationError:
                pass  # the union says in which class
        return TypeAdapter(self.union).validate_python(value)

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self._checked)

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        forms = [self.bare_form, self.union] if self.bare else [self.union]
        return handler(core_schema.union_schema([TypeAdapter(form).core_schema for form in forms]))

    @property
    def bare_form(self) -> Any:
        """What a string alone may be."""
        return Literal[tuple(default_of(cls, self.key) for cls in self.classes)]
