"""Dealing rows to buckets: what it costs beside a copy of the table, and what the buckets hold.

usage: PYTHONPATH=. python benchmarks/dealing.py ADULT_FOLDER TOOL [--rows N] [--keep FOLDER]

ADULT_FOLDER as for full_domain.py. TOOL is the script that makes large tables of Adult, called as
`TOOL ROWS OUT.csv --src ADULT.csv`. The statements of Stack-and-Deal are executed one by one in
DuckDB, beside a plain copy of the same file; every whole run is a process of its own. Machines
differ and are noisy, so read the ratios. Needs Linux (/proc).
"""

from __future__ import annotations

import argparse
import contextlib
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import duckdb
import yaml
from full_domain import COLUMNS, run, timed

import sqlanon
from tests.oracles.dealing import Bucket, distance, random_deal, stack_and_deal

SENSITIVE = "occupation"
F = (167, 153, 127, 103, 91, 89)
"""The frequencies that the paper deals."""

SEED = 20_240_613
"""Of the dealing by chance that stands beside."""


def plan(source: Path, method: dict[str, Any]) -> dict[str, Any]:
    """Occupation sensitive, the salary class carried along, all others quasi-identifiers."""
    roles: dict[str, Any] = {
        name: {"role": "quasi-identifier", "type": "ordinal"} for name in COLUMNS
    }
    return {
        "source": str(source),
        "columns": {**roles, SENSITIVE: "sensitive", "salary-class": "insensitive"},
        "privacy": [{"model": "k-anonymity", "k": 5}],
        "method": method,
        "publish": "open/published.parquet",
    }


def large_table(adult: Path, tool: Path, folder: Path, rows: int) -> Path:
    """So many rows of Adult, their ages jittered, as Parquet."""
    text, file = folder / f"adult_{rows}.csv", folder / f"adult_{rows}.parquet"
    if not file.exists():
        command = [sys.executable, str(tool), str(rows), str(text)]
        subprocess.run([*command, "--src", str(adult / "adult.csv")], check=True)
        relation = f"read_csv('{text}', delim = ';', header = true, all_varchar = true)"
        duckdb.execute(f"copy (from {relation}) to '{file}'")
        text.unlink()
    return file


def statements(source: Path, folder: Path) -> tuple[float, float, float]:
    """Seconds of a plain copy, of dealing (distinct rows, keys), and of the published copy."""
    file = folder / "statements.yml"
    file.write_text(yaml.safe_dump(plan(source, {"name": "stack-and-deal"})), encoding="utf-8")
    program, _ = sqlanon.compile(file)
    spent = {"row_combinations": 0.0, "dealt_rows": 0.0, "release": 0.0}
    with contextlib.chdir(folder), duckdb.connect() as connection:
        copied = timed(connection, f"copy (from '{source}') to '{folder / 'copied.parquet'}'")
        connection.execute(f"set variable sqlanon_permutation_seed = '{secrets.token_hex(32)}'")
        for statement in program.opening:
            connection.execute(statement)
        for step in program.steps:
            for statement in step.statements():
                seconds = timed(connection, statement)
                if step.name in spent:
                    spent[step.name] += seconds
            if step.name == "release":
                break
    return copied, spent["row_combinations"] + spent["dealt_rows"], spent["release"]


