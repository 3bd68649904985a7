"""From a YAML file to a checked Plan; errors name the file, line and key, and a fix."""

from __future__ import annotations

import hashlib
import json
import os.path
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from sqlanon.boundary import guarded
from sqlanon.errors import PlanError, brief, did_you_mean, united
from sqlanon.plan.columns_check import check_columns, check_promises, with_attributes
from sqlanon.plan.method_check import (
    check_method,
    with_dealt_attribute,
)
from sqlanon.plan.overrides import set_key
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables_check import check_publication, check_queries, check_source
from sqlanon.plan.text import Places, checked_text, plain_content
from sqlanon.plan.validation import validated
from sqlanon.plan.yaml_file import parse, read_text
from sqlanon.system.secrets import PERMUTATION_SEED


@guarded
def load_plan(plan: str | Path | Mapping[str, Any] | Plan, overrides: Sequence[str] = ()) -> Plan:
    """The checked plan of a YAML file or of a mapping with the same keys; a plan is returned as is.

    Args:
        plan: path or content.
        overrides: `key=value` pairs such as `suppression.limit=0.05`, set before checking.

    Raises:
        PlanError: says what is wrong in which file, line and key, and how to fix it.
    """
    examined = examine_plan(plan, overrides)
    if examined.faults:
        raise united(examined.faults)
    return examined.plan


class Examined(NamedTuple):
    """A plan whose keys and values are valid, and whether they fit each other.

    Attributes:
        plan: the plan.
        faults: what does not fit; a plan with a fault must not be executed.
        may_read: whether none of the faults concerns what the plan reads and writes.
    """

    plan: Plan
    faults: tuple[PlanError, ...] = ()
    may_read: bool = True


def examine_plan(
    plan: str | Path | Mapping[str, Any] | Plan, overrides: Sequence[str] = ()
) -> Examined:
    """The plan, and all faults of keys that do not fit each other; see `load_plan`.

    Raises:
        PlanError: the plan cannot be read; has every fault of single keys.
    """
    if isinstance(plan, Plan):
        return Examined(plan)
    if isinstance(plan, Mapping):
        return _checked(plan, overrides, Places(), Path.cwd(), "plan")
    if not isinstance(plan, str | os.PathLike):
        raise PlanError(
            f"A plan cannot be a {type(plan).__name__}.",
            where="plan",
            fix="give the path of a YAML file, or a mapping with the same keys",
        )
    path = Path(checked_text(str(plan), "plan"))
    try:
        content = read_text(path)
    except OSError as error:
        near = sorted(f.name for f in path.parent.glob("*.y*ml"))
        raise PlanError(
            f"The plan cannot be read ({type(error).__name__}).",
            where=brief(str(path)),
            fix=did_you_mean(path.name, near) or "check the path; a plan is a YAML file",
        ) from error
    data, places = parse(content, path.name)
    name = path.name
    for ending in (".yml", ".yaml", ".plan"):
        name = name.removesuffix(ending)
    return _checked(data, overrides, places, path.resolve().parent, name or "plan")


def _checked(
    data: Any, overrides: Sequence[str], places: Places, folder: Path, name: str
) -> Examined:
    if not isinstance(data, Mapping):
        raise PlanError(
            "A plan must be a mapping of keys to values.",
            where=places.where(()),
            fix="begin with `source:`; the README shows a complete plan",
        )
    data = plain_content(data, places)
    if overrides:
        overridden = frozenset(set_key(data, override) for override in overrides)
        places = replace(places, overridden=overridden)
        data = plain_content(data, places)
    if "seed" in data:
        raise PlanError(
            "Anyone who reads a plan would know a seed in it, and a short seed can be guessed.",
            where=places.where(("seed",)),
            fix="leave out `seed:`; every run then draws a secret one. To produce the same rows"
            f" again, {PERMUTATION_SEED.remedy}",
        )
    plan = validated(Plan, data, places)
    plan._name = name
    plan._folder = folder
    plan._places = places
    of_tables = [*check_source(plan), *check_queries(plan), *check_publication(plan)]
    plan, others = with_attributes(plan)
    try:
        plan = with_dealt_attribute(plan)
    except PlanError as error:
        others += error.faults
    if not others:
        others += check_method(plan)
    others += [*check_columns(plan), *check_promises(plan)]
    plan._sha256 = _digest(plan)
    return Examined(plan, (*others, *of_tables), may_read=not of_tables)


def _digest(plan: Plan) -> str:
    """The digest of the keys and values that decide what is published."""
    deciding = plan.model_dump(mode="json", exclude={"attacks"})
    for column in deciding["columns"].values():
        if column.get("key", "") is None:  # a plan without the key keeps the digest it always had
            del column["key"]
    for key in plan.method.left_out_of_digests:
        del deciding["method"][key]
    canonical = json.dumps(deciding, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()
