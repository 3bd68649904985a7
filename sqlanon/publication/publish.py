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
from collections.abc import Callable, Sequence
from pathlib import Path

import duckdb

from sqlanon.engines.base import StagedTable
from sqlanon.engines.duckdb import DuckDBEngine
from sqlanon.engines.duckdb_errors import engine_error
from sqlanon.engines.tables import build_database, holds_others, update_database
from sqlanon.errors import EngineError, PublishError
from sqlanon.plan.plan import Plan
from sqlanon.publication.place import (
    Staged,
    final_place,
    mount_point,
    published_digests,
    standing,
    table_name,
    unchanged,
)
from sqlanon.publication.ready import Ready
from sqlanon.system.files import sync_file, sync_folder
from sqlanon.system.locks import BESIDE, private_folder
from sqlanon.system.swap import EARLIER, swapped


def recovered(
    plan: Plan, place_of: Callable[[str], Path], connection: duckdb.DuckDBPyConnection | None
) -> Callable[[Path], None]:
    """A function for the folder of a run that was stopped or killed.

    It puts what describes the publication in place if the publication is.

    Args:
        place_of: see `Ready`.
    """

    def recover(folder: Path) -> None:
        ready = Ready(folder, place_of)
        if not ready.manifest.is_file():
            return
        earlier, final = folder / EARLIER, final_place(plan)
        if final is not None and earlier.is_dir() and not os.path.lexists(final):
            os.rename(earlier, final)  # killed where folders cannot be exchanged at once
        found = standing(plan, connection)
        if found and found == published_digests(plan, ready.manifest):
            ready.put()

    return recover


def publish(
    engine: DuckDBEngine,
    plan: Plan,
    staged: Sequence[Staged],
    ready: Ready,
    manifest: Callable[[], str],
) -> None:
    """Replace the earlier publication with the proven rows, and what describes it.

    Args:
        ready: what describes the proven rows, but for the manifest.
        manifest: returns the text of the manifest; called when only the renames are left.

    Raises:
        PublishError: the place cannot be written; the earlier publication is unchanged, unless the
            message says otherwise.
    """
    final = final_place(plan)
    try:
        with contextlib.ExitStack() as beside:
            if final is None:
                publish_tables(ready, manifest, lambda: engine.replace_tables(_tables(staged)))
                return
            final.parent.mkdir(parents=True, exist_ok=True)
            room = ready.private
            if _is_mounted_apart(room, final.parent):
                room = beside.enter_context(private_folder(final.parent, BESIDE))
            if plan.publish.database is not None and _shares(final, staged):
                place = final
                publish_tables(ready, manifest, lambda: update_database(place, _tables(staged)))
                return
            made = _made_ready(plan, staged, room)
            _keep_mode(final, made)
            ready.complete(manifest())
            undo = swapped(made, final, room)
            try:
                ready.put()
            except OSError:
                undo()
                raise
    except OSError as error:
        if error.errno == errno.EBUSY and final is not None:  # also a mount that Python misses
            raise mount_point(plan, final) from error
        raise PublishError(
            f"The publication could not be written ({type(error).__name__}); the earlier one is"
            " unchanged.",
            where=plan.where("publish"),
            fix="check that the folder exists and is writable, and that the disk has free space",
        ) from error
    except EngineError as error:
        raise _table_error(plan) from error
    except duckdb.Error as error:
        refused = engine_error(error, "publish")
    else:
        return
    raise _table_error(plan) from refused


def _is_mounted_apart(folder: Path, other: Path) -> bool:
    """Whether no rename leads from one folder to the other.

    They may be on one device: a volume of a container is. Linux refuses such a rename before it
    looks for the file, so the name of none is enough to find out.
    """
    if os.stat(folder).st_dev != os.stat(other).st_dev:
        return True
    none = f"{folder.name}.none"
    try:
        os.rename(folder / none, other / none)
    except OSError as error:
        return error.errno == errno.EXDEV
    return False


def _table_error(plan: Plan) -> PublishError:
    name = plan.publish.table or plan.publish.path
    return PublishError(
        f"DuckDB could not write the table '{name}'; the earlier one is unchanged.",
        where=plan.where("publish"),
        fix="close other programs that use the file, and check that no view has this name and that"
        " the disk has free space",
    )


def _shares(file: Path, staged: Sequence[Staged]) -> bool:
    """Whether a DuckDB file has more than the publication, so that it cannot be replaced."""
    return file.is_file() and holds_others(file, [table_name(each.place) for each in staged])


def _tables(staged: Sequence[Staged]) -> list[StagedTable]:
    return [StagedTable(table_name(each.place), each.file, each.sha256) for each in staged]


def publish_tables(ready: Ready, manifest: Callable[[], str], replace: Callable[[], None]) -> None:
    """Publish by a transaction; it cannot be undone, so the manifest is prepared before it.

    Args:
        ready: what describes the proven rows, but for the manifest.
        manifest: returns the text of the manifest.
        replace: replaces the earlier tables by the staged rows, all or nothing.

    Raises:
        PublishError: the rows are published, but the manifest could not be written.
    """
    ready.complete(manifest())
    replace()
    try:
        ready.put()
    except OSError as error:
        raise PublishError(
            f"The new rows are published, but their manifest could not be written"
            f" ({type(error).__name__}).",
            where=ready.manifest.name,
            fix="make the target folder writable, then run again with --overwrite",
        ) from error


def _made_ready(plan: Plan, staged: Sequence[Staged], room: Path) -> Path:
    """The complete publication, on the disk of its final place."""
    if plan.publish.database is not None:
        ready = room / "published.duckdb"
        build_database(ready, _tables(staged))
        sync_file(ready)
        return ready
    files = []
    folder = room / "published"
    folder.mkdir()
    for each in staged:
        file = folder / Path(each.place.path or "").name
        if room in each.file.parents:
            os.rename(each.file, file)
        else:
            shutil.copyfile(each.file, file)
        sync_file(file)
        files.append(Staged(each.place, file, each.sha256))
    unchanged(files)
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
