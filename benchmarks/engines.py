"""A full-domain run inside PostgreSQL or Spark, beside the floor of the same engine.

usage: python -m benchmarks.engines ADULT_FOLDER ENGINE [--rows N] [--combinations]
           [--search engine|driver] [--times 2]

ENGINE is `duckdb`, `postgres` or `spark`; tests/support/servers.py starts a PostgreSQL, and
Spark runs as `local[2]` in this process. ADULT_FOLDER holds adult.csv and the files
adult_hierarchy_<column>.csv. The table is Adult, its rows repeated and k with them, so that every
size has about the same solution; with `--combinations`, every row of a made table is a combination
of its own. The floor is one `group by` over the quasi-identifiers and one write of all columns by
the engine, in the same minute: machines differ and are noisy, so read the ratios.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import yaml

import sqlanon
from benchmarks.tables import ADULT_ROWS, COLUMNS, quoted
from tests.support import servers

MADE = """\
select lpad(cast((n * 7919) % 100000 as varchar), 5, '0') as zip,
    cast((n * 104729) % 97 as varchar) as age, cast((n * 31) % 2 as varchar) as sex,
    cast((n * 15485863) % 50 as varchar) as job, 'd' || cast(n % 23 as varchar) as illness
from range(1, {rows} + 1) as numbers (n)"""


@dataclass(frozen=True)
class Table:
    """What is anonymized: its file, its quasi-identifiers with hierarchies, and k."""

    file: Path
    quasi_identifiers: dict[str, Any]
    others: tuple[str, ...]
    k: int

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.quasi_identifiers, *self.others)


def table_of(folder: Path, adult: Path, rows: int, *, distinct: bool) -> Table:
    """Write the table as Parquet."""
    file = folder / "source.parquet"
    if distinct:
        duckdb.sql(f"copy ({MADE.format(rows=rows)}) to '{file}'")
        widths: dict[str, Any] = {"age": [5, 10, 20], "job": [5, 25]}
        hierarchies = {name: {"intervals": width} for name, width in widths.items()}
        return Table(file, {"zip": {"mask": "right"}, **hierarchies, "sex": None}, ("illness",), 5)
    times = max(1, round(rows / ADULT_ROWS))
    duckdb.sql(
        f"copy (select adult.* from read_csv('{adult}/adult.csv', delim = ';', all_varchar = true)"
        f" as adult cross join range({times})) to '{file}'"
    )
    files = {name: str(adult / f"adult_hierarchy_{name}.csv") for name in COLUMNS}
    return Table(file, files, (), 5 * times)


def plan_of(table: Table, source: str, publish: dict[str, str], engine: Any) -> dict[str, Any]:
    """Optimal full-domain generalization for k-anonymity."""
    keyed = {
        name: {"role": "quasi-identifier"} | ({"hierarchy": kind} if kind else {})
        for name, kind in table.quasi_identifiers.items()
    }
    return {
        "source": {"path": source} if "/" in source else {"table": source},
        "publish": publish,
        "engine": engine,
        "columns": keyed | dict.fromkeys(table.others, "insensitive"),
        "privacy": [{"model": "k-anonymity", "k": table.k}],
        "suppression": {"limit": 0.04},
        "method": "optimal",
    }


class Memory:
    """The most memory that all processes had, beyond what they had at the start; in bytes.

    Those of PostgreSQL and Spark are not this one. Nothing else may run.
    """

    def __init__(self) -> None:
        self._start = _used()
        self.peak = 0
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._is_over.wait(0.2):
            self.peak = max(self.peak, _used() - self._start)


def _used() -> int:
    """What all processes have in memory; what several share counts once."""
    found = 0
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            text = (process / "smaps_rollup").read_text(encoding="ascii")
            found += int(re.findall(r"^Pss: +([0-9]+)", text, re.M)[0])
    return found * 1024


Opened = tuple[str, dict[str, str], Any, Callable[[], None], dict[str, Any]]
"""The source, the place, the engine's keys, the floor, and what a run is given."""


