"""Tables of classes for the questions of `sqlanon/risks/`, on a plain connection of DuckDB."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import duckdb

from sqlanon.sql.step import ASKS, Search
from tests.oracles.risk import Row

_Result = TypeVar("_Result")


def combined(
    connection: duckdb.DuckDBPyConnection, rows: Sequence[Row], persons: Sequence[str] = ()
) -> list[tuple[str, str]]:
    """Make the classes of rows, and return the columns and their names in them.

    Of each combination, `first_row` is the first row that has it, from 0.
    """
    names = [(f"column {n}", f"c{n}") for n in range(1, len(rows[0]) + 1)]
    columns = [alias for _, alias in names]
    connection.execute("attach ':memory:' as sqlanon")
    whose: Sequence[Any] = persons or [None] * len(rows)
    given: list[Any] = [range(len(rows)), whose, *zip(*rows, strict=True)]
    texts = [[None if value is None else str(value) for value in column] for column in given]
    listed = ", ".join(f"unnest(cast(? as varchar[])) as {n}" for n in ("row", "person", *columns))
    connection.execute(f"create table sqlanon.rows as select {listed}", texts)
    key, label = ", ".join([*columns, *(["person"] if persons else [])]), ", ".join(columns)
    connection.execute(
        f"create table sqlanon.published_combinations as select {key}, count(*) as row_count,"
        f" min(cast(row as integer)) as first_row from sqlanon.rows group by {key};"
        f"create table sqlanon.published_equivalence_classes as select {label},"
        f" cast(sum(row_count) as bigint) as class_size from sqlanon.published_combinations"
        f" group by {label}"
    )
    return names


def asked(connection: duckdb.DuckDBPyConnection, search: Search[_Result]) -> _Result:
    """The result of a search whose steps are executed as they are written."""
    answer: Sequence[tuple[object, ...]] = ()
    try:
        step = next(search)
        while True:
            for statement in step.statements():
                cursor = connection.execute(statement)
            answer = cursor.fetchall() if step.kind in ASKS else ()
            step = search.send(answer)
    except StopIteration as end:
        found: _Result = end.value
        return found
