"""What the command line prints: results on stdout, talk on stderr.

A result is what a command was called for, and may go into a pipe: its blocks (see
`sqlanon.display.blocks`) by `print_blocks`, or the same as JSON by `print_json`. Talk is everything
else: progress, warnings and errors, by `note` and `talk`.

Nothing breaks a word: on a terminal, cells and sentences wrap between words. In a pipe there is no
limit of width, and no color.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, NoReturn

from rich.console import Console, Group
from rich.text import Text
from rich.theme import Theme

import sqlanon
from sqlanon.cli.layout import Drawn, block_lines, wrapped
from sqlanon.display.blocks import (
    BAD,
    GOOD,
    SECONDARY,
    TITLE,
    WARNING,
    Block,
    Sentences,
)
from sqlanon.errors import MOST_FAULTS, PlanError, PublishError, SqlanonError, printable

CLOSED_OUTPUT = 141
"""Exit code when the output has no reader any more, as usual: 128 + SIGPIPE."""

_INDENT = 2


class Output(Console):
    """A console that shows control characters, as a solution file may have, and sends none.

    Its reader may go away, as in `sqlanon schema | head`.
    """

    def render_str(self, text: str, **how: Any) -> Text:
        return super().render_str(printable(text), **how)

    @property
    def room(self) -> int | None:
        """The width of the terminal in cells; None if this is none."""
        return self.width if self.is_terminal else None

    def on_broken_pipe(self) -> None:
        give_up_output()


_COLORS = Theme(
    {GOOD: "green", BAD: "bold red", WARNING: "yellow", SECONDARY: "dim", TITLE: "bold"}
)

talk = Output(stderr=True, highlight=False, soft_wrap=True, theme=_COLORS)
data = Output(highlight=False, soft_wrap=True, theme=_COLORS)


def give_up_output() -> NoReturn:
    """End the command; all further output, also of Python's shutdown, is discarded."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
    raise SystemExit(CLOSED_OUTPUT)


def write(text: str) -> None:
    """Write to stdout, all of it.

    Raises:
        PublishError: it cannot be written, as on a full disk.
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        give_up_output()
    except OSError as error:
        failure = PublishError(
            f"The output could not be written ({type(error).__name__}).",
            where="stdout",
            fix="check that the disk of the output is not full",
        )
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise failure from error


def print_json(value: Any) -> None:
    """Print a value to stdout as JSON."""
    write(json.dumps(value, indent=2, ensure_ascii=False, default=str) + "\n")


def print_blocks(blocks: Sequence[Block | Drawn]) -> None:
    """Print a result; an empty line is above each block but sentences without a title."""
    for number, block in enumerate(blocks):
        if number and not (isinstance(block, Sentences) and not block.title):
            data.print()
        for line in block_lines(block, data.room):
            data.print(line)


def note(text: str, style: str = "") -> None:
    """Print a message that is not the result."""
    for line in wrapped(printable(text), talk.room):
        talk.print(Text(line, style))


def print_warning(text: str) -> None:
    """Print a warning; the command goes on."""
    first, *others = wrapped(printable(text), talk.room and talk.room - _INDENT)
    talk.print(Text(first, WARNING))
    for line in others:
        talk.print(Text(" " * _INDENT + line, WARNING))


def print_error(error: SqlanonError) -> None:
    """Print what is wrong, where, and how to fix it; on a terminal each on lines of its own."""
    kind = type(error).__name__
    if talk.room is None:
        talk.print(Text(f"{kind}  {error}"))
        return
    faults = error.faults if isinstance(error, PlanError) else (error,)
    if len(faults) > 1:
        talk.print(Text(f"{len(faults):,} faults", BAD))
    for fault in faults[:MOST_FAULTS]:
        talk.print(Text.assemble((type(fault).__name__, BAD), "  ", (fault.where, TITLE)))
        for name, text in (("", fault.what), ("Fix: ", fault.fix)):
            lines = wrapped(printable(f"{name}{text}"), talk.room - _INDENT)
            for number, line in enumerate(lines):
                shown_line = Text(" " * _INDENT + line)
                if name and not number:
                    shown_line.stylize(GOOD, _INDENT, _INDENT + len(name))
                talk.print(shown_line)
    if len(faults) > MOST_FAULTS:
        note(f"… and {len(faults) - MOST_FAULTS:,} more; `sqlanon check --json` lists all of them.")


# --- progress

SILENT_SECONDS = 0.4
"""A command that takes no longer shows no steps."""

_WORTH_SHOWING = 0.1
_MOST_SHOWN = 5
_SEARCH = "search"


class Steps:
    """The running step with its time, above it the last ones that took a while.

    The steps of a search are one line, with how far the search is.
    """

    def __init__(self) -> None:
        self._opened = self._since = time.monotonic()
        self._running = ""
        self._detail = ""
        self._ended: list[tuple[str, str, float]] = []

    def __call__(self, progress: sqlanon.Progress) -> None:
        """Receive the progress of a step."""
        name = progress.step if progress.so_far is None else _SEARCH
        name = f"{progress.run}: {name}" if progress.run else name
        now = time.monotonic()
        if progress.seconds is None:
            if name != self._running:
                self._running, self._since = name, now
            self._detail = "" if progress.so_far is None else str(progress.so_far)
            return
        if progress.rows is not None and progress.so_far is None:
            self._detail = f"{progress.rows:,} rows"
        if self._ended and self._ended[-1][0] == name:
            self._ended.pop()
        if now - self._since >= _WORTH_SHOWING:
            self._ended = [*self._ended, (name, self._detail, now - self._since)][-_MOST_SHOWN:]

    def __rich__(self) -> Group:
        now = time.monotonic()
        if now - self._opened < SILENT_SECONDS:
            return Group()
        ended = [one for one in self._ended if one[0] != self._running]
        shown = [*ended, (self._running, self._detail, now - self._since)]
        texts = [
            f"{name.replace('_', ' '):<22} {seconds:6.1f} s  {detail}"
            for name, detail, seconds in shown
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
