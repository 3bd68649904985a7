"""The constructs of DuckDB's dialect that carry over to others, and their parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlglot import exp

from sqlanon.dialects.dialect import EXECUTED, Dialect, does_not_carry_over
from sqlanon.dialects.generators import Written
from sqlanon.dialects.kinds import NUMBERS, kind
from sqlanon.errors import brief
from sqlanon.system.secrets import PERMUTATION_SEED, PSEUDONYM_KEY

_TWO, _MANY = ("this", "expression"), ("this", "expressions")

_ALLOWED: Mapping[tuple[str, ...], tuple[type[exp.Expr], ...]] = {
    # clauses
    ("with_", "expressions", "distinct", "from_", "joins", "where", "group", "having", "windows",
     "order", "limit"): (exp.Select,),
    ("with_", "this", "expression", "distinct"): (exp.Union, exp.Intersect, exp.Except),
    ("expressions", "recursive"): (exp.With,),
    ("this", "alias", "materialized"): (exp.CTE,),
    ("this", "columns"): (exp.TableAlias,),
    ("this", "alias"): (exp.Alias, exp.Subquery),
    ("this", "alias", "db", "catalog"): (exp.Table,),
    ("expressions", "alias"): (exp.Values,),
    ("this", "on", "side", "kind"): (exp.Join,),
    ("this",): (
        exp.From, exp.Having, exp.Where,
        # expressions of one part
        exp.Abs, exp.ApproxDistinct, exp.ArrayAgg, exp.Avg, exp.Boolean, exp.Ceil, exp.Count,
        exp.Day, exp.Exists, exp.Exp, exp.Explode, exp.Floor, exp.IsInf, exp.IsNan, exp.Lag,
        exp.Lead, exp.Length, exp.Ln, exp.LogicalAnd, exp.LogicalOr, exp.Lower, exp.MD5, exp.Max,
        exp.Min, exp.Month, exp.Neg, exp.Not, exp.Paren, exp.Quarter, exp.Sqrt, exp.Sum,
        exp.TimeToUnix, exp.Var, exp.Year,
    ),
    ("expressions", "all"): (exp.Group,),
    ("expressions",): (exp.Chr, exp.Distinct),
    ("expression",): (exp.Limit,),
    ("this", "desc", "nulls_first"): (exp.Ordered,),
    ("this", "partition_by", "order", "spec", "alias"): (exp.Window,),
    ("kind", "start", "start_side", "end", "end_side"): (exp.WindowSpec,),
    # values
    ("this", "quoted"): (exp.Identifier,),
    ("this", "is_string"): (exp.Literal,),
    ("this", "table"): (exp.Column,),
    ("this", "expressions", "nested"): (exp.DataType,),
    (): (exp.DenseRank, exp.Null, exp.RowNumber, exp.Star),
    # expressions of several parts
    _TWO: (
        exp.Add, exp.And, exp.BitwiseAnd, exp.BitwiseLeftShift, exp.Collate, exp.DPipe, exp.Div,
        exp.EQ, exp.Filter, exp.GT, exp.GTE, exp.IntDiv, exp.Is, exp.LT, exp.LTE, exp.Left,
        exp.Like, exp.Log, exp.Mod, exp.Mul, exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Nullif,
        exp.Or, exp.PercentileDisc, exp.Pow, exp.RegexpLike, exp.Split, exp.StartsWith, exp.Sub,
        exp.Trim,
    ),
    _MANY: (Written, exp.Anonymous, exp.Coalesce, exp.Greatest, exp.Least, exp.Order),
    ("expressions", "coalesce"): (exp.Concat, exp.ConcatWs),
    ("this", "low", "high"): (exp.Between,),
    ("this", "ifs", "default"): (exp.Case,),
    ("this", "true"): (exp.If,),
    ("this", "to"): (exp.Cast, exp.TryCast),
    ("this", "length"): (exp.SHA2,),
    ("this", "separator"): (exp.GroupConcat,),
    ("this", "expressions", "query"): (exp.In,),
    ("this", "quantile"): (exp.ApproxQuantile,),
    ("this", "expression", "group"): (exp.RegexpExtract,),
    ("this", "expression", "replacement", "modifiers"): (exp.RegexpReplace,),
    ("this", "times"): (exp.Repeat,),
    ("this", "expression", "replacement"): (exp.Replace,),
    ("this", "decimals"): (exp.Round,),
    ("this", "delimiter", "part_index"): (exp.SplitPart,),
    ("this", "substr"): (exp.StrPosition,),
    ("this", "start", "length"): (exp.Substring,),
    ("this", "format"): (exp.TimeToStr,),
    ("this", "from_", "to"): (exp.Translate,),
    ("start", "end", "is_end_exclusive"): (exp.GenerateSeries,),
}  # fmt: skip
"""The constructs that carry over, by the parts that they may have."""

_PARTS = {each: frozenset(parts) for parts, all_ in _ALLOWED.items() for each in all_}

_FLAGS = frozenset((
    "big_int", "ignore_nulls", "safe", "typed", "nested", "over", "charset", "single_replace",
    "null_if_pos_overflow",
))  # fmt: skip
"""What sqlglot notes of DuckDB's dialect, which the rules know."""

