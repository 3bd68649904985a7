"""Publishing: one step from proven staged rows to the place that the plan names."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from sqlanon.engines import Engine
from sqlanon.errors import PublishError
from sqlanon.plan import Plan, Publication, values_place

STAGED = "staged"
"""Stem of the file, in the target folder, that holds rows until they are proven."""


def staged_files(plan: Plan, target: Path) -> list[tuple[Publication, Path]]:
    """What is published, and where its rows wait for their proof; nobody looks for them there.

    Returns:
        the place and the file of each table: of the rows, then of values where they stand apart.
    """
    rows = target / f"{STAGED}.{'csv' if plan.publish.is_csv else 'parquet'}"
    found = [(plan.publish, rows)]
    if plan.separates_sensitive:
        found.append((plan.publish.of_values, Path(values_place(str(rows)))))
    return found


def sha256_of(path: Path) -> str:
    """Digest of a file."""
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def publish(engine: Engine, plan: Plan, staged: Sequence[tuple[Publication, Path]]) -> None:
    """Put the staged rows in the place of the earlier publication, all or nothing.

    Raises:
        PublishError: the place cannot be written; the earlier publication is untouched.
    """
    if plan.publish.path is None or plan.publish.database is not None:
        engine.publish_tables(plan, staged)
        for _, file in staged:
            file.unlink()
        return
    try:
        with contextlib.ExitStack() as undo:
            for place, file in staged:
                final = plan.folder / (place.path or "")
                final.parent.mkdir(parents=True, exist_ok=True)
                if len(staged) > 1:  # the first is put back if the second cannot be written
                    undo.callback(_put_back, final, _kept(final))
                _replace(file, final)
            undo.pop_all()
    except OSError as error:
        raise PublishError(
            f"The publication could not be written ({type(error).__name__}).",
            where=plan.where("publish"),
            fix="check that the folder exists, is writable, and has room",
        ) from error
    for place, _ in staged:
        _beside(plan.folder / (place.path or "")).unlink(missing_ok=True)


def _replace(staged: Path, final: Path) -> None:
    """Rename; where that is not possible, copy first."""
    try:
        os.replace(staged, final)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        beside = final.with_name(f".{final.name}.part")
        try:
            shutil.copyfile(staged, beside)
            os.replace(beside, final)
        finally:
            beside.unlink(missing_ok=True)
        staged.unlink()


def _beside(final: Path) -> Path:
    return final.with_name(f".{final.name}.earlier")


def _kept(final: Path) -> Path | None:
    """A second name of the earlier file, if there is one."""
    beside = _beside(final)
    beside.unlink(missing_ok=True)
    if not final.exists():
        return None
    os.link(final, beside)
    return beside


def _put_back(final: Path, kept: Path | None) -> None:
    if kept is None:
        final.unlink(missing_ok=True)
    else:
        os.replace(kept, final)
