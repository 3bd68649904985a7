"""Paths in SQL: marked in a step's text, relative for its reader, absolute for the engine.

A reviewed program names files relative to the plan's folder. The engine must not depend on the
working directory of the process, and DuckDB takes `[`, `*` and `?` in a path as a pattern. So
templates write a path between marks that no plan can contain, and whoever takes the text out of a
step says which form the path gets: `written` for a reader, `Places.absolute` for the engine.
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
"""What DuckDB would take for a home folder or a protocol at the beginning of a path."""


def is_pattern(path: str) -> bool:
    """Whether the path of a source stands for several files: `*` and `?` do, brackets do not."""
    return "*" in path or "?" in path


def is_remote(path: str) -> bool:
    """Whether the path is of another machine, which only a connection of the caller's reads."""
    return "://" in path


def file_to_read(path: str) -> str:
    """The SQL literal of one file that is read, whatever characters its path has."""
    return _literal(_FILE, path)


def files_to_read(path: str) -> str:
    """The SQL literal of a path that is read, where `*` and `?` stand for other characters."""
    return _literal(_PATTERN, path)


def file_to_write(path: str) -> str:
    """The SQL literal of a file that is written or attached."""
    return _literal(_PLAIN, path)


def _literal(mark: str, path: str) -> str:
    return "'" + mark + path.replace("'", "''") + _END + "'"


def written(sql: str) -> str:
    """The text for a reader, and for a shell in the plan's folder: paths as the plan has them."""
    return _replaced(sql, lambda path: f"./{path}" if _SPECIAL.match(path) else path)


@dataclass(frozen=True)
class Places:
    """Where the paths of a step lie on this machine.

    Attributes:
        folder: that relative paths start from.
        private: of paths that lie elsewhere, in the private folder of a run: the file.
    """

    folder: Path
    private: Mapping[str, Path] = field(default_factory=dict)

    def absolute(self, path: str) -> str:
        """The absolute path of what SQL calls `path`; of a pattern, of the part before it."""
        if path in self.private:
            return str(self.private[path])
        if is_remote(path):
            return path
        fixed = _fixed(path)
        rest = path[len(fixed) :].lstrip("/")
        whole = os.path.realpath(self.folder / fixed)
        return os.path.join(whole, rest) if rest else whole

    def resolved(self, sql: str) -> str:
        """The text that the engine executes: every path absolute."""
        return _replaced(sql, self.absolute)


def _replaced(sql: str, place: Callable[[str], str]) -> str:
    def replace(found: re.Match[str]) -> str:
        mark, path = found.group(1), found.group(2).replace("''", "'")
        placed = place(path)
        if mark == _FILE:
            placed = literal_pattern(placed)
        elif mark == _PATTERN:  # what stands before the first part with a wildcard is literal
            end = len(placed) - len(path[len(_fixed(path)) :].lstrip("/"))
            placed = literal_pattern(placed[:end]) + placed[end:].replace("[", "[[]")
        return placed.replace("'", "''")

    return _MARKED.sub(replace, sql)


def _fixed(path: str) -> str:
    """The part of a path before the first of its parts that has a wildcard."""
    while is_pattern(path):
        path = os.path.dirname(path)
    return path


def literal_pattern(path: str) -> str:
    """The pattern that stands for this one file, as DuckDB reads every path as a pattern."""
    return re.sub(r"[*?\[]", r"[\g<0>]", path)
