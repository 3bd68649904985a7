"""The search of `optimal` as plain SQL, for a program that is compiled without a solution.

One statement scores every node of the lattice (node table × frequency set), another computes the
cost of every satisfying node, and the cheapest is chosen; ties are broken as in `run`.
"""

from __future__ import annotations

import math

from sqlanon.errors import PlanError
from sqlanon.plan.plan import Plan
from sqlanon.search.decisions import counted_inputs, decision_inputs, kept_inputs
from sqlanon.source.frequency_set import Shape
from sqlanon.sql.render import Expression, number, templated
from sqlanon.sql.step import Step
from sqlanon.utility.base import UtilityContext

LARGEST_LATTICE = 20_000
"""Nodes of the largest lattice that one statement searches in reasonable time."""

_ROWS = Expression("(select sum(row_count) from sqlanon.frequency_set)")
_MASK = "(select mask from sqlanon.level_codes where attribute_number = {} and level = 0)"


def search_steps(plan: Plan, shape: Shape) -> list[Step]:
    """The steps that find the node: all nodes, their scores, their costs, the cheapest.

    Raises:
        PlanError: the search of the method cannot be one program, or the lattice is too large.
    """
    levels = [shape.level_count(name) for name in plan.quasi_identifiers]
    size = math.prod(levels)
    if not plan.method.is_one_statement:
        raise PlanError(
            f"The search of '{plan.method.name}' cannot be written as one SQL program.",
            where=plan.where("method"),
            fix="run `sqlanon solve` first; then `sqlanon compile` writes the release program",
        )
    if size > LARGEST_LATTICE:
        raise PlanError(
            f"The lattice has {size:,} nodes; a program can search at most"
            f" {LARGEST_LATTICE:,} nodes.",
            where=plan.where("method"),
            fix="run `sqlanon solve` first; then `sqlanon compile` writes the release program",
        )
    attributes = list(enumerate(plan.quasi_identifiers, start=1))
    limit = number((plan.suppression.limit or 0) if plan.may_suppress else 0)
    limit_rows = Expression(f"(select floor({limit} * sum(row_count)) from sqlanon.frequency_set)")
    context = UtilityContext(
        row_count=_ROWS,
        limit_rows=limit_rows,
        k=plan.promises.anonymity_k,
        words=shape.word_count,
        weights={name: column.weight for name, column in plan.quasi_identifiers.items()},
        heights={name: shape.level_count(name) - 1 for name in plan.quasi_identifiers},
        kinds={name: column.kind for name, column in plan.quasi_identifiers.items()},
        class_values=plan.promises.class_values_by_name,
        classes="label_classes" if plan.promises.linked else "decided_classes",
    )
    measure = plan.objective
    masked = plan.suppression.rows == "mask"
    places = [(shape.words[name], Expression(_MASK.format(n))) for n, name in attributes]
    kept = kept_inputs(plan.promises, shape.word_count, masked=masked)
    batch = {
        "nodes": range(size),
        "relation": "frequency_set",
        "roll_up": None,
        "chosen": False,
        **decision_inputs(plan.promises, places, masked=masked),
    }
    return [
        templated(
            "search/lattice_nodes",
            attributes=attributes,
            words=shape.word_count,
            size=size,
            place=shape.words,
        ),
        templated(
            "search/scored_nodes",
            **batch,
            node_table="lattice_nodes",
            **counted_inputs(plan.promises),
            **kept,
        ),
        templated(
            "search/satisfying_nodes",
            limit_rows=limit_rows,
            limit=limit,
            compared=bool(kept["kept_checks"]),
            covered=any(model.needs_cover for model in plan.privacy),
        ),
        templated(
            "search/valued_nodes",
            **batch,
            node_table="satisfying_nodes",
            **counted_inputs(plan.promises, measure),
            attributes=attributes,
            measure_title=measure.name,
            measure_sql=measure.sql(context),
        ),
        templated("search/chosen_node", attributes=attributes, is_whole=measure.is_whole,
                  is_list=getattr(measure, "aggregate", "") == "rank"),
    ]  # fmt: skip
