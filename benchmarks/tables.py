"""The tables of the cases, made of Adult by DuckDB in processes of their own; always the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import measured, sql

COLUMNS = (
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass",
    "occupation", "salary-class",
)  # fmt: skip
ADULT_ROWS = 30_162
MANY = 10_000_000
MORE = tuple(f"more_{number}" for number in range(len(COLUMNS) + 1, 21))
"""Columns of four values that follow in part from others, up to 20 attributes."""


@dataclass(frozen=True)
class Tables:
    """Where tables are, and how large.

    Attributes:
        adult: folder with adult.csv (`;`-separated, with header) and adult_hierarchy_COLUMN.csv.
        folder: where tables are made; one that is there is used again.
        many: how many rows stand for 10 million; other tables are smaller with it.
    """

    adult: Path
    folder: Path
    many: int = MANY

    def rows(self, rows: int) -> int:
        """How many rows stand for this number."""
        return max(1, rows * self.many // MANY)

    def file(self, kind: str, rows: int, suffix: str) -> Path:
        """A table of Adult: `repeated`, `independent`, `wide` or `cuts`."""
        count = self.rows(rows)
        file = self.folder / f"{kind}_{count}.{suffix}"
        if not file.exists():
            made = file.with_name(f"unfinished_{file.name}")
            adult = f"select row_number() over () - 1 as n, * from read_csv('{self.adult}/adult.csv', delim = ';', header = true, all_varchar = true)"  # fmt: skip  # noqa: E501
            copy = f"copy ({KINDS[kind](count)}) to '{made}'"
            measured(sql(f"create table adult as {adult}; {copy}"), self.folder)
            made.rename(file)
        return file

    def hierarchy(self, column: str) -> Path:
        """The hierarchy file of a column."""
        if column in COLUMNS:
            return self.adult / f"adult_hierarchy_{column}.csv"
        file = self.folder / "hierarchy_of_more.csv"
        file.write_text("a;a or b;*\nb;a or b;*\nc;c or d;*\nd;c or d;*\n", encoding="utf-8")
        return file


def quoted(*names: str) -> str:
    """Names of columns in SQL."""
    return ", ".join(f'"{name}"' for name in names)


def repeated(rows: int, more: str = "") -> str:
    """Adult's rows repeated, in the order of a hash, and an identifier."""
    order = "hash(age, r.i, occupation, education, n)"
    return (
        "select row_number() over () as i, * exclude (h)"
        f" from (select {quoted(*COLUMNS)}{more}, {order} as h"
        f" from adult cross join range({-(-rows // ADULT_ROWS)}) as r (i) order by h limit {rows})"
    )


def wide(rows: int) -> str:
    """The same, with 20 attributes."""
    return repeated(rows, "".join(
        f", 'abcd'[1 + cast(hash(education, n % 7, {place}) % 4 as integer)] as {name}"
        for place, name in enumerate(MORE)
    ))  # fmt: skip


def independent(rows: int) -> str:
    """Every column drawn from Adult on its own."""
    columns = ", ".join(f'a{n}."{name}"' for n, name in enumerate(COLUMNS))
    joins = " ".join(
        f"join adult as a{n} on a{n}.n = hash(r.i, {n}) % {ADULT_ROWS}" for n in range(len(COLUMNS))
    )
    return f"select {columns} from range({rows}) as r (i) {joins} order by r.i"


def cuts(rows: int) -> str:
    """20 rows of each number."""
    return f"select i // 20 as number, i % 7 as note from range({rows}) as r (i)"


KINDS: dict[str, Callable[[int], str]] = {
    "repeated": repeated, "wide": wide, "independent": independent, "cuts": cuts,
}  # fmt: skip
