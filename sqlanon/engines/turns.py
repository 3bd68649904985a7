"""Runs on one database take turns: all its connections see one catalog of working tables.

Threads of a process may have connections of one database, as the threads of dbt have. A run whose
catalog another thread's run has attached waits until that one is done. Runs on other databases do
not wait.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from sqlanon.errors import EngineError

_CHANGED = threading.Condition()
_RUNNING: list[int] = []
"""The threads that have a turn, once for each."""


def take_turn(attach: Callable[[], None]) -> None:
    """Attach the catalog, as soon as no run of another thread has it.

    Raises:
        EngineError: it cannot be attached, and no other thread has a turn that could end.
    """
    own = threading.get_ident()
    with _CHANGED:
        while True:
            try:
                attach()
            except EngineError:
                if all(thread == own for thread in _RUNNING):
                    raise
                _CHANGED.wait()
            else:
                _RUNNING.append(own)
                return


def end_turn() -> None:
    """Let others go on; called by the thread that took the turn."""
    with _CHANGED:
        _RUNNING.remove(threading.get_ident())
        _CHANGED.notify_all()
