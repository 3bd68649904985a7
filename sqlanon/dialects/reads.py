"""What a step reads that no step made: tables of the user, and files."""

from __future__ import annotations

from collections.abc import Iterator

import sqlglot
from sqlglot import exp

from sqlanon.sql.step import WORK_CATALOG


def outside(sql: str) -> Iterator[tuple[str, str]]:
    """The tables and files that a query reads, other than relations of its own and of steps.

    Args:
        sql: one query in DuckDB's dialect.

    Returns:
        for each the literal of its path, empty for a table, and the SQL that reads it.
    """
    tree = sqlglot.parse_one(sql, dialect="duckdb")
    own = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    for table in tree.find_all(exp.Table):
        bare = table.copy()
        bare.set("alias", None)
        if isinstance(table.this, exp.Func):
            literals = [node for node in table.this.find_all(exp.Literal) if node.is_string]
            if literals:
                yield literals[0].name, bare.sql("duckdb")
        elif table.text("db").lower() != WORK_CATALOG and (
            table.db or table.name.lower() not in own
        ):
            yield "", bare.sql("duckdb")


def csv_layout(reader: str) -> tuple[str, bool] | None:
    """The delimiter of a CSV file, and whether its first line has names.

    The delimiter of a file that is read line by line, without quotes, is empty. None if DuckDB
    would look at the file to find its layout, or reads it in another way.

    Args:
        reader: SQL that reads the file, in DuckDB's dialect.
    """
    tree = sqlglot.parse_one(f"select * from {reader}", dialect="duckdb")
    options = {
        option.this.name.lower(): option.expression
        for found in tree.find_all(exp.ReadCSV)
        for option in found.expressions
        if isinstance(option, exp.EQ)
    }
    known = {"auto_detect", "hive_partitioning", "delim", "header", "columns"}
    if not {"delim", "header", "columns"} <= options.keys() <= known | {"quote", "escape"}:
        return None
    if any(options[name].name for name in ("delim", "quote", "escape") if "quote" in options):
        return None
    return options["delim"].name, options["header"].this is True
