"""From a plan to a partitioning problem: values in an order, and the source's cells in places.

Everything here is steps; nothing is executed. What kind of values an attribute has is stated in the
plan, or follows from its hierarchy, or is asked of the data; a solution records it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from sqlanon.errors import PlanError
from sqlanon.hierarchies.base import CutKind, Hierarchy
from sqlanon.methods.base import DealingMethod, PartitionMethod, RegionMethod
from sqlanon.plan.plan import Plan
from sqlanon.search.dealing import DealingProblem, Stratum
from sqlanon.search.partition import CutAttribute, PartitionProblem
from sqlanon.source.checks import counted_rows, proven_steps, require_persons
from sqlanon.source.hierarchies import (
    hierarchy_error,
    hierarchy_name,
    hierarchy_problems,
    known_level_count,
    with_known_levels,
)
from sqlanon.source.tables import (
    counted_aliases,
    population_count_name,
    row_count_name,
    source_steps,
    unit_alias,
)
from sqlanon.sql.render import render
from sqlanon.sql.step import Rows, Search, Step, asked


@dataclass(frozen=True)
class PartitionShape:
    """What must be known of the data to write a partition's SQL.

    Attributes:
        hierarchies: of categorical quasi-identifiers and sensitive attributes, levels known.
        kinds: per quasi-identifier, in the order of the plan.
    """

    hierarchies: Mapping[str, Hierarchy]
    kinds: Mapping[str, CutKind]


def used_hierarchies(
    plan: Plan, kinds: Mapping[str, CutKind | None], hierarchies: Mapping[str, Hierarchy]
) -> dict[str, Hierarchy]:
    """The hierarchies that a partition reads: of what is cut along one, of sensitive values, and
    of what tells strata apart."""
    strata = plan.method.strata if isinstance(plan.method, DealingMethod) else {}
    return {
        name: hierarchy
        for name, hierarchy in hierarchies.items()
        if name not in plan.quasi_identifiers or kinds.get(name) == "categorical" or name in strata
    }


def problem_of(plan: Plan, shape: PartitionShape, row_count: int = 0) -> PartitionProblem:
    """The problem of a plan; without a row count for writing SQL alone."""
    attributes = []
    for number, (name, column) in enumerate(plan.quasi_identifiers.items(), start=1):
        if name not in shape.kinds:
            continue
        is_tree = shape.kinds[name] == "categorical"
        attributes.append(
            CutAttribute(
                number=number,
                name=name,
                kind=shape.kinds[name],
                weight=column.weight,
                hierarchy=hierarchy_name(name) if is_tree else "",
                level_count=known_level_count(name, shape.hierarchies[name]) if is_tree else 0,
            )
        )
    if not isinstance(plan.method, DealingMethod):
        return PartitionProblem(
            tuple(attributes),
            plan.promises,
            row_count,
            plan.k,
            columns=plan.published_columns,
            release=plan.sha256,
            beside=_beside(plan, shape),
        )
    attribute = plan.dealt_attribute or ""
    return DealingProblem(
        tuple(attributes),
        plan.promises,
        row_count,
        plan.bucket_size,
        columns=plan.published_columns,
        release=plan.sha256,
        beside=_beside(plan, shape),
        attribute=attribute,
        number=plan.counted_columns.index(attribute) + 1,
        part_count=len(plan.published_parts(plan.column_groups)),
        strata=tuple(
            Stratum(name, hierarchy_name(name), level) for name, level in plan.method.strata.items()
        ),
    )


def _beside(plan: Plan, shape: PartitionShape) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What decides the publication beside the plan and the source: population and hierarchies."""
    people = (*plan.quasi_identifiers, population_count_name(plan))
    return (
        *((("population_combinations", people),) if plan.population else ()),
        *(
            (
                hierarchy_name(name),
                tuple(f"level_{level}" for level in range(known_level_count(name, hierarchy))),
            )
            for name, hierarchy in shape.hierarchies.items()
        ),
    )


def place_steps(plan: Plan, shape: PartitionShape) -> list[Step]:
    """Places of values, and of what the labels of hierarchies cover; proofs that all have one."""
    inputs = {"attributes": problem_of(plan, shape).attributes}
    if not inputs["attributes"]:
        return []
    return [
        Step("value_places", render("partition/value_places.sql", **inputs)),
        Step("place_problems", render("partition/place_problems.sql", **inputs), "proof"),
        Step("label_places", render("partition/label_places.sql", **inputs)),
    ]


