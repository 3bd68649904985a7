"""Registries: the classes that a plan can name, found in the modules of a package."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar, Union

from pydantic import BaseModel, BeforeValidator, Field, GetCoreSchemaHandler
from pydantic_core import core_schema

_Registered = TypeVar("_Registered", bound=BaseModel)


def registered(base: type[_Registered], package: str, order: str) -> tuple[type[_Registered], ...]:
    """The classes below `base` that a plan has a name for, in all modules of a package.

    Modules named in `order` come first, in the order of the documentation; then the others.
    """
    first = order.split()
    found = sorted(module.name for module in pkgutil.iter_modules(sys.modules[package].__path__))
    modules = [*first, *(name for name in found if name not in (*first, "base"))]
    return tuple(cls for name in modules for cls in _named_classes(base, f"{package}.{name}"))


def _named_classes(base: type[_Registered], module: str) -> Iterator[type[_Registered]]:
    for cls in vars(importlib.import_module(module)).values():
        if not (isinstance(cls, type) and issubclass(cls, base) and cls.__module__ == module):
            continue
        if {"model", "name", "key"} & {*inspect.get_annotations(cls), *vars(cls)}:
            yield cls


def default_of(cls: type[BaseModel], field: str) -> str:
    """The name by which a plan refers to a class."""
    name: str = cls.model_fields[field].default
    return name


@dataclass(frozen=True)
class OneOf:
    """Annotates a field whose value is of one of these classes; a key names the class.

    Attributes:
        classes: the classes of a registry.
        key: the field that names the class: `name` or `model`.
    """

    classes: Sequence[type[BaseModel]]
    key: str

    @property
    def union(self) -> Any:
        """The classes as pydantic takes them."""
        return Annotated[Union[tuple(self.classes)], Field(discriminator=self.key)]  # noqa: UP007

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return handler.generate_schema(self.union)

    @property
    def bare_name(self) -> BeforeValidator:
        """Lets a bare string stand for the mapping with this name, also in the JSON Schema."""
        names = tuple(default_of(cls, self.key) for cls in self.classes)
        return BeforeValidator(
            lambda value: {self.key: value} if isinstance(value, str) else value,
            json_schema_input_type=Literal[names] | self.union,
        )
