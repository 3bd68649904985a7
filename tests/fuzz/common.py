"""What all kinds share: hostile words, a run that may be refused but must not break, an oracle."""

from __future__ import annotations

import contextlib
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

import duckdb
from hypothesis import strategies as st

import sqlanon
from sqlanon.errors import SqlanonError

Case = dict[str, Any]
"""An example as JSON can hold it; bytes are text of latin-1."""

Outcome = Literal["accepted", "refused", "skipped"]
"""accepted: what came of it was checked. skipped: the example could not be set up."""

Result = TypeVar("Result")


class Fault(AssertionError):
    """Something that sqlanon must not do; equal faults have equal texts."""


class Kind(NamedTuple):
    """One kind of generated input: its name, its share of all examples in thousandths, what is
    generated, and what tries a case in a new folder, which is the current one."""

    name: str
    share: int
    cases: st.SearchStrategy[Case]
    check: Callable[[Case, Path], Outcome]


INJECTED = "injected_by_a_canary"
"""Name of the file that an injected statement would write, into the current folder."""

INJECTIONS = tuple(
    f"{before}; copy (select 1) to '{INJECTED}'{after}"
    for before, after in (
        ("')", "; --"), ("'", "; --"), ('"', "; --"), ("\n", ";\n--"), ("*/ ", "; /*"),
        ("$$", "; $$"), ("{{ ''.__class__ }}", ""),
    )
)  # fmt: skip

HOSTILE = (
    "", " ", "'", '"', "''", '""', "\\", "\\'", "--", "/*", "*/", ";", ",", "%", "{}", "{{ x }}",
    "{% raw %}", "$1", "?", "null", "NULL", "*", "true", "0", "-0", "1e999", "nan", "\t", "\n",
    "\r\n", "a\nb", "a'b", 'a"b', "a;b", "--\n", "\u0085", "\u2028", "\u2029", "\u202e", "\ufeff",
    "\u200b", "é", "e\u0301", "İ", "ß", "💥", "\x01", "\x1f", "\x7f", "[1, 2]", "{1, 2}", "[1, 2)",
    "1 or NULL", "#x", "|", "=", "<", "select", "from", "group", "order", *INJECTIONS,
)  # fmt: skip

WORDS = """class_size value_1 bucket published source position row_number node source_rows class_1
key_1 row_count value text number place attribute level_1 label person population_count combination
digest satisfied classes frequency_set staged rowid sqlanon main memory column0 quasi_identifier_1
labels_1 n weight region class decided_classes"""
"""Names of working tables, and words of the templates."""
words = st.sampled_from(WORDS.split())

texts = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.builds("".join, st.lists(st.sampled_from(HOSTILE), min_size=2, max_size=3)),
)
"""Hostile texts; no lone surrogates, which no file holds."""

names = st.one_of(texts, words, words.map(str.upper), st.builds(str.__add__, words, texts))
"""Hostile names of columns."""


def attempt(action: Callable[[], Result], *, hidden: Iterable[str] = ()) -> Result | None:
    """What the action returns, or None where sqlanon refuses; all else is a fault, also a message
    that tells what is hidden."""
    start = time.process_time()
    result: Result | None = None
    try:
        result = action()
    except SqlanonError as error:
        kind, shown = type(error).__name__, str(error)
        require(not any(secret in shown for secret in hidden), f"{kind} tells a value")
        require(len(shown) <= 5_000, f"{kind} tells {len(shown):,} characters")
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in frames if "/sqlanon/" in frame.filename] or frames
        place = f"{Path(ours[-1].filename).name}, {ours[-1].name}"
        raise Fault(f"{type(error).__name__} in {place}") from error
    # of CPU: many times what any case takes
    require(time.process_time() - start <= 60, "it took more than 60 seconds")
    return result


def run(plan: Case, *, hidden: Iterable[str] = ()) -> sqlanon.RunResult | None:
    """Run a plan in the current folder; None where it is refused, with nothing left behind."""
    result = attempt(lambda: sqlanon.run(plan), hidden=hidden)
    require(not Path(INJECTED).exists(), "an injected statement was executed")
    require(not [*Path().rglob("staged*")], "staged rows were left behind")
    is_published = result is None and Path(plan["publish"]).exists()
    require(not is_published, "a run that failed published something")
    return result


def published(file: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The columns and the rows of a published file, read as Parquet."""
    with contextlib.closing(duckdb.connect()) as connection:
        found = connection.execute("select * from read_parquet($file)", {"file": file})
        return [column[0] for column in found.description], found.fetchall()


def write_parquet(file: str, header: Sequence[str], rows: Sequence[Sequence[Any]]) -> bool:
    """Write rows of text; False where DuckDB has no column of such a name."""
    quoted = ['"' + name.replace('"', '""') + '"' for name in header]
    with contextlib.closing(duckdb.connect()) as connection:
        try:
            columns = ", ".join(f"{name} varchar" for name in quoted)
            connection.execute(f"create table t ({columns})")
        except duckdb.Error:
            return False
        marks = ", ".join("?" for _ in header)
        connection.executemany(f"insert into t values ({marks})", [list(row) for row in rows])
        path = file.replace("'", "''")
        connection.execute(f"copy t to '{path}' (format parquet)")
    return True


def require(holds: bool, what: str) -> None:
    """A fault unless this holds."""
    if not holds:
        raise Fault(what)


def require_classes(keys: Sequence[tuple[Any, ...]], k: int) -> None:
    """Every class has k rows."""
    require(not keys or min(Counter(keys).values()) >= k, "a class has fewer than k rows")
