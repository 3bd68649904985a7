"""From a plan to a partitioning problem: the order of values, and the places of the source's cells.

This module yields steps and executes nothing. The kind of an attribute's values is stated in the
plan, follows from the hierarchy, or is found in the data; a solution records it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlanon.errors import HierarchyError, PlanError
from sqlanon.hierarchies.base import CutKind, Hierarchy
from sqlanon.hierarchies.grid import Grid
from sqlanon.plan.plan import Plan
from sqlanon.search.dealing import DealingProblem, Stratum
from sqlanon.search.partition import PartitionProblem
from sqlanon.search.scales import CutAttribute
from sqlanon.source.checks import counted_rows, proven_steps, require_persons
from sqlanon.source.grids import grids_of, stated_grids, undecided_grids
from sqlanon.source.hierarchies import (
    hierarchy_error,
    hierarchy_name,
    hierarchy_problems,
    known_level_count,
    label_digests,
    with_known_levels,
)
from sqlanon.source.tables import (
    counted_aliases,
    person_alias,
    population_count_name,
    row_count_name,
    source_steps,
)
from sqlanon.sql.render import question, templated
from sqlanon.sql.step import Rows, Search, Step, words


@dataclass(frozen=True)
class PartitionShape:
    """What must be known of the data to write a partition's SQL.

    Attributes:
        hierarchies: of quasi-identifiers in the order of one and of sensitive attributes, with
            known levels.
        kinds: by quasi-identifier, in the order of the plan.
        grids: by quasi-identifier whose values are rounded down to a grid; None if every value has
            a place of its own, as where ends are exact, and where nobody cuts.
        labels: by column, the digest of its labels; empty where no search reads them.
    """

    hierarchies: Mapping[str, Hierarchy]
    kinds: Mapping[str, CutKind]
    grids: Mapping[str, Grid] | None = None
    labels: Mapping[str, str] = field(default_factory=dict)


def used_hierarchies(
    plan: Plan, kinds: Mapping[str, CutKind | None], hierarchies: Mapping[str, Hierarchy]
) -> dict[str, Hierarchy]:
    """The hierarchies that a partition reads.

    Those that order the values of an attribute, of sensitive attributes, and of attributes that
    distinguish strata.
    """
    return {
        name: hierarchy
        for name, hierarchy in hierarchies.items()
        if name not in plan.quasi_identifiers
        or is_ordered_by(hierarchy, kinds.get(name))
        or name in plan.method.strata
    }


def is_ordered_by(hierarchy: Hierarchy, kind: CutKind | None) -> bool:
    """Whether values of this kind are ordered by their hierarchy; each label has neighbors."""
    return kind == "categorical" or (kind == "nominal" and hierarchy.cut_kind is not None)


def cut_attributes(plan: Plan, shape: PartitionShape) -> tuple[CutAttribute, ...]:
    """The quasi-identifiers whose values are ordered, as the search for cuts sees them."""
    attributes = []
    columns = zip(plan.quasi_identifiers.items(), words(list(plan.quasi_identifiers)), strict=True)
    for number, ((name, column), word) in enumerate(columns, start=1):
        if name not in shape.kinds:
            continue
        is_tree = is_ordered_by(column.hierarchy, shape.kinds[name])
        is_text = shape.kinds[name] in ("ordinal", "nominal")
        attributes.append(
            CutAttribute(
                number=number,
                name=name,
                word=word,
                kind=shape.kinds[name],
                weight=column.weight,
                hierarchy=hierarchy_name(name) if is_tree else "",
                level_count=known_level_count(name, shape.hierarchies[name]) if is_tree else 0,
                grid=(shape.grids or {}).get(name),
                least_persons=plan.least_persons if is_text and shape.grids is not None else 0,
            )
        )
    return tuple(attributes)


def partition_problem(plan: Plan, shape: PartitionShape, row_count: int = 0) -> PartitionProblem:
    """The problem of a plan whose table is cut, or whose rows are dealt.

    Args:
        row_count: of the input; not needed to write SQL.
    """
    inputs: dict[str, Any] = {
        "attributes": cut_attributes(plan, shape),
        "promises": plan.promises,
        "row_count": row_count,
        "k": plan.bucket_size if plan.method.deals_rows else plan.k,
        "cutting": plan.method.cutting,
        "columns": plan.published_columns,
        "release": plan.sha256,
        "beside": _beside(plan, shape),
    }
    if not plan.method.deals_rows:
        return PartitionProblem(**inputs)
    attribute, strata = plan.dealt_attribute or "", plan.method.strata
    return DealingProblem(
        **inputs,
        attribute=attribute,
        apart=plan.method.keeps_values_apart,
        parts=tuple(tuple(part) for part in plan.published_parts(plan.column_groups)),
        strata=tuple(
            Stratum(name, word, hierarchy_name(name), level)
            for (name, level), word in zip(strata.items(), words(list(strata)), strict=True)
        ),
    )


def _beside(plan: Plan, shape: PartitionShape) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What else determines the publication: the population and the hierarchies."""
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


