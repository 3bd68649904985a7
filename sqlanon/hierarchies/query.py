"""A hierarchy from the rows of a query."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from sqlanon.bounds import Levels
from sqlanon.hierarchies.base import Hierarchy, Text


class QueryHierarchy(Hierarchy):
    """The rows of a query: its first column is the value, each further one a coarser level."""

    template: ClassVar[str] = "hierarchies/query.sql"
    query: Text
    columns: Levels | None = Field(
        None, ge=1, description="how many columns it has; found out when not given"
    )

    @property
    def level_count(self) -> int | None:
        return self.columns

    def with_levels(self, count: int) -> QueryHierarchy:
        return QueryHierarchy(query=self.query, columns=count)
