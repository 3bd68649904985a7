"""A tree in a text file, one line per inner node; errors name lines in it, but no label."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from pydantic import Field

from sqlanon.bounds import PathText
from sqlanon.errors import HierarchyError
from sqlanon.hierarchies.base import Hierarchy


class Taxonomy(Hierarchy):
    """A tree in a text file, one line `parent: child, child` per inner node.

    The file is looked up like a CSV file. The first colon of a line ends the parent, so names of
    children may contain colons; no name contains a comma. Spaces and tabs around names are trimmed,
    blank lines and lines that begin with `#` are skipped, and quotes have no special meaning. A
    leaf that is less deep than the deepest one keeps its own label up to the level of its parent.
    """

    template = "hierarchies/taxonomy.sql"
    key = "taxonomy"
    top_label: ClassVar[None] = None
    endings = ("txt",)
    form = "text in UTF-8, one line `parent: child, child` per inner node"

    taxonomy: PathText = Field(description=f"path of a file: {form}")

    def __init__(self, taxonomy: str | Path, **keys: Any) -> None:
        self._set_keys(taxonomy=taxonomy, **keys)

    @property
    def file_path(self) -> str:
        return self.taxonomy

    def looked_at(self, found: Path, path_in_sql: str, where: str) -> FoundTaxonomy:
        """The same hierarchy with the number of levels counted in the file."""
        try:
            levels = depth_of(inner_nodes(found.read_bytes())) + 1
        except TaxonomyError as error:
            place = f"Line {error.line} of" if error.line else "The taxonomy file"
            raise HierarchyError(
                f"{place} '{self.file_path}' {error.what}.", where=where, fix=error.fix
            ) from None
        return FoundTaxonomy(taxonomy=path_in_sql, levels=levels)


class FoundTaxonomy(Taxonomy):
    """A taxonomy that was found and is a tree: all that SQL needs to read it is known."""

    levels: int

    @property
    def level_count(self) -> int:
        return self.levels


_LONGEST_LINE = 1_900_000
"""Bytes of a line; DuckDB's limit is 2,000,000, including the line break and what precedes it."""

_DEEPEST = 100
"""Levels below a taxonomy's root; each is a join and a column in SQL."""


class TaxonomyError(Exception):
    """What is wrong in a line of a taxonomy (0: in the whole file), and how to fix it.

    It names lines and positions in them, but no label: labels of leaves are values of a source.
    """

    def __init__(self, line: int, what: str, fix: str) -> None:
        super().__init__(what)
        self.line = line
        self.what = what
        self.fix = fix


class _Part(NamedTuple):
    """A line of a taxonomy: an inner node and its children."""

    line: int
    parent: str
    children: list[str]


def _taxonomy_lines(content: bytes) -> list[str]:
    """The lines of a taxonomy's file, split as DuckDB will split them."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        above = len(re.findall(rb"\r\n|\r|\n", error.object[: error.start]))
        raise TaxonomyError(above + 1, "is not UTF-8", "save the file as UTF-8") from None
    ends = re.findall(r"\r\n|\r|\n", text)
    lines = re.split(r"\r\n|\r|\n", text)
    for number, (line, end) in enumerate(itertools.zip_longest(lines, ends), start=1):
        if end is not None and end != ends[0]:
            raise TaxonomyError(
                number,
                "ends with a different line break than line 1",
                "save the file with the same line breaks everywhere",
            )
        if "\0" in line:
            raise TaxonomyError(
                number, "contains a NUL character", "save the file as plain text in UTF-8"
            )
        if len(line.encode()) > _LONGEST_LINE:
            raise TaxonomyError(
                number,
                f"has more than {_LONGEST_LINE:,} bytes",
                "write the hierarchy as a CSV file, one row per value, and name it with `file:`",
            )
    return lines


def inner_nodes(content: bytes) -> Iterator[_Part]:
    """The inner nodes of a taxonomy, line by line; each line is checked on its own."""
    for number, line in enumerate(_taxonomy_lines(content), start=1):
        stripped = line.strip(" \t")
        if not stripped or stripped.startswith("#"):
            continue
        before, colon, after = stripped.partition(":")
        if not colon:
            raise TaxonomyError(
                number,
                "has no colon",
                "write each inner node and its children as `parent: child, child`",
            )
        parent = before.strip(" \t")
        children = [child.strip(" \t") for child in after.split(",")]
        if not parent:
            raise TaxonomyError(
                number, "has an empty name before the colon", "write the name of the inner node"
            )
        if children == [""]:
            raise TaxonomyError(
                number,
                "names no child",
                "leave the line out: a leaf is listed only among the children of its parent",
            )
        if "" in children:
            raise TaxonomyError(
                number,
                f"has an empty name as child number {children.index('') + 1}",
                "write one name between two commas, and no comma at the end",
            )
        yield _Part(number, parent, children)


def depth_of(parts: Iterator[_Part]) -> int:
    """How many levels the deepest leaf of a taxonomy is below its root."""
    inner: dict[str, _Part] = {}
    above: dict[str, _Part] = {}
    for part in parts:
        if part.parent in inner:
            raise TaxonomyError(
                part.line,
                f"begins with the same node as line {inner[part.parent].line}",
                "write all children of a node in one line",
            )
        inner[part.parent] = part
        for number, child in enumerate(part.children, start=1):
            other = above.get(child)
            if other is None:
                above[child] = part
                continue
            first = other.children.index(child) + 1
            if other is not part:
                raise TaxonomyError(
                    part.line,
                    f"has as child number {number} a node that is child number {first} of line"
                    f" {other.line}, so the node has two parents",
                    "remove it from one of the two lines",
                )
            raise TaxonomyError(
                part.line,
                f"has the same node as child number {first} and number {number}",
                "remove one of them",
            )
    if not inner:
        raise TaxonomyError(0, "is empty", "write one line `parent: child, child` per inner node")
    roots = [part for node, part in inner.items() if node not in above]
    if len(roots) > 1:
        raise TaxonomyError(
            roots[1].line,
            f"begins with a node that is not a child, as does line {roots[0].line}; a tree has one"
            " root",
            "make one of the two nodes a child of the other, or both of a root such as `*`",
        )
    depth, level, reached = 0, roots, set[str]()
    while level:
        if depth == _DEEPEST:
            raise TaxonomyError(
                level[0].line,
                f"gives children to a node {_DEEPEST} levels below the root",
                f"leave out levels; a leaf is at most {_DEEPEST} levels below the root",
            )
        depth += 1
        reached.update(part.parent for part in level)
        level = [inner[child] for part in level for child in part.children if child in inner]
    unreached = [node for node in inner if node not in reached]
    if unreached:
        # None of these is a root, so going from parent to parent leads into a cycle.
        node, passed = unreached[0], set[str]()
        while node not in passed:
            passed.add(node)
            node = above[node].parent
        raise TaxonomyError(
            inner[node].line,
            "begins with a node that is below itself",
            f"remove the node from the children in line {above[node].line}",
        )
    return depth
