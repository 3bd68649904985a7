"""What engines offer: they execute steps, keep a journal of them, and write publications."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from sqlanon.boundary.files import sha256_of
from sqlanon.errors import EngineError, SqlanonError
from sqlanon.plan.tables import Destination
from sqlanon.sql.step import Result, Rows, Search, SoFar, Step
from sqlanon.sql.tables import Parts
from sqlanon.sql.views import Reads

ArrowTable = Any
"""A `pyarrow.Table`; pyarrow is only there with the extra of a database."""


@dataclass(frozen=True)
class JournalEntry:
    """A step that was executed; `translated` is what another database executed for it, if any."""

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
        so_far = "" if self.so_far is None else f": {self.so_far}"
        if self.seconds is None:
            return f"{run}{self.step}{so_far} …"
        rows = "" if self.rows is None else f", {self.rows:,} rows"
        return f"{run}{self.step}{so_far}{rows}, {self.seconds:.1f} s"


@dataclass(frozen=True)
class StagedRows:
    """Rows that are written, but not yet published.

    Attributes:
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

    journal: list[JournalEntry]

    def execute(self, step: Step) -> Rows:
        """The rows of a step: of a question, or violations of a proof; else none.

        Raises:
            EngineError: the database failed; without its message if that could quote cells.
        """

    def close(self) -> None:
        """Drop all working tables; a caller's connection stays open."""


class Destinations(Protocol):
    """Where rows are published."""

    def existing_digest(self, place: Destination) -> str | None:
        """The digest of an earlier publication; empty for something else, None for nothing."""

    def publish(self, staged: Sequence[StagedRows]) -> None:
        """Put staged rows at their places and mark them, all or none, and with the earlier readers.

        If this raises, the earlier tables are unchanged; a reader sees the old or the new ones.
        """


class RowEngine(Engine, Destinations, Protocol):
    """An engine that has the rows of a plan, and publishes them."""

    @property
    def described(self) -> dict[str, Any]:
        """The entry of the manifest: name, version, and where the search runs, if not there."""

    def reads(self, table: Parts) -> Reads:
        """What a table or view of the user reads, as far as the database reports it."""

    def staged(
        self, copies: Mapping[str, Destination], relations: Sequence[str]
    ) -> list[StagedRows]:
        """The rows that copies have written, with the digests that they have now.

        Args:
            copies: where the rows will be published, by the targets of the copies.
            relations: SQL that reads each of them.
        """

    def is_unchanged(self, staged: Sequence[StagedRows]) -> bool:
        """Whether the staged rows are still those."""


class Database(Destinations, Protocol):
    """Another database in which steps run; working relations live until it publishes or closes.

    It knows of no plan, step or template: it gets queries in its own dialect. Names of tables are
    those of plans: `table`, `schema.table`, `database.schema.table`. Every method but `cancel` is
    called from one thread. What the database raises may leave a method as it is: `refusal` makes an
    error of it. `version` is that of the server.
    """

    version: str

    def relation(self, name: str) -> str:
        """What a working relation of a plain name is called; nobody else's has this name."""

    def make(self, kind: Literal["view", "table"], relation: str, query: str) -> None:
        """Make a working relation of the rows of a query."""

    def rows(self, query: str, most: int | None = None) -> Rows:
        """The first `most` rows of a query, or all, with plain Python values."""

    def arrow(self, query: str) -> ArrowTable:
        """The rows of a query; whole numbers are int64, and texts string or large_string."""

    def load(
        self,
        relation: str,
        rows: ArrowTable,
        types: Mapping[str, str],
        file: tuple[str, str] | None = None,
    ) -> None:
        """Make a working table of rows that are here, with DuckDB's type of each column.

        Args:
            file: the path of the local file that has them, and SQL by which DuckDB reads it.
        """

    def columns(self, table: Parts) -> dict[str, str] | None:
        """DuckDB's type of each column of a table or view of the user; None if it cannot be read.

        A type that DuckDB does not have is named as the database names it.
        """

    def is_view(self, table: Parts) -> bool:
        """Whether the rows of a table of the user come from other tables; also if unknown."""

    def set_variable(self, name: str, value: str) -> None:
        """Give the session a secret, which stands in no statement that is logged or kept here."""

    def stage(self, place: Destination, query: str) -> str:
        """What staged rows are called as a table: those of a query, which nobody else reads."""

    def cancel(self) -> None:
        """Stop what runs; called from another thread. The method that runs then raises."""

    def refusal(self, error: Exception, where: str) -> SqlanonError:
        """The error for what a method raised, without a value that the message may quote."""

    def close(self) -> None:
        """Drop all working relations and unpublished rows; a caller's session stays open."""

    # A database that reads no files, and in which nothing changes during a run, keeps these.

    def open_files(self, path: str) -> str | None:
        """What Parquet files, or a folder of them, are called as a table; None if not read."""
        return None

    def watch(self, relation: str, columns: Collection[str]) -> None:
        """Remember the rows of a table or of files of the user, if they can change during a run.

        Args:
            columns: the plan's, in small letters; others do not count where there are some of them.
        """
        return None

    def require_unchanged(self) -> None:
        """Fail with a PublishError if what `watch` remembers is not as it was."""
        return None

    def digest(self, place: Destination) -> str | None:
        """The digest of the files of staged rows; None if nobody else can change the rows."""
        return None


def drive(engine: Engine, search: Search[Result]) -> Result:
    """The result of a search, whose steps the engine executes; it may catch EngineErrors."""
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
