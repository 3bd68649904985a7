"""Every test of this folder has a folder of its own."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _own_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder is empty, and no key of pseudonyms is set."""
    monkeypatch.delenv("SQLANON_PSEUDONYM_KEY", raising=False)
