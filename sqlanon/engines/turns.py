"""Runs on one database take turns: all its connections see one catalog of working tables.

Threads of a process may have connections of one database, as the threads of dbt have. A run whose
catalog another thread's run has attached waits until that one is done. Runs on other databases do
not wait, and neither does a run whose database has a catalog of this name that is none of ours.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Collection

from sqlanon.errors import EngineError, PlanError
from sqlanon.sql.step import WORK_CATALOG

PATIENCE = 6 * 3600.0
"""Seconds that a run waits for others; a run of hours is possible, one that hangs is, too."""

_CHANGED = threading.Condition()
_RUNNING: dict[str, int] = {}
"""The thread of every turn, by the mark that the turn leaves in its catalog."""


def take_turn(attach: Callable[[str], None], marks: Callable[[], Collection[str]]) -> str:
    """The mark of a turn, which begins as soon as no run of another thread has the catalog.

    Args:
        attach: attaches the catalog, and leaves a mark in it.
        marks: what the catalog of this name in the database has for marks.
    """
    own, mark = threading.get_ident(), f"turn_{secrets.token_hex(8)}"
    end = time.monotonic() + PATIENCE
    is_again = False
    with _CHANGED:
        while True:
            try:
                attach(mark)
            except EngineError:
                if any(_RUNNING.get(each, own) != own for each in marks()):
                    if not _CHANGED.wait(end - time.monotonic()):
                        raise EngineError(
                            "Another run on this database has not ended for"
                            f" {PATIENCE / 3600:g} hours.",
                            where="attach",
                            fix="end it; or give each run a database of its own",
                        ) from None
                    is_again = False
                elif is_again and marks():
                    raise PlanError(
                        f"The connection has a database '{WORK_CATALOG}', which is the name of"
                        " working tables.",
                        where="connection",
                        fix="attach it by another name, or use another connection",
                    ) from None
                elif is_again:
                    raise
                else:  # the other may have detached it since
                    is_again = True
            else:
                _RUNNING[mark] = own
                return mark


def end_turn(mark: str) -> None:
    """Let others go on."""
    with _CHANGED:
        del _RUNNING[mark]
        _CHANGED.notify_all()
