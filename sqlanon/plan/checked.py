"""Checks the content of a plan as a whole, wherever it was read from."""

from __future__ import annotations

import copy
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, Generic, NamedTuple, TypeVar

from sqlanon.boundary.part import validated
from sqlanon.boundary.text import Keys, Places, plain_content
from sqlanon.errors import PlanError, brief, united
from sqlanon.plan.acknowledgments import check_acknowledged
from sqlanon.plan.columns_check import check_columns, check_promises, with_attributes
from sqlanon.plan.draft import Draft
from sqlanon.plan.method_check import check_method, with_dealt_attribute
from sqlanon.plan.overrides import Overrides, pairs, set_key
from sqlanon.plan.tables_check import check_publication, check_queries, check_source
from sqlanon.system.secrets import PERMUTATION_SEED

_Plan = TypeVar("_Plan", bound=Draft)

LONGEST_NAME = 80
"""Characters of the name of a plan that is no file."""


class Examined(NamedTuple, Generic[_Plan]):
    """A plan whose keys and values are valid, and whether they fit each other.

    Attributes:
        plan: the plan.
        faults: what does not fit; a plan with a fault must not be executed.
        may_read: whether none of the faults concerns what the plan reads and writes.
    """

    plan: _Plan
    faults: tuple[PlanError, ...] = ()
    may_read: bool = True

    @property
    def checked(self) -> _Plan:
        """The plan, if it may be executed.

        Raises:
            PlanError: has all its faults.
        """
        if self.faults:
            raise united(self.faults)
        return self.plan


def examined(
    kind: type[_Plan], data: Any, overrides: Overrides, places: Places, folder: Path, name: str
) -> Examined[_Plan]:
    """The plan of this content, and all faults of keys that do not fit each other.

    Args:
        kind: the class of plans.
        data: the keys of the plan.
        overrides: keys to set before checking.
        places: where the keys are, for errors.
        folder: what paths in the plan are relative to.
        name: of the plan; if empty, it follows from where the plan publishes.

    Raises:
        PlanError: has every fault of single keys.
    """
    if not isinstance(data, Mapping):
        raise PlanError(
            "A plan must be a mapping of keys to values.",
            where=places.where(()),
            fix="begin with `source:`; the README shows a complete plan",
        )
    data = plain_content(data, places)
    if overrides:
        places = replace(places, overridden=places.overridden | _changed(data, overrides))
        data = plain_content(data, places)
    if "seed" in data:
        raise PlanError(
            "Anyone who reads a plan would know a seed in it, and a short seed can be guessed.",
            where=places.where(("seed",)),
            fix="leave out `seed:`; every run then draws a secret one. To produce the same rows"
            f" again, {PERMUTATION_SEED.remedy}",
        )
    plan = validated(kind, data, places)
    plan._name = name or name_of(plan)
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
    others += [*check_columns(plan), *check_promises(plan), *check_acknowledged(plan)]
    plan._sha256 = _digest(plan)
    return Examined(plan, (*others, *of_tables), may_read=not of_tables)


def _changed(data: dict[str, Any], overrides: Overrides) -> frozenset[Keys]:
    """Set keys of the plan; return those that had another value."""
    changed = set()
    for path, value in pairs(overrides):
        before = copy.deepcopy(data)
        keys = set_key(data, path, value)
        if data != before:
            changed.add(keys)
    return frozenset(changed)


def _digest(plan: Draft) -> str:
    """The digest of the keys and values that decide what is published."""
    deciding = plan.model_dump(mode="json", exclude={"attacks", "acknowledge", "engine"})
    for column in deciding["columns"].values():
        for key in ("key", "grid"):  # a plan without the key keeps the digest it always had
            if column.get(key, "") is None:
                del column[key]
    if deciding["publish"]["csv_formulas"] == "keep":  # likewise
        del deciding["publish"]["csv_formulas"]
    for key in plan.method.left_out_of_digests:
        del deciding["method"][key]
    canonical = json.dumps(deciding, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def name_of(plan: Draft) -> str:
    """A name for a plan that is no file: that of the file or table that it publishes."""
    place = plan.publish
    table = place.table or (place.database_table if place.database else "")
    called = table.rpartition(".")[2] or PurePosixPath(place.path or "").stem
    return plain_name(called) or "plan"


def plain_name(name: str) -> str:
    """The name with nothing that has a meaning in paths or in SQL comments, for files."""
    return re.sub(r"[^\w-]+", "_", name).strip("_")[:LONGEST_NAME]


def checked_name(name: Any) -> str:
    """The name that is given to a plan, if files can be called so.

    Raises:
        PlanError: they cannot.
    """
    if isinstance(name, str) and name and plain_name(name) == name:
        return name
    raise PlanError(
        "This cannot be the name of a plan: files are called after it.",
        where="name",
        fix="use letters, digits, hyphens and underscores, as in patients_k5",
    )


def checked_stem(stem: str, file: str) -> str:
    """The name that a plan has from its file, if files and a folder of its own can be called so.

    Raises:
        PlanError: it begins with a dot; `..` would be the folder above.
    """
    if not stem.startswith("."):
        return stem
    raise PlanError(
        "This cannot be the name of a plan: its solution and its target folder are called after"
        " it.",
        where=brief(file),
        fix="begin the name of the file with another character than a dot",
    )
