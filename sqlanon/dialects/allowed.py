"""The constructs of DuckDB's dialect that carry over to others, and their parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlglot import exp

from sqlanon.boundary.secrets import PERMUTATION_SEED, PSEUDONYM_KEY
from sqlanon.dialects.dialect import EXECUTED, Dialect, does_not_carry_over
from sqlanon.dialects.generators import Written
from sqlanon.dialects.kinds import COLUMNS, NUMBERS, kind
from sqlanon.errors import brief

_PLAIN = (
    # clauses
    exp.From, exp.Having, exp.Limit, exp.Where,
    # values and logic
    exp.And, exp.Between, exp.Boolean, exp.Cast, exp.Literal, exp.Null, exp.Paren, exp.Star,
    exp.EQ, exp.Exists, exp.GT, exp.GTE, exp.If, exp.Is, exp.LT, exp.LTE, exp.Like, exp.NEQ,
    exp.Not, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Nullif, exp.Or, exp.TryCast, exp.Var,
    # numbers
    exp.Abs, exp.Add, exp.BitwiseAnd, exp.BitwiseLeftShift, exp.Ceil, exp.Div, exp.Exp, exp.Floor,
    exp.IntDiv, exp.IsInf, exp.IsNan, exp.Ln, exp.Mod, exp.Mul, exp.Neg, exp.Pow, exp.Sqrt, exp.Sub,
    # texts and dates
    exp.Chr, exp.Collate, exp.DPipe, exp.Day, exp.Left, exp.Length, exp.Lower, exp.MD5, exp.Month,
    exp.Quarter, exp.RegexpLike, exp.Repeat, exp.Split, exp.StartsWith, exp.StrPosition,
    exp.TimeToStr, exp.TimeToUnix, exp.Translate, exp.Year,
    # aggregates and windows
    exp.ApproxDistinct, exp.ApproxQuantile, exp.ArrayAgg, exp.Avg, exp.DenseRank, exp.Explode,
    exp.Filter, exp.Lag, exp.Lead, exp.LogicalAnd, exp.LogicalOr, exp.Max, exp.Min, exp.RowNumber,
    exp.Sum, exp.VariancePop,
)  # fmt: skip
"""The constructs that carry over with the parts that sqlglot requires of them, and no others."""

_WITH_PARTS: Mapping[tuple[type[exp.Expr], ...], str] = {
    (exp.Alias, exp.Subquery, exp.Values): "alias",
    (exp.Anonymous, exp.Coalesce, exp.Distinct, exp.Greatest, exp.Least, Written): "expressions",
    (exp.CTE,): "materialized",
    (exp.Case,): "this default",
    (exp.Column,): "table",
    (exp.Concat, exp.ConcatWs): "coalesce",
    (exp.Count, exp.Order): "this",
    (exp.DataType,): "expressions nested",
    (exp.GenerateSeries,): "is_end_exclusive step",
    (exp.Group,): "expressions all",
    (exp.GroupConcat,): "separator",
    (exp.Identifier,): "quoted",
    (exp.In,): "expressions query",
    (exp.Join,): "on side kind",
    (exp.Log, exp.PercentileDisc, exp.Trim): "expression",
    (exp.Ordered,): "desc",
    (exp.RegexpExtract,): "group",
    (exp.RegexpReplace,): "replacement modifiers",
    (exp.Replace,): "replacement",
    (exp.Round,): "decimals",
    (exp.SHA2,): "length",
    (exp.Select,): "with_ expressions distinct from_ joins where group having windows order limit",
    (exp.SplitPart,): "delimiter part_index",
    (exp.Substring,): "start length",
    (exp.Table,): "this alias db catalog",
    (exp.TableAlias,): "this columns",
    (exp.Union, exp.Intersect, exp.Except): "with_ distinct",
    (exp.Window,): "partition_by order spec alias",
    (exp.WindowSpec,): "kind start start_side end end_side",
    (exp.With,): "expressions recursive",
}
"""The constructs that carry over with other parts, too."""

_FLAGS = {
    "big_int", "ignore_nulls", "safe", "typed", "nested", "over", "charset", "single_replace",
    "null_if_pos_overflow",
}  # fmt: skip
"""What sqlglot notes of DuckDB's dialect, which the rules know."""

