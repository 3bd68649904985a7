"""Every error that sqlanon raises, and the exit code that each one means.

    SqlanonError
    ├── PlanError          2  the plan, an option or a file it names is wrong
    │   └── HierarchyError 2  a generalization hierarchy is not valid, or lacks a value
    ├── PrivacyViolation   1  published rows do not hold what the plan promises
    ├── NoSolutionError    3  nothing within the limits holds the promise
    ├── EngineError        4  the database refused a step
    ├── PublishError       5  the publication could not be written
    ├── ReportError        6  the report could not be written; the publication is not concerned
    └── InternalError     70  a bug of sqlanon itself

A message says what is wrong, where, and how to fix it. It names keys, columns and counts,
never a value of a source row, because error messages end up in logs and tickets. What is wrong with
a plan is reported at once: one `PlanError` has all faults that are known at its stage.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

_LONGEST_MESSAGE = 1_000
_LONGEST_NAME = 60
_MOST_NAMES = 20
MOST_FAULTS = 20
_UNPRINTABLE = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
"""Control characters, those that change the direction in which others are read, and what is no
character."""


class SqlanonError(Exception):
    """What went wrong, where, and how to fix it.

    Args:
        what: what is wrong, as a sentence without any value of a source row.
        where: file, line and key, or the step; empty if there is no place to name.
        fix: what the reader can do about it.
    """

    exit_code = 4

    def __init__(self, what: str, *, where: str, fix: str) -> None:
        self.what, self.where, self.fix = map(_legible, (what, where, fix))
        super().__init__(self.what)

    def __str__(self) -> str:
        place = f"{self.where}  " if self.where else ""
        return f"{place}{self.what}\nFix: {self.fix}"


class PlanError(SqlanonError):
    """The plan, an option, or a file that the plan names is wrong.

    Its text has every fault that was found with it, up to 20; `faults` has all of them.
    """

    exit_code = 2

    def __init__(self, what: str, *, where: str, fix: str) -> None:
        super().__init__(what, where=where, fix=fix)
        self._others: tuple[PlanError, ...] = ()

    @property
    def faults(self) -> tuple[PlanError, ...]:
        """This error, and all others that were found with it, in the order of their lines."""
        return (self, *self._others)

    @property
    def line(self) -> int | None:
        """The line of the file that `where` names; None if it names none."""
        found = _LINE.match(self.where)
        return int(found[1]) if found else None

    def as_json(self) -> dict[str, Any]:
        """The fault alone as plain values: error, where, line, what, fix."""
        return {
            "error": type(self).__name__,
            "where": self.where,
            "line": self.line,
            "what": self.what,
            "fix": self.fix,
        }

    def __str__(self) -> str:
        if not self._others:
            return super().__str__()
        shown = [SqlanonError.__str__(fault) for fault in self.faults[:MOST_FAULTS]]
        hidden = len(self.faults) - len(shown)
        if hidden:
            shown.append(f"… and {hidden:,} more; `sqlanon check --json` lists all of them.")
        return "\n\n".join([f"{len(self.faults):,} faults", *shown])


class HierarchyError(PlanError):
    """A generalization hierarchy is not nested, not complete, or has no single top value."""


class PrivacyViolation(SqlanonError):
    """The rows do not hold what the plan promises; nothing was published."""

    exit_code = 1


class NoSolutionError(SqlanonError):
    """No generalization within the plan's limits holds the promise."""

    exit_code = 3


class EngineError(SqlanonError):
    """The database refused a step. Its own message is withheld, as it can quote cells."""

    exit_code = 4


class PublishError(SqlanonError):
    """The publication could not be written; unless it says otherwise, the earlier one is there."""

    exit_code = 5


class ReportError(SqlanonError):
    """A report could not be made or written; what was published before is published and proven."""

    exit_code = 6


class InternalError(SqlanonError):
    """A bug of sqlanon itself. The message of the underlying exception is withheld."""

    exit_code = 70


_LINE = re.compile(r"[^:]*:(\d+)(?:  |$)")
"""The beginning of a place in a file, such as `plan.yml:14  privacy[0].k`."""


def united(faults: Sequence[PlanError]) -> PlanError:
    """The first fault by its line, with all others; of the same fault twice, one is kept."""
    each = {str(alone): alone for fault in faults for alone in _apart(fault)}
    first, *others = sorted(each.values(), key=lambda fault: fault.line or 0)
    first._others = tuple(others)
    return first


def _apart(fault: PlanError) -> tuple[PlanError, ...]:
    faults, fault._others = fault.faults, ()
    return faults


def caught(check: Callable[[], object]) -> tuple[PlanError, ...]:
    """The faults that a check raises; none if it passes."""
    try:
        check()
    except PlanError as error:
        return error.faults
    return ()


def brief(text: object) -> str:
    """A text of a plan for a message; a long one is cut, and its length is added.

    Anything else is shown only by its type, because its own text could contain anything.
    """
    if not isinstance(text, str):
        return f"a {type(text).__name__}"
    if len(text) <= _LONGEST_NAME:
        return text
    return f"{text[:_LONGEST_NAME]}… ({len(text):,} characters)"


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """A sentence with the closest known name, or with all known names, to end a message with."""
    names = sorted(known)
    lower = {name.lower(): name for name in names}
    near = difflib.get_close_matches(brief(word).lower(), lower, n=1, cutoff=0.6)
    if near:
        return f"Did you mean '{brief(lower[near[0]])}'?"
    listed = ", ".join(map(brief, names[:_MOST_NAMES]))
    more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
    return f"Known: {listed}{more}." if names else ""


def _legible(message: str) -> str:
    """A part of a message, of limited length and without control characters for a terminal."""
    if len(message) > _LONGEST_MESSAGE:
        message = message[:_LONGEST_MESSAGE] + "…"
    return printable(message)


def printable(text: str) -> str:
    """The text with an escape for each character that a terminal could act on."""
    return _UNPRINTABLE.sub(lambda found: ascii(found[0])[1:-1], text)
