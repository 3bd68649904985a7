"""What a result shows, described once: the command line prints it, a notebook shows it as HTML.

A result is a list of blocks: tables, pairs, sentences and changes of code. A cell with a meaning
has one of the styles below. The HTML has no style sheet, no script, and nothing from the network.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from sqlanon.errors import printable

MOST_ROWS = 100
"""Rows of a table that a notebook shows."""

GOOD, BAD, WARNING, SECONDARY, TITLE = "good", "bad", "look", "secondary", "title"
"""Styles by what they mean: it holds; it fails; look here; it matters less; a heading."""


@dataclass(frozen=True)
class Styled:
    """A value with the style in which it is printed."""

    value: object
    style: str

    def __str__(self) -> str:
        return cell_text(self.value)


class Percent(float):
    """A share, 0 to 1, that is printed in percent."""

    def __str__(self) -> str:
        return f"{round(100 * self, 6):.1f} %"

    __format__ = object.__format__


@dataclass(frozen=True)
class Table:
    """Rows under headings; headings that are all empty are not shown.

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
        lines = [f"<table><caption>{_text(self.title)}</caption>"]
        if any(self.columns):
            headings = "".join(f"<th>{_text(name)}</th>" for name in self.columns)
            lines.append(f"<tr>{headings}</tr>")
        for row in self.rows[:MOST_ROWS]:
            lines.append(f"<tr>{''.join(map(_cell, row))}</tr>")
        left = len(self.rows) - MOST_ROWS
        more = f"<p>and {left:,} more rows</p>" if left > 0 else ""
        return "\n".join([*lines, f"</table>{more}"])


@dataclass(frozen=True)
class Pairs:
    """Values by their names."""

    title: str
    pairs: Sequence[tuple[str, Any]]

    @property
    def html(self) -> str:
        """A table of two columns."""
        return Table(self.title, ["", ""], self.pairs).html


@dataclass(frozen=True)
class Sentences:
    """Lines of text, all in one style.

    Attributes:
        title: what they are about; without one they belong to what is before them.
        is_prose: whether they are paragraphs, in lines that can be read, also in a pipe.
    """

    lines: Sequence[str]
    title: str = ""
    style: str = ""
    is_prose: bool = False

    @property
    def html(self) -> str:
        """A paragraph for each."""
        return "\n".join(f"<p>{_text(line)}</p>" for line in (self.title, *self.lines) if line)


@dataclass(frozen=True)
class Changes:
    """A difference of code, in lines that are marked by - and +."""

    text: str
    title: str = ""

    @property
    def html(self) -> str:
        """The lines as they are."""
        return f"<pre>{_text(self.text)}</pre>"


Block = Table | Pairs | Sentences | Changes


class Displayed:
    """A result: its blocks, and the same for programs."""

    def displayed(self) -> Sequence[Block]:
        """The blocks that the command line and a notebook show."""
        raise NotImplementedError  # pragma: no cover - every class states its own

    def as_json(self) -> Any:
        """The content as lists, mappings, texts and numbers; what `--json` prints."""
        return dict(vars(self))

    def _repr_html_(self) -> str:
        return "\n".join(block.html for block in self.displayed())


def cell_text(value: object) -> str:
    """A value as text; numbers with six digits and thousands."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and not isinstance(value, Percent):
        return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def words(name: str) -> str:
    """The name of a field as a heading."""
    return name.replace("_", " ")


def printed_label(label: str | None) -> str:
    """A label of a hierarchy on one line."""
    return "(missing)" if label is None else printable(label).replace("\n", " ") or "(empty)"


def counted(rows: int, of: int) -> str:
    """A number of rows or persons, and its share."""
    return f"{rows:,} ({Percent(rows / of)})" if rows else "0"


def near(path: Path) -> str:
    """A path as one would type it here: relative, if it is in or below the current folder."""
    absolute = Path(os.path.abspath(path))
    is_below = absolute.is_relative_to(Path.cwd())
    return str(absolute.relative_to(Path.cwd()) if is_below else absolute)


def _cell(value: object) -> str:
    inner = value.value if isinstance(value, Styled) else value
    is_number = isinstance(inner, int | float) and not isinstance(inner, bool)
    side = ' style="text-align: right"' if is_number else ' style="text-align: left"'
    return f"<td{side}>{_text(cell_text(value))}</td>"


def _text(text: str) -> str:
    return escape(printable(text))
