"""Two commits in turns: CPU seconds and memory of each case as ratios, new to old."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.cases import Case
from benchmarks.measure import ROOT, FailedError, Used, measured, median, python
from benchmarks.tables import Tables

LIMIT = 1.05
"""A ratio above it is marked."""

TEMPLATES = """
from sqlanon.sql.render import _environment
for name in _environment().list_templates(extensions=["sql"]):
    _environment().get_template(name)
"""
"""Compiles the templates, which the first command would do else."""


def compare(old: str, new: str, cases: Sequence[Case], tables: Tables, repeat: int) -> None:
    """Print a line for each case: the medians, and their ratios; `> 1.05` marks a step back."""
    print(f"| case | CPU s, {old} | {new} | ratio | GB, {old} | {new} | ratio | |")
    print(f"|{'---|' * 8}")
    with _tree(old) as before, _tree(new) as after:
        for case in cases:
            print(_line(case, (before, after), tables, repeat), flush=True)


@contextmanager
def _tree(commit: str) -> Iterator[Path]:
    """A worktree of a commit, compiled, until the end."""
    with tempfile.TemporaryDirectory(prefix="benchmarks_") as temporary:
        tree = Path(temporary) / "tree"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(tree), commit], check=True)
        try:
            measured(python("-m", "compileall", "-q", "sqlanon"), tree, tree)
            measured(python("-c", TEMPLATES), tree, tree)
            yield tree
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def _line(case: Case, trees: tuple[Path, Path], tables: Tables, repeat: int) -> str:
    """The row of a case: the trees take turns, and each begins every other round.

    Each has a folder of its own: a commit may refuse to replace what another one wrote.
    """
    found: dict[Path, list[Used]] = {tree: [] for tree in trees}
    with tempfile.TemporaryDirectory(prefix="benchmarks_") as temporary:
        folders = {tree: Path(temporary) / str(number) for number, tree in enumerate(trees)}
        for folder in folders.values():
            folder.mkdir()
            case.prepare(tables, folder)
        try:
            for number in range(repeat):
                for tree in trees if number % 2 == 0 else reversed(trees):
                    found[tree].append(measured(case.sqlanon(), folders[tree], tree))
        except FailedError as error:
            return f"| {case.name} | failed: {' '.join(str(error).split())[-200:]} |"
    old, new = (median(found[tree]) for tree in trees)
    ratios = (
        new.cpu_seconds / old.cpu_seconds,
        new.peak_gigabytes / old.peak_gigabytes,
    )
    mark = f"> {LIMIT}" if max(ratios) > LIMIT else ""
    return (
        f"| {case.name} | {old.cpu_seconds:.2f} | {new.cpu_seconds:.2f} | {ratios[0]:.2f} |"
        f" {old.peak_gigabytes:.2f} | {new.peak_gigabytes:.2f} | {ratios[1]:.2f} | {mark} |"
    )
