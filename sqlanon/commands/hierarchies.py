"""Checks the hierarchies of a plan over the values of the source, and shows one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

from sqlanon.commands.options import Inputs, Options, PlanLike, command
from sqlanon.commands.session import Session, open_session
from sqlanon.display.blocks import Block, Sentences, Table, printed_label
from sqlanon.display.tabular import Records
from sqlanon.engines.base import drive
from sqlanon.errors import PlanError, brief, did_you_mean
from sqlanon.source.columns import read_source
from sqlanon.source.hierarchies import (
    hierarchy_problems,
    hierarchy_rows,
    unsound_values_step,
    with_known_levels,
)
from sqlanon.sql.step import Rows


@dataclass(frozen=True)
class HierarchyProblem:
    """One problem of a hierarchy: where, what, and how many values or rows it affects.

    Attributes:
        values: values or labels that have the problem, and the rows of the source with each, those
            with most rows first; only if they were requested.
    """

    attribute: str
    level: int
    problem: str
    affected: int
    values: tuple[tuple[str | None, int], ...] = ()


class HierarchyProblems(Records[HierarchyProblem]):
    """The problems of a plan's hierarchies; empty if all are valid."""

    def records(self) -> list[dict[str, Any]]:
        """One row for each problem, without its values."""
        return [{name: each for name, each in vars(one).items() if name != "values"}
                for one in self]  # fmt: skip

    def as_json(self) -> list[dict[str, Any]]:
        return [dict(vars(one)) for one in self]

    def displayed(self) -> Sequence[Block]:
        """The problems, and the values of each that were requested."""
        if not self:
            return [Sentences(["All hierarchies are valid."])]
        rows = [[one.attribute, one.level, one.problem, one.affected] for one in self]
        blocks = [Table("not valid", ["column", "level", "problem", "values or rows"], rows)]
        for one in self:
            if one.values:
                title = f"{one.attribute}, level {one.level}: {one.problem}"
                cells = [[printed_label(value), count] for value, count in one.values]
                blocks.append(Table(title, ["value", "rows"], cells))
        return blocks


class HierarchyRows(Records[tuple[Any, ...]]):
    """The labels of every value of a hierarchy, from level 0 to the top."""

    def records(self) -> list[dict[str, Any]]:
        return [{f"level_{level}": label for level, label in enumerate(row)} for row in self]

    def as_json(self) -> list[list[Any]]:
        return list(map(list, self))

    def displayed(self) -> Sequence[Block]:
        levels = len(self[0]) if self else 0
        return [Table(self.title, [f"level {level}" for level in range(levels)], self)]


@command
def check_hierarchies(
    plan: PlanLike,
    options: Options | None = None,
    *,
    values: int = 0,
    **inputs: Unpack[Inputs],
) -> HierarchyProblems:
    """The problems of the plan's hierarchies over the values of the source, if any.

    Args:
        plan: the plan of the hierarchies.
        options: options for the execution.
        connection, source, overrides: short for options of these names.
        values: how many values or labels to name for each problem, 0 or more. They are values of
            the source, so they are for the eyes of those who may see it.
    """
    session = open_session(plan, options, **inputs)
    named: dict[tuple[Any, ...], list[tuple[str | None, int]]] = {}
    with session.engine(publishes=False) as engine:
        session.bind(engine, read_source)
        hierarchies = session.hierarchies(copy=True)
        known = drive(engine, with_known_levels(session.plan, hierarchies))
        problems = drive(engine, hierarchy_problems(session.plan, known))
        if problems and values > 0:
            for *where, value, rows in engine.execute(unsound_values_step(known, values)):
                named.setdefault(tuple(where), []).append((value, rows))
    listed = [
        HierarchyProblem(
            name, level, problem, affected, tuple(named.get((name, level, problem), ()))
        )
        for name, level, problem, affected in problems
    ]
    return HierarchyProblems(listed, "problems of hierarchies")


@dataclass(frozen=True)
class HierarchyNode:
    """A label of a hierarchy, and what is below it.

    Attributes:
        label: the label; at level 0, a value. None is a missing value.
        level: its level, from 0.
        rows: rows of the source that have it after generalization to this level.
        values: how many values of level 0 are below it; 1 for a value itself.
        children: the labels one level below it.
    """

    label: str | None
    level: int
    rows: int
    values: int
    children: tuple[HierarchyNode, ...] = field(default=(), repr=False)


@command
def show_hierarchy(
    plan: PlanLike, attribute: str, options: Options | None = None, **inputs: Unpack[Inputs]
) -> HierarchyRows:
    """The rows of one hierarchy over the values of the source, from level 0 to the top.

    Raises:
        PlanError: the plan has no such quasi-identifier.
    """
    rows = _rows_of(open_session(plan, options, **inputs), attribute)
    return HierarchyRows((row[-2::-1] for row in rows), attribute)


@command
def hierarchy_tree(
    plan: PlanLike, attribute: str, options: Options | None = None, **inputs: Unpack[Inputs]
) -> tuple[HierarchyNode, ...]:
    """One hierarchy as a tree over the values of the source, with the rows of each node.

    Returns:
        the nodes of the top level; a valid hierarchy has one.

    Raises:
        PlanError: the plan has no such quasi-identifier.
    """
    return _nodes(_rows_of(open_session(plan, options, **inputs), attribute), 0)


def _nodes(rows: Sequence[tuple[Any, ...]], depth: int) -> tuple[HierarchyNode, ...]:
    """The nodes of rows that have the same labels above this depth, in the order of the rows."""
    level = len(rows[0]) - 2 - depth if rows else 0
    below: dict[str | None, list[tuple[Any, ...]]] = {}
    for row in rows:
        below.setdefault(row[depth], []).append(row)
    nodes = []
    for label, inner in below.items():
        children = _nodes(inner, depth + 1) if level else ()
        nodes.append(
            HierarchyNode(label, level, sum(row[-1] for row in inner), len(inner), children)
        )
    return tuple(nodes)


def _rows_of(session: Session, attribute: str) -> Rows:
    """The labels of every value from the top level down, and the rows of the source with it."""
    if attribute not in session.plan.quasi_identifiers:
        raise PlanError(
            f"'{brief(attribute)}' is not a quasi-identifier of the plan.",
            where="hierarchy show",
            fix=did_you_mean(attribute, session.plan.quasi_identifiers),
        )
    with session.engine(publishes=False) as engine:
        session.bind(engine, read_source)
        hierarchies = session.hierarchies(copy=True)
        known = drive(engine, with_known_levels(session.plan, hierarchies))[attribute]
        return drive(engine, hierarchy_rows(attribute, known))
