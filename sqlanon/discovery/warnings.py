"""What `check` and `run` warn of: columns that should not be published as they are, and persons.

The first rows of the source are looked at. What is found there and could be otherwise in the rest,
because values repeat there, is counted over all rows. Columns that are generalized are not looked
at, as the promises are about them; only the ends of ranges are, where a plan wants them exact.
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
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step

FIRST_ROWS = 50_000
"""Rows that are looked at; over all rows, only different values are counted, of few columns."""

_BEGINNING = "first_rows"
_MOST_VALUES = 300
"""Different values of a column by which its content is recognized."""


def plan_warnings(
    plan: Plan, first_rows: int = FIRST_ROWS, *, is_released: bool = False
) -> Search[tuple[PlanWarning, ...]]:
    """Ask for what the plan should be warned of; the view `source` has been made."""
    found = [*(yield from _of_columns(plan, first_rows)), *(yield from _of_ends(plan, is_released))]
    order = list(plan.columns)
    return marked(plan.acknowledge, sorted(found, key=lambda warning: order.index(warning.column)))


def _of_ends(plan: Plan, is_released: bool) -> Search[list[PlanWarning]]:
    """The warnings of columns whose ranges end at values that few persons have."""
    if not plan.method.prints_ends:
        return []
    numbered = {name: number for number, name in enumerate(plan.quasi_identifiers, start=1)}
    names = [name for name, kind in stated_kinds(plan).items() if kind != "categorical"]
    if not names:
        return []
    least, what = plan.least_persons, "persons" if plan.unit else "rows"
    if is_released:
        sql = render(
            "discovery/printed_ends.sql",
            ends=[{"number": numbered[name], "name": name} for name in names],
            unit_alias=person_alias(plan), least_persons=least,
        )  # fmt: skip
        rows = yield Step("printed_ends", sql, "rows")
        counts = {number: rest for number, *rest in rows}
        told = "are ends of published ranges, and {} of them are values of"
    else:
        inputs = {"columns": names, "unit": plan.person, "least_persons": least}
        sql = render("discovery/exact_ends.sql", **inputs)
        rows = yield Step("exact_ends", sql, "rows")
        counts = {numbered[names[number - 1]]: rest for number, *rest in rows}
        told = "can be ends of published ranges, and {} of them are values of"
    return [
        PlanWarning(
            f"{EXACT_ENDS}.{name}",
            name,
            f"With `ends: exact`, {counts[number][0]:,} values of '{name}' "
            + told.format(f"{counts[number][1]:,}")
            + f" fewer than {least} {what}. Leave it out to end ranges on a grid.",
        )
        for name, number in numbered.items()
        if name in names and counts.get(number, (0, 0))[1]
    ]


def _of_columns(plan: Plan, first_rows: int) -> Search[list[PlanWarning]]:
    """The warnings of columns that are published as they are, and of keys of persons."""
    keys = [name for name in plan.columns if plan.unit is None and is_key_name(name)]
    as_is = {n: c for n, c in plan.columns.items() if isinstance(c, _AS_IS)}
    kept = plan.kept_columns if plan.hides_persons else ()
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
        if (name in keys and not is_repeating_key(column))
        or (name in as_is and _may_repeat(plan, column, name))
    ]
    if table.rows == first_rows and asked:
        columns |= yield from _over_all_rows(asked, columns)
    warnings: list[PlanWarning] = []
    for name, column in columns.items():
        if name in keys and is_repeating_key(column):
            warnings.append(_repeating_person(plan, column, name))
        if name in as_is:
            warnings += _published_as_it_is(plan, column, name, contents[column.name])
    if plan.person is not None and kept:
        warnings += yield from _joined_rows(kept, plan.person, table.rows)
    return warnings


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


def _joined_rows(columns: Sequence[str], key: str, rows: int) -> Search[list[PlanWarning]]:
    """The warnings of columns whose values join rows of a person as the key would."""
    sql = render("discovery/joining_columns.sql", columns=list(columns), key=key)
    counted = yield Step("joining_columns", sql, "rows")
    found = {columns[number - 1]: counts for number, *counts in counted}
    return [
        PlanWarning(
            f"{JOINED_ROWS}.{name}",
            name,
            f"'{name}' is published as it is, and {_percent(joined / repeated)} of the rows whose"
            " value of it repeats share it only with rows of the same person, so it joins them as"
            " a key would. Give it the role identifier, or make it a quasi-identifier.",
        )
        for name, (repeated, joined) in found.items()
        if joined >= _JOINING * repeated and joined >= _SHARE_OF_ROWS * rows
    ]


_JOINING = 0.5
"""Share of the rows with repeated values that are joined, from which on a column is a key."""

_SHARE_OF_ROWS = 0.1
"""Share of all rows that are joined, from which on a column is a key."""


def _repeating_person(plan: Plan, column: ColumnStatistics, name: str) -> PlanWarning:
    rows = column.present / column.distinct
    return PlanWarning(
        f"{REPEATING_PERSON}.{name}",
        name,
        f"'{name}' looks like the key of a person, and persons have {rows:.1f} rows on average, but"
        " the plan counts rows: a class of k rows can be of fewer than k persons. Write"
        f" `unit: {name}`, and `{name}: identifier`.",
    )


def _percent(share: float) -> str:
    return f"{share:.0%}"
