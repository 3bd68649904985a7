"""Folds long lines of SQL at commas, so that a template can list columns without counting them.

Only white space changes, and only where no literal or quoted name is. Long lines of the header are
broken between words.
"""

from __future__ import annotations

import functools
import re
import textwrap
from collections.abc import Iterator
from typing import NamedTuple

from sqlglot import Token, TokenType
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import SqlglotError

WIDTH = 100
"""Characters of a line that needs no folding."""

_STEP = "    "
_WORTH = 24
"""Characters in brackets that are worth lines of their own."""

_OPEN = {TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE}
_CLOSE = {TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE}
_HEADS = ("select distinct", "select", "group by", "order by", "partition by")


class _Mark(NamedTuple):
    """A place in a line where a bracket opens (+1) or closes (-1), or a comma ends (0).

    Where `from` begins, which is no part of `distinct from`, nothing changes either.
    """

    place: int
    change: int
    is_from: bool = False


@functools.lru_cache(maxsize=256)  # similar plans render the same steps
def folded(sql: str) -> str:
    """The same SQL with lines of `WIDTH` characters at most, where commas allow it."""
    lines = _header_wrapped(sql.split("\n"))
    sql = "\n".join(lines)
    if all(len(line) <= WIDTH or line.lstrip().startswith("--") for line in lines):
        return sql
    starts, start = [], 0
    for line in lines:
        starts.append(start)
        start += len(line) + 1
    marks: list[list[_Mark]] = [[] for _ in lines]
    solid = [False] * len(lines)
    number = 0
    end_of_last = 0
    last_type = TokenType.COMMA
    try:
        tokens = DuckDB().tokenize(sql)
    except SqlglotError:  # the query of a plan may have what only the database reads
        return sql
    for token in tokens:
        while number + 1 < len(lines) and token.start >= starts[number + 1]:
            number += 1
        last = number
        while last + 1 < len(lines) and token.end >= starts[last + 1]:
            last += 1
        gap = sql[end_of_last : token.start]
        comment = max(gap.rfind("--"), gap.rfind("/*"))
        if comment >= 0:
            place = sum(start <= end_of_last + comment for start in starts) - 1
            solid[place] = True
            solid[number] |= "/*" in gap
        for within in range(number, last + 1 if last > number else number):
            solid[within] = True
        end_of_last = token.end + 1
        if token.token_type in _OPEN:
            marks[number].append(_Mark(token.start - starts[number], 1))
        elif token.token_type in _CLOSE:
            marks[number].append(_Mark(token.start - starts[number], -1))
        elif token.token_type == TokenType.COMMA:
            marks[number].append(_Mark(token.end + 1 - starts[number], 0))
        elif token.token_type == TokenType.FROM and last_type != TokenType.DISTINCT:
            marks[number].append(_Mark(token.start - starts[number], 0, is_from=True))
        last_type = token.token_type
    result: list[str] = []
    for line, marked, is_solid in zip(lines, marks, solid, strict=True):
        long = len(line) > WIDTH and not is_solid and "--" not in line
        result += _fold(line, marked) if long else [line]
    return "\n".join(result)


def _header_wrapped(lines: list[str]) -> list[str]:
    """The lines with those of the header at most `WIDTH` long, where words allow it.

    A line that says what a column is, `--   NAME   text`, goes on below its text.
    """
    end = next((n for n, line in enumerate(lines) if not line.startswith("--")), len(lines))
    header: list[str] = []
    for line in lines[:end]:
        column = re.match(r"--   \S.{,30}?   +", line)
        hang = "--" + " " * (len(column[0]) - 2 if column else 3)
        is_path = "\x1f" in line  # a marked path stays in one piece
        header += [line] if len(line) <= WIDTH or is_path else textwrap.wrap(
            line, WIDTH, subsequent_indent=hang, break_long_words=False, break_on_hyphens=False
        )  # fmt: skip
    return header + lines[end:]


