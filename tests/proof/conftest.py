"""Every test of this folder has a folder of its own."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _own_folder(folder: Path) -> None:
    """The current folder is empty."""
