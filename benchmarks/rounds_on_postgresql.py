"""The rounds of a partition on PostgreSQL, compared with DuckDB's one statement, row by row.

usage: python benchmarks/rounds_on_postgresql.py PLAN [--set KEY=VALUE] [--psql "psql -h /tmp"]

PLAN has a method that cuts regions (`mondrian`, `mpalm`). Cells, places and sensitive values are
made by DuckDB and copied into a schema `sqlanon`, which is replaced; sqlglot translates the rounds.
Ends with an error if a single row differs.
"""

from __future__ import annotations

import argparse
import csv
import shlex
import subprocess
import tempfile
import time
from itertools import count
from pathlib import Path

import sqlglot

from sqlanon import Options
from sqlanon.commands.session import open_session
from sqlanon.engines.base import drive
from sqlanon.families import families
from sqlanon.methods.partition import MultidimensionalMethod
from sqlanon.search.partition import PartitionProblem
from sqlanon.sql.step import Step

TYPES = {"VARCHAR": "text", "DOUBLE": "double precision", "HUGEINT": "bigint"}


class PostgreSQL:
    """A database that is asked through psql."""

    def __init__(self, command: str) -> None:
        self._command = [*shlex.split(command), "-q", "-v", "ON_ERROR_STOP=1", "-At", "-F,"]

    def ask(self, sql: str) -> str:
        """What psql prints."""
        done = subprocess.run(self._command, input=sql, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(done.stderr[:2000])
        return done.stdout

    def make(self, step: Step) -> None:
        """Make the table of a step."""
        (select,) = sqlglot.transpile(step.sql, read="duckdb", write="postgres")
        self.ask(f"create table sqlanon.{step.name} as {select}")


def main() -> None:
    """Cut on both, compare, print seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("plan", type=Path)
    parser.add_argument("--set", action="append", default=[], dest="overrides")
    parser.add_argument("--psql", default="psql")
    arguments = parser.parse_args()
    session = open_session(arguments.plan, Options(overrides=arguments.overrides))
    method = session.plan.method
    assert isinstance(method, MultidimensionalMethod)
    other = PostgreSQL(arguments.psql)
    with session.embedded() as engine, tempfile.TemporaryDirectory() as folder:
        hierarchies = session.hierarchies(copy=True)
        prepared = drive(engine, families.prepared(session.plan, hierarchies))
        problem = prepared.problem
        assert isinstance(problem, PartitionProblem)
        other.ask("drop schema if exists sqlanon cascade; create schema sqlanon;")
        values = [c.named("table_values") for c in session.plan.promises.columns.values()]
        tables = ["cells", "value_places", "label_places", *values]
        for table in tables:
            described = engine.connection.execute(f"describe sqlanon.{table}").fetchall()
            columns = ", ".join(f"{row[0]} {TYPES.get(row[1], row[1])}" for row in described)
            other.ask(f"create table sqlanon.{table} ({columns})")
            file = Path(folder) / f"{table}.csv"
            with file.open("w", newline="", encoding="utf-8") as lines:
                found = engine.connection.execute(f"select * from sqlanon.{table}").fetchall()
                csv.writer(lines).writerows(found)
            other.ask(f"\\copy sqlanon.{table} from '{file}' (format csv)")
        start = time.perf_counter()
        other.make(problem.first_round_step())
        for number in count(1):
            step = problem.next_round_step(number)
            other.make(step)
            if other.ask(f"select count(*) from sqlanon.{step.name}").strip() == "0":
                break
        seconds = time.perf_counter() - start
        parts = (f"select * from sqlanon.regions_of_round_{n}" for n in range(number))
        theirs = other.ask(" union all ".join(parts)).splitlines()
        start = time.perf_counter()
        ours = engine.connection.execute(problem.regions_step().sql).fetchall()
        here = time.perf_counter() - start
    same = sorted(map(tuple, (map(int, row.split(",")) for row in theirs))) == sorted(
        tuple(map(int, row)) for row in ours
    )
    print(f"{len(ours):,} rows, {number} rounds: PostgreSQL {seconds:.1f} s, DuckDB {here:.1f} s")
    if not same:
        raise SystemExit("the rows differ")


if __name__ == "__main__":
    main()
