"""Publishing: from proven rows in a private folder to the place that the plan names, in one step.

The order, and why:

1. Before the search, the place is looked at: it must not be an input, and what stands there must be
   an earlier publication, as the manifest says, or the caller must ask to overwrite it.
2. The rows are staged in a folder that nobody else can look into. Their digest is taken before the
   proof, and compared afterwards.
3. The publication is made ready beside its place, and the manifest beside the earlier one, both on
   the disk to the last byte. Nothing that a reader can see has changed yet.
4. One rename (of a file, or of a folder where a publication is two files), or one transaction, puts
   the publication in place. Another rename puts the manifest in place; if that fails, the earlier
   publication is put back.

A process that is stopped or killed between the two renames leaves the new publication, complete and
proven. Its manifest is put in place when the run's folder is removed: at the end of a run that is
stopped, and by the next run where one was killed.
"""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import errno
import json
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from sqlanon.claims import private_folder
from sqlanon.engines import Engine, StagedTable
from sqlanon.engines.duckdb import engine_error
from sqlanon.engines.tables import (
    build_database,
    database_digests,
    holds_others,
    standing_digest,
    update_database,
)
from sqlanon.errors import EngineError, PlanError, PrivacyViolation, PublishError
from sqlanon.files import sha256_of, sync_file, sync_folder
from sqlanon.manifest import MANIFEST
from sqlanon.plan import Plan, Publication, values_place

BESIDE = ".sqlanon_"
"""How the names of private folders begin, beside a publication on another disk than the target."""


@dataclass(frozen=True)
class Staged:
    """Rows that wait for their proof.

    Attributes:
        place: where they are to be published.
        file: where they wait.
        sha256: digest of the file, taken before the proof.
    """

    place: Publication
    file: Path
    sha256: str


def publications(plan: Plan) -> list[Publication]:
    """What a plan publishes: its rows, then values where they stand in a table of their own."""
    return [plan.publish, *([plan.publish.of_values] if plan.separates_sensitive else [])]


def staged_names(plan: Plan) -> list[str]:
    """Names of the files, in the target folder, that SQL writes these to."""
    rows = f"staged.{'csv' if plan.publish.is_csv else 'parquet'}"
    return [rows, values_place(rows)][: len(publications(plan))]


def final_place(plan: Plan) -> Path | None:
    """The file that is renamed; a folder where there are two; None for a connection's table."""
    path = plan.publish.database or plan.publish.path
    if path is None:
        return None
    final = plan.folder / path
    return final.parent if _is_folder(plan) else final


def _is_folder(plan: Plan) -> bool:
    """Whether the publication is two files, in a folder that is replaced as one."""
    is_file = plan.publish.path is not None and plan.publish.database is None
    return is_file and plan.separates_sensitive


def check_place(
    plan: Plan,
    target: Path,
    inputs: Sequence[Path],
    connection: duckdb.DuckDBPyConnection | None,
    *,
    overwrite: bool,
) -> None:
    """Nothing is lost by publishing: no input, and nothing that sqlanon did not write.

    Args:
        inputs: files that the plan reads, the plan's own file and the solution among them.
        overwrite: whether what stands at the place may be replaced, whatever it is.

    Raises:
        PlanError: the place is an input, or lies in the target folder.
        PublishError: something stands there that is no earlier publication of the plan.
    """
    where, final = plan.where("publish"), final_place(plan)
    for place in publications(plan) if final is not None else ():
        file = plan.folder / (place.database or place.path or "")
        for read in inputs:
            if _is_same(file, read):
                raise PlanError(
                    f"'{place.database or place.path}' is read by the plan; publishing would"
                    " replace it.",
                    where=where,
                    fix="publish to another file",
                )
        if _within(file, target):
            raise PlanError(
                "The publication would lie in the target folder, which holds working files.",
                where=where,
                fix=f"publish outside of '{target.name}/'",
            )
    if final is not None and not os.path.lexists(final):
        return
    if final is not None and _is_folder(plan) and _others_in(plan, final):
        raise PublishError(
            f"'{final.name}' holds other files; a publication of two tables is a folder, which is"
            " replaced as one.",
            where=where,
            fix="publish into a folder of its own",
        )
    found = standing(plan, connection)
    if overwrite or all(digest is None for digest in found):
        return
    if found == _published_digests(plan, target / MANIFEST):
        return
    shown = plan.publish.table or plan.publish.path
    raise PublishError(
        f"'{shown}' is there already, and is no earlier publication of this plan that is as it was"
        " published.",
        where=where,
        fix="publish to another place, or give --overwrite to replace it",
    )


