"""Statistics of the columns of a source: one pass over its rows, and a sample of them.

    step "source" (sqlanon.source.tables)         the view sqlanon.source, which must exist
    column_statistics(plan, names)                a generator: yields steps, returns TableStatistics
    nature.is_nearly_unique(column), …            what follows (sqlanon.discovery.nature)

The steps are `source_types` (the columns), `first_values` (which columns could be numbers or dates,
from the first rows), `column_profile` (the only pass over all rows), `sampled_rows` and
`sampled_values`, and `sampled_columns` (what is measured in the sample). The sample holds the rows
with the smallest hashes, so that the same data gives the same sample in any order; a table with
fewer rows is its own sample, and everything about it is exact. No value of a row is in what is
returned.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlanon.plan.column_types import NESTED, REFUSED, TEXT, as_read, type_name
from sqlanon.plan.plan import Plan
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step, quoted

MOST_SAMPLED_ROWS = 100_000
"""Rows of a sample: the share of rows with a property is then known to about 0.3 percent points."""

_MOST_SAMPLED_CELLS = 4_000_000
_FIRST_ROWS = 2_000

Kind = Literal["whole", "decimal", "date", "text", "none"]
"""What all values of a column are: whole numbers, numbers, dates or points in time, text; none:
there is no value."""

_NUMBERS = frozenset(
    {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
     "HUGEINT", "UHUGEINT", "DOUBLE", "FLOAT", "DECIMAL"}
)  # fmt: skip
_ZONED = frozenset({"TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS"})
_DATES = _ZONED | {"DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"}


@dataclass(frozen=True)
class ColumnStatistics:
    """What is known of one column; counts and lengths, no value.

    Attributes:
        name: the column's name in the source.
        type: its type, as `describe` names it, without anything from the data.
        rows: rows of the source.
        missing: rows without a value.
        distinct: different values; `approx_count_distinct` (about 2 % off) where the table is
            larger than the sample, otherwise exact.
        distinct_is_exact: whether `distinct` is exact.
        shortest, longest: characters of the shortest and longest value; 0 if there is no value.
        numbers, wholes, dates: rows whose value is a finite number, a whole number, a date or point
            in time; counted for columns whose first values are all of this kind, otherwise 0.
        sampled: values in the sample.
        sampled_distinct: different values in the sample.
        sampled_once: values that one row of the sample has and no other.
        mean_length: characters of a value, in the sample.
        mean_words: words of a value (runs of characters other than white space), in the sample.
        own_words: the same, of the different values, each counted once.
        padded: values in the sample that begin with 0 and have another digit next: codes.
    """

    name: str
    type: str
    rows: int
    missing: int
    distinct: int
    distinct_is_exact: bool
    shortest: int
    longest: int
    numbers: int
    wholes: int
    dates: int
    sampled: int
    sampled_distinct: int
    sampled_once: int
    mean_length: float
    mean_words: float
    own_words: float
    padded: int

    @property
    def present(self) -> int:
        """Rows with a value."""
        return self.rows - self.missing

    @property
    def distinct_share(self) -> float:
        """Different values for each row with a value: 1 if no value repeats; 0 without values."""
        return min(self.distinct / self.present, 1.0) if self.present else 0.0

    @property
    def kind(self) -> Kind:
        """What all values are. Digits with a leading zero are text: 02139 is a code."""
        if not self.present:
            return "none"
        if self.dates == self.present:
            return "date"
        if self.numbers == self.present and not self.padded:
            return "whole" if self.wholes == self.present else "decimal"
        return "text"

    @property
    def has_time_zone(self) -> bool:
        """Whether values are points in time with a time zone."""
        return self.type in _ZONED

    @property
    def is_nested(self) -> bool:
        """Whether values can hold other values, so that nothing is known of what they hold."""
        return self.type in NESTED

    @property
    def may_leave(self) -> bool:
        """Whether a column of this type can be published at all; see `docs/types.md`."""
        return self.type not in REFUSED


@dataclass(frozen=True)
class TableStatistics:
    """What is known of a table.

    Attributes:
        rows: its rows.
        sampled_rows: rows in the table `sqlanon.sampled_rows`, whose columns are `aliases`.
        columns: its columns, in their order.
    """

    rows: int
    sampled_rows: int
    columns: tuple[ColumnStatistics, ...]

    @property
    def is_whole(self) -> bool:
        """Whether the sample is the whole table."""
        return self.sampled_rows == self.rows

    @property
    def aliases(self) -> dict[str, str]:
        """The name of each column in `sqlanon.sampled_rows`, where all values are text."""
        return {column.name: _alias(place) for place, column in enumerate(self.columns, start=1)}

    def __getitem__(self, name: str) -> ColumnStatistics:
        """The column of this name."""
        return next(column for column in self.columns if column.name == name)


def column_statistics(
    plan: Plan,
    names: Collection[str] | None = None,
    *,
    most_rows: int = MOST_SAMPLED_ROWS,
    relation: str = "source",
) -> Search[TableStatistics]:
    """Ask for the statistics of columns of the source, whose view `source` has been made."""
    described = yield Step("source_types", f"select *\nfrom sqlanon.{relation}", "columns")
    types = [(name, type_name(kind)) for name, kind in described]
    if names is not None:
        wanted = {name.lower() for name in names}
        types = [(name, kind) for name, kind in types if name.lower() in wanted]
    collated = not plan.source.is_file
    columns: list[dict[str, Any]] = [
        {"alias": _alias(place), "text": as_text(name, kind, collated=collated)}
        for place, (name, kind) in enumerate(types, start=1)
    ]
    first = yield from _first_kinds(columns, types, relation)
    for column, kinds in zip(columns, first, strict=True):
        column["numbers"], column["dates"] = kinds
    wanted_rows = max(min(most_rows, _MOST_SAMPLED_CELLS // len(columns)), 1_000)
    yield Step(
        "column_profile",
        render(
            "discovery/column_profile.sql",
            relation=relation,
            columns=columns,
            sampled_rows=wanted_rows,
        ),
    )
    yield Step("sampled_rows", render("discovery/sampled_rows.sql"))
    ((rows, sampled, *counted),) = yield Step(
        "profiled_columns", render("discovery/profiled_columns.sql", columns=columns), "rows"
    )
    aliases = [column["alias"] for column in columns]
    yield Step("sampled_values", render("discovery/sampled_values.sql", columns=aliases))
    measured = yield Step("sampled_columns", render("discovery/sampled_columns.sql"), "rows")
    parts = {alias: part for alias, *part in measured}
    is_exact = bool(sampled == rows)
    found = []
    for (name, kind), alias, whole in zip(types, aliases, _parts(counted, 7), strict=True):
        present, distinct, shortest, longest, numbers, wholes, dates = map(int, whole)
        part = parts.get(alias, (0, 0, 0, 0.0, 0.0, 0.0, 0))
        found.append(
            ColumnStatistics(
                name=name,
                type=kind,
                rows=rows,
                missing=rows - present,
                distinct=int(part[1]) if is_exact else min(distinct, present),
                distinct_is_exact=is_exact,
                shortest=shortest,
                longest=longest,
                numbers=numbers,
                wholes=wholes,
                dates=dates,
                sampled=int(part[0]),
                sampled_distinct=int(part[1]),
                sampled_once=int(part[2]),
                mean_length=float(part[3]),
                mean_words=float(part[4]),
                own_words=float(part[5]),
                padded=int(part[6]),
            )
        )
    return TableStatistics(rows, sampled, tuple(found))


def _alias(place: int) -> str:
    return f"column_{place}"


def as_text(name: str, kind: str, *, collated: bool) -> str:
    """The expression for the text of a value; values of refused types have some text, too."""
    if kind == TEXT:
        return as_read(name, kind, collated=collated)
    if kind.split("(", 1)[0] in REFUSED:
        return f"cast({quoted(name)} as varchar)"
    return f"cast({as_read(name, kind, collated=collated)} as varchar)"


def _first_kinds(
    columns: Sequence[dict[str, Any]], types: Sequence[tuple[str, str]], relation: str
) -> Search[list[tuple[bool, bool]]]:
    """Whether each column could be numbers, and dates: by its type, or by its first values."""
    by_type = [
        (kind.split("(", 1)[0] in _NUMBERS, kind in _DATES) if kind != TEXT else None
        for _, kind in types
    ]
    asked = [column for column, known in zip(columns, by_type, strict=True) if known is None]
    counts: list[Sequence[Any]] = []
    if asked:
        (row,) = yield Step(
            "first_values",
            render(
                "discovery/first_values.sql",
                relation=relation,
                columns=asked,
                first_rows=_FIRST_ROWS,
            ),
            "rows",
        )
        counts = _parts(row, 3)
    found = iter(counts)
    kinds = []
    for known in by_type:
        if known is None:
            present, numbers, dates = map(int, next(found))
            known = (numbers == present, dates == present)
        kinds.append(known)
    return kinds


def _parts(row: Sequence[Any], size: int) -> list[Sequence[Any]]:
    """A row in parts of equal size, one for each column."""
    return [row[start : start + size] for start in range(0, len(row), size)]
