"""The base of all hierarchies: levels, titles, and the inputs of the template."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from sqlanon.boundary.part import Part
from sqlanon.bounds import MOST_LEVELS
from sqlanon.hierarchies.grid import Grid
from sqlanon.sql.step import Rows, Step

Number = Annotated[Decimal, Field(max_digits=24, decimal_places=9)]
"""A number in a rule: up to 15 digits before the decimal point and 9 after it."""

Text = Annotated[str, Field(min_length=1)]


def short_form(
    key: str, long: Any, *, bare: Any = str, types: tuple[type, ...] = (str,)
) -> BeforeValidator:
    """Let a bare value stand for the mapping with this one key, also in the JSON Schema."""
    return BeforeValidator(
        lambda value: {key: value} if isinstance(value, types) else value,
        json_schema_input_type=bare | long,
    )


def ranges_between(
    points: Sequence[Decimal], labels: Sequence[str] | None = None
) -> list[tuple[Decimal | None, str]]:
    """The ranges between cut points as (exclusive upper end or None, label), from low to high."""
    between = [f"[{low}, {high})" for low, high in itertools.pairwise(points)]
    labels = labels or [f"< {points[0]}", *between, f">= {points[-1]}"]
    return list(zip([*points, None], labels, strict=True))


AnyForm = Mapping[str, Any] | str | Path
"""A hierarchy that is given in Python by its keys, or by the path of its file."""

CutKind = Literal["numeric", "date", "ordinal", "nominal", "categorical"]
"""How the values of a quasi-identifier are ordered and cut by partitioning methods."""


class Hierarchy(Part):
    """A generalization hierarchy of one quasi-identifier.

    Attributes:
        template: file of its SQL as a table, below `sql_templates/`.
        rule: file of the macro `label`, the label of one value; empty if labels are looked up in a
            table.
        exact_type: the SQL type that values are read as by the rule; empty for text.
        key: the key by which a plan names this kind.
        cut_kind: how partitioning methods cut its values; None if the values decide.
        endings: extensions of the files that it is read from.
        form: what these files contain, in words.
        counts_rows: whether the source decides about labels, by how many rows have which values.
        may_name_rule: whether its file may be a YAML file with a hierarchy of another kind.
    """

    template: ClassVar[str]
    rule: ClassVar[str] = ""
    exact_type: ClassVar[str] = ""
    key: ClassVar[str]
    cut_kind: ClassVar[CutKind | None] = "categorical"
    endings: ClassVar[tuple[str, ...]] = ()
    form: ClassVar[str] = ""
    counts_rows: ClassVar[bool] = False
    may_name_rule: ClassVar[bool] = False

    @property
    def level_count(self) -> int | None:
        """The number of levels, including level 0 and the top; None if the data decides."""
        return None if self.level_titles is None else len(self.level_titles) + 2

    @property
    def level_titles(self) -> list[str] | None:
        """A description of each level above 0 and below the top; None when unknown."""
        return None

    @property
    def inputs(self) -> dict[str, Any]:
        """The variables of its SQL; by default the keys of the hierarchy."""
        return self.model_dump()

    @property
    def grids(self) -> tuple[Grid, ...]:
        """The grids on which its ranges end, from fine to coarse."""
        return ()

    @property
    def top_label(self) -> str | None:
        """The label of all values at the top; None if only the data shows it."""
        return "*"

    def label_examples(self, level: int) -> list[str]:
        """Labels of a level, for readers; none if only the data shows them. No value of a row."""
        return []

    @property
    def file_path(self) -> str:
        """The file that it is read from, as the plan names it; empty if there is none."""
        return ""

    def looked_at(self, found: Path, path_in_sql: str, where: str) -> Hierarchy:
        """The same hierarchy with all that SQL needs to read its file; only if it has a file."""
        raise NotImplementedError  # pragma: no cover - only called for files

    @property
    def select(self) -> str:
        """The query that it is read from; empty if there is none."""
        return ""

    def with_select(self, query: str) -> Hierarchy:
        """The same hierarchy, read from this query; only if it has a query."""
        raise NotImplementedError  # pragma: no cover - only called for queries

    def with_levels(self, count: int) -> Hierarchy:
        """The same hierarchy with this number of levels, if the data decides the number."""
        return self

    def counting_step(self, attribute: str) -> Step | None:
        """The question whose answer `with_answer` needs; None if the levels are known."""
        return None

    def with_answer(self, rows: Rows) -> Hierarchy:
        """The same hierarchy with the levels that the answer to `counting_step` gives.

        Raises:
            ValueError: it cannot have them; says what it would have, and a remedy.
        """
        ((count,),) = rows
        if count > MOST_LEVELS:
            raise ValueError(
                f"would have {count:,} levels; the limit is {MOST_LEVELS}",
                "shorten the values in a `source: {query: …}`, or choose another hierarchy",
            )
        return self.with_levels(int(count))

    @property
    def points(self) -> tuple[str, ...]:
        """Where ranges begin that the data decides; empty if it does not."""
        return ()

    def with_points(self, points: Sequence[str]) -> Hierarchy:
        """The same hierarchy, with these points if the data decides them.

        Raises:
            ValueError: ranges cannot begin at them.
        """
        return self


class SuppressionHierarchy(Hierarchy):
    """The value, then `*`: what a quasi-identifier without a hierarchy gets."""

    template = "hierarchies/suppression.sql"
    key = "none"
    cut_kind = None
    level_count: ClassVar[int] = 2