def standing(plan: Plan, connection: duckdb.DuckDBPyConnection | None) -> list[str | None]:
    """Digests of what stands where the plan publishes; empty if unmarked, None for nothing."""
    names = [_name(place) for place in publications(plan)]
    if plan.publish.table is not None:
        return [standing_digest(connection, name) for name in names] if connection else []
    if plan.publish.database is not None:
        file = plan.folder / plan.publish.database
        if not file.is_file():
            return [None] * len(names)
        try:
            return database_digests(file, names)
        except duckdb.Error:
            return [""]  # no database, or one that another program writes to
    files = [plan.folder / (place.path or "") for place in publications(plan)]
    return [
        None if not os.path.lexists(file) else sha256_of(file) if file.is_file() else ""
        for file in files
    ]


def _name(place: Publication) -> tuple[str, ...]:
    whole = place.database_table if place.database is not None else place.table or ""
    return tuple(whole.split("."))


def _published_digests(plan: Plan, manifest: Path) -> list[str | None]:
    """The digests that a manifest names for the place where the plan publishes."""
    try:
        told: Any = json.loads(manifest.read_text(encoding="utf-8"))["published"]
        if told["path"] != (plan.publish.path or plan.publish.table):
            return []
        found = [told["sha256"]]
        if plan.separates_sensitive:
            found.append(told["values"]["sha256"])
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return found


def _others_in(plan: Plan, folder: Path) -> bool:
    """Whether the folder that is replaced as one holds anything but the publication."""
    ours = {Path(place.path or "").name for place in publications(plan)}
    return not folder.is_dir() or any(
        entry.name not in ours or not entry.is_file() for entry in folder.iterdir()
    )


def _is_same(file: Path, other: Path) -> bool:
    if os.path.realpath(file) == os.path.realpath(other):
        return True
    with contextlib.suppress(OSError):
        return os.path.samefile(file, other)  # another name of one file, such as a hard link
    return False


def _within(file: Path, folder: Path) -> bool:
    return Path(os.path.realpath(file)).is_relative_to(os.path.realpath(folder))


def recovered(
    plan: Plan, target: Path, connection: duckdb.DuckDBPyConnection | None
) -> Callable[[Path], None]:
    """What to do with the folder of a run that was stopped or killed: put its manifest in place, if
    its publication is."""

    def recover(folder: Path) -> None:
        if not (folder / MANIFEST).is_file():
            return
        earlier, final = folder / _EARLIER, final_place(plan)
        if final is not None and earlier.is_dir() and not os.path.lexists(final):
            os.rename(earlier, final)  # killed where folders cannot be exchanged at once
        found = standing(plan, connection)
        if found and found == _published_digests(plan, folder / MANIFEST):
            os.replace(folder / MANIFEST, target / MANIFEST)

    return recover


def unchanged(staged: Sequence[Staged]) -> None:
    """The staged files are the very bytes that were proven.

    Raises:
        PrivacyViolation: they are not.
    """
    for each in staged:
        is_ours = each.file.is_file() and not each.file.is_symlink()
        if not is_ours or sha256_of(each.file) != each.sha256:
            raise PrivacyViolation(
                "The staged rows changed after they were proven.",
                where="publish",
                fix="find out what else writes to the target folder; nothing was published",
            )


def publish(
    engine: Engine, plan: Plan, staged: Sequence[Staged], private: Path, manifest: Callable[[], str]
) -> None:
    """Put proven rows, and then their manifest, in the place of the earlier ones.

    Args:
        private: the run's folder, below the target folder.
        manifest: its text, asked for when all is ready but the last renames.

    Raises:
        PublishError: the place cannot be written; the earlier publication is as it was, unless the
            message says otherwise.
    """
    final = final_place(plan)
    try:
        with contextlib.ExitStack() as beside:
            if final is None:
                _publish_tables(plan, staged, private, manifest, engine.replace_tables)
                return
            final.parent.mkdir(parents=True, exist_ok=True)
            room = private
            if os.stat(private).st_dev != os.stat(final.parent).st_dev:
                room = beside.enter_context(private_folder(final.parent, BESIDE))
            if plan.publish.database is not None and _shares(final, staged):

                def update(tables: Sequence[StagedTable]) -> None:
                    update_database(final, tables)

                _publish_tables(plan, staged, private, manifest, update)
                return
            ready = _made_ready(plan, staged, room)
            _keep_mode(final, ready)
            _write_manifest(private, manifest)
            undo = _swap(ready, final, room)
            try:
                _put_manifest(private)
            except OSError:
                undo()
                raise
    except OSError as error:
        raise PublishError(
            f"The publication could not be written ({type(error).__name__}); the earlier one is"
            " untouched.",
            where=plan.where("publish"),
            fix="check that the folder exists, is writable, and has room",
        ) from error
    except EngineError as error:
        raise _table_error(plan) from error
    except duckdb.Error as error:
        refused = engine_error(error, "publish")
    else:
        return
    raise _table_error(plan) from refused


