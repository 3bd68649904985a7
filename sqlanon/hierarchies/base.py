"""What every hierarchy is: its levels, its titles, and the inputs of its template."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from sqlanon.sql.step import Step

Number = Annotated[Decimal, Field(max_digits=24, decimal_places=9)]
"""A number in a rule: up to 15 digits before the decimal point and 9 after it."""

Text = Annotated[str, Field(min_length=1)]


def short_form(
    key: str, long: Any, *, bare: Any = str, types: tuple[type, ...] = (str,)
) -> BeforeValidator:
    """Lets a bare value stand for the mapping with this one key, also in the JSON Schema.

    Args:
        key: of the mapping.
        long: type that the mapping is read as.
        bare: type of the bare value, for the schema.
        types: Python types that a bare value may have.
    """

    def lengthen(value: Any) -> Any:
        return {key: value} if isinstance(value, types) else value

    return BeforeValidator(lengthen, json_schema_input_type=bare | long)


CutKind = Literal["numeric", "date", "ordinal", "categorical"]
"""How the values of a quasi-identifier are ordered and cut by partitioning methods."""


class Hierarchy(BaseModel):
    """A generalization hierarchy of one quasi-identifier.

    Attributes:
        template: file of its SQL, below `sql_templates/`.
        key: the key by which a plan names this kind.
        cut_kind: how partitioning methods cut its values; None where the values decide.
        endings, form: of the files that it is read from: how their names end, what stands in them.
        may_name_rule: whether its file may be a YAML file with a hierarchy of another kind.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    template: ClassVar[str]
    key: ClassVar[str]
    cut_kind: ClassVar[CutKind | None] = "categorical"
    endings: ClassVar[tuple[str, ...]] = ()
    form: ClassVar[str] = ""
    may_name_rule: ClassVar[bool] = False

    @property
    def level_count(self) -> int | None:
        """Levels, level 0 and the top included; None when only the data can tell."""
        raise NotImplementedError  # pragma: no cover - every kind states its own

    @property
    def level_titles(self) -> list[str] | None:
        """What each level above 0 and below the top holds, in words; None when unknown."""
        return None

    @property
    def inputs(self) -> dict[str, Any]:
        """Variables of the template, besides `values`; its own keys if not stated otherwise."""
        return self.model_dump()

    @property
    def file_path(self) -> str:
        """The file that it is read from, as the plan names it; empty where there is none."""
        return ""

    def looked_at(self, found: Path, path_in_sql: str, where: str) -> Hierarchy:
        """The same hierarchy with all that SQL needs to read its file; only where there is a file.

        Args:
            found: the file.
            path_in_sql: its path as SQL names it.
            where: place in the plan, for errors.

        Raises:
            HierarchyError: the file holds no such hierarchy.
            UnicodeDecodeError: it is not in UTF-8.
        """
        raise NotImplementedError  # pragma: no cover - asked of files only

    @property
    def select(self) -> str:
        """The query that it is read from; empty where there is none."""
        return ""

    def with_select(self, query: str) -> Hierarchy:
        """The same hierarchy, read from this query; only where there is a query."""
        raise NotImplementedError  # pragma: no cover - asked of queries only

    def with_levels(self, count: int) -> Hierarchy:
        """The same hierarchy, its number of levels fixed where only the data could tell it."""
        return self

    def counting_step(self, attribute: str) -> Step | None:
        """The question that `with_count` needs the answer of; None where the levels are known."""
        return None

    def with_count(self, count: int) -> Hierarchy:
        """The same hierarchy with its levels known, by the answer to `counting_step`."""
        return self.with_levels(count)
