"""Words for generated names that say what they hold: `place_of_age` is the place of `age`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

LONGEST = 24
"""Characters of the longest word; names of several words must fit into a line."""


def words(names: Sequence[str], kind: str = "column") -> list[str]:
    """A word for each of these columns that can be a part of a generated name, no two alike.

    It is the column's name in lower case, with an underscore for all that is no letter and no
    digit: `Marital-Status` is `marital_status`. A name that is too long for that, has letters that
    a plain name cannot have, or has the word of another one gives way to its number: `column_2`.
    """
    found = [_word(name) for name in names]
    numbered = re.compile(rf"{kind}_\d+")
    return [
        f"{kind}_{number}"
        if not word or found.count(word) > 1 or numbered.fullmatch(word)
        else word
        for number, word in enumerate(found, start=1)
    ]


def group_words(groups: Sequence[Sequence[str]]) -> list[str]:
    """A word for each group of columns: `age_zip`, or else `part_2`."""
    return words([" ".join(group) for group in groups], "part")


def _word(name: str) -> str:
    """The name as a part of an identifier; empty if it cannot be one."""
    letters = unicodedata.normalize("NFKD", name).lower()
    bare = "".join(c for c in letters if not unicodedata.combining(c))
    word = re.sub(r"[^a-z0-9]+", "_", bare).strip("_")
    is_whole = all(c.isascii() or not c.isalnum() for c in bare)
    return word if is_whole and word[:1].isalpha() and len(word) <= LONGEST else ""
