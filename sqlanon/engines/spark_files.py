"""What Spark publishes: folders of Parquet files, and external tables with such a folder.

Rows are staged in a folder that no other user can look into, next to where they will be published.
A folder is published by one rename; a table by one change of its location in the catalog. The files
of the earlier publication of a table stay until the next one, for readers that have them open.

The executors of a cluster have to see these folders under the same path as this process does.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession, functions

from sqlanon.dialects.dialect import DIALECTS
from sqlanon.engines.base import StagedRows
from sqlanon.engines.spark_catalog import described, local_folder, name_of, text_of
from sqlanon.engines.tables import MARK
from sqlanon.errors import PlanError, PrivacyViolation, PublishError
from sqlanon.plan.tables import Destination
from sqlanon.sql.paths import is_remote
from sqlanon.sql.tables import table_parts
from sqlanon.system.files import sha256_of, sync_file, sync_folder
from sqlanon.system.locks import BESIDE, private_folder
from sqlanon.system.swap import swapped

_DATA = re.compile(r"part-[\w.=-]+\.parquet", re.ASCII)
"""The files of rows that Spark writes."""

_STORE = ".sqlanon"
"""Ending of the folder, in that of the database, with the files of a published table."""

_NO_SUCCESS_FILE = "mapreduce.fileoutputcommitter.marksuccessfuljobs"
_SPARK = DIALECTS["spark"]


@dataclass(frozen=True)
class _Standing:
    """A table that is at a place.

    Attributes:
        folder: of its files; None if it is not a table that sqlanon has published.
        columns: their names and Spark's types.
    """

    folder: Path | None
    columns: list[tuple[str, str]]


@dataclass(frozen=True)
class _Staged:
    """Rows that are not yet published.

    Attributes:
        folder: of their files.
        room: the private folder that it is in.
        final: where it will be; for a table, the folder of all its publications.
        earlier: the table that it replaces, if any.
    """

    folder: Path
    room: Path
    final: Path
    earlier: _Standing | None = None


@dataclass
class Publications:
    """Stages rows and publishes them; private folders are gone after `close`.

    Attributes:
        session: in which queries and changes of the catalog run.
        folder: that the paths of publications are relative to.
        is_own: whether the session ends with the run.
        is_local: whether all work of Spark is done in a process on this machine.
    """

    session: SparkSession
    folder: Path
    is_own: bool
    is_local: bool
    _staged: dict[Destination, _Staged] = field(default_factory=dict)
    _rooms: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    def stage(self, place: Destination, rows: DataFrame) -> list[str]:
        """Write rows to files that nobody else reads; the files, as Spark reads them.

        Raises:
            PlanError: the place is none that Spark can publish to.
            PublishError: a table is there that no run has published; or Spark wrote elsewhere.
        """
        earlier = None
        if place.table is not None:
            earlier = self._table(place.table)
            final = self._store(place.table)
            _refuse_other_table(place.table, earlier, rows)
        else:
            final = self._final(place)
        parent = final if place.table is not None else final.parent
        parent.mkdir(parents=True, exist_ok=True)
        room = self._rooms.enter_context(private_folder(parent, BESIDE))
        if not self.is_local:
            self._see(room)
        folder = room / "rows"
        # Metadata of columns can hold values, such as the categories of a model.
        names = [_SPARK.identifier(name) for name in rows.columns]
        pairs = zip(names, rows.columns, strict=True)
        bare = rows.select(*(rows[name].alias(column, metadata={}) for name, column in pairs))
        # Rows are in the order of a hash of their cells, whatever order the query has: it tells
        # nothing of the source's, and to find it takes one pass, and not two as another order does.
        place_of_row = functions.xxhash64(*names)
        ordered = bare.repartition(place_of_row).sortWithinPartitions(place_of_row)
        ordered.write.option(_NO_SUCCESS_FILE, "false").parquet(url(folder))
        self._staged[place] = _Staged(folder, room, final, earlier)
        return [escaped(url(file)) for file in _cleaned(folder)]

    def digest(self, place: Destination) -> str:
        """The digest of the files of staged rows, read again."""
        return _digest(self._staged[place].folder)

    def existing_digest(self, place: Destination) -> str | None:
        """The digest of what a run has published at a place.

        Empty if no run has published what is there; None if nothing is there.
        """
        if place.table is None:
            final = self._final(place)
            return _digest(final) if os.path.lexists(final) else None
        found = self._table(place.table)
        if found is None:
            return None
        return "" if found.folder is None else _digest(found.folder)

    def publish(self, staged: Sequence[StagedRows]) -> None:
        """Put staged rows at their places; if this raises, the earlier ones are unchanged.

        Raises:
            PrivacyViolation: the files changed after they were proven.
            PublishError: what is at a place cannot be replaced.
        """
        for each in staged:
            folder = self._staged[each.place].folder
            if _digest(folder) != each.sha256:
                raise PrivacyViolation(
                    "The staged rows changed after they were proven.",
                    where="publish",
                    fix="find out what else writes to the folder; nothing was published",
                )
            for file in folder.iterdir():
                sync_file(file)
            sync_folder(folder)
        if staged[0].place.table is None:
            self._publish_folders(staged)
        else:
            self._publish_tables(staged)
        for each in staged:
            del self._staged[each.place]

    def close(self) -> None:
        """Remove what is staged."""
        self._staged.clear()
        self._rooms.close()

    def _final(self, place: Destination) -> Path:
        """The folder of a publication.

        Raises:
            PlanError: it is no path for Parquet files that this process sees.
        """
        path = place.path or ""
        if place.database is not None or place.is_csv or is_remote(path):
            raise PlanError(
                "Spark publishes Parquet files in a folder that this process sees.",
                where="publish",
                fix="name a path that ends with .parquet, or a table of the catalog",
            )
        return Path(os.path.realpath(self.folder)) / path

    # --- folders

    def _publish_folders(self, staged: Sequence[StagedRows]) -> None:
        """Publish by one rename: of a folder of files, or of the folder that has all of these."""
        rows = [self._staged[each.place] for each in staged]
        for each in rows:
            _keep_modes(each.final, each.folder)
        if len(rows) == 1:
            swapped(rows[0].folder, rows[0].final, rows[0].room)
            return
        (final,) = {each.final.parent for each in rows}
        ours = {each.final.name for each in rows} | {each.room.name for each in rows}
        if {entry.name for entry in final.iterdir()} - ours:
            raise PublishError(
                f"'{final.name}' contains other files; a publication of two tables is a folder that"
                " is replaced as a whole.",
                where="publish",
                fix="publish into a folder of its own",
            )
        room = self._rooms.enter_context(private_folder(final.parent, BESIDE))
        ready = room / "published"
        ready.mkdir()
        ready.chmod(final.stat().st_mode & 0o777)
        for each in rows:
            os.rename(each.folder, ready / each.final.name)
        sync_folder(ready)
        swapped(ready, final, room)

    # --- tables

    def _publish_tables(self, staged: Sequence[StagedRows]) -> None:
        """Publish by one change of the catalog for each table."""
        current = {}
        with contextlib.ExitStack() as undo:
            for each in staged:
                current[each.place] = self._switch(each, undo)
            undo.pop_all()
        for each in staged:
            rows, name = self._staged[each.place], name_of(table_parts(each.place.table or ""))
            with contextlib.suppress(Exception):  # the rows are published; this only tells of them
                self.session.sql(f"comment on table {name} is {text_of(MARK + each.sha256)}")
            kept = {current[each.place], rows.earlier.folder if rows.earlier else None}
            for folder in rows.final.iterdir():
                if re.fullmatch("[0-9a-f]{16}", folder.name) and folder not in kept:
                    shutil.rmtree(folder, ignore_errors=True)

    def _switch(self, each: StagedRows, undo: contextlib.ExitStack) -> Path:
        """Have a table read the staged files; return their folder."""
        rows, name = self._staged[each.place], name_of(table_parts(each.place.table or ""))
        if self._table(each.place.table or "") != rows.earlier:
            raise PublishError(
                "The table was changed meanwhile.",
                where="publish",
                fix="find out what else writes to it, and run again",
            )
        folder = rows.final / secrets.token_hex(8)
        before = rows.earlier.folder if rows.earlier else None
        _keep_modes(before, rows.folder)
        os.rename(rows.folder, folder)
        undo.callback(shutil.rmtree, folder, ignore_errors=True)
        sync_folder(rows.final)

        def change(statement: str) -> None:
            self.session.sql(statement)

        def change_back(statement: str) -> None:
            with contextlib.suppress(Exception):
                change(statement)

        location = text_of(url(folder))
        if before is None:
            mark = text_of(MARK + each.sha256)
            change(f"create table {name} using parquet location {location} comment {mark}")
            # not before: a table that is there now is somebody else's
            undo.callback(change_back, f"drop table if exists {name}")
        else:
            undo.callback(change_back, f"alter table {name} set location {text_of(url(before))}")
            change(f"alter table {name} set location {location}")
        return folder

    def _store(self, table: str) -> Path:
        """The folder for the files of a table, in that of its database."""
        parts = table_parts(table)
        if self.session.conf.get("spark.sql.catalogImplementation") == "in-memory" and self.is_own:
            raise PlanError(
                "Tables of this session of Spark end with it.",
                where="publish",
                fix="publish to a path, or give a session that has a catalog",
            )
        database = parts[-2] if len(parts) > 1 else self.session.catalog.currentDatabase()
        described = self.session.sql(f"describe database {_SPARK.identifier(database)}").collect()
        where = next((row[1] for row in described if row[0] == "Location"), "")
        folder = local_folder(where)
        if folder is None or (len(parts) == 3 and parts[0] != "spark_catalog"):
            raise PlanError(
                f"Spark keeps the tables of '{database}' where their files cannot be replaced.",
                where="publish",
                fix="publish to a path, or to a database of `spark_catalog` in a shared folder",
            )
        return folder / f"{parts[-1]}{_STORE}"

    def _table(self, table: str) -> _Standing | None:
        """What is at the place of a table; None if nothing is."""
        parts = table_parts(table)
        found = described(self.session, parts)
        if found is None:
            return None
        folder = local_folder(found.told.get("Location", ""))
        is_ours = (
            found.told.get("Type") == "EXTERNAL"
            and found.told.get("Provider") == "parquet"
            and found.told.get("Comment", "").startswith(MARK)
            and folder is not None
            and folder.parent.name == f"{parts[-1]}{_STORE}"
        )
        return _Standing(folder if is_ours else None, found.columns)

    def _see(self, room: Path) -> None:
        """Check that Spark reads what this process writes.

        Raises:
            PublishError: it does not; the unproven rows would be on another machine.
        """
        nonce = secrets.token_hex(16)
        (room / "seen").write_text(nonce, encoding="ascii")
        try:
            found = [
                row[0] for row in self.session.read.text(escaped(url(room / "seen"))).collect()
            ]
        except Exception:
            found = []
        (room / "seen").unlink()
        if found != [nonce]:
            raise _not_shared()


def _refuse_other_table(table: str, earlier: _Standing | None, rows: DataFrame) -> None:
    """Refuse a table that cannot be replaced by a change of its location."""
    if earlier is None:
        return
    if earlier.folder is None:
        raise PublishError(
            f"'{table}' exists, and no run has published it.",
            where="publish",
            fix="publish to another table, or drop this one",
        )
    if earlier.columns != [(name.lower(), kind) for name, kind in rows.dtypes]:
        raise PublishError(
            f"The published table '{table}' has other columns.",
            where="publish",
            fix="publish to another table, or drop this one",
        )


def _cleaned(folder: Path) -> list[Path]:
    """The files of rows in a folder; what else Spark left there is removed."""
    if not folder.is_dir():
        raise _not_shared()
    for entry in list(folder.iterdir()):
        if entry.name.startswith((".", "_")):
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    files = sorted(folder.iterdir())
    if not files or not all(_is_data(file) for file in files):
        raise _not_shared()
    return files


def _not_shared() -> PublishError:
    return PublishError(
        "Spark does not see the folder of the publication.",
        where="publish",
        fix="publish to a file system that all machines of the cluster share, under one path; its"
        " processes need to be of this user",
    )


def _is_data(file: Path) -> bool:
    return bool(_DATA.fullmatch(file.name)) and file.is_file() and not file.is_symlink()


def _digest(folder: Path) -> str:
    """The digest of the digests of all files; empty if there is anything but files of rows."""
    files = list(folder.iterdir()) if folder.is_dir() else []
    if not files or not all(map(_is_data, files)):
        return ""
    return hashlib.sha256("\n".join(sorted(map(sha256_of, files))).encode()).hexdigest()


def _keep_modes(earlier: Path | None, folder: Path) -> None:
    """The same users can read the new files as the earlier ones; if there are none, as any file."""
    mask = os.umask(0o077)
    os.umask(mask)
    of_folder, of_files = 0o777 & ~mask, 0o666 & ~mask
    if earlier is not None and earlier.is_dir():
        of_folder = earlier.stat().st_mode & 0o777
        of_files = min((file.stat().st_mode & 0o777 for file in earlier.iterdir()), default=0o644)
    folder.chmod(of_folder)
    for file in folder.iterdir():
        file.chmod(of_files)


def url(path: Path) -> str:
    """A path on a file system that this process sees, as Spark names it."""
    return f"file://{path}"


def escaped(path: str, *, wildcards: bool = False) -> str:
    """A path that Spark reads as it is; else braces, brackets and so on were a pattern.

    Args:
        wildcards: whether `*` and `?` are wildcards all the same.
    """
    return re.sub(r"[\[\]{}\\]" if wildcards else r"[\[\]{}\\*?]", r"\\\g<0>", path)
