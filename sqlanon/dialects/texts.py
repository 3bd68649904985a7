"""Texts in dialects: literals, regular expressions, dates and numbers as DuckDB writes them.

Databases know different versions of Unicode, so classes of characters are written as the characters
that DuckDB takes for them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sqlglot import exp

from sqlanon.dialects.allowed import is_at_least
from sqlanon.dialects.dialect import EXECUTED, Dialect, does_not_carry_over
from sqlanon.dialects.generators import raw, text
from sqlanon.dialects.kinds import NULL, TEXT, UNKNOWN, kind
from sqlanon.errors import PlanError

_WRITTEN = {
    # without the zeros at the end of the fraction
    ("timestamp", "postgres"): "rtrim(rtrim(to_char({0}, 'YYYY-MM-DD HH24:MI:SS.US'), '0'), '.')",
    ("timestamp", "spark"): "cast({0} as string)",
    # with a point, and up to 16 digits before it
    ("double", "postgres"): """replace(replace(regexp_replace(
    case when abs({0}) >= 1e15 and abs({0}) < 1e16
        then cast(cast(cast({0} as text) as numeric) as text) else cast({0} as text) end,
    '^(-?[0-9]+)$', '\\1.0'), 'Infinity', 'inf'), 'NaN', 'nan')""",
    # or an exponent
    ("double", "spark"): """case
    when abs({0}) >= 1e7 and abs({0}) < 1e16 or abs({0}) >= 1e-4 and abs({0}) < 1e-3
        then regexp_replace(regexp_replace(
            cast(cast(cast({0} as string) as decimal(38, 20)) as string), '0+$', ''), '[.]$', '.0')
    else regexp_replace(regexp_replace(regexp_replace(
        replace(replace(replace(cast({0} as string), 'Infinity', 'inf'), 'NaN', 'nan'), '.0E', 'E'),
        'E([0-9])', 'e+$1'), 'E-', 'e-'), 'e([+-])([0-9])$', 'e$10$2')
end""",
}
"""Timestamps and doubles as text, by kind and family."""

_WEEKS = {
    "duckdb": "strftime({0}, '%G-W%V')",
    "postgres": "to_char({0}, 'IYYY-\"W\"IW')",
    "spark": "(lpad(cast(extract(yearofweek from {0}) as string), 4, '0') || '-W'"
             " || lpad(cast(weekofyear({0}) as string), 2, '0'))",
    "bigquery": "format_datetime('%G-W%V', cast({0} as datetime))",
    "snowflake": "(lpad(cast(yearofweekiso({0}) as varchar), 4, '0') || '-W'"
                 " || lpad(cast(weekiso({0}) as varchar), 2, '0'))",
    "trino": "date_format({0}, '%x-W%v')",
}  # fmt: skip
"""The year and the number of a week."""

_DATES: Mapping[str, tuple[str, tuple[str, str, str]]] = {
    "duckdb": ("strftime({{0}}, {0})", ("%Y", "%m", "%d")),
    "postgres": ("to_char({{0}}, {0})", ("YYYY", "MM", "DD")),
    "spark": ("date_format({{0}}, {0})", ("yyyy", "MM", "dd")),
    "bigquery": ("format_datetime({0}, cast({{0}} as datetime))", ("%E4Y", "%m", "%d")),
    "snowflake": ("to_char({{0}}, {0})", ("YYYY", "MM", "DD")),
    "trino": ("date_format({{0}}, {0})", ("%Y", "%m", "%d")),
}
"""A date as text, and what stands for its year, month and day."""


def formatted(told: str, dialect: Dialect) -> str:
    """SQL for a date or a timestamp `{0}` as text, by a pattern of DuckDB's `strftime`.

    Raises:
        PlanError: the pattern has a part that not all dialects write alike.
    """
    if told == "%G-W%V":
        return _WEEKS[dialect.family]
    if not re.fullmatch(r"(%[Ymd]|[-/. ])*", told):
        raise does_not_carry_over("the format of a date", dialect, "use %Y, %m, %d or %G-W%V")
    template, parts = _DATES[dialect.family]
    for part, stands in zip(("%Y", "%m", "%d"), parts, strict=True):
        told = told.replace(part, stands)
    return template.format(dialect.literal(told))


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
    """A regular expression of DuckDB in another dialect.

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
    return written


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


def composable(dialect: Dialect) -> str:
    """A regular expression for letters that a composition may change."""
    return rf"[\p{{M}}{_ranges(_SETTLED, dialect)}]"


def literal_text(node: exp.Expr, dialect: Dialect) -> str:
    """The text that literals and characters make.

    Raises:
        PlanError: it is made of something else.
    """
    if isinstance(node, exp.DPipe | exp.Paren):
        parts = [node.this] if isinstance(node, exp.Paren) else [node.this, node.expression]
        return "".join(literal_text(part, dialect) for part in parts)
    if isinstance(node, exp.Chr) and len(node.expressions) == 1:
        return chr(int(node.expressions[0].name))
    if not (isinstance(node, exp.Literal) and node.is_string):
        raise does_not_carry_over("what is made of a value's letters", dialect)
    return node.name


