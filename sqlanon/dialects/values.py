"""Values in a dialect: their types, casts between them, and their order."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

from sqlglot import exp

from sqlanon.dialects.dialect import Dialect, does_not_carry_over
from sqlanon.dialects.functions import FUNCTIONS, cast, formatted, function
from sqlanon.dialects.kinds import DOUBLE, INTEGER, TEXT, TIMESTAMP, UNKNOWN, Kinds, kind_of_type
from sqlanon.dialects.layout import LINE, SOFT, Doc, Group, Nest, call

_NUMBER = r"^\s*[+-]?([0-9][0-9_]*[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?\s*$"
_DATE = r"^[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}([ T].*)?$"
_DOUBLE = _NUMBER.replace(r")([eE]", r"|[iI][nN][fF]([iI][nN][iI][tT][yY])?|[nN][aA][nN])([eE]")
_READABLE: Mapping[str, str] = {
    "integer": _NUMBER, "decimal": _NUMBER, "double": _DOUBLE, "date": _DATE, "timestamp": _DATE,
}  # fmt: skip
"""What a text looks like that DuckDB reads as such a kind. What looks so and is none stops the
other database, where DuckDB finds no value; what does not look so has no value in either."""

_FLAGS = {
    "big_int", "ignore_nulls", "safe", "typed", "nested", "over", "charset", "single_replace",
    "null_if_pos_overflow",
}  # fmt: skip
"""What sqlglot notes of DuckDB's dialect, which the writers below know."""


_LOOSE = (exp.DPipe, exp.BitwiseAnd, exp.BitwiseLeftShift)
"""Operators that bind closer in some databases than in others."""