def _table_error(plan: Plan) -> PublishError:
    name = plan.publish.table or plan.publish.path
    return PublishError(
        f"DuckDB could not write the table '{name}'; the earlier one is untouched.",
        where=plan.where("publish"),
        fix="close other programs that use the file, check that no view has this name and that the"
        " disk has room",
    )


def _shares(file: Path, staged: Sequence[Staged]) -> bool:
    """Whether a DuckDB file holds more than the publication, and so cannot be replaced."""
    return file.is_file() and holds_others(file, [_name(each.place) for each in staged])


def _tables(staged: Sequence[Staged]) -> list[StagedTable]:
    return [StagedTable(_name(each.place), each.file, each.sha256) for each in staged]


def _publish_tables(
    plan: Plan,
    staged: Sequence[Staged],
    private: Path,
    manifest: Callable[[], str],
    replace: Callable[[Sequence[StagedTable]], None],
) -> None:
    """Publish by a transaction, which cannot be undone: the manifest is as ready as can be."""
    _write_manifest(private, manifest)
    replace(_tables(staged))
    try:
        _put_manifest(private)
    except OSError as error:
        raise PublishError(
            f"The new rows are published, but their manifest could not be written"
            f" ({type(error).__name__}).",
            where=MANIFEST,
            fix="make the target folder writable, then run again with --overwrite",
        ) from error


def _made_ready(plan: Plan, staged: Sequence[Staged], room: Path) -> Path:
    """The publication, whole, on the disk of its place."""
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
    """Who could read the earlier publication can read the new one, and nobody else."""
    pairs = [(final, ready)]
    if ready.is_dir():
        pairs += [(final / file.name, file) for file in ready.iterdir()]
    for old, new in pairs:
        with contextlib.suppress(FileNotFoundError):
            mode = os.stat(old).st_mode & 0o777
            os.chmod(new, mode)


_EARLIER = "earlier"


def _swap(ready: Path, final: Path, room: Path) -> Callable[[], None]:
    """Put what is ready in its place; what is returned puts the earlier back."""
    earlier = room / _EARLIER
    if not os.path.lexists(final):
        os.rename(ready, final)

        def undo() -> None:
            os.rename(final, ready)

    elif ready.is_dir():
        if _exchange(ready, final):

            def undo() -> None:
                _exchange(ready, final)

        else:
            os.rename(final, earlier)
            try:
                os.rename(ready, final)
            except OSError:
                os.rename(earlier, final)
                raise

            def undo() -> None:
                os.rename(final, ready)
                os.rename(earlier, final)

    else:
        with contextlib.suppress(OSError):  # without hard links the earlier cannot be put back
            os.link(final, earlier, follow_symlinks=False)
        os.replace(ready, final)

        def undo() -> None:
            if os.path.lexists(earlier):
                os.replace(earlier, final)

    sync_folder(final.parent)
    return undo


def _exchange(first: Path, second: Path) -> bool:
    """Exchange two folders at once; False where the system cannot."""
    library = ctypes.CDLL(ctypes.util.find_library("c"), use_errno=True)
    names = os.fsencode(first), os.fsencode(second)
    here, swap = -100, 2  # AT_FDCWD, RENAME_EXCHANGE and RENAME_SWAP
    if sys.platform == "darwin" and hasattr(library, "renamex_np"):
        failed = library.renamex_np(*names, swap)
    elif hasattr(library, "renameat2"):
        failed = library.renameat2(here, names[0], here, names[1], swap)
    else:
        return False
    if failed and ctypes.get_errno() not in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(second))
    return not failed


def _write_manifest(private: Path, manifest: Callable[[], str]) -> None:
    """The manifest beside the earlier one, on the disk; a place that takes no file is found now."""
    if (private.parent / MANIFEST).is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), MANIFEST)
    (private / MANIFEST).write_text(manifest(), encoding="utf-8")
    sync_file(private / MANIFEST)


def _put_manifest(private: Path) -> None:
    os.replace(private / MANIFEST, private.parent / MANIFEST)
    sync_folder(private.parent)
