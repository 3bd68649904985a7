"""Tables: their names, as written in plans and in SQL, and the digest of their rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlanon.sql.render import question
from sqlanon.sql.step import Step, quoted, unused

Parts = tuple[str, ...]
"""The name of a table: table; schema and table; or database, schema and table."""


def table_sql(parts: Sequence[str]) -> str:
    """The name of a table in SQL."""
    return ".".join(map(quoted, parts))


def table_parts(name: str) -> Parts:
    """The parts of a table's name as a plan writes it; a part in double quotes may contain dots."""
    return tuple(
        part[1:-1].replace('""', '"') if part.startswith('"') else part
        for part in re.findall(r'(?:\A|(?<=\.))("(?:[^"]|"")*"(?=\.|\Z)|[^.]*)', name)
    )


def table_name(parts: Parts) -> str:
    """The name of a table as a plan writes it; the inverse of `table_parts`."""
    return ".".join(
        '"' + part.replace('"', '""') + '"' if "." in part or part.startswith('"') else part
        for part in parts
    )


def rows_digest_step(relation: str, columns: Sequence[str]) -> Step:
    """The question for the SHA-256 of a table's rows, whatever their order: one row, one column."""
    count = unused("row_count", columns)
    inputs = {"relation": relation, "columns": list(columns), "row_count": count}
    return question("proof/rows_digest", **inputs)