_OPTIONAL = dict.fromkeys(_PLAIN, "") | {
    construct: parts for constructs, parts in _WITH_PARTS.items() for construct in constructs
}
_PARTS = {
    construct: {part for part, is_required in construct.arg_types.items() if is_required}
    | _FLAGS.union(parts.split())
    for construct, parts in _OPTIONAL.items()
}

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
    """Refuse what is not on the list of constructs."""
    for call in tree.find_all(exp.Anonymous):
        if call.name.lower() == "getvariable":
            _check_secret(call.expressions[0].name, dialect)
    spellings: dict[str, str] = {}
    for node in tree.walk(prune=lambda node: isinstance(node, exp.DataType)):
        parts = _PARTS.get(type(node))
        # DuckDB takes names that differ only in case as one, others do not; a table has its own
        named = isinstance(node, exp.Identifier) and COLUMNS not in (node.parent or node).meta
        if named and spellings.setdefault(node.name.lower(), node.name) != node.name:
            raise does_not_carry_over(
                f"the name '{brief(node.name)}' in two spellings",
                dialect,
                "write it as the source does everywhere in the plan",
            )
        if isinstance(node, exp.Join | exp.From):
            _check_relation(node, dialect)
        if parts is None and isinstance(node.parent, exp.Values):  # a row
            continue
        if parts is None:
            raise does_not_carry_over(f"the construct {node.key.upper()}", dialect)
        others = [name for name, part in node.args.items() if part and name not in parts]
        if others:
            raise does_not_carry_over(f"{node.key.upper()} with {others[0]}", dialect)
        if isinstance(node, _ONLY_EXECUTED) and dialect.family not in EXECUTED:
            raise does_not_carry_over(f"the function {node.key}", dialect)
        if isinstance(node, exp.Values):
            _check_rows(node, dialect)
        elif isinstance(node, exp.CTE):
            _check_recursion(node, dialect)


_SECRETS: Mapping[str, tuple[str, str]] = {
    PSEUDONYM_KEY.variable: (
        "a pseudonym, whose key", "leave the identifier out, or publish '*' in its place"
    ),
    PERMUTATION_SEED.variable: ("a permutation, whose seed", "choose a method without buckets"),
}  # fmt: skip
"""By their variables: what is refused where a session has none, and what to do."""


def _check_secret(variable: str, dialect: Dialect) -> None:
    """Refuse secrets other than sqlanon's, and these where a session has no variables."""
    if variable not in _SECRETS:
        raise does_not_carry_over("a function that no dialect is known for", dialect)
    if dialect.family not in EXECUTED:
        what, fix = _SECRETS[variable]
        raise does_not_carry_over(
            f"{what} would have to be a variable of the session", dialect, fix
        )


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


# --- what must hold of an expression

FUNCTIONS = ("error", "getvariable", "hash", "isfinite", "nfc_normalize")
"""What sqlglot has no class for."""

_FRAMES = {
    "rows between unbounded preceding and current row",
    "rows between unbounded preceding and 1 preceding",
    "rows between unbounded preceding and 1 following",
    "rows between current row and unbounded following",
}
"""What a window may span, apart from its default."""

_DAYS, _WHOLE = ("date", "timestamp"), ("integer", "decimal")


def _is_number(node: Any, least: int = 0) -> bool:
    return isinstance(node, exp.Literal) and node.is_int and int(node.name) >= least


def is_at_least(least: int, node: exp.Expr | None) -> bool:
    """Whether a number says itself that it is not below another one."""
    if isinstance(node, exp.Add) and isinstance(node.this, exp.StrPosition):  # at least 0
        return is_at_least(least, node.expression)
    parts = [node.this, *node.expressions] if isinstance(node, exp.Greatest) else [node]
    return any(_is_number(part, least) for part in parts)


