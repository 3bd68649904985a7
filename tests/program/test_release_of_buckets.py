"""`release.sql` of regions and buckets makes the rows of `run`, after the steps that it reads.

A node's release reads nothing but the source; `test_program.py` compares it.
"""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

import sqlanon
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


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("name", NAMES)
def test_release_makes_the_rows_of_run(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SQLANON_PERMUTATION_SEED", SEED)
    result = sqlanon.run(plans_of(folder)[name])
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