class Values:
    """What the writers of expressions share: kinds of values, and casts."""

    def __init__(self, dialect: Dialect, kinds: Kinds) -> None:
        self.dialect, self.kinds = dialect, kinds

    @abstractmethod
    def _digits(self, node: exp.Cast) -> Doc | None:
        """The number that the digits of a digest write; None if something else is cast."""

    @abstractmethod
    def write(self, node: exp.Expr) -> Doc:
        """An expression."""

    def side(self, side: exp.Expr, around: exp.Expr) -> Doc:
        """One side of an operator, in brackets where databases differ in what binds closer."""
        mixes = isinstance(side, exp.Binary) and isinstance(side, _LOOSE) | isinstance(
            around, _LOOSE
        )
        if mixes and type(side) is not type(around) and not isinstance(around, exp.Predicate):
            return ("(", self.write(side), ")")
        return self.write(side)

    def expect(self, node: exp.Expr, *parts: str) -> None:
        """Refuse what has another part than these."""
        others = [
            name for name, part in node.args.items() if part and name not in (*parts, *_FLAGS)
        ]
        if others:
            raise does_not_carry_over(f"{node.key.upper()} with {others[0]}", self.dialect)

    def type(self, kind: exp.DataType) -> str:
        """The name of a type of DuckDB's dialect."""
        found = kind_of_type(kind)
        if found == UNKNOWN:
            raise does_not_carry_over(f"the type {kind.sql()}", self.dialect)
        if found.name == "decimal":
            digits = [part.name for part in kind.expressions] or ["18", "3"]
            return f"{self.dialect.types['decimal']}({', '.join(digits)})"
        if found.is_wide:
            is_own = self.dialect.family == "duckdb"
            return "hugeint" if is_own else f"{self.dialect.types['decimal']}(38, 0)"
        name = "bigint" if kind.this == exp.DType.BIGINT else found.name
        return self.dialect.types[name]

    def as_double(self, node: exp.Expr) -> Doc:
        """A number as a double, so that no decimal digits decide the result."""
        inner = node.unnest()
        if self.kinds.kind(inner).name == "double":
            return self.write(node)
        return cast(self.write(inner), self.dialect.types["double"])

    def as_text(self, node: exp.Expr) -> Doc:
        """A value as text, of the same letters as in DuckDB.

        Raises:
            PlanError: its kind has other texts in other databases.
        """
        inner = node.unnest()
        kind, value = self.kinds.kind(inner), self.write(inner)
        to_text = cast(value, self.dialect.types["text"])
        if kind == TEXT or isinstance(inner, exp.Null):
            return self.write(node)
        if self.dialect.family == "duckdb" or kind.name in ("integer", "boolean"):
            return to_text
        if kind.name == "date":
            return formatted(value, "%Y-%m-%d", self.dialect)
        if kind in (DOUBLE, TIMESTAMP) and self.dialect.family in FUNCTIONS[f"text of {kind.name}"]:
            return function(f"text of {kind.name}", self.dialect, value)
        if kind.name == "decimal" and kind.decimals is not None:
            if self.dialect.family == "bigquery":  # which writes no zeros at the end
                return call("format", f"'%.{kind.decimals}f'", value)
            if isinstance(inner, exp.Cast | exp.Column):
                return to_text
            digits = f"{self.dialect.types['decimal']}(38, {kind.decimals})"
            return cast(cast(value, digits), self.dialect.types["text"])
        told = f"a {kind.name} as text" if kind.name else "a value as text whose type is not known"
        fix = "give its column as text, or name its type"
        raise does_not_carry_over(told, self.dialect, fix)

    def in_order(self, node: exp.Expr) -> Doc:
        """A value that is compared with others of its column, or ordered: text by its code points.

        Raises:
            PlanError: it is not known whether it is text.
        """
        value = self.write(node)
        if self.dialect.family != "postgres":
            return value
        kind = self.kinds.kind(node)
        if kind == UNKNOWN:
            raise does_not_carry_over(
                "an order of values whose type is not known", self.dialect, "name the column's type"
            )
        return (value, ' collate "C"') if kind == TEXT else value

    def _cast(self, node: exp.Expr) -> Doc:
        assert isinstance(node, exp.Cast)
        kind, inner = kind_of_type(node.to), node.this.unnest()
        digits = self._digits(node)
        if digits is not None:
            return digits
        if kind == TEXT:
            is_text = self.kinds.kind(inner) == TEXT
            plain = cast(self.write(inner), self.dialect.types["text"])
            return plain if is_text else self.as_text(inner)
        if kind.name == "integer" and not self._is_counted(inner):
            raise does_not_carry_over("a number that is cast to a whole one", self.dialect)
        if kind.name == "double" and inner.is_string:
            return cast(self._no_digits(inner), self.type(node.to))
        from_kind = self.kinds.kind(inner).name
        if kind == DOUBLE and from_kind == "text" and self.dialect.family in ("postgres", "spark"):
            return self._read(node)
        if (from_kind, kind.name) in (("text", "double"), ("double", "decimal")):
            told = f"a {from_kind} that is cast to a {kind.name}"
            raise does_not_carry_over(told, self.dialect)
        return cast(self.write(inner), self.type(node.to))

    def _is_counted(self, node: exp.Expr) -> bool:
        """Whether a value is a whole number already; a sum of unknown columns counts them."""
        unknown = [each for each in (node, node.this) if isinstance(each, exp.Sum)
                   and self.kinds.kind(each) == UNKNOWN]  # fmt: skip
        if isinstance(node, exp.Coalesce):
            return all(map(self._is_counted, [node.this, *node.expressions]))
        return bool(unknown) or self.kinds.is_whole(node)

    def _no_digits(self, node: exp.Expr) -> str:
        if node.name.lower() not in ("infinity", "nan"):
            raise does_not_carry_over("a text that is cast to a number", self.dialect)
        if node.name.lower() == "nan":
            return "'NaN'"
        return {"snowflake": "'inf'", "trino": "'Infinity'"}.get(self.dialect.family, "'infinity'")

    def _read(self, node: exp.Expr) -> Doc:
        """A text as a number, by DuckDB's rules; an error if it is none."""
        value, kind = self.write(node.this), self.dialect.types["double"]
        pattern = self.dialect.literal(_DOUBLE)
        told = function("error", self.dialect, self.dialect.literal("sqlanon: a text is no number"))
        known = (value, " is null or ", function("matches", self.dialect, value, pattern))
        branches = (LINE, Group(("when ", known)), Nest((LINE, "then ", cast(value, kind))), LINE,
                    "else ", cast(told, kind))  # fmt: skip
        return Group(("case", Nest(branches), LINE, "end"))

    def _tried(self, node: exp.Expr) -> Doc:
        assert isinstance(node, exp.Cast)
        kind, value = kind_of_type(node.to), self.write(node.this)
        made = (value, " as ", self.type(node.to))
        if self.dialect.family == "duckdb":
            return Group(("try_cast(", Nest((SOFT, made)), SOFT, ")"))
        is_number = self.kinds.kind(node.this).name in ("integer", "decimal", "double")
        if kind == self.kinds.kind(node.this) == INTEGER or (is_number and kind == DOUBLE):
            return Group(("cast(", Nest((SOFT, made)), SOFT, ")"))
        if kind.name not in _READABLE or self.kinds.kind(node.this) not in (TEXT, UNKNOWN):
            raise does_not_carry_over("a cast that is only tried", self.dialect)
        pattern = self.dialect.literal(_READABLE[kind.name])
        condition = function("matches", self.dialect, value, pattern)
        then = Group(("cast(", Nest((SOFT, made)), SOFT, ")"))
        inner = Nest((LINE, "when ", Group(Nest(condition)), Nest((LINE, "then ", then))))
        return Group(("case", inner, LINE, "end"))
