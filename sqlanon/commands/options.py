"""What every command takes: a plan, and how it is carried out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from sqlanon.bounds import checked_memory, checked_threads
from sqlanon.plan.plan import Plan
from sqlanon.plan.text import checked_text

PlanLike = str | Path | Mapping[str, Any] | Plan
"""A plan: the path of its file, its content, or the checked plan."""


@dataclass(frozen=True)
class Options:
    """How a command is carried out.

    Attributes:
        overrides: `key=value` pairs that replace keys of the plan.
        target: folder for SQL files and the manifest; `target/<plan name>/` beside the plan when
            not given.
        connection: a DuckDB connection of the caller's, to read from and publish to.
        threads, memory_limit: for DuckDB.
        progress: told the name of each step when it starts.
        overwrite: replace what stands where the plan publishes, though no run of the plan wrote it.
    """

    overrides: Sequence[str] = field(default=(), repr=False)  # one may set the seed
    target: Path | None = None
    connection: duckdb.DuckDBPyConnection | None = None
    threads: int | None = None
    memory_limit: str | None = None
    progress: Callable[[str], None] | None = None
    overwrite: bool = False

    def __post_init__(self) -> None:
        checked_threads(self.threads)
        checked_memory(self.memory_limit)
        if self.target is not None:
            checked_text(str(self.target), "--target")
