"""Full-domain anonymization of Adult and of large tables made from it: seconds and memory.

usage: python benchmarks/full_domain.py ADULT_FOLDER [--rows 10000000] [--keep FOLDER]

ADULT_FOLDER holds adult.csv (`;`-separated, with header) and adult_hierarchy_<column>.csv. Every
case is a process of its own, from reading to the published file. In the same run, DuckDB copies and
groups the same input: machines differ and are noisy, so read the ratios. Needs Linux (/proc).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb
import yaml

COLUMNS = (
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass",
    "occupation", "salary-class",
)  # fmt: skip


def plan(adult: Path, source: Path, k: int, limit: float, **method: Any) -> dict[str, Any]:
    """All nine columns quasi-identifiers, as in ARX's own benchmarks."""
    objective = {"name": "loss", "variant": "iyengar", "aggregate": "geometric-mean"}
    reader = {"path": str(source)} | ({"delimiter": ";"} if source.suffix == ".csv" else {})
    return {
        "source": reader,
        "columns": {
            name: {
                "role": "quasi-identifier",
                "hierarchy": str(adult / f"adult_hierarchy_{name}.csv"),
            }
            for name in COLUMNS
        },
        "privacy": [{"model": "k-anonymity", "k": k}],
        "method": {"name": "optimal", "objective": objective, **method},
        "suppression": {"limit": limit},
        "publish": "published.parquet",
    }


def run(folder: Path, name: str, content: dict[str, Any], *options: str) -> dict[str, Any]:
    """Run a plan in a process of its own; its manifest, wall and CPU seconds, and peak memory."""
    file = folder / f"{name}.yml"
    file.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    command = [sys.executable, "-c", _CHILD, "run", str(file), "--json", *options]
    before = os.times()
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wall = time.perf_counter() - start
    after = os.times()
    if done.returncode:
        raise SystemExit(f"{name} failed: {done.stderr}")
    manifest: dict[str, Any] = json.loads(done.stdout)
    manifest["wall"] = wall
    manifest["cpu"] = (
        after.children_user + after.children_system - before.children_user - before.children_system
    )
    manifest["gigabytes"] = int(done.stderr.rsplit("peak ", 1)[1].split()[0]) / 2**20
    return manifest


_CHILD = """
import atexit, re, sys
from pathlib import Path
def peak():
    found = re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())
    print("peak", found[1] if found else 0, file=sys.stderr)
atexit.register(peak)
from sqlanon.cli import main
main()
"""


def timed(connection: duckdb.DuckDBPyConnection, sql: str) -> float:
    """Seconds of one statement."""
    start = time.perf_counter()
    connection.execute(sql).fetchall()
    return time.perf_counter() - start


def load_adult(connection: duckdb.DuckDBPyConnection, adult: Path) -> int:
    """Adult's rows as a table `adult`, numbered from 0; how many they are."""
    connection.execute("select setseed(0.42)")
    connection.execute(
        f"create table adult as select row_number() over () - 1 as id, * from read_csv("
        f"'{adult / 'adult.csv'}', delim = ';', header = true, all_varchar = true)"
    )
    (count,) = connection.execute("select count(*) from adult").fetchall()[0]
    return int(count)


def draw_columns(connection: duckdb.DuckDBPyConnection, count: int, rows: int, file: Path) -> None:
    """Write so many rows, every column drawn on its own from the `count` rows of Adult."""
    drawn = ", ".join(
        f"cast(floor(random() * {count}) as bigint) as draw_{n}" for n in range(len(COLUMNS))
    )
    joins = " ".join(f"join adult as a{n} on a{n}.id = draw_{n}" for n in range(len(COLUMNS)))
    columns = ", ".join(f'a{n}."{name}"' for n, name in enumerate(COLUMNS))
    connection.execute(
        f"copy (select {columns} from (select {drawn} from range({rows})) as draws {joins})"
        f" to '{file}'"
    )


def make_inputs(adult: Path, folder: Path, rows: int) -> dict[str, Path]:
    """Larger tables: every column drawn on its own, Adult repeated, Adult with jittered ages."""
    connection = duckdb.connect()
    count = load_adult(connection, adult)
    files = {"adult": adult / "adult.csv"}
    files["independent"] = folder / "independent.parquet"
    draw_columns(connection, count, 1_000_000, files["independent"])
    for copies in (10, 100):
        files[f"times {copies}"] = folder / f"times_{copies}.parquet"
        connection.execute(
            f"copy (select adult.* exclude (id) from adult, range({copies}))"
            f" to '{files[f'times {copies}']}'"
        )
    files["large"] = folder / "large.parquet"
    connection.execute(
        "copy (select adult.* exclude (id) replace (cast(least(90, greatest(17,"
        " cast(age as integer) + cast(floor(random() * 7) as integer) - 3)) as varchar) as age)"
        f" from range({rows}) as numbers (number) join adult on adult.id = number % {count})"
        f" to '{files['large']}'"
    )
    return files


def main() -> None:
    """Make the inputs, run the cases, print one line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("adult", type=Path)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    adult = arguments.adult.resolve()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        files = make_inputs(adult, folder, arguments.rows)
        cases = [
            ("Adult", "adult", 5, 0.02),
            ("Adult, again", "adult", 5, 0.02),
            ("Adult x 10", "times 10", 50, 0.02),
            ("Adult x 100", "times 100", 500, 0.02),
            ("independent columns", "independent", 5, 0.02),
            ("large", "large", arguments.rows // 6000, 0.02),
        ]
        heads = "input,rows,combinations,k,nodes checked,search s,whole s,CPU s,GB,copy s,group s"
        print(f"| {heads.replace(',', ' | ')} |\n|{'---|' * 11}")
        connection = duckdb.connect()
        for title, key, k, limit in cases:
            source = files[key]
            reader = (
                f"read_csv('{source}', delim = ';', header = true, all_varchar = true)"
                if source.suffix == ".csv"
                else f"read_parquet('{source}')"
            )
            names = ", ".join(f'"{name}"' for name in COLUMNS)
            copied = timed(connection, f"copy (from {reader}) to '{folder / 'copied.parquet'}'")
            counting = f"select count(*) from (select 1 from {reader} group by {names}) as c"
            grouped = timed(connection, counting)
            (combinations,) = connection.execute(counting).fetchall()[0]
            made = run(folder, "case", plan(adult, source, k, limit))
            lattice, seconds = made["solution"]["lattice"], made["timings_seconds"]
            print(
                f"| {title} | {made['rows']['input']:,} | {combinations:,} | {k:,} |"
                f" {lattice['checked']:,} of {lattice['nodes']:,} | {seconds['solve']:.2f} |"
                f" {made['wall']:.2f} | {made['cpu']:.2f} | {made['gigabytes']:.2f} |"
                f" {copied:.2f} | {grouped:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
