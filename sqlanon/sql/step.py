"""Step: one named SQL statement of a program, with a header that explains it."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from sqlanon.sql.paths import file_to_write, written

Rows = Sequence[tuple[Any, ...]]
"""The rows that answer a step."""

StepKind = Literal["view", "table", "type", "rows", "columns", "proof", "copy", "attach"]

ASKS = ("rows", "columns")
"""Kinds of steps that ask, and make nothing."""

Result = TypeVar("Result")
Search = Generator["Step", Rows, Result]
"""A generator that yields steps, is sent their rows, and returns a result; holds no connection."""

CSV_OPTIONS = "format csv, header true"
"""The format clause of a copy to a CSV file."""

WORK_CATALOG = "sqlanon"
"""The in-memory catalog of all working tables, whose names cannot collide with the user's."""

RELEASE = "release"
"""The step that writes the publication."""

PERSON_ROWS = "person_rows"
"""The step with the rows that are published, and the key of the person of each."""

PLACED_ROWS = "placed_rows"
"""The step with the rows that are published, and the place of the class of each."""

QUERIES = frozenset({RELEASE, PERSON_ROWS, PLACED_ROWS})
"""The steps that may be one query, which reads the source itself."""


@dataclass(frozen=True)
class SoFar:
    """How far a search is when it asks a question; for a person who waits."""

    done: int
    what: str  # is counted, such as `nodes`
    of: int | None = None  # None if that is not known beforehand
    best: tuple[float, ...] | None = None  # the smallest cost that was found
    bound: tuple[float, ...] | None = None  # no cost can be smaller
    left: str = ""  # what is still open, such as `12 regions`

    def __str__(self) -> str:
        counted = f"{self.done:,} {self.what}" if self.of is None else (
            f"{self.done:,} of {self.of:,} {self.what}"
        )  # fmt: skip
        costs = {"best": self.best, "bound": self.bound}
        bounds = [
            f"{name} {', '.join(f'{number:,.6g}' for number in cost)}"
            for name, cost in costs.items()
            if cost is not None and all(map(math.isfinite, cost))
        ]
        return ", ".join([counted, *bounds, *filter(None, [self.left])])


@dataclass(frozen=True)
class Step:
    """One statement: a view or table made from a select, or a question that returns rows.

    Attributes:
        name: the relation that the step creates, and the stem of its file.
        sql: the rendered template: header comments, then a bare select (or a whole
            statement for `attach`). Paths in it are marked (`sqlanon.sql.paths`).
        kind: view, table: the select becomes a relation of the working catalog. type: its rows
            become the values of an enum type. rows: the rows of the select are read. columns: the
            names and types of its columns are read, and no row. proof: a table of violations,
            which must be empty. copy: the rows of the select are written to the file `target`.
            attach: a database file is opened for reading, under the step's name.
        target: the file that a copy writes, relative to the plan's folder.
        copy_options: the format clause of a copy.
        so_far: how far the search is that asks; no part of the step's identity.
    """

    name: str
    sql: str
    kind: StepKind = "table"
    target: str = ""
    copy_options: str = ""
    so_far: SoFar | None = field(default=None, compare=False, repr=False)

    @property
    def header(self) -> str:
        """The leading comment lines: purpose, source, reads, returns, nulls."""
        return split(self.sql)[0]

    @property
    def select(self) -> str:
        """The select without its header."""
        return split(self.sql)[1]

    def statements(self, place: Callable[[str], str] = written) -> list[str]:
        """The text that the database executes; `compile` writes it and `run` executes it.

        A proof is two statements: the table of violations, and one that stops the program unless
        that table is empty. Paths are as `compile` writes them, or as the engine needs them.
        """
        header, select = split(self.sql)
        relation = f"{WORK_CATALOG}.{quoted(self.name)}"
        if self.kind == "view":
            select = f"create view {relation} as\n{select}"
        elif self.kind in ("table", "proof"):
            select = f"create table {relation} as\n{select}"
        elif self.kind == "type":
            select = f"create type {relation} as enum (\n{select}\n)"
        elif self.kind == "columns":
            select = f"select column_name, column_type\nfrom (\ndescribe\n{select}\n)"
        elif self.kind == "copy":
            # Not indented: a query of the plan may have text that spans lines.
            select = f"copy (\n{select}\n) to {file_to_write(self.target)} ({self.copy_options})"
        made = place("\n".join([*filter(None, [header]), f"{select};"]))
        return [made, f"{self.stop};"] if self.kind == "proof" else [made]

    @property
    def stop(self) -> str:
        """The query that fails unless the table of a proof is empty."""
        message = f"sqlanon: {self.name} found violations; nothing is published".replace("'", "''")
        return (
            f"select case\n    when count(*) > 0\n        then error('{message}')\n"
            f"    else 'holds'\nend as {quoted(self.name)}\nfrom {WORK_CATALOG}.{quoted(self.name)}"
        )


def split(sql: str) -> tuple[str, str]:
    """The leading comment lines of a rendered template, and its select."""
    lines = sql.strip("\n").split("\n")
    first = next(i for i, line in enumerate(lines) if not line.startswith("--"))
    return "\n".join(lines[:first]), "\n".join(lines[first:])


