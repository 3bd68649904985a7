"""What `check` and `run` warn of: columns that should not be published as they are, and persons.

The first rows of the source are looked at. What is found there and could be otherwise in the rest,
because values repeat there, is counted over all rows. Columns that are generalized are not looked
at: the promises are about them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlanon.discovery.content import Content, content_of
from sqlanon.discovery.nature import (
    is_free_text,
    is_key_name,
    is_nearly_unique,
    is_repeating_key,
)
from sqlanon.discovery.statistics import ColumnStatistics, TableStatistics, column_statistics
from sqlanon.plan.acknowledgments import marked
from sqlanon.plan.columns import InsensitiveAttribute, SensitiveAttribute
from sqlanon.plan.plan import Plan
from sqlanon.plan.warnings import (
    FREE_TEXT,
    IDENTIFYING_CONTENT,
    NEARLY_UNIQUE,
    REPEATING_PERSON,
    PlanWarning,
)
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step

FIRST_ROWS = 50_000
"""Rows that are looked at; over all rows, only different values are counted, of few columns."""

_BEGINNING = "first_rows"
_MOST_VALUES = 300
"""Different values of a column by which its content is recognized."""


def plan_warnings(plan: Plan, first_rows: int = FIRST_ROWS) -> Search[tuple[PlanWarning, ...]]:
    """Ask for what the plan should be warned of; the view `source` has been made.

    Args:
        plan: the plan.
        first_rows: how many rows to look at, 1 or more.

    Returns:
        the warnings in the order of the plan's columns; no text has a value.
    """
    keys = [name for name in plan.columns if plan.unit is None and is_key_name(name)]
    as_is = {n: c for n, c in plan.columns.items() if isinstance(c, _AS_IS)}
    names = [name for name in plan.columns if name in keys or name in as_is]
    if not names:
        return marked(plan, ())
    sql = render("discovery/first_rows.sql", columns=names, first_rows=first_rows)
    _ = yield Step(_BEGINNING, sql)
    table = yield from column_statistics(plan, names, relation=_BEGINNING)
    contents = yield from _contents(table)
    found = {column.name.lower(): column for column in table.columns}
    columns = {name: found[name.lower()] for name in names}
    asked = [
        name
        for name, column in columns.items()
        if (name in keys and not is_repeating_key(column))
        or (name in as_is and _may_repeat(plan, column, name))
    ]
    if table.rows == first_rows and asked:
        columns |= yield from _over_all_rows(asked, columns)
    warnings = []
    for name, column in columns.items():
        if name in keys and is_repeating_key(column):
            warnings.append(_repeating_person(plan, column, name))
        if name in as_is:
            warnings += _published_as_it_is(plan, column, name, contents[column.name])
    return marked(plan, warnings)


_AS_IS = (InsensitiveAttribute, SensitiveAttribute)
"""The roles of columns that are published as they are."""


def _contents(table: TableStatistics) -> Search[dict[str, Content | None]]:
    """What the values of each column are, as far as they are recognized; no value is kept."""
    sql = render("discovery/drawn_values.sql", most_values=_MOST_VALUES, most_counts=1)
    drawn = {alias: values for alias, values, _ in (yield Step("drawn_values", sql, "rows"))}
    aliases = table.aliases
    return {c.name: _content_of(c, drawn.get(aliases[c.name], ())) for c in table.columns}


def _content_of(column: ColumnStatistics, values: Sequence[str]) -> Content | None:
    """The content; None if a validator of another package stumbles over a text.

    What only leads to a warning is not to stop a run.
    """
    try:
        return content_of(column, values)
    except Exception:
        return None


def _may_repeat(plan: Plan, column: ColumnStatistics, name: str) -> bool:
    """Whether what the first rows show of a column could be otherwise in all rows.

    Sentences of which most are different are no labels, in whatever number of rows.
    """
    if is_free_text(column):
        return not is_nearly_unique(column)
    return _is_insensitive(plan, name) and is_nearly_unique(column)


def _is_insensitive(plan: Plan, name: str) -> bool:
    return isinstance(plan.columns[name], InsensitiveAttribute)


def _over_all_rows(
    names: Sequence[str], columns: dict[str, ColumnStatistics]
) -> Search[dict[str, ColumnStatistics]]:
    """The columns with the counts of all rows."""
    sql = render("discovery/distinct_values.sql", columns=names)
    ((rows, *counts),) = yield Step("distinct_values", sql, "rows")
    return {
        name: _with_counts(columns[name], int(rows), int(present), int(distinct))
        for name, present, distinct in zip(names, counts[::2], counts[1::2], strict=True)
    }


def _with_counts(
    column: ColumnStatistics, rows: int, present: int, distinct: int
) -> ColumnStatistics:
    """The column with other counts, and values of the same kind."""
    numbers, wholes, dates = (
        present if count == column.present else 0
        for count in (column.numbers, column.wholes, column.dates)
    )
    return replace(
        column,
        rows=rows, missing=rows - present, distinct=min(distinct, present),
        distinct_is_exact=False, numbers=numbers, wholes=wholes, dates=dates,
    )  # fmt: skip


def _published_as_it_is(
    plan: Plan, column: ColumnStatistics, name: str, content: Content | None
) -> Iterator[PlanWarning]:
    """The warning of a column whose values leave the source; of several the most telling one."""
    if content is not None:
        yield PlanWarning(
            f"{IDENTIFYING_CONTENT}.{name}",
            name,
            f"'{name}' is published as it is, and {_percent(content.share)} of the values that were"
            f" looked at are {content.kind}, by which persons can be found. Give it the role"
            " identifier.",
        )
    elif is_free_text(column):
        yield PlanWarning(
            f"{FREE_TEXT}.{name}",
            name,
            f"'{name}' is published as it is, and its values are free text, which can name persons"
            " or tell what no promise covers. Give it the role identifier, or leave it out.",
        )
    elif _is_insensitive(plan, name) and is_nearly_unique(column):
        yield PlanWarning(
            f"{NEARLY_UNIQUE}.{name}",
            name,
            f"'{name}' is published as it is, and has nearly as many different values as rows"
            f" ({_percent(column.distinct_share)}): whoever knows a value can find its row."
            " Make it a quasi-identifier with a hierarchy, or an identifier.",
        )


def _repeating_person(plan: Plan, column: ColumnStatistics, name: str) -> PlanWarning:
    rows = column.present / column.distinct
    return PlanWarning(
        f"{REPEATING_PERSON}.{name}",
        name,
        f"'{name}' looks like the key of a person, and persons have {rows:.1f} rows on average, but"
        " the plan counts rows: a class of k rows can be of fewer than k persons. Write"
        f" `unit: {name}`, and `{name}: {{role: identifier, action: pseudonym, key: random}}`.",
    )


def _percent(share: float) -> str:
    return f"{share:.0%}"
