"""Paths in SQL: marked in a step's text, relative for its reader, absolute for the engine.

A reviewed program names files relative to the plan's folder. The engine must not depend on the
working directory of the process, and DuckDB treats `[`, `*` and `?` in a path as wildcards. So
templates write a path between marks that no plan can contain, and the code that takes the text out
of a step chooses the form of the path: `written` for a reader, `planned` for a plan, and
`PathMap.absolute` for the engine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

_FILE, _PATTERN, _PLAIN, _END = "\x1c", "\x1d", "\x1e", "\x1f"
_MARKED = re.compile(f"([{_FILE}{_PATTERN}{_PLAIN}])([^{_END}]*){_END}")

_SPECIAL = re.compile(r"~|[A-Za-z][\w+.-]*:(?!//)")
"""What DuckDB would treat as a home folder or a protocol at the beginning of a path."""


def is_pattern(path: str) -> bool:
    """Whether the path of a source has wildcards: `*` and `?` are wildcards, brackets are not."""
    return "*" in path or "?" in path


def is_remote(path: str) -> bool:
    """Whether the path is on another machine, which only the caller's own connection can read."""
    return "://" in path


def file_to_read(path: str) -> str:
    """The SQL literal of a single file that is read, whatever characters its path contains."""
    return _literal(_FILE, path)


def files_to_read(path: str) -> str:
    """The SQL literal of a path that is read, in which `*` and `?` are wildcards."""
    return _literal(_PATTERN, path)


def file_to_write(path: str) -> str:
    """The SQL literal of a file that is written or attached."""
    return _literal(_PLAIN, path)


def unmarked(literal: str) -> str | None:
    """The path in the text of a literal that one of these wrote; None if it is another text."""
    found = _MARKED.fullmatch(literal)
    return found[2] if found else None


def reads_paths(sql: str) -> bool:
    """Whether a step's text names files that are read."""
    return _FILE in sql or _PATTERN in sql


def _literal(mark: str, path: str) -> str:
    return "'" + mark + path.replace("'", "''") + _END + "'"


def written(sql: str) -> str:
    """The text for a reader, and for a shell in the plan's folder, with paths as in the plan."""
    return _replaced(sql, lambda path: f"./{path}" if _SPECIAL.match(path) else path)


def planned(sql: str) -> str:
    """The text for a query of a plan, in which brackets of paths are no wildcards."""
    return _MARKED.sub(r"\2", sql)


@dataclass(frozen=True)
class PathMap:
    """Where the paths of a step are on this machine."""

    folder: Path  # that relative paths are relative to
    # the files of paths that are in the private folder of a run
    private: Mapping[str, Path] = field(default_factory=dict)

    def absolute(self, path: str) -> str:
        """The absolute path of what SQL calls `path`; wildcards stay as they are."""
        if path in self.private:
            return str(self.private[path])
        if is_remote(path):
            return path
        fixed = _fixed(path)
        rest = path[len(fixed) :].lstrip("/")
        whole = os.path.realpath(self.folder / fixed)
        return os.path.join(whole, rest) if rest else whole

    def resolved(self, sql: str) -> str:
        """The text that the engine executes, with absolute paths."""
        return _replaced(sql, self.absolute)


def _replaced(sql: str, place: Callable[[str], str]) -> str:
    def replace(found: re.Match[str]) -> str:
        mark, path = found.group(1), found.group(2).replace("''", "'")
        placed = place(path)
        if mark == _FILE:
            placed = literal_pattern(placed)
        elif mark == _PATTERN:  # everything before the first part with a wildcard is literal
            end = len(placed) - len(path[len(_fixed(path)) :].lstrip("/"))
            placed = literal_pattern(placed[:end]) + placed[end:].replace("[", "[[]")
        return placed.replace("'", "''")

    return _MARKED.sub(replace, sql)


def _fixed(path: str) -> str:
    """The part of a path before the first component with a wildcard."""
    while is_pattern(path):
        path = os.path.dirname(path)
    return path


def literal_pattern(path: str) -> str:
    """The pattern that matches only this file; DuckDB reads every path as a pattern."""
    return re.sub(r"[*?\[]", r"[\g<0>]", path)
