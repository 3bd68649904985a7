"""A thread that a database works in: Ctrl-C reaches the main thread, and memory has a limit.

The memory limit of DuckDB covers its tables and its sorting, not the texts and lists that functions
make. A statement is interrupted only between batches of rows, and one batch of long texts can take
all memory; so the process also gets no more address space until the statement has ended.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import resource
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

_Result = TypeVar("_Result")

_STATUS = Path("/proc/self/statm")
"""The address space and the resident memory of this process, in pages; only Linux has it."""

_LEAST = 500 * 1000**2
"""Bytes beyond the limit that are always allowed: code, results, and what the allocator keeps."""

_OF_THE_MACHINE = 0.8
"""The share of the memory that DuckDB takes as its limit by default; it knows of containers."""

_MOST_OF_THE_MACHINE = 0.95

_ONE = threading.Lock()


class TooMuchMemory(Exception):
    """Work was stopped because the process took too much memory."""


class MemoryWatch:
    """Compares the memory of this process with a limit of DuckDB and its default, in bytes."""

    def __init__(self, limit: int, default: int) -> None:
        allowed = _resident() + max(limit * 3 // 2, limit + _LEAST)
        self._most = min(allowed, int(default / _OF_THE_MACHINE * _MOST_OF_THE_MACHINE))

    def is_exceeded(self) -> bool:
        """Whether the process has more than half again of the limit, and what it had before."""
        return _resident() > self._most


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
        """What the work returns; it is stopped at an interrupt, or with TooMuchMemory."""
        future: concurrent.futures.Future[_Result] | None = None
        try:
            future = self._pool.submit(work)
            while not future.done():
                concurrent.futures.wait([future], timeout=0.05)
                if self.memory and not future.done() and self.memory.is_exceeded():
                    with _no_more_memory():
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


def _resident() -> int:
    """Bytes of this process in memory; 0 where the system does not say."""
    return _status(1)


def _status(position: int) -> int:
    """Bytes at a position of the status of this process."""
    try:
        return int(_STATUS.read_text().split()[position]) * resource.getpagesize()
    except OSError:
        return 0


@contextlib.contextmanager
def _no_more_memory() -> Iterator[None]:
    """Give the process no more address space; an allocation that needs some fails."""
    with _ONE:
        earlier, hardest = resource.getrlimit(resource.RLIMIT_AS)
        now = _status(0)
        if now and (earlier == resource.RLIM_INFINITY or now < earlier):
            resource.setrlimit(resource.RLIMIT_AS, (now, hardest))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (earlier, hardest))
