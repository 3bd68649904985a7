"""The keys of grouped rows: of `group by all`, and of the numbers of rows that have no order."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from sqlanon.dialects.dialect import Dialect, does_not_carry_over
from sqlanon.dialects.kinds import Kinds


def all_keys(select: exp.Select, dialect: Dialect) -> list[exp.Expr]:
    """The keys of `group by all`: what a select returns and does not aggregate.

    Raises:
        PlanError: they cannot be told from its text.
    """
    returned = [column.unalias() for column in select.expressions]
    keys = [column for column in returned
            if not column.find(exp.AggFunc) and column.find(exp.Column)]  # fmt: skip
    if not keys or any(column.is_star or column.find(exp.Window) for column in returned):
        raise does_not_carry_over("grouping by all columns", dialect)
    return keys


def order_of_groups(window: exp.Expr, kinds: Kinds) -> list[exp.Ordered] | None:
    """An order of grouped rows, by their keys, for a window that has none: they have no other.

    Returns:
        None if the rows of the window are not those of a `group by`, of the same select or of the
        one named relation that it reads.
    """
    select = window.find_ancestor(exp.Select)
    if select is None:
        return None
    group = select.args.get("group")
    if group is not None:
        return [_ascending(key, select) for key in group.expressions] or None
    read = select.args["from_"].this if select.args.get("from_") else None
    if select.args.get("joins") or not isinstance(read, exp.Table):
        return None
    source = kinds.scopes[id(select)].sources.get(read.alias_or_name)
    inner = source.expression if isinstance(source, Scope) else None
    if not isinstance(inner, exp.Select) or not inner.args.get("group"):
        return None
    names = {column.unalias(): column.alias_or_name for column in inner.expressions}
    keys = inner.args["group"].expressions
    if not keys or any(key not in names for key in keys):
        return None
    return [_ascending(exp.column(names[key], quoted=True), select) for key in keys]


def _ascending(key: exp.Expr, select: exp.Select) -> exp.Ordered:
    """A key of an order, whose kind is found from the select that it stands in."""
    made = exp.Ordered(desc=False, nulls_first=False)
    key = key.copy()
    key.parent = select
    made.args["this"] = key
    return made