def _fold(line: str, marks: list[_Mark]) -> Iterator[str]:
    """The parts of one line."""
    body = line.lstrip(" ")
    shift = len(line) - len(body)
    indent = " " * shift
    head = next((each for each in _HEADS if body.startswith(f"{each} ")), "")
    depth, commas = 0, []
    for mark in marks:
        depth += mark.change
        if mark.is_from and depth == 0 and head.startswith("select"):
            for part in (line[: mark.place].rstrip(), indent + line[mark.place :]):
                yield from folded(part).split("\n")
            return
        if mark.change == 0 and depth == 0 and not mark.is_from and mark.place < len(line):
            commas.append(mark.place)
    if commas or head:
        if head:
            yield indent + head
            indent += _STEP
        begin = shift + len(head)
        items = [
            line[a:b].strip() for a, b in zip([begin, *commas], [*commas, len(line)], strict=True)
        ]
        for part in _filled(items, indent):
            yield from [part] if part == line else folded(part).split("\n")
        return
    yield from _opened(line, indent, marks)


def _opened(line: str, indent: str, marks: list[_Mark]) -> Iterator[str]:
    """A line whose commas are all in brackets: the longest outer ones get lines of their own."""
    opened: list[int] = []
    best: tuple[int, int] | None = None
    for mark in marks:
        if mark.change == 1:
            opened.append(mark.place)
        elif mark.change == -1 and opened:
            start = opened.pop()
            if opened or mark.place - start < _WORTH:
                continue
            if best is None or mark.place - start > best[1] - best[0]:
                best = start, mark.place
    if best is None:
        yield line
        return
    start, end = best
    if line.strip().startswith("from read_"):
        yield from _hanging(line, indent, start, end)
        return
    yield line[: start + 1]
    yield from folded(f"{indent}{_STEP}{line[start + 1 : end].strip()}").split("\n")
    yield f"{indent}{line[end:]}"


def _hanging(line: str, indent: str, start: int, end: int) -> Iterator[str]:
    """The call of a reader: its options go on over indented lines."""
    inner = line[start + 1 : end]
    places = [token.end + 1 for token, depth in _depths(inner) if depth == 0]
    items = [inner[a:b].strip() for a, b in zip([0, *places], [*places, len(inner)], strict=True)]
    items[0] = line[len(indent) : start + 1] + items[0]
    items[-1] += line[end:]
    for part in _filled(items, indent + _STEP, first=indent):
        yield from [part] if len(part) <= WIDTH else _brackets(part, indent + _STEP)


def _brackets(line: str, indent: str) -> Iterator[str]:
    """A line with one long list in braces, whose items get lines of their own."""
    tokens = DuckDB().tokenize(line)  # braces in texts, such as paths, are none
    opening = [token.start for token in tokens if token.token_type == TokenType.L_BRACE]
    closing = [token.start for token in tokens if token.token_type == TokenType.R_BRACE]
    if not opening or not closing:
        yield line
        return
    start, end = opening[0], closing[-1]
    yield line[: start + 1]
    yield from folded(f"{indent}{_STEP}{line[start + 1 : end].strip()}").split("\n")
    yield f"{indent}{line[end:]}"


def _depths(text: str) -> Iterator[tuple[Token, int]]:
    """The commas of a text, and how many brackets are around each."""
    depth = 0
    for token in DuckDB().tokenize(text):
        depth += (token.token_type in _OPEN) - (token.token_type in _CLOSE)
        if token.token_type == TokenType.COMMA:
            yield token, depth


def _filled(items: list[str], indent: str, first: str | None = None) -> Iterator[str]:
    """The items in lines of as many as fit; the first line can have an indent of its own."""
    line = (indent if first is None else first) + items[0]
    for item in items[1:]:
        if len(line) + 1 + len(item) > WIDTH:
            yield line
            line = indent + item
        else:
            line = f"{line} {item}"
    yield line
