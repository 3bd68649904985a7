"""`release.sql` of regions and buckets makes the rows of `run`, after the steps that it reads.

A node's release reads nothing but the source; `test_program.py` compares it.
"""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

import sqlanon
from sqlanon.families import release_by_place
from sqlanon.search import partition
from tests.support.golden_runs import plans_of, tables
from tests.support.secret_texts import SEED

NAMES = [
    "dealt", "classes", "anatomy", "permuted", "bucketized", "sliced", "beside", "combined",
    "regions", "coarser", "overlapping",
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plans and their tables."""
    folder = tmp_path_factory.mktemp("releases")
    tables(folder)
    assert sorted(plans_of(folder)) == sorted(NAMES)
    return folder


@pytest.mark.sampled(0.5, by=("many", "name"))
@pytest.mark.parametrize("many", [False, True], ids=["few", "many"])
@pytest.mark.parametrize("name", NAMES)
def test_release_makes_the_rows_of_run(
    name: str, many: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SQLANON_PERMUTATION_SEED", SEED)
    result = sqlanon.run(plans_of(folder)[name])
    if many:  # the same rows are released in steps
        by_query = result.published.fetchall()
        monkeypatch.setattr(release_by_place, "_MANY_ROWS", 1)
        monkeypatch.setattr(release_by_place, "ROWS_EACH", 0)
        monkeypatch.setattr(partition, "ROWS_EACH", 0)
        result = sqlanon.run(plans_of(folder)[name], sqlanon.Options(overwrite=True))
        assert result.published.fetchall() == by_query
    program = (result.target / "sql/program.sql").read_text(encoding="utf-8")
    release = (result.target / "release.sql").read_text(encoding="utf-8")
    lines = release.rstrip().removesuffix(";").split("\n")
    query = "\n".join(lines[next(n for n, line in enumerate(lines) if line[:2] != "--") :])
    before = program[: program.index(query)].removesuffix("copy (\n")
    with duckdb.connect() as bare:
        bare.execute("set variable sqlanon_permutation_seed = $seed", {"seed": SEED})
        for statement in bare.extract_statements(before):
            bare.execute(statement)
        rows = bare.execute(query).fetchall()
    published = result.published.fetchall()
    assert len(published) > 10
    assert [tuple(map(str, row)) for row in rows] == [tuple(map(str, row)) for row in published]


def test_the_bytes_of_dealt_rows_do_not_depend_on_threads_and_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SQLANON_PERMUTATION_SEED", SEED)
    monkeypatch.setattr(release_by_place, "_MANY_ROWS", 1)
    monkeypatch.setattr(release_by_place, "ROWS_EACH", 0)
    monkeypatch.setattr(partition, "ROWS_EACH", 0)
    duckdb.sql(
        "copy (select i * 7919 % 90 as age, 'p' || i * 31 % 40 as place, 'd' || i * 17 % 30 as"
        " illness from range(300000) as r (i)) to 'many.parquet'"
    )
    quasi_identifiers = dict.fromkeys(("age", "place"), "quasi-identifier")
    plan = {
        "source": "many.parquet", "columns": {**quasi_identifiers, "illness": "sensitive"},
        "privacy": [{"model": "k-anonymity", "k": 6}], "method": "stack-and-deal",
        "publish": "published.parquet",
    }  # fmt: skip
    found = set()
    for threads, limit in ((1, None), (2, None), (8, None), (2, "256MB")):
        options = sqlanon.Options(threads=threads, memory_limit=limit, overwrite=True)
        sqlanon.run(plan, options)
        found.add(Path("published.parquet").read_bytes())
    assert len(found) == 1


@pytest.mark.parametrize(("distinct", "looked_up"), [(5, True), (6, False)])
def test_values_are_looked_up_where_32_rows_are_equal(
    distinct: int, looked_up: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On average: 160 rows have 5 distinct ones at most. Their number is not recorded."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(release_by_place, "_MANY_ROWS", 1)
    rows = (
        f"copy (select i % {distinct} as age, i % {distinct} as illness from range(160) as r (i))"
    )
    duckdb.sql(f"{rows} to 'many.parquet'")
    plan = {
        "source": "many.parquet", "columns": {"age": "quasi-identifier", "illness": "sensitive"},
        "privacy": [{"model": "k-anonymity", "k": 2}], "method": "stack-and-deal",
        "publish": "published.parquet",
    }  # fmt: skip
    solution = sqlanon.solve(plan)
    assert solution.as_json()["repeats_rows"] is looked_up
    assert distinct not in solution.as_json().values()
    result = sqlanon.run(plan)
    assert bool([*result.target.glob("sql/*_joined_parts.sql")]) is looked_up
