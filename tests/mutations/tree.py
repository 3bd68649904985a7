"""A copy of the tree, to break it."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.paths import ROOT

COPIED = ("sqlanon", "sql_templates", "hierarchies", "tests", "examples", "docs", "benchmarks",
          "dbt_package",
          ".ci", "pyproject.toml", "README.md", "CHANGELOG.md", "CONTRIBUTING.md",
          "SECURITY.md")  # fmt: skip
"""What the tests need of the tree."""


def copied_tree(folder: Path, root: Path = ROOT) -> Path:
    """A copy of the tree to break."""
    for name in COPIED:
        if (root / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__", ".*", "target")
            shutil.copytree(root / name, folder / name, ignore=ignored)
        elif (root / name).is_file():
            shutil.copy(root / name, folder / name)
    return folder
