"""What a sweep or a comparison sets in each of its runs: keys of the plan, and their values."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlanon.boundary.part import Part, validated
from sqlanon.boundary.text import Places, checked_text
from sqlanon.errors import PlanError, brief, did_you_mean
from sqlanon.methods import METHODS, AnyMethod
from sqlanon.plan.plan import Plan
from sqlanon.plan.yaml_file import yaml_value
from sqlanon.registry import default_of

MOST_RUNS = 1_000
"""Runs of a sweep."""

MOST_KEYS = 2
"""Keys of a sweep."""

_OPENING, _CLOSING = "[{", "]}"


@dataclass(frozen=True)
class Setting:
    """What one run sets.

    Attributes:
        parameters: what is told of it: keys and values.
        overrides: what is set in the plan, with whole keys.
        method: the name of the method, if that is what it sets.
    """

    parameters: Mapping[str, Any]
    overrides: tuple[tuple[str, Any], ...]
    method: str = ""


def listed(text: str, where: str) -> list[Any]:
    """The values of a list such as `2,5,10`; each is a value of YAML.

    A comma within brackets or quotes separates nothing.

    Raises:
        PlanError: it cannot be read, or a value is empty.
    """
    parts, depth, quote = [""], 0, ""
    for character in checked_text(text, where):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in _OPENING + _CLOSING:
            depth += 1 if character in _OPENING else -1
        elif character == "," and depth == 0:
            parts.append("")
            continue
        parts[-1] += character
    if not all(part.strip() for part in parts):
        raise PlanError(
            "A value is missing.",
            where=where,
            fix="write the values with commas between them, such as 2,5,10",
        )
    return [yaml_value(part.strip(), where) for part in parts]


def over_of(over: Mapping[str, Sequence[Any]] | Sequence[str]) -> Mapping[str, Sequence[Any]]:
    """Values by key, also of texts such as `privacy.k=2,5,10`.

    Raises:
        PlanError: a text cannot be read, or names a key again.
    """
    if isinstance(over, Mapping):
        return over
    texts = [over] if isinstance(over, str) else over
    found: dict[str, list[Any]] = {}
    for text in texts:
        key, equals, values = checked_text(text, "--over").partition("=")
        key = key.strip()
        if not equals or not key:
            raise PlanError(
                f"'{brief(text)}' does not say what to try.",
                where="--over",
                fix="write KEY=VALUE,VALUE…, such as privacy.k=2,5,10",
            )
        if key in found:
            raise PlanError(
                f"'{brief(key)}' is given twice.", where="--over", fix="give all values at once"
            )
        found[key] = listed(values, f"--over {brief(key)}")
    return found


def swept(plan: Plan, over: Mapping[str, Sequence[Any]]) -> list[Setting]:
    """Every combination of the values, the last key changing first.

    Args:
        plan: the plan as it is; it tells which promise has a parameter.
        over: values by key, as in `--set`; `privacy.k` is the k of the only promise that has one.

    Raises:
        PlanError: there is no such key, or there are too many keys, too many runs, or no values.
    """
    if not 1 <= len(over) <= MOST_KEYS:
        raise PlanError(
            f"A sweep is over one key or two, not {len(over)}.",
            where="--over",
            fix="give one --over, or two for every combination of their values",
        )
    for key, values in over.items():
        if isinstance(values, str) or not isinstance(values, Sequence) or not values:
            raise PlanError(
                f"'{brief(key)}' has no list of values.",
                where="--over",
                fix='give a list, as in over={"privacy.k": [2, 5, 10]}',
            )
    runs = math.prod(len(values) for values in over.values())
    if runs > MOST_RUNS:
        raise PlanError(
            f"These are {runs:,} runs; a sweep has {MOST_RUNS:,} at most.",
            where="--over",
            fix="give fewer values",
        )
    whole = {key: _whole_key(plan, key) for key in over}
    return [
        Setting(
            dict(zip(over, values, strict=True)),
            tuple((whole[key], value) for key, value in zip(over, values, strict=True)),
        )
        for values in itertools.product(*over.values())
    ]


def _whole_key(plan: Plan, key: str) -> str:
    """The key with the position of its promise, if it names a promise's parameter only.

    Raises:
        PlanError: no promise has it, or several have.
    """
    first, dot, rest = checked_text(key, "--over").partition(".")
    if first != "privacy" or not dot or rest.partition(".")[0].isdecimal():
        return key
    parameter = rest.partition(".")[0]
    having = [n for n, model in enumerate(plan.privacy) if parameter in type(model).model_fields]
    if len(having) == 1:
        return f"privacy.{having[0]}.{rest}"
    if having:
        told = ", ".join(f"privacy.{n}.{rest} ({plan.privacy[n].model})" for n in having)
        raise PlanError(
            f"{len(having)} promises have '{brief(parameter)}'.",
            where="--over",
            fix=f"name one of them: {told}",
        )
    known = {name for model in plan.privacy for name in type(model).model_fields} - {"model"}
    raise PlanError(
        f"No promise of the plan has '{brief(parameter)}'.",
        where="--over",
        fix=did_you_mean(parameter, known),
    )


class _OneMethod(Part):
    """A method on its own."""

    method: AnyMethod


def with_methods(plan: Plan, methods: str | Sequence[Any]) -> list[Setting]:
    """The plan with each of these methods.

    Args:
        plan: the plan as it is. Its own method keeps its parameters if it is only named, and
            others that minimize a measure are given its objective.
        methods: names, or mappings as in a plan; or both as a text with commas between them.

    Raises:
        PlanError: there is no such method, or it has no such parameter.
    """
    if isinstance(methods, str):
        methods = listed(methods, "--methods")
    if not isinstance(methods, Sequence) or not methods:
        raise PlanError(
            "There is no method to compare.",
            where="--methods",
            fix="give names, as in --methods optimal,datafly,mondrian",
        )
    if len(methods) > MOST_RUNS:
        raise PlanError(f"These are {len(methods):,} methods.", where="--methods", fix="give fewer")
    return list(_method_settings(plan, methods))


def _method_settings(plan: Plan, methods: Sequence[Any]) -> Iterator[Setting]:
    objectives = {default_of(cls, "name") for cls in METHODS if "objective" in cls.model_fields}
    for method in methods:
        places = Places(overridden=frozenset({("method",)}))
        found = validated(_OneMethod, {"method": method}, places).method
        name = found.name
        if method == plan.method.name:
            yield Setting({"method": name}, (), name)
            continue
        content = {"name": method} if isinstance(method, str) else dict(method)
        is_bare = list(content) == ["name"]
        if is_bare and name in objectives and "objective" in plan.method.model_fields_set:
            content["objective"] = plan.objective.model_dump(mode="json")
        told = name if is_bare else f"{name} {_told(content)}"
        overrides: list[tuple[str, Any]] = [("method", content)]
        place = plan.publish.path
        if found.separates_sensitive and place and _is_bare_file(plan):
            overrides.append(("publish.path", f"{name}/{place}"))  # two files, in a folder
        yield Setting({"method": told}, tuple(overrides), name)


def _is_bare_file(plan: Plan) -> bool:
    """Whether the plan publishes a file that is in no folder below the plan's own."""
    place = plan.publish
    return place.database is None and Path(place.path or "").parent == Path()


def _told(content: Mapping[str, Any]) -> str:
    """The parameters of a method in words."""
    return ", ".join(
        f"{key} {value if isinstance(value, str) else json.dumps(value, default=str)}"
        for key, value in content.items()
        if key != "name"
    )
