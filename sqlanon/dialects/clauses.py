"""Clauses whose text does not say by itself what they mean: keys of groups, orders and windows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from sqlglot import exp

from sqlanon.dialects.allowed import reads_itself
from sqlanon.dialects.dialect import Dialect, does_not_carry_over
from sqlanon.dialects.generators import text
from sqlanon.dialects.kinds import TEXT, kind
from sqlanon.sql.render import comment

_DEEPEST = 10_000
"""Rounds of a recursion: more than there are cuts of a partition one after another."""

_CONSTANTS = (exp.Literal, exp.Null, exp.Boolean)


def expand(
    tree: exp.Query, dialect: Dialect, returned: Mapping[int, Sequence[exp.Expr]]
) -> None:  # fmt: skip
    """Write out the keys of groups, orders and windows; set the comments and hints to keep.

    Args:
        returned: by the identity of each select, what it returns without stars.
    """
    nodes = list(tree.walk())
    relations = [node for node in nodes if isinstance(node, exp.CTE)]
    reads = Counter(node.name.lower() for node in nodes if isinstance(node, exp.Table))
    comments = [(_first(relation), _comments(relation)) for relation in relations]
    for relation in relations:
        _hint(relation, dialect, reads[relation.alias.lower()])
    selects = [node for node in nodes if isinstance(node, exp.Select)]
    for select in selects:
        _group(select, dialect)
    for window in nodes:
        if isinstance(window, exp.Window):
            _window(window, dialect)
    for select in selects:
        _order(select, dialect, returned.get(id(select), select.expressions))
        if not dialect.has_windows:
            select.set("windows", None)
    for join in nodes if dialect.family == "postgres" else ():
        if isinstance(join, exp.Join):
            _compare_at_once(join)
    for first, lines in comments:
        first.meta["comments"] = lines or None


# --- named relations


def _first(relation: exp.CTE) -> exp.Expr:
    """The select that begins a named relation."""
    first: exp.Expr = relation.this
    while isinstance(first, exp.SetOperation) and not first.args.get("with_"):
        first = first.this
    return first


def _comments(relation: exp.CTE) -> list[str]:
    """The comments at the beginning of a named relation."""
    first = _first(relation)
    own = first.args.get("with_")
    lines = [*(first.comments or ()), *(own.comments or () if own else ())]
    return [comment(line.strip()) for line in lines if line.strip()]


def _hint(relation: exp.CTE, dialect: Dialect, reads: int) -> None:
    """Have the database compute a relation once or for each of its reads, and recurse deeply."""
    hint: bool | None = bool(relation.args.get("materialized") and dialect.keeps) or None
    if hint is None and dialect.family == "postgres":
        hint = _hint_of_postgresql(relation, reads)
    relation.set("materialized", hint)
    is_recursive = relation.parent is not None and relation.parent.args.get("recursive")
    if is_recursive and dialect.family == "spark" and reads_itself(relation):
        name = relation.args["alias"].this  # else it stops after 100 rounds
        relation.args["alias"].set("this", text(f"{{0}} max recursion level {_DEEPEST}", name))


def _hint_of_postgresql(relation: exp.CTE, reads: int) -> bool | None:
    """Whether PostgreSQL has to keep a relation's rows, or must not; None if it decides."""
    select = relation.this
    if not isinstance(select, exp.Select) or not select.args.get("from_"):
        return None
    source, is_grouped = select.args["from_"].this, bool(select.args.get("group"))
    inner = source.this if isinstance(source, exp.Subquery) else None
    if isinstance(inner, exp.Select) and inner.args.get("distinct"):
        return True  # else labels of distinct values are computed for each row that is joined
    joins = select.args.get("joins") and not is_grouped
    if joins and any(column.find(exp.BitwiseAnd) for column in select.expressions):
        return True  # else it looks for rows of a code before it is made
    others = any(select.args.get(part) for part in ("distinct", "order", "limit", "with_"))
    is_plain = not (is_grouped or others) and reads > 1
    if is_plain and not select.find(exp.AggFunc, exp.Window, exp.Subquery, exp.Exists):
        return False  # else plain rows are written to disk, and read by one
    return None


# --- groups


def _group(select: exp.Select, dialect: Dialect) -> None:
    """Write out `group by all` and places of columns."""
    group = select.args.get("group")
    if group is None:
        return
    if group.args.get("all"):
        columns = [each.unalias() for each in select.expressions]
        keys = [each for each in columns if not each.find(exp.AggFunc) and each.find(exp.Column)]
        if not keys or any(each.is_star or each.find(exp.Window) for each in columns):
            raise does_not_carry_over("grouping by all columns", dialect)
        select.set("group", exp.Group(expressions=[key.copy() for key in keys]))
        return
    aliases = {each.alias.lower(): each.this for each in select.expressions
               if isinstance(each, exp.Alias)}  # fmt: skip
    for key in group.expressions:
        same = aliases.get(key.name.lower()) if isinstance(key, exp.Column) else None
        if same is not None and not key.table and same.name.lower() != key.name.lower():
            # some databases would take the column, others what it becomes
            raise does_not_carry_over(
                "grouping by a name of two meanings", dialect, "write the column's table"
            )
        if isinstance(key, exp.Literal):
            place = int(key.name) if key.is_int else 0
            known = 1 <= place <= len(select.expressions)
            column = select.expressions[place - 1].unalias() if known else key
            if isinstance(column, exp.Literal | exp.Star):
                raise does_not_carry_over("grouping by a number", dialect)
            key.replace(column.copy())


