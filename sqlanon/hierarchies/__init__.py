"""The kinds of hierarchies, in the order of the documentation; others in the folder follow."""

from __future__ import annotations

from typing import Annotated, Any, Union

from pydantic import BaseModel, ConfigDict, Discriminator, Tag
from pydantic.json_schema import SkipJsonSchema

from sqlanon.hierarchies.base import Hierarchy, SuppressionHierarchy, short_form
from sqlanon.registry import OneOf, registered

HIERARCHY_KINDS: dict[str, type[Hierarchy]] = {
    kind.key: kind
    for kind in registered(
        Hierarchy,
        __name__,
        """
        file
        intervals
        cut_points
        groups
        mask
        date
        round
        query
        taxonomy
        """,
    )
}
"""The kinds of hierarchies, by the key that identifies each."""


def _kind(value: Any) -> str | None:
    if isinstance(value, Hierarchy):
        return value.key
    if isinstance(value, dict):  # SuppressionHierarchy is written as an empty mapping
        return next((key for key in HIERARCHY_KINDS if key in value), None if value else "none")
    return None


class _OneKind(OneOf):
    """One of the kinds, identified by its key; an empty mapping is the value, then `*`."""

    @property
    def union(self) -> Any:
        default = SkipJsonSchema[Annotated[SuppressionHierarchy, Tag(SuppressionHierarchy.key)]]
        kinds = (Annotated[kind, Tag(key)] for key, kind in HIERARCHY_KINDS.items())
        discriminator = Discriminator(
            _kind,
            custom_error_type="hierarchy_kind",
            custom_error_message="a hierarchy is a file name or one of the kinds",
            custom_error_context={"kinds": ", ".join(HIERARCHY_KINDS)},
        )
        return Annotated[Union[(default, *kinds)], discriminator]


_ONE_KIND = _OneKind(tuple(HIERARCHY_KINDS.values()), "")

AnyHierarchy = Annotated[Hierarchy, _ONE_KIND, short_form("file", Annotated[Hierarchy, _ONE_KIND])]
"""What a plan's `hierarchy` may be; a bare string is a file."""


class RuleFile(BaseModel):
    """The content of a YAML file with a rule, such as `dates.yml`, shipped or your own."""

    model_config = ConfigDict(defer_build=True)

    hierarchy: AnyHierarchy