_ONLY_EXECUTED = (
    exp.ArrayAgg, exp.BitwiseAnd, exp.BitwiseLeftShift, exp.Concat, exp.ConcatWs, exp.Explode,
    exp.GroupConcat, exp.IsInf, exp.Left, exp.Lower, exp.MD5, exp.PercentileDisc,
    exp.RegexpExtract, exp.RegexpLike, exp.RegexpReplace, exp.Replace, exp.SHA2, exp.SplitPart,
    exp.StartsWith, exp.StrPosition, exp.TimeToUnix, exp.Translate,
)  # fmt: skip
"""What attacks, methods with buckets and pseudonyms ask: written only where tests execute it."""

_JOINS = {("", ""), ("", "INNER"), ("LEFT", ""), ("", "CROSS"), ("FULL", "OUTER"), ("FULL", "")}
"""By side and kind."""


def check(tree: exp.Query, dialect: Dialect) -> None:
    """Refuse what is not on the list of constructs.

    Raises:
        PlanError: a part of the query is not known to mean the same in the dialect.
    """
    _check_names(tree, dialect)
    _check_secrets(tree, dialect)
    for node in tree.walk(prune=lambda node: isinstance(node, exp.DataType)):
        parts = _PARTS.get(type(node))
        if isinstance(node, exp.Join | exp.From):
            _check_relation(node, dialect)
        if parts is None and isinstance(node.parent, exp.Values):  # a row
            continue
        if parts is None:
            raise does_not_carry_over(f"the construct {node.key.upper()}", dialect)
        others = [name for name, part in node.args.items() if part and name not in parts]
        others = [name for name in others if name not in _FLAGS]
        if others:
            raise does_not_carry_over(f"{node.key.upper()} with {others[0]}", dialect)
        if isinstance(node, _ONLY_EXECUTED) and dialect.family not in EXECUTED:
            raise does_not_carry_over(f"the function {node.key}", dialect)
        if isinstance(node, exp.Values):
            _check_rows(node, dialect)
        elif isinstance(node, exp.CTE):
            _check_recursion(node, dialect)


def _check_names(tree: exp.Query, dialect: Dialect) -> None:
    """Refuse names that differ only in case: DuckDB takes them as one, other databases do not."""
    spellings: dict[str, str] = {}
    for name in tree.find_all(exp.Identifier):
        if spellings.setdefault(name.name.lower(), name.name) != name.name:
            raise does_not_carry_over(
                f"the name '{brief(name.name)}' in two spellings",
                dialect,
                "write it as the source does everywhere in the plan",
            )


_SECRETS: Mapping[str, tuple[str, str]] = {
    PSEUDONYM_KEY.variable: (
        "a pseudonym, whose key", "leave the identifier out, or publish '*' in its place"
    ),
    PERMUTATION_SEED.variable: ("a permutation, whose seed", "choose a method without buckets"),
}  # fmt: skip
"""By their variables: what is refused where a session has none, and what to do."""


