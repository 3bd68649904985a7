"""The content of a plan within its limits, and the line of every key for error messages."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from sqlanon.errors import PlanError, brief

Keys = tuple[str | int, ...]
"""Keys and list positions that lead to a place in a plan."""


LARGEST_FILE = 512 * 1024
"""Bytes of a plan, or of a file with a rule."""

LONGEST_TEXT = 64 * 1024
"""Characters of one text in a plan, such as a query."""

DEEPEST = 50
"""How deeply lists and mappings of a plan may be nested."""

MOST_VALUES = 25_000
"""Keys, values, lists and mappings of a plan together."""

MOST_DIGITS = 100
"""Characters of a number."""


@dataclass(frozen=True)
class Places:
    """Where the keys of a plan are, for error messages.

    Attributes:
        file: name of the plan's file; empty for a plan that is not a file.
        lines: the line of every key.
        overridden: keys that `--set` has set.
    """

    file: str = ""
    lines: Mapping[Keys, int] = field(default_factory=dict)
    overridden: frozenset[Keys] = frozenset()

    def line(self, keys: Keys) -> int:
        """The line of a key, or of the nearest key that encloses it."""
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


def is_regular(path: Path) -> bool:
    """Whether a path is a regular file: not a folder, pipe or device."""
    try:
        return path.is_file()
    except OSError:  # such as a name that is too long
        return False


def plain_content(content: Any, places: Places) -> Any:
    """A copy of a plan's content, with only mappings, lists, text and numbers.

    Paths become text. For anything else, the error names the type and nothing more.

    Raises:
        PlanError: a value is not allowed in a plan, is too large, or contains itself.
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
                raise too_many_digits(None, places.where(keys))
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
            fix="give text, a number, a list or a mapping; rows are given to a function, as in"
            " `run(plan, source=…)`",
        )

    return copied(content, ())


def checked_text(text: str, where: str) -> str:
    """The text, if it is short enough, every program can write it, and it reads as it runs.

    Raises:
        PlanError: it is too long, or contains a NUL character, a surrogate, or a character that
            shows others in another order.
    """
    if len(text) > LONGEST_TEXT:
        raise too_long(len(text), where)
    if _UNWRITABLE.search(text):
        raise PlanError(
            "A text contains a NUL character or a surrogate (half of a character).",
            where=where,
            fix="leave the character out",
        )
    if _REORDERING.search(text):
        raise PlanError(
            "A text contains a control character of the direction of writing, with which SQL is"
            " shown in another order than it runs.",
            where=where,
            fix="leave the character out; text in Arabic or Hebrew does not need it",
        )
    return text


def _checked_key(key: Any, where: str) -> str:
    """A key of a plan, such as the name of a column. Line breaks have a separate error."""
    if not isinstance(key, str):
        raise PlanError(
            f"A key must be text, not a {type(key).__name__}.",
            where=where,
            fix="put quotes around it",
        )
    if _STEERING.search(checked_text(key, where)):
        raise PlanError(
            "A name contains a control character.",
            where=where,
            fix="rename the column in a `source: {query: …}`",
        )
    return str(key)


_REORDERING = re.compile(r"[\u202a-\u202e\u2066-\u2069]")
"""Characters by which SQL that a person reviews can look like other SQL ("Trojan Source", 2021)."""

_UNWRITABLE = re.compile(r"[\x00\ud800-\udfff]")
_STEERING = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def too_deep(where: str) -> PlanError:
    """The error for lists and mappings that are nested too deeply."""
    return PlanError(
        f"Lists and mappings are nested more than {DEEPEST} levels deep.",
        where=where,
        fix="close the brackets, or fix the indentation",
    )


def too_many(where: str) -> PlanError:
    """The error for a plan with too many values."""
    return PlanError(
        f"The plan has more than {MOST_VALUES:,} keys and values.",
        where=where,
        fix="put long lists into a hierarchy file or a table; leave out columns with a query",
    )


def too_long(length: int, where: str) -> PlanError:
    """The error for a text that is too long."""
    return PlanError(
        f"A text has {length:,} characters, more than {LONGEST_TEXT:,}.",
        where=where,
        fix="write a shorter text; turn a long query into a view in the database",
    )


def too_many_digits(count: int | None, where: str) -> PlanError:
    """The error for a number that is too long."""
    excess = f"{count:,} characters, more than" if count else "more digits than"
    return PlanError(
        f"A number has {excess} {MOST_DIGITS}.",
        where=where,
        fix="write a number with fewer digits, or quotes around a text",
    )
