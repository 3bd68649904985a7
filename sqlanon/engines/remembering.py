"""An engine that executes a step once, however often searches of similar plans ask for it.

A step is known by its text and by those of all steps that made what it reads. If it has been
executed, and its relation has not been replaced since, its rows are still known and its relation is
still there. A step of the same name with another text, or one that reads something else, replaces
the relation.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass

from sqlanon.engines.base import JournalEntry
from sqlanon.engines.duckdb import DuckDBEngine
from sqlanon.sql.step import ASKS, Rows, Step, relations_in


@dataclass(frozen=True)
class _Made:
    """A relation of the working catalog."""

    step: Step
    digest: str
    rows: Rows


class RememberingEngine:
    """Executes the steps of several runs, each of which begins with `begin`.

    Attributes:
        journal: the steps of the current run, also those that were not executed again.
        executed: how many steps of all runs were executed.
    """

    def __init__(self, engine: DuckDBEngine) -> None:
        self.journal: list[JournalEntry] = []
        self.executed = 0
        self._engine = engine
        self._made: dict[str, _Made] = {}
        self._answers: dict[str, Rows] = {}
        self._current: dict[str, str] = {}

    def begin(self) -> None:
        """Begin another run, which makes all that it reads."""
        self.journal = []
        self._current = {}

    def execute(self, step: Step) -> Rows:
        """The rows of a step, which is executed unless its result is still there."""
        start = time.perf_counter()
        digest = self._digest(step)
        rows = self._known(step, digest)
        if rows is None:
            rows = self._executed(step, digest)
        if step.kind not in ASKS:
            self._current[step.name.lower()] = digest
        self.journal.append(JournalEntry(step, len(rows), time.perf_counter() - start))
        return rows

    def close(self) -> None:
        """Drop all working tables."""
        self._engine.close()

    def _digest(self, step: Step) -> str:
        """A digest of all that the result of a step depends on, within one database."""
        parts = [step.kind, step.name.lower(), step.sql, step.target, step.copy_options]
        for name in sorted(relations_in(step.sql) & self._current.keys()):
            parts += [name, self._current[name]]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def _known(self, step: Step, digest: str) -> Rows | None:
        if step.kind in ASKS:
            return self._answers.get(digest)
        made = self._made.get(step.name.lower())
        return made.rows if made is not None and made.digest == digest else None

    def _executed(self, step: Step, digest: str) -> Rows:
        name = step.name.lower()
        replaced = self._made.pop(name, None)
        if replaced is not None:
            self._engine.drop(replaced.step)
        rows = self._engine.execute(step)
        self.executed += 1
        if step.kind in ASKS:
            self._answers[digest] = rows
        elif step.kind in ("view", "table", "type", "proof"):
            self._made[name] = _Made(step, digest, rows)
        return rows
