"""A hierarchy from the rows of a query."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from sqlanon.bounds import Levels
from sqlanon.hierarchies.base import Hierarchy, Text
from sqlanon.sql.queries import query_in_sql
from sqlanon.sql.step import Rows, Step


class HierarchyQuery(Hierarchy):
    """The rows of a query: its first column is the value, each further one a coarser level."""

    template = "hierarchies/query.sql"
    key = "query"
    top_label: ClassVar[None] = None
    query: Text
    columns: Levels | None = Field(
        None, ge=1, description="how many columns it has; found in the query when not given"
    )

    def __init__(self, query: str, *, columns: int | None = None) -> None:
        self._set_keys(query=query, columns=columns)

    @property
    def level_count(self) -> int | None:
        return self.columns

    @property
    def inputs(self) -> dict[str, Any]:
        return {"query": query_in_sql(self.query, "hierarchy"), "columns": self.columns}

    @property
    def select(self) -> str:
        return self.query

    def with_select(self, query: str) -> HierarchyQuery:
        return self.model_copy(update={"query": query})

    def counting_step(self, attribute: str) -> Step | None:
        if self.columns is not None:
            return None
        query = query_in_sql(self.query, f"columns.{attribute}.hierarchy")
        return Step("query_columns", f"select *\nfrom (\n{query}\n)", "columns")

    def with_answer(self, rows: Rows) -> Hierarchy:
        return super().with_answer([(len(rows),)])

    def with_levels(self, count: int) -> HierarchyQuery:
        return HierarchyQuery(query=self.query, columns=count)