_REFERENCE = re.compile(rf'{WORK_CATALOG}\.(?:"((?:[^"]|"")+)"|(\w+))')
"""The name of a relation of the working catalog, wherever it stands in a text."""


def relations_in(sql: str) -> set[str]:
    """The working relations that a text names, in lower case; also those that comments name."""
    return {*references(sql)}


def references(sql: str) -> list[str]:
    """Every place where a text names a working relation: its name in lower case."""
    found = _REFERENCE.findall(sql)
    return [(bare or name.replace('""', '"')).lower() for name, bare in found]


def asked(steps: Iterable[Step]) -> Search[None]:
    """Yield steps whose rows are not needed."""
    for step in steps:
        _ = yield step


def reporting(search: Search[Result], so_far: SoFar) -> Search[Result]:
    """The same search, whose steps report the progress of the search that it is a part of."""
    return changed(search, lambda step: replace(step, so_far=so_far))


def changed(search: Search[Result], change: Callable[[Step], Step]) -> Search[Result]:
    """The same search with changed steps."""
    try:
        step = next(search)
        while True:
            try:
                rows = yield change(step)
            except Exception as error:
                step = search.throw(error)
            else:
                step = search.send(rows)
    except StopIteration as end:
        result: Result = end.value
        return result


def quoted(name: str) -> str:
    """The name as an SQL identifier, quoted only if necessary."""
    plain = name.isascii() and name.isidentifier() and name == name.lower()
    if plain and name not in RESERVED_WORDS and name not in MISREAD_WORDS:
        return name
    return '"' + name.replace('"', '""') + '"'


def unused(name: str, taken: Iterable[str]) -> str:
    """The name, with underscores appended until it is not taken."""
    lower = {other.lower() for other in taken}
    while name.lower() in lower:
        name += "_"
    return name


def mark(name: str, *texts: object) -> str:
    """The name, with underscores appended until it is within none of the texts.

    What stands for something in SQL, and is replaced there, is not to meet text of a plan.
    """
    while any(name in str(text) for text in texts):
        name += "_"
    return name


# --- words for generated names that say what they hold: `place_of_age` is the place of `age`

LONGEST = 24
"""Characters of the longest word; names of several words must fit into a line."""


def words(names: Sequence[str], kind: str = "column") -> list[str]:
    """A word for each of these columns that can be a part of a generated name, no two alike.

    It is the column's name in lower case, with an underscore for all that is no letter and no
    digit: `Marital-Status` is `marital_status`. A name that is too long for that, has letters that
    a plain name cannot have, or has the word of another one gives way to its number: `column_2`.
    """
    found = [_word(name) for name in names]
    numbered = re.compile(rf"{kind}_\d+")
    return [
        f"{kind}_{number}"
        if not word or found.count(word) > 1 or numbered.fullmatch(word)
        else word
        for number, word in enumerate(found, start=1)
    ]


def group_words(groups: Sequence[Sequence[str]]) -> list[str]:
    """A word for each group of columns: `age_zip`, or else `part_2`."""
    return words([" ".join(group) for group in groups], "part")


def _word(name: str) -> str:
    """The name as a part of an identifier; empty if it cannot be one."""
    letters = unicodedata.normalize("NFKD", name).lower()
    bare = "".join(c for c in letters if not unicodedata.combining(c))
    word = re.sub(r"[^a-z0-9]+", "_", bare).strip("_")
    is_whole = all(c.isascii() or not c.isalnum() for c in bare)
    return word if is_whole and word[:1].isalpha() and len(word) <= LONGEST else ""


RESERVED_WORDS = frozenset(
    """
    all analyse analyze and anti any array as asc asof asymmetric at authorization between
    bigint binary bit boolean both by case cast char character check coalesce collate
    collation column columns concurrently constraint create cross dec decimal default
    deferrable desc describe distinct do else end except exists extract false fetch float
    for foreign freeze from full generated glob group grouping grouping_id having ilike in
    initially inner inout int integer intersect interval into is isnull join lambda lateral
    leading left like limit map national natural nchar none not notnull null nullif numeric
    offset on only or order out outer overlaps overlay pivot pivot_longer pivot_wider
    placing position positional precision primary qualify real references returning right
    row select semi setof show similar smallint some struct substring summarize symmetric
    table tablesample then time timestamp to trailing treat trim true try_cast tuple union
    unique unpack unpivot using values varchar variadic verbose when where window with
    xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi
    xmlroot xmlserialize xmltable
    """.split()  # noqa: SIM905 - a list of words is read as one
)
"""Words that DuckDB does not accept as bare column or table names; a test checks the list."""

MISREAD_WORDS = frozenset(
    """
    alter cube current_catalog current_date current_time current_timestamp current_user drop force
    grant insert install localtime localtimestamp lock partitioned_by regexp revoke rlike rollback
    rollup session_user uncache xor
    """.split()  # noqa: SIM905
)
"""Words that DuckDB accepts as bare names, and sqlglot, which proves what steps read, does not."""
