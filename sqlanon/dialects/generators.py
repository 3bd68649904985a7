"""sqlglot's generators, and what each writes otherwise than sqlglot does."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect as Language
from sqlglot.errors import ErrorLevel, UnsupportedError
from sqlglot.generator import Generator

from sqlanon.dialects.dialect import Dialect, dialect_of, does_not_carry_over
from sqlanon.dialects.kinds import UNKNOWN, kind_of_type

WIDTH = 100
"""Of lines, where they can be broken."""


class Written(exp.Expression):
    """SQL as it is to be written, with expressions in the place of `{0}`, `{1}` and so on."""

    arg_types: ClassVar = {"this": True, "expressions": False}


def text(template: str, *parts: exp.Expr) -> Written:
    """SQL with expressions in the place of `{0}`, `{1}` and so on."""
    return Written(this=template, expressions=list(parts))


def raw(sql: str) -> Written:
    """SQL as it is."""
    return text(sql.replace("{", "{{").replace("}", "}}"))


def type_name(kind: exp.DataType, dialect: Dialect) -> str:
    """The name of a type of DuckDB's in a dialect; a PlanError if it is on no list of kinds."""
    found = kind_of_type(kind)
    if found == UNKNOWN or found.name not in dialect.types:
        raise does_not_carry_over(f"the type {kind.sql()}", dialect)
    if found.name == "decimal":
        digits = [part.name for part in kind.expressions] or ["18", "3"]
        return f"{dialect.types['decimal']}({', '.join(digits)})"
    if found.is_wide:
        return "hugeint" if dialect.family == "duckdb" else f"{dialect.types['decimal']}(38, 0)"
    return dialect.types["bigint" if kind.this == exp.DType.BIGINT else found.name]


CONDITIONS = (exp.Connector, exp.Not, exp.Predicate)
"""What is in parentheses where it is asked whether it is null."""

_DATES = (exp.Year, exp.Quarter, exp.Month, exp.Day)
_NAN_OF_POSTGRES = "{this} = cast('NaN' as double precision)"

_FORMS: Mapping[str, Mapping[type[exp.Expr], str]] = {
    "duckdb": {exp.LogicalAnd: "bool_and({this})", exp.LogicalOr: "bool_or({this})"},
    "postgres": {
        **{part: f"cast(extract({part.__name__.lower()} from {{this}}) as bigint)"
           for part in _DATES},
        exp.IsInf: "abs({this}) = cast('infinity' as double precision)",
        exp.IsNan: _NAN_OF_POSTGRES,
        exp.Log: "(ln({expression}) / ln({this}))",
        exp.RegexpExtract: "substring({this} from {expression})",
        exp.SHA2: "encode(sha256(convert_to({this}, 'UTF8')), 'hex')",
        exp.TimeToUnix: "cast(extract(epoch from {this}) as double precision)",
    },
    "spark": {
        exp.BitwiseLeftShift: "{this} << {expression}",
        exp.IsInf: "abs({this}) = cast('infinity' as double)",
        exp.PercentileDisc: (  # its own is a double, and of numbers alone
            "get(array_sort(collect_list({this})),"
            " cast(ceil({expression} * count({this})) as int) - 1)"
        ),
        exp.RegexpExtract: "regexp_extract({this}, {expression}, 0)",
        exp.TimeToUnix: "(timestampdiff(microsecond, timestamp_ntz'1970-01-01', {this}) / 1000000)",
    },
    "snowflake": {exp.IsNan: _NAN_OF_POSTGRES.replace(" precision", "")},
    "trino": {
        exp.DPipe: "{this} || {expression}",
        exp.IntDiv: "{this} / {expression}",
        exp.Repeat: "rpad('', {times}, {this})",
    },
}  # fmt: skip
"""By family, what sqlglot would write with another meaning, or not at all."""


def _form(template: str) -> Callable[[Generator, exp.Expr], str]:
    def write(self: Generator, node: exp.Expr) -> str:
        parts = {name: self.sql(part) for name, part in node.args.items()
                 if isinstance(part, exp.Expr)}  # fmt: skip
        return template.format(*map(self.sql, node.expressions), **parts)

    return write


