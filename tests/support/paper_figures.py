"""The tables that papers print: `paper_tables/figures/`, one file a paper.

A figure has `figure` (its name), `columns`, and `rows`, as printed. `print`
says in words what is printed wrong; `mended` (by number of the row, from 1, the cells of columns)
and `without` (numbers of rows) say what is right. A column `isInT` tells persons in the table from
the others. A figure has `checks`, which `test_paper_tables` carries out, or `checked_in`,
the file whose test reads it. `files` of the paper, mostly hierarchies, are written
beside plans.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import yaml

from tests.paths import TESTS
from tests.support.tables import write_csv

FOLDER = TESTS / "paper_tables"

Row = dict[str, str]


class Figure(NamedTuple):
    """A table of a paper; `entry` is what the file says of it."""

    name: str
    entry: Mapping[str, Any]
    files: Mapping[str, str]

    @property
    def columns(self) -> list[str]:
        return list(self.entry["columns"])

    def rows(self, *, printed: bool = False) -> list[Row]:
        """The rows as they should be, or as they are printed."""
        rows = [dict(zip(self.columns, map(str, line), strict=True)) for line in self.entry["rows"]]
        if printed:
            return rows
        without = self.entry.get("without", [])
        mended = self.entry.get("mended", {})
        numbered = [(n, row) for n, row in enumerate(rows, start=1) if n not in without]
        return [{**row, **mended.get(number, {})} for number, row in numbered]

    def persons(self, *, printed: bool = False) -> list[Row]:
        """All rows, whether in the table or not."""
        rows = self.rows(printed=printed)
        return [{name: row[name] for name in row if name != "isInT"} for row in rows]

    def table(self, *, printed: bool = False) -> list[Row]:
        """The rows of the table alone."""
        everybody = zip(self.rows(printed=printed), self.persons(printed=printed), strict=True)
        return [person for row, person in everybody if row.get("isInT", "1") == "1"]

    def labels(self, file: str, level: int = 1) -> dict[str, str]:
        """What a hierarchy of the paper makes of each value at a level; the value at level 0."""
        lines = csv.reader(self.files[file].splitlines(), delimiter=";")
        return {line[0]: line[level] for line in lines}


@cache
def figures() -> dict[str, Figure]:
    """All figures, by name."""
    files = sorted((FOLDER / "figures").glob("*.yml"))
    papers = [yaml.safe_load(file.read_text(encoding="utf-8")) for file in files]
    found = [Figure(e["figure"], e, paper["files"]) for paper in papers for e in paper["tables"]]
    by_name = {each.name: each for each in found}
    assert len(by_name) == len(found)
    return by_name


def figure(name: str) -> Figure:
    """The figure of this name."""
    return figures()[name]


def project(rows: Iterable[Row], *names: str) -> list[tuple[str, ...]]:
    """The values of these columns, row by row."""
    return [tuple(row[name] for name in names) for row in rows]


def write(file: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
    """A CSV file in the current folder, of these columns."""
    write_csv(file, [columns, *([row[name] for name in columns] for row in rows)])


def number(text: Any) -> float:
    """5/6 as a number."""
    return float(Fraction(str(text)))
