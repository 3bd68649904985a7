"""The only form of a select that may read the source: columns by name, `'*'`, keyed hashes.

A column may be read by the expression for its type, which contains no other column; a row may be
left out only because a value is missing. If the plan publishes the rows in their order, the number
of a row may be read, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import sqlglot
from sqlglot import exp

from sqlanon.errors import EngineError
from sqlanon.plan.columns import Identifier
from sqlanon.plan.plan import Plan
from sqlanon.source.reading import column_as_read

ROW_NUMBER = sqlglot.parse_one("row_number() over ()", dialect="duckdb")
"""The order of the source, where the plan publishes it."""


def refusal(step: str, what: str) -> EngineError:
    """The error for SQL of which it cannot be proven that no identifier is published."""
    return EngineError(
        f"It cannot be proven that no identifier is published: the step {what}.",
        where=f"step {step}",
        fix="nothing was written; if the plan is plain, report this as a bug of sqlanon",
    )


def check_source_select(plan: Plan, tree: exp.Query, step: str) -> exp.Select:
    """Check that a select has this form, whatever it reads from.

    Raises:
        EngineError: it has another one.
    """
    parts = {name for name, value in tree.args.items() if value}
    if not isinstance(tree, exp.Select) or parts - {"expressions", "from_", "where"}:
        raise refusal(step, "is not a plain select")
    actions = {
        name.lower(): column.action
        for name, column in plan.columns.items()
        if isinstance(column, Identifier)
    }
    for projection in tree.expressions:
        inner = projection.this if isinstance(projection, exp.Alias) else projection
        name = projection.alias_or_name
        if isinstance(projection, exp.Column):
            _check_plain(projection, actions, step)
        elif (
            is_star_text(inner)
            or (name in plan.columns and inner == _as_read(plan, name, actions))
            or (plan.order == "source" and name not in plan.columns and inner == ROW_NUMBER)
        ):
            continue
        elif (
            inner != sqlglot.parse_one(keyed_hash(plan, name), dialect="duckdb")
            or actions.get(name.lower()) != "pseudonym"
        ):
            raise refusal(step, f"computes '{name}' from columns that it does not name")
    where = tree.args.get("where")
    for condition in _conditions(where.this if where else None):
        test = condition.this if isinstance(condition, exp.Not) else None
        if not isinstance(test, exp.Is) or not isinstance(test.expression, exp.Null):
            raise refusal(step, "filters by more than missing values")
        if not isinstance(test.this, exp.Column):
            raise refusal(step, "filters by more than missing values")
        _check_plain(test.this, actions, step)
    return tree


def is_star_text(tree: exp.Expr) -> bool:
    """Whether this is the text that replaces every value of an identifier."""
    return isinstance(tree, exp.Literal) and tree.is_string and tree.this == "*"


def _conditions(tree: exp.Expression | None) -> Iterator[exp.Expression]:
    """The parts of a chain of `and`."""
    if isinstance(tree, exp.And):
        yield from _conditions(tree.this)
        yield from _conditions(tree.expression)
    elif tree is not None:
        yield tree


def _check_plain(column: exp.Column, actions: Mapping[str, str], step: str) -> None:
    """Check that a column is read by its bare name, and is not an identifier."""
    if not isinstance(column.this, exp.Identifier) or len(column.parts) != 1:
        raise refusal(step, "does not name the source's columns one by one")
    if column.name.lower() in actions:
        raise refusal(step, f"reads the identifier '{column.name}'")


def _as_read(plan: Plan, name: str, actions: Mapping[str, str]) -> exp.Expr | None:
    """The only expression by which a column of its type is read; never an identifier."""
    if name.lower() in actions:
        return None
    return sqlglot.parse_one(column_as_read(plan, name), dialect="duckdb")


def keyed_hash(plan: Plan, name: str) -> str:
    """The only expression that may read an identifier: its hash, with the key, twice."""
    column = column_as_read(plan, name)
    key = "getvariable('sqlanon_pseudonym_key')"
    return f"sha256({key} || sha256({key} || cast({column} as varchar)))"