def _check_secrets(tree: exp.Query, dialect: Dialect) -> None:
    """Refuse secrets other than sqlanon's, and these where a session has no variables."""
    for call in tree.find_all(exp.Anonymous):
        if call.name.lower() != "getvariable":
            continue
        variable = call.expressions[0].name
        if variable not in _SECRETS:
            raise does_not_carry_over("a function that no dialect is known for", dialect)
        if dialect.family not in EXECUTED:
            what, fix = _SECRETS[variable]
            told = f"{what} would have to be a variable of the session"
            raise does_not_carry_over(told, dialect, fix)


def _check_relation(clause: exp.Expr, dialect: Dialect) -> None:
    """Refuse what is read other than tables and queries, and joins of other kinds."""
    read = clause.this.this if isinstance(clause.this, exp.Subquery) else clause.this
    known = (exp.Table, exp.Select, exp.SetOperation, exp.Values)
    if not isinstance(read, known):
        raise does_not_carry_over(f"{read.key.upper()} as a relation", dialect)
    if not isinstance(clause, exp.Join) or clause.args.get("method") or clause.args.get("using"):
        return
    words, on = (clause.side.upper(), clause.kind.upper()), clause.args.get("on")
    is_executed = dialect.family in EXECUTED
    joins_nulls = words[0] == "FULL" and on is not None and on.find(exp.NullSafeEQ) is not None
    lacks_on = on is None and words[1] != "CROSS"
    if words not in _JOINS or lacks_on or (joins_nulls and not is_executed):
        raise does_not_carry_over("a join of this kind", dialect)


def _check_rows(values: exp.Values, dialect: Dialect) -> None:
    """Refuse rows of values without names, or of more than constants."""
    rows = [row.expressions for row in values.expressions]
    alias = values.args.get("alias")
    is_named = isinstance(alias, exp.TableAlias) and len(alias.columns) == len(rows[0])
    if not is_named or not all(_is_constant(cell) for row in rows for cell in row):
        raise does_not_carry_over(
            "rows of values without names, or of more than constants", dialect
        )


def _is_constant(cell: exp.Expr) -> bool:
    if isinstance(cell, exp.Cast | exp.Neg | exp.Paren):
        return _is_constant(cell.this)
    return isinstance(cell, exp.Literal | exp.Null | exp.Boolean)


def reads_itself(relation: exp.CTE) -> bool:
    """Whether a named relation is recursive."""
    tables = relation.this.find_all(exp.Table)
    return any(table.name.lower() == relation.alias.lower() for table in tables)


def _check_recursion(relation: exp.CTE, dialect: Dialect) -> None:
    """Refuse a recursion that is more than a join with the rows of the round before."""
    if not (relation.parent and relation.parent.args.get("recursive") and reads_itself(relation)):
        return
    union = relation.this
    last = union.expression if isinstance(union, exp.Union) else None
    is_join = (
        isinstance(last, exp.Select)
        and not union.args.get("distinct")
        and not any(last.args.get(part) for part in ("with_", "group", "distinct", "having"))
        and not last.find(exp.AggFunc, exp.Window, exp.Subquery, exp.Exists)
        and all(join.side == "" for join in last.args.get("joins") or ())
        and dialect.family in EXECUTED
    )
    if not is_join:
        raise does_not_carry_over("a recursion of this kind", dialect)


# --- kinds of values

_DAYS, _WHOLE = ("date", "timestamp"), ("integer", "decimal")


FUNCTIONS = ("error", "getvariable", "hash", "isfinite", "nfc_normalize")
"""What sqlglot has no class for."""


def _is_number(node: Any, least: int = 0) -> bool:
    return isinstance(node, exp.Literal) and node.is_int and int(node.name) >= least


_FRAMES = frozenset((
    "rows between unbounded preceding and current row",
    "rows between unbounded preceding and 1 preceding",
    "rows between unbounded preceding and 1 following",
    "rows between current row and unbounded following",
))  # fmt: skip
"""What a window may span, apart from what it spans without being told."""

