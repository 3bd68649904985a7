"""What `check` and `run` warn of: columns that should not be published as they are, and persons.

The first rows of the source are looked at. What is found there and could be otherwise in the rest,
because values repeat there, is counted over all rows. Columns that are generalized are not looked
at, as the promises are about them; only the ends of ranges are, where a plan wants them exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlanon.discovery.content import Content, content_of
from sqlanon.discovery.statistics import ColumnStatistics, TableStatistics, column_statistics
from sqlanon.discovery.vocabulary import is_key_name
from sqlanon.plan.columns import InsensitiveAttribute, SensitiveAttribute
from sqlanon.plan.plan import Plan
from sqlanon.plan.warnings import (
    EXACT_ENDS,
    FREE_TEXT,
    IDENTIFYING_CONTENT,
    JOINED_ROWS,
    NEARLY_UNIQUE,
    REPEATING_PERSON,
    PlanWarning,
    marked,
)
from sqlanon.source.places import stated_kinds
from sqlanon.source.tables import person_alias
from sqlanon.sql.render import question, render
from sqlanon.sql.step import Search, Step

FIRST_ROWS = 50_000
"""Rows that are looked at; over all rows, only different values are counted, of few columns."""

_BEGINNING = "first_rows"
_MOST_VALUES = 300
"""Different values of a column by which its content is recognized."""


def plan_warnings(
    plan: Plan,
    first_rows: int = FIRST_ROWS,
    *,
    is_released: bool = False,
    more: Sequence[PlanWarning] = (),
) -> Search[tuple[PlanWarning, ...]]:
    """Ask for what the plan should be warned of; the view `source` has been made.

    Args:
        more: what the release itself shows.
    """
    found = [*(yield from _of_columns(plan, first_rows)), *(yield from _of_ends(plan, is_released))]
    order = list(plan.columns)
    found = sorted([*found, *more], key=lambda warning: order.index(warning.column))
    return marked(plan.acknowledge, found, is_released=is_released)


def _of_ends(plan: Plan, is_released: bool) -> Search[list[PlanWarning]]:
    """The warnings of columns whose ranges end at values that few persons have."""
    names = [name for name, kind in stated_kinds(plan).items() if kind != "categorical"]
    if not plan.method.prints_ends or not names:
        return []
    least, members = plan.least_persons, "persons" if plan.unit else "rows"
    numbered = {name: number for number, name in enumerate(plan.quasi_identifiers, start=1)}
    if is_released:
        rows = yield question(
            "discovery/printed_ends",
            ends=[{"number": numbered[name], "name": name} for name in names],
            unit_alias=person_alias(plan), least_persons=least,
        )  # fmt: skip
        counts = {number: rest for number, *rest in rows}
        what = "are ends of published ranges"
    else:
        inputs = {"columns": names, "unit": plan.person, "least_persons": least}
        rows = yield question("discovery/exact_ends", **inputs)
        counts = {numbered[names[number - 1]]: rest for number, *rest in rows}
        what = "can be ends of published ranges"
    found = []
    for name in names:
        values, rare = counts.get(numbered[name], (0, 0))
        if rare:
            text = (
                f"With `ends: exact`, {values:,} values of '{name}' {what}, and {rare:,} of them"
                f" are values of fewer than {least} {members}. Leave it out to end ranges on a"
                " grid."
            )
            found.append(PlanWarning(f"{EXACT_ENDS}.{name}", name, text))
    return found


def _of_columns(plan: Plan, first_rows: int) -> Search[list[PlanWarning]]:
    """The warnings of columns that are published as they are, and of keys of persons."""
    keys = [name for name in plan.columns if plan.unit is None and is_key_name(name)]
    changed = plan.changed_columns
    as_is = {n: c for n, c in plan.columns.items() if isinstance(c, _AS_IS) and n not in changed}
    kept = [name for name in plan.kept_columns if name in as_is] if plan.hides_persons else ()
    looked_at = {*keys, *as_is, *kept, *([plan.person] if kept else [])}
    names = [name for name in plan.columns if name in looked_at]
    if not names:
        return []
    sql = render("discovery/first_rows.sql", columns=names, first_rows=first_rows)
    _ = yield Step(_BEGINNING, sql)
    table = yield from column_statistics(plan, names, relation=_BEGINNING)
    contents = yield from _contents(table)
    found = {column.name.lower(): column for column in table.columns}
    columns = {name: found[name.lower()] for name in names}
    asked = [
        name
        for name, column in columns.items()
        if (name in keys and not column.is_repeating_key)
        or (name in as_is and _may_repeat(plan, column, name))
    ]
    if table.rows == first_rows and asked:
        ((rows, *counts),) = yield question("discovery/distinct_values", columns=asked)
        for name, present, distinct in zip(asked, counts[::2], counts[1::2], strict=True):
            columns[name] = _with_counts(columns[name], int(rows), int(present), int(distinct))
    warnings: list[PlanWarning] = []
    for name, column in columns.items():
        content = contents[column.name]
        if name in keys and column.is_repeating_key and not (content and content.is_of_names):
            text = (
                f"'{name}' looks like the key of a person, and persons have"
                f" {column.present / column.distinct:.1f} rows on average, but the plan counts"
                " rows: a class of k rows can be of fewer than k persons. Write"
                f" `unit: {name}`, and `{name}: identifier`."
            )
            warnings.append(PlanWarning(f"{REPEATING_PERSON}.{name}", name, text))
        if name in as_is:
            warnings += _published_as_it_is(plan, column, name, content)
    if plan.person is not None and kept:
        warnings += yield from _joined_rows(kept, plan.person, table.rows)
    return warnings


_AS_IS = (InsensitiveAttribute, SensitiveAttribute)
"""The roles of columns that are published as they are."""


def _contents(table: TableStatistics) -> Search[dict[str, Content | None]]:
    """What the values of each column are, as far as they are recognized; no value is kept."""
    rows = yield question("discovery/drawn_values", most_values=_MOST_VALUES, most_counts=1)
    drawn = {alias: values for alias, values, _ in rows}
    return {c.name: _content_of(c, drawn.get(c.alias, ())) for c in table.columns}


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
    if column.is_free_text:
        return not column.is_nearly_unique
    return _is_insensitive(plan, name) and column.is_nearly_unique


def _is_insensitive(plan: Plan, name: str) -> bool:
    return isinstance(plan.columns[name], InsensitiveAttribute)


def _with_counts(
    column: ColumnStatistics, rows: int, present: int, distinct: int
) -> ColumnStatistics:
    """The column with the counts of all rows, and values of the same kind."""
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
    """The warning of a column whose values leave the source; of several the one that says most."""
    if content is not None:
        key, text = (
            IDENTIFYING_CONTENT,
            f"{content.share:.0%} of the values that were looked at are {content.kind}, by which"
            " persons can be found. Give it the role identifier.",
        )
    elif column.is_free_text:
        key, text = (
            FREE_TEXT,
            "its values are free text, which can name persons or reveal what no promise covers."
            " Give it the role identifier, or leave it out.",
        )
    elif _is_insensitive(plan, name) and column.is_nearly_unique:
        key, text = (
            NEARLY_UNIQUE,
            f"has nearly as many different values as rows ({column.distinct_share:.0%}): whoever"
            " knows a value can find its row. Make it a quasi-identifier with a hierarchy, or an"
            " identifier.",
        )
    else:
        return
    yield PlanWarning(f"{key}.{name}", name, f"'{name}' is published as it is, and {text}")


def _joined_rows(columns: Sequence[str], key: str, rows: int) -> Search[list[PlanWarning]]:
    """The warnings of columns whose values join rows of a person as the key would."""
    counted = yield question("discovery/joining_columns", columns=list(columns), key=key)
    found = {columns[number - 1]: counts for number, *counts in counted}
    return [
        PlanWarning(
            f"{JOINED_ROWS}.{name}",
            name,
            f"'{name}' is published as it is, and {joined / repeated:.0%} of the rows whose"
            " value of it repeats share it only with rows of the same person, so it joins them as"
            " a key would. Give it the role identifier, or make it a quasi-identifier.",
        )
        for name, (repeated, joined) in found.items()
        if joined >= _JOINING * repeated and joined >= _SHARE_OF_ROWS * rows
    ]


_JOINING, _SHARE_OF_ROWS = 0.5, 0.1
"""Share of the rows with repeated values that are joined, and of all rows, from which on a column
is a key."""
