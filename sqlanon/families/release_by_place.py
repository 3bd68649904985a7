"""The release of a lattice node of many rows by the places of its classes.

The classes that keep the promises come from the distinct combinations, which are counted already;
so do the rows, if nothing else is kept of them. In DuckDB a row is sorted by the place of its
class, at which its labels are looked up when it is written; a join in other databases would not
keep the order, so there a row has them before. Fewer rows are released by one query, which is
shorter to read and has no statements before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sqlanon.families.changed_rows import classes_step, is_by_class, ordered_steps
from sqlanon.families.header import release_title
from sqlanon.families.labels_of_rows import Column, LabeledRows
from sqlanon.families.persons import copy_options
from sqlanon.families.placing import LeveledSolution
from sqlanon.families.release_query import ReleaseQuery, node_lines
from sqlanon.families.solution import Solution
from sqlanon.plan.column_types import TEXT
from sqlanon.plan.plan import Plan
from sqlanon.proof.lineage import CHANGED_CLASSES
from sqlanon.search.partition import ROWS_EACH
from sqlanon.source.frequency_set import Shape
from sqlanon.source.tables import counted_aliases, row_count_name
from sqlanon.sql.render import render
from sqlanon.sql.step import Step, quoted, unused, words

_MANY_ROWS = 1_000_000
"""Rows of the source from which on the steps take less time than one query."""

_AT_ONCE = 2048
"""Rows of a combination that are made at once; as many as DuckDB has in a vector."""


class WorkingSource(NamedTuple):
    """A working table as the source of a query: its columns, by their names in the plan."""

    name: str
    relation: str
    columns: Sequence[tuple[str, str]]


class PublishedColumn(NamedTuple):
    """A published column.

    Attributes:
        alias: its name within the query.
        is_label: whether each class has one value of it, which is looked up by its place.
        constant: the label of all classes, as SQL; empty if classes differ by it.
        type_name: the type of its labels; empty if it is not made for them.
    """

    name: str
    alias: str
    is_label: bool
    constant: str
    type_name: str

    def selected(self, *, masked: bool) -> str:
        """SQL for its value in a row of `generalized` and its class."""
        if not self.is_label:
            return f"generalized.{quoted(self.alias)}"
        label = f"published_classes.{quoted(self.alias)}"
        is_shown = "published_classes.place > 0"
        return f"case when {is_shown} then {label} else '*' end" if masked else label


def has_many_rows(solution: Solution | None) -> bool:
    """Whether the rows are so many that statements before the release take less time than it."""
    rows = 0 if solution is None else solution.input.get("rows", 0)
    return bool(rows >= _MANY_ROWS)


def is_by_place(plan: Plan, solution: LeveledSolution | None) -> bool:
    """Whether a plan is released by place: where each class has one place, and rows no other."""
    if solution is None or not has_many_rows(solution):
        return False
    if solution.input["rows"] < ROWS_EACH * solution.classes:
        return False
    if plan.changed_columns and (plan.suppression.rows == "mask" or not plan.engine.keeps_order):
        return False  # masks have no one place; a join would let labels depend on what decides
    return plan.order != "source" and plan.person is None and plan.population is None


def type_step(type_name: str, column: str, alias: str, relation: str, *, masked: bool) -> Step:
    """The type of the values of a column, by which they are written as numbers.

    Args:
        relation: table with the values.
        masked: whether it has suppressed classes, which are published as masks.
    """
    inputs = {"type": type_name, "column": column, "alias": alias, "relation": relation}
    return Step(type_name, render("release/values_in_order.sql", **inputs, masked=masked), "type")


def place_steps(plan: Plan, shape: Shape, solution: LeveledSolution, staged: str) -> list[Step]:
    """The published classes, the rows in their order, and the release.

    Args:
        staged: file that the published rows are copied to.
    """
    listed_in = "" if solution.passes else "sqlanon.source_combinations"
    query = ReleaseQuery(plan, shape, solution, listed=listed_in)
    counted = dict(counted_aliases(plan))
    listed = {name: name for name in plan.quasi_identifiers} | counted
    row_count = unused("row_count", plan.columns)
    counts = WorkingSource(
        query.source, "source_combinations", [*listed.items(), (row_count, row_count_name(plan))]
    )

    made, placing = list[Step](), query.placing([*listed], row_count)
    weight = ("row_count", f"{query.source}.{quoted(row_count)}")
    if placing is None:
        rows = query.labels.of_source("generalized", [*listed])
        rows.columns.append(_weight(rows, row_count))
        tables, generalized, order = query.labels.tables(), [rows], rows.order
    else:
        tables, generalized, order = [], [], {}
        if placing.labeled:
            placed = render(
                "release/placed_combinations.sql",
                source=counts,
                hierarchies=query.labels.tables(),
                placing=placing,
            )
            made.append(Step("placed_combinations", placed))
        placing = placing._replace(published=[*placing.published, weight], labeled=None)
    published = _published(query)
    classes = render(
        "release/published_classes.sql",
        source=counts,
        hierarchies=tables,
        generalized=generalized,
        placing=placing,
        keys=query.keys,
        constants=[column for column in published if column.constant],
        count=query.counting(order, row_count),
        **query.decisions(),
    )

    kept = [query.aliases[name] for name in plan.kept_columns]
    is_counted = {*plan.kept_columns} <= {*counted} and not plan.changed_columns
    source = counts
    if not is_counted:
        read = [(name, name) for name in plan.staged_columns]
        source = WorkingSource(query.source, "source_rows", read)
    named = [*query.distinguishing, *plan.kept_columns]
    placing = query.placing(named)
    if placing is None:
        hierarchies = {name: shape.hierarchies[name] for name in query.distinguishing}
        labels = replace(query.labels, hierarchies=hierarchies, ordered=False)
        rows = labels.of_source("generalized", named)
        rows.hinted, rows.last = False, True
        raw = query.add_replaced(rows)
        if is_counted:
            rows.columns.append(_weight(rows, row_count))
        tables, generalized = labels.tables(), [rows]
    else:
        counted_rows = [weight] if is_counted else []
        placing, raw = query.with_replaced(placing)
        published_rows = [*placing.published, *counted_rows]
        placing = placing._replace(published=published_rows, labeled=None, last=True)
    inputs: dict[str, Any] = {
        "source": source,
        "hierarchies": tables,
        "generalized": generalized,
        "placing": placing,
        "keys": [query.aliases[name] for name in query.distinguishing],
        "kept": kept,
        "at_once": _AT_ONCE if is_counted else 0,
    }
    lines = node_lines(plan, shape, solution)
    header: dict[str, Any] = {"title": release_title(plan), "lines": lines}
    options = copy_options(plan)
    steps = [*made, Step("published_classes", classes)]
    place = ("published_classes.place", "place", "place")
    by_class = is_by_class(plan)
    if plan.changed_columns and not by_class:
        values = [place, *[(f"generalized.{quoted(n)}", n, n) for n in [*kept, *raw]]]
        placed = render("release/placed_rows.sql", **{**inputs, "kept": None}, selected=values)
        rows_in_order = ordered_steps(plan, query.aliases, placed)
    else:
        rows_in_order = []
    if not plan.engine.keeps_order:
        selected = [(c.selected(masked=query.masked), c.alias, c.name) for c in published]
        release = render("release/release_of_classes.sql", **header, **inputs, selected=selected)
        return [*steps, Step("release", release, "copy", target=staged, copy_options=options)]
    if not rows_in_order:
        selected = [place, *((f"generalized.{quoted(name)}", name, name) for name in kept)]
        unchanged = [n for n in plan.kept_columns if n not in plan.changed_columns]
        inputs["kept"] = [query.aliases[n] for n in unchanged]
        ordered = render("release/ordered_rows.sql", **inputs, selected=selected)
        classes_made = [classes_step(plan, query.aliases, "ordered_rows")] if by_class else []
        rows_in_order = [Step("ordered_rows", ordered), *classes_made]
    release = render(
        "release/release_of_ordered_rows.sql",
        **header,
        published=published,
        classes=CHANGED_CLASSES
        if any(s.name == CHANGED_CLASSES for s in rows_in_order)
        else "published_classes",
        masked=query.masked,
    )
    return [
        *steps,
        *(
            type_step(
                column.type_name,
                column.name,
                column.alias,
                "published_classes",
                masked=query.masked,
            )
            for column in published
            if column.type_name
        ),
        *rows_in_order,
        Step("release", release, "copy", target=staged, copy_options=options),
    ]


def _weight(rows: LabeledRows, row_count: str) -> Column:
    """How many rows a combination has."""
    return Column("row_count", rows.prefix + quoted(row_count), row_count == "row_count")


def _published(query: ReleaseQuery) -> list[PublishedColumn]:
    """The published columns, in order."""
    plan = query.plan
    types = dict(zip(plan.quasi_identifiers, words([*plan.quasi_identifiers]), strict=True))
    made = []
    for name in plan.staged_columns:
        constant = type_name = ""
        if name in types and name not in query.distinguishing:
            constant = query.labels.top_label(name)
        change = plan.changed_columns.get(name)
        if name in types and change is None and plan.release_types[name] == TEXT:
            type_name = f"label_of_{types[name]}"
        is_of_class = name in types or bool(change and change.change.aggregate)
        made.append(PublishedColumn(name, query.aliases[name], is_of_class, constant, type_name))
    return made
