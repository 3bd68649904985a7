"""DuckDB's column types: which a source column may have, and how a column of each is read.

Search, proof and `verify` compare the texts of values exactly, so a value must have the same text
everywhere. A type whose equal values have several texts (-0.0 and 0.0) is converted when the source
is read. A type is refused by name if a Parquet file would change it, or if its values contain other
values or cannot be read.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from sqlanon.sql.step import quoted

TEXT = "VARCHAR"
"""The type of labels, of every CSV column, and of columns whose type is not known."""


class Conversion(NamedTuple):
    """How a column is read: an SQL expression with `{}` for the column, and the resulting type."""

    expression: str
    published: str


KEPT = frozenset(
    {
        "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER",
        "UBIGINT", "DECIMAL", TEXT, "UUID", "DATE", "TIME", "TIME_NS", "TIMESTAMP", "TIMESTAMP_NS",
        "TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS",
    }
)  # fmt: skip
"""Types whose values are published as they are."""

# -0.0 + 0.0 is 0.0. A NaN can also have a sign, and then has another text.
CONVERTED = {
    "DOUBLE": Conversion(
        "case when isnan({0}) then cast('nan' as double) else {0} + 0.0 end", "DOUBLE"
    ),
    "FLOAT": Conversion(
        "case when isnan({0}) then cast('nan' as float) else {0} + 0.0 end", "FLOAT"
    ),
    "ENUM": Conversion("cast({0} as varchar)", TEXT),
    '"NULL"': Conversion("cast({0} as varchar)", TEXT),
    "TIMESTAMP_S": Conversion("cast({0} as timestamp)", "TIMESTAMP"),
    "TIMESTAMP_MS": Conversion("cast({0} as timestamp)", "TIMESTAMP"),
}
"""Types that are read by an expression."""

_BINARY = '{0} collate "binary"'
"""How text is read that could have a collation, under which 'Flu' and 'flu' are equal."""

_FORMULA = (
    "regexp_matches({0}, '^[=+@\\t\\r\\n-]')"
    " and not regexp_full_match({0}, '[+-]([.,]?[0-9][0-9.,]*([eE][+-]?[0-9]+)?|inf)')"
)
"""Whether spreadsheets take a text for a formula: it begins like one, and is no number."""

_AS_TEXT = "cast({0} as varchar) as {0}"
_ROUNDED = "a Parquet file would hold a rounded DOUBLE", "cast({0} as decimal(38, 0)) as {0}"
_HIDING = "its values can contain other values, such as names"
_UNREADABLE = "its values are not text, numbers, dates or times that can be compared and read"

REFUSED = {
    "HUGEINT": _ROUNDED,
    "UHUGEINT": _ROUNDED,
    "BIGNUM": ("a Parquet file would hold text", _AS_TEXT),
    "INTERVAL": ("SQL treats '30 days' and '1 month' as equal", _AS_TEXT),
    "TIME WITH TIME ZONE": ("a Parquet file would lose the time zone", _AS_TEXT),
    "BLOB": (_UNREADABLE, "to_hex({0}) as {0}"),
    "BIT": (_UNREADABLE, _AS_TEXT),
    "GEOMETRY": ("a Parquet file would get metadata with coordinates", "st_astext({0}) as {0}"),
    "STRUCT": (_HIDING, "{0}.FIELD as FIELD"),
    "UNION": (_HIDING, "{0}.MEMBER as MEMBER"),
    "VARIANT": (_HIDING, _AS_TEXT),
    "JSON": (_HIDING, "{0} ->> '$.FIELD' as FIELD"),
    "MAP": (_HIDING, "{0}['KEY'] as KEY"),
    "LIST": (_HIDING, "{0}[1] as FIRST"),
    "ARRAY": (_HIDING, "{0}[1] as FIRST"),
}
"""Types that a column that leaves the source may not have: why, and what to select instead."""

NESTED = frozenset({"STRUCT", "UNION", "VARIANT", "JSON", "MAP", "LIST", "ARRAY"})
"""Types whose values hold other values."""

_OTHER = "a type that sqlanon does not know"


def type_name(described: str) -> str:
    """The name of a type in the output of `describe`, without anything that comes from the data.

    The values of an ENUM and the fields of a STRUCT are left out; a DECIMAL keeps its digits.
    """
    if described.endswith("[]"):
        return "LIST"
    if described.endswith("]"):
        return "ARRAY"
    name = described.split("(", 1)[0]
    if re.fullmatch(r"DECIMAL\(\d+,\d+\)", described):
        return described
    return name if name in KEPT | CONVERTED.keys() | REFUSED.keys() else _OTHER


def may_leave(name: str) -> bool:
    """Whether a column of the type of this name may leave the source."""
    return name.split("(", 1)[0] in KEPT or name in CONVERTED


def refusal(table: str, column: str, name: str) -> tuple[str, str]:
    """Why a column of this type may not leave the source, and what to do about it."""
    why, instead = REFUSED.get(name, (_UNREADABLE, _AS_TEXT))
    return why, f'write `{table}: {{query: "select {instead.format(quoted(column))}, …"}}`'


def as_read(column: str, name: str, *, collated: bool) -> str:
    """The SQL expression by which a column is read from the source.

    Args:
        column: the name of the column.
        name: the name of its type.
        collated: whether text could have a collation; text in files has none.
    """
    expression = "{0}"
    if name in CONVERTED:
        expression = CONVERTED[name].expression
    elif name == "INTERVAL":  # of a published table: a class would be of unequal texts
        expression = CONVERTED["ENUM"].expression
    elif collated and name == TEXT:
        expression = _BINARY
    return expression.format(quoted(column))


def escaped(expression: str) -> str:
    """The SQL expression for a text with an apostrophe before what would be a formula.

    Text that begins with an apostrophe stays as it is, so nothing is escaped twice.
    """
    return f"case when {is_formula(expression)} then '''' || {expression} else {expression} end"


def is_formula(expression: str) -> str:
    """The SQL condition that spreadsheets take a text for a formula."""
    return _FORMULA.format(expression)


def published_type(name: str) -> str:
    """The type that a column of this type has in a publication with types."""
    return CONVERTED[name].published if name in CONVERTED else name
