"""Tables, pairs and sentences as lines of a given width; no word is broken.

A line is wider than that only if one word of it is.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from rich.cells import cell_len
from rich.text import Text

from sqlanon.display.blocks import (
    BAD,
    GOOD,
    SECONDARY,
    TITLE,
    Block,
    Changes,
    Pairs,
    Sentences,
    Styled,
    Table,
    cell_text,
)
from sqlanon.errors import printable

_GAP = 2
_LONGEST_PROSE, _PIPED_PROSE = 100, 80
"""Width of paragraphs on a wide terminal, and in a pipe."""

_WORD = re.compile(r"\s*\S+")


@dataclass(frozen=True)
class _Cell:
    text: str
    style: str
    is_number: bool

    @classmethod
    def of(cls, value: object, style: str = "") -> _Cell:
        if isinstance(value, Styled):
            return cls.of(value.value, value.style)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return cls(printable(cell_text(value)), style, is_number)


class _Column:
    """A heading and the cells below it; numbers are aligned at their decimal points."""

    def __init__(self, cells: Sequence[_Cell]) -> None:
        below = [cell for cell in cells[1:] if cell.text != cell_text(None)]
        self._is_right = bool(below) and all(cell.is_number for cell in below)
        decimals = max((len(_decimals(cell.text)) for cell in below), default=0)
        self._texts = [cell.text for cell in cells]
        if self._is_right:
            for number, cell in enumerate(cells[1:], start=1):
                self._texts[number] += " " * (decimals - len(_decimals(cell.text)))
        self._styles = [cell.style for cell in cells]
        self.natural = max(cell_len(line) for text in self._texts for line in text.split("\n"))
        heading, *numbers = self._texts
        words = [*heading.split(), *(numbers if self._is_right else " ".join(numbers).split())]
        self.least = max(map(cell_len, words), default=0)

    def filled(self, width: int) -> int:
        """What its lines need of a width."""
        if width == self.natural:
            return width
        texts = self._texts[:1] if self._is_right else self._texts
        lines = [line for text in texts for line in wrapped(text, width)]
        return max([self.least, *map(cell_len, lines)])

    def lines(self, row: int, width: int) -> list[Text]:
        """The lines of a cell, each as wide as the column."""
        text, style = self._texts[row], self._styles[row]
        lines = [text] if self._is_right and row else wrapped(text, width)
        return [_padded(line, width, style, is_right=self._is_right) for line in lines]


class Drawn(Protocol):
    """A block that only a terminal shows."""

    @property
    def title(self) -> str:
        """What it is of."""

    def lines(self, room: int | None) -> list[Text]:
        """Its lines, in a terminal of this width."""


@dataclass(frozen=True)
class Commands:
    """Commands that can be copied; the parts of a long one are on lines of their own."""

    title: str
    commands: Sequence[Sequence[Sequence[str]]]

    def lines(self, room: int | None) -> list[Text]:
        """A line for each command, or for each part."""
        lines = []
        for parts in self.commands:
            texts = [printable(shlex.join(part)) for part in parts]
            line = f"  {' '.join(texts)}"
            is_long = room is not None and cell_len(line) > room
            lines.append(Text("  " + " \\\n    ".join(texts) if is_long else line))
        return lines


def block_lines(block: Block | Drawn, room: int | None) -> list[Text]:
    """The title and the lines of a block.

    Args:
        room: width in cells of a terminal; None if it does not matter.
    """
    title = [Text(line, TITLE) for line in wrapped(printable(block.title), room) if line]
    match block:
        case Table():
            return title + table_lines(block.columns, block.rows, room)
        case Pairs():
            return title + pair_lines(block.pairs, room)
        case Sentences():
            if block.is_prose:
                room = min(room or _PIPED_PROSE, _LONGEST_PROSE)
            lines = [line for text in block.lines for line in wrapped(printable(text), room)]
            return title + [Text(line, block.style) for line in lines]
        case Changes():
            return title + [_changed(line) for line in printable(block.text).split("\n")]
    return title + block.lines(room)


def _changed(line: str) -> Text:
    """A line of a difference, those that are marked by - and + in color."""
    is_name = line.startswith(("---", "+++"))
    return Text(line, TITLE if is_name else {"+": GOOD, "-": BAD}.get(line[:1], ""))


def table_lines(
    columns: Sequence[str], rows: Sequence[Sequence[Any]], room: int | None
) -> list[Text]:
    """A table; what does not fit even in narrow columns is listed row by row, as pairs.

    Headings that are all empty are left out.

    Args:
        room: width in cells of a terminal; None if it does not matter.
    """
    headings = [_Cell.of(name, SECONDARY) for name in columns]
    cells = [headings, *([_Cell.of(value) for value in row] for row in rows)]
    table = [_Column(column) for column in zip(*cells, strict=True)]
    widths = _widths(table, room)
    if widths is None:
        blocks = [pair_lines(list(zip(columns, row, strict=True)), room) for row in rows]
        return [line for block in blocks for line in (*block, Text())][:-1]
    lines = []
    for row in range(0 if any(columns) else 1, len(cells)):
        parts = [column.lines(row, width) for column, width in zip(table, widths, strict=True)]
        for number in range(max(map(len, parts), default=0)):
            lines.append(
                _joined(
                    [
                        part[number] if number < len(part) else Text(" " * width)
                        for part, width in zip(parts, widths, strict=True)
                    ],
                    between=" " * _GAP,
                )
            )
    return lines


def pair_lines(pairs: Sequence[tuple[str, Any]], room: int | None) -> list[Text]:
    """Values by their names, below each other; a long value wraps beside its name, or below it."""
    names = [printable(name) for name, _ in pairs]
    sizes = [cell_len(name) for name in names]
    beside = max((size for size in sizes if room is None or size <= room // 2), default=0) + _GAP
    lines = []
    for name, size, (_, value) in zip(names, sizes, pairs, strict=True):
        cell = _Cell.of(value)
        longest = max(map(cell_len, cell.text.split()), default=0)
        indent = beside
        if size + _GAP > beside or (room is not None and longest > room - beside):
            lines.append(Text(name, SECONDARY))
            name, indent = "", _GAP
        for line in wrapped(cell.text, None if room is None else room - indent):
            lines.append(_joined([_padded(name, indent, SECONDARY), Text(line, cell.style)]))
            name = ""
    return lines


def wrapped(text: str, room: int | None) -> list[str]:
    """The lines of a text, each broken between words where it is too wide."""
    lines = []
    for line in text.split("\n"):
        current = ""
        for word in _WORD.findall(line):
            if current and room is not None and cell_len(current + word) > room:
                lines.append(current)
                current = word.lstrip()
            else:
                current += word
        lines.append(current)
    return lines


def _widths(columns: Sequence[_Column], room: int | None) -> list[int] | None:
    """The width of each column, the widest ones narrowed; None if they do not fit in a row."""
    widths = [column.natural for column in columns]
    while room is not None and sum(widths) + _GAP * (len(widths) - 1) > room:
        narrower = [n for n, column in enumerate(columns) if widths[n] > column.least]
        if not narrower:
            return None
        widths[max(narrower, key=widths.__getitem__)] -= 1
    return [column.filled(width) for column, width in zip(columns, widths, strict=True)]


def _decimals(number: str) -> str:
    """A number from its decimal point on."""
    return "".join(number.partition(".")[1:])


def _padded(text: str, width: int, style: str, *, is_right: bool = False) -> Text:
    space = " " * (width - cell_len(text))
    return Text(space + text if is_right else text + space, style)


def _joined(parts: Sequence[Text], between: str = "") -> Text:
    """One line; nothing follows its last character."""
    line = Text(between).join(parts)
    line.rstrip()
    return line