def place_steps(plan: Plan, attributes: Sequence[CutAttribute]) -> list[Step]:
    """Steps for the places of values and of what labels cover, and the proof that all have one."""
    if not attributes:
        return []
    inputs = {"attributes": attributes}
    return [
        templated("partition/value_places", unit_alias=person_alias(plan), **inputs),
        templated("partition/proof_of_value_places", "proof", **inputs),
        templated("partition/places"),
        templated("partition/label_places", **inputs),
    ]


def cell_steps(plan: Plan, problem: PartitionProblem) -> list[Step]:
    """The source as places: one row per distinct combination, or per row if rows are dealt."""
    if problem.is_relaxed:
        return problem.relaxed_cell_steps()
    return [
        templated(
            "partition/cells",
            attributes=problem.attributes,
            counted=[
                (column, alias)
                for column, (_, alias) in zip(problem.counted, counted_aliases(plan), strict=True)
            ],
            unit_alias=person_alias(plan),
            row_count=row_count_name(plan),
            population_count=population_count_name(plan) if plan.population else None,
        )
    ]


def prepare_places(
    plan: Plan, hierarchies: Mapping[str, Hierarchy]
) -> Search[tuple[PartitionShape, dict[str, int]]]:
    """Read the source and its hierarchies, and give every value a place.

    Returns:
        what the SQL of the partition depends on, and the row counts of the input.

    Raises:
        HierarchyError: a hierarchy is not nested, lacks a value, has no single top value, or has
            labels that say nothing clear of a bucket.
        PlanError: the source is empty, or some values cannot be ordered.
    """
    yield from proven_steps(plan, source_steps(plan))
    counts = yield from counted_rows(plan)
    yield from require_persons(plan)
    kinds = yield from kinds_of(plan)
    _require_located(plan, kinds)
    used = used_hierarchies(plan, kinds, hierarchies)
    known = yield from with_known_levels(plan, used)
    problems = yield from hierarchy_problems(plan, known)
    if problems:
        raise hierarchy_error(plan, problems)
    if plan.labeled_in_buckets:
        yield from _require_clear_labels(plan)
    shape = PartitionShape(known, kinds, labels=(yield from label_digests(known)))
    if plan.method.hides_ends:
        grids = yield from grids_of(plan, cut_attributes(plan, shape))
        shape = replace(shape, grids=grids)
    yield from placed_values(plan, cut_attributes(plan, shape))
    return shape, counts


def _require_located(plan: Plan, kinds: Mapping[str, CutKind]) -> None:
    """Check that labels locate the persons of a population.

    Raises:
        PlanError: a label may say how many values it stands for, and not which.
    """
    if plan.population is None or plan.method.label_extent(population=True) is None:
        return
    for name, kind in kinds.items():
        if kind == "nominal":
            raise PlanError(
                f"The labels of '{name}' do not name all of their values, so they do not show where"
                " the persons of the population belong.",
                where=plan.where("columns", name),
                fix="write `type: ordinal` to cut its values in the order of their text, or give it"
                " a hierarchy and `type: categorical`",
            )


