"""Ends a step for which the process takes much more memory than DuckDB is allowed.

The memory limit of DuckDB covers its tables and its sorting, not the texts and lists that functions
make. A statement is interrupted only between batches of rows, and one batch of long texts can take
all memory; so the process also gets no more address space until the statement has ended.
"""

from __future__ import annotations

import contextlib
import resource
import threading
from collections.abc import Iterator
from pathlib import Path

_STATUS = Path("/proc/self/statm")
"""The address space and the resident memory of this process, in pages; only Linux has it."""

_LEAST = 500 * 1000**2
"""Bytes beyond the limit that are always allowed: code, results, and what the allocator keeps."""

_OF_THE_MACHINE = 0.8
"""The share of the memory that DuckDB takes as its limit by default; it knows of containers."""

_MOST_OF_THE_MACHINE = 0.95

_ONE = threading.Lock()


class MemoryWatch:
    """Compares the memory of this process with a limit of DuckDB.

    Args:
        limit: bytes that DuckDB may take.
        default: bytes that DuckDB would take without a limit.
    """

    def __init__(self, limit: int, default: int) -> None:
        allowed = _resident() + max(limit * 3 // 2, limit + _LEAST)
        self._most = min(allowed, int(default / _OF_THE_MACHINE * _MOST_OF_THE_MACHINE))

    def is_exceeded(self) -> bool:
        """Whether the process has more than half again of the limit, and what it had before."""
        return _resident() > self._most


def _resident() -> int:
    """Bytes of this process in memory; 0 where the system does not say."""
    return _pages(1)


def _pages(place: int) -> int:
    try:
        return int(_STATUS.read_text().split()[place]) * resource.getpagesize()
    except OSError:
        return 0


@contextlib.contextmanager
def no_more_memory() -> Iterator[None]:
    """Give the process no more address space; an allocation that needs some fails."""
    with _ONE:
        earlier, hardest = resource.getrlimit(resource.RLIMIT_AS)
        now = _pages(0)
        if now and (earlier == resource.RLIM_INFINITY or now < earlier):
            resource.setrlimit(resource.RLIMIT_AS, (now, hardest))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (earlier, hardest))
