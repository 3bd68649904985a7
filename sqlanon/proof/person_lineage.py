"""The proof that the key of persons is counted, and not published, from the SQL alone.

A plan that counts persons reads their key, which stands in `source_rows` and `person_rows` and no
further: the release publishes how many persons a class has, and none of the keys.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from sqlanon.plan.plan import Plan
from sqlanon.proof.query_lineage import QueryReader
from sqlanon.proof.relations import Cell, Readable, Relation
from sqlanon.proof.source_select import refusal
from sqlanon.source.tables import unit_alias
from sqlanon.sql.step import WORK_CATALOG, Step

PERSON_ROWS = "person_rows"
"""The step with the rows that are published, and the key of the person of each."""


def check_key_is_counted(plan: Plan, tree: exp.Query, step: Step) -> None:
    """Check that a step passes the key of persons on under its own name, counts it, or numbers it.

    Raises:
        EngineError: a column of the step is made of the key in another way.
    """
    keys = {(plan.person or "").lower(), unit_alias(plan).lower()}
    for select in tree.find_all(exp.Select):
        for projection in select.expressions:
            if isinstance(projection, exp.Subquery) or projection.find(exp.Subquery):
                continue  # its own select is looked at, too
            for column in projection.find_all(exp.Column):
                if column.name.lower() not in keys:
                    continue
                is_named = projection.alias_or_name.lower() in keys
                inner = projection.this if isinstance(projection, exp.Alias) else projection
                counts = column.find_ancestor(exp.Count) or _numbers(column)
                if not (counts or (inner is column and is_named)):
                    raise refusal(step.name, f"computes '{projection.alias_or_name}' from the key")


def _numbers(column: exp.Column) -> bool:
    """Whether a key is read to number persons by its rank."""
    window = column.find_ancestor(exp.Window)
    return window is not None and isinstance(window.this, exp.DenseRank)


def person_rows_as_made(plan: Plan, place: str) -> Relation:
    """The columns of `person_rows`, each as if it were one of the source."""
    names = (place, *plan.staged_columns, *sum(plan.bound_columns.values(), ()))
    return Relation({name.lower(): Cell(frozenset({name}), exp.column(name)) for name in names})


def released_of_persons(plan: Plan, tree: exp.Query, step: Step, rows: Relation) -> Relation:
    """What a release publishes of `person_rows`.

    Args:
        rows: the columns of `person_rows`.

    Raises:
        EngineError: a column depends on the key of persons, but for the number of persons.
    """
    readable = Readable(tables={PERSON_ROWS: rows})
    found = QueryReader(plan, readable, step.name, WORK_CATALOG).relation(tree)
    counted = (plan.persons_column or "").lower()
    for name, cell in found.columns.items():
        if name == counted and not isinstance(cell.tree, exp.Count):
            raise refusal(step.name, f"does not count '{name}'")
        if name != counted and plan.person in cell.sources:
            raise refusal(step.name, f"computes '{name}' from the key of persons")
    return found


def persons_lineage(plan: Plan) -> Mapping[str, tuple[str, ...]]:
    """The columns that the number of persons depends on, by its own column."""
    if plan.persons_column is None or plan.person is None:
        return {}
    return {plan.persons_column: (plan.person, *plan.quasi_identifiers)}