def speeds(adult: Path, tool: Path, folder: Path, most: int) -> None:
    """Each method on a million rows, Stack-and-Deal on `most` too."""
    print("| rows | copy s | deal s | publish s | deal and publish / copy |\n|---|---|---|---|---|")
    sizes = [rows for rows in (1_000_000, most) if rows <= most]
    for rows in dict.fromkeys(sizes):
        source = large_table(adult, tool, folder, rows)
        copied, dealt, published = statements(source, folder)
        print(
            f"| {rows:,} | {copied:.2f} | {dealt:.2f} | {published:.2f} |"
            f" {(dealt + published) / copied:.1f} |",
            flush=True,
        )
    print(
        "\n| method | rows | buckets | solve s | release s | verify s | whole s | whole / copy |"
        " GB |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    cases = [({"name": "stack-and-deal"}, rows) for rows in dict.fromkeys(sizes)]
    cases += [({"name": name}, sizes[0]) for name in ("anatomy", "bucketization", "slicing")]
    cases.append(({"name": "slicing", "columns": "one-attribute-per-column"}, sizes[0]))
    for method, rows in cases:
        source = large_table(adult, tool, folder, rows)
        with duckdb.connect() as connection:
            copied = timed(connection, f"copy (from '{source}') to '{folder / 'copied.parquet'}'")
        found = run(folder, "case", plan(source, method))
        seconds = found["timings_seconds"]
        print(
            f"| {', '.join(map(str, method.values()))} | {rows:,} |"
            f" {found['solution']['classes']:,} | {seconds['solve']:.2f} |"
            f" {seconds['release']:.2f} | {seconds['verify']:.2f} | {found['wall']:.2f} |"
            f" {found['wall'] / copied:.1f} | {found['gigabytes']:.2f} |",
            flush=True,
        )


def described(counts: Sequence[int], buckets: Sequence[Bucket]) -> str:
    """Fewest and mean distinct values per bucket; largest and mean distance from the table."""
    table = dict(enumerate(counts))
    known: dict[frozenset[tuple[int, int]], float] = {}
    distinct, distances = [], []
    for bucket in buckets:
        key = frozenset((+bucket).items())
        if key not in known:
            known[key] = float(distance(bucket, table))
        distinct.append(len(key))
        distances.append(known[key])
    values = f"{min(distinct)} | {fmean(distinct):.2f}"
    return f" {values} | {max(distances):.3f} | {fmean(distances):.3f} |"


def published(folder: Path, counts: Sequence[int]) -> Callable[[int], list[Bucket]]:
    """What sqlanon publishes of a table with these counts, by k; the codes of values are places."""
    source = folder / "counted.parquet"
    duckdb.execute(
        "copy (select cast(code as varchar) as secret, 'same' as known from"
        f" (select unnest({list(range(len(counts)))}) as code, unnest({list(counts)}) as copies),"
        f" range(copies)) to '{source}'"
    )

    def of(k: int) -> list[Bucket]:
        content = {
            "source": source.name,
            "columns": {"known": "quasi-identifier", "secret": "sensitive"},
            "privacy": [{"model": "k-anonymity", "k": k}],
            "method": "stack-and-deal",
            "publish": "dealt.parquet",
        }
        file = folder / "counted.yml"
        file.write_text(yaml.safe_dump(content), encoding="utf-8")
        result = sqlanon.run(file)
        relation = result.published.aggregate("bucket, secret, count(*) as copies")
        buckets: dict[int, Bucket] = {}
        for bucket, code, copies in relation.fetchall():
            buckets.setdefault(bucket, Bucket())[int(code)] = copies
        return [buckets[number] for number in sorted(buckets)]

    return of


def figures(adult: Path, folder: Path) -> None:
    """Both distributions, and for every k what dealing makes of them, beside chance."""
    relation = f"read_csv('{adult / 'adult.csv'}', delim = ';', all_varchar = true)"
    rows = duckdb.execute(
        f"select {SENSITIVE}, count(*) from {relation} group by 1 order by 2 desc, 1"
    ).fetchall()
    print("\n| value of F | rows |\n|---|---|")
    for number, count in enumerate(F, start=1):
        print(f"| {number} | {count} |")
    print(f"\n| {SENSITIVE} of Adult | rows |\n|---|---|")
    for value, count in rows:
        print(f"| {value} | {count:,} |")
    for title, counts in (("F", list(F)), (f"{SENSITIVE} of Adult", [count for _, count in rows])):
        print(f"\n{title}: {sum(counts):,} rows\n")
        print(
            "| k | dealt: fewest | mean | EMD, largest | mean | by chance: fewest | mean |", end=""
        )
        print(" EMD, largest | mean |\n|---|---|---|---|---|---|---|---|---|")
        deal = published(folder, counts)
        for k in range(2, 21):
            buckets = deal(k)
            key = sorted(tuple(sorted(bucket.values())) for bucket in buckets)
            wanted = stack_and_deal(counts, k)
            assert key == sorted(tuple(sorted((+bucket).values())) for bucket in wanted)
            chance = random_deal(counts, k, SEED)
            print(f"| {k} |{described(counts, buckets)}{described(counts, chance)}", flush=True)


def main() -> None:
    """Run the cases, print one line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("adult", type=Path)
    parser.add_argument("tool", type=Path)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    adult, tool = arguments.adult.resolve(), arguments.tool.resolve()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (arguments.keep or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        figures(adult, folder)
        print()
        speeds(adult, tool, folder, arguments.rows)


if __name__ == "__main__":
    main()
