"""A run that takes much more memory than its limit ends by itself."""

from __future__ import annotations

import resource
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon.engines.duckdb import engine_error
from sqlanon.engines.worker import MemoryWatch
from sqlanon.errors import EngineError
from tests.plan import plans

LONG = "length(repeat(repeat(repeat(zip, 1000), 1000), 1000))"
"""A few gigabytes for each row, of counts that a query may have."""


def plan_of(expression: str) -> dict[str, Any]:
    lines = ["zip,ill", *(f"0{n % 3},{'flu' if n % 2 else 'hiv'}" for n in range(600))]
    Path("people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    query = f"select zip, ill, {expression} as n from 'people.csv'"
    columns = {"zip": "quasi-identifier", "n": "quasi-identifier", "ill": "sensitive"}
    return plans.plan_of(columns, {"query": query})


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux tells it")
def test_a_run_that_passes_its_limit_by_half_ends(folder: Path) -> None:
    options = sqlanon.Options(memory_limit="64MB")
    earlier = resource.getrlimit(resource.RLIMIT_AS)
    with pytest.raises(EngineError, match="half as much memory again as its limit") as stopped:
        sqlanon.run(plan_of(LONG), options)
    assert (stopped.value.exit_code, stopped.value.where) == (4, "step source_combinations")
    assert "--memory-limit" in stopped.value.fix
    assert not Path("out.parquet").exists()
    assert resource.getrlimit(resource.RLIMIT_AS) == earlier
    assert sqlanon.run(plan_of("length(zip)"), options).manifest["rows"]["input"] == 600


def test_memory_beyond_half_again_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 4 GB, on top of what the process has already; of 64 MB, of which code, results and the
    allocator need more than half, 500 MB; a limit above the machine ends before the machine."""
    for limit, has, most in ((4_000, 1_000, 7_000), (64, 0, 564), (80_000, 0, 95_000)):
        now = has * 10**6
        monkeypatch.setattr("sqlanon.engines.worker._resident", lambda: now)  # noqa: B023
        watch = MemoryWatch(limit * 10**6, 80 * 10**9)
        now = most * 10**6
        assert not watch.is_exceeded()
        now += 1
        assert watch.is_exceeded()


def test_too_little_memory_names_threads_and_a_larger_limit() -> None:
    connection = duckdb.connect(config={"memory_limit": "2MB", "max_temp_directory_size": "0KB"})
    with pytest.raises(duckdb.OutOfMemoryException) as full:
        connection.execute("create table t as select i, hash(i) from range(10000000) as r (i)")
    error = engine_error(full.value, "release")
    assert (type(error), error.where) == (EngineError, "step release")
    assert "--threads 1" in error.fix
    assert "larger --memory-limit" in error.fix
