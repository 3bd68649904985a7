"""Numbers in a dialect: quotients, whole parts, logarithms, and the bits of packed keys."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from sqlanon.dialects.dialect import does_not_carry_over
from sqlanon.dialects.functions import FUNCTIONS, cast, function
from sqlanon.dialects.kinds import WIDE
from sqlanon.dialects.layout import LINE, Doc, Group, Nest
from sqlanon.dialects.values import Values

_OF_DOUBLES: Mapping[type[exp.Expr], str] = {
    exp.Avg: "avg", exp.Exp: "exp", exp.Ln: "ln", exp.Log: "log", exp.Pow: "pow",
    exp.Sqrt: "sqrt",
}  # fmt: skip
_BITS: Mapping[type[exp.Expr], str] = {exp.BitwiseAnd: "bitand", exp.BitwiseLeftShift: "shift"}


class Numbers(Values):
    """Writes expressions of numbers."""

    def _divided(self, node: exp.Expr) -> Doc:
        left, right = node.this, node.args["expression"]
        if "double" in (self.kinds.kind(left).name, self.kinds.kind(right).name):
            written = self.side(left, node)
        else:
            written = self.as_double(left)
        return Group((written, Nest((LINE, "/ ", self.side(right, node)))))

    def _whole(self, node: exp.Expr) -> Doc:
        """A quotient of whole numbers, and what remains of it."""
        left, right = node.this, node.args["expression"]
        is_remainder = isinstance(node, exp.Mod)
        allowed = ("integer", "decimal") if is_remainder else ("integer",)
        kinds = {self.kinds.kind(left), self.kinds.kind(right)}
        if not {kind.name for kind in kinds} <= set(allowed):
            raise does_not_carry_over("a division of numbers that are not whole", self.dialect)
        name = "mod" if is_remainder else "intdiv"
        if WIDE in kinds and not is_remainder and self.dialect.family in FUNCTIONS["intdiv_wide"]:
            name = "intdiv_wide"
        if self.dialect.family in ("bigquery", "snowflake") or name == "intdiv_wide":
            left, right = left.unnest(), right.unnest()
        return Group(function(name, self.dialect, self.write(left), self.write(right)))

    def _of_doubles(self, node: exp.Expr) -> Doc:
        if isinstance(node, exp.Log) and node.args.get("expression") is None:
            raise does_not_carry_over("a logarithm without its base", self.dialect)
        parts = [part for part in (node.this, node.args.get("expression")) if part]
        return function(_OF_DOUBLES[type(node)], self.dialect, *map(self.as_double, parts))

    def _to_whole(self, node: exp.Expr) -> Doc:
        """The next whole number below or above, of the kind that the number has."""
        name, value = node.key, self.write(node.this)
        kind = self.kinds.kind(node.this).name
        if kind not in ("double", "decimal", "integer"):
            raise does_not_carry_over("a whole part of what is no number", self.dialect)
        if kind == "double" and self.dialect.family == "spark":  # whose result is a whole number
            name += " of double"
        return function(name, self.dialect, value)

    def _rounded(self, node: exp.Expr) -> Doc:
        digits = node.args.get("decimals")
        if self.kinds.kind(node.this).name != "decimal" or digits is None:
            raise does_not_carry_over("the rounding of what is not a decimal", self.dialect)
        return function("round", self.dialect, self.write(node.this), self.write(digits))

    def _bits(self, node: exp.Expr) -> Doc:
        """Bits of whole numbers of 64 bits."""
        sides = [node.this, node.args["expression"]]
        if {self.kinds.kind(side).name for side in sides} != {"integer"}:
            raise does_not_carry_over("bits of what is not known to be whole", self.dialect)
        if isinstance(node, exp.BitwiseLeftShift):  # in 32 bits, databases would lose some
            kinds = [self.dialect.types["bigint"], self.dialect.types["integer"]]
            written = [self._as_whole(side, kind) for side, kind in zip(sides, kinds, strict=True)]
        else:
            written = [self.side(side, node) for side in sides]
        return Group(function(_BITS[type(node)], self.dialect, *written))

    def _as_whole(self, node: exp.Expr, kind: str) -> Doc:
        """A whole number in a type of the dialect."""
        inner = node.unnest()
        if isinstance(inner, exp.Cast) and self.type(inner.to) == kind:
            return self.write(inner)
        if isinstance(inner, exp.Literal) and kind == self.dialect.types["integer"]:
            return self.write(inner)
        return cast(self.write(inner), kind)
