"""Runs in several threads on connections of one database, as dbt has them; temporary tables."""

from __future__ import annotations

import concurrent.futures
import threading
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon.engines import turns

PLAN: dict[str, Any] = {
    "source": {"table": "people"},
    "columns": {
        "name": "identifier",
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [5, 10]}},
        "disease": "sensitive",
    },
    "privacy": [{"model": "k-anonymity", "k": 20}],
    "publish": {"table": "temp.published"},
}


@pytest.fixture
def database(folder: Path) -> duckdb.DuckDBPyConnection:
    made = duckdb.connect("people.duckdb")
    made.execute(
        "create table people as select 'n' || i as name, 20 + i % 30 as age, 'd' || (i % 3) as"
        " disease from range(600) as r (i)"
    )
    return made


def test_threads_take_turns(database: duckdb.DuckDBPyConnection) -> None:
    """Each publishes what its own plan promises, with the settings of its own connection."""
    gate = threading.Barrier(4)

    def one(number: int) -> Any:
        cursor = database.cursor()
        k = 20 * (number + 1)
        zone = f"Etc/GMT+{number}"
        plan = {**PLAN, "privacy": [{"model": "k-anonymity", "k": k}], "time_zone": zone}
        gate.wait()
        options = sqlanon.Options(connection=cursor, target=Path(f"target/{number}"))
        rows = sqlanon.run(plan, options).published.aggregate("age, count(*) as n").fetchall()
        assert sum(n for _, n in rows) == 600
        assert min(n for _, n in rows) >= k
        ((current,),) = cursor.execute("select current_setting('TimeZone')").fetchall()
        return current

    ((before,),) = database.execute("select current_setting('TimeZone')").fetchall()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert {*pool.map(one, range(4))} == {before}
    left = database.execute("select database_name, table_name from duckdb_tables()").fetchall()
    assert left == [("people", "people")]
    names = database.execute("select database_name from duckdb_databases()").fetchall()
    assert ("sqlanon",) not in names
    files = {path.name for path in Path().iterdir()}
    assert files <= {"people.duckdb", "people.duckdb.wal", "target"}


def test_nobody_waits_for_a_database_of_this_name_or_a_run_on_another_one(
    database: duckdb.DuckDBPyConnection,
) -> None:
    begun, done = threading.Event(), threading.Event()

    def elsewhere() -> None:
        """A run on another database, for as long as it is wanted."""
        mark = turns.take_turn(lambda mark: None, list)
        begun.set()
        done.wait(60)
        turns.end_turn(mark)

    database.execute("attach ':memory:' as sqlanon")
    with pytest.raises(sqlanon.PlanError, match="has a database 'sqlanon'"):
        sqlanon.run(PLAN, connection=database)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        other = pool.submit(elsewhere)
        assert begun.wait(60)
        with pytest.raises(sqlanon.PlanError, match="has a database 'sqlanon'"):
            sqlanon.run(PLAN, connection=database)
        done.set()
        other.result()


def test_a_run_does_not_wait_forever(
    database: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another thread's run never ends: its database has the catalog with its mark."""
    database.execute("attach ':memory:' as sqlanon")

    def attach(mark: str) -> None:
        database.execute(f"create schema sqlanon.{mark}")

    def end() -> None:
        database.cursor().execute("detach sqlanon")
        turns.end_turn(mark)

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        mark = pool.submit(turns.take_turn, attach, list).result()
        monkeypatch.setattr(turns, "PATIENCE", 0.36)
        with pytest.raises(sqlanon.EngineError, match=r"has not ended for 0\.0001 hours"):
            sqlanon.run(PLAN, connection=database)
        threading.Timer(0.5, end).start()
        monkeypatch.setattr(turns, "PATIENCE", 60.0)
        sqlanon.run(PLAN, sqlanon.Options(connection=database.cursor(), target=Path("t")))


def test_a_catalog_that_is_gone_meanwhile_is_attached() -> None:
    """The other run detaches it after the attempt and before the look at its marks."""
    attempts = []

    def attach(mark: str) -> None:
        attempts.append(mark)
        if len(attempts) == 1:
            raise sqlanon.EngineError("It already exists.", where="attach", fix="")

    turns.end_turn(turns.take_turn(attach, list))
    assert len(attempts) == 2


def test_a_temporary_table_leaves_nothing(database: duckdb.DuckDBPyConnection) -> None:
    cursor = database.cursor()
    for _ in range(2):  # the second replaces the first
        result = sqlanon.run(PLAN, connection=cursor)
        assert len(result.published.fetchall()) == 600
        assert result.manifest["published"]["path"] == "temp.published"
    assert (result.target / "published.solution.json").is_file()
    assert not Path("published.solution.json").exists()
    cursor.close()
    database.close()
    with duckdb.connect("people.duckdb") as again:
        assert again.execute("select table_name from duckdb_tables()").fetchall() == [("people",)]
