"""Reads the file of an ARX project (`.deid`): a zip of XML, CSV and Java objects.

It can be of anybody: no name in it becomes a path, its documents define nothing, its size is
limited, and its Java objects are not read.
"""

from __future__ import annotations

import csv
import io
import re
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree
from zipfile import BadZipFile, ZipFile

from sqlanon.boundary.text import is_regular
from sqlanon.errors import PlanError, brief

_INPUT = "data/input.csv"
_MOST_ENTRIES = 10_000
_LARGEST_DOCUMENT = 4 * 1024**2
_LARGEST_HIERARCHY = 32 * 1024**2
"""Bytes."""

_LARGEST_RATIO = 100
"""How many times its own bytes a file may hold, if that is more than a hierarchy may have."""


@dataclass(frozen=True)
class ArxFile:
    """The entries of an open project.

    Attributes:
        path: of the file.
        names: of the entries.
    """

    path: Path
    names: frozenset[str]
    _entries: ZipFile

    @property
    def has_input(self) -> bool:
        return _INPUT in self.names

    def extract_input(self, to: Path) -> None:
        """Write the input to a file."""
        with self._entries.open(_INPUT) as content, to.open("wb") as file:
            shutil.copyfileobj(content, file)

    def xml(self, name: str) -> ElementTree.Element:
        """The root of a document that defines no entities."""
        if name not in self.names:
            raise _refused(f"'{self.path.name}' has no {name}, so it is no project of ARX.")
        try:
            text = self._content(name, _LARGEST_DOCUMENT).decode("utf-8-sig")
            if "<!DOCTYPE" not in text:
                return ElementTree.fromstring(text)
        except (UnicodeDecodeError, ElementTree.ParseError, ValueError):
            pass
        raise damaged(name)

    def hierarchy(self, attribute: str, separator: str, warnings: list[str]) -> list[list[str]]:
        """The rows of a hierarchy with one top; none if the attribute has no levels."""
        name, shown = f"input/hierarchies/{attribute}.csv", brief(attribute)
        content = self._content(name, _LARGEST_HIERARCHY) if name in self.names else b""
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = content.decode("cp1252", errors="replace")
            warnings.append(f"The hierarchy of '{shown}' is read as Windows-1252.")
        try:
            rows = [r for r in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if r]
        except (csv.Error, TypeError):
            rows = [[], [""]]
        if len({len(row) for row in rows}) > 1:
            raise damaged(f"the hierarchy of '{shown}'")
        rows = [row for row in rows if row[0]]  # an empty value is a missing one, on every level
        if not rows or len(rows[0]) == 1:
            warnings.append(f"'{shown}' has no levels in ARX; here it has one, '*'.")
            return []
        if len({row[-1] for row in rows}) > 1:
            warnings.append(f"The hierarchy of '{shown}' has no single top, so it gets '*'.")
            return [[*row, "*"] for row in rows]
        return rows

    def _content(self, name: str, largest: int) -> bytes:
        if self._entries.getinfo(name).file_size > largest:
            raise _refused(f"{brief(name)} is larger than {largest // 1024**2} MiB.")
        return self._entries.read(name)


@contextmanager
def opened(path: Path) -> Iterator[ArxFile]:
    """A project, for reading.

    Raises:
        PlanError: this is no project of ARX, it is damaged, or it holds too much.
    """
    if not is_regular(path):
        raise PlanError(
            f"There is no file '{path.name}'.", where="--from-arx", fix="check the path"
        )
    try:
        with ZipFile(path) as project:
            entries = project.infolist()
            held = sum(entry.file_size for entry in entries)
            if len(entries) > _MOST_ENTRIES:
                raise _refused(f"'{path.name}' has more than {_MOST_ENTRIES:,} entries.")
            if any(
                ".." in re.split(r"[/\\]", e.filename) or e.filename[:1] in "/\\" for e in entries
            ):
                raise _refused(f"'{path.name}' has an entry whose path leaves the project.")
            if held > max(_LARGEST_HIERARCHY, _LARGEST_RATIO * path.stat().st_size):
                raise _refused(
                    f"'{path.name}' holds more than {_LARGEST_RATIO} times its own size."
                )
            names = frozenset(entry.filename for entry in entries)
            yield ArxFile(path, names, project)
            return
    except (BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error):
        pass
    raise _refused(f"'{path.name}' is no zip, or a damaged one, and so no project of ARX.")


def damaged(part: str) -> PlanError:
    """The error of a part of a project."""
    return _refused(f"The project is damaged: {part} cannot be read.")


def _refused(what: str) -> PlanError:
    return PlanError(what, where="--from-arx", fix="open the project in ARX, and save it again")
