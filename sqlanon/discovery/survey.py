"""What `init` knows of every column of a source before it proposes anything.

The values in a survey are drawn from the sample, to recognize what they are. They stay in memory:
no plan, message or file gets one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlanon.discovery import vocabulary as words
from sqlanon.discovery.content import CodeSystem, Content, content_of, system_of
from sqlanon.discovery.statistics import (
    MOST_SAMPLED_ROWS,
    ColumnStatistics,
    TableStatistics,
    column_statistics,
)
from sqlanon.plan.plan import Plan
from sqlanon.sql.render import question, templated
from sqlanon.sql.step import Search

MOST_VALUES = 300
"""Different values of a column by which its content is recognized."""

_MOST_COUNTS = 50

_CODE_WORDS = 1.2


@dataclass(frozen=True)
class ColumnSurvey(ColumnStatistics):
    """The statistics of a column, and what its values show.

    Attributes:
        content: what the values are, as far as it was recognized.
        system: the system that texts are codes of.
        values: up to `MOST_VALUES` different values of the sample.
        counts: rows of the most frequent values, in the sample.
        quantiles: of numbers, in the sample; empty for others.
        changes: if this column could be a key, how often columns about persons change while its
            value stays the same, by their names; 1 is as often as by chance.
        has_alike: of a column that is sensitive by its name and has few values: whether some of
            them differ only in a way that no promise counts, or have letters of which that is
            unknown, as a run would find.
    """

    content: Content | None = None
    system: CodeSystem | None = None
    values: Sequence[str] = field(default=(), repr=False)
    counts: Sequence[int] = ()
    quantiles: Sequence[float] = field(default=(), repr=False)
    changes: Mapping[str, float] = field(default_factory=dict)
    has_alike: bool = False

    @property
    def shares(self) -> list[float]:
        """The shares of rows, of those with a value, that have the most frequent ones."""
        return [count / self.sampled for count in self.counts]

    @property
    def agreement(self) -> float:
        """The share of pairs of rows, of those with a value, that have the same one."""
        if not self.sampled:
            return 1.0
        shares, others = self.shares, self.sampled_distinct - len(self.counts)
        rest = (1 - sum(shares)) ** 2 / others if others else 0.0
        return sum(share**2 for share in shares) + rest

    @property
    def bits(self) -> float:
        """What a value tells, in the sample: the entropy, 0 if all rows have the same value.

        Classes of k of n rows can tell log2(n / k) bits, whatever columns they are made of.
        """
        shares, others = self.shares, self.sampled_distinct - len(self.counts)
        rest = 1 - sum(shares)
        known = -sum(share * math.log2(share) for share in shares)
        return known - rest * math.log2(rest / others) if others > 0 and rest > 0 else known

    @property
    def has_time_zone(self) -> bool:
        """Whether values are points in time with a time zone, or texts of such."""
        zoned = re.compile(r".*[0-9]:[0-9]{2}(:[0-9.]+)? ?(Z|[+-][0-9]{2}(:?[0-9]{2})?)")
        return super().has_time_zone or any(map(zoned.fullmatch, self.values))

    @property
    def has_codes(self) -> bool:
        """Whether values are codes: one word each, most of them with a digit; or groups of them."""
        digits = sum(any(map(str.isdigit, value)) for value in self.values)
        if self.mean_words < _CODE_WORDS:
            return 2 * digits > len(self.values)
        groups = re.compile(r"(?=.*[0-9])(?=.*[A-Z])(\s?([A-Z]{1,3}|[A-Z]{0,3}[0-9][A-Z0-9]*)\b)+")
        return 2 * sum(map(bool, map(groups.fullmatch, self.values))) > len(self.values)


@dataclass(frozen=True)
class Survey:
    """What is known of a table.

    Attributes:
        table: its statistics.
        columns: its columns, by name.
        repeating: columns about persons whose values are equal in more pairs of rows than chance
            explains, though no key of persons was found.
        notes: what should be looked at in the way that texts are written, in sentences.
    """

    table: TableStatistics
    columns: Mapping[str, ColumnSurvey]
    repeating: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def surveyed(plan: Plan, most_rows: int = MOST_SAMPLED_ROWS) -> Search[Survey]:
    """Survey the source of a plan, whose view `source` has been made."""
    table = yield from column_statistics(plan, most_rows=most_rows)
    if not table.rows:
        return Survey(table, {})
    inputs = {"most_values": MOST_VALUES, "most_counts": _MOST_COUNTS}
    drawn = yield question("discovery/drawn_values", **inputs)
    values = {alias: (texts, counts) for alias, texts, counts in drawn}
    numeric = [column.alias for column in table.columns if column.kind in ("whole", "decimal")]
    quantiles: dict[str, Sequence[float]] = {}
    if numeric:
        (row,) = yield question("discovery/column_quantiles", columns=numeric)
        quantiles = dict(zip(numeric, row, strict=True))
    alike = yield from _with_alike_values(table)
    columns = {}
    for column in table.columns:
        texts, counts = values.get(column.alias, ((), ()))
        columns[column.name] = ColumnSurvey(
            **vars(column),
            content=content_of(column, texts),
            system=system_of(texts) if column.kind == "text" else None,
            values=texts,
            counts=counts,
            quantiles=quantiles.get(column.alias) or (),
            has_alike=column.alias in alike,
        )
    return Survey(table, columns)


def _with_alike_values(table: TableStatistics) -> Search[set[str]]:
    """The columns, by their aliases, of which a run would say that values look alike."""
    compared = [
        column
        for column in table.columns
        if words.reason_to_protect(column.name) and 0 < column.sampled_distinct <= MOST_VALUES
    ]
    if not compared:
        return set()
    missing = [column.alias for column in compared if column.missing]
    yield templated("discovery/counted_values", "view", missing=missing)
    attributes = [column.alias for column in compared]
    inputs = {"attributes": attributes, "exact_numbers": [], "escaped": False}
    return {row[0] for row in (yield question("source/proof_of_distinct_values", **inputs))}
