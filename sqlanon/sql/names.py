"""Names of relations and columns that say which column of the user they belong to."""

from __future__ import annotations

import re

from sqlanon.sql.step import quoted

_LONGEST = 40


def speaking(prefix: str, column: str, number: int) -> str:
    """A name such as `place_of_age`, unique for the number of the column.

    Args:
        prefix: what it is of the column.
        column: the user's name of the column; if it is not a plain name, its letters follow the
            number, as in `place_3_of_marital_status`.
    """
    if quoted(column) == column and len(column) <= _LONGEST:
        return f"{prefix}_of_{column}"
    letters = re.sub(r"[^a-z0-9]+", "_", column.lower()).strip("_")[:_LONGEST].strip("_")
    return f"{prefix}_{number}_of_{letters}" if letters else f"{prefix}_{number}"
