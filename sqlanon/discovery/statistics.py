"""Statistics of the columns of a source: one pass over its rows, and a sample of them.

The sample holds the rows with the smallest hashes, so that the same data gives the same sample in
any order; a table with fewer rows is its own sample, and everything about it is exact. No value of
a row is in what is returned.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from sqlanon.discovery.vocabulary import is_key_name, reason_to_generalize
from sqlanon.plan.column_types import REFUSED, TEXT, type_name
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Source
from sqlanon.source.reading import value_as_read
from sqlanon.sql.render import question, templated
from sqlanon.sql.step import Search, Step, quoted

MOST_SAMPLED_ROWS = 100_000
"""Rows of a sample: the share of rows with a property is then known to about 0.3 percent points."""

_MOST_SAMPLED_CELLS = 4_000_000
_FIRST_ROWS = 2_000
_MOST_COLUMNS = 250

NEARLY_UNIQUE_SHARE = 0.5
"""Different values for each row. With a share d, at least 2d - 1 of the rows have a value that no
other row has: above one half some rows are singled out for certain, however the values repeat."""

FEWEST_VALUES = 20
"""Different values below which nothing is concluded: a table of few rows has few of anything."""

FEWEST_KEYS = 3
"""Values of a key; fewer are two groups."""

FREE_TEXT_WORDS = 4.0
"""Words of a mean value: names, streets and labels of codes mostly have fewer."""

FREE_TEXT_LENGTH = 100
"""Characters of the longest value: only sentences are as long, also in languages without spaces."""

FREE_TEXT_SHARE = 0.05
"""Different values for each row: labels such as the names of diagnoses are long, but they repeat.
"""

RARE_TEXT_SHARE = 0.001
"""The same where most different values are of one row each: notes of few rows, of which all others
say the same, such as `none`."""

KEY_REPEATS = 1.1
"""Rows for each value of a key: with fewer, one row a person is a fair reading, and persons with
several rows could be errors of the data."""

MOST_REPEATS = 1_000
"""Rows for each value of a key above which a value is rather a group, such as a hospital."""

LONG_CODE = 9
"""Digits of all whole numbers from which on they are codes, if they are as long or unique."""

Kind = Literal["whole", "decimal", "date", "text", "none"]
"""What all values of a column are: whole numbers, numbers, dates or points in time, text; none:
there is no value."""

_NUMBERS = frozenset(
    {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
     "HUGEINT", "UHUGEINT", "DOUBLE", "FLOAT", "DECIMAL"}
)  # fmt: skip
_ZONED = frozenset({"TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS"})
DATES = _ZONED | {"DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"}


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
        mean_words: words of a value (runs of characters other than white space), in the sample.
        own_words: the same, of the different values, each counted once.
        padded: values in the sample that begin with 0 and have another digit next: codes.
        alias: its name in `sqlanon.sampled_rows`, where all values are text.
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
    mean_words: float
    own_words: float
    padded: int
    alias: str = ""

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
    def is_long_code(self) -> bool:
        """Whether whole numbers are so long, all of one length, that they measure nothing."""
        is_long = self.kind == "whole" and LONG_CODE <= self.shortest == self.longest
        return is_long and not reason_to_generalize(self.name)

    @property
    def has_time_zone(self) -> bool:
        """Whether values are points in time with a time zone."""
        return self.type in _ZONED

    @property
    def may_leave(self) -> bool:
        """Whether a column of this type can be published at all; see `docs/types.md`."""
        return self.type not in REFUSED

    @property
    def is_nearly_unique(self) -> bool:
        """Whether most values single out the row that has them."""
        return self.distinct >= FEWEST_VALUES and self.distinct_share > NEARLY_UNIQUE_SHARE

    @property
    def is_free_text(self) -> bool:
        """Whether values are sentences, in which anything can be said, such as a person's name."""
        if self.kind != "text" or self.distinct < FEWEST_VALUES:
            return False
        if self.distinct_share > FREE_TEXT_SHARE and (
            self.mean_words >= FREE_TEXT_WORDS or self.longest >= FREE_TEXT_LENGTH
        ):
            return True
        return (
            self.distinct_share > RARE_TEXT_SHARE
            and 2 * self.sampled_once > self.sampled_distinct
            and self.own_words >= FREE_TEXT_WORDS
        )

    @property
    def is_repeating_key(self) -> bool:
        """Whether this looks like the key of persons with several rows, by its name and values."""
        return is_key_name(self.name) and self.repeats

    @property
    def repeats(self) -> bool:
        """Whether values could be keys of several rows each: many, though fewer than rows.

        In a table of few rows, fewer values are many.
        """
        return (
            self.kind not in ("decimal", "none")
            and self.distinct >= FEWEST_KEYS
            and self.distinct >= min(FEWEST_VALUES, self.present / FEWEST_VALUES)
            and KEY_REPEATS * self.distinct <= self.present <= MOST_REPEATS * self.distinct
        )


