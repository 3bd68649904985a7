"""Registries: a class is registered by the name of its module, on one line."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar, Union

from pydantic import BaseModel, BeforeValidator, Field, GetCoreSchemaHandler
from pydantic_core import core_schema

_Registered = TypeVar("_Registered", bound=BaseModel)


def registered(
    base: type[_Registered], package: str, modules: str
) -> tuple[type[_Registered], ...]:
    """The class of each module, in the order of the modules.

    Args:
        base: what every one of them is.
        package: the package of the modules.
        modules: names of modules that define one public class below `base` each.

    Raises:
        ImportError: a module defines none, or several.
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
        raise ImportError(f"{module} must define one class below {base.__name__}: {len(found)}")
    return found[0]


def default_of(cls: type[BaseModel], field: str) -> str:
    """The name by which a plan refers to a class."""
    name: str = cls.model_fields[field].default
    return name


@dataclass(frozen=True)
class OneOf:
    """Annotates a field whose value is of one of these classes; a key tells which.

    Attributes:
        classes: of a registry.
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


BARE_NAME = BeforeValidator(lambda value: {"name": value} if isinstance(value, str) else value)
"""Lets a bare string stand for the mapping with this name."""
