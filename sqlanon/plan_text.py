"""The text of a plan: YAML whose keys are text, and the line of every key for error messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from sqlanon.errors import PlanError

Keys = tuple[str | int, ...]
"""Keys and list positions that lead to a place in a plan."""


@dataclass(frozen=True)
class Places:
    """Where the keys of a plan stand, for error messages.

    Attributes:
        file: name of the plan's file; empty for a plan that is no file.
        lines: of every key.
        overridden: keys that `--set` gave.
    """

    file: str = ""
    lines: Mapping[Keys, int] = field(default_factory=dict)
    overridden: frozenset[Keys] = frozenset()

    def line(self, keys: Keys) -> int:
        """The line of a key, or of the nearest one around it."""
        while keys and keys not in self.lines:
            keys = keys[:-1]
        return self.lines.get(keys, 1)

    def where(self, keys: Keys) -> str:
        """`file:line  key`, or `--set key`."""
        path = self.path(keys)
        if any(
            keys[: len(given)] == given or (keys == given[: len(keys)] and keys not in self.lines)
            for given in self.overridden
        ):
            return f"--set {path}"
        return f"{self.file}:{self.line(keys)}  {path}".rstrip() if self.file else path

    @staticmethod
    def path(keys: Keys) -> str:
        """The keys as one word, such as `privacy[0].k`."""
        path = ""
        for key in keys:
            if isinstance(key, int):
                path += f"[{key}]"
            else:
                path += ("." if path else "") + (key if key.isprintable() else repr(key))
        return path


class _Loader(yaml.SafeLoader):
    """Reads every key as text: a column may be called `no`, `null` or `2024`. Dates stay text."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - as the base class declares it
        first: [entry for entry in entries if entry[0] != "tag:yaml.org,2002:timestamp"]
        for first, entries in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                key.tag = "tag:yaml.org,2002:str"
        return super().construct_mapping(node, deep)


def parse(content: bytes, file: str, around: Keys = ()) -> tuple[Any, Places]:
    """The YAML document and the line of every key; a key given twice is an error.

    Args:
        around: keys that the whole document stands below.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise PlanError(
            "This is not UTF-8.", where=f"{file}:{line}", fix="save the file as UTF-8"
        ) from None
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
        lines = _lines(root, file, around)
        data = loader.construct_document(root) if root else None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else text.count("\n", 0, getattr(error, "position", 0)) + 1
        problem = getattr(error, "problem", None) or "a character that YAML does not allow"
        raise PlanError(
            f"This is not YAML: {problem}.",
            where=f"{file}:{line}",
            fix="check indentation, quotes and brackets on this line and the one before",
        ) from None
    return data, Places(file, lines)


def _lines(root: yaml.Node | None, file: str, around: Keys) -> dict[Keys, int]:
    lines: dict[Keys, int] = {}
    seen: set[int] = set()

    def walk(node: yaml.Node | None, keys: Keys) -> None:
        if id(node) in seen:  # an alias: its keys stand at the anchor
            return
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            for key_node, value_node in node.value:
                here = (*keys, str(key_node.value))
                line = key_node.start_mark.line + 1
                if here in lines:
                    raise PlanError(
                        f"'{key_node.value}' is given twice, first in line {lines[here]}.",
                        where=f"{file}:{line}  {Places.path(here)}",
                        fix="keep one of them; a column has one role",
                    )
                lines[here] = line
                walk(value_node, here)
        elif isinstance(node, yaml.SequenceNode):
            for number, item in enumerate(node.value):
                lines[(*keys, number)] = item.start_mark.line + 1
                walk(item, (*keys, number))

    walk(root, around)
    return lines
