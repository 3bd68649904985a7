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


@dataclass(frozen=True)
class Meaning:
    """What a column says about a person.

    Attributes:
        why: in words, for who reads why a role is not right.
        right: the roles that are right.
        unsafe: the roles by which a person is found or recognized.
    """

    why: str
    right: frozenset[str]
    unsafe: frozenset[str]


def _meaning(why: str, right: str, unsafe: str) -> Meaning:
    return Meaning(why, frozenset(right.split()), frozenset(unsafe.split()))


_ALL = " ".join(sorted(_PUBLISHED))
_EXACT = "sensitive insensitive"
MEANINGS = {
    "direct": _meaning("identifies a person or record by itself", "identifier", _ALL),
    "text": _meaning("free text can say anything", "identifier", _ALL),
    "person": _meaning("the key of a person or household", "identifier unit", _ALL),
    "actor": _meaning("the key of somebody else", "identifier", _EXACT),
    "known": _meaning("others know it", QUASI_IDENTIFIER, _EXACT),
    "traced": _meaning("others have a trace of it", f"{QUASI_IDENTIFIER} identifier", _EXACT),
    "amount": _meaning("others have the exact amount", QUASI_IDENTIFIER, _EXACT),
    "either": _meaning("some know it; it can harm", f"{QUASI_IDENTIFIER} sensitive", "insensitive"),
    "secret": _meaning("nobody should learn it of a person", "sensitive", "insensitive"),
    "harmless": _meaning("hardly known and hardly harmful", _ALL, ""),
    "constant": _meaning("says nothing about a person", f"{QUASI_IDENTIFIER} insensitive", ""),
}
"""What a column can say; a unit that is no person's key is judged by the keys that it replaces."""

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
    """What is right for a column.

    Attributes:
        meaning: what it says.
        kind: what its values are, a key of `KINDS`.
        needed: whether the table is published for it, in whatever detail.
    """

    meaning: Meaning
    kind: str
    needed: bool


@dataclass(frozen=True)
class InventedTable:
    """A table, how its file is written, and what is right.

    Attributes:
        file: the file's name; of a DuckDB file with `::TABLE`.
        language: of its names and values.
        columns: what is right for each column, in their order.
        rows: makes its rows; None is missing.
        units: keys of persons with several rows: promises count persons only if one is the `unit`.
        delimiter: of a CSV file.
        encoding: of a CSV file.
        types: column types of Parquet and DuckDB files, if not text.
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

    def column(self, name: str) -> list[object]:
        """The values of a column that are not empty."""
        place = list(self.columns).index(name)
        return [row[place] for row in self.values if row[place] is not None]

    def has_numbers(self, name: str) -> bool:
        """Whether the values of a column are numbers as they are written, without a rule."""
        texts = (str(value).removeprefix("-").replace(".", "", 1) for value in self.column(name))
        return all(text.isdecimal() for text in texts)

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
            truths[name] = Truth(MEANINGS[meaning], kind, "needed" in more)
        return InventedTable(file, language, truths, rows, **options)

    return table


@dataclass(frozen=True)
class Judged:
    """A proposed column beside its truth: its verdict, with the reason if it is not right."""

    column: str
    role: str
    hierarchy: str
    verdict: Verdict
    reason: str


def judged(table: InventedTable, plan: Mapping[str, Any]) -> list[Judged]:
    """The verdict on every column of a proposed plan, in their order."""
    unit = plan.get("unit")
    unit = unit["column"] if isinstance(unit, Mapping) else unit
    counts_rows = unit is None or UNIT not in table.columns[unit].meaning.right
    found = []
    for name, truth in table.columns.items():
        column = plan["columns"][name]
        role = UNIT if name == unit else column["role"]
        hierarchy = _kind_of_hierarchy(column)
        verdict, reason = _verdict(table, name, role, hierarchy, column, plan)
        if name in table.units and counts_rows:
            verdict, reason = "unsafe", "persons have several rows, but the promises count rows"
        found.append(Judged(name, role, hierarchy, verdict, reason or truth.meaning.why))
    return found


def _kind_of_hierarchy(column: Mapping[str, Any]) -> str:
    hierarchy = column.get("hierarchy")
    if isinstance(hierarchy, Mapping):
        return str(next(iter(hierarchy)))
    return "" if hierarchy is None else "file"


def _verdict(
    table: InventedTable,
    name: str,
    role: str,
    hierarchy: str,
    column: Mapping[str, Any],
    plan: Mapping[str, Any],
) -> tuple[Verdict, str]:
    """The verdict on one column by itself; no reason means what the column says."""
    truth = table.columns[name]
    if "action" in column:
        return "unsafe", "published as a pseudonym"
    change = column.get("publish", {})
    if role in _PUBLISHED and (isinstance(change, str) or {"aggregate", "round"} & change.keys()):
        role, hierarchy = QUASI_IDENTIFIER, hierarchy or "intervals"  # no exact values
    if role in truth.meaning.unsafe:
        return "unsafe", ""
    if role not in truth.meaning.right:
        return "wrong", f"not {' or '.join(sorted(truth.meaning.right))}: {truth.meaning.why}"
    useful = KINDS[truth.kind]
    if role != QUASI_IDENTIFIER or useful is None or hierarchy in (*useful, "file"):
        return "right", ""
    read = plan["source"].get("read", {}) if isinstance(plan["source"], Mapping) else {}
    if truth.kind == "number" and not hierarchy and (name in read or table.has_numbers(name)):
        return "right", ""  # partitioning prints ranges of numbers
    return "wrong", f"no hierarchy of a {truth.kind}"


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