def _require_clear_labels(plan: Plan) -> Search[None]:
    """Check that a label determines its level, or stands for the same values at all of them.

    The proof counts everybody whom the labels of a bucket fit, at whatever level.

    Raises:
        HierarchyError: a label stands for different values at two levels.
    """
    found = yield question("buckets/ambiguous_labels")
    if found:
        attribute, count = found[0]
        raise HierarchyError(
            f"{count:,} label(s) of '{attribute}' stand for some values at one level of the"
            " hierarchy and for others at another one, so a reader cannot see what they say of a"
            " bucket.",
            where=plan.where("columns", attribute, "hierarchy"),
            fix="write such a label differently at each level, such as 'New York (state)'; if a"
            " value is '*', as the last level is, write it differently in a `source: {query: …}`",
        )


def placed_values(plan: Plan, attributes: Sequence[CutAttribute]) -> Search[None]:
    """Give every value a place.

    Raises:
        PlanError: some values have no place.
    """
    for step in place_steps(plan, attributes):
        found = yield step
        if found:
            raise _place_error(plan, found)


def stated_kinds(plan: Plan) -> dict[str, CutKind | None]:
    """The kind of each quasi-identifier's values, for cuts; None if the data decides."""
    method = plan.method
    if not method.is_placed:
        return {}
    if method.cuts_along_hierarchies:
        return dict.fromkeys(plan.quasi_identifiers, "categorical")
    return {name: column.kind for name, column in plan.quasi_identifiers.items()}


def stated_shape(plan: Plan, hierarchies: Mapping[str, Hierarchy]) -> PartitionShape:
    """What the plan states without a query of the data.

    Raises:
        PlanError: it does not state all that is needed.
    """
    kinds = stated_kinds(plan)
    unknown = [name for name, kind in kinds.items() if kind is None]
    if unknown:
        raise PlanError(
            f"The plan does not state the type of '{unknown[0]}', so only the data shows it.",
            where=plan.where("columns", unknown[0]),
            fix="run `sqlanon solve` first, or write `type: numeric`, date, ordinal or nominal",
        )
    if not plan.method.is_one_statement:
        raise PlanError(
            f"How '{plan.method.name}' divides the rows depends on the data.",
            where=plan.where("method"),
            fix="run `sqlanon solve` first; then `sqlanon compile` writes the program",
        )
    known = {name: kind for name, kind in kinds.items() if kind is not None}
    _require_located(plan, known)
    undecided = undecided_grids(plan, known) if plan.method.hides_ends else []
    if undecided:
        raise PlanError(
            f"Only the data shows on which grid the ranges of '{undecided[0]}' end, if on any.",
            where=plan.where("columns", undecided[0]),
            fix="run `sqlanon solve` first, or write `grid:` with a width or a period",
        )
    grids = stated_grids(plan, known) if plan.method.hides_ends else None
    return PartitionShape(used_hierarchies(plan, known, hierarchies), known, grids=grids)


def kinds_of(plan: Plan) -> Search[dict[str, CutKind]]:
    """The kind of every quasi-identifier; if the plan does not state it, the values decide.

    Raises:
        PlanError: some values are numbers, and others are not.
    """
    kinds = stated_kinds(plan)
    unknown = [name for name, kind in kinds.items() if kind is None]
    if unknown:
        rows = yield question("partition/value_kinds", names=unknown)
        for name, values, numbers, dates in rows:
            if 0 < numbers < values:
                raise PlanError(
                    f"Of {values:,} values of '{name}', {numbers:,} are numbers and the others are"
                    " not, so their order is unclear.",
                    where=plan.where("columns", name),
                    fix="write `type: ordinal` to order them as text, or fix the values in a"
                    " `source: {query: …}`",
                )
            kinds[name] = "numeric" if numbers else "date" if values and dates == values else None
    return {name: kind or "ordinal" for name, kind in kinds.items()}


def _place_error(plan: Plan, problems: Rows) -> PlanError:
    """The error for rows of `proof_of_value_places`: attribute, problem and count; no value."""
    attribute = problems[0][0]
    listed = "; ".join(f"{name}: {count:,} value(s) {what}" for name, what, count in problems)
    return PlanError(
        f"'{attribute}' is cut by numbers or dates, but not all of its values can be: {listed}.",
        where=plan.where("columns", attribute),
        fix="write missing values as NULL, also ends that are open (9999-12-31), and others as"
        " numbers or dates (2026-11-21, 2026-11-21 14:00, without a time zone), or give the column"
        " `type: ordinal`",
    )
