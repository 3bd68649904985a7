"""Lines of SQL text: what fits stays on one line, what does not is broken from the outside in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

WIDTH = 100
_STEP = 4


@dataclass(frozen=True)
class Line:
    """A line break; `flat` stands in its place where all fits on one line."""

    flat: str = " "


@dataclass(frozen=True)
class Nest:
    """What is indented one step further, after each of its line breaks."""

    inner: Doc


@dataclass(frozen=True)
class Group:
    """What stands on one line if it fits, or else is broken at all of its own line breaks."""

    inner: Doc


@dataclass(frozen=True)
class Stack:
    """What is always broken at its own line breaks, as is everything around it."""

    inner: Doc


Doc: TypeAlias = "str | Line | Nest | Group | Stack | tuple[Doc, ...]"

LINE, SOFT = Line(), Line("")


def joined(parts: Sequence[Doc], between: Doc) -> Doc:
    """The parts with something between each two."""
    found: list[Doc] = []
    for part in parts:
        found += [between, part] if found else [part]
    return tuple(found)


def listed(parts: Sequence[Doc]) -> Doc:
    """The parts with commas."""
    return joined(parts, (",", LINE))


def call(name: str, *parts: Doc) -> Doc:
    """A call of a function."""
    return Group((f"{name}(", Nest((SOFT, listed(parts))), SOFT, ")")) if parts else f"{name}()"


def laid_out(doc: Doc) -> str:
    """The text, of lines that are at most `WIDTH` long where they can be broken."""
    out: list[str] = []
    column = 0
    waiting: list[tuple[int, bool, Doc]] = [(0, False, doc)]
    while waiting:
        margin, flat, part = waiting.pop()
        if isinstance(part, str):
            out.append(part)
            column += len(part)
        elif isinstance(part, Line):
            out.append(part.flat if flat else "\n" + " " * margin)
            column = column + len(part.flat) if flat else margin
        elif isinstance(part, Nest):
            waiting.append((margin + _STEP, flat, part.inner))
        elif isinstance(part, Stack):
            waiting.append((margin, False, part.inner))
        elif isinstance(part, Group):
            fits = flat or _fits(WIDTH - column, waiting, part.inner)
            waiting.append((margin, fits, part.inner))
        else:
            waiting += [(margin, flat, each) for each in reversed(part)]
    return "\n".join(line.rstrip() for line in "".join(out).split("\n"))


def _fits(room: int, after: Sequence[tuple[int, bool, Doc]], doc: Doc) -> bool:
    """Whether a part fits into the rest of the line, with what follows it there."""
    waiting: list[tuple[bool, Doc]] = [(flat, part) for _, flat, part in after]
    waiting.append((True, doc))
    while waiting and room >= 0:
        flat, part = waiting.pop()
        if isinstance(part, str):
            room -= len(part)
        elif isinstance(part, Line):
            if not flat:
                return True
            room -= len(part.flat)
        elif isinstance(part, Stack):
            return len(waiting) < len(after)
        elif isinstance(part, Nest | Group):
            waiting.append((flat, part.inner))
        else:
            waiting += [(flat, each) for each in reversed(part)]
    return room >= 0
