"""Finds the files of a plan's hierarchies, in the plan's folder or among the shipped ones."""

from __future__ import annotations

import os.path
from collections.abc import Sequence
from pathlib import Path

from sqlanon.boundary.files import write_whole
from sqlanon.boundary.locks import claim
from sqlanon.boundary.part import validated
from sqlanon.boundary.text import is_regular, plain_content
from sqlanon.errors import PlanError, did_you_mean, united
from sqlanon.hierarchies import RuleFile
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.plan.plan import Plan
from sqlanon.plan.yaml_file import parse, read_text
from sqlanon.sql.queries import plan_query
from sqlanon.sql.render import shipped


def resolve_hierarchies(
    plan: Plan, copies: Path | None, only: str | None = None
) -> dict[str, Hierarchy]:
    """The plan's hierarchies, with their files found, inspected, and named as in SQL.

    Args:
        plan: the plan of the hierarchies.
        copies: folder in the target folder that shipped hierarchies are copied to, so that a
            program can name them relative to the plan; None copies nothing.
        only: the column whose hierarchy alone is wanted; None for all.

    Raises:
        PlanError: has every file that is missing or does not contain a hierarchy.
        PublishError: the target folder has files of somebody else.
    """
    found, faults = {}, []
    for name, hierarchy in plan.hierarchies.items():
        if only not in (None, name):
            continue
        try:
            found[name] = _resolved(plan, name, hierarchy, copies)
        except PlanError as error:
            faults.append(error)
    if faults:
        raise united(faults)
    return found


def _resolved(plan: Plan, name: str, hierarchy: Hierarchy, copies: Path | None) -> Hierarchy:
    if not hierarchy.file_path:
        return hierarchy
    where = plan.where("columns", name, "hierarchy")
    found = plan.folder / hierarchy.file_path
    in_sql = hierarchy.file_path
    is_shipped = not is_regular(found)
    if is_shipped:
        root = shipped("hierarchies").resolve()
        found = Path(os.path.realpath(root / hierarchy.file_path))
        if not is_regular(found) or not found.is_relative_to(root):
            near = [
                *_suggested(plan.folder, hierarchy.endings),
                *_suggested(root, hierarchy.endings, "**/"),
            ]
            raise PlanError(
                f"The hierarchy file '{hierarchy.file_path}' was not found in the plan's folder or"
                " among the shipped hierarchies.",
                where=where,
                fix=did_you_mean(hierarchy.file_path, near)
                or "check the path; it is relative to the plan's folder",
            )
        in_sql = found.as_posix()
    is_rule = hierarchy.may_name_rule and found.suffix in (".yml", ".yaml")
    if is_shipped and copies is not None and not is_rule:
        place, content = copies / hierarchy.file_path, found.read_bytes()
        claim(copies.parent)
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.is_file() or place.read_bytes() != content:
            write_whole(place, content)
        in_sql = relative(place, plan.folder)
    try:
        return _rule_of_file(found) if is_rule else hierarchy.looked_at(found, in_sql, where)
    except (OSError, UnicodeDecodeError) as error:
        kind = type(error).__name__
    raise PlanError(  # outside of the handler: a UnicodeDecodeError holds what it could not read
        f"The hierarchy file '{hierarchy.file_path}' cannot be read ({kind}).",
        where=where,
        fix=f"a hierarchy file is {hierarchy.form}",
    )


def _suggested(folder: Path, endings: Sequence[str], below: str = "") -> list[str]:
    """Files that could be hierarchies, for suggestions."""
    found = [f for ending in endings for f in folder.glob(f"{below}*.{ending}")]
    return [f.relative_to(folder).as_posix() for f in found]


def _rule_of_file(path: Path) -> Hierarchy:
    around = "hierarchy"
    rule, places = parse(read_text(path), path.name, (around,))
    content = plain_content({around: rule}, places)
    hierarchy = validated(RuleFile, content, places).hierarchy
    if hierarchy.file_path:
        raise PlanError(
            "This file only names another file.",
            where=places.where((around,)),
            fix="name that file in the plan, or write a rule here, such as {mask: right}",
        )
    if hierarchy.select:
        plan_query(hierarchy.select, places.where((around,)))
    return hierarchy


def relative(path: Path, folder: Path) -> str:
    """The path as SQL text names it: relative to the plan's folder, with forward slashes."""
    return Path(os.path.relpath(*map(os.path.realpath, (path, folder)))).as_posix()
