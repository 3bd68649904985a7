"""Rows in their database, the search in DuckDB here: every step runs where what it reads is.

A step that reads rows runs in the database that has them. All others run here. What a step reads
and the other engine has is handed over first, once: from the database only the relations of
`HANDED_OVER`, which grow with the distinct combinations of quasi-identifiers and not with the rows;
to the database whatever the release needs, such as the labels of classes.
"""

from __future__ import annotations

import time
from typing import Any

from sqlanon.dialects.reads import outside
from sqlanon.engines.base import JournalEntry
from sqlanon.engines.duckdb import DuckDBEngine
from sqlanon.engines.translating import TranslatingEngine
from sqlanon.errors import EngineError
from sqlanon.sql.paths import reads_paths, unmarked
from sqlanon.sql.step import ASKS, WORK_CATALOG, Rows, Step, quoted, relations_in

HANDED_OVER = frozenset(
    {"source_combinations", "population_combinations", "published_combinations"}
)
"""What may leave the database, beside hierarchies that are queries of it.

Combinations are personal data. They stay in the memory of this process, or in DuckDB's spill
folder, which only this user can read and which ends with the run.
"""

MOST_COMBINATIONS = 20_000_000
"""Rows of a relation that is handed over, at most; docs/engines.md measures what they take."""


class SplitEngine:
    """Executes steps where what they read is.

    Args:
        rows: the engine of the rows; closed by this one, as the other.
        search: the engine of the search.

    Attributes:
        handed_over: what has left the database, and its rows.
    """

    def __init__(self, rows: TranslatingEngine, search: DuckDBEngine) -> None:
        self.name, self.version = rows.name, rows.version
        self.rows, self.search = rows, search
        self.journal: list[JournalEntry] = []
        self.handed_over: dict[str, int] = {}
        self._there: set[str] = set()
        self._here: set[str] = set()

    @property
    def described(self) -> dict[str, Any]:
        """Name, version, that the search runs here, and what was handed over: relation, rows."""
        told = {"name": self.name, "version": self.version, "search": "driver"}
        return {**told, "handed_over": dict(self.handed_over)}

    def execute(self, step: Step) -> Rows:
        """Execute a step; see `Engine`."""
        start = time.perf_counter()
        reads = relations_in(step.select)
        if self._reads_rows(step, reads):
            for name in sorted((reads & self._here) - self._there):
                self._send(name)
            found, made = self.rows.execute(step), self._there
        else:
            for name in sorted((reads & self._there) - self._here):
                self._fetch(name)
            found, made = self.search.execute(step), self._here
        if step.kind not in (*ASKS, "copy"):
            made.add(step.name.lower())
        translated = self.rows.journal[-1].translated if made is self._there else ""
        seconds = time.perf_counter() - start
        self.journal.append(JournalEntry(step, len(found), seconds, translated))
        return found

    def close(self) -> None:
        """Drop all working relations; a caller's session stays open."""
        try:
            self.search.close()
        finally:
            self.rows.close()

    def _reads_rows(self, step: Step, reads: set[str]) -> bool:
        """Whether a step reads what stays in the database."""
        if any(not _may_leave(name) for name in (reads & self._there) - self._here):
            return True
        return step.kind == "copy" or self._reads_others(step, reads)

    def _reads_others(self, step: Step, reads: set[str]) -> bool:
        """Whether a step reads a table or a file of the database itself."""
        if reads and not reads_paths(step.sql):
            return False
        for literal, _ in outside(step.select):
            path = unmarked(literal)
            if not literal or (path is not None and self.rows.has_file(path)):
                return True
        return False

    def _fetch(self, name: str) -> None:
        """Hand over a relation of the database.

        Raises:
            EngineError: it has too many rows.
        """
        step = Step("combinations", f"select count(*)\nfrom {WORK_CATALOG}.{quoted(name)}", "rows")
        ((count,),) = self.rows.execute(step)
        if count > MOST_COMBINATIONS:
            raise EngineError(
                f"{name} has {count:,} rows, more than the {MOST_COMBINATIONS:,} that are searched"
                " here.",
                where=f"step {name}",
                fix="leave out or round quasi-identifiers in a `source: {query: …}`, or search in"
                " PostgreSQL with `engine: {search: engine}`",
            )
        rows, types = self.rows.give(name)
        self.search.take(name, rows, types)
        self._here.add(name)
        self.handed_over[name] = count

    def _send(self, name: str) -> None:
        """Hand over a relation that the search made."""
        rows, types = self.search.give(name)
        self.rows.take(name, rows, types)
        self._there.add(name)


def _may_leave(name: str) -> bool:
    return name in HANDED_OVER or name.startswith("hierarchy_of_")