@dataclass(frozen=True)
class TableStatistics:
    """What is known of a table.

    Attributes:
        rows: its rows.
        sampled_rows: rows in the table `sqlanon.sampled_rows`.
        columns: its columns, in their order.
    """

    rows: int
    sampled_rows: int
    columns: tuple[ColumnStatistics, ...]

    @property
    def is_whole(self) -> bool:
        """Whether the sample is the whole table."""
        return self.sampled_rows == self.rows

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
    """Ask for the statistics of these columns of the view `relation`; by default of all columns."""
    described = yield Step("source_types", f"select *\nfrom sqlanon.{relation}", "columns")
    types = [(name, type_read(plan.source, name, type_name(kind))) for name, kind in described]
    if names is not None:
        wanted = {name.lower() for name in names}
        types = [(name, kind) for name, kind in types if name.lower() in wanted]
    columns: list[dict[str, Any]] = [
        {"alias": f"column_{place}", "text": as_text(plan.source, name, kind),
         "numbers": is_number(kind), "dates": kind in DATES}
        for place, (name, kind) in enumerate(types, start=1)
    ]  # fmt: skip
    texts = [column for column, (_, kind) in zip(columns, types, strict=True) if kind == TEXT]
    for some in batches(texts):
        inputs = {"relation": relation, "columns": some, "first_rows": _FIRST_ROWS}
        (first,) = yield question("discovery/first_values", **inputs)
        for column, numbers, dates in zip(some, first[::2], first[1::2], strict=True):
            column |= {"numbers": numbers, "dates": dates}
    counts: list[Any] = []
    for some in batches(columns):
        ((rows, *counted),) = yield question(
            "discovery/column_profile", relation=relation, columns=some
        )
        counts += counted
    most = max(min(most_rows, _MOST_SAMPLED_CELLS // len(columns)), 1_000)
    inputs = {"relation": relation, "columns": columns, "sampled_rows": most}
    yield templated("discovery/sampled_rows", **inputs)
    sampled = min(rows, most)
    aliases = [column["alias"] for column in columns]
    yield templated("discovery/sampled_values", columns=aliases)
    measured = yield question("discovery/sampled_columns")
    parts = {alias: part for alias, *part in measured}
    found = []
    for place, ((name, kind), alias) in enumerate(zip(types, aliases, strict=True)):
        present, distinct, *others = map(int, counts[7 * place : 7 * place + 7])
        part = parts.get(alias, (0, 0, 0, 0.0, 0.0, 0))
        is_exact = sampled == rows
        known: list[Any] = [name, kind, rows, rows - present]
        known += [part[1] if is_exact else min(distinct, present), is_exact, *others, *part, alias]
        found.append(ColumnStatistics(*known))
    return TableStatistics(rows, sampled, tuple(found))


_Item = TypeVar("_Item")


def batches(columns: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    """The columns of each question: what it takes to plan one grows with their square."""
    for start in range(0, len(columns), _MOST_COLUMNS):
        yield columns[start : start + _MOST_COLUMNS]


def type_read(source: Source, name: str, kind: str) -> str:
    """The type of the values that are read from a column of this type."""
    reading = source.read.get(name)
    return reading.type_of(kind) if reading else kind


def as_text(source: Source, name: str, kind: str) -> str:
    """The expression for the text of a value; values of refused types have some text, too."""
    if kind.split("(", 1)[0] in REFUSED:
        return f"cast({quoted(name)} as varchar)"
    value = value_as_read(source, name, kind)
    return value if kind == TEXT else f"cast({value} as varchar)"


def is_number(kind: str) -> bool:
    """Whether a type is that of numbers."""
    return kind.split("(", 1)[0] in _NUMBERS
