"""Invented tables with the right role of every column, and what is right of a proposed plan.

What is right is decided column by column, as the officer who publishes the table would, from what
the column says: not from what `init` proposes. Where two roles are fair, both are right.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

import duckdb

from sqlanon.plan.plan import Plan
from tests.discovery.draws import Draws

Verdict = Literal["right", "wrong", "unsafe"]

Row = tuple[object, ...]

QUASI_IDENTIFIER, UNIT = "quasi-identifier", "unit"

_ALL = f"insensitive {QUASI_IDENTIFIER} sensitive"
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

KINDS: dict[str, str | None] = {
    "date": "date",
    "number": "intervals cut_points groups round",
    "code": "mask taxonomy query",
    "coordinate": "round intervals cut_points",
    "time": "date intervals mask query",
    "any": None,
}
"""Hierarchies by which values of a kind keep something; a file that lists the values does, too."""


class Truth(NamedTuple):
    """What is right for a column: a key of `MEANINGS`, what its values are, a key of `KINDS`, and
    whether the table is published for it, in whatever detail."""

    meaning: str
    kind: str
    needed: bool


@dataclass(frozen=True)
class InventedTable:
    """A table, how its file is written, and what is right.

    A DuckDB file has `::TABLE` behind its name. In rows None is missing. Of the keys of persons
    with several rows, `units`, one must be the `unit`, or promises do not count persons.
    """

    file: str
    columns: Mapping[str, Truth]
    rows: Callable[[Draws], Iterator[Row]]
    units: tuple[str, ...] = ()
    delimiter: str = ";"
    encoding: str = "utf-8"
    types: Mapping[str, str] = field(default_factory=dict)

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
        written = folder / (f"{self.name}.values" if table else file)
        with written.open("w", encoding=self.encoding, newline="") as stream:
            csv.writer(stream, delimiter=self.delimiter).writerows([self.columns, *self.values])
        if table:
            types = dict.fromkeys(self.columns, "varchar") | {**self.types}
            read = f"from read_csv('{written}', delim = '{self.delimiter}', columns = {types})"
            with duckdb.connect(str(folder / file)) as connection:
                connection.execute(f"create table {table} as {read}")
        return str(folder / self.file)


def invented(
    file: str, columns: str, **options: Any
) -> Callable[[Callable[[Draws], Iterator[Row]]], InventedTable]:
    """Make a table of a function that makes its rows.

    `columns` has for each column `NAME: MEANING`, the kind of its values if it matters, and
    `needed` if the table is published for it; commas separate columns.
    """
    truths = {}
    for column in columns.split(","):
        name, _, words = column.strip().partition(": ")
        meaning, *more = words.split()
        (kind,) = {*more} - {"needed"} or {"any"}
        truths[name] = Truth(meaning, kind, "needed" in more)
    return lambda rows: InventedTable(file, truths, rows, **options)


def keys_of(plan: Plan) -> dict[str, Any]:
    """The keys of a plan: the source, every column and the method as a mapping."""

    def whole(key: str, keys: Any) -> Any:
        return {key: keys} if isinstance(keys, str) else keys

    keys = plan.content()
    columns = {name: whole("role", column) for name, column in keys["columns"].items()}
    source, method = whole("path", keys["source"]), whole("name", keys.get("method", "optimal"))
    return keys | {"source": source, "columns": columns, "method": method}


def judged(table: InventedTable, plan: Mapping[str, Any]) -> list[tuple[Verdict, str]]:
    """The verdict on every column of a proposed plan, in their order, and why in words."""
    unit = plan.get("unit")
    unit = unit["column"] if isinstance(unit, Mapping) else unit
    counts_rows = unit is None or UNIT not in MEANINGS[table.columns[unit].meaning][1]
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
    if role in _ALL.split() and (isinstance(change, str) or {"aggregate", "round"} & change.keys()):
        role, hierarchy = QUASI_IDENTIFIER, hierarchy or "intervals"  # no exact values
    why, right, unsafe = MEANINGS[truth.meaning]
    if role in unsafe.split():
        return "unsafe", ""
    if role not in right.split():
        return "wrong", f"not {' or '.join(right.split())}: {why}"
    useful = KINDS[truth.kind]
    if role != QUASI_IDENTIFIER or useful is None or hierarchy in (*useful.split(), "file"):
        return "right", ""
    is_read = name in plan["source"].get("read", {})
    if truth.kind == "number" and not hierarchy and (is_read or table.has_numbers(name)):
        return "right", ""  # partitioning prints ranges of numbers
    return "wrong", f"no hierarchy of a {truth.kind}, but '{hierarchy}'"


def not_published(table: InventedTable, published: duckdb.DuckDBPyRelation) -> list[str]:
    """What of the columns that the table is for does not reach its readers."""
    rows = len(published)
    found = [f"{rows:,} of {len(table.values):,} rows"] * (rows < 0.9 * len(table.values))
    for name in (name for name, truth in table.columns.items() if truth.needed):
        if name not in published.columns:
            found.append(f"{name} is not published")
            continue
        labels = published.select(duckdb.ColumnExpression(name)).distinct().fetchall()
        is_date = table.columns[name].kind == "date"
        if len(labels) < 2 and (labels == [("*",)] or not is_date):  # or one period
            found.append(f"{name} has one label in all rows")
    return found
