"""Commands of dbt, each in a process of its own that is forked from one that has imported dbt.

To import dbt takes longer than most commands do.
"""

from __future__ import annotations

import atexit
import importlib
import multiprocessing
import os
import subprocess
import sys
import tempfile
from pathlib import Path

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["dbt.cli.main", "dbt.adapters.duckdb", "dbt.adapters.postgres"])


def _command(arguments: tuple[str, ...], folder: Path, out: str) -> None:
    file = os.open(out, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(file, stream)
    os.chdir(folder)
    os.environ |= {"NO_COLOR": "1", "DBT_PROFILES_DIR": str(folder)}
    sys.argv = ["dbt", *arguments]
    try:
        importlib.import_module("dbt.cli.main").cli()
    finally:
        atexit._run_exitfuncs()  # where databases are closed; a fork leaves them out


def dbt(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What a command answers in a folder that has a project and `profiles.yml`."""
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as out:
        process = _FORKS.Process(target=_command, args=(arguments, folder, out.name))
        process.start()
        process.join(300)
        if process.exitcode is None:
            process.kill()
            raise TimeoutError(f"dbt {arguments[0]} takes more than 300 seconds")
        return subprocess.CompletedProcess(arguments, process.exitcode, out.read())