def _of(*kinds: str, sides: tuple[str, ...] = ("this",)) -> Callable[[Any], bool]:
    """Whether the sides of an expression are of these kinds."""
    return lambda node: all(kind(node.args[side]).name in kinds for side in sides)


_BOTH = ("this", "expression")
_CONDITIONS: Sequence[tuple[tuple[type[exp.Expr], ...], Callable[[Any], object], str]] = (
    ((exp.IntDiv,), _of("integer", sides=_BOTH), "a division of numbers that are not whole"),
    ((exp.Mod,), _of(*_WHOLE, sides=_BOTH), "a division of numbers that are not whole"),
    ((exp.BitwiseAnd, exp.BitwiseLeftShift), _of("integer", sides=_BOTH),
     "bits of what is not known to be whole"),
    ((exp.Ceil, exp.Floor), _of(*NUMBERS), "a whole part of what is no number"),
    ((exp.ApproxQuantile,), _of(*NUMBERS), "a quantile of what is no number"),
    ((exp.Round,), lambda node: _of("decimal")(node) and node.args.get("decimals"),
     "the rounding of what is not a decimal"),
    ((exp.PercentileDisc,),
     lambda node: _of(*NUMBERS, *_DAYS)(node) and isinstance(node.expression, exp.Literal),
     "a quantile of this kind"),
    ((exp.Year, exp.Quarter, exp.Month, exp.Day), _of(*_DAYS), "a part of what is not a date"),
    ((exp.TimeToStr,), _of(*_DAYS), "the format of what is not a date"),
    ((exp.TimeToUnix,), _of("timestamp"), "the seconds of what is no timestamp"),
    ((exp.Lower, exp.Translate), _of("text"), "letters of what is no text"),
    ((exp.MD5,), _of("text"), "a hash of this kind"),
    ((exp.SHA2,), lambda node: _of("text")(node) and node.text("length") == "256",
     "a hash of this kind"),
    ((exp.Like,),  # a backslash escapes in some
     lambda node: _of("text")(node) and node.expression.is_string
     and "\\" not in node.expression.name, "a pattern of this kind"),
    ((exp.Anonymous,),
     lambda node: node.name.lower() in FUNCTIONS
     and (len(node.expressions) == 1 or node.name.lower() == "hash"),
     "a function that no dialect is known for"),
    ((exp.ArrayAgg,), lambda node: isinstance(node.this, exp.Order), "a list without an order"),
    ((exp.Collate,), lambda node: node.expression.name.lower() in ("binary", "c"), "a collation"),
    ((exp.Distinct,),
     lambda node: not node.expressions
     or (len(node.expressions) == 1 and isinstance(node.parent, exp.Count)),
     "DISTINCT of this kind"),
    ((exp.GroupConcat,), lambda node: isinstance(node.this, exp.Order), "texts that are joined"),
    ((exp.Left,), lambda node: _is_number(node.expression), "as many letters as a value says"),
    ((exp.Log,), lambda node: node.args.get("expression"), "a logarithm without its base"),
    ((exp.Repeat,), lambda node: node.this.is_string and len(node.this.name) == 1,
     "a repetition of more than a character"),
    ((exp.SplitPart,), lambda node: _is_number(node.args["part_index"], 1),
     "a part of a text of this kind"),
    ((exp.Substring,), lambda node: is_at_least(1, node.args.get("start")),
     "a substring that may start before a text"),
    ((exp.Trim,), lambda node: node.args.get("expression"),
     "a text without the spaces around it"),
    ((exp.WindowSpec,), lambda node: node.sql().lower() in _FRAMES, "a frame of a window"),
)  # fmt: skip
_CONDITION_OF = {each: (holds, what) for types, holds, what in _CONDITIONS for each in types}


def check_condition(node: exp.Expr, dialect: Dialect) -> None:
    """Refuse an expression of an annotated query that is not known to mean the same."""
    holds, what = _CONDITION_OF.get(type(node), (bool, ""))
    if what and not holds(node):
        raise does_not_carry_over(what, dialect)
