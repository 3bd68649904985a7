"""The kinds of generalization hierarchies. A new one is registered here, by one line."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Discriminator, Tag
from pydantic.json_schema import SkipJsonSchema

from sqlanon.hierarchies.base import Hierarchy, short_form
from sqlanon.hierarchies.cut_points import CutPointHierarchy
from sqlanon.hierarchies.date import DateHierarchy
from sqlanon.hierarchies.file import FileHierarchy
from sqlanon.hierarchies.intervals import IntervalHierarchy
from sqlanon.hierarchies.mask import MaskHierarchy
from sqlanon.hierarchies.query import QueryHierarchy
from sqlanon.hierarchies.round import RoundHierarchy
from sqlanon.hierarchies.suppression import SuppressionHierarchy
from sqlanon.hierarchies.taxonomy import TaxonomyHierarchy

HIERARCHY_KINDS: dict[str, type[Hierarchy]] = {
    "file": FileHierarchy,
    "intervals": IntervalHierarchy,
    "cut_points": CutPointHierarchy,
    "mask": MaskHierarchy,
    "date": DateHierarchy,
    "round": RoundHierarchy,
    "query": QueryHierarchy,
    "taxonomy": TaxonomyHierarchy,
}
"""The kinds of hierarchies, by the key that each is recognized by."""


def _kind(value: Any) -> str | None:
    if isinstance(value, Hierarchy):
        return next((k for k, v in HIERARCHY_KINDS.items() if isinstance(value, v)), "none")
    if isinstance(value, dict):  # an empty one is what SuppressionHierarchy writes of itself
        return next((key for key in HIERARCHY_KINDS if key in value), None if value else "none")
    return None


_OneHierarchy = Annotated[
    SkipJsonSchema[Annotated[SuppressionHierarchy, Tag("none")]]
    | Annotated[FileHierarchy, Tag("file")]
    | Annotated[IntervalHierarchy, Tag("intervals")]
    | Annotated[CutPointHierarchy, Tag("cut_points")]
    | Annotated[MaskHierarchy, Tag("mask")]
    | Annotated[DateHierarchy, Tag("date")]
    | Annotated[RoundHierarchy, Tag("round")]
    | Annotated[QueryHierarchy, Tag("query")]
    | Annotated[TaxonomyHierarchy, Tag("taxonomy")],
    Discriminator(
        _kind,
        custom_error_type="hierarchy_kind",
        custom_error_message="a hierarchy is a file name or one of: " + ", ".join(HIERARCHY_KINDS),
    ),
]

AnyHierarchy = Annotated[_OneHierarchy, short_form("file", _OneHierarchy)]
"""What a plan's `hierarchy` may be; a bare string is a file."""


class HierarchyFile(BaseModel):
    """The content of a shipped or own YAML file with a rule, such as `dates.yml`."""

    hierarchy: AnyHierarchy
