"""Tables as CSV files, and programs executed without sqlanon."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import duckdb

from tests.support.secret_texts import SEED


def write_csv(file: str | Path, rows: Iterable[Sequence[object]], delimiter: str = ",") -> str:
    """Write the rows, the first of them the names of columns; None is an empty field."""
    with Path(file).open("w", encoding="utf-8", newline="") as lines:
        csv.writer(lines, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return str(file)


def write_records(
    records: Sequence[Mapping[str, object]], file: str = "rows.csv", delimiter: str = ","
) -> None:
    """Write the records, which name the columns; None is an empty field."""
    rows = ([record.get(name) for name in records[0]] for record in records)
    write_csv(file, [list(records[0]), *rows], delimiter)


def feed(program: str, seed: str | None = SEED) -> None:
    """Execute a program, statement by statement, in a bare connection."""
    with duckdb.connect() as bare:
        if seed is not None:
            bare.execute("set variable sqlanon_permutation_seed = $seed", {"seed": seed})
        for statement in bare.extract_statements(program):
            bare.execute(statement)
