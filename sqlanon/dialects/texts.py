"""Texts in dialects: literals, regular expressions, dates and numbers as DuckDB writes them.

Databases know different versions of Unicode, so classes of characters are written as the characters
that DuckDB takes for them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sqlglot import exp

from sqlanon.dialects.dialect import Dialect, does_not_carry_over

AS_TEXT = {
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


def formatted(format_: str, dialect: Dialect) -> str:
    """SQL for a date or a timestamp `{0}` as text, by a pattern of DuckDB's `strftime`."""
    if format_ == "%G-W%V":
        return _WEEKS[dialect.family]
    if not re.fullmatch(r"(%[Ymd]|[-/. ])*", format_):
        raise does_not_carry_over("the format of a date", dialect, "use %Y, %m, %d or %G-W%V")
    template, parts = _DATES[dialect.family]
    for part, stands in zip(("%Y", "%m", "%d"), parts, strict=True):
        format_ = format_.replace(part, stands)
    return template.format(dialect.literal(format_))


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


def pattern(expression: str, dialect: Dialect) -> str:
    """A regular expression of DuckDB; a PlanError if databases could read it otherwise."""
    if dialect.family not in ("duckdb", "postgres", "spark"):
        raise does_not_carry_over("a regular expression", dialect)
    written, place, is_open = "", 0, False
    while place < len(expression):
        found = _TOKEN.match(expression, place)
        if found is None or (found["open"] and is_open) or expression[place:].startswith("(?"):
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
    ends = ([_letter(point, dialect) for point in sorted({*each})] for each in ranges)
    return "".join(map("-".join, ends))


def _letter(point: int, dialect: Dialect) -> str:
    """A character in a regular expression, by its code point."""
    if dialect.family == "spark":
        return rf"\x{{{point:X}}}"
    return rf"\u{point:04X}" if point < 0x10000 else rf"\U{point:08X}"


def composable(dialect: Dialect) -> str:
    """A regular expression for letters that a composition may change."""
    return rf"[\p{{M}}{_ranges(_SETTLED, dialect)}]"


def literal_text(node: exp.Expr, dialect: Dialect) -> str:
    """The text that literals and characters make; a PlanError if there is something else."""
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


def spelled(node: exp.Expr, dialect: Dialect) -> dict[str, str]:
    """The texts of these parts, each of which is one literal from then on."""
    found = {part: literal_text(node.args[part], dialect) for part in _LITERALS[type(node)]}
    for part, literal in found.items():
        node.set(part, exp.Literal.string(literal))
    return found
