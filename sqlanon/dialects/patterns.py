"""Regular expressions and letters: what DuckDB takes them for, in other databases.

Databases know different versions of Unicode, so classes of characters are written as the characters
that DuckDB takes for them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sqlglot import exp

from sqlanon.dialects.dialect import Dialect, does_not_carry_over
from sqlanon.dialects.functions import function
from sqlanon.dialects.kinds import TEXT
from sqlanon.dialects.layout import LINE, SOFT, Doc, Group, Nest, call
from sqlanon.dialects.values import Values

_CLASSES: Mapping[str, Sequence[tuple[int, int]]] = {
    r"\p{Cf}": (
        (0xAD, 0xAD), (0x600, 0x605), (0x61C, 0x61C), (0x6DD, 0x6DD), (0x70F, 0x70F),
        (0x890, 0x891), (0x8E2, 0x8E2), (0x180E, 0x180E), (0x200B, 0x200F), (0x202A, 0x202E),
        (0x2060, 0x2064), (0x2066, 0x206F), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB),
        (0x110BD, 0x110BD), (0x110CD, 0x110CD), (0x13430, 0x1343F), (0x1BCA0, 0x1BCA3),
        (0x1D173, 0x1D17A), (0xE0001, 0xE0001), (0xE0020, 0xE007F),
    ),
    r"\p{Z}": (
        (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029),
        (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000),
    ),
    r"\p{Cc}": ((0x1, 0x1F), (0x7F, 0x9F)),
    r"\s": ((0x9, 0xA), (0xC, 0xD), (0x20, 0x20)),
}  # fmt: skip
"""The characters of each class, by their code points; no text holds a character 0."""

_SETTLED = (
    (0x374, 0x374), (0x37E, 0x37E), (0x387, 0x387), (0x958, 0x95F), (0x9DC, 0x9DF), (0xA33, 0xA5E),
    (0xB5C, 0xB5D), (0xF43, 0xF69), (0x1100, 0x11FF), (0x1F00, 0x1FFF), (0x2000, 0x2001),
    (0x2126, 0x212B), (0x2329, 0x232A), (0x2ADC, 0x2ADC), (0xF900, 0xFAFF), (0xFB1D, 0xFB4E),
    (0x1D15E, 0x1D1C0), (0x2F800, 0x2FA1D),
)  # fmt: skip
"""Letters that a composition may change, beside marks: a text without both is composed."""

_TOKEN = re.compile(
    r"""(?P<klass>\\p\{\w+\}|\\s)|\\x\{(?P<point>[0-9A-F]{2,5})\}|(?P<escaped>\\[.+*?$^|()\[\]])
    |(?P<open>\[\^?)|(?P<close>\])
    |(?P<plain>[\w ,:;=/<>'"-]|\(|\)|\||[*+?](?![*+?])|\.|\^|\{\d+(?:,\d*)?\})|(?P<end>\$)""",
    re.VERBOSE,
)
"""What a regular expression may consist of."""


def pattern(told: str, dialect: Dialect) -> str:
    """A regular expression of DuckDB in another dialect, as a literal.

    Raises:
        PlanError: it has a part that databases could read otherwise.
    """
    if dialect.family not in ("duckdb", "postgres", "spark"):
        raise does_not_carry_over("a regular expression", dialect)
    written, place, is_open = "", 0, False
    while place < len(told):
        found = _TOKEN.match(told, place)
        if found is None or (found["open"] and is_open) or told[place:].startswith("(?"):
            raise does_not_carry_over("a regular expression of this kind", dialect)
        place = found.end()
        is_open = (is_open or bool(found["open"])) and not found["close"]
        part = found[0]
        if found["klass"] and dialect.family != "duckdb":
            ranges = _ranges(_CLASSES.get(part, ()), dialect)
            if not ranges:
                raise does_not_carry_over("a regular expression of this kind", dialect)
            part = ranges if is_open else f"[{ranges}]"
        elif found["point"] and dialect.family != "duckdb":
            part = _letter(int(found["point"], 16), dialect)
        elif found["end"] and dialect.family == "spark" and not is_open:
            part = r"\z"  # else a line break may follow
        written += part
    return dialect.literal(written)


def _ranges(ranges: Sequence[tuple[int, int]], dialect: Dialect) -> str:
    """Characters within the brackets of a regular expression."""
    return "".join(
        _letter(first, dialect)
        if first == last
        else f"{_letter(first, dialect)}-{_letter(last, dialect)}"
        for first, last in ranges
    )


def _letter(point: int, dialect: Dialect) -> str:
    """A character in a regular expression, by its code point."""
    if dialect.family == "spark":
        return rf"\x{{{point:X}}}"
    return rf"\u{point:04X}" if point < 0x10000 else rf"\U{point:08X}"


class Patterns(Values):
    """Writes what looks into texts."""

    def _matched(self, node: exp.Expr) -> Doc:
        """Whether a text has a part that a regular expression describes."""
        value = self.write(node.this)
        told = pattern(self._literal_text(node.args["expression"]), self.dialect)
        if self.dialect.family == "duckdb":
            return call("regexp_matches", value, told)
        written = function("matches", self.dialect, value, told)
        return Group(("(", Nest((SOFT, written)), SOFT, ")"))

    def _replaced(self, node: exp.Expr) -> Doc:
        """Parts of a text, in their place another text, which may repeat a part of them."""
        told = self._literal_text(node.args["expression"])
        by = self._literal_text(node.args["replacement"])
        modifiers = node.args.get("modifiers")
        is_all = modifiers is not None and self._literal_text(modifiers) == "g"
        is_one = modifiers is None and (told.startswith("^") or told.endswith("$"))
        if not (is_all or is_one) or not re.fullmatch(r"\\1| ?", by):
            raise does_not_carry_over("a replacement of this kind", self.dialect)
        parts: list[Doc] = [self.write(node.this), pattern(told, self.dialect)]
        if self.dialect.family == "spark":  # which always replaces all
            return call("regexp_replace", *parts, self.dialect.literal(by.replace("\\1", "$1")))
        parts.append(self.dialect.literal(by))
        return call("regexp_replace", *parts, *(["'g'"] if is_all else []))

    def _exchanged(self, node: exp.Expr) -> Doc:
        """Parts of a text, in their place other texts, one replacement after the other."""
        calls: list[Doc] = []
        pairs: list[Doc] = []
        while isinstance(node, exp.Replace):
            calls.append("replace(" if len(calls) % 10 else (SOFT, "replace("))
            old, new = node.args["expression"], node.args["replacement"]
            literals = [self.dialect.literal(self._literal_text(each)) for each in (old, new)]
            pairs.append((",", LINE, ", ".join(literals), ")"))
            node = node.this
        return Group((*calls, Nest((SOFT, self._text(node), *reversed(pairs)))))

    def _by_letter(self, node: exp.Expr) -> Doc:
        """A text with other letters in the place of some, each in the place of one."""
        old, new = (self._literal_text(node.args[key]) for key in ("from_", "to"))
        if len(old) != len(new):
            raise does_not_carry_over("letters without another in their place", self.dialect)
        written = (self.dialect.literal(letters) for letters in (old, new))
        return call("translate", self._text(node.this), *written)

    def _extracted(self, node: exp.Expr) -> Doc:
        """The beginning of a text that a regular expression describes."""
        told = self._literal_text(node.args["expression"])
        if not re.fullmatch(r"\^\[[^\]]+\]\*", told):  # which there always is
            raise does_not_carry_over("a part of a text of this kind", self.dialect)
        value, first = self.write(node.this), pattern(told, self.dialect)
        if self.dialect.family == "postgres":
            return ("substring(", value, " from ", first, ")")
        return call("regexp_extract", value, first, "0")

    def _trimmed(self, node: exp.Expr) -> Doc:
        """A text without certain characters at its ends."""
        if node.args.get("expression") is None:
            raise does_not_carry_over("a text without the spaces around it", self.dialect)
        letters = self.dialect.literal(self._literal_text(node.args["expression"]))
        if isinstance(node.this, exp.Explode) and self.dialect.family == "spark":
            split = node.this.this  # each part is changed before there are rows
            return self._parts_as_rows(split, f"trim(both {letters} from each)")
        if self.dialect.family == "bigquery":
            return call("trim", self.write(node.this), letters)
        return ("trim(both ", letters, " from ", self.write(node.this), ")")

    def _lowered(self, node: exp.Expr) -> Doc:
        """A text in lower case, letter by letter: only of two letters it is otherwise in words."""
        value = self._text(node.this)
        if self.dialect.family == "duckdb":
            return call("lower", value)
        single = call("translate", value, "'\u0130\u03a3'", "'i\u03c3'")
        order = ' collate "und-x-icu"' if self.dialect.family == "postgres" else ""
        return ("lower(", single, order, ")")

    def _composed(self, node: exp.Expr) -> Doc:
        """A text of composed letters (NFC)."""
        (text,) = node.expressions
        value = self._text(text)
        if self.dialect.family == "duckdb":
            return call("nfc_normalize", value)
        if self.dialect.family == "postgres":
            return call("normalize", value, "nfc")
        told = self.dialect.literal(
            "sqlanon: Spark cannot compose letters; have the search run in the driver"
        )
        known = self.dialect.literal(rf"[\p{{M}}{_ranges(_SETTLED, self.dialect)}]")
        unknown = Group(("when ", value, " rlike ", known))
        fails = function("error", self.dialect, told)
        parts = (LINE, unknown, Nest((LINE, "then ", fails)), LINE, "else ", value)
        return Group(("case", Nest(parts), LINE, "end"))

    def _text(self, node: exp.Expr) -> Doc:
        if self.dialect.family not in ("duckdb", "postgres", "spark"):
            raise does_not_carry_over("a text that is changed letter by letter", self.dialect)
        if self.kinds.kind(node) != TEXT:
            raise does_not_carry_over("letters of what is no text", self.dialect)
        return self.write(node)

    def _split_part(self, node: exp.Expr) -> Doc:
        """A part of a text between separators."""
        separator = self.dialect.literal(self._literal_text(node.args["delimiter"]))
        place = node.args["part_index"]
        if not (isinstance(place, exp.Literal) and place.is_int and int(place.name) >= 1):
            raise does_not_carry_over("a part of a text of this kind", self.dialect)
        return function("split_part", self.dialect, self.write(node.this), separator, place.name)

    def _begins(self, node: exp.Expr) -> Doc:
        first = self.dialect.literal(self._literal_text(node.args["expression"]))
        return function("starts_with", self.dialect, self.write(node.this), first)

    def _parts_as_rows(self, split: exp.Expr, of_each: str = "each") -> Doc:
        """A row for each part of a text between commas."""
        if not isinstance(split, exp.Split) or self._literal_text(split.args["expression"]) != ",":
            raise does_not_carry_over("a list as rows", self.dialect)
        value = self.write(split.this)
        if self.dialect.family == "spark":
            parts = call("split", value, "','")
            return call("explode", call("transform", parts, f"each -> {of_each}"))
        return function("parts", self.dialect, value)

    def _literal_text(self, node: exp.Expr) -> str:
        if isinstance(node, exp.DPipe):
            return self._literal_text(node.this) + self._literal_text(node.expression)
        if isinstance(node, exp.Chr) and len(node.expressions) == 1:
            return chr(int(node.expressions[0].name))
        if not (isinstance(node, exp.Literal) and node.is_string):
            raise does_not_carry_over("what is made of a value's letters", self.dialect)
        return node.name
