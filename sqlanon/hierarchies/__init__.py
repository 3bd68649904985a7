"""The kinds of hierarchies, in the order of the documentation; others in the folder follow."""

from __future__ import annotations

from typing import Annotated, Any, Union

from pydantic import BaseModel, ConfigDict, Discriminator, Tag
from pydantic.json_schema import SkipJsonSchema

from sqlanon.hierarchies.base import Hierarchy, SuppressionHierarchy
from sqlanon.registry import OneOf

HIERARCHY_KINDS: dict[str, type[Hierarchy]]
"""All of them by the key that identifies each; only who reads this imports the modules of all."""


class _OneKind(OneOf[Hierarchy]):
    """One of the kinds, identified by its key; an empty mapping is the value, then `*`."""

    @property
    def kinds(self) -> dict[str, type[Hierarchy]]:
        """The kinds by their keys."""
        return {kind.key: kind for kind in self.classes}

    @property
    def union(self) -> Any:
        default = SkipJsonSchema[Annotated[SuppressionHierarchy, Tag(SuppressionHierarchy.key)]]
        kinds = (Annotated[kind, Tag(key)] for key, kind in self.kinds.items())
        discriminator = Discriminator(
            self._kind,
            custom_error_type="hierarchy_kind",
            custom_error_message="a hierarchy is a file name or one of the kinds",
            custom_error_context={"kinds": ", ".join(self.kinds)},
        )
        return Annotated[Union[(default, *kinds)], discriminator]

    @property
    def bare_form(self) -> Any:
        return str

    def _kind(self, value: Any) -> str | None:
        if isinstance(value, Hierarchy):
            return value.key
        if isinstance(value, dict):  # SuppressionHierarchy is written as an empty mapping
            return next((key for key in self.kinds if key in value), None if value else "none")
        return None

    def named_by(self, value: Any) -> type[Hierarchy] | None:
        keys = [key for key in self.order.split() if isinstance(value, dict) and key in value]
        return next((cls for key in keys for cls in self.in_module(key)), None)


_ONE_KIND = _OneKind(
    Hierarchy,
    __name__,
    "",
    "file intervals cut_points groups mask date round query taxonomy",
    bare="file",
)

AnyHierarchy = Annotated[Hierarchy, _ONE_KIND]
"""What a plan's `hierarchy` may be; a bare string is a file."""


def __getattr__(name: str) -> Any:
    if name == "HIERARCHY_KINDS":
        return _ONE_KIND.kinds
    raise AttributeError(name)


class RuleFile(BaseModel):
    """The content of a YAML file with a rule, such as `dates.yml`, shipped or your own."""

    model_config = ConfigDict(defer_build=True)

    hierarchy: AnyHierarchy
