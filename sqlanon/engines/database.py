"""What another database offers, so that steps can run in it: `Database`.

A class with this protocol is all that is written for a database; `translating.py` is its engine.
Nothing here knows of plans, steps or templates: a database gets queries in its own dialect.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, Protocol

from sqlanon.engines.base import StagedRows
from sqlanon.errors import SqlanonError
from sqlanon.plan.tables import Destination
from sqlanon.sql.step import Rows
from sqlanon.sql.tables import Parts

ArrowTable = Any
"""A `pyarrow.Table`; pyarrow is only there with the extra of the database."""


class Database(Protocol):
    """A database in which steps can run; its working relations live until it publishes or closes.

    Names of tables are those of plans: `table`, `schema.table`, `database.schema.table`. Queries
    are in the database's dialect. Every method but `cancel` is called from one thread. What the
    database raises may leave a method as it is: `refusal` makes an error of it.

    Attributes:
        name: of the engine, as a plan names it.
        title: as readers know it.
        dialect: a name in `sqlanon.dialects.dialect.DIALECTS`.
        version: of the server.
    """

    name: str
    title: str
    dialect: str
    version: str

    def relation(self, name: str) -> str:
        """What a working relation is called; nobody else's relation has this name.

        Args:
            name: lower-case letters, digits and underscores, 50 characters at most.
        """

    def make(self, kind: Literal["view", "table"], relation: str, query: str) -> None:
        """Make a working relation of the rows of a query.

        Args:
            relation: as `relation` called it.
        """

    def rows(self, query: str, most: int | None = None) -> Rows:
        """The rows of a query, with plain Python values.

        Args:
            most: how many rows are wanted; all if None.
        """

    def arrow(self, query: str) -> ArrowTable:
        """The rows of a query; whole numbers are int64, and texts string or large_string."""

    def load(
        self,
        relation: str,
        rows: ArrowTable,
        types: Mapping[str, str],
        file: tuple[str, str] | None = None,
    ) -> None:
        """Make a working table of rows that are here.

        Args:
            types: DuckDB's type of each column.
            file: the path of the local file that has them, and SQL by which DuckDB reads it.
        """

    def columns(self, table: Parts) -> dict[str, str] | None:
        """The columns of a table or view of the user: DuckDB's type of each, in their order.

        A type that DuckDB does not have is named as the database names it. None if there is no
        such table, or it may not be read.
        """

    def is_view(self, table: Parts) -> bool:
        """Whether the rows of a table of the user come from other tables; also if unknown."""

    def open_files(self, path: str) -> str | None:
        """What Parquet files or a folder of them are called as a table; None if it reads no files.

        Args:
            path: absolute, or with a scheme such as `s3://`.
        """

    def watch(self, relation: str, columns: Collection[str]) -> None:
        """Remember the rows of a table or of files of the user, if they can change during a run.

        Args:
            relation: what it is called in queries.
            columns: the plan's, in small letters; others do not count where there are some of them.
        """

    def require_unchanged(self) -> None:
        """Check what `watch` remembers, after the last pass over it.

        Raises:
            PublishError: the rows are others now.
        """

    def set_variable(self, name: str, value: str) -> None:
        """Give the session a secret, which stands in no statement that is logged or kept here.

        Args:
            name: such as `sqlanon_pseudonym_key`; queries read it as `dialects/functions.py` says.
        """

    def stage(self, place: Destination, query: str) -> str:
        """Write the rows of a query where nobody else reads them, to be proven and published.

        Returns:
            what they are called as a table: the proof reads the very rows that are published.
        """

    def digest(self, place: Destination) -> str | None:
        """The digest of the files of staged rows, read again each time.

        None if there are no files, and nobody can change the rows before they are published.
        """

    def standing(self, place: Destination) -> str | None:
        """The digest in the mark of what is at a place, or of its files; empty if it has none.

        None if nothing is there.
        """

    def publish(self, staged: Sequence[StagedRows]) -> None:
        """Put staged rows at their places and mark them, so that a reader sees the old or the new.

        Everybody who could read the earlier table can read the new one. All or nothing: if this
        raises, the earlier ones are unchanged.
        """

    def cancel(self) -> None:
        """Stop what runs; called from another thread. The method that runs then raises."""

    def refusal(self, error: Exception, where: str) -> SqlanonError:
        """The error for what a method raised, without a value that the message may quote.

        Args:
            where: such as `step release`.
        """

    def close(self) -> None:
        """Drop all working relations and unpublished rows; a caller's session stays open."""
