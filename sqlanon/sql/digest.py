"""The digest of the rows of a table, whatever their order."""

from __future__ import annotations

from collections.abc import Sequence

from sqlanon.sql.render import render
from sqlanon.sql.step import Step, unused


def rows_digest_step(relation: str, columns: Sequence[str]) -> Step:
    """The question for the SHA-256 of a table's rows, one row with one column.

    Args:
        relation: SQL that reads the table.
        columns: its columns, in their order.
    """
    count = unused("row_count", columns)
    inputs = {"relation": relation, "columns": list(columns), "row_count": count}
    return Step("rows_digest", render("proof/rows_digest.sql", **inputs), "rows")
