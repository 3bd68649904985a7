"""Parts of rows: the columns that stay together when the rows of a bucket are shuffled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlanon.sql.step import group_words


class Part(NamedTuple):
    """Columns that stay together when the rows of a bucket are shuffled.

    Attributes:
        word: stands for them in generated names, such as `shuffled_age_zip`.
    """

    columns: tuple[str, ...]
    word: str

    @property
    def key(self) -> str:
        """The key of a row by which the part is shuffled."""
        return self.named("key")

    @property
    def shuffled(self) -> str:
        """The relation of the shuffled parts."""
        return f"shuffled_{self.word}"

    def named(self, what: str) -> str:
        """The generated name of this of its columns or relations: `values_of_age_zip`."""
        return f"{what}_of_{self.word}"


Parts = Sequence[Sequence[str]]
"""The columns of every part of a row."""


def parts_of(parts: Parts) -> list[Part]:
    """The parts with the words for them."""
    return [
        Part(tuple(columns), word) for columns, word in zip(parts, group_words(parts), strict=True)
    ]


def row_keys(parts: Parts) -> list[str]:
    """Names of the keys of rows: one for dealing, and one for each part of a row."""
    return ["dealing_key", *(part.key for part in parts_of(parts))]
