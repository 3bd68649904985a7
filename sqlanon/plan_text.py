"""The text of a plan: YAML whose keys are text, and the line of every key for error messages."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel

from sqlanon.errors import PlanError, brief

Keys = tuple[str | int, ...]
"""Keys and list positions that lead to a place in a plan."""


LARGEST_FILE = 512 * 1024
"""Bytes of a plan or of a rule in a file of its own."""

LONGEST_TEXT = 64 * 1024
"""Characters of one text in a plan, such as a query."""

DEEPEST = 50
"""How deep lists and mappings of a plan may stand in each other."""

MOST_VALUES = 25_000
"""Keys, values, lists and mappings of a plan together."""

MOST_DIGITS = 100
"""Characters of a number."""

_YAML = "tag:yaml.org,2002:"
_TEXT = (f"{_YAML}timestamp", f"{_YAML}value")
"""Tags that YAML finds out for a date and for a bare `=`; both are text in a plan."""

_TAGS: dict[type[yaml.Node], tuple[str, ...]] = {
    yaml.ScalarNode: ("str", "int", "float", "bool", "null", "merge"),
    yaml.SequenceNode: ("seq",),
    yaml.MappingNode: ("map",),
}
"""What values of a plan may be."""


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
                path += ("." if path else "") + brief(key if key.isprintable() else repr(key))
        return path


class _Loader(yaml.SafeLoader):
    """Reads every key as text: a column may be called `no`, `null` or `2024`. Dates stay text.

    Attributes:
        file: name of the file, for errors.
        depth, count: of the values that were read so far.
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
        except Exception:  # such as `!!int abc`; PyYAML lets every kind of exception through
            line = node.start_mark.line + 1
        raise PlanError(
            "A value is not of the type that its tag names.",
            where=f"{self.file}:{line}",
            fix="leave out the tag, such as `!!int`",
        )

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def compose_scalar_node(self, anchor: Any) -> yaml.ScalarNode:
        self._begin()
        node = super().compose_scalar_node(anchor)
        self._check_tag(node)
        if len(node.value) > LONGEST_TEXT:
            raise too_long(len(node.value), f"{self.file}:{node.start_mark.line + 1}")
        is_number = node.tag in ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
        if is_number and len(node.value) > MOST_DIGITS:
            raise _too_many_digits(len(node.value), f"{self.file}:{node.start_mark.line + 1}")
        return node

    def compose_sequence_node(self, anchor: Any) -> yaml.SequenceNode:
        self._begin()
        node = super().compose_sequence_node(anchor)
        self._check_tag(node)
        return node

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        self._begin()
        node = super().compose_mapping_node(anchor)
        self._check_tag(node)
        return node

    def _begin(self) -> None:
        """One more value begins; a plan has no more than so many, in so many levels."""
        self.count += 1
        event: yaml.Event = self.peek_event()  # type: ignore[no-untyped-call]
        where = f"{self.file}:{event.start_mark.line + 1 if event.start_mark else 1}"
        if self.depth > DEEPEST:
            raise too_deep(where)
        if self.count > MOST_VALUES:
            raise too_many(where)

    def _check_tag(self, node: yaml.Node) -> None:
        if node.tag.removeprefix(_YAML) not in _TAGS[type(node)]:
            raise PlanError(
                f"The tag '{brief(node.tag.removeprefix(_YAML))}' has no meaning here.",
                where=f"{self.file}:{node.start_mark.line + 1}",
                fix="leave out the tag, and write text in quotes",
            )


def is_regular(path: Path) -> bool:
    """Whether a file can be read to its end: no folder, no pipe, no device."""
    try:
        return path.is_file()
    except OSError:  # such as a name that is too long
        return False


def read_text(path: Path) -> bytes:
    """The bytes of a plan or a rule; of a file that is too large, enough for `parse` to refuse it.

    Raises:
        OSError: it cannot be read, or is no regular file, such as a pipe that nobody may fill.
    """
    if not is_regular(path):
        path.stat()  # raises where there is nothing at all
        raise IsADirectoryError if path.is_dir() else OSError
    with path.open("rb") as content:
        return content.read(LARGEST_FILE + 1)


