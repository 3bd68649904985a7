"""Where a plan publishes, what is there now, and whether it may be replaced."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sqlanon.errors import PlanError, PublishError
from sqlanon.plan.checks import reads_file
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Destination, values_place
from sqlanon.publication.manifest import MANIFEST
from sqlanon.source.files import read_tables


def publications(plan: Plan) -> list[Destination]:
    """What a plan publishes: its rows, then its values if they are in a separate table."""
    return [plan.publish, *([plan.publish.of_values] if plan.form.apart else [])]


def staged_names(plan: Plan) -> list[str]:
    """Names of the files in the target folder to which SQL writes these."""
    rows = f"staged.{'csv' if plan.publish.is_csv else 'parquet'}"
    return [rows, values_place(rows)][: len(publications(plan))]


def final_place(plan: Plan) -> Path | None:
    """The file that is replaced; a folder if there are two; None for a table of a connection."""
    path = plan.publish.database or plan.publish.path
    if path is None:
        return None
    final = plan.folder / path
    return final.parent if _is_folder(plan) else final


def _is_folder(plan: Plan) -> bool:
    """Whether the publication is two files, in a folder that is replaced as one."""
    is_file = plan.publish.path is not None and plan.publish.database is None
    return is_file and plan.form.apart is not None


def check_place(plan: Plan, target: Path, inputs: Sequence[Path]) -> None:
    """Check that publishing files replaces no input, and no folder with other files."""
    where, final = plan.where("publish"), final_place(plan)
    # A pattern of a query would match the publication from the next run on.
    patterns = [source for source in read_tables(plan) if source.is_pattern]
    for place in publications(plan) if final is not None else ():
        name = place.database or place.path or ""
        file = plan.folder / name
        is_matched = any(reads_file(plan.folder, source, name) for source in patterns)
        if is_matched or any(is_same(file, read) for read in inputs):
            raise PlanError(
                f"'{name}' is read by the plan; publishing would replace it.",
                where=where,
                fix="publish to another file",
            )
        if Path(os.path.realpath(file)).is_relative_to(os.path.realpath(target)):
            raise PlanError(
                "The publication would be in the target folder, which contains working files.",
                where=where,
                fix=f"publish outside of '{target.name}/'",
            )
    if final is None or not os.path.lexists(final) or not _is_folder(plan):
        return
    if os.path.ismount(final):
        raise mount_point(plan, final)
    if _others_in(plan, final):
        raise PublishError(
            f"'{final.name}' contains other files; a publication of two tables is a folder that is"
            " replaced as a whole.",
            where=where,
            fix="publish into a folder of its own",
        )


def mount_point(plan: Plan, final: Path) -> PublishError:
    """The error for a place that no rename can replace."""
    return PublishError(
        f"'{final.name}' is a mount point, which cannot be replaced as a whole.",
        where=plan.where("publish"),
        fix=f"publish to a place inside of it, such as '{final.name}/published/…'"
        if _is_folder(plan)
        else "mount its folder instead of the file, or publish to another place",
    )


def check_existing(
    plan: Plan, target: Path, found: Sequence[str | None], *, overwrite: bool
) -> None:
    """Check that the final place is empty, or has an earlier publication of the plan."""
    is_empty = all(digest is None for digest in found)
    if overwrite or is_empty or list(found) == published_digests(plan, target / MANIFEST):
        return
    shown = plan.publish.table or plan.publish.path
    raise PublishError(
        f"'{shown}' already exists, and is not an unchanged earlier publication of this plan.",
        where=plan.where("publish"),
        fix="publish to another place, or give --overwrite to replace it",
    )


def published_digests(plan: Plan, manifest: Path) -> list[str | None]:
    """The digests in a manifest for the place where the plan publishes."""
    try:
        entry: Any = json.loads(manifest.read_text(encoding="utf-8"))["published"]
        if entry["path"] != (plan.publish.path or plan.publish.table):
            return []
        found = [entry["sha256"]]
        if plan.form.apart:
            found.append(entry["values"]["sha256"])
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return found


def _others_in(plan: Plan, folder: Path) -> bool:
    """Whether the folder that is replaced as a whole contains anything but the publication."""
    ours = {Path(place.path or "").name for place in publications(plan)}
    return not folder.is_dir() or any(
        entry.name not in ours or not entry.is_file() for entry in folder.iterdir()
    )


def is_same(file: Path, other: Path) -> bool:
    """Whether two paths lead to one file."""
    if os.path.realpath(file) == os.path.realpath(other):
        return True
    with contextlib.suppress(OSError):
        return os.path.samefile(file, other)  # another name of one file, such as a hard link
    return False