_OF_KINDS: Mapping[tuple[type[exp.Expr], ...], tuple[tuple[str, ...], str]] = {
    (exp.IntDiv,): (("integer",), "a division of numbers that are not whole"),
    (exp.Mod,): (_WHOLE, "a division of numbers that are not whole"),
    (exp.BitwiseAnd, exp.BitwiseLeftShift): (
        ("integer",), "bits of what is not known to be whole"),
    (exp.Ceil, exp.Floor): (NUMBERS, "a whole part of what is no number"),
    (exp.ApproxQuantile,): (NUMBERS, "a quantile of what is no number"),
    (exp.Round,): (("decimal",), "the rounding of what is not a decimal"),
    (exp.PercentileDisc,): (_WHOLE, "a quantile of this kind"),
    (exp.Year, exp.Quarter, exp.Month, exp.Day): (_DAYS, "a part of what is not a date"),
    (exp.TimeToStr,): (_DAYS, "the format of what is not a date"),
    (exp.TimeToUnix,): (("timestamp",), "the seconds of what is no timestamp"),
    (exp.Lower, exp.Translate): (("text",), "letters of what is no text"),
    (exp.MD5, exp.SHA2): (("text",), "a hash of this kind"),
    (exp.Like,): (("text",), "a pattern of this kind"),
}  # fmt: skip
"""The kinds of values that an expression may be of, and what is refused otherwise."""

_KNOWN: Mapping[type[exp.Expr], tuple[Callable[[Any], object], str]] = {
    exp.Anonymous: (
        lambda node: node.name.lower() in FUNCTIONS
        and (len(node.expressions) == 1 or node.name.lower() == "hash"),
        "a function that no dialect is known for"),
    exp.ArrayAgg: (lambda node: isinstance(node.this, exp.Order), "a list without an order"),
    exp.Collate: (lambda node: node.expression.name.lower() in ("binary", "c"), "a collation"),
    exp.Distinct: (lambda node: not node.expressions or (
        len(node.expressions) == 1 and isinstance(node.parent, exp.Count)),
        "DISTINCT of this kind"),
    exp.GroupConcat: (lambda node: isinstance(node.this, exp.Order), "texts that are joined"),
    exp.Left: (lambda node: _is_number(node.expression), "as many letters as a value tells"),
    exp.Like: (lambda node: node.expression.is_string and "\\" not in node.expression.name,
               "a pattern of this kind"),  # it escapes in some
    exp.Log: (lambda node: node.args.get("expression"), "a logarithm without its base"),
    exp.PercentileDisc: (lambda node: isinstance(node.expression, exp.Literal),
                         "a quantile of this kind"),
    exp.Repeat: (lambda node: node.this.is_string and len(node.this.name) == 1,
                 "a repetition of more than a character"),
    exp.Round: (lambda node: node.args.get("decimals"), "the rounding of what is not a decimal"),
    exp.SHA2: (lambda node: node.text("length") == "256", "a hash of this kind"),
    exp.SplitPart: (lambda node: _is_number(node.args["part_index"], 1),
                    "a part of a text of this kind"),
    exp.Substring: (lambda node: is_at_least(1, node.args.get("start")),
                    "a substring that may start before a text"),
    exp.Trim: (lambda node: node.args.get("expression"), "a text without the spaces around it"),
    exp.WindowSpec: (lambda node: node.sql().lower() in _FRAMES, "a frame of a window"),
}  # fmt: skip
"""What else must hold of an expression, and what is refused otherwise."""

_KINDS = {each: told for all_, told in _OF_KINDS.items() for each in all_}
_OF_BOTH_SIDES = (exp.IntDiv, exp.Mod, exp.BitwiseAnd, exp.BitwiseLeftShift)


def check_kinds(node: exp.Expr, dialect: Dialect) -> None:
    """Refuse an expression of other kinds of values than are known to be the same.

    Args:
        node: of an annotated query.
    """
    names, what = _KINDS.get(type(node), ((), ""))
    sides = [node.this, node.expression] if isinstance(node, _OF_BOTH_SIDES) else [node.this]
    known, told = _KNOWN.get(type(node), (bool, ""))
    if what and not {kind(side).name for side in sides} <= set(names):
        raise does_not_carry_over(what, dialect)
    if told and not known(node):
        raise does_not_carry_over(told, dialect)


def is_at_least(least: int, node: exp.Expr | None) -> bool:
    """Whether a number says itself that it is not below another one."""
    if isinstance(node, exp.Add) and isinstance(node.this, exp.StrPosition):  # at least 0
        return is_at_least(least, node.expression)
    parts = [node.this, *node.expressions] if isinstance(node, exp.Greatest) else [node]
    return any(_is_number(part, least) for part in parts)