# --- orders


def _order(select: exp.Select, dialect: Dialect, returned: Sequence[exp.Expr]) -> None:
    """Write out `order by all`; what a select returns under a name stands for the name."""
    limit, order = select.args.get("limit"), select.args.get("order")
    if limit is not None and not (order and isinstance(limit.expression, exp.Literal)):
        raise does_not_carry_over("some rows in no order", dialect)
    if order is None:
        return
    # Spark takes names within the key of a group for those that the query returns
    by_name = dialect.family == "spark" and select.args.get("group") is not None
    columns = {each.alias.lower(): each.this for each in select.expressions
               if isinstance(each, exp.Alias)}  # fmt: skip
    keys: list[exp.Expr] = []
    for key in order.expressions:
        value = key.this
        if isinstance(value, exp.Var) and value.name.upper() == "ALL":
            if any(each.is_star for each in returned):
                raise does_not_carry_over(
                    "all columns of a table, which are not named", dialect, "name the columns"
                )
            values: Sequence[exp.Expr] = returned
        elif isinstance(value, exp.Column) and not (value.table or by_name):
            values = [columns.get(value.name.lower(), value)]
        else:
            values = [value]
        for each in values:
            if not isinstance(each, _CONSTANTS):  # a number would be a place
                made = key.copy()
                made.set("this", each.copy())
                keys.append(made)
    select.set("order", exp.Order(expressions=keys) if keys else None)


# --- windows


def _window(window: exp.Window, dialect: Dialect) -> None:
    """Give a window the order of its groups if it has none."""
    named = window.args.get("alias")
    if named is not None and isinstance(window.this, exp.Expr) and not dialect.has_windows:
        select = window.find_ancestor(exp.Select)
        own = {each.name.lower(): each for each in select.args["windows"]} if select else {}
        copied = own[named.name.lower()].copy()
        for part in ("partition_by", "order", "spec"):
            window.set(part, copied.args.get(part))
        window.set("alias", None)
    elif named is not None and dialect.family == "spark" and isinstance(window.parent, exp.Binary):
        # a minus that follows would be taken for a part of the window's name
        window.replace(exp.Paren(this=window.copy()))
    if isinstance(window.this, exp.RowNumber) and not (named or window.args.get("order")):
        keys = None if window.args.get("partition_by") else _keys_of_groups(window)
        if not keys:
            raise does_not_carry_over(
                "a number of each row in the order of a file", dialect,
                "leave out `order: source`; rows are then in the order of the published values",
            )  # fmt: skip
        ordered = [exp.Ordered(this=key.copy(), desc=False, nulls_first=False) for key in keys]
        window.set("order", exp.Order(expressions=ordered))


def _keys_of_groups(window: exp.Window) -> Sequence[exp.Expr]:
    """The keys of the grouped rows of a window: they have no other order.

    Those of the same select, or of the one named relation that it reads; else none.
    """
    select = window.find_ancestor(exp.Select)
    assert select is not None
    group = select.args.get("group")
    if group is not None:
        found: list[exp.Expr] = group.expressions
        return found
    read = select.args["from_"].this if select.args.get("from_") else None
    if select.args.get("joins") or not isinstance(read, exp.Table) or read.db:
        return []
    relations = [each for each in select.root().find_all(exp.CTE) if each.alias == read.name]
    inner = relations[0].this if len(relations) == 1 else None
    if not isinstance(inner, exp.Select) or not inner.args.get("group"):
        return []
    names = {column.unalias(): column.alias_or_name for column in inner.expressions}
    keys = inner.args["group"].expressions
    if any(key not in names for key in keys):
        return []
    made = [exp.column(names[key], quoted=True) for key in keys]
    for column, key in zip(made, keys, strict=True):
        column.type = key.type
    return made


# --- joins


def _compare_at_once(join: exp.Join) -> None:
    """Compare the texts of a join in one list: PostgreSQL hashes it, and one faster than several.

    The other comparisons of values that may be NULL have a list of their own (`rules`).
    """
    condition = join.args.get("on")
    parts = list(condition.flatten(unnest=False)) if isinstance(condition, exp.And) else [condition]
    texts = [part for part in parts if isinstance(part, exp.NullSafeEQ)
             and kind(part.this) == kind(part.expression) == TEXT]  # fmt: skip
    if len(texts) < 2:
        return
    sides = [part.this for part in texts] + [part.expression for part in texts]
    places = [f"{{{place}}}" for place in range(len(sides))]
    lists = [", ".join(places[: len(texts)]), ", ".join(places[len(texts) :])]
    one = text(f"array[{lists[0]}]\n    = array[{lists[1]}]", *sides)
    rest = [part for part in parts if not any(part is each for each in texts)]
    join.set("on", exp.and_(one, *rest, copy=False, wrap=False) if rest else one)
