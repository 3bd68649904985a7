"""The one measuring function: a process, its CPU seconds and its largest resident memory."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]


class FailedError(Exception):
    """A process that ended with an error, and the end of what it wrote."""


@dataclass(frozen=True)
class Used:
    """What a process used: CPU seconds of all its threads, GB (10^9 bytes), seconds."""

    cpu_seconds: float
    peak_gigabytes: float
    seconds: float


def measured(command: Sequence[str], folder: Path, tree: Path = ROOT) -> Used:
    """Run a command in a folder, with sqlanon of this tree; what it and its children used.

    Linux counts the memory of this process to that of its child, so this one has to stay small:
    tables are made in processes of their own, too.

    Raises:
        FailedError: the command ended with another code than 0.
    """
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    # Who has run a command before has compiled modules and templates.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    start = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=output
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - start
        if process.returncode:
            output.seek(0)
            text = output.read().decode(errors="replace")[-1000:]
            raise FailedError(f"{' '.join(command)[:200]}: {process.returncode}\n{text}")
    return Used(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e9, seconds)


def python(*arguments: str) -> list[str]:
    """A command of this Python."""
    return [sys.executable, *arguments]


def sql(text: str) -> list[str]:
    """A command that executes statements in DuckDB."""
    return python("-c", "import sys, duckdb; duckdb.execute(sys.argv[1])", text)


def median(found: Sequence[Used]) -> Used:
    """The median of each measure."""
    return Used(
        statistics.median(one.cpu_seconds for one in found),
        statistics.median(one.peak_gigabytes for one in found),
        statistics.median(one.seconds for one in found),
    )
