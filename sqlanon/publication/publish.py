"""Publishing: proven rows move from a private folder to the plan's place in one atomic step.

The order, and the reasons for it:

1. Before the search, the place is checked: it must not be an input, and it must be empty or have an
   earlier publication according to the manifest, or the caller must ask to overwrite it.
2. The rows are staged in a folder that no other user can read. Their digest is taken before the
   proof, and compared afterwards.
3. The publication is prepared next to its place, and what describes it (`Ready`: manifest, program,
   solution and others) in the folder of the run. Publication and manifest are synced to disk.
   Nothing that a reader can see has changed yet.
4. One rename (of a file, or of a folder if a publication is two files), or one transaction, puts
   the publication in place. Further renames put what describes it in place, the manifest last; if
   one fails, the earlier publication is restored with all that described it.

A process that is stopped or killed between these renames leaves the new publication, complete and
proven. The rest is put in place when the folder of the run is removed: at the end of a run that was
stopped, and by the next run after one that was killed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb

from sqlanon.boundary.files import EARLIER, swapped, sync_file, sync_folder
from sqlanon.boundary.locks import BESIDE, private_folder
from sqlanon.engines.base import RowEngine, StagedRows, drive
from sqlanon.engines.duckdb import engine_error
from sqlanon.engines.tables import (
    WHERE_TABLES_FAIL,
    build_database,
    existing_digest,
    fold_log,
    holds_others,
    update_database,
)
from sqlanon.errors import EngineError, PrivacyViolation, PublishError
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Destination
from sqlanon.proof.publication import file_relation
from sqlanon.publication.manifest import described
from sqlanon.publication.place import (
    check_existing,
    final_place,
    mount_point,
    publications,
    published_digests,
)
from sqlanon.publication.ready import NotRestoredError, Ready

Undo = Callable[[], None]


class Publishing:
    """The staged rows of a run, which an engine has, until they are published."""

    def __init__(self, plan: Plan, copies: Mapping[str, Destination], engine: RowEngine) -> None:
        self._plan, self._copies, self._engine = plan, copies, engine
        self._relations = [file_relation(path) for path in copies]
        self._staged: list[StagedRows] = []

    def check(self, target: Path, *, overwrite: bool) -> None:
        """Check that publishing replaces nothing that sqlanon did not write; see `place.py`."""
        found = [self._engine.existing_digest(place) for place in self._copies.values()]
        check_existing(self._plan, target, found, overwrite=overwrite)

    def seal(self) -> None:
        """Take the digests of the staged rows, before they are proven."""
        self._staged = self._engine.staged(self._copies, self._relations)

    def entries(self) -> list[dict[str, Any]]:
        """The digest, rows and columns of every staged table, as in the manifest."""
        place = self._plan.publish
        keeps_types = self._plan.engine.path_becomes == "file" and (
            place.path is None or place.database is not None
        )
        entries = []
        for each, relation in zip(self._staged, self._relations, strict=True):
            entry = drive(self._engine, described(relation, in_database=keeps_types))
            if each.of_rows:
                entry["rows_sha256"] = each.sha256
            entries.append({"sha256": each.sha256, **entry})
        return entries

    def publish(self, ready: Ready, manifest: Callable[[], str]) -> None:
        """Replace the earlier publication by the proven rows, and what describes it.

        Args:
            ready: what describes the proven rows, but for the manifest.
            manifest: returns the text of the manifest; called when only the renames are left.

        Raises:
            PublishError: the earlier publication is unchanged, unless the message says otherwise.
        """
        if not self._engine.is_unchanged(self._staged):
            raise _changed_rows()
        plan, staged = self._plan, self._staged
        final = final_place(plan) if plan.engine.path_becomes == "file" else None
        try:
            if final is None:
                _put(ready, manifest, lambda: self._engine.publish(staged))
            else:
                _publish_files(final, plan, staged, ready, manifest)
        except NotRestoredError as error:
            raise PublishError(
                "The publication could not be written, and a part of the earlier one or of what"
                f" describes it could not be put back ({error.strerror}).",
                where=plan.where("publish"),
                fix="make the folder writable, and the disk free; then run again with --overwrite",
            ) from error
        except OSError as error:
            if error.errno == errno.EBUSY and final is not None:  # also a mount that Python misses
                raise mount_point(plan, final) from error
            raise _not_written(
                plan,
                type(error).__name__,
                "check that the folder exists and is writable, and that the disk has free space",
            ) from error
        except EngineError as error:
            raise _not_written(plan, error.what, error.fix) from error
        except duckdb.Error as error:
            refused = engine_error(error, "publish")
        else:
            return
        raise _not_written(plan, refused.what, WHERE_TABLES_FAIL) from refused


def recovered(
    plan: Plan, place_of: Callable[[str], Path], connection: duckdb.DuckDBPyConnection | None
) -> Callable[[Path], None]:
    """What puts the description of a publication in place, if the publication is.

    It is called with the folder of a run that was stopped or killed.
    """

    def recover(folder: Path) -> None:
        ready = Ready(folder, place_of)
        if not ready.manifest.is_file():
            return
        earlier, final = folder / EARLIER, final_place(plan)
        if final is not None and earlier.is_dir() and not os.path.lexists(final):
            os.rename(earlier, final)  # killed where folders cannot be exchanged at once
        found = [existing_digest(plan.folder, each, connection) for each in publications(plan)]
        if any(found) and found == published_digests(plan, ready.manifest):
            ready.put()

    return recover


def _publish_files(
    final: Path,
    plan: Plan,
    staged: Sequence[StagedRows],
    ready: Ready,
    manifest: Callable[[], str],
) -> None:
    with contextlib.ExitStack() as beside:
        final.parent.mkdir(parents=True, exist_ok=True)
        private = ready.private
        if _is_mounted_apart(private, final.parent):
            private = beside.enter_context(private_folder(final.parent, BESIDE))
        names = [each.place.parts for each in staged]
        if plan.publish.database is not None:
            fold_log(final)
        if plan.publish.database is not None and final.is_file() and holds_others(final, names):
            _put(ready, manifest, lambda: update_database(final, staged))
            return
        made = _made_ready(plan, staged, private)
        _keep_mode(final, made)
        _put(ready, manifest, lambda: swapped(made, final, private))


def _put(
    ready: Ready, manifest: Callable[[], str], replace_earlier: Callable[[], Undo | None]
) -> None:
    """Put a publication in place, and then what describes it; the manifest is prepared before.

    Args:
        replace_earlier: all or nothing; what restores the earlier one, None for a transaction.
    """
    ready.complete(manifest())
    undo = replace_earlier()
    try:
        ready.put()
    except OSError as error:
        if undo is not None:
            try:
                undo()
            except OSError as failed:
                raise NotRestoredError(failed.errno, failed.strerror) from failed
            raise
        raise PublishError(
            f"The new rows are published, but their manifest could not be written"
            f" ({type(error).__name__}).",
            where=ready.manifest.name,
            fix="make the target folder writable, then run again with --overwrite",
        ) from error


def _not_written(plan: Plan, why: str, fix: str) -> PublishError:
    return PublishError(
        f"The publication could not be written; the earlier one is unchanged. {why}",
        where=plan.where("publish"),
        fix=fix,
    )


def _is_mounted_apart(folder: Path, other: Path) -> bool:
    """Whether no rename leads from one folder to the other, also on one device.

    Linux refuses such a rename before it looks for the file, so the name of none is enough.
    """
    if os.stat(folder).st_dev != os.stat(other).st_dev:
        return True
    none = f"{folder.name}.none"
    try:
        os.rename(folder / none, other / none)
    except OSError as error:
        return error.errno == errno.EXDEV
    return False


def _made_ready(plan: Plan, staged: Sequence[StagedRows], private: Path) -> Path:
    """The complete publication, on the disk of its final place."""
    if plan.publish.database is not None:
        ready = private / "published.duckdb"
        build_database(ready, staged)
        sync_file(ready)
        return ready
    files = []
    folder = private / "published"
    folder.mkdir()
    for each in staged:
        file = folder / Path(each.place.path or "").name
        if private in each.file.parents:
            os.rename(each.file, file)
        else:
            shutil.copyfile(each.file, file)
        sync_file(file)
        files.append(replace(each, file=file))
    if not all(each.is_unchanged for each in files):
        raise _changed_rows()
    if len(files) == 1:
        return files[0].file
    sync_folder(folder)
    folder.chmod(0o755)
    return folder


def _keep_mode(final: Path, ready: Path) -> None:
    """Keep the file modes: the same users can read the new publication as the earlier one."""
    pairs = [(final, ready)]
    if ready.is_dir():
        pairs += [(final / file.name, file) for file in ready.iterdir()]
    for old, new in pairs:
        with contextlib.suppress(FileNotFoundError):
            mode = os.stat(old).st_mode & 0o777
            os.chmod(new, mode)


def _changed_rows() -> PrivacyViolation:
    return PrivacyViolation(
        "The staged rows changed after they were proven.",
        where="publish",
        fix="find out what else writes to the target folder, or to the place of the publication;"
        " nothing was published",
    )
