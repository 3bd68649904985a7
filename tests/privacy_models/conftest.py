"""What the tests of privacy models share: a folder for each test, and a connection."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.oracles.class_relations import quiet_connection


@pytest.fixture(autouse=True)
def _own_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder is empty, and no key of pseudonyms is set."""
    monkeypatch.delenv("SQLANON_PSEUDONYM_KEY", raising=False)


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection for the SQL of models."""
    with quiet_connection() as opened:
        yield opened
