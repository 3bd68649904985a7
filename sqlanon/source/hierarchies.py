"""The hierarchies as tables over the values of the source, and the proof that they nest."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from sqlanon.bounds import MOST_LEVELS
from sqlanon.errors import HierarchyError, PlanError
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.hierarchies.cut_points import CutPointHierarchy
from sqlanon.hierarchies.date import DateHierarchy
from sqlanon.hierarchies.file import FileHierarchy
from sqlanon.hierarchies.intervals import IntervalHierarchy
from sqlanon.hierarchies.mask import MaskHierarchy
from sqlanon.hierarchies.query import QueryHierarchy
from sqlanon.hierarchies.round import RoundHierarchy
from sqlanon.hierarchies.taxonomy import TaxonomyHierarchy
from sqlanon.plan.plan import Plan
from sqlanon.source.reading import query_text
from sqlanon.sql.render import render, text
from sqlanon.sql.step import Rows, Search, Step


def hierarchy_steps(plan: Plan, hierarchies: Mapping[str, Hierarchy]) -> list[Step]:
    """One table per hierarchy, all of them in one, and what is wrong with them."""
    names = [name for name in plan.columns if name in hierarchies]
    if not names:
        return []
    named = [
        {
            "name": hierarchy_name(name),
            "attribute": name,
            "level_count": known_level_count(name, hierarchies[name]),
        }
        for name in names
    ]
    return [
        *(hierarchy_step(name, hierarchies[name]) for name in names),
        Step("hierarchy_levels", render("source/hierarchy_levels.sql", hierarchies=named)),
        *(
            Step(
                f"value_levels_{number}",
                render("source/value_levels.sql", number=number, attribute=name),
                "view",
            )
            for number, name in enumerate(plan.counted_columns, start=1)
            if name in hierarchies
        ),
        Step(
            "hierarchy_problems",
            render("source/hierarchy_problems.sql", attributes=names),
            "proof",
        ),
    ]


def hierarchy_step(attribute: str, hierarchy: Hierarchy) -> Step:
    """The table of one hierarchy: a row per value, a column per level."""
    level_count = known_level_count(attribute, hierarchy)
    return Step(
        hierarchy_name(attribute),
        render(
            "source/hierarchy.sql",
            name=hierarchy_name(attribute),
            attribute=attribute,
            level_count=level_count,
            titles=level_titles(hierarchy, level_count),
            rule=render(hierarchy.template, values="known_values", **_rule_inputs(hierarchy)),
        ),
    )


def hierarchy_name(attribute: str) -> str:
    """The table that holds the hierarchy of a quasi-identifier."""
    return f"hierarchy_of_{attribute}"


def level_titles(hierarchy: Hierarchy, level_count: int) -> list[str]:
    """What each level holds, in words, level 0 first."""
    between = hierarchy.level_titles or [f"level {n} of its file or query" for n in
                                         range(1, level_count - 1)]  # fmt: skip
    top = ["one value for all"] if level_count > 1 else []
    return ["as in the source", *between, *top]


def with_known_levels(
    plan: Plan, hierarchies: Mapping[str, Hierarchy]
) -> Search[dict[str, Hierarchy]]:
    """The hierarchies with their number of levels, found in the data where the plan leaves it."""
    known = dict(hierarchies)
    for name, hierarchy in hierarchies.items():
        if isinstance(hierarchy, MaskHierarchy) and hierarchy.mask.characters is None:
            (row,) = yield Step(
                "longest_value",
                "select greatest(coalesce(max(length(value)), 1), 1)\n"
                f"from sqlanon.source_values\nwhere attribute = {text(name)}",
                "rows",
            )
            _check_levels(plan, name, int(row[0]))
            known[name] = hierarchy.with_levels(int(row[0]) + 1)
        elif isinstance(hierarchy, QueryHierarchy) and hierarchy.columns is None:
            query = query_text(hierarchy.query, plan.where("columns", name, "hierarchy"))
            (row,) = yield Step(
                "query_columns",
                f"select count(*)\nfrom (\ndescribe\nselect *\nfrom (\n{query}\n)\n)",
                "rows",
            )
            _check_levels(plan, name, int(row[0]))
            known[name] = hierarchy.with_levels(int(row[0]))
    return known


def _check_levels(plan: Plan, name: str, levels: int) -> None:
    """A hierarchy whose levels the data tell has no more of them than others may have."""
    if levels > MOST_LEVELS:
        raise HierarchyError(
            f"The hierarchy of '{name}' would have {levels:,} levels, more than {MOST_LEVELS}.",
            where=plan.where("columns", name, "hierarchy"),
            fix="shorten the values in a `source: {query: …}`, or choose another hierarchy",
        )


def hierarchy_problems(plan: Plan, hierarchies: Mapping[str, Hierarchy]) -> Search[Rows]:
    """Make these hierarchies; what is wrong with them, one row per fault, no row if nothing is."""
    problems: Rows = []
    for step in hierarchy_steps(plan, hierarchies):
        problems = yield step
    return problems


def hierarchy_error(plan: Plan, problems: Rows) -> HierarchyError:
    """The error for rows of `hierarchy_problems`: attribute, level, problem and count, no value."""
    lines = [
        f"{attribute}, level {level}: {problem} ({affected})"
        for attribute, level, problem, affected in problems
    ]
    return HierarchyError(
        "Hierarchies are not sound: " + "; ".join(lines) + ".",
        where=plan.where("columns", problems[0][0], "hierarchy"),
        fix="every value needs one row, every label one coarser label, and the last level one"
        " value; `sqlanon hierarchy check` lists all problems",
    )


def known_level_count(attribute: str, hierarchy: Hierarchy) -> int:
    """Levels of a hierarchy, where they are known.

    Raises:
        PlanError: only the data can tell.
    """
    if hierarchy.level_count is None:
        raise PlanError(
            f"How many levels the hierarchy of '{attribute}' has is only known from the data.",
            where=f"columns.{attribute}.hierarchy",
            fix="run `sqlanon solve` first, or give `characters` in the mask",
        )
    return hierarchy.level_count


def _rule_inputs(hierarchy: Hierarchy) -> dict[str, Any]:
    """Variables of a hierarchy's template."""
    if isinstance(hierarchy, IntervalHierarchy):
        intervals = hierarchy.intervals
        digits = max(-int(n.as_tuple().exponent) for n in (*intervals.widths, intervals.start))
        unit = Decimal(1).scaleb(-max(digits, 0))
        return {
            **intervals.model_dump(exclude={"start"}),
            "unit": unit,
            "start": int(intervals.start / unit),
        }
    if isinstance(hierarchy, CutPointHierarchy):
        return {"ranges": hierarchy.ranges}
    if isinstance(hierarchy, MaskHierarchy):
        return hierarchy.mask.model_dump()
    if isinstance(hierarchy, DateHierarchy):
        return {"periods": hierarchy.date}
    if isinstance(hierarchy, RoundHierarchy):
        return {"digits": hierarchy.round}
    if isinstance(hierarchy, QueryHierarchy):
        return {"query": query_text(hierarchy.query, "hierarchy"), "columns": hierarchy.columns}
    if isinstance(hierarchy, FileHierarchy | TaxonomyHierarchy):
        return hierarchy.model_dump()
    return {}