def parse(content: bytes, file: str, around: Keys = ()) -> tuple[Any, Places]:
    """The YAML document and the line of every key; a key given twice is an error.

    Args:
        around: keys that the whole document stands below.

    Raises:
        PlanError: it is not YAML, or larger than a plan may be.
    """
    if len(content) > LARGEST_FILE:
        raise PlanError(
            f"This has more than {LARGEST_FILE // 1024} KiB.",
            where=file,
            fix="put long lists into a hierarchy file or a table, and long queries into a view",
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        fault = PlanError(
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
            fault = _no_yaml(error, text, file)
    raise fault


def plain_content(content: Any, places: Places) -> Any:
    """A copy of a plan's content that holds mappings, lists, texts and numbers alone.

    Paths become text. Of what else stands there, an error tells the type and nothing more.

    Raises:
        PlanError: something is not to be had in a plan, or too large, or stands inside of itself.
    """
    count = 0

    def copied(value: Any, keys: Keys) -> Any:
        nonlocal count
        count += 1
        if len(keys) > DEEPEST:
            raise too_deep(places.where(keys[:3]))
        if count > MOST_VALUES:
            raise too_many(places.where(keys))
        if isinstance(value, os.PathLike):
            value = os.fspath(value)
        if isinstance(value, BaseModel):
            value = value.model_dump()
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return checked_text(value, places.where(keys))
        if isinstance(value, int):
            if abs(value) >= 10**MOST_DIGITS:
                raise _too_many_digits(None, places.where(keys))
            return value
        if isinstance(value, float | Decimal):
            return value
        if isinstance(value, Mapping):
            found = {}
            for key, inner in value.items():
                count += 1
                found[_checked_key(key, places.where(keys))] = copied(inner, (*keys, key))
            return found
        if isinstance(value, list | tuple):
            return [copied(inner, (*keys, number)) for number, inner in enumerate(value)]
        raise PlanError(
            f"This is a {type(value).__name__}, which a plan cannot hold.",
            where=places.where(keys),
            fix="give text, a number, a list or a mapping; a table is named, as in `source: {table:"
            " patients}`, with `connection=`",
        )

    return copied(content, ())


def checked_text(text: str, where: str) -> str:
    """The text, if it is short and every program can write it down.

    Raises:
        PlanError: it is too long, or has a NUL character or half of one character.
    """
    if len(text) > LONGEST_TEXT:
        raise too_long(len(text), where)
    if _UNWRITABLE.search(text):
        raise PlanError(
            "A text has a NUL character, or half of a character (a surrogate).",
            where=where,
            fix="leave the character out",
        )
    return text


def _checked_key(key: Any, where: str) -> str:
    """A key of a plan, such as the name of a column. Line breaks have an error of their own."""
    if not isinstance(key, str):
        raise PlanError(
            f"A key is a {type(key).__name__}, no text.", where=where, fix="put quotes around it"
        )
    if _STEERING.search(checked_text(key, where)):
        raise PlanError(
            "A name has a control character.",
            where=where,
            fix="rename the column in a `source: {query: …}`",
        )
    return str(key)


_UNWRITABLE = re.compile(r"[\x00\ud800-\udfff]")
_STEERING = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def _no_yaml(error: yaml.YAMLError, text: str, file: str) -> PlanError:
    mark = getattr(error, "problem_mark", None)
    line = mark.line + 1 if mark else text.count("\n", 0, getattr(error, "position", 0)) + 1
    problem = getattr(error, "problem", None) or "a character that YAML does not allow"
    return PlanError(
        f"This is not YAML: {problem[:200]}.",
        where=f"{file}:{line}",
        fix="check indentation, quotes and brackets on this line and the one before",
    )


def too_deep(where: str) -> PlanError:
    """What is said of lists and mappings in each other."""
    return PlanError(
        f"Lists and mappings stand in each other more than {DEEPEST} deep.",
        where=where,
        fix="close the brackets, or mend the indentation",
    )


def too_many(where: str) -> PlanError:
    """What is said of a plan with too many values."""
    return PlanError(
        f"There are more than {MOST_VALUES:,} keys and values.",
        where=where,
        fix="put long lists into a hierarchy file or a table; leave columns out by a query",
    )


def too_long(length: int, where: str) -> PlanError:
    """What is said of a text that is too long."""
    return PlanError(
        f"A text has {length:,} characters, more than {LONGEST_TEXT:,}.",
        where=where,
        fix="write a shorter text; of a long query make a view in the database",
    )


def _too_many_digits(count: int | None, where: str) -> PlanError:
    told = f"{count:,} characters, more than" if count else "more digits than"
    return PlanError(
        f"A number has {told} {MOST_DIGITS}.",
        where=where,
        fix="write a number with fewer digits, or quotes around a text",
    )


def _check_aliases(root: yaml.Node, file: str) -> None:
    """Aliases written out, the document must still be of a size that a plan may have."""
    sizes: dict[int, tuple[int, int]] = {}
    open_nodes: set[int] = set()

    def measured(node: yaml.Node) -> tuple[int, int]:
        """Values in a node, and how deep they stand in each other."""
        if id(node) in sizes:
            return sizes[id(node)]
        where = f"{file}:{node.start_mark.line + 1}"
        if id(node) in open_nodes:
            raise PlanError(
                "An alias stands inside of what it is an alias of.",
                where=where,
                fix="leave out the alias, `*NAME`",
            )
        open_nodes.add(id(node))
        inner: list[yaml.Node] = []
        if isinstance(node, yaml.MappingNode):
            inner = [part for pair in node.value for part in pair]
        elif isinstance(node, yaml.SequenceNode):
            inner = node.value
        found = [measured(part) for part in inner]
        size = 1 + sum(part[0] for part in found)
        depth = 1 + max((part[1] for part in found), default=0)
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
