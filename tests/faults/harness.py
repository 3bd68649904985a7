"""One run in a process of its own, disturbed at one place; then what stands where it publishes.

A run has boundaries: the start of every step, and each call to the system that makes a file durable
or visible. A child process counts them, and kills or stops itself at one of them.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

import sqlanon
from sqlanon import __main__, cli
from sqlanon.commands.session import Session
from sqlanon.engines import tables
from sqlanon.engines.duckdb import DuckDBEngine
from sqlanon.publication.publish import Publishing
from sqlanon.sql.step import Rows, Step
from tests.support.tables import write_csv

K = {"earlier": 4, "later": 6}
"""Smallest class that the plan of each publication promises."""

KINDS = {
    "parquet": "open.parquet",
    "csv": "open.csv",
    "database": "open.duckdb::rows",
    "shared database": "shared.duckdb::rows",
    "anatomy": "open/rows.parquet",
}
"""Where publications go, by kind."""


class Outcome(NamedTuple):
    """What a fault led to: the exit code of the disturbed run, or minus the signal that ended it;
    what stands at the place; files left after a further run; that run's exit code and result."""

    code: int
    published: str
    stray: list[str]
    rerun: tuple[int, str]

    @property
    def is_sound(self) -> bool:
        return self.published in K and not self.stray and self.rerun == (0, "later")


def rows(which: str) -> list[tuple[str, str, str, str]]:
    """The source of the earlier and of the later publication: other towns, other illnesses."""
    size = 48 if which == "earlier" else 72
    return [(f"n{n}", str(n // 6), which, f"{which} {n % 6}") for n in range(size)]


def write_source(folder: Path, which: str) -> None:
    write_csv(folder / "rows.csv", [("name", "age", "town", "illness"), *rows(which)])


def prepare(folder: Path, kind: str) -> None:
    """A folder with a plan, its source, and the earlier publication."""
    if kind == "shared database":
        with duckdb.connect(str(folder / "shared.duckdb")) as connection:
            connection.execute("create table other as select 1 as one")
    for which, k in K.items():
        write_source(folder, which)
        plan: dict[str, Any] = {
            "source": "rows.csv",
            "columns": {
                "name": "identifier",
                "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [3, 300]}},
                "town": "quasi-identifier",
                "illness": "sensitive",
            },
            "privacy": [{"model": "k-anonymity", "k": k}],
            "publish": KINDS[kind],
        }
        if kind == "anatomy":
            plan |= {"privacy": [{"model": "l-diversity", "l": k}], "method": "anatomy"}
        (folder / "plan.yml").write_text(json.dumps(plan))
        if which == "earlier":
            sqlanon.run(folder / "plan.yml")


def published(folder: Path, kind: str) -> str:
    """Which publication stands there, by its rows alone; classes are counted by hand."""
    file, _, table = str(folder / KINDS[kind]).partition("::")
    pairs = []
    try:
        with duckdb.connect() as connection:
            if table:
                connection.execute(f"attach '{file}' as d (read_only)")
                found = connection.execute("from d.rows").fetchall()
                if kind == "shared database":
                    assert connection.execute("from d.other").fetchall() == [(1,)]
            elif kind == "csv":
                found = connection.read_csv(file, all_varchar=True, header=True).fetchall()
            else:
                found = connection.read_parquet(file).fetchall()
            if kind == "anatomy":
                values = str(folder / "open/rows_values.parquet")
                pairs = connection.read_parquet(values).fetchall()
    except Exception as error:
        return f"unreadable: {type(error).__name__}"
    illnesses, buckets = Counter(row[2] for row in found), Counter[int]()
    if kind == "anatomy":
        illnesses = Counter[str]()
        for bucket, illness, count in pairs:
            illnesses[illness] += count
            buckets[bucket] += count
        if buckets != Counter(row[-1] for row in found):
            return "a mixture"
    for which, k in K.items():
        is_its = illnesses == Counter(row[3] for row in rows(which))
        if is_its and {row[1] for row in found} <= {which, "*"}:
            classes = Counter(row[:2] for row in found)
            different = Counter(bucket for bucket, _, _ in pairs)
            smallest = min((different or classes).values())
            return which if smallest >= k else f"classes of {smallest}"
    return "a mixture"


def names(folder: Path) -> set[str]:
    """Every file below a folder."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def disturbed(folder: Path, disturb: Callable[[], None], *arguments: str) -> int:
    """Run the plan in a child process, disturbed from the inside; its exit code or -signal."""
    child = os.fork()
    if child == 0:
        code = 99
        try:
            os.chdir(folder)
            sink = io.StringIO()
            with contextlib.redirect_stdout(sink), contextlib.redirect_stderr(sink):
                sys.argv = ["sqlanon", "run", "plan.yml", *arguments]
                disturb()
                try:
                    __main__.main()
                except SystemExit as end:
                    code = int(end.code or 0)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def at_boundaries(notice: Callable[[int, str], None]) -> None:
    """Report each boundary of a run, by number and name, from now on."""
    count = 0

    def boundary(name: str) -> None:
        nonlocal count
        count += 1
        notice(count, name)

    def around(holder: Any, attribute: str, name: str) -> None:
        real = getattr(holder, attribute)

        def called(*arguments: Any, **options: Any) -> Any:
            boundary(f"before {name}")
            result = real(*arguments, **options)
            boundary(f"after {name}")
            return result

        setattr(holder, attribute, called)

    execute = DuckDBEngine.execute

    def executed(self: DuckDBEngine, step: Step) -> Rows:
        boundary(step.name)
        return execute(self, step)

    DuckDBEngine.execute = executed  # type: ignore[method-assign]
    for name in ("replace", "rename", "link", "fsync", "unlink"):
        around(os, name, f"os.{name}")
    around(tables, "_mark_table", "the mark of a table")
    around(Publishing, "publish", "publish")
    around(Session, "compile", "compile")
    assert cli.COMMANDS  # imported already: a user without rights may not read its modules


def prepared(folder: Path, kind: str) -> tuple[Path, list[str]]:
    """A folder to copy, and the names of the boundaries of a run in it, in order."""
    template = folder / "template"
    template.mkdir()
    prepare(template, kind)

    def note(number: int, name: str) -> None:
        with (folder / "passed").open("a") as lines:
            lines.write(name + "\n")

    with fresh(template, folder / "count") as run:
        assert disturbed(run, lambda: at_boundaries(note)) == 0
    return template, (folder / "passed").read_text().splitlines()


def signaled(number: int, sent: signal.Signals) -> Callable[[], None]:
    """Send oneself a signal at a boundary."""

    def notice(count: int, name: str) -> None:
        if count == number:
            os.kill(os.getpid(), sent)

    return lambda: at_boundaries(notice)


MEANT = ("target/plan/sql", "target/plan/replaced.")
"""What a run leaves on purpose: its program, and the solution that its own one replaces."""


def outcome(folder: Path, kind: str, code: int, before: set[str]) -> Outcome:
    """What is there after a disturbed run, and after one more that nothing disturbs.

    Args:
        before: the files of the folder before the disturbed run.
    """
    found = published(folder, kind)
    again = disturbed(folder, lambda: None)
    left = sorted(name for name in names(folder) - before if not name.startswith(MEANT))
    return Outcome(code, found, left, (again, published(folder, kind)))


@contextlib.contextmanager
def fresh(template: Path, folder: Path) -> Iterator[Path]:
    """A copy of a prepared folder."""
    shutil.copytree(template, folder)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
