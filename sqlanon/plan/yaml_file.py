"""Reads YAML: plain values within limits, and the line of every key; sets single keys."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from sqlanon.boundary.text import (
    DEEPEST,
    LARGEST_FILE,
    LONGEST_TEXT,
    MOST_DIGITS,
    MOST_VALUES,
    Keys,
    Places,
    checked_text,
    is_regular,
    too_deep,
    too_long,
    too_many,
    too_many_digits,
)
from sqlanon.errors import PlanError, brief, united

_YAML = "tag:yaml.org,2002:"
_TEXT = (f"{_YAML}timestamp", f"{_YAML}value")
"""Tags that YAML infers for a date and for a bare `=`; both are text in a plan."""

_TAGS: dict[type[yaml.Node], tuple[str, ...]] = {
    yaml.ScalarNode: ("str", "int", "float", "bool", "null", "merge"),
    yaml.SequenceNode: ("seq",),
    yaml.MappingNode: ("map",),
}
"""The tags that are allowed for each kind of value."""


class _Loader(yaml.SafeLoader):
    """Reads every key as text: a column may be called `no`, `null` or `2024`. Dates stay text.

    Attributes:
        file: name of the file, for errors.
        depth: how deeply the current value is nested.
        count: how many values were read so far.
    """

    yaml_implicit_resolvers = {  # noqa: RUF012 - as the base class declares it
        first: [entry for entry in entries if entry[0] not in _TEXT]
        for first, entries in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    file = ""
    depth = 0
    count = 0

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                key.tag = "tag:yaml.org,2002:str"
        return super().construct_mapping(node, deep)

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except yaml.YAMLError:
            raise
        except Exception:  # such as `!!int abc`; PyYAML lets any kind of exception through
            line = node.start_mark.line + 1
        raise PlanError(
            "A value does not have the type that its tag names.",
            where=f"{self.file}:{line}",
            fix="leave out the tag, such as `!!int`",
        )

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        self.depth += 1
        if not self.check_event(yaml.AliasEvent):
            self._count_value()
        node = super().compose_node(parent, index)
        self.depth -= 1
        if node is not None:
            self._check_node(node)
        return node

    def _count_value(self) -> None:
        """Count one more value, and check the limits on their number and nesting."""
        self.count += 1
        event: yaml.Event = self.peek_event()  # type: ignore[no-untyped-call]
        where = f"{self.file}:{event.start_mark.line + 1 if event.start_mark else 1}"
        if self.depth > DEEPEST:
            raise too_deep(where)
        if self.count > MOST_VALUES:
            raise too_many(where)

    def _check_node(self, node: yaml.Node) -> None:
        """Check that a value is plain, and within the limits on its length."""
        where = f"{self.file}:{node.start_mark.line + 1}"
        kind = node.tag.removeprefix(_YAML)
        if kind not in _TAGS[type(node)]:
            raise PlanError(
                f"The tag '{brief(kind)}' is not allowed here.",
                where=where,
                fix="leave out the tag, and write text in quotes",
            )
        if isinstance(node, yaml.ScalarNode) and len(node.value) > LONGEST_TEXT:
            raise too_long(len(node.value), where)
        if kind in ("int", "float") and len(node.value) > MOST_DIGITS:
            raise too_many_digits(len(node.value), where)


def read_text(path: Path) -> bytes:
    """The bytes of a plan or a rule; if the file is too large, enough for `parse` to refuse it."""
    if not is_regular(path):
        path.stat()  # raises if nothing exists
        raise IsADirectoryError if path.is_dir() else OSError
    with path.open("rb") as content:
        return content.read(LARGEST_FILE + 1)


def written(content: Mapping[str, Any]) -> str:
    """The YAML of a plan's keys, in their order."""
    text: str = yaml.safe_dump(dict(content), sort_keys=False, allow_unicode=True, width=100)
    return text


