"""Writes the expressions of a query in a dialect: those of the list `_WRITERS`, and no others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlglot import exp

from sqlanon.dialects.aggregates import Aggregates
from sqlanon.dialects.dialect import Dialect, does_not_carry_over
from sqlanon.dialects.functions import cast, formatted, function
from sqlanon.dialects.hashes import Hashes
from sqlanon.dialects.kinds import TEXT, Kinds
from sqlanon.dialects.layout import LINE, SOFT, Doc, Group, Nest, Stack, call, joined, listed

_OPERATORS: Mapping[type[exp.Expr], str] = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.DPipe: "||",
    exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
    exp.NullSafeEQ: "is not distinct from", exp.NullSafeNEQ: "is distinct from",
}  # fmt: skip

_ORDERED = (exp.LT, exp.LTE, exp.GT, exp.GTE)


class Expressions(Hashes, Aggregates):
    """Writes expressions.

    Args:
        query: writes a query, without brackets.
    """

    def __init__(self, dialect: Dialect, kinds: Kinds, query: Callable[[exp.Expr], Doc]) -> None:
        super().__init__(dialect, kinds)
        self.query = query

    def write(self, node: exp.Expr) -> Doc:
        """An expression.

        Raises:
            PlanError: it is not known to mean the same in the dialect.
        """
        known = _WRITERS.get(type(node))
        if known is None:
            raise does_not_carry_over(f"the construct {node.key.upper()}", self.dialect)
        parts, writer = known
        self.expect(node, *parts)
        return writer(self, node)

    # --- the writers

    def _literal(self, node: exp.Expr) -> Doc:
        assert isinstance(node, exp.Literal)
        if node.is_string:
            return self.dialect.literal(node.name)
        if not node.name.replace(".", "", 1).isdecimal():  # it has an exponent
            return cast(self.dialect.literal(node.name), self.dialect.types["double"])
        places = len(node.name.partition(".")[2])
        if places and self.dialect.family == "bigquery":  # else it would be a double
            return f"{'numeric' if places <= 9 else 'bignumeric'} '{node.name}'"
        return node.name

    def _column(self, node: exp.Expr) -> Doc:
        names = [node.args.get("table"), node.this]
        if isinstance(node.this, exp.Star):
            return f"{self.dialect.identifier(names[0].name)}.*" if names[0] else "*"
        return ".".join(self.dialect.identifier(name.name) for name in names if name)

    def _operator(self, node: exp.Expr) -> Doc:
        sides = [node.this, node.args["expression"]]
        written = [self.side(side, node) for side in sides]
        if isinstance(node, exp.DPipe):
            written = [
                self.as_text(side) if not isinstance(side.unnest(), exp.DPipe) else doc
                for side, doc in zip(sides, written, strict=True)
            ]
        elif isinstance(node, _ORDERED) and TEXT in map(self.kinds.kind, sides):
            written = [self.in_order(side) for side in sides]
        left, right = written
        around = node.find_ancestor(exp.Join, exp.Select)
        joins = isinstance(around, exp.Join) or isinstance(around and around.parent, exp.Exists)
        if isinstance(node, exp.NullSafeEQ) and joins and self.dialect.family == "postgres":
            return self.same([node])
        return Group((left, Nest((LINE, f"{_OPERATORS[type(node)]} ", right))))

    def same(self, parts: Sequence[exp.Expr]) -> Doc:
        """Values, or values of one type, are equal or NULL, in a form that PostgreSQL can hash."""
        left, right = (
            listed([self._member(part.args[side], part) for part in parts])
            for side in ("this", "expression")
        )
        lists = [Group((f"{word}array[", Nest((SOFT, side)), SOFT, "]"))
                 for word, side in (("", left), ("= ", right))]  # fmt: skip
        return Group((lists[0], Nest((LINE, lists[1]))))

    def _member(self, side: exp.Expr, around: exp.Expr) -> Doc:
        """A value in a list: lists of whole numbers of two widths have no `=`."""
        written = self.side(side, around)
        if any(self.kinds.kind(around.args[name]).is_wide for name in ("this", "expression")):
            return cast(written, f"{self.dialect.types['decimal']}(38, 0)")
        if self.kinds.kind(side).name != "integer" or isinstance(side, exp.Cast):
            return written
        return cast(written, self.dialect.types["bigint"])

    def compares_texts(self, node: exp.Expr) -> bool:
        """Whether it is a comparison of texts that may be NULL."""
        sides = (node.this, node.args.get("expression"))
        return isinstance(node, exp.NullSafeEQ) and all(
            self.kinds.kind(side) == TEXT for side in sides
        )

    def _connector(self, node: exp.Expr) -> Doc:
        parts = list(node.flatten(unnest=False))
        word = "and" if isinstance(node, exp.And) else "or"
        return Group(Nest(joined([self.write(part) for part in parts], (LINE, f"{word} "))))

    def _called(self, node: exp.Expr) -> Doc:
        parts = [node.this, node.args.get("expression"), *node.expressions]
        written = [self.write(part) for part in parts if isinstance(part, exp.Expr)]
        return function(_NAMES[type(node)], self.dialect, *written)

    def _farther(self, node: exp.Expr) -> Doc:
        """The greatest or the least; a NULL is left out, as by DuckDB."""
        parts = [self.write(part) for part in (node.this, *node.expressions)]
        found = function(_NAMES[type(node)], self.dialect, *parts)
        if self.dialect.ignores_nulls or len(parts) == 1:
            return found
        if len(parts) > 2:
            raise does_not_carry_over("the greatest of more than two values", self.dialect)
        return call("coalesce", found, *parts)

    def _case(self, node: exp.Expr) -> Doc:
        parts: list[Doc] = []
        compared = node.args.get("this")
        for branch in node.args["ifs"]:
            self.expect(branch, "this", "true")
            then = Nest((LINE, "then ", self.write(branch.args["true"])))
            parts += [LINE, Group(("when ", self.write(branch.this), then))]
        if node.args.get("default"):
            parts += [LINE, "else ", self.write(node.args["default"])]
        begins = ("case ", self.write(compared)) if compared else "case"
        return Group((begins, Nest(tuple(parts)), LINE, "end"))

    def _substring(self, node: exp.Expr) -> Doc:
        value, start, length = node.this, node.args.get("start"), node.args.get("length")
        if start is None or not _is_at_least(1, start):
            raise does_not_carry_over("a substring that may start before a text", self.dialect)
        first = self.write(start)
        if not isinstance(start, exp.Literal):
            first = cast(first, self.dialect.types["integer"])
        parts: list[Doc] = [self.write(value), first]
        if length is not None:
            is_plain = _is_at_least(0, length)
            if not is_plain and start.name != "1":
                raise does_not_carry_over(
                    "a substring of a length that can be below 0", self.dialect
                )
            written = self.write(length)
            parts.append(written if is_plain else function("greatest", self.dialect, written, "0"))
        return function("substring", self.dialect, *parts)

    def _like(self, node: exp.Expr) -> Doc:
        pattern = node.args["expression"]
        is_plain = pattern.is_string and "\\" not in pattern.name  # which escapes in some
        if not is_plain or self.kinds.kind(node.this) != TEXT:
            raise does_not_carry_over("a pattern of this kind", self.dialect)
        return Group((self.write(node.this), " like ", self.dialect.literal(pattern.name)))

    def _first_letters(self, node: exp.Expr) -> Doc:
        count = node.args["expression"]
        if not (isinstance(count, exp.Literal) and count.is_int):
            raise does_not_carry_over("as many letters as a value tells", self.dialect)
        return function("left", self.dialect, self.write(node.this), self.write(count))

    def _repeated(self, node: exp.Expr) -> Doc:
        if not (isinstance(node.this, exp.Literal) and len(node.this.name) == 1):
            raise does_not_carry_over("a repetition of more than a character", self.dialect)
        return function(
            "repeat", self.dialect, self.write(node.this), self.write(node.args["times"])
        )

    def _quantile(self, node: exp.Expr) -> Doc:
        """The value below or at which a share of all values is."""
        share, kind = node.args["expression"], self.kinds.kind(node.this)
        if not isinstance(share, exp.Literal) or kind.name not in ("integer", "decimal"):
            raise does_not_carry_over("a quantile of this kind", self.dialect)
        value = self.write(node.this)
        return Group(function("quantile_disc", self.dialect, value, self.write(share)))

    def _placed(self, node: exp.Expr) -> Doc:
        return function(
            "strpos", self.dialect, self.write(node.this), self.write(node.args["substr"])
        )

    def _numbers(self, node: exp.Expr) -> Doc:
        """A row for each number from 0."""
        series = node.this
        if isinstance(series, exp.Split) and isinstance(node.parent, exp.Alias | exp.Trim):
            return self._parts_as_rows(series)
        if not (isinstance(series, exp.GenerateSeries) and series.text("start") == "0"):
            raise does_not_carry_over("a list as rows", self.dialect)
        self.expect(series, "start", "end", "is_end_exclusive")
        if not (series.args.get("is_end_exclusive") and isinstance(node.parent, exp.Alias)):
            raise does_not_carry_over("a list as rows", self.dialect)
        return function("numbers", self.dialect, self.write(series.args["end"]))

    def _formatted(self, node: exp.Expr) -> Doc:
        if self.kinds.kind(node.this).name not in ("date", "timestamp"):
            raise does_not_carry_over("the format of what is not a date", self.dialect)
        return formatted(self.write(node.this), node.args["format"].name, self.dialect)

    def _period(self, node: exp.Expr) -> Doc:
        if self.kinds.kind(node.this).name not in ("date", "timestamp"):
            raise does_not_carry_over("a part of what is not a date", self.dialect)
        return self._called(node)

    def _character(self, node: exp.Expr) -> Doc:
        (number,) = node.expressions
        if self.dialect.family == "spark" and int(number.name) > 127:  # counts modulo 256
            return f"decode(unhex('{chr(int(number.name)).encode().hex()}'), 'utf-8')"
        return f"chr({int(number.name)})"

    def _seconds(self, node: exp.Expr) -> Doc:
        """Seconds since 1970 of a timestamp without a time zone."""
        if self.kinds.kind(node.this).name != "timestamp":
            raise does_not_carry_over("the seconds of what is no timestamp", self.dialect)
        return function("epoch", self.dialect, self.write(node.this))

    def _in(self, node: exp.Expr) -> Doc:
        value, query = self.write(node.this), node.args.get("query")
        if query is not None:
            return (value, " in ", self.write(query))
        values = [self.write(part) for part in node.expressions]
        return (value, " in ", Group(("(", Nest((SOFT, listed(values))), SOFT, ")")))

    def _between(self, node: exp.Expr) -> Doc:
        parts = [node.this, node.args["low"], node.args["high"]]
        value, low, high = map(self.write, parts)
        if TEXT in map(self.kinds.kind, parts):
            value = self.in_order(node.this)
        return Group((value, " between ", low, LINE, "and ", high))

    def _negated(self, node: exp.Expr) -> Doc:
        inner = node.this
        if isinstance(inner, exp.Is):
            self.expect(inner, "this", "expression")
            return (self.write(inner.this), " is not ", self.write(inner.args["expression"]))
        if isinstance(inner, exp.In):
            written = self._in(inner)
            assert isinstance(written, tuple)
            return (written[0], " not in ", *written[2:])
        return ("not ", self.write(inner))

    def _exists(self, node: exp.Expr) -> Doc:
        return ("exists (", Stack((Nest((LINE, self.query(node.this))), LINE)), ")")

    def _subquery(self, node: exp.Expr) -> Doc:
        return Group(("(", Nest((SOFT, self.query(node.this))), SOFT, ")"))

    def _collated(self, node: exp.Expr) -> Doc:
        if node.args["expression"].name.lower() not in ("binary", "c"):
            raise does_not_carry_over("a collation", self.dialect)
        value = self.write(node.this)  # in an order it gets the collation again
        return (value, ' collate "binary"') if self.dialect.family == "duckdb" else value


def _is_at_least(least: int, node: exp.Expr) -> bool:
    """Whether a number says itself that it is not below another one."""
    if isinstance(node, exp.Add) and isinstance(node.this, exp.StrPosition):  # at least 0
        return _is_at_least(least, node.expression)
    parts = [node.this, *node.expressions] if isinstance(node, exp.Greatest) else [node]
    numbers = [part.name for part in parts if isinstance(part, exp.Literal) and not part.is_string]
    return any(number.isdecimal() and int(number) >= least for number in numbers)


_NAMES: Mapping[type[exp.Expr], str] = {
    exp.Abs: "abs", exp.Coalesce: "coalesce", exp.Day: "day",
    exp.DenseRank: "dense_rank", exp.Greatest: "greatest",
    exp.IsInf: "isinf", exp.IsNan: "isnan", exp.Lag: "lag", exp.Lead: "lead", exp.Least: "least",
    exp.Length: "length", exp.LogicalAnd: "bool_and", exp.LogicalOr: "bool_or",
    exp.Month: "month", exp.Nullif: "nullif",
    exp.Quarter: "quarter", exp.RowNumber: "row_number", exp.Year: "year",
}  # fmt: skip
"""The functions that are written from their arguments alone."""

_Writer = Callable[[Expressions, Any], Doc]
_E, _TWO, _ALL = Expressions, ("this", "expression"), ("this", "expression", "expressions")

_WRITERS: Mapping[type[exp.Expr], tuple[tuple[str, ...], _Writer]] = {
    **dict.fromkeys(_OPERATORS, (_TWO, _E._operator)),
    **dict.fromkeys(_NAMES, (_ALL, _E._called)),
    **dict.fromkeys((exp.And, exp.Or), (_TWO, _E._connector)),
    **dict.fromkeys((exp.BitwiseAnd, exp.BitwiseLeftShift), (_TWO, _E._bits)),
    **dict.fromkeys((exp.Avg, exp.Ln, exp.Log, exp.Exp, exp.Pow, exp.Sqrt), (_TWO, _E._of_doubles)),
    **dict.fromkeys((exp.Ceil, exp.Floor), (("this",), _E._to_whole)),
    **dict.fromkeys((exp.Lag, exp.Lead), (("this",), _E._called)),
    exp.MD5: (("this",), _E._short_hash),
    **dict.fromkeys((exp.Min, exp.Max), (("this",), _E._extreme)),
    **dict.fromkeys((exp.Greatest, exp.Least), (_ALL, _E._farther)),
    **dict.fromkeys((exp.IntDiv, exp.Mod), (_TWO, _E._whole)),
    **dict.fromkeys((exp.Year, exp.Quarter, exp.Month, exp.Day), (("this",), _E._period)),
    exp.Anonymous: (("this", "expressions"), _E._other),
    exp.ArrayAgg: (("this",), _E._listed),
    exp.Between: (("this", "low", "high"), _E._between),
    exp.Boolean: (("this",), lambda self, node: "true" if node.this else "false"),
    exp.Case: (("this", "ifs", "default"), _E._case),
    exp.Cast: (("this", "to"), _E._cast),
    exp.Chr: (("expressions",), _E._character),
    exp.Collate: (_TWO, _E._collated),
    exp.Column: (("this", "table"), _E._column),
    exp.Concat: (("expressions", "coalesce"), _E._joined),
    exp.ConcatWs: (("expressions", "coalesce"), _E._separated),
    exp.Count: (("this",), _E._counted),
    exp.Div: (_TWO, _E._divided),
    exp.SHA2: (("this", "length"), _E._hashed),
    exp.Exists: (("this",), _E._exists),
    exp.Explode: (("this",), _E._numbers),
    exp.Filter: (_TWO, _E._filtered),
    exp.GroupConcat: (("this", "separator"), _E._chained),
    exp.In: (("this", "expressions", "query"), _E._in),
    exp.IsInf: (("this",), _E._called),
    exp.Left: (_TWO, _E._first_letters),
    exp.Lower: (("this",), _E._lowered),
    exp.Is: (_TWO, lambda self, node: (self.write(node.this), " is ", self.write(node.expression))),
    exp.Like: (_TWO, _E._like),
    exp.Literal: (("this", "is_string"), _E._literal),
    exp.Neg: (("this",), lambda self, node: ("-", self.write(node.this))),
    exp.Not: (("this",), _E._negated),
    exp.Null: ((), lambda self, node: "null"),
    exp.Paren: (("this",), lambda self, node: Group(
        ("(", Nest((SOFT, self.write(node.this))), SOFT, ")"))),
    **dict.fromkeys((exp.ApproxDistinct, exp.ApproxQuantile), (
        ("this", "quantile"), _E._estimated)),
    exp.RegexpExtract: (("this", "expression", "group"), _E._extracted),
    exp.RegexpReplace: (("this", "expression", "replacement", "modifiers"), _E._replaced),
    exp.RegexpLike: (_TWO, _E._matched),
    exp.PercentileDisc: (_TWO, _E._quantile),
    exp.Repeat: (("this", "times"), _E._repeated),
    exp.Replace: (("this", "expression", "replacement"), _E._exchanged),
    exp.Round: (("this", "decimals"), _E._rounded),
    exp.Star: ((), lambda self, node: "*"),
    exp.SplitPart: (("this", "delimiter", "part_index"), _E._split_part),
    exp.StartsWith: (_TWO, _E._begins),
    exp.StrPosition: (("this", "substr"), _E._placed),
    exp.Subquery: (("this",), _E._subquery),
    exp.Substring: (("this", "start", "length"), _E._substring),
    exp.Sum: (("this",), _E._summed),
    exp.TimeToStr: (("this", "format"), _E._formatted),
    exp.TimeToUnix: (("this",), _E._seconds),
    exp.Translate: (("this", "from_", "to"), _E._by_letter),
    exp.Trim: (_TWO, _E._trimmed),
    exp.TryCast: (("this", "to"), _E._tried),
    exp.Window: (("this", "partition_by", "order", "spec", "alias"), _E._window),
}  # fmt: skip
"""The expressions that carry over: which parts they may have, and how they are written."""
