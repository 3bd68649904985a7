"""Where a plan publishes, what stands there, and whether it may be replaced."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from sqlanon.engines.tables import database_digests, standing_digest
from sqlanon.errors import PlanError, PrivacyViolation, PublishError
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Destination, values_place
from sqlanon.publication.manifest import MANIFEST
from sqlanon.system.files import sha256_of


@dataclass(frozen=True)
class Staged:
    """Rows that wait for their proof.

    Attributes:
        place: where they are to be published.
        file: where they wait.
        sha256: digest of the file, taken before the proof.
    """

    place: Destination
    file: Path
    sha256: str


def publications(plan: Plan) -> list[Destination]:
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
    if found == published_digests(plan, target / MANIFEST):
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
    names = [table_name(place) for place in publications(plan)]
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


def table_name(place: Destination) -> tuple[str, ...]:
    """The parts of a table's name, with the database where it has one."""
    whole = place.database_table if place.database is not None else place.table or ""
    return tuple(whole.split("."))


def published_digests(plan: Plan, manifest: Path) -> list[str | None]:
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
