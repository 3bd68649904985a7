"""Publishing: one atomic step from proven staged rows to the place that the plan names."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from pathlib import Path

from sqlanon.engines import Engine
from sqlanon.errors import PublishError
from sqlanon.plan import Plan

STAGED = "staged"
"""Stem of the file, in the target folder, that holds rows until they are proven."""


def staged_file(plan: Plan, target: Path) -> Path:
    """Where rows wait for their proof; never where anybody looks for a publication."""
    return target / f"{STAGED}.{'csv' if plan.publish.is_csv else 'parquet'}"


def sha256_of(path: Path) -> str:
    """Digest of a file."""
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def publish(engine: Engine, plan: Plan, staged: Path) -> None:
    """Put the staged rows in the place of the earlier publication, all or nothing.

    Raises:
        PublishError: the place cannot be written; the earlier publication is untouched.
    """
    publication = plan.publish
    if publication.path is None or publication.database is not None:
        engine.publish_table(plan, staged)
        staged.unlink()
        return
    final = plan.folder / publication.path
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
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
    except OSError as error:
        raise PublishError(
            f"The publication could not be written ({type(error).__name__}).",
            where=plan.where("publish"),
            fix="check that the folder exists, is writable, and has room",
        ) from error
