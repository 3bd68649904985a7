"""What an engine offers: it executes steps, keeps a journal of them, and writes publications."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from sqlanon.errors import EngineError
from sqlanon.plan.tables import Destination
from sqlanon.sql.step import Result, Rows, Search, SoFar, Step
from sqlanon.sql.tables import Parts
from sqlanon.sql.views import Reads
from sqlanon.system.files import sha256_of


@dataclass(frozen=True)
class JournalEntry:
    """A step that was executed: how many rows came back, how long it took, and in what words.

    Attributes:
        step: the step.
        row_count: rows that came back.
        seconds: how long it took.
        translated: what another database executed for it; empty if DuckDB executed the step.
    """

    step: Step
    row_count: int
    seconds: float
    translated: str = ""

    @property
    def sql(self) -> str:
        """The statements that were executed."""
        return self.translated or "\n\n".join(self.step.statements())


@dataclass(frozen=True)
class Progress:
    """A step that starts, or has ended; its text is a line for a person who waits.

    Attributes:
        step: the name of the step.
        so_far: how far the search is that asks, if the step belongs to one.
        seconds: how long the step took; None if it starts.
        rows: rows that the step has written to a table or a file; None if it has not.
        run: which of several runs it is a step of, as in `run 3 of 10`; empty if there is one.
    """

    step: str
    so_far: SoFar | None = None
    seconds: float | None = None
    rows: int | None = None
    run: str = ""

    def __str__(self) -> str:
        run = f"{self.run}: " if self.run else ""
        told = "" if self.so_far is None else f": {self.so_far}"
        if self.seconds is None:
            return f"{run}{self.step}{told} …"
        rows = "" if self.rows is None else f", {self.rows:,} rows"
        return f"{run}{self.step}{told}{rows}, {self.seconds:.1f} s"


@dataclass(frozen=True)
class StagedRows:
    """Rows that are written, but not yet published.

    Attributes:
        place: where they will be published.
        sha256: digest of them, taken before the proof; a published table is marked with it.
        of_rows: whether it is the digest of the rows, in whatever order, and not of files.
        file: the file that DuckDB has written them to, absolute; no other engine has one.
    """

    place: Destination
    sha256: str
    of_rows: bool = False
    file: Path = Path()

    @property
    def is_unchanged(self) -> bool:
        """Whether the file has the bytes of the digest."""
        is_ours = self.file.is_file() and not self.file.is_symlink()
        return is_ours and sha256_of(self.file) == self.sha256


class Engine(Protocol):
    """Executes steps against one database; the working tables live as long as the engine."""

    name: str
    version: str
    journal: list[JournalEntry]

    @property
    def described(self) -> dict[str, Any]:
        """What a manifest tells of it: name, version, and where the search runs if elsewhere."""

    def execute(self, step: Step) -> Rows:
        """Execute a step. Rows for `rows` and (violations) `proof`, else none.

        Raises:
            EngineError: the database failed; without its message if that could quote cells.
        """

    def close(self) -> None:
        """Drop all working tables; a caller's connection stays open."""


class RowEngine(Engine, Protocol):
    """An engine that has the rows of a plan, and publishes them."""

    def reads(self, table: Parts) -> Reads:
        """What a table or view of the user reads, as far as the database tells."""

    def standing(self, place: Destination) -> str | None:
        """The digest in the mark of what is at a place, or of its files; empty if it has none.

        None if nothing is there.
        """

    def staged(
        self, copies: Mapping[str, Destination], relations: Sequence[str]
    ) -> list[StagedRows]:
        """The rows that copies have written, with the digests that they have now.

        Args:
            copies: where the rows will be published, by the targets of the copies.
            relations: SQL that reads each of them.

        Raises:
            PublishError: the rows that steps have read were changed meanwhile.
        """

    def is_unchanged(self, staged: Sequence[StagedRows]) -> bool:
        """Whether the staged rows are still those."""

    def publish(self, staged: Sequence[StagedRows]) -> None:
        """Put staged rows at their places, which are tables or of the engine's own, or none.

        Raises:
            EngineError, PublishError: the earlier ones are unchanged.
        """


def drive(engine: Engine, search: Search[Result]) -> Result:
    """Send every step that a search yields to the engine, and the rows back, to its end.

    Raises:
        EngineError: of the engine, where the search does not catch it.
    """
    try:
        step = next(search)
        while True:
            try:
                rows = engine.execute(step)
            except EngineError as error:
                step = search.throw(error)
            else:
                step = search.send(rows)
    except StopIteration as end:
        result: Result = end.value
        return result