def parse(content: bytes, file: str, around: Keys = ()) -> tuple[Any, Places]:
    """The YAML document and the line of every key; a key given twice is an error."""
    if len(content) > LARGEST_FILE:
        raise PlanError(
            f"This file is larger than {LARGEST_FILE // 1024} KiB.",
            where=file,
            fix="put long lists into a hierarchy file or a table, and long queries into a view",
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        refusal = PlanError(
            "This is not UTF-8.", where=f"{file}:{line}", fix="save the file as UTF-8"
        )
    else:
        try:
            loader = _Loader(text)
            loader.file = file
            root = loader.get_single_node()
            lines = _lines(root, file, around)
            if root is not None:
                _check_aliases(root, file)
            data = loader.construct_document(root) if root else None
            return data, Places(file, lines)
        except yaml.YAMLError as error:
            refusal = _not_yaml(error, text, file)
    raise refusal


def _not_yaml(error: yaml.YAMLError, text: str, file: str) -> PlanError:
    mark = getattr(error, "problem_mark", None)
    line = mark.line + 1 if mark else text.count("\n", 0, getattr(error, "position", 0)) + 1
    problem = getattr(error, "problem", None) or "a character that YAML does not allow"
    return PlanError(
        f"This is not YAML: {problem[:200]}.",
        where=f"{file}:{line}",
        fix="check indentation, quotes and brackets on this line and the one before",
    )


def _check_aliases(root: yaml.Node, file: str) -> None:
    """Check that the document is within the limits when its aliases are expanded."""
    sizes: dict[int, tuple[int, int]] = {}
    open_nodes: set[int] = set()

    def measured(node: yaml.Node) -> tuple[int, int]:
        """The number of values in a node, and how deeply they are nested."""
        if id(node) in sizes:
            return sizes[id(node)]
        where = f"{file}:{node.start_mark.line + 1}"
        if id(node) in open_nodes:
            raise PlanError(
                "An alias is inside the value that it refers to.",
                where=where,
                fix="leave out the alias, `*NAME`",
            )
        open_nodes.add(id(node))
        inner: list[yaml.Node] = []
        if isinstance(node, yaml.MappingNode):
            inner = [part for pair in node.value for part in pair]
        elif isinstance(node, yaml.SequenceNode):
            inner = node.value
        sizes_within = [measured(part) for part in inner]
        size = 1 + sum(part[0] for part in sizes_within)
        depth = 1 + max((part[1] for part in sizes_within), default=0)
        if depth > DEEPEST:
            raise too_deep(where)
        if size > MOST_VALUES:
            raise too_many(where)
        open_nodes.discard(id(node))
        sizes[id(node)] = size, depth
        return size, depth

    measured(root)


def _lines(root: yaml.Node | None, file: str, around: Keys) -> dict[Keys, int]:
    lines: dict[Keys, int] = {}
    faults: list[PlanError] = []
    seen: set[int] = set()

    def walk(node: yaml.Node | None, keys: Keys) -> None:
        if id(node) in seen:  # an alias: its keys are at the anchor
            return
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            for key_node, value_node in node.value:
                here = (*keys, str(key_node.value))
                line = key_node.start_mark.line + 1
                if here in lines:
                    fault = PlanError(
                        f"'{key_node.value}' is given twice, first in line {lines[here]}.",
                        where=f"{file}:{line}  {Places.path(here)}",
                        fix="keep one of them; a column has one role",
                    )
                    faults.append(fault)
                    continue
                lines[here] = line
                walk(value_node, here)
        elif isinstance(node, yaml.SequenceNode):
            for number, item in enumerate(node.value):
                lines[(*keys, number)] = item.start_mark.line + 1
                walk(item, (*keys, number))

    walk(root, around)
    if faults:
        raise united(faults)
    return lines


# --- keys that are set before the plan is checked: `--set KEY=VALUE`, or a mapping in Python

Overrides = Mapping[str, Any] | Sequence[str | tuple[str, Any]]
"""Keys and values of Python, as a mapping or in pairs; or `KEY=VALUE` texts with values of YAML."""


def pairs(overrides: Overrides) -> list[tuple[str, Any]]:
    """The path of every key to set, such as `privacy.0.k`, and its value."""
    if isinstance(overrides, Mapping):
        return list(overrides.items())
    given: object = overrides
    if (
        isinstance(given, str)
        or not isinstance(given, Iterable)
        or not all(map(_is_one, overrides))
    ):
        raise PlanError(
            "These are no overrides.",
            where="overrides",
            fix='write a mapping, such as {"privacy.0.k": 10}, or a list of texts "KEY=VALUE"',
        )
    return [_read(one) if isinstance(one, str) else one for one in overrides]


def _is_one(override: object) -> bool:
    return isinstance(override, str) or (isinstance(override, tuple) and len(override) == 2)


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
    if keys[0] == "columns" and len(keys) == 2:
        return "role"
    if keys[0] == "columns" and keys[2:] == ("publish",):
        return "aggregate"
    return _SHORTHANDS.get(str(keys[-1]), "name")


_SHORTHANDS = {
    "source": "path", "publish": "path", "hierarchy": "file", "mask": "side", "intervals": "widths",
    "unit": "column",
}  # fmt: skip
"""Keys whose bare value stands for a mapping with this one key; all others: `name`."""