_LITERALS: Mapping[type[exp.Expr], tuple[str, ...]] = {
    exp.RegexpExtract: ("expression",), exp.RegexpLike: ("expression",),
    exp.RegexpReplace: ("expression", "replacement"), exp.Replace: ("expression", "replacement"),
    exp.SplitPart: ("delimiter",), exp.StartsWith: ("expression",),
    exp.Translate: ("from_", "to"), exp.Trim: ("expression",),
}  # fmt: skip
"""The parts that have to be known before a query runs."""


def settled(node: exp.Expr, dialect: Dialect) -> dict[str, str]:
    """The texts of these parts, each of which is one literal from then on."""
    found = {part: literal_text(node.args[part], dialect) for part in _LITERALS[type(node)]}
    for part, told in found.items():
        node.set(part, exp.Literal.string(told))
    return found


class TextRules:
    """Rules on texts, and what all rules share."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect, self.family, self.types = dialect, dialect.family, dialect.types

    def refusal(self, what: str, fix: str = "") -> PlanError:
        """The error for what does not carry over."""
        return does_not_carry_over(what, self.dialect, fix)

    def wrap(self, node: exp.Expr, template: str, *others: exp.Expr) -> None:
        """Put SQL around an expression, where it stands."""
        parent, key, index = node.parent, node.arg_key, node.index
        assert parent is not None
        parent.set(str(key), text(template, node, *others), index=index)

    def stop(self, message: str) -> str:
        """SQL that stops the query, and has a text's type."""
        if self.family == "snowflake":
            raise self.refusal("the function error")
        if self.family == "postgres":  # a cast of a constant would be tried before the query runs
            return f"cast(cast({message} || left(cast(random() as text), 0) as integer) as text)"
        return f"{ {'spark': 'raise_error', 'trino': 'fail'}.get(self.family, 'error') }({message})"

    def matches(self, pattern: str) -> str:
        """SQL that compares `{0}` with a regular expression."""
        operator = {"postgres": "~", "spark": "rlike"}.get(self.family)
        if operator:
            return f"{{0}} {operator} {pattern}"
        name = "regexp_contains" if self.family == "bigquery" else "regexp_like"
        return f"{name}({{0}}, {pattern})"

    def in_order(self, node: exp.Expr) -> None:
        """Have values compared or ordered as DuckDB does: texts by their code points."""
        if self.family != "postgres":
            return
        if kind(node) == UNKNOWN:
            raise self.refusal(
                "an order of values whose type is not known", "name the column's type"
            )
        if kind(node) == TEXT:
            is_atom = not isinstance(node, exp.Binary)
            self.wrap(node, '{0} collate "C"' if is_atom else '({0}) collate "C"')

    def as_text(self, node: exp.Expr) -> None:
        """Have a value as text, of the same letters as in DuckDB."""
        found, plain = kind(node), f"cast({{0}} as {self.types['text']})"
        if found in (TEXT, NULL):
            return
        if self.family == "duckdb" or found.name in ("integer", "boolean"):
            self.wrap(node, plain)
        elif found.name == "date":
            self.wrap(node, formatted("%Y-%m-%d", self.dialect))
        elif (found.name, self.family) in _WRITTEN and found.decimals != 7:
            self.wrap(node, _WRITTEN[found.name, self.family])
        elif found.name == "decimal" and found.decimals is not None:
            if self.family == "bigquery":  # which writes no zeros at the end
                plain = f"format('%.{found.decimals}f', {{0}})"
            elif not isinstance(node.unnest(), exp.Cast | exp.Column):
                digits = f"cast({{0}} as {self.types['decimal']}(38, {found.decimals}))"
                plain = plain.replace("{0}", digits)
            self.wrap(node, plain)
        else:
            told = f"a {found.name} as text" if found.name else (
                "a value as text whose type is not known"
            )  # fmt: skip
            raise self.refusal(told, "give its column as text, or name its type")

    # --- texts

    def joined(self, node: exp.Expr) -> None:
        """What texts are made of as text."""
        parts = node.expressions or [node.this, node.args.get("expression")]
        if isinstance(node, exp.GroupConcat):
            parts = [node.this.this]
        for part in list(parts):
            if not isinstance(part.unnest(), exp.DPipe):
                self.as_text(part)

    def described(self, node: exp.Expr) -> None:
        """A part of a text that a regular expression describes."""
        told = settled(node, self.dialect)
        node.set("expression", exp.Literal.string(pattern(told["expression"], self.dialect)))
        if isinstance(node, exp.RegexpLike):
            self.wrap(node, "({0})")
        elif isinstance(node, exp.RegexpExtract):
            if not re.fullmatch(r"\^\[[^\]]+\]\*", told["expression"]):  # which there always is
                raise self.refusal("a part of a text of this kind")
        else:
            is_one = told["expression"].startswith("^") or told["expression"].endswith("$")
            modifiers, by = node.text("modifiers"), told["replacement"]
            if not (modifiers == "g" or (is_one and not modifiers)) or by not in ("\\1", " ", ""):
                raise self.refusal("a replacement of this kind")
            if self.family == "spark":  # which always replaces all
                node.set("modifiers", None)
                node.set("replacement", exp.Literal.string(by.replace("\\1", "$1")))

    def settle(self, node: exp.Expr) -> None:
        told = settled(node, self.dialect)
        if isinstance(node, exp.Translate) and len(told["from_"]) != len(told["to"]):
            raise self.refusal("letters without another in their place")
        if isinstance(node.this, exp.Explode) and self.family == "spark":  # of `trim`: before rows
            letters = self.dialect.literal(told["expression"])
            self.wrap_parts(node, node.this, f"trim(both {letters} from each)")

    def exchanged(self, node: exp.Expr) -> None:
        """Parts of a text, in their place other texts, one replacement after the other."""
        pairs: list[str] = []
        inner = node
        while isinstance(inner, exp.Replace):
            literals = map(self.dialect.literal, settled(inner, self.dialect).values())
            pairs.insert(0, ", ".join(literals))
            inner = inner.this
        if kind(inner) != TEXT:
            raise self.refusal("letters of what is no text")
        if not isinstance(node.parent, exp.Replace):  # the first of several
            told = raw("),\n    ".join(pairs)).this
            node.replace(text(f"{'replace(' * len(pairs)}{{0}},\n    {told})", inner))

    def lowered(self, node: exp.Expr) -> None:
        """A text in lower case, letter by letter: only of two letters it is otherwise in words."""
        if self.family != "duckdb":
            order = ' collate "und-x-icu"' if self.family == "postgres" else ""
            self.wrap(node.this, f"translate({{0}}, '\u0130\u03a3', 'i\u03c3'){order}")

    def substring(self, node: exp.Expr) -> None:
        start, length = node.args["start"], node.args.get("length")
        if length is not None and not is_at_least(0, length):
            if start.name != "1":
                raise self.refusal("a substring of a length that can be below 0")
            self.wrap(length, "greatest({0}, 0)")
        if not isinstance(start, exp.Literal):
            self.wrap(start, f"cast({{0}} as {self.types['integer']})")

    def formatted(self, node: exp.Expr) -> None:
        node.replace(text(formatted(node.args["format"].name, self.dialect), node.this))

    def character(self, node: exp.Expr) -> None:
        letter = literal_text(node, self.dialect)
        is_counted = self.family == "spark" and ord(letter) > 127  # modulo 256
        node.replace(raw(f"decode(unhex('{letter.encode().hex()}'), 'utf-8')" if is_counted
                         else f"chr({ord(letter)})"))  # fmt: skip

    # --- rows of lists

    def rows(self, node: exp.Expr) -> None:
        """A row for each number from 0, or for each part of a text between commas."""
        series = node.this
        if isinstance(series, exp.Split) and isinstance(node.parent, exp.Alias | exp.Trim):
            if not (self.family == "spark" and isinstance(node.parent, exp.Trim)):  # see `settle`
                self.wrap_parts(node, node, "each")
            return
        is_series = isinstance(series, exp.GenerateSeries) and series.text("start") == "0"
        is_open = is_series and series.args.get("is_end_exclusive")
        if not (is_open and isinstance(node.parent, exp.Alias)):
            raise self.refusal("a list as rows")
        if self.family != "duckdb":
            told = "generate_series(0, {0} - 1)"
            if self.family == "spark":
                told = "sequence(cast(0 as bigint), cast({0} - 1 as bigint))"
                told = f"explode(case when {{0}} > 0 then {told} end)"
            node.replace(text(told, series.args["end"]))

    def wrap_parts(self, node: exp.Expr, unnest: exp.Expr, of_each: str) -> None:
        """Put the parts of a text, each changed, in the place of a node."""
        split = unnest.this
        if literal_text(split.expression, self.dialect) != ",":
            raise self.refusal("a list as rows")
        told = {
            "duckdb": "unnest(string_split({0}, ','))",
            "postgres": "regexp_split_to_table({0}, ',')",
            "spark": f"explode(transform(split({{0}}, ','), each -> {of_each}))",
        }[self.family]
        node.replace(text(told, split.this))

    def composed(self, node: exp.Expr) -> None:
        """A text of composed letters (NFC)."""
        (value,) = node.expressions
        if self.family not in EXECUTED or kind(value) != TEXT:
            raise self.refusal("a text that is changed letter by letter")
        if self.family == "postgres":
            node.replace(text("normalize({0}, nfc)", value))
        elif self.family == "spark":
            told = "'sqlanon: Spark cannot compose letters; have the search run in the driver'"
            known = exp.Literal.string(composable(self.dialect))
            node.replace(text(f"case when {{0}} rlike {{1}} then {self.stop(told)} else {{0}} end",
                              value, known))  # fmt: skip
