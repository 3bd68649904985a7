"""A hierarchy in a CSV file, one row per value and one column per level."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field

from sqlanon.bounds import MOST_LEVELS, PathText
from sqlanon.errors import HierarchyError
from sqlanon.hierarchies.base import Hierarchy


class HierarchyFile(Hierarchy):
    """A CSV file with one row per value and one column per level, `;` or `,`, as ARX writes them.

    A path is looked up in the plan's folder first, then among the shipped hierarchies. Delimiter
    and header are detected when not given: only a header differs in the last column.
    """

    template = "hierarchies/file.sql"
    key = "file"
    endings = ("csv", "yml")  # of files to suggest when one is missing
    may_name_rule = True
    form = "CSV in UTF-8, one row per value, one column per level"

    file: PathText = Field(description="path of a CSV file, or of a YAML file with a rule")
    delimiter: str | None = Field(None, min_length=1, max_length=1, description="; or , or another")
    header: bool | None = Field(None, description="whether the first line names the levels")

    def __init__(self, file: str | Path, **keys: Any) -> None:
        self._set_keys(file=file, **keys)

    @property
    def file_path(self) -> str:
        return self.file

    def looked_at(self, found: Path, path_in_sql: str, where: str) -> FoundHierarchyFile:
        """The same hierarchy with the delimiter, header and number of levels of the file."""
        delimiters = (self.delimiter,) if self.delimiter else (";", ",")
        look = max((_look(found, delimiter) for delimiter in delimiters), key=_likelihood)
        wrong = ""
        if look.odd_row is not None:
            line, columns = look.odd_row
            wrong = (
                f"Line {line} of '{self.file}' has {columns} column(s), but the first line has"
                f" {look.columns}."
                if columns
                else f"Line {line} of '{self.file}' has a misplaced quote."
            )
        elif look.columns == 0:
            wrong = f"The hierarchy file '{self.file}' is empty."
        elif look.columns == 1:
            wrong = f"The hierarchy file '{self.file}' has only one column; it needs one per level."
        elif look.columns > MOST_LEVELS:
            wrong = f"'{self.file}' has {look.columns:,} columns; the limit is {MOST_LEVELS}."
        if wrong:
            raise HierarchyError(
                wrong,
                where=where,
                fix="write one row per value: the value, then its label on each level, separated by"
                " `;` or `,`; for another delimiter give `{file: …, delimiter: …}`",
            )
        header = look.has_header if self.header is None else self.header
        return FoundHierarchyFile.model_validate(
            {
                "file": path_in_sql,
                "delimiter": look.delimiter,
                "header": header,
                "columns": look.columns,
                "top": look.top(header=header),
                "examples": look.examples(header=header),
            }
        )


class FoundHierarchyFile(HierarchyFile):
    """A hierarchy file that was found and inspected: all that SQL needs to read it is known."""

    columns: int
    top: str | None
    examples: tuple[tuple[str, ...], ...]

    @property
    def level_count(self) -> int:
        return self.columns

    @property
    def top_label(self) -> str | None:
        return self.top

    def label_examples(self, level: int) -> list[str]:
        return list(self.examples[level])


class _Look(NamedTuple):
    """What a file looks like with a delimiter.

    Attributes:
        columns: of the first row.
        odd_row: line and columns of a row with another number of columns (0: it cannot be read).
        first_top: the last cell of the first row.
        other_tops: the last cells of the other rows, two at most.
        cells: of each column the first cell, and two other ones at most.
    """

    delimiter: str
    columns: int
    odd_row: tuple[int, int] | None
    first_top: str
    other_tops: frozenset[str]
    cells: tuple[tuple[str, ...], ...]

    @property
    def has_header(self) -> bool:
        """Whether the first row differs from all others in the last column."""
        return bool(self.other_tops) and self.first_top not in self.other_tops

    def top(self, *, header: bool) -> str | None:
        """The only label of the last column; None if there are several, or it is empty."""
        tops = self.other_tops if header else self.other_tops | {self.first_top}
        return next(iter(tops)) or None if len(tops) == 1 else None

    def examples(self, *, header: bool) -> tuple[tuple[str, ...], ...]:
        """Of each column two labels at most, without the header."""
        return tuple(tuple(cell for cell in cells[header:] if cell)[:2] for cells in self.cells)


def _look(path: Path, delimiter: str) -> _Look:
    with path.open(encoding="utf-8-sig", newline="") as lines:
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
        rows = (row for row in reader if row)
        first: list[str] = [""]
        found: list[dict[str, None]] = [{}]
        odd_row = None
        tops: set[str] = set()
        try:
            first = next(rows, first)
            found = [{} for _ in first]
            for row in rows:
                for cells, cell in zip(found, row, strict=False):
                    if len(cells) < 2:
                        cells[cell] = None
                if len(row) != len(first) and odd_row is None:
                    odd_row = reader.line_num, len(row)
                if len(tops) < 2:
                    tops.add(row[-1])
        except csv.Error:
            odd_row = reader.line_num, 0
    columns = len(first) if first != [""] else 0
    cells_of = tuple(
        tuple(dict.fromkeys([cell, *more])) for cell, more in zip(first, found, strict=True)
    )
    return _Look(delimiter, columns, odd_row, first[-1], frozenset(tops), cells_of)


def _likelihood(look: _Look) -> tuple[bool, bool, bool, int]:
    """How much a file looks like a hierarchy: even rows, one top value, many levels."""
    even = look.odd_row is None and look.columns > 1
    return even, look.columns != 1, len(look.other_tops) == 1, look.columns
