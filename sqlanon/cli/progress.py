"""What a person sees while a command runs: its steps, on the last lines of a terminal."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain

from rich.console import Group
from rich.text import Text

import sqlanon
from sqlanon.cli.layout import wrapped
from sqlanon.cli.output import talk
from sqlanon.display.blocks import SECONDARY

SILENT_SECONDS = 0.4
"""A command that takes no longer shows no steps."""

_WORTH_SHOWING = 0.1
_MOST_SHOWN = 5
_SEARCH = "search"


class Steps:
    """The running step with its time, above it the last ones that took a while.

    The steps of a search are one line, which tells how far the search is.
    """

    def __init__(self) -> None:
        self._opened = self._since = time.monotonic()
        self._running = ""
        self._told = ""
        self._ended: list[tuple[str, str, float]] = []

    def __call__(self, progress: sqlanon.Progress) -> None:
        """Take what the engine tells of a step."""
        name = progress.step if progress.so_far is None else _SEARCH
        name = f"{progress.run}: {name}" if progress.run else name
        now = time.monotonic()
        if progress.seconds is None:
            if name != self._running:
                self._running, self._since = name, now
            self._told = "" if progress.so_far is None else str(progress.so_far)
            return
        if progress.rows is not None and progress.so_far is None:
            self._told = f"{progress.rows:,} rows"
        if self._ended and self._ended[-1][0] == name:
            self._ended.pop()
        if now - self._since >= _WORTH_SHOWING:
            self._ended = [*self._ended, (name, self._told, now - self._since)][-_MOST_SHOWN:]

    def __rich__(self) -> Group:
        now = time.monotonic()
        if now - self._opened < SILENT_SECONDS:
            return Group()
        ended = [one for one in self._ended if one[0] != self._running]
        shown = [*ended, (self._running, self._told, now - self._since)]
        texts = [
            f"{name.replace('_', ' '):<22} {seconds:6.1f} s  {told}"
            for name, told, seconds in shown
        ]
        lines = [[Text(line) for line in wrapped(text, talk.width - 1)] for text in texts]
        for line in chain(*lines[:-1]):
            line.stylize(SECONDARY)
        return Group(*chain(*lines))


@contextmanager
def steps_shown() -> Iterator[Steps | None]:
    """Show the steps while a command runs; nothing is left of them. None in a pipe."""
    if not talk.is_terminal or talk.is_dumb_terminal:
        yield None
        return
    from rich.live import Live

    steps = Steps()
    with Live(
        console=talk,
        get_renderable=steps.__rich__,
        transient=True,
        redirect_stdout=False,
        refresh_per_second=8,
    ):
        yield steps
