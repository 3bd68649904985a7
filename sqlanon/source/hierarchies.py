"""The hierarchies as tables over the values of the source, and the proof that they nest."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import NamedTuple

from sqlanon.errors import HierarchyError, PlanError, united
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.plan.plan import Plan
from sqlanon.source.reading import column_as_read
from sqlanon.sql.render import question, render, templated
from sqlanon.sql.step import Rows, Search, Step, quoted


def hierarchy_steps(plan: Plan, hierarchies: Mapping[str, Hierarchy]) -> list[Step]:
    """One table per hierarchy, a table of all of them, and a table of what is wrong with them."""
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
        templated("source/hierarchy_levels", hierarchies=named),
        *(
            Step(
                column.named("value_levels"),
                render("source/value_levels.sql", column=column),
                "view",
            )
            for name, column in plan.promises.columns.items()
            if name in hierarchies
        ),
        templated("source/proof_of_hierarchies", "proof", attributes=names),
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
            rule=render(
                hierarchy.template,
                values="known_values",
                rule=hierarchy.inputs,
                selected=[(level, f"level_{level}") for level in range(level_count)],
            ),
        ),
    )


def hierarchy_name(attribute: str) -> str:
    """The table that holds the hierarchy of a quasi-identifier."""
    return f"hierarchy_of_{attribute}"


class Generalized(NamedTuple):
    """What becomes of a column: in words, and the SQL expression that makes it."""

    how: str
    expression: str


def generalized(plan: Plan, name: str, hierarchy: Hierarchy, level: int) -> Generalized:
    """What becomes of a quasi-identifier at a level of its hierarchy."""
    count = known_level_count(name, hierarchy)
    title, top = level_title(plan, name, hierarchy, count, level), count - 1
    if 0 < level < top and hierarchy.level_titles is not None:
        title = f"level {level} of {top}, {title}"
    label = f"{quoted(hierarchy_name(name))}.level_{level}"
    return Generalized(title, label if level else column_as_read(plan, name))


def level_titles(hierarchy: Hierarchy, level_count: int) -> list[str]:
    """A description of each level, from level 0."""
    between = hierarchy.level_titles or [f"level {n} of its file or query" for n in
                                         range(1, level_count - 1)]  # fmt: skip
    top = ["one value for all"] if level_count > 1 else []
    return ["as in the source", *between, *top]


def level_title(plan: Plan, name: str, hierarchy: Hierarchy, level_count: int, level: int) -> str:
    """A description of one level; if it stands in a file of the plan, of which one."""
    stated = plan.hierarchies.get(name)
    is_between = 0 < level < level_count - 1
    if is_between and hierarchy.level_titles is None and stated is not None and stated.file_path:
        return f"level {level} of {stated.file_path}"
    return level_titles(hierarchy, level_count)[level]


def with_known_levels(
    plan: Plan, hierarchies: Mapping[str, Hierarchy]
) -> Search[dict[str, Hierarchy]]:
    """The hierarchies with their levels, where the data decides of them what the plan does not."""
    known = dict(hierarchies)
    for name, hierarchy in hierarchies.items():
        step = hierarchy.counting_step(name)
        if step is not None:
            rows = yield step
            try:
                known[name] = hierarchy.with_answer(rows)
            except ValueError as error:
                raise HierarchyError(
                    f"The hierarchy of '{name}' {error.args[0]}.",
                    where=plan.where("columns", name, "hierarchy"),
                    fix=error.args[1],
                ) from None
    return known


def hierarchy_problems(plan: Plan, hierarchies: Mapping[str, Hierarchy]) -> Search[Rows]:
    """Create the tables of these hierarchies; return one row for each problem."""
    problems: Rows = []
    for step in hierarchy_steps(plan, hierarchies):
        problems = yield step
    return problems


def label_digests(hierarchies: Mapping[str, Hierarchy]) -> Search[dict[str, str]]:
    """A digest of what makes the labels of each hierarchy, by level.

    Of a file or a query these are its rows, whichever engine reads them, and of a rule its
    parameters: a rule has labels for whatever values the source has.
    """
    listed = [name for name, found in hierarchies.items() if found.file_path or found.select]
    digests = {
        name: hashlib.sha256(f"{found.key} {found.model_dump_json()}".encode()).hexdigest()
        for name, found in hierarchies.items()
        if name not in listed
    }
    if listed:
        digests |= dict((yield question("source/label_digests", attributes=listed)))
    return {name: digests[name] for name in hierarchies}


def nesting_problems(plan: Plan, hierarchies: Mapping[str, Hierarchy]) -> Search[Rows]:
    """The problems of hierarchies that need no value of the source to be seen.

    Returns:
        one row for each problem, as of `proof_of_hierarchies`.
    """
    yield Step("source_values", render("source/no_values.sql"))
    problems: Rows = []
    for step in hierarchy_steps(plan, hierarchies):
        if step.kind != "view":  # the views are of counted values
            problems = yield step
    return problems


def unsound_values_step(hierarchies: Mapping[str, Hierarchy], most: int) -> Step:
    """The question for values and labels that have a problem of `proof_of_hierarchies`.

    Args:
        most: how many of each problem are wanted, 1 or more.
    """
    return question("source/unsound_values", attributes=list(hierarchies), most=most)


def hierarchy_rows(attribute: str, hierarchy: Hierarchy) -> Search[Rows]:
    """Create the table of one hierarchy; return its labels from the top down, and counts of rows.

    Returns:
        one row per value, in the order of numbers, then of texts: the labels, and the number of
        rows of the source with the value.
    """
    _ = yield hierarchy_step(attribute, hierarchy)
    return (
        yield question(
            "source/hierarchy_rows",
            name=hierarchy_name(attribute),
            attribute=attribute,
            level_count=known_level_count(attribute, hierarchy),
        )
    )


def hierarchy_error(plan: Plan, problems: Rows) -> PlanError:
    """The error for rows of `proof_of_hierarchies`: attribute, level, problem and count; no value.

    Returns:
        an error with a fault for each hierarchy.
    """
    found: dict[str, list[str]] = {}
    for attribute, level, problem, affected in problems:
        line = f"{attribute}, level {level}: {problem} ({affected})"
        found.setdefault(attribute, []).append(line)
    return united(
        [
            HierarchyError(
                f"A hierarchy is not valid: {'; '.join(lines)}.",
                where=plan.where("columns", attribute, "hierarchy"),
                fix="give every value one row, every label one coarser label, and the last level a"
                " single value; `sqlanon hierarchy check` lists all problems, and with"
                " --show-values the values without a row",
            )
            for attribute, lines in found.items()
        ]
    )


def known_level_count(attribute: str, hierarchy: Hierarchy) -> int:
    """The number of levels of a hierarchy.

    Raises:
        PlanError: the number is only known from the data.
    """
    if hierarchy.level_count is None:
        raise PlanError(
            f"The number of levels of the hierarchy of '{attribute}' is only known from the data.",
            where=f"columns.{attribute}.hierarchy",
            fix="run `sqlanon solve` first, or give `characters` or `points`",
        )
    return hierarchy.level_count
