"""Translations that are remembered: a search asks the same again, with other numbers.

Its questions differ in the rows of nodes that they list, and in the masks of bits that they keep.
Such numbers are replaced by marks before a query is translated, and put in again afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeVar

Named = TypeVar("Named")

_CELL = r"(?:-?\d+|'[^'\\\n]*')"
_ROW = rf"\({_CELL}(?:, {_CELL})*\)"
_PART = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|(?<=& )(?P<mask>\d+)\b"
    rf"|\bvalues(?P<space>\s+)(?P<rows>{_ROW}(?:,\s*{_ROW})*)"
)
_FIRST = 9_000_000_000_000_000_000
"""Marks begin here: numbers of 64 bits, as wide as any that they stand for."""

_MOST = 500
"""How many translations are kept."""


class Remembered:
    """Translations, by what they are made of."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[dict[str, object], str]] = {}

    def translated(
        self, body: str, dialect: str, tables: Mapping[str, Named],
        translate: Callable[[str, dict[str, object]], str],
    ) -> str:  # fmt: skip
        """A query in a dialect.

        Args:
            body: the query.
            tables: what stands for each table.
            translate: translates a query, and tells which of the tables it has read.
        """
        shape, numbers, rows = _without_numbers(body)
        key = (shape, dialect)
        found = self._known.get(key)
        if found is None or not all(_find(tables, name) == read for name, read in found[0].items()):
            read: dict[str, object] = {}
            written = translate(shape, read)
            if len(self._known) >= _MOST:
                self._known.clear()
            found = self._known[key] = (read, written)
        return _with_numbers(found[1], numbers, rows)


def _find(tables: Mapping[str, Named], name: str) -> object:
    try:
        return tables[name]
    except KeyError:
        return None


def _without_numbers(body: str) -> tuple[str, dict[str, str], dict[str, list[str]]]:
    """A query with marks, and what they stand for: masks, and rows."""
    numbers: dict[str, str] = {}
    rows: dict[str, list[str]] = {}
    count = 0

    def marked(found: re.Match[str]) -> str:
        nonlocal count
        if found["mask"]:
            count += 1
            numbers[str(_FIRST + count)] = found["mask"]
            return str(_FIRST + count)
        if not found["rows"]:
            return found[0]
        listed = re.findall(_ROW, found["rows"])
        kinds = {tuple("'" in cell for cell in re.findall(_CELL, row)) for row in listed}
        if len(kinds) != 1:
            return found[0]
        marks = [f"'{_FIRST + count + n}'" if is_text else str(_FIRST + count + n)
                 for n, is_text in enumerate(kinds.pop(), start=1)]  # fmt: skip
        count += len(marks)
        rows[f"({', '.join(marks)})"] = listed
        return f"values{found['space']}({', '.join(marks)})"

    if str(_FIRST)[:9] in body:
        return body, {}, {}
    return _PART.sub(marked, body), numbers, rows


def _with_numbers(written: str, numbers: Mapping[str, str], rows: Mapping[str, list[str]]) -> str:
    for mark, listed in rows.items():
        before, found, after = written.partition(mark)
        assert found, "the translation has the marks of the query"
        margin = before[before.rfind("\n") + 1 :]
        written = before + f",\n{margin}".join(listed) + after
    for mark, number in numbers.items():
        written = written.replace(mark, number)
    return written
