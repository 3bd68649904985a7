"""The proof that no identifier can flow into a publication, from the SQL alone, before it runs.

Only one step, `source_rows`, reads the source; it names its columns one by one. So a program
leaks no identifier if (1) no other step reads the source, and (2) every column that `source_rows`
touches, in its select list, its filters or anywhere else, is no identifier, but for a pseudonym's
column inside its keyed hash. What cannot be read that way is refused, not believed.
"""

from __future__ import annotations

from collections.abc import Iterable

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlanon.errors import EngineError
from sqlanon.plan import Identifier, Plan
from sqlanon.step import WORK_CATALOG, Step

_SOURCE = "source"
_SOURCE_ROWS = "source_rows"


def prove_no_identifier_flows(plan: Plan, steps: Iterable[Step]) -> dict[str, list[str]]:
    """For each published column, the source columns that it can depend on, row for row.

    Raises:
        EngineError: an identifier's value could reach the publication, or the SQL is of a form
            whose lineage cannot be proven.
    """
    known = set()
    touched: list[str] | None = None
    for step in steps:
        if step.name == _SOURCE:
            known.add(step.name)
            continue
        tree = _parse(step)
        read = _relations(tree, step)
        if step.name == _SOURCE_ROWS:
            touched = _check_source_rows(plan, tree, read, step)
        elif _SOURCE in read:
            raise _refusal(step, "reads the source itself")
        unknown = read - known
        if unknown:
            raise _refusal(step, f"reads {', '.join(sorted(unknown))}, which no step made")
        known.add(step.name)
    if touched is None:
        raise EngineError(
            "The program has no step that names the source's columns.",
            where="lineage",
            fix="report this as a bug of sqlanon",
        )
    quasi_identifiers = list(plan.quasi_identifiers)
    return {
        name: quasi_identifiers if name in plan.quasi_identifiers else [name]
        for name in plan.published_columns
    }


def _parse(step: Step) -> exp.Query:
    try:
        trees = sqlglot.parse(step.sql, dialect="duckdb")
    except SqlglotError:
        raise _refusal(step, "cannot be parsed") from None
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        raise _refusal(step, "is not one select")
    return trees[0]


def _relations(tree: exp.Query, step: Step) -> set[str]:
    """Working tables that a select reads; functions that read files must be hierarchies'."""
    common = {cte.alias_or_name for cte in tree.find_all(exp.CTE)}
    read = set()
    for table in tree.find_all(exp.Table):
        if table.catalog == WORK_CATALOG or table.db == WORK_CATALOG:
            read.add(table.name)
        elif isinstance(table.this, exp.Identifier) and table.name not in common:
            raise _refusal(step, f"reads {table.name}, which is no working table")
    return read


def _check_source_rows(plan: Plan, tree: exp.Query, read: set[str], step: Step) -> list[str]:
    if read != {_SOURCE} or tree.find(exp.Star) is not None:
        raise _refusal(step, "does not name the source's columns one by one")
    pseudonyms = {
        name.lower()
        for name, column in plan.columns.items()
        if isinstance(column, Identifier) and column.action == "pseudonym"
    }
    identifiers = {n.lower() for n, c in plan.columns.items() if isinstance(c, Identifier)}
    touched = []
    for column in tree.find_all(exp.Column):
        name = column.name.lower()
        touched.append(column.name)
        if name not in identifiers:
            continue
        hashed = column.find_ancestor(exp.SHA2, exp.Anonymous)
        keyed = hashed is not None and "sqlanon_pseudonym_key" in hashed.sql(dialect="duckdb")
        if name not in pseudonyms or not keyed:
            raise _refusal(step, f"touches the identifier '{column.name}'")
    return touched


def _refusal(step: Step, what: str) -> EngineError:
    return EngineError(
        f"It cannot be proven that no identifier is published: the step {what}.",
        where=f"step {step.name}",
        fix="nothing was written; if the plan is plain, report this as a bug of sqlanon",
    )
