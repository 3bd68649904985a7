"""Invented tables with the right role of every column, and what is right of a proposed plan.

What is right is decided column by column, as the officer who publishes the table would, from what
the column says: not from what `init` proposes. Where two roles are fair, both are right.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import duckdb

from tests.discovery.draws import Draws

Verdict = Literal["right", "wrong", "unsafe"]

Row = tuple[object, ...]

QUASI_IDENTIFIER, UNIT = "quasi-identifier", "unit"

_PUBLISHED = frozenset({QUASI_IDENTIFIER, "sensitive", "insensitive"})


_ALL = " ".join(sorted(_PUBLISHED))
_EXACT = "sensitive insensitive"
MEANINGS = {
    "direct": ("identifies a person or record by itself", "identifier", _ALL),
    "text": ("free text can say anything", "identifier", _ALL),
    "person": ("the key of a person or household", "identifier unit", _ALL),
    "actor": ("the key of somebody else", "identifier", _EXACT),
    "known": ("others know it", QUASI_IDENTIFIER, _EXACT),
    "traced": ("others have a trace of it", f"{QUASI_IDENTIFIER} identifier", _EXACT),
    "amount": ("others have the exact amount", QUASI_IDENTIFIER, _EXACT),
    "either": ("some know it; it can harm", f"{QUASI_IDENTIFIER} sensitive", "insensitive"),
    "secret": ("nobody should learn it of a person", "sensitive", "insensitive"),
    "harmless": ("hardly known and hardly harmful", _ALL, ""),
    "constant": ("says nothing about a person", f"{QUASI_IDENTIFIER} insensitive", ""),
}
"""What a column can say, the roles that are right, and those by which a person is found or
recognized; a unit that is no person's key is judged by the keys that it replaces."""

KINDS: dict[str, frozenset[str] | None] = {
    "date": frozenset({"date"}),
    "number": frozenset({"intervals", "cut_points", "groups", "round"}),
    "code": frozenset({"mask", "taxonomy", "query"}),
    "coordinate": frozenset({"round", "intervals", "cut_points"}),
    "time": frozenset({"date", "intervals", "mask", "query"}),
    "any": None,
}
"""Hierarchies by which values of a kind keep something; a file that lists the values does, too."""


@dataclass(frozen=True)
class Truth:
    """What is right for a column: a key of `MEANINGS`, what its values are, a key of `KINDS`, and
    whether the table is published for it, in whatever detail."""

    meaning: str
    kind: str
    needed: bool

    @property
    def right(self) -> list[str]:
        """The roles that are right."""
        return sorted(MEANINGS[self.meaning][1].split())


@dataclass(frozen=True)
class InventedTable:
    """A table, how its file is written, and what is right.

    A DuckDB file has `::TABLE` behind its name. In rows None is missing. Of the keys of persons
    with several rows, `units`, one must be the `unit`, or promises do not count persons.
    """

    file: str
    language: str
    columns: Mapping[str, Truth]
    rows: Callable[[Draws], Iterator[Row]]
    units: tuple[str, ...] = ()
    delimiter: str = ";"
    encoding: str = "utf-8"
    types: Mapping[str, str] | None = None

    @property
    def name(self) -> str:
        return self.file.partition(".")[0]

    @cached_property
    def values(self) -> list[Row]:
        """Its rows, the same each time."""
        return list(self.rows(Draws(self.name)))

    def has_numbers(self, name: str) -> bool:
        """Whether the values of a column are numbers as they are written, without a rule."""
        place = list(self.columns).index(name)
        texts = (str(row[place]) for row in self.values if row[place] is not None)
        return all(text.removeprefix("-").replace(".", "", 1).isdecimal() for text in texts)

    def write(self, folder: Path) -> str:
        """Write the file into a folder, and return its source as a plan names it."""
        file, _, table = self.file.partition("::")
        is_text = file.endswith((".csv", ".tsv"))
        written = folder / (file if is_text else f"{self.name}.values")
        with written.open("w", encoding=self.encoding, newline="") as stream:
            writer = csv.writer(stream, delimiter=self.delimiter)
            writer.writerow(self.columns)
            writer.writerows(self.values)
        if not is_text:
            types = {name: (self.types or {}).get(name, "varchar") for name in self.columns}
            read = f"from read_csv('{written}', delim = '{self.delimiter}', columns = {types})"
            (folder / file).unlink(missing_ok=True)
            with duckdb.connect(str(folder / file) if table else ":memory:") as connection:
                if table:
                    connection.execute(f"create table {table} as {read}")
                else:
                    connection.execute(f"copy ({read}) to '{folder / file}'")
            written.unlink()
        return str(folder / self.file)


