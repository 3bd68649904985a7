"""Registries: one line with the name of a module registers its class."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar, Union

from pydantic import BaseModel, BeforeValidator, Field, GetCoreSchemaHandler
from pydantic_core import core_schema

_Registered = TypeVar("_Registered", bound=BaseModel)


def registered(
    base: type[_Registered], package: str, modules: str
) -> tuple[type[_Registered], ...]:
    """The class of each module, in the order of the modules.

    Args:
        base: the base class of all of them.
        package: the package of the modules.
        modules: names of modules, each of which defines one public subclass of `base`.

    Raises:
        ImportError: a module defines none or several.
    """
    return tuple(_only_class(base, f"{package}.{module}") for module in modules.split())


def _only_class(base: type[_Registered], module: str) -> type[_Registered]:
    found = [
        each
        for name, each in vars(importlib.import_module(module)).items()
        if isinstance(each, type)
        and issubclass(each, base)
        and each.__module__ == module
        and not name.startswith("_")
    ]
    found = [cls for cls in found if not any(cls is not o and issubclass(cls, o) for o in found)]
    if len(found) != 1:
        raise ImportError(f"{module} must define one subclass of {base.__name__}, not {len(found)}")
    return found[0]


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
