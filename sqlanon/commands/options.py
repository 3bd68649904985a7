"""What every command takes: a plan, and options for its execution."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from sqlanon.bounds import checked_memory, checked_threads
from sqlanon.engines.base import Progress
from sqlanon.plan.plan import Plan
from sqlanon.plan.text import checked_text

PlanLike = str | Path | Mapping[str, Any] | Plan
"""A plan: the path of its file, its content, or the checked plan."""


@dataclass(frozen=True)
class Options:
    """Options for the execution of a command.

    Attributes:
        overrides: `key=value` pairs that replace keys of the plan.
        target: folder for SQL files and the manifest; by default `target/<plan name>/` in the
            plan's folder.
        connection: the caller's DuckDB connection, to read from and publish to.
        threads: the number of threads of DuckDB.
        memory_limit: the memory limit of DuckDB, such as 4GB.
        progress: called when a step starts, and when it has ended; `print` shows them.
        overwrite: replace an existing file or table even if no run of the plan wrote it.
        locked: publish by the solution next to the plan, without a search; only for `run`.
    """

    overrides: Sequence[str] = field(default=(), repr=False)  # one may set the seed
    target: Path | None = None
    connection: duckdb.DuckDBPyConnection | None = None
    threads: int | None = None
    memory_limit: str | None = None
    progress: Callable[[Progress], None] | None = None
    overwrite: bool = False
    locked: bool = False

    def __post_init__(self) -> None:
        checked_threads(self.threads)
        checked_memory(self.memory_limit)
        if self.target is not None:
            checked_text(str(self.target), "--target")
