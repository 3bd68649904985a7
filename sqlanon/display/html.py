"""Small tables in HTML for notebooks: no style, no script, nothing from the network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from sqlanon.errors import printable

MOST_ROWS = 100
"""Rows of a table that are shown."""


@dataclass(frozen=True)
class Table:
    """A table for readers.

    Attributes:
        title: what it is of.
        columns: the headings.
        rows: the cells of each row.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]

    @property
    def html(self) -> str:
        """The table as HTML; every text in it is escaped."""
        headings = "".join(f"<th>{_text(name)}</th>" for name in self.columns)
        lines = [f"<table><caption>{_text(self.title)}</caption>", f"<tr>{headings}</tr>"]
        for row in self.rows[:MOST_ROWS]:
            lines.append(f"<tr>{''.join(map(_cell, row))}</tr>")
        left = len(self.rows) - MOST_ROWS
        more = f"<p>and {left:,} more rows</p>" if left > 0 else ""
        return "\n".join([*lines, f"</table>{more}"])


class Displayed:
    """Something that a notebook shows as tables."""

    def displayed(self) -> Sequence[Table]:
        """The tables that a notebook shows."""
        raise NotImplementedError  # pragma: no cover - every class states its own

    def _repr_html_(self) -> str:
        return "\n".join(table.html for table in self.displayed())


def cell_text(value: object) -> str:
    """A value as text; numbers with six digits and thousands."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _cell(value: object) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    side = ' style="text-align: right"' if is_number else ' style="text-align: left"'
    return f"<td{side}>{_text(cell_text(value))}</td>"


def _text(text: str) -> str:
    return escape(printable(text))
