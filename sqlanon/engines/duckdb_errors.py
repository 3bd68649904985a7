"""Errors for what DuckDB refuses, without its messages, which quote cells."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb

from sqlanon.errors import EngineError, PlanError

_OURS = re.compile(r"\AInvalid Input Error: sqlanon: ([^\n']*)")
_PARQUET = re.compile(r"(?:Failed to read file|in Parquet file) \"([^\"\n]*)\": ")
_CSV_LINE = re.compile(r"CSV Error on Line: (\d+)")
_CSV_FILE = re.compile(r"^  file = (.*)$", re.MULTILINE)
_CSV_COLUMNS = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")


def engine_error(error: duckdb.Error, step: str, texts: str = "") -> EngineError | PlanError:
    """The error for an error of DuckDB, without the cells that its message may quote.

    A broken line of a CSV file, or a damaged Parquet file, is an error of the plan, whenever it is
    found.

    Args:
        texts: the statements of the step. They contain sqlanon's own messages as literals; any
            other message may be made of cells.
    """
    message = str(error)
    kind = type(error).__name__.removesuffix("Exception")
    ours = _OURS.search(message)
    csv_line = _CSV_LINE.search(message)
    fix = "read the step in what `sqlanon compile` writes; DuckDB's message may quote cells"
    if ours and f"error('sqlanon: {ours.group(1)}')" in texts:
        what = ours.group(1)
        fix = "fix what the message names; nothing was published"
    elif csv_line:
        columns = _CSV_COLUMNS.search(message)
        detail = f": {columns[2]} fields, not {columns[1]}" if columns else ""
        file = _CSV_FILE.search(message)
        name = Path(file[1]).name if file else f"step {step}"
        return PlanError(
            f"Line {csv_line[1]} of a CSV file is broken{detail}.",
            where=f"{name}:{csv_line[1]}",
            fix="fix the line, or give `delimiter`, `quote`, `encoding`, `types` under `source`",
        )
    elif damaged := _PARQUET.search(message):
        name = Path(damaged[1]).name
        return PlanError(
            f"The Parquet file '{name}' is damaged.",
            where=f"step {step}",
            fix="write or copy the file again",
        )
    elif isinstance(
        error, duckdb.CatalogException | duckdb.BinderException | duckdb.ParserException
    ):
        what = f"{kind}: {_first_line(message)}"
        fix = (
            "check the names in the plan against the source's columns; a table of another schema is"
            " named with its database, as in memory.clinic.people"
        )
    elif isinstance(error, duckdb.OutOfMemoryException):
        what = f"{kind}: {_first_line(message)}"
        fix = "give a larger --memory-limit, or --threads 1; check free disk space"
    elif isinstance(error, duckdb.IOException):
        what = f"{kind}: {_first_line(message)}"
        fix = "check paths, free disk space, and --memory-limit"
    else:
        what = f"DuckDB refused the step ({kind})."
    return EngineError(what, where=f"step {step}", fix=fix)


def _first_line(message: str) -> str:
    return message.split("\n", 1)[0].split(": ", 1)[-1]
