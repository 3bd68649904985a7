"""Sets keys of a plan before the plan is checked: `--set KEY=VALUE`."""

from __future__ import annotations

import re
from typing import Any

from sqlanon.errors import PlanError, brief
from sqlanon.plan.text import DEEPEST, Keys, Places, checked_text
from sqlanon.plan.yaml_file import parse


def set_key(data: dict[str, Any], override: str) -> Keys:
    """Set one key of the plan to the YAML value of `KEY=VALUE`; return the keys that lead to it."""
    path, equals, value = checked_text(override, "--set").partition("=")
    parts = path.strip().split(".")
    if not equals or not all(parts) or len(parts) > DEEPEST:
        raise PlanError(
            f"'{brief(override)}' does not set a key.",
            where="--set",
            fix="write KEY=VALUE, such as --set suppression.limit=0.05",
        )
    parsed: Any = value
    if _YAML_VALUE.search(value):
        parsed, _ = parse(value.encode(), f"--set {brief(path)}")
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
            place[key] = parsed
            break
        inner = place[key] if isinstance(place, list) else place.get(key)
        if isinstance(inner, str) or (key == "intervals" and isinstance(inner, list)):
            inner = place[key] = {_short_key(keys): inner}
        elif not isinstance(inner, dict | list):
            inner = place[key] = {}
        place = inner
    return tuple(keys)


_YAML_VALUE = re.compile(r"""^$|^[\["'{]|\w""")
"""Values that are read as YAML; others, such as a bare `,` or `|`, are text."""


def _short_key(keys: list[str | int]) -> str:
    """The key that a bare value in this place stands for."""
    if len(keys) == 2 and keys[0] == "columns":
        return "role"
    return _SHORTHANDS.get(str(keys[-1]), "name")


_SHORTHANDS = {
    "source": "path", "publish": "path", "hierarchy": "file", "mask": "side", "intervals": "widths",
}  # fmt: skip
"""Keys whose bare value stands for a mapping with this one key; all others: `name`."""