class _Writing(Generator):
    """What all generators have in common."""

    target: Dialect
    EXPRESSIONS_WITHOUT_NESTED_CTES: ClassVar[set[Any]] = set()  # else their names may meet

    def datatype_sql(self, node: exp.DataType) -> str:
        return type_name(node, self.target)

    def written_sql(self, node: Written) -> str:
        return _form(node.args["this"])(self, node)

    def binary(self, node: exp.Binary, op: str) -> str:
        """An operation; what is too wide for a line goes on in the next."""
        parts = list(map(self.sql, node.flatten(unnest=False)))
        between = f"\n    {op} " if self.too_wide(parts) else f" {op} "
        return between.join(parts)

    def paren_sql(self, node: exp.Paren) -> str:
        inner = self.sql(node, "this")
        broken = f"\n{self.indent(inner, level=1, pad=0)}\n"
        return f"({broken if self.too_wide([inner]) else inner})"

    def tuple_sql(self, node: exp.Tuple) -> str:
        """A row of values, on one line, where `remembered` finds it."""
        return f"({', '.join(map(self.sql, node.expressions))})"

    def filter_sql(self, node: exp.Filter) -> str:
        parts = [self.sql(node, "this"), f"filter (where {self.sql(node.expression, 'this')})"]
        return ("\n    " if self.too_wide(parts) else " ").join(parts)

    def where_sql(self, node: exp.Where) -> str:
        return self._clause("WHERE", self.sql(node, "this"))

    def having_sql(self, node: exp.Having) -> str:
        return self._clause("HAVING", self.sql(node, "this"))

    def op_expressions(self, op: str, node: exp.Expr, flat: bool = False) -> str:
        listed = self.expressions(node, flat=True)
        if flat or "\n" in listed or self.too_wide([listed]):
            return super().op_expressions(op, node, flat)
        return self._clause(op, listed)

    def _clause(self, word: str, content: str) -> str:
        """A clause on one line, if it fits."""
        if "\n" in content or self.too_wide([content]):
            return f"{self.seg(word)}{self.sep()}{self.indent(content)}"
        return f"{self.seg(word)} {content}"

    def ordered_sql(self, node: exp.Ordered) -> str:
        """A key of an order, with the place of its NULLs where it is not the dialect's own."""
        key, down = self.sql(node, "this"), bool(node.args.get("desc"))
        found, first = f"{key} desc" if down else key, bool(node.args.get("nulls_first"))
        own = self.target.nulls_last
        if own and first != own[down]:
            return found
        in_window = node.find_ancestor(exp.Window, exp.Select)
        if self.target.family == "bigquery" and isinstance(in_window, exp.Window):
            tested = f"({key})" if isinstance(node.this, CONDITIONS) else key
            return f"{tested} is {'not ' if first else ''}null, {found}"
        return f"{found} nulls {'first' if first else 'last'}"


@functools.cache
def _generator(name: str) -> type[Generator]:
    """The generator of a dialect."""
    target, base = dialect_of(name), Language.get_or_raise(name).generator_class
    forms = {node: _form(template) for node, template in _FORMS.get(target.family, {}).items()}
    ours = (exp.DataType, exp.Filter, exp.Ordered, exp.Paren, exp.Tuple)  # by `_Writing`
    transforms = {node: write for node, write in base.TRANSFORMS.items() if node not in ours}
    transforms |= {**forms, Written: _Writing.written_sql}
    return type(base.__name__, (_Writing, base), {"TRANSFORMS": transforms, "target": target})


def written(tree: exp.Query, dialect: Dialect) -> str:
    """The text of a query; a PlanError if sqlglot cannot write a part of it."""
    for node in tree.walk():
        if isinstance(node, exp.Identifier):
            node.set("quoted", dialect.quotes(node.name))
        node.comments = node.meta.get("comments")
    writer = _generator(dialect.name)(
        pretty=True, pad=4, indent=4, max_text_width=WIDTH - 30, dialect=dialect.name,
        unsupported_level=ErrorLevel.RAISE,
    )  # fmt: skip
    try:
        return _in_small_letters(writer.generate(tree, copy=False), dialect)
    except UnsupportedError as error:
        raise does_not_carry_over(f"what sqlglot cannot write: {error}", dialect) from None


def _in_small_letters(sql: str, dialect: Dialect) -> str:
    """The text, its keywords in small letters and its comments in lines of their own."""
    escapes = "\\" in Language.get_or_raise(dialect.name).tokenizer_class.STRING_ESCAPES
    literal = r"'(?:[^'\\]|\\.|'')*'" if escapes else "'(?:[^']|'')*'"
    parts = re.split(rf"""({literal}|"(?:[^"]|"")*"|`(?:[^`]|``)*`|/\*.*?\*/)""", sql, flags=re.S)
    for place, part in enumerate(parts):
        if place % 2 == 0:
            parts[place] = part.lower()
        elif part.startswith("/*"):
            parts[place] = f"-- {part[2:-2].strip()}"
    return "\n".join(map(_broken, "".join(parts).split("\n")))


def _broken(line: str) -> str:
    """A line that is too long, broken after a comma, or before an operator or a keyword."""
    plain = re.sub(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`""", lambda f: "x" * len(f[0]), line)
    if len(line) <= WIDTH or re.search(r"""['"`]|--""", plain):
        return line
    margin = " " * (len(line) - len(line.lstrip()) + 4)
    found = re.finditer(r"(?<=,) | (?=(?:and|or|over|as|[*/<>=+-]+) )", plain)
    places = [each.start() for each in found if len(margin) < each.start()]
    at = max((place for place in places if place <= WIDTH), default=min(places, default=0))
    return f"{line[:at]}\n{_broken(margin + line[at + 1 :])}" if at else line
