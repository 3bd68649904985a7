"""From a YAML file, or the same content in Python, to a checked plan."""

from __future__ import annotations

import os.path
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlanon.boundary import guarded
from sqlanon.boundary.text import Places, checked_text
from sqlanon.errors import PlanError, brief, did_you_mean
from sqlanon.plan.plan import Examined, Plan, checked_name, checked_stem, examined
from sqlanon.plan.tables import SOURCE_DATA
from sqlanon.plan.yaml_file import Overrides, parse, read_text


@guarded
def load_plan(
    plan: str | Path | Mapping[str, Any] | Plan,
    overrides: Overrides = (),
    *,
    name: str | None = None,
) -> Plan:
    """The checked plan of a YAML file or of a mapping with the same keys.

    Args:
        plan: path or content, or a checked plan, which is returned as it is if nothing is set.
        overrides: keys to set before checking: a mapping such as {"suppression.limit": 0.05}, or
            `key=value` texts, whose values are YAML.
        name: of the plan, after which its solution file and its target folder are called. By
            default that of its file, or for a mapping, which has none, of what it publishes.

    Raises:
        PlanError: says what is wrong in which file, line and key, and how to fix it.
    """
    return examine_plan(plan, overrides, name=name).checked


def examine_plan(
    plan: str | Path | Mapping[str, Any] | Plan,
    overrides: Overrides = (),
    *,
    name: str | None = None,
) -> Examined:
    """The plan, and all faults of keys that do not fit each other; see `load_plan`."""
    called = "" if name is None else checked_name(name)
    if isinstance(plan, Plan):
        if not overrides and not called:
            return Examined(plan)
        content = plan.content()
        return examined(content, overrides, plan.places, plan.folder, called or plan.name)
    if isinstance(plan, Mapping):
        # rows that are given in Python stand in for a source that the plan does not name
        content = {"source": {"table": SOURCE_DATA}, **plan}
        return examined(content, overrides, Places(), Path.cwd(), called)
    if not isinstance(plan, str | os.PathLike):
        raise PlanError(
            f"A plan cannot be a {type(plan).__name__}.",
            where="plan",
            fix="give the path of a YAML file, or a mapping with the same keys",
        )
    path = Path(checked_text(str(plan), "plan"))
    try:
        text = read_text(path)
    except OSError as error:
        near = sorted(f.name for f in path.parent.glob("*.y*ml"))
        raise PlanError(
            f"The plan cannot be read ({type(error).__name__}).",
            where=brief(str(path)),
            fix=did_you_mean(path.name, near) or "check the path; a plan is a YAML file",
        ) from error
    return examined_file(path, text, overrides, called)


def examined_file(
    path: Path, content: bytes, overrides: Overrides = (), called: str = ""
) -> Examined:
    """The plan of a file with this content, whether it is there already or will be."""
    data, places = parse(content, path.name)
    stem = path.name
    for ending in (".yml", ".yaml", ".plan"):
        stem = stem.removesuffix(ending)
    called = called or checked_stem(stem or "plan", path.name)
    return examined(data, overrides, places, Path(os.path.realpath(path)).parent, called)
