"""What runs on a Spark cluster read, shuffle and send to the driver, by Spark's own counts.

usage: python -m benchmarks.spark_cluster ADULT_FOLDER [--rows N]

A master and two workers of one core run on this machine. The table is Adult as in `engines.py`,
once as rows with hierarchies, once cut into regions, once in buckets. The counts are those of
Spark's event log: rows that stages read from files and from shuffles, and the bytes of both; read
them in units of the source's rows. They do not depend on how fast the machine is.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import yaml
from pyspark.sql import SparkSession

import sqlanon
from benchmarks import engines
from tests.support import servers

MODELS = [{"model": "k-anonymity", "k": 5}, {"model": "l-diversity", "l": 3}]
METHODS: dict[str, dict[str, Any]] = {
    "optimal": {"method": "optimal"},
    "mondrian": {"method": "mondrian", "suppression": None},
    "anatomy": {"method": "anatomy", "suppression": None, "privacy": MODELS},
}


def plans(table: engines.Table, folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """A plan for each method; buckets need a sensitive attribute."""
    for name, keys in METHODS.items():
        place = {"path": str(folder / f"out {name}/rows.parquet")}
        plan = engines.plan_of(table, str(table.file), place, "spark") | keys
        if name == "anatomy":
            plan["columns"]["occupation"] = "sensitive"
        yield name, {key: value for key, value in plan.items() if value is not None}


def counts_of(lines: list[str]) -> Counter[str]:
    """The sums of an event log."""
    found: Counter[str] = Counter()
    for event in map(json.loads, lines):
        if event["Event"] == "SparkListenerJobStart":
            found["jobs"] += 1
        if event["Event"] == "SparkListenerTaskEnd":
            metrics = event.get("Task Metrics") or {}
            found["rows read"] += metrics["Input Metrics"]["Records Read"]
            found["rows shuffled"] += metrics["Shuffle Write Metrics"]["Shuffle Records Written"]
            found["bytes shuffled"] += metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
            found["bytes to the driver"] += metrics["Result Size"]
            found["rows written"] += metrics["Output Metrics"]["Records Written"]
    return found


def main() -> None:
    """Run each plan in a session of its own, and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("adult", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, servers.cluster() as cluster:
        folder = Path(name)
        table = engines.table_of(folder, given.adult.resolve(), given.rows, distinct=False)
        counted = duckdb.execute(f"select count(*) from '{table.file}'").fetchall()
        rows = counted[0][0]
        print(f"{rows:,} rows")
        print("| method | jobs | rows read | written | shuffled | bytes | to the driver | s |")
        for method, plan in plans(table, folder):
            log = folder / f"events {method}"
            log.mkdir()
            session = (
                SparkSession.builder.master(cluster.master)
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.ui.enabled", "false")
                .config("spark.eventLog.enabled", "true")
                .config("spark.eventLog.dir", log.as_uri())
                .config("spark.eventLog.rolling.enabled", "false")
                .config("spark.eventLog.compress", "false")
                .config("spark.sql.shuffle.partitions", "4")
                .getOrCreate()
            )
            file = folder / f"{method}.yml"
            file.write_text(yaml.safe_dump(plan, sort_keys=False), encoding="utf-8")
            start = time.perf_counter()
            sqlanon.run(file, sqlanon.Options(session=session))
            seconds = time.perf_counter() - start
            session.stop()
            (events,) = log.iterdir()
            found = counts_of(events.read_text(encoding="utf-8").splitlines())
            shares = [found[one] / rows for one in ("rows read", "rows written", "rows shuffled")]
            cells = [method, str(found["jobs"]), *(f"{share:.1f} N" for share in shares)]
            cells += [
                f"{found['bytes shuffled'] / rows:.0f} N",
                f"{found['bytes to the driver']:,}",
            ]
            print(f"| {' | '.join(cells)} | {seconds:.0f} |", flush=True)


if __name__ == "__main__":
    main()
