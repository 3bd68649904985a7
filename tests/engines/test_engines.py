"""What is written for PostgreSQL and Spark returns there what DuckDB returns."""

from __future__ import annotations

import math
import random
import shutil
from collections.abc import Iterator
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon.boundary.secrets import PERMUTATION_SEED, PSEUDONYM_KEY
from sqlanon.dialects.transpile import NamedTable, transpile
from sqlanon.sql.step import Rows
from tests.conftest import is_thorough
from tests.oracles.models import NEAR
from tests.paths import ROOT
from tests.support import dialect_cases
from tests.support.dialect_cases import Case, Tables
from tests.support.servers import opened
from tests.support.translated import KEY, are_no_numbers, compared, made_files, plans

STOPS = (
    "select case when count(*) > 3 then error('sqlanon: no') else 'yes' end as verdict from t",
    "select try_cast('1_000' as decimal(37, 18)) as number from t",
    "select try_cast('2020-02-30' as timestamp) as day from t",
)
"""What stops the other database: an error that is asked for, and texts that DuckDB alone reads as a
number, or alone does not read as a date."""


def alike(mine: Any, others: Any) -> bool:
    """Whether two cells are one value; doubles may differ in the last digits."""
    if are_no_numbers(mine, others):
        return True
    if isinstance(mine, float) and isinstance(others, float | Decimal):
        return math.isclose(mine, float(others), rel_tol=NEAR, abs_tol=NEAR)
    is_text = isinstance(mine, str) or isinstance(others, str)
    return type(mine) is type(others) and mine == others if is_text else bool(mine == others)


def sortable(row: tuple[Any, ...]) -> list[str]:
    """For an order that the last digits of a number do not change."""
    return [
        repr(cell) if not isinstance(cell, float | int | Decimal)
        else str(int(cell)) if not isinstance(cell, float) and cell == int(cell)
        else f"{float(cell):.6g}"
        for cell in row
    ]  # fmt: skip


def differ(mine: Rows, others: Rows, is_ordered: bool) -> bool:
    if not is_ordered:
        mine, others = sorted(mine, key=sortable), sorted(others, key=sortable)
    shapes = [[len(row) for row in rows] for rows in (mine, others)]
    if shapes[0] != shapes[1]:
        return True
    return not all(map(alike, chain(*mine), chain(*others)))


def cases(tables: Tables, folder: Path) -> Iterator[Case]:
    """All of them; a run of the clinic stands in the folder."""
    choose, con = random.Random(1), tables.connection
    dialect_cases.model_tables(tables, choose)
    yield from dialect_cases.model_cases(choose)
    dialect_cases.hierarchy_tables(tables)
    yield from dialect_cases.hierarchy_cases()
    yield from dialect_cases.construct_cases(tables)
    yield from dialect_cases.release_cases(ROOT / "examples/clinic/patients.csv", tables)
    yield from dialect_cases.proof_cases(lambda: proven(con, folder), con, tables)


def proven(connection: duckdb.DuckDBPyConnection, folder: Path) -> Any:
    """The program of the clinic, executed but for its end; some rows are gone from what it has
    published, so that its proofs find violations."""
    plan = folder / "plan.yml"
    sqlanon.solve(plan)
    program, _ = sqlanon.compile(plan)
    for statement in program.opening:
        connection.execute(statement)
    for step in program.steps:
        if step.name == "published_rows":
            connection.execute(
                "create table sqlanon.published_rows as select * from './"
                "target/plan/staged.parquet' using sample reservoir(600 rows) repeatable (1)"
            )
            continue
        for statement in step.statements()[: 1 if step.kind == "proof" else None]:
            connection.execute(statement)
    return program


@pytest.mark.parametrize("dialect", ["postgres", "spark"])
def test_returns_the_rows_of_duckdb(
    dialect: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples/clinic", tmp_path, dirs_exist_ok=True)
    found: dict[str, str] = {}
    count = 0
    thorough = is_thorough(request.config)
    share = 1 if thorough else 5 if dialect == "spark" else 2  # Spark takes a second each
    with duckdb.connect() as connection, opened(dialect) as database:
        tables = Tables(connection)
        there: set[str] = set()
        for secret in (PSEUDONYM_KEY, PERMUTATION_SEED):
            connection.execute(f"set variable {secret.variable} = '{KEY}'")
            database.set_secret(secret.variable, KEY)
        for case in [*cases(tables, tmp_path)][::share]:
            for name in set(case.reads.values()) - there:
                database.make(name, *tables.made[name])
                there.add(name)
            mine = tables.ask(case)
            again = connection.execute(transpile(case.sql, "duckdb", tables.named(case)))
            assert not differ(mine, again.fetchall(), case.is_ordered), case.name
            written = transpile(case.sql, dialect, tables.named(case))
            try:
                theirs = database.ask(written)
            except Exception as error:
                found[case.name] = f"{written}\n{type(error).__name__}: {str(error)[:600]}"
                continue
            if differ(mine, theirs, case.is_ordered):
                found[case.name] = f"{written}\n{mine[:5]}\n{theirs[:5]}"
            count += 1
        made_files(connection)
        monkeypatch.setenv("SQLANON_PSEUDONYM_KEY", KEY)
        clinic, *others = plans()
        # one of Adult not in Spark, which takes half a minute
        adult = [each for each in others if each.is_bulky and dialect != "spark"]
        small = [each for each in others if not (each.is_bulky or each.is_slow)]
        for each in (clinic, *(others if thorough else [*adult[:1], small[0]])):
            shown = compared(each, dialect, database, connection, differ)
            found |= {f"{each.name} {n}": text for n, text in enumerate(shown)}
        for sql in STOPS:
            with pytest.raises(Exception, match=r"sqlanon: no|1_000|2020-02-30"):
                database.ask(transpile(sql, dialect, {"t": NamedTable("all_things")}))
    assert not found, "\n\n".join(f"{name}: {shown}" for name, shown in found.items())
    assert count > 60 / share
