"""Hierarchies as seeds of a dbt project: what a release joins, as CSV files."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from sqlanon.errors import HierarchyError
from sqlanon.families.labels_of_rows import Labels
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.plan.plan import Plan
from sqlanon.source.hierarchies import known_level_count
from sqlanon.sql.render import render
from sqlanon.sql.step import Rows, Step, words

MODELS = ("candidate", "population", "rows")
"""What follows the name of an exported model; a seed is not called so."""


class SeedHierarchy(Hierarchy):
    """A hierarchy that is read from a relation; all else is known from the one that it is of."""

    template: ClassVar[str] = "dbt/_seed.sql"
    relation: str
    count: int
    top: str | None
    titles: tuple[str, ...] | None
    examples: tuple[tuple[str, ...], ...]

    @property
    def level_count(self) -> int | None:
        return self.count

    @property
    def level_titles(self) -> list[str] | None:
        return None if self.titles is None else list(self.titles)

    @property
    def top_label(self) -> str | None:
        return self.top

    def label_examples(self, level: int) -> list[str]:
        return list(self.examples[level])


class Seed(NamedTuple):
    """A hierarchy as a seed."""

    name: str
    attribute: str
    hierarchy: Hierarchy
    columns: Sequence[tuple[int, str]]  # the levels that are read, and their names
    is_looked_up: bool  # whether every value of the column must be in it

    @property
    def step(self) -> Step:
        """The question for its rows."""
        hierarchy = self.hierarchy
        sql = render(
            hierarchy.template, values="", rule=hierarchy.inputs, selected=list(self.columns)
        )
        return Step("seed", sql, "rows")

    def reading(self, relation: str) -> SeedHierarchy:
        """The hierarchy, read from a relation with these columns."""
        hierarchy = self.hierarchy
        count = known_level_count(self.attribute, hierarchy)
        return SeedHierarchy(
            relation=relation,
            count=count,
            top=hierarchy.top_label,
            titles=None if hierarchy.level_titles is None else tuple(hierarchy.level_titles),
            examples=tuple(tuple(hierarchy.label_examples(level)) for level in range(count)),
        )

    def content(self, plan: Plan, rows: Rows) -> str:
        """The CSV file; a HierarchyError if dbt would read a value or a label as missing."""
        lost = sum(cell is None or cell.strip().lower() in ("", "null") for r in rows for cell in r)
        if lost:
            raise HierarchyError(
                f"The hierarchy of '{self.attribute}' has {lost:,} cell(s) that dbt reads as"
                " missing: empty ones, or the word 'null'.",
                where=plan.where("columns", self.attribute, "hierarchy"),
                fix="leave these rows out of the hierarchy, and make such values missing in the"
                " source",
            )
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([name for _, name in self.columns])
        writer.writerows(sorted(rows))
        return file.getvalue()


def seeds_of(
    plan: Plan, hierarchies: Mapping[str, Hierarchy], labels: Labels, name: str
) -> list[Seed]:
    """The seeds that the release of a plan reads, with labels as the release makes them."""
    read: dict[str, Any] = {}
    for attribute in plan.quasi_identifiers:
        if labels.is_joined(attribute) or labels.reads_top(attribute):
            levels = labels.levels(attribute)
            columns = [(0, "value"), (levels[0], "label")]
            read[attribute] = [*columns, *((level, f"label_{level}") for level in levels[1:])]
    for model in plan.privacy:
        attribute = model.sensitive_attribute or ""
        if model.needs_value_levels and attribute not in read:
            count = known_level_count(attribute, hierarchies[attribute])
            read[attribute] = [(level, f"level_{level}") for level in range(count)]
    named = dict(zip(plan.columns, words(list(plan.columns)), strict=True))
    return [
        Seed(
            f"{name}__{named[attribute]}{'_labels' * (named[attribute] in MODELS)}",
            attribute,
            hierarchies[attribute],
            columns,
            attribute in plan.quasi_identifiers and labels.is_joined(attribute),
        )
        for attribute, columns in read.items()
    ]
