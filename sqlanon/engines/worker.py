"""A thread that a database works in, so that Ctrl-C reaches the main thread while it works."""

from __future__ import annotations

import concurrent.futures
import contextlib
from collections.abc import Callable
from typing import TypeVar

from sqlanon.engines.memory import MemoryWatch, no_more_memory

_Result = TypeVar("_Result")


class TooMuchMemory(Exception):
    """Work was stopped because the process took too much memory."""


class Worker:
    """Does work in one thread, in its order.

    Args:
        stop: stops what the database does; called from the thread that waits.

    Attributes:
        memory: stops work that takes too much memory; None if nothing limits it.
    """

    def __init__(self, stop: Callable[[], object]) -> None:
        self.memory: MemoryWatch | None = None
        self._stop = stop
        self._pool = concurrent.futures.ThreadPoolExecutor(1, "sqlanon")

    def do(self, work: Callable[[], _Result]) -> _Result:
        """What the work returns; if it is interrupted, it is stopped before going on.

        Raises:
            TooMuchMemory: the process took too much memory, and the work was stopped.
        """
        future: concurrent.futures.Future[_Result] | None = None
        try:
            future = self._pool.submit(work)
            while not future.done():
                concurrent.futures.wait([future], timeout=0.05)
                if self.memory and not future.done() and self.memory.is_exceeded():
                    with no_more_memory():
                        self._end(future)
                    raise TooMuchMemory
        except BaseException:
            if future is not None:
                self._end(future)
            raise
        return future.result()

    def close(self) -> None:
        """End the thread."""
        self._pool.shutdown()

    def _end(self, future: concurrent.futures.Future[_Result]) -> None:
        """Wait until the work has stopped, even if there are more interrupts."""
        while not future.done():
            with contextlib.suppress(KeyboardInterrupt, MemoryError):
                self._stop()
                concurrent.futures.wait([future], timeout=0.2)
