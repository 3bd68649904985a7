"""Sets keys of a plan before the plan is checked: `--set KEY=VALUE`, or a mapping in Python."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sqlanon.boundary.text import DEEPEST, Keys, Places, checked_text
from sqlanon.errors import PlanError, brief
from sqlanon.plan.yaml_file import parse

Overrides = Mapping[str, Any] | Sequence[str | tuple[str, Any]]
"""Keys and values of Python, as a mapping or in pairs; or `KEY=VALUE` texts with values of YAML."""


def pairs(overrides: Overrides) -> list[tuple[str, Any]]:
    """The path of every key to set, such as `privacy.0.k`, and its value."""
    if isinstance(overrides, Mapping):
        return list(overrides.items())
    if isinstance(overrides, str) or not all(isinstance(one, str | tuple) for one in overrides):
        raise PlanError(
            "These are no overrides.",
            where="overrides",
            fix='write a mapping, such as {"privacy.0.k": 10}, or a list of texts "KEY=VALUE"',
        )
    return [_read(one) if isinstance(one, str) else one for one in overrides]


def _read(override: str) -> tuple[str, Any]:
    path, equals, value = checked_text(override, "--set").partition("=")
    if not equals:
        raise _no_key(override)
    return path.strip(), yaml_value(value, f"--set {brief(path)}")


def _no_key(override: str) -> PlanError:
    return PlanError(
        f"'{brief(override)}' does not set a key.",
        where="--set",
        fix="write KEY=VALUE, such as --set suppression.limit=0.05",
    )


def set_key(data: dict[str, Any], path: str, value: Any) -> Keys:
    """Set one key of the plan to a value; return the keys that lead to it."""
    parts = path.split(".") if isinstance(path, str) else []
    if not all(parts) or not 0 < len(parts) <= DEEPEST:
        raise _no_key(f"{path}={value}" if isinstance(path, str) else type(path).__name__)
    place: Any = data
    keys: list[str | int] = []
    for number, part in enumerate(parts, start=1):
        key: Any = part
        if isinstance(place, list):
            key = int(part) if part.isdecimal() and len(part) < 9 else -1
            if not 0 <= key < len(place):
                parent = Places.path(tuple(keys))
                raise PlanError(
                    f"'{brief(path)}' does not exist:"
                    f" {parent} is a list with {len(place)} item(s).",
                    where=f"--set {brief(path)}",
                    fix="give a position from 0, such as --set privacy.0.k=5",
                )
        keys.append(key)
        if number == len(parts):
            place[key] = value
            break
        inner = place[key] if isinstance(place, list) else place.get(key)
        if isinstance(inner, str) or (key == "intervals" and isinstance(inner, list)):
            inner = place[key] = {short_key(keys): inner}
        elif not isinstance(inner, dict | list):
            inner = place[key] = {}
        place = inner
    return tuple(keys)


def yaml_value(text: str, where: str) -> Any:
    """The value of YAML that stands behind a `=`; what cannot be one is text."""
    if not _YAML_VALUE.search(text):
        return text
    value, _ = parse(text.encode(), where)
    return value


_YAML_VALUE = re.compile(r"""^$|^[\["'{]|\w""")
"""Values that are read as YAML; others, such as a bare `,` or `|`, are text."""


def short_key(keys: Sequence[str | int]) -> str:
    """The key that a bare value in this place stands for."""
    if len(keys) == 2 and keys[0] == "columns":
        return "role"
    return _SHORTHANDS.get(str(keys[-1]), "name")


_SHORTHANDS = {
    "source": "path", "publish": "path", "hierarchy": "file", "mask": "side", "intervals": "widths",
    "unit": "column",
}  # fmt: skip
"""Keys whose bare value stands for a mapping with this one key; all others: `name`."""
