"""The breakages of `breakages.yml`.

A text that is gone from its file is an error, not a breakage less.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import yaml


class Breakage(NamedTuple):
    """One small exact change of a template or a module.

    Attributes:
        name: unique; what `--only` takes.
        file: from the root of the repository.
        old, new: the text, and what replaces it.
        means: what a publication would be that is made with it.
        tests: pytest node ids; one of them must fail.
        nth: which occurrence of `old`, from 1; None where there must be only one.
    """

    name: str
    file: str
    old: str
    new: str
    means: str
    tests: tuple[str, ...]
    nth: int | None = None


def _listed() -> list[Breakage]:
    text = Path(__file__).with_suffix(".yml").read_text(encoding="utf-8")
    found = []
    for file, breakages in yaml.safe_load(text).items():
        for (name, means), *keys in (breakage.items() for breakage in breakages):
            others = dict(keys)
            tests = others.pop("tests")
            tests = (tests,) if isinstance(tests, str) else tuple(tests)
            found.append(Breakage(name, file, means=means, tests=tests, **others))
    return found


BREAKAGES = tuple(_listed())
