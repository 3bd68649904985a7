"""Membership of all persons of Adult in a permuted publication of 2,000 of them: seconds, shares.

usage: PYTHONPATH=. python benchmarks/membership.py ADULT_FOLDER [--columns 7 9] [--k 2 4 …]

The attack of experiment 6.1 of the Copenhagen thesis. The population is all rows of adult.csv
(`;`-separated, with header); the table is a random sample of them by the seed. Buckets are those
of strict Mondrian (the oracle of the tests) on the table; every quasi-identifier is permuted by
itself. The attacker has the buckets and the population, not the table. Machines differ and are
noisy: SQL and counting are measured apart, in CPU seconds.
"""

from __future__ import annotations

import argparse
import csv
import random
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import duckdb

from sqlanon.presence.membership import presence
from sqlanon.presence.persons import Presence
from tests.oracles.partition import Attribute, Cell, k_anonymous, mondrian

COLUMNS = (
    "age", "sex", "race", "marital-status", "education", "native-country", "workclass",
    "occupation", "salary-class",
)  # fmt: skip

ROWS = 2_000
"""Rows of the table."""

Row = tuple[str, ...]


def buckets_of(table: Sequence[Row], k: int) -> list[list[Row]]:
    """Buckets of at least k rows: the classes of strict Mondrian, places in the order of text."""
    orders = [sorted(set(column)) for column in zip(*table, strict=True)]
    places = [{value: place for place, value in enumerate(order)} for order in orders]
    attributes = [
        Attribute(str(number), "ordinal", tuple(float(place) for place in range(len(order))))
        for number, order in enumerate(orders)
    ]
    counted = Counter(table)
    cells = [
        Cell(tuple(of[value] for of, value in zip(places, row, strict=True)), (), count)
        for row, count in counted.items()
    ]
    rows = list(counted)
    found = mondrian(cells, attributes, k_anonymous(cells, k))
    return [
        [rows[cell] for cell, count in class_.rows.items() for _ in range(count)]
        for class_ in found.classes
    ]


def published(
    population: Sequence[Row], buckets: Sequence[Sequence[Row]], drawn: random.Random
) -> duckdb.DuckDBPyConnection:
    """A database with the publication and the population's combinations."""
    connection = duckdb.connect(config={"threads": 1})
    connection.execute("attach ':memory:' as sqlanon")
    names = [f"c{number}" for number in range(len(population[0]))]
    lists: list[list[object]] = [[] for _ in range(len(names) + 1)]
    for number, bucket in enumerate(buckets, start=1):
        for place, column in enumerate(zip(*bucket, strict=True)):
            lists[place] += drawn.sample(column, len(column))
        lists[-1] += [number] * len(bucket)
    _fill(connection, "published_rows", names, "bucket", lists)
    counted = Counter(population)
    columns = [list(column) for column in zip(*counted, strict=True)]
    lists = [*columns, list(counted.values())]
    _fill(connection, "population_combinations", names, "population_count", lists)
    return connection


def _fill(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    texts: Sequence[str],
    number: str,
    lists: Sequence[list[object]],
) -> None:
    columns = [f"unnest(${place}::varchar[]) as {text}" for place, text in enumerate(texts, 1)]
    columns.append(f"unnest(${len(texts) + 1}::bigint[]) as {number}")
    connection.execute(f"create table sqlanon.{name} as select {', '.join(columns)}", list(lists))


def attacked(
    connection: duckdb.DuckDBPyConnection, column_count: int
) -> tuple[Presence, float, float]:
    """The attack, CPU seconds in the database and in Python."""
    search = presence([[f"c{number}"] for number in range(column_count)])
    start = time.process_time()
    in_sql = 0.0
    try:
        step = next(search)
        while True:
            before = time.process_time()
            rows: list[tuple[object, ...]] = []
            for statement in step.statements():
                rows = connection.execute(statement).fetchall()
            in_sql += time.process_time() - before
            step = search.send(rows if step.kind == "rows" else [])
    except StopIteration as end:
        found: Presence = end.value
        return found, in_sql, time.process_time() - start - in_sql


def main() -> None:
    """Run the cases, print one line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("adult", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--columns", type=int, nargs="*", default=[7, 9])
    parser.add_argument("--k", type=int, nargs="*", default=[2, 4, 8, 16, 32, 64])
    arguments = parser.parse_args()
    with (arguments.adult / "adult.csv").open(encoding="utf-8") as lines:
        records = list(csv.DictReader(lines, delimiter=";"))
    print(
        "| columns | k | buckets | SQL s | counting s | wall s | exact % | settled % | sure in |"
        " perhaps | sure out | fake % |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for column_count in arguments.columns:
        population = [tuple(r[name] for name in COLUMNS[:column_count]) for r in records]
        drawn = random.Random(arguments.seed)
        table = drawn.sample(population, ROWS)
        for k in arguments.k:
            buckets = buckets_of(table, k)
            connection = published(population, buckets, drawn)
            start = time.perf_counter()
            found, in_sql, counting = attacked(connection, column_count)
            wall = time.perf_counter() - start
            lower, upper = found.expected_rows
            assert lower <= ROWS == found.rows <= upper, "probabilities sum to the rows"
            print(
                f"| {column_count} | {k} | {len(buckets):,} | {in_sql:.1f} | {counting:.1f} |"
                f" {wall:.1f} | {float(found.exact_share) * 100:.2f} |"
                f" {found.decided_persons / found.persons * 100:.2f} | {found.sure_in} |"
                f" {found.perhaps_sure_in} | {found.sure_out:,} |"
                f" {(found.fake_share or 0) * 100:.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