def invented(
    file: str, language: str, columns: str, **options: Any
) -> Callable[[Callable[[Draws], Iterator[Row]]], InventedTable]:
    """Make a table of a function that makes its rows.

    `columns` has for each column `NAME: MEANING`, the kind of its values if it matters, and
    `needed` if the table is published for it; commas separate columns.
    """

    def table(rows: Callable[[Draws], Iterator[Row]]) -> InventedTable:
        truths = {}
        for column in columns.split(","):
            name, _, words = column.strip().partition(": ")
            meaning, *more = words.split()
            kind = next((word for word in more if word in KINDS), "any")
            assert set(more) <= {kind, "needed"}, column
            truths[name] = Truth(meaning, kind, "needed" in more)
        return InventedTable(file, language, truths, rows, **options)

    return table


def judged(table: InventedTable, plan: Mapping[str, Any]) -> list[tuple[Verdict, str]]:
    """The verdict on every column of a proposed plan, in their order, and why in words."""
    unit = plan.get("unit")
    unit = unit["column"] if isinstance(unit, Mapping) else unit
    counts_rows = unit is None or UNIT not in table.columns[unit].right
    found = []
    for name, truth in table.columns.items():
        role = UNIT if name == unit else plan["columns"][name]["role"]
        verdict, reason = _verdict(table, name, role, plan)
        if name in table.units and counts_rows:
            verdict, reason = "unsafe", "persons have several rows, but the promises count rows"
        reason = reason or MEANINGS[truth.meaning][0]
        found.append((verdict, f"{table.name}: {name} is {role}, {verdict}: {reason}"))
    return found


def _verdict(
    table: InventedTable, name: str, role: str, plan: Mapping[str, Any]
) -> tuple[Verdict, str]:
    """The verdict on one column by itself; no reason means what the column says."""
    truth, column = table.columns[name], plan["columns"][name]
    if "action" in column:
        return "unsafe", "published as a pseudonym"
    stated = column.get("hierarchy", "")
    hierarchy = str(next(iter(stated))) if isinstance(stated, Mapping) else "file" * bool(stated)
    change = column.get("publish", {})
    if role in _PUBLISHED and (isinstance(change, str) or {"aggregate", "round"} & change.keys()):
        role, hierarchy = QUASI_IDENTIFIER, hierarchy or "intervals"  # no exact values
    why, _, unsafe = MEANINGS[truth.meaning]
    if role in unsafe.split():
        return "unsafe", ""
    if role not in truth.right:
        return "wrong", f"not {' or '.join(truth.right)}: {why}"
    useful = KINDS[truth.kind]
    if role != QUASI_IDENTIFIER or useful is None or hierarchy in (*useful, "file"):
        return "right", ""
    read = plan["source"].get("read", {}) if isinstance(plan["source"], Mapping) else {}
    if truth.kind == "number" and not hierarchy and (name in read or table.has_numbers(name)):
        return "right", ""  # partitioning prints ranges of numbers
    return "wrong", f"no hierarchy of a {truth.kind}, but '{hierarchy}'"


def not_published(table: InventedTable, published: duckdb.DuckDBPyRelation) -> list[str]:
    """What of the columns that the table is for does not reach its readers."""
    (rows,) = published.aggregate("count(*)").fetchall()[0]
    found = []
    if rows < 0.9 * len(table.values):
        found.append(f"{rows:,} of {len(table.values):,} rows")
    for name, truth in table.columns.items():
        if not truth.needed:
            continue
        if name not in published.columns:
            found.append(f"{name} is not published")
            continue
        quoted = '"{}"'.format(name.replace('"', '""'))
        labels = published.select(quoted).distinct().fetchall()
        if len(labels) < 2 and (labels == [("*",)] or truth.kind != "date"):  # or one period
            found.append(f"{name} has one label in all rows")
    return found
