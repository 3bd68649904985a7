"""The published tables that a command reads."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sqlanon.boundary.files import sha256_of
from sqlanon.boundary.part import validated
from sqlanon.boundary.text import Places, checked_text, is_regular
from sqlanon.commands.options import Options
from sqlanon.engines.base import RowEngine, drive
from sqlanon.engines.connection import source_on_connection
from sqlanon.errors import PlanError, brief
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Destination, Source, names_file, values_place
from sqlanon.proof.external_tables import ExternalTables, own_table
from sqlanon.publication.manifest import Manifest
from sqlanon.sql.paths import is_pattern


def table_text(table: object) -> str:
    """The name of a table that a caller gives; nothing of another object gets into messages."""
    if not isinstance(table, str | os.PathLike):
        raise PlanError(
            f"The name of a table must be text, not a {type(table).__name__}.",
            where="table",
            fix="give a file, FILE.duckdb::TABLE, or the name of a table of `connection=`",
        )
    return checked_text(str(table), "table")


def source_of(table: str, plan: Plan, options: Options) -> Source:
    """The published table as a source; its path is relative to the current folder.

    On a connection, a name with the extension of a file is a file; so it is for engines
    with tables of their own, where a folder of files is one, too.
    """
    table = table_text(table)
    if table == own_table(plan):
        return plan.source
    is_file = names_file(table)
    if options.connection is not None and not is_file:
        named = validated(Source, {"table": table}, Places())
        return source_on_connection(plan, named, options.connection, table)
    if plan.engine.has_tables and not is_file:
        return validated(Source, {"table": table}, Places())
    file, separator, name = table.partition("::")
    is_there = is_regular(Path(file)) or (plan.engine.has_tables and Path(file).is_dir())
    if not is_there and not is_pattern(file):
        raise PlanError(
            f"The file '{brief(file)}' does not exist, or is not a regular file.",
            where=brief(table),
            fix="check the path; it is relative to the current folder",
        )
    keys = {"path": f"{os.path.realpath(file)}{separator}{name}", "glob": not is_there}
    source = validated(Source, keys, Places(file=brief(table)))
    if not separator and not source.file_format:
        raise PlanError(
            f"The name of '{brief(table)}' does not show what kind of file it is.",
            where=table,
            fix="use a name that ends in .parquet, .csv or .json, or write FILE.duckdb::TABLE",
        )
    return source


@dataclass(frozen=True)
class PublishedTables:
    """A published table, and the table of counts beside it if the plan publishes two.

    Attributes:
        plan: the plan that published them.
        places: the tables, as the caller names them.
        sources: how to read them.
    """

    plan: Plan
    places: Sequence[str]
    sources: Sequence[Source]

    @classmethod
    def at(cls, table: str, plan: Plan, options: Options) -> PublishedTables:
        """Those that a caller names by the first of them."""
        table = table_text(table)
        places = [table, *([values_place(table)] if plan.form.apart else [])]
        return cls(plan, places, [source_of(place, plan, options) for place in places])

    @property
    def names(self) -> list[str]:
        """The names of the views that `read` makes of them."""
        return ["published_table", "published_counts"][: len(self.places)]

    @property
    def relations(self) -> list[str]:
        """SQL that reads these views."""
        return [f"sqlanon.{name}" for name in self.names]

    def read(self, engine: RowEngine, plan: Plan, what: str) -> None:
        """Make a view of each.

        Args:
            plan: of the session that reads them.
            what: what they are, for errors.
        """
        tables = ExternalTables(plan)
        for name, source, place in zip(self.names, self.sources, self.places, strict=True):
            drive(engine, tables.read(name, what, source, place))

    def compare(self, engine: RowEngine, recorded: Manifest) -> None:
        """Compare them with the manifest of the run that published them."""
        digest = partial(_digest, self.plan, engine)
        drive(engine, recorded.compare(self.relations, self.places, digest))


def _digest(plan: Plan, engine: RowEngine, place: str) -> str | None:
    """The digest of the files of a published table, as they are now; None if it has no files."""
    path = Path(place)
    if "::" not in place and path.is_file():
        return sha256_of(path.resolve())
    if not plan.engine.has_tables:
        return None
    if path.is_dir():
        return engine.existing_digest(Destination(path=str(path.resolve()), table=None))
    return engine.existing_digest(Destination(path=None, table=place))