def cell_steps(plan: Plan, shape: PartitionShape) -> list[Step]:
    """The source as places: one row per distinct combination, or per row where rows are dealt."""
    problem = problem_of(plan, shape)
    if is_dealt(plan, problem):
        return problem.relaxed_cell_steps()
    cells = render(
        "partition/cells.sql",
        attributes=problem.attributes,
        counted=counted_aliases(plan),
        unit_alias=unit_alias(plan) if plan.unit else None,
        row_count=row_count_name(plan),
        population_count=population_count_name(plan) if plan.population else None,
    )
    return [Step("cells", cells)]


def is_dealt(plan: Plan, problem: PartitionProblem) -> bool:
    """Whether rows of one combination may be dealt to several classes."""
    method = plan.method
    return isinstance(method, RegionMethod) and problem.is_dealt(method.cutting)


def prepare_partition(
    plan: Plan, hierarchies: Mapping[str, Hierarchy]
) -> Search[tuple[PartitionProblem, PartitionShape, dict[str, int]]]:
    """Build the cells; ask what a search needs to know.

    Returns:
        the problem, what its SQL depends on, and the rows of the input.

    Raises:
        HierarchyError: a hierarchy is not nested, lacks a value, or has no single top value.
        PlanError: the source is empty, or values have no order.
    """
    yield from proven_steps(plan, source_steps(plan))
    counts = yield from counted_rows(plan)
    yield from require_persons(plan)
    kinds = yield from kinds_of(plan)
    used = used_hierarchies(plan, kinds, hierarchies)
    known = yield from with_known_levels(plan, used)
    problems = yield from hierarchy_problems(plan, known)
    if problems:
        raise hierarchy_error(plan, problems)
    shape = PartitionShape(known, kinds)
    yield from placed_values(plan, shape)
    yield from asked(cell_steps(plan, shape))
    return problem_of(plan, shape, counts["rows"]), shape, counts


def placed_values(plan: Plan, shape: PartitionShape) -> Search[None]:
    """Give every value its place.

    Raises:
        PlanError: values have none.
    """
    for step in place_steps(plan, shape):
        found = yield step
        if found:
            raise _place_error(plan, found)


def stated_kinds(plan: Plan) -> dict[str, CutKind | None]:
    """What the values of each quasi-identifier are, for cuts; None where only the data can tell."""
    method = cast(PartitionMethod, plan.method)
    if not method.is_placed:
        return {}
    if method.cuts_along_hierarchies:
        return dict.fromkeys(plan.quasi_identifiers, "categorical")
    return {name: column.kind for name, column in plan.quasi_identifiers.items()}


def kinds_of(plan: Plan) -> Search[dict[str, CutKind]]:
    """The kind of every quasi-identifier; of those that the plan leaves open, by their values.

    Raises:
        PlanError: some values are numbers, and others are not.
    """
    kinds = stated_kinds(plan)
    opened = [name for name, kind in kinds.items() if kind is None]
    if opened:
        rows = yield Step("value_kinds", render("partition/value_kinds.sql", names=opened), "rows")
        for name, values, numbers, dates in rows:
            if 0 < numbers < values:
                raise PlanError(
                    f"Of {values:,} values of '{name}', {numbers:,} are numbers and the others are"
                    " not, so their order is not clear.",
                    where=plan.where("columns", name),
                    fix="write `type: ordinal` for the order of text, or mend the values in a"
                    " `source: {query: …}`",
                )
            kinds[name] = "numeric" if numbers else "date" if values and dates == values else None
            kinds[name] = kinds[name] or "ordinal"
    return cast(dict[str, CutKind], kinds)


def _place_error(plan: Plan, problems: Rows) -> PlanError:
    """The error for rows of `place_problems`: attribute, problem and count, no value."""
    attribute, problem, _ = problems[0]
    told = "; ".join(f"{name}: {count:,} value(s) {what}" for name, what, count in problems)
    kind = "date" if "date" in problem or "time" in problem else "numeric"
    return PlanError(
        f"'{attribute}' is cut as {kind}, but not all its values can be: {told}.",
        where=plan.where("columns", attribute),
        fix="write missing values as NULL and others as numbers or dates (2026-11-21, 2026-11-21"
        " 14:00, without a time zone), or give the column `type: ordinal`",
    )
