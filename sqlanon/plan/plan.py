"""The plan: what to publish, what identifies people, and what must hold. Parameters only.

`sqlanon.plan.file` reads a plan from YAML; everything after it receives the frozen `Plan` of this
module. The same classes produce the JSON Schema that editors check plans with.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel

from sqlanon.boundary import guarded
from sqlanon.display.blocks import Block, Displayed, Sentences, Table
from sqlanon.plan.checked import checked_name, examined
from sqlanon.plan.draft import Draft
from sqlanon.plan.overrides import short_key
from sqlanon.plan.tables import SOURCE_DATA
from sqlanon.plan.text import Keys, Places, checked_text
from sqlanon.plan.yaml_file import parse, written

Part = BaseModel | Mapping[str, Any]
"""A part of a plan: an object such as `KAnonymity(5)`, or its keys as in YAML."""


class Plan(Draft, Displayed):
    """A whole plan; the fields are the keys of the YAML file."""

    @guarded
    def __init__(
        self,
        *,
        columns: Mapping[str, Part | str],
        privacy: Sequence[Part],
        publish: Part | str | Path,
        source: Part | str | Path | None = None,
        population: Part | str | Path | None = None,
        unit: Part | str | None = None,
        missing: Literal["value", "drop-rows"] = "value",
        method: Part | str | None = None,
        suppression: Part | None = None,
        order: Literal["sorted", "source"] = "sorted",
        attacks: Sequence[Part | str] = (),
        time_zone: str = "UTC",
        name: str | None = None,
        **others: Any,
    ) -> None:
        """Check a plan that is written in Python, as one that is read from YAML.

        Paths in it are relative to the current folder.

        Args:
            columns: the role of every column, such as `QuasiIdentifier(Intervals(5, 10))`.
            privacy: what must hold, such as `[KAnonymity(5)]`.
            publish: where to: FILE.parquet, FILE.csv, FILE.duckdb::TABLE, or {"table": NAME}.
            source: file or table of the rows; by default they are given to each function.
            population: a table with the source's persons and others.
            unit: the column that identifies persons, whom the promises then count.
            missing: whether a missing value is one more value, or its row is dropped.
            method: how the publication is found; by default `Optimal()`.
            suppression: such as {"limit": 0.02}.
            order: of the published rows.
            attacks: what `attack` tries.
            time_zone: in which points in time become dates and text.
            name: of the plan, after which files are called; by default that of what it publishes.
            others: further keys of a plan.

        Raises:
            PlanError: has everything that is wrong.
        """
        content: dict[str, Any] = {
            "source": {"table": SOURCE_DATA} if source is None else source,
            "columns": columns,
            "privacy": list(privacy) if isinstance(privacy, tuple) else privacy,
            "publish": publish,
            "missing": missing,
            "order": order,
            "attacks": attacks,
            "time_zone": time_zone,
            **others,
        }
        for key, value in (("population", population), ("unit", unit), ("method", method),
                           ("suppression", suppression)):  # fmt: skip
            if value is not None:
                content[key] = value
        called = "" if name is None else checked_name(name)
        plan = examined(type(self), content, (), Places(), Path.cwd(), called).checked
        for attribute in ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__",
                          "__pydantic_private__"):  # fmt: skip
            object.__setattr__(self, attribute, getattr(plan, attribute))

    # so that pydantic, when it validates the content of a plan, does not call it
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @classmethod
    @guarded
    def from_yaml(cls, text: str, *, name: str | None = None) -> Self:
        """The plan of a YAML text; JSON is YAML, too. Paths are relative to the current folder.

        Args:
            text: the keys of a plan.
            name: of the plan; by default that of what it publishes.

        Raises:
            PlanError: names the line of everything that is wrong.
        """
        called = "" if name is None else checked_name(name)
        data, places = parse(checked_text(text, "text").encode(), "text")
        return examined(cls, data, (), places, Path.cwd(), called).checked

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
        promises = [[model.model, model.promise] for model in self.privacy]
        runs = [Sentences([self.engine.placement], "runs")] if self.runs_elsewhere else []
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
            if _is_tag(kind, name)
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


def _is_tag(kind: type[BaseModel], name: str) -> bool:
    """Whether a key distinguishes a class from others in its place, such as `model`."""
    return name in ("role", "model", "name") and name in kind.model_fields


def _number(value: Decimal) -> int | float | str:
    """A number that is read as the same decimal, digit by digit, as digests have it; or text."""
    near = float(value)
    for number in (int(near), near) if abs(near) < 10**15 else ():
        if str(number) == str(value):
            return number
    return str(value)
