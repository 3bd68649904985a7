"""Every error that sqlanon raises, and the exit code that each one means.

    SqlanonError
    ├── PlanError          2  the plan, an option or a file it names is wrong
    │   └── HierarchyError 2  a generalization hierarchy is not one, or lacks a value
    ├── PrivacyViolation   1  published rows do not hold what the plan promises
    ├── NoSolutionError    3  nothing within the limits holds the promise
    ├── EngineError        4  the database refused a step
    └── PublishError       5  the publication could not be written

A message says what is wrong, where, and how to mend it. It names keys, columns and counts,
never a value of a source row: error messages end up in logs and tickets.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class SqlanonError(Exception):
    """What went wrong, where, and how to mend it.

    Args:
        what: the fault, in a sentence, without any value of a source row.
        where: file, line and key, or the step; empty when there is no place to name.
        fix: what the reader can do about it.
    """

    exit_code = 4

    def __init__(self, what: str, *, where: str, fix: str) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.fix = fix

    def __str__(self) -> str:
        place = f"{self.where}  " if self.where else ""
        return f"{place}{self.what}\nFix: {self.fix}"


class PlanError(SqlanonError):
    """The plan, an option, or a file that the plan names is wrong."""

    exit_code = 2


class HierarchyError(PlanError):
    """A generalization hierarchy is not nested, not complete, or has no single top value."""


class PrivacyViolation(SqlanonError):
    """The rows looked at do not hold what the plan promises; nothing was published."""

    exit_code = 1


class NoSolutionError(SqlanonError):
    """No generalization within the plan's limits holds the promise."""

    exit_code = 3


class EngineError(SqlanonError):
    """The database refused a step. Its own words are withheld: they quote cells."""

    exit_code = 4


class PublishError(SqlanonError):
    """The publication could not be written; the earlier one is untouched."""

    exit_code = 5


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A sentence with the nearest known name, or the list of all, to end a message with."""
    names = sorted(known)
    near = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    if near:
        return f"Did you mean '{near[0]}'?"
    return f"Known: {', '.join(names)}." if names else ""
