"""The plan: what to publish, what identifies people, and what must hold. Parameters only.

`sqlanon.plan.file` reads a plan from YAML; everything after it receives the frozen `Plan` of this
module. The same classes produce the JSON Schema that editors check plans with.
"""

from __future__ import annotations

import copy
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from pydantic import BaseModel

from sqlanon.boundary import guarded
from sqlanon.boundary.part import validated
from sqlanon.boundary.secrets import PERMUTATION_SEED
from sqlanon.boundary.text import Keys, Places, checked_text, plain_content
from sqlanon.display.blocks import Block, Displayed, Sentences, Table
from sqlanon.errors import PlanError, brief, united
from sqlanon.plan.change_checks import check_changes
from sqlanon.plan.checks import (
    check_acknowledged,
    check_columns,
    check_method,
    check_promises,
    check_publication,
    check_queries,
    check_source,
    check_standard,
    with_attributes,
)
from sqlanon.plan.draft import Draft
from sqlanon.plan.tables import SOURCE_DATA, table_alone
from sqlanon.plan.yaml_file import Overrides, pairs, parse, set_key, short_key, written

PartLike = BaseModel | Mapping[str, Any]
"""A part of a plan: an object such as `KAnonymity(5)`, or its keys as in YAML."""


class Plan(Draft, Displayed):
    """A whole plan: written in Python, or read from YAML, and checked in the same way.

    `privacy=[KAnonymity(5)]` is a list of objects, or of mappings with their keys as in YAML. Paths
    are relative to the folder of the plan's file, and without a file to the current folder.
    `source` may be left out: the rows are then given to each function. Files are called after
    `name`, by default that of what the plan publishes. A key that is None has its default.
    """

    @guarded
    def __init__(
        self,
        *,
        columns: Mapping[str, PartLike | str],
        privacy: Sequence[PartLike],
        publish: PartLike | str | Path,
        source: PartLike | str | Path | None = None,
        name: str | None = None,
        **others: Any,
    ) -> None:
        """Check a plan that is written in Python, as one that is read from YAML.

        Raises:
            PlanError: has everything that is wrong.
        """
        content = {
            "source": {"table": SOURCE_DATA} if source is None else source,
            "columns": columns,
            "privacy": privacy,
            "publish": publish,
            **{key: value for key, value in others.items() if value is not None},
        }
        called = "" if name is None else checked_name(name)
        plan = examined(content, (), Places(), Path.cwd(), called).checked
        for attribute in ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__",
                          "__pydantic_private__"):  # fmt: skip
            object.__setattr__(self, attribute, getattr(plan, attribute))

    @staticmethod
    @guarded
    def from_yaml(text: str, *, name: str | None = None) -> Plan:
        """The plan of a YAML text; JSON is YAML, too. Paths are relative to the current folder.

        Args:
            text: the keys of a plan.
            name: of the plan; by default that of what it publishes.

        Raises:
            PlanError: names the line of everything that is wrong.
        """
        called = "" if name is None else checked_name(name)
        data, places = parse(checked_text(text, "text").encode(), "text")
        return examined(data, (), places, Path.cwd(), called).checked

    def content(self) -> dict[str, Any]:
        """The keys that do not have their default, as lists, mappings, texts and numbers."""
        content: dict[str, Any] = _shortest(self, ())
        return content

    def as_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json")

    def displayed(self) -> Sequence[Block]:
        """The columns and the promises, with none of the values that the plan lists."""
        roles = [
            [name, column.role, getattr(getattr(column, "hierarchy", None), "key", None)]
            for name, column in self.columns.items()
        ]
        models = [model.model for model in self.privacy]
        promises = [list(pair) for pair in zip(models, self.promises.sentences, strict=True)]
        runs = [Sentences([self.engine.placement], "runs")] if self.engine.placement else []
        return [
            Table(f"columns of {self.name}", ["column", "role", "hierarchy"], roles),
            Table("promises", ["model", "guarantee"], promises),
            *runs,
        ]

    def to_yaml(self) -> str:
        """The plan as YAML; `from_yaml` and a file read it as an equal plan."""
        return written(self.content())

    def to_json(self) -> str:
        """The plan as JSON; `from_yaml` reads it as an equal plan."""
        return json.dumps(self.content(), indent=2, ensure_ascii=False)


