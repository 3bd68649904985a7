"""What Spark reads and publishes: tables of its catalog, and folders of Parquet files.

Rows are staged in a folder that no other user can look into, next to where they will be published.
A folder is published by one rename; a table by one change of its location in the catalog. The files
of the earlier publication of a table stay until the next one, for readers that have them open.

The executors of a cluster have to see these folders under the same path as this process does.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import re
import secrets
import shutil
import urllib.parse
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, SparkSession, functions
from pyspark.sql.types import DecimalType, MapType, VariantType

from sqlanon.boundary.files import sha256_of, swapped, sync_file, sync_folder
from sqlanon.boundary.locks import BESIDE, private_folder
from sqlanon.dialects.dialect import DIALECTS
from sqlanon.engines.base import StagedRows
from sqlanon.engines.tables import MARK
from sqlanon.errors import PlanError, PrivacyViolation, PublishError
from sqlanon.plan.tables import Destination
from sqlanon.sql.paths import is_remote
from sqlanon.sql.tables import Parts, table_parts

_DATA = re.compile(r"part-[\w.=-]+\.parquet", re.ASCII)
"""The files of rows that Spark writes."""

_STORE = ".sqlanon"
"""Ending of the folder, in that of the database, with the files of a published table."""

_NO_SUCCESS_FILE = "mapreduce.fileoutputcommitter.marksuccessfuljobs"

_UNHASHED = (MapType, VariantType)
"""Types of columns that have no hash; no plan reads them."""

_SPARK = DIALECTS["spark"]


# --- the catalog


@dataclass(frozen=True)
class CatalogTable:
    """A table or view with its columns and Spark's types, as the catalog describes it.

    Attributes:
        folder: of its files; None if it is not a table that sqlanon has published.
        properties: what else is known of it; nothing of a temporary view.
    """

    columns: list[tuple[str, str]]
    folder: Path | None
    properties: Mapping[str, str] = field(compare=False)


def catalog_table(session: SparkSession, table: Parts) -> CatalogTable | None:
    """A table or view; None if there is none."""
    try:
        rows = session.sql(f"describe table extended {name_of(table)}").collect()
    except AnalysisException:
        return None
    columns = [(row[0], row[1]) for row in itertools.takewhile(lambda row: row[0], rows)]
    found = {row[0]: row[1] for row in rows[len(columns) :]}
    folder = _local_folder(found.get("Location", ""))
    is_ours = (
        found.get("Type") == "EXTERNAL"
        and found.get("Provider") == "parquet"
        and found.get("Comment", "").startswith(MARK)
        and folder is not None
        and folder.parent.name == f"{table[-1]}{_STORE}"
    )
    return CatalogTable(columns, folder if is_ours else None, found)


def name_of(table: Parts) -> str:
    """The name of a table in SQL."""
    return ".".join(map(_SPARK.identifier, table))


def _local_folder(location: str) -> Path | None:
    """The path of a location in the catalog; None if it is on another file system."""
    found = urllib.parse.urlparse(location)
    return Path(urllib.parse.unquote(found.path)) if found.scheme == "file" else None


def url(path: Path) -> str:
    """A path on a file system that this process sees, as Spark names it."""
    return f"file://{path}"


def escaped(path: str, *, wildcards: bool = False) -> str:
    """A path that Spark reads as it is; `*` and `?` may be wildcards, and nothing else."""
    return re.sub(r"[\[\]{}\\]" if wildcards else r"[\[\]{}\\*?]", r"\\\g<0>", path)


# --- sources


@dataclass
class Sources:
    """The tables and files that a run reads, as they were when they were first read.

    Spark reads a source anew in every pass. Where its rows are in files, a change shows in their
    names, sizes or times; what has no files is asked for a digest of its rows.
    """

    session: SparkSession
    _seen: dict[str, tuple[Callable[[], Hashable], Hashable]] = field(default_factory=dict)

    def watch(self, table: Parts, columns: Collection[str]) -> None:
        """Remember the rows of a table; see `Database`."""
        name = name_of(table)
        files = sorted(self.session.table(name).inputFiles())
        if files:
            # A catalog may refuse who reads its files without it.
            with contextlib.suppress(PySparkException):
                self._remember(name, lambda: self._state_of_files(files))
                return
        self._remember(name, lambda: _rows_digest(self.session.table(name), columns))

    def require_unchanged(self) -> None:
        """Check that nothing changed since."""
        for look, before in self._seen.values():
            try:
                is_same = look() == before
            except AnalysisException:  # it is gone
                is_same = False
            if not is_same:
                raise PublishError(
                    "The rows that the run reads were changed meanwhile.",
                    where="source",
                    fix="run again, when nobody writes to them; nothing was published",
                )

    def _remember(self, name: str, look: Callable[[], Hashable]) -> None:
        if name not in self._seen:
            self._seen[name] = look, look()

    def _state_of_files(self, files: list[str]) -> Hashable:
        """Names, times of change and sizes of files; fails if one is gone."""
        paths = [escaped(urllib.parse.unquote(file)) for file in files]
        found = self.session.read.format("binaryFile").load(paths)
        rows = found.select("path", "modificationTime", "length").collect()
        return tuple(sorted(map(tuple, rows)))


def _rows_digest(rows: DataFrame, columns: Collection[str]) -> Hashable:
    """Number and digest of rows, in any order."""
    hashed = [one.name for one in rows.schema.fields if not isinstance(one.dataType, _UNHASHED)]
    named = [name for name in hashed if name.lower() in columns] or hashed
    row_hash = functions.xxhash64(*(rows[_SPARK.identifier(name)] for name in named))
    ((count, total),) = rows.select(
        functions.count("*"), functions.sum(row_hash.cast(DecimalType(38, 0)))
    ).collect()
    return count, total


# --- publications


@dataclass(frozen=True)
class _Staged:
    """Rows that are not yet published, in a folder of a private folder.

    Attributes:
        final: where it will be; for a table, the folder of all its publications.
        earlier: the table that it replaces, if any.
    """

    folder: Path
    private: Path
    final: Path
    earlier: CatalogTable | None = None


@dataclass
class Publications:
    """Stages rows and publishes them; private folders are gone after `close`.

    Attributes:
        folder: that the paths of publications are relative to.
        is_own: whether the session ends with the run.
        is_local: whether all work of Spark is done in a process on this machine.
    """

    session: SparkSession
    folder: Path
    is_own: bool
    is_local: bool
    _staged: dict[Destination, _Staged] = field(default_factory=dict)
    _folders: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    def stage(self, place: Destination, rows: DataFrame) -> list[str]:
        """Write rows to files that nobody else reads; the files, as Spark reads them."""
        if place.table is None:
            earlier, final = None, self._final(place)
            parent = final.parent
        else:
            earlier, final = self._table(place.table), self._store(place.table)
            _refuse_other_table(place.table, earlier, rows)
            parent = final
        parent.mkdir(parents=True, exist_ok=True)
        private = self._folders.enter_context(private_folder(parent, BESIDE))
        if not self.is_local:
            self._require_shared(private)
        folder = private / "rows"
        # Metadata of columns can hold values, such as the categories of a model.
        names = [_SPARK.identifier(name) for name in rows.columns]
        pairs = zip(names, rows.columns, strict=True)
        bare = rows.select(*(rows[name].alias(column, metadata={}) for name, column in pairs))
        # Rows are in the order of a hash of their cells, whatever order the query has: it reveals
        # nothing of the source's, and to find it takes one pass, and not two as another order does.
        row_hash = functions.xxhash64(*names)
        ordered = bare.repartition(row_hash).sortWithinPartitions(row_hash)
        ordered.write.option(_NO_SUCCESS_FILE, "false").parquet(url(folder))
        self._staged[place] = _Staged(folder, private, final, earlier)
        return [escaped(url(file)) for file in _cleaned(folder)]

    def digest(self, place: Destination) -> str:
        """The digest of the files of staged rows, read again."""
        return _digest(self._staged[place].folder)

    def existing_digest(self, place: Destination) -> str | None:
        """The digest of what is at a place; see `Destinations`."""
        if place.table is None:
            final = self._final(place)
            return _digest(final) if os.path.lexists(final) else None
        found = self._table(place.table)
        if found is None:
            return None
        return _digest(found.folder) if found.folder else ""

    def publish(self, staged: Sequence[StagedRows]) -> None:
        """Put staged rows at their places; if this raises, the earlier ones are unchanged."""
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
        self._folders.close()

    def _final(self, place: Destination) -> Path:
        """The folder of a publication, which has to be a path for Parquet files."""
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
            swapped(rows[0].folder, rows[0].final, rows[0].private)
            return
        (final,) = {each.final.parent for each in rows}
        ours = {each.final.name for each in rows} | {each.private.name for each in rows}
        if {entry.name for entry in final.iterdir()} - ours:
            raise PublishError(
                f"'{final.name}' contains other files; a publication of two tables is a folder that"
                " is replaced as a whole.",
                where="publish",
                fix="publish into a folder of its own",
            )
        private = self._folders.enter_context(private_folder(final.parent, BESIDE))
        ready = private / "published"
        ready.mkdir()
        ready.chmod(final.stat().st_mode & 0o777)
        for each in rows:
            os.rename(each.folder, ready / each.final.name)
        sync_folder(ready)
        swapped(ready, final, private)

    # --- tables

    def _publish_tables(self, staged: Sequence[StagedRows]) -> None:
        """Publish by one change of the catalog for each table."""
        with contextlib.ExitStack() as undo:
            current = [self._switch(each, undo) for each in staged]
            undo.pop_all()
        for each, folder_now in zip(staged, current, strict=True):
            rows, name = self._staged[each.place], name_of(table_parts(each.place.table or ""))
            mark = _SPARK.literal(MARK + each.sha256)
            with contextlib.suppress(Exception):  # the rows are published; this only describes them
                self.session.sql(f"comment on table {name} is {mark}")
            kept = {folder_now, rows.earlier.folder if rows.earlier else None}
            for folder in rows.final.iterdir():
                if re.fullmatch("[0-9a-f]{16}", folder.name) and folder not in kept:
                    shutil.rmtree(folder, ignore_errors=True)

    def _switch(self, each: StagedRows, undo: contextlib.ExitStack) -> Path:
        """The folder of the staged files, which a table reads from now on."""
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

        def change_back(statement: str) -> None:
            with contextlib.suppress(Exception):
                self.session.sql(statement)

        location = _SPARK.literal(url(folder))
        if before is None:
            mark = _SPARK.literal(MARK + each.sha256)
            made = f"create table {name} using parquet location {location} comment {mark}"
            self.session.sql(made)
            # not before: a table that is there now is somebody else's
            undo.callback(change_back, f"drop table if exists {name}")
        else:
            earlier = _SPARK.literal(url(before))
            undo.callback(change_back, f"alter table {name} set location {earlier}")
            self.session.sql(f"alter table {name} set location {location}")
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
        folder = _local_folder(where)
        if folder is None or (len(parts) == 3 and parts[0] != "spark_catalog"):
            raise PlanError(
                f"Spark keeps the tables of '{database}' where their files cannot be replaced.",
                where="publish",
                fix="publish to a path, or to a database of `spark_catalog` in a shared folder",
            )
        return folder / f"{parts[-1]}{_STORE}"

    def _table(self, table: str) -> CatalogTable | None:
        return catalog_table(self.session, table_parts(table))

    def _require_shared(self, private: Path) -> None:
        """Check that Spark reads what this process writes; else unproven rows would stay there."""
        nonce = secrets.token_hex(16)
        file = private / "seen"
        file.write_text(nonce, encoding="ascii")
        try:
            found = [row[0] for row in self.session.read.text(escaped(url(file))).collect()]
        except Exception:
            found = []
        file.unlink()
        if found != [nonce]:
            raise _not_shared()


def _refuse_other_table(table: str, earlier: CatalogTable | None, rows: DataFrame) -> None:
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
        "Spark cannot access the publication folder.",
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
