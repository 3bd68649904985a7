"""The counts of a plan's query that decide how long a text or a list becomes.

The memory limit of DuckDB does not cover the texts and lists that a function returns: a query with
`repeat(name, 1000000000)` would take all memory of the machine.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

from sqlanon.sql.query_text import Tree, is_text_literal, refuse

_MOST = 1_000
"""The largest count that a query may name: characters, repetitions or list elements."""

_MOST_ROWS = 10_000_000
"""The largest number in a table function that makes rows, which are not all in memory at once."""

_COUNTS = {
    "repeat": (1,),
    "lpad": (1,),
    "rpad": (1,),
    "list_resize": (1,),
    "array_resize": (1,),
    "bitstring": (1,),
    "approx_top_k": (1,),
    "to_base": (2,),
    "equi_width_bins": (2,),
    "bar": (3,),
    "range": (0, 1, 2),
    "generate_series": (0, 1, 2),
}
"""Functions whose result is as long as an argument says, and the positions of such arguments."""

_LENGTHS = frozenset(
    """
    length len strlen char_length character_length length_grapheme octet_length array_length
    list_count
    """.split()  # noqa: SIM905 - a list of words is read as one
)
"""Functions that count what a value already has."""

_WIDTHS = {
    "format": re.compile(r"\{[^{}]*(\{|\d{4})"),
    "printf": re.compile(r"%[^a-zA-Z%]*(\*|\d{4})"),
}
"""Widths in templates: computed from an argument, or 1,000 characters and more."""


def check_counts(call: Tree, where: str) -> None:
    """Refuse the call of a function whose result can be of any length.

    Raises:
        PlanError: a count is neither small nor the length of a value; or a template is not a
            literal, or contains such a width.
    """
    name = call["qualified_name"]["path"][-1].lower()
    arguments = [argument["expression"] for argument in call["arguments"]]
    if name in _WIDTHS:
        template = arguments[0] if arguments else None
        if (
            template is None
            or not is_text_literal(template)
            or _WIDTHS[name].search(template["literal"]["text"])
        ):
            refuse(
                where,
                f"The query calls {name} with a width that is not known to be small.",
                "write the template as a literal, in which each width is a number below 1,000",
            )
        return
    counts = [arguments[place] for place in _COUNTS.get(name, ()) if place < len(arguments)]
    if not all(map(_is_small, counts)):
        rows = f"; or make rows, `from {name}(…)`" if name in ("range", "generate_series") else ""
        refuse(
            where,
            f"The query calls {name} with a count that is not known to be small.",
            f"write a number of at most {_MOST:,}, the length(…) of a text, or"
            f" least(…, {_MOST}){rows}",
        )


def check_rows(call: Tree, where: str) -> None:
    """Refuse a table function with a number that makes too many rows.

    Raises:
        PlanError: a number is too large.
    """
    for argument in call["arguments"]:
        number = _number(argument["expression"])
        if number is not None and abs(number) > _MOST_ROWS:
            refuse(
                where,
                f"The query makes rows with a number above {_MOST_ROWS:,}.",
                f"give numbers of at most {_MOST_ROWS:,}",
            )


def _is_small(tree: Tree) -> bool:
    """Whether a count is at most `_MOST`, or at most what a value already has, or a sum of both."""
    number = _number(tree)
    if number is not None:
        return abs(number) <= _MOST
    if tree["class"] == "CAST":
        return _is_small(tree["child"])
    if tree["class"] != "FUNCTION":
        return False
    name = tree["qualified_name"]["path"][-1].lower()
    arguments = [argument["expression"] for argument in tree["arguments"]]
    if name == "least":
        return any(map(_is_small, arguments))
    if name in ("+", "-", "greatest"):
        return all(map(_is_small, arguments))
    return name in _LENGTHS


def _number(tree: Tree) -> Decimal | None:
    """The value of a number or NULL; None for anything else."""
    if tree["class"] != "CONSTANT":
        return None
    kind, written = tree["literal"]["kind"], tree["literal"]["text"]
    if kind == "NULL_LITERAL":
        return Decimal(0)
    try:
        return Decimal(written.replace("_", "")) if kind in ("INTEGER", "NUMERIC") else None
    except InvalidOperation:
        return Decimal("Infinity")
