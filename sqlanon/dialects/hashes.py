"""Secrets, digests and hashes in a dialect, and what is made of their digits."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from sqlanon.dialects.dialect import does_not_carry_over
from sqlanon.dialects.functions import FUNCTIONS, cast, function
from sqlanon.dialects.kinds import INTEGER, TEXT, WIDE, kind_of_type
from sqlanon.dialects.layout import LINE, Doc, Group, Nest
from sqlanon.dialects.patterns import Patterns
from sqlanon.system.secrets import PERMUTATION_SEED, PSEUDONYM_KEY, SHORTEST

_SECRETS: Mapping[str, tuple[str, str]] = {
    PSEUDONYM_KEY.variable: (
        "a pseudonym, whose key", "leave the identifier out, or publish '*' in its place"
    ),
    PERMUTATION_SEED.variable: ("a permutation, whose seed", "choose a method without buckets"),
}  # fmt: skip
"""By their variables: what is refused where a session has none, and what to do."""

_DIGITS = 15
"""Hexadecimal digits of a number that fits a signed number of 64 bits, whatever they are."""


class Hashes(Patterns):
    """Writes what is secret, and hashes."""

    def _other(self, node: exp.Expr) -> Doc:
        name, parts = node.name.lower(), node.expressions
        variable = parts[0].name if len(parts) == 1 else ""
        if name == "getvariable" and variable in _SECRETS:
            return self._secret(variable)
        if name == "hash" and self.dialect.family in FUNCTIONS["hash"]:
            return self._hash(parts)
        if name == "nfc_normalize":
            return self._composed(node)
        if name == "isfinite" and len(parts) == 1:
            kind = self.kinds.kind(parts[0]).name
            if kind in ("double", "timestamp"):
                return function(f"isfinite of {kind}", self.dialect, self.write(parts[0]))
        if name != "error" or len(parts) != 1:
            raise does_not_carry_over("a function that no dialect is known for", self.dialect)
        return self._error(node)

    def _error(self, node: exp.Expr) -> Doc:
        """What stops the query, of the kind of the values that stand beside it."""
        found = function("error", self.dialect, self.write(node.expressions[0]))
        case = node.find_ancestor(exp.Case, exp.Select)
        others = self.kinds.kind(case).name if isinstance(case, exp.Case) else ""
        if others in ("", "text") or self.dialect.family == "duckdb":
            return found
        return cast(found, self.dialect.types["bigint" if others == "integer" else others])

    def _secret(self, variable: str) -> Doc:
        """A secret; an error where it is missing or too short."""
        what, fix = _SECRETS[variable]
        if self.dialect.family not in FUNCTIONS["secret"]:
            told = f"{what} would have to be a variable of the session"
            raise does_not_carry_over(told, self.dialect, fix)
        value = function("secret", self.dialect, variable)
        if self.dialect.family == "duckdb":
            return value
        told = f"sqlanon: set {variable} first: {SHORTEST} characters or more"
        good = ("when length(", value, f") >= {SHORTEST}", Nest((LINE, "then ", value)))
        error = function("error", self.dialect, self.dialect.literal(told))
        return Group(("case", Nest((LINE, good, LINE, "else ", error)), LINE, "end"))

    def _hash(self, nodes: list[exp.Expr]) -> Doc:
        """A hash of texts and whole numbers, for comparisons with others of the same database."""
        parts: list[Doc] = []
        for node in nodes:
            kind, value = self.kinds.kind(node), self.write(node)
            if kind == INTEGER or isinstance(node, exp.Literal):
                # a narrower number may have another hash, and a literal has no type of its own
                value = cast(value, self.dialect.types["bigint" if kind == INTEGER else "text"])
            elif kind not in (TEXT, WIDE):
                raise does_not_carry_over("a hash of this kind", self.dialect)
            if self.dialect.family == "spark":
                parts.append((value, " is null"))  # it takes no notice of a NULL
            parts.append(value)
        return function("hash", self.dialect, *parts)

    def _hashed(self, node: exp.Expr) -> Doc:
        length = node.args.get("length")
        if length is None or length.name != "256" or self.kinds.kind(node.this) != TEXT:
            raise does_not_carry_over("a hash of this kind", self.dialect)
        return function("sha256", self.dialect, self.write(node.this))

    def _short_hash(self, node: exp.Expr) -> Doc:
        if self.kinds.kind(node.this) != TEXT:
            raise does_not_carry_over("a hash of this kind", self.dialect)
        return function("md5", self.dialect, self.write(node.this))

    def _joined(self, node: exp.Expr) -> Doc:
        """Values as one text, in which a NULL is empty."""
        return function("concat", self.dialect, *map(self.as_text, node.expressions))

    def _separated(self, node: exp.Expr) -> Doc:
        return function("concat_ws", self.dialect, *map(self.as_text, node.expressions))

    def _digits(self, node: exp.Cast) -> Doc | None:
        """The number that the digits of a digest write; None if something else is cast."""
        joined = node.this
        is_hex = isinstance(joined, exp.DPipe) and joined.this == exp.Literal.string("0x")
        digits = joined.expression if is_hex else None
        if not (isinstance(digits, exp.Substring) and digits.text("length") == str(_DIGITS)):
            return None
        number = function("digits", self.dialect, self.write(digits))
        return cast(number, self.type(node.to)) if kind_of_type(node.to) == WIDE else number
