"""Reads the text file of a taxonomy; errors name lines and places in them, and no label."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

_LONGEST_LINE = 1_900_000
"""Bytes of a taxonomy's line; DuckDB stops at 2,000,000, with the line's end and what precedes."""

_DEEPEST = 100
"""Levels below a taxonomy's root; each is a join and a column in SQL."""


class TaxonomyFault(Exception):
    """What is wrong in a line of a taxonomy (0: in the whole file), and how to mend it.

    It tells lines and places in them, no label: labels of leaves are values of a source.
    """

    def __init__(self, line: int, what: str, fix: str) -> None:
        super().__init__(what)
        self.line = line
        self.what = what
        self.fix = fix


class _Part(NamedTuple):
    """A line of a taxonomy: an inner node and the nodes right below it."""

    line: int
    parent: str
    children: list[str]


def _taxonomy_lines(content: bytes) -> list[str]:
    """The lines of a taxonomy's file, as DuckDB will read them too."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        above = len(re.findall(rb"\r\n|\r|\n", error.object[: error.start]))
        raise TaxonomyFault(above + 1, "is not UTF-8", "save the file as UTF-8") from None
    ends = re.findall(r"\r\n|\r|\n", text)
    lines = re.split(r"\r\n|\r|\n", text)
    for number, (line, end) in enumerate(itertools.zip_longest(lines, ends), start=1):
        if end is not None and end != ends[0]:
            raise TaxonomyFault(
                number,
                "ends with another kind of line break than line 1",
                "save the file with one kind of line breaks",
            )
        if "\0" in line:
            raise TaxonomyFault(
                number, "has a NUL character", "save the file as plain text in UTF-8"
            )
        if len(line.encode()) > _LONGEST_LINE:
            raise TaxonomyFault(
                number,
                f"has more than {_LONGEST_LINE:,} bytes",
                "write the hierarchy as a CSV file, one row per value, and name it by `file:`",
            )
    return lines


def inner_nodes(content: bytes) -> Iterator[_Part]:
    """Line by line the inner nodes of a taxonomy, each line sound by itself."""
    for number, line in enumerate(_taxonomy_lines(content), start=1):
        stripped = line.strip(" \t")
        if not stripped or stripped.startswith("#"):
            continue
        before, colon, after = stripped.partition(":")
        if not colon:
            raise TaxonomyFault(
                number,
                "has no colon",
                "write each inner node and what is right below it as `parent: child, child`",
            )
        parent = before.strip(" \t")
        children = [child.strip(" \t") for child in after.split(",")]
        if not parent:
            raise TaxonomyFault(
                number, "has an empty name before the colon", "write the name of the inner node"
            )
        if children == [""]:
            raise TaxonomyFault(
                number,
                "names no child",
                "leave the line out: a leaf stands among the children of its parent only",
            )
        if "" in children:
            raise TaxonomyFault(
                number,
                f"has an empty name as child number {children.index('') + 1}",
                "write one name between two commas, and no comma at the end",
            )
        yield _Part(number, parent, children)


def depth_of(parts: Iterator[_Part]) -> int:
    """How many levels the deepest leaf of a taxonomy stands below its root.

    Raises:
        TaxonomyFault: the parts are not one tree.
    """
    inner: dict[str, _Part] = {}
    above: dict[str, _Part] = {}
    for part in parts:
        if part.parent in inner:
            raise TaxonomyFault(
                part.line,
                f"begins with the node that line {inner[part.parent].line} begins with",
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
                raise TaxonomyFault(
                    part.line,
                    f"has as child number {number} a node that is child number {first} of line"
                    f" {other.line}, so it has two parents",
                    "leave it out in one of the two lines",
                )
            raise TaxonomyFault(
                part.line,
                f"has one node as child number {first} and number {number}",
                "leave one of them out",
            )
    if not inner:
        raise TaxonomyFault(0, "is empty", "write one line `parent: child, child` per inner node")
    roots = [part for node, part in inner.items() if node not in above]
    if len(roots) > 1:
        raise TaxonomyFault(
            roots[1].line,
            f"begins with a node that is no child, as does line {roots[0].line}; a tree has one"
            " root",
            "write one of the two nodes below the other, or both below a root such as `*`",
        )
    depth, level, reached = 0, roots, set[str]()
    while level:
        if depth == _DEEPEST:
            raise TaxonomyFault(
                level[0].line,
                f"gives children to a node {_DEEPEST} levels below the root",
                f"leave out levels; a leaf stands at most {_DEEPEST} below the root",
            )
        depth += 1
        reached.update(part.parent for part in level)
        level = [inner[child] for part in level for child in part.children if child in inner]
    beside = [node for node in inner if node not in reached]
    if beside:
        # Nobody there is a root, so whoever climbs from one to its parent comes by twice.
        node, passed = beside[0], set[str]()
        while node not in passed:
            passed.add(node)
            node = above[node].parent
        raise TaxonomyFault(
            inner[node].line,
            "begins with a node that stands below itself",
            f"take the node out of the children in line {above[node].line}",
        )
    return depth
