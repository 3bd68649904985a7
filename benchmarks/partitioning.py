"""Mondrian on Adult and on large tables made from it: what is lost, seconds and memory.

usage: PYTHONPATH=. python benchmarks/partitioning.py ADULT_FOLDER [--rows N] [--keep FOLDER]

ADULT_FOLDER holds adult.csv (`;`-separated, with header) and adult_hierarchy_<column>.csv. Every
case of sqlanon is a process of its own, from reading to the published file. The pure-Python
Mondrian that it stands beside is the oracle of the tests, on the same cells, in the same run:
machines differ and are noisy, so read the ratios. Needs Linux (/proc).
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb
from full_domain import COLUMNS, draw_columns, load_adult, run, timed

from sqlanon import Options
from sqlanon.commands.session import open_session
from sqlanon.engines.base import drive
from sqlanon.families import families
from sqlanon.search.partition import PartitionProblem
from tests.oracles.partition import Attribute, Cell, k_anonymous, mondrian

SEVEN = ("age", "sex", "race", "marital-status", "education", "native-country", "workclass")
"""The quasi-identifiers of the comparison with other tools."""

EIGHT = tuple(name for name in COLUMNS if name != "occupation")


def plan(
    adult: Path, source: Path, columns: tuple[str, ...], k: int, method: dict[str, Any]
) -> dict[str, Any]:
    """These columns quasi-identifiers, the age numeric, the others along their hierarchies."""
    reader = {"path": str(source)} | ({"delimiter": ";"} if source.suffix == ".csv" else {})
    return {
        "source": reader,
        "columns": {
            name: {
                "role": "quasi-identifier",
                "hierarchy": str(adult / f"adult_hierarchy_{name}.csv"),
                **({"type": "numeric"} if name == "age" else {}),
            }
            if name in columns
            else "insensitive"
            for name in COLUMNS
        },
        "privacy": [{"model": "k-anonymity", "k": k}],
        "method": method,
        "publish": "published.parquet",
    }


def in_python(folder: Path, content: dict[str, Any]) -> tuple[int, float]:
    """Classes and seconds of the oracle on the cells that sqlanon cuts."""
    session = open_session(content | {"source": content["source"]}, Options(target=folder))
    with session.embedded() as engine:
        prepared = drive(engine, families.prepared(session.plan, session.hierarchies(copy=True)))
        ask = engine.connection.execute
        attributes = []
        for number, (name, column) in enumerate(session.plan.quasi_identifiers.items(), start=1):
            places = ask(
                "select position from sqlanon.value_places where attribute_number = ?"
                " order by place", [number],
            ).fetchall()  # fmt: skip
            paths = ask(
                "select list(label order by level) from sqlanon.label_places"
                " where attribute_number = ? group by place order by place", [number],
            ).fetchall()  # fmt: skip
            kind = column.kind or "ordinal"
            attributes.append(
                Attribute(
                    name,
                    kind,
                    tuple(row[0] for row in places),
                    tuple(tuple(row[0]) for row in paths),
                    column.weight,
                )
            )
        assert isinstance(prepared.problem, PartitionProblem)
        columns = ", ".join(attribute.place for attribute in prepared.problem.attributes)
        rows = ask(f"select {columns}, row_count from sqlanon.cells").fetchall()
    cells = [Cell(tuple(row[:-1]), (), row[-1]) for row in rows]
    start = time.perf_counter()
    found = mondrian(cells, attributes, k_anonymous(cells, session.plan.k))
    return len(found.classes), time.perf_counter() - start


def losses(adult: Path, folder: Path) -> None:
    """Strict and relaxed beside the optimal node, by k."""
    print("| k | method | classes | C_avg | discernibility | GCP | solve s | whole s |")
    print("|---|---|---|---|---|---|---|---|")
    for k in (2, 5, 10, 25, 50, 100):
        methods: dict[str, dict[str, Any]] = {
            "mondrian, strict": {"name": "mondrian"},
            "mondrian, strict, region labels": {"name": "mondrian", "labels": "region"},
            "mondrian, relaxed": {"name": "mondrian", "partitioning": "relaxed"},
            "dimension-splitting": {"name": "dimension-splitting"},
            "optimal, 2 % suppressed": {"name": "optimal", "objective": "loss"},
        }
        for title, method in methods.items():
            content = plan(adult, adult / "adult.csv", SEVEN, k, method)
            if method["name"] == "optimal":
                content["suppression"] = {"limit": 0.02}
            found = run(folder, "losses", content)
            utility, seconds = found["utility"], found["timings_seconds"]
            print(
                f"| {k} | {title} | {found['solution']['classes']:,} |"
                f" {utility['average_class_size']:.2f} | {utility['discernibility']:,.0f} |"
                f" {utility['loss']:.3f} | {seconds['solve']:.2f} | {found['wall']:.2f} |",
                flush=True,
            )


def speeds(adult: Path, folder: Path, most: int) -> None:
    """Both executions beside pure Python, from 10,000 rows on; every column drawn on its own."""
    connection = duckdb.connect()
    count = load_adult(connection, adult)
    print(
        "| rows | combinations | rounds | classes | one statement s | rounds s | Python s |"
        " copy s | whole s | GB |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    rows = 10_000
    while rows <= most:
        source = folder / f"drawn_{rows}.parquet"
        draw_columns(connection, count, rows, source)
        copied = timed(connection, f"copy (from '{source}') to '{folder / 'copy.parquet'}'")
        content = plan(adult, source, EIGHT, 10, {"name": "mondrian"})
        found = run(folder, "recursive", content | {"publish": "a.parquet"})
        method = {"name": "mondrian", "execution": "rounds"}
        rounds = run(folder, "rounds", content | {"publish": "b.parquet", "method": method})
        both = [found["published"]["sha256"], rounds["published"]["sha256"]]
        assert both[0] == both[1], "both executions publish the same rows"
        (cells,) = connection.execute(
            f"select count(*) from (select distinct {', '.join(map(_quoted, EIGHT))}"
            f" from '{source}')"
        ).fetchall()[0]
        python = "-"
        if rows <= 1_000_000:
            classes, seconds = in_python(folder, content)
            assert classes == found["solution"]["classes"], "the oracle finds the same classes"
            python = f"{seconds:.1f}"
        print(
            f"| {rows:,} | {cells:,} | {found['solution']['rounds']} |"
            f" {found['solution']['classes']:,} | {found['timings_seconds']['solve']:.2f} |"
            f" {rounds['timings_seconds']['solve']:.2f} | {python} | {copied:.2f} |"
            f" {found['wall']:.2f} | {found['gigabytes']:.2f} |",
            flush=True,
        )
        rows *= 10


def spilling(folder: Path, rows: int) -> None:
    """Rows that are nearly all different, with 4 GB of memory."""
    source = folder / "different.parquet"
    duckdb.execute(
        "copy (select cast(random() * 999 as integer) as income,"
        " cast(17 + 73 * random() * random() as integer) as age,"
        " cast(10000 + 9000 * random() as integer) as zip,"
        " case when random() < 0.5 then 'f' else 'm' end as sex,"
        " date '1990-01-01' + cast(random() * 3650 as integer) as visited"
        f" from range({rows})) to '{source}'"
    )
    content = {
        "source": str(source),
        "columns": dict.fromkeys(("income", "age", "zip", "sex", "visited"), "quasi-identifier"),
        "privacy": [{"model": "k-anonymity", "k": 10}],
        "method": {"name": "mondrian"},
        "publish": "c.parquet",
    }
    found = run(folder, "spilling", content, "--memory-limit", "4GB")
    print(
        f"\n{rows:,} rows, 4 GB: {found['solution']['classes']:,} classes,"
        f" {found['solution']['rounds']} rounds,"
        f" solved in {found['timings_seconds']['solve']:.0f} s,"
        f" whole {found['wall']:.0f} s, {found['gigabytes']:.1f} GB resident"
    )


def _quoted(name: str) -> str:
    return f'"{name}"'


def main() -> None:
    """Run the cases, print one line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("adult", type=Path)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    adult = arguments.adult.resolve()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        losses(adult, folder)
        print()
        speeds(adult, folder, arguments.rows)
        spilling(folder, arguments.rows)


if __name__ == "__main__":
    main()