def _shortest(value: Any, keys: Keys) -> Any:
    if isinstance(value, BaseModel):
        kind = type(value)
        content = {
            name: _shortest(inner, (*keys, name))
            for name, inner in value
            if name in ("role", "model", "name")  # which distinguishes a class from others
            or inner
            != kind.model_fields[name].get_default(call_default_factory=True, validated_data={})
        }
        short = short_key(keys) if keys else ""
        return content[short] if list(content) == [short] else content
    if isinstance(value, Mapping):
        return {key: _shortest(inner, (*keys, key)) for key, inner in value.items()}
    if isinstance(value, tuple | list):
        return [_shortest(inner, (*keys, number)) for number, inner in enumerate(value)]
    if isinstance(value, Decimal):
        return _number(value)
    return value


def _number(value: Decimal) -> int | float | str:
    """A number that is read as the same decimal, digit by digit, as digests have it; or text."""
    near = float(value)
    for number in (int(near), near) if abs(near) < 10**15 else ():
        if str(number) == str(value):
            return number
    return str(value)


# --- checks

LONGEST_NAME = 80
"""Characters of the name of a plan that is no file."""


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

    @property
    def checked(self) -> Plan:
        """The plan, if it may be executed."""
        if self.faults:
            raise united(self.faults)
        return self.plan


def examined(data: Any, overrides: Overrides, places: Places, folder: Path, name: str) -> Examined:
    """The plan of this content, and all faults of keys that do not fit each other.

    Args:
        data: the keys of the plan.
        overrides: keys to set before checking.
        places: where the keys are, for errors.
        folder: what paths in the plan are relative to.
        name: of the plan; if empty, it follows from where the plan publishes.
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
    plan = validated(Plan, data, places)
    plan._name = name or name_of(plan)
    plan._folder = folder
    plan._places = places
    of_tables = [*check_source(plan), *check_queries(plan), *check_publication(plan)]
    plan, others = with_attributes(plan)
    if not others:
        others += check_method(plan)
    others += [*check_columns(plan), *check_promises(plan), *check_standard(plan)]
    others += [*check_acknowledged(plan), *check_changes(plan)]
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


def _digest(plan: Plan) -> str:
    """The digest of the keys and values that decide what is published."""
    deciding = plan.model_dump(mode="json", exclude={"attacks", "acknowledge", "engine"})
    for column in deciding["columns"].values():
        for key in ("key", "grid", "publish"):  # without the key, a plan keeps the digest it had
            if column.get(key, "") is None:
                del column[key]
    if deciding["publish"]["csv_formulas"] == "keep":  # likewise
        del deciding["publish"]["csv_formulas"]
    for table in ("source", "population"):
        if deciding[table] is not None and not deciding[table]["read"]:
            del deciding[table]["read"]
    for key in ("sample", "standard"):
        if deciding[key] is None:
            del deciding[key]
    for key in plan.method.left_out_of_digests:
        del deciding["method"][key]
    if deciding["method"].get("names") == 4:  # the default takes the place of another key
        deciding["method"]["categories"] = "common-ancestor"
        del deciding["method"]["names"]
    canonical = json.dumps(deciding, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def name_of(plan: Plan) -> str:
    """A name for a plan that is no file: that of the file or table that it publishes."""
    stem = PurePosixPath(plan.publish.path or "").stem
    return plain_name(table_alone(plan.publish) or stem) or "plan"


def plain_name(name: str) -> str:
    """The name with nothing that has a meaning in paths or in SQL comments, for files."""
    return re.sub(r"[^\w-]+", "_", name).strip("_")[:LONGEST_NAME]


def checked_name(name: Any) -> str:
    """The name that is given to a plan, if files can be called so."""
    if isinstance(name, str) and name and plain_name(name) == name:
        return name
    raise PlanError(
        "This cannot be the name of a plan: files are called after it.",
        where="name",
        fix="use letters, digits, hyphens and underscores, as in patients_k5",
    )


def checked_stem(stem: str, file: str) -> str:
    """The name that a plan has from its file, if files and a folder of its own can be called so."""
    if not stem.startswith("."):
        return stem
    raise PlanError(
        "This cannot be the name of a plan: its solution and its target folder are called after"
        " it.",
        where=brief(file),
        fix="begin the name of the file with another character than a dot",
    )