@contextmanager
def in_duckdb(folder: Path, table: Table, search: str) -> Iterator[Opened]:
    """Files, and DuckDB in this process."""

    def floor() -> None:
        names = quoted(*table.quasi_identifiers)
        source = f"read_parquet('{table.file}')"
        duckdb.execute(f"select count(*) from (select {names} from {source} group by all)")
        duckdb.execute(f"copy (from {source}) to '{folder}/floor.parquet'")

    yield str(table.file), {"path": str(folder / "out.parquet")}, "duckdb", floor, {}


@contextmanager
def in_postgres(folder: Path, table: Table, search: str) -> Iterator[Opened]:
    """A server of its own."""
    with servers.postgres() as server:
        connection = server.connection
        columns = ", ".join(f'"{name}" text' for name in table.columns)
        connection.execute(f"create table everybody ({columns})")
        lines = folder / "source.csv"
        duckdb.sql(f"copy (from '{table.file}') to '{lines}' (format csv, header false)")
        with (
            connection.cursor().copy("copy everybody from stdin (format csv)") as copy,
            lines.open("rb") as file,
        ):
            while block := file.read(1 << 20):
                copy.write(block)
        connection.execute("vacuum analyze everybody")
        names = quoted(*table.quasi_identifiers)

        def floor() -> None:
            inner = f"select {names} from everybody group by {names}"
            connection.execute(f"select count(*) from ({inner}) as grouped")
            connection.execute("create table floor as select * from everybody")
            connection.execute("drop table floor")

        os.environ["SQLANON_BENCHMARK"] = f"host={server.connection.info.host} user=tests"
        os.environ["SQLANON_BENCHMARK"] += " dbname=postgres"
        engine = {"name": "postgres", "url_env": "SQLANON_BENCHMARK", "search": search}
        yield "public.everybody", {"table": "public.published"}, engine, floor, {}


@contextmanager
def in_spark(folder: Path, table: Table, search: str) -> Iterator[Opened]:
    """A session in this process."""
    from pyspark.sql import SparkSession

    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "4g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "4",
    }
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    names = ", ".join(f"`{name}`" for name in table.quasi_identifiers)

    def floor() -> None:
        rows = session.read.parquet(str(table.file))
        rows.createOrReplaceTempView("floor")
        group = f"select count(*) from (select {names} from floor group by {names}) as grouped"
        session.sql(group).collect()
        rows.write.mode("overwrite").parquet(str(folder / "floor.parquet"))

    try:
        engine = {"name": "spark"}
        place = {"path": str(folder / "out.parquet")}
        yield str(table.file), place, engine, floor, {"session": session}
    finally:
        session.stop()


ENGINES = {"duckdb": in_duckdb, "postgres": in_postgres, "spark": in_spark}


def main() -> None:
    """Run, and print a row of a table for each time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("adult", type=Path)
    parser.add_argument("engine", choices=ENGINES)
    parser.add_argument("--rows", type=int, default=ADULT_ROWS)
    parser.add_argument("--combinations", action="store_true")
    parser.add_argument("--search", choices=("engine", "driver"), default="engine")
    parser.add_argument("--times", type=int, default=2)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = table_of(folder, given.adult.resolve(), given.rows, distinct=given.combinations)
        with ENGINES[given.engine](folder, table, given.search) as opened:
            source, publish, engine, floor, keys = opened
            file = folder / "plan.yml"
            content = plan_of(table, source, publish, engine)
            file.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
            print("| floor s | run s | ratio | memory GB | steps by the manifest, s |")
            for _ in range(given.times):
                start = time.perf_counter()
                floor()
                middle = time.perf_counter()
                with Memory() as memory:
                    manifest = sqlanon.run(file, sqlanon.Options(overwrite=True, **keys)).manifest
                end = time.perf_counter()
                ratio = (end - middle) / (middle - start)
                text = manifest["timings_seconds"]
                seconds = f"{middle - start:.1f} | {end - middle:.1f} | {ratio:.1f}"
                print(f"| {seconds} | {memory.peak / 1e9:.2f} | {text} |", flush=True)


if __name__ == "__main__":
    main()
