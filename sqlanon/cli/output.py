"""What the command line prints: results on stdout, talk on stderr.

A result is what a command was called for, and may go into a pipe:

- `print_table`: a title, and rows under headings
- `print_pairs`: a title, and values by their names
- `print_text`: sentences
- `print_prose`: paragraphs
- `print_changes`: a difference of code
- `print_command`: what may be called next
- `print_json`: the same for programs

Talk is everything else: progress, warnings and errors, by `note` and `talk`.

Nothing breaks a word: on a terminal, cells and sentences wrap between words. In a pipe there is no
limit of width, and no color. A cell or a sentence with a meaning has one of the styles of `layout`.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from sqlanon.cli.layout import (
    BAD,
    GOOD,
    TITLE,
    WARNING,
    Styled,
    pair_lines,
    shown,
    table_lines,
    wrapped,
)
from sqlanon.errors import MOST_FAULTS, PlanError, PublishError, SqlanonError, printable

CLOSED_OUTPUT = 141
"""Exit code when the output has no reader any more, as usual: 128 + SIGPIPE."""


_LONGEST_PROSE, _PIPED_PROSE = 100, 80
"""Width of paragraphs on a wide terminal, and in a pipe."""


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


talk = Output(stderr=True, highlight=False, soft_wrap=True)
data = Output(highlight=False, soft_wrap=True)


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


def print_table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], to: Output = data
) -> None:
    """Print a title, and rows under headings."""
    _print_title(title, to)
    for line in table_lines(columns, rows, to.room):
        to.print(line)


def print_pairs(title: str, pairs: Sequence[tuple[str, Any]], to: Output = data) -> None:
    """Print a title, and values by their names."""
    _print_title(title, to)
    for line in pair_lines(pairs, to.room):
        to.print(line)


def print_command(*parts: Sequence[str]) -> None:
    """Print a command that can be copied; if it is long, its parts on lines of their own."""
    told = [printable(shlex.join(part)) for part in parts]
    line = f"  {' '.join(told)}"
    if data.room is not None and cell_len(line) > data.room:
        line = "  " + " \\\n    ".join(told)
    data.print(Text(line))


def print_text(text: str = "", style: str = "", to: Output = data) -> None:
    """Print sentences."""
    for line in wrapped(printable(text), to.room):
        to.print(Text(line, style))


def print_changes(lines: str) -> None:
    """Print lines of code that differ, as they are, marked by - and +."""
    for line in printable(lines).split("\n"):
        is_name = line.startswith(("---", "+++"))
        style = TITLE if is_name else GOOD if line[:1] == "+" else BAD if line[:1] == "-" else ""
        data.print(Text(line, style))


def print_prose(text: str, style: str = "") -> None:
    """Print paragraphs, in lines that can be read, also in a pipe."""
    for line in wrapped(printable(text), min(data.room or _PIPED_PROSE, _LONGEST_PROSE)):
        data.print(Text(line, style))


def note(text: str, style: str = "") -> None:
    """Tell the person at the terminal something that is not the result."""
    print_text(text, style, talk)


def print_warning(text: str) -> None:
    """Tell what deserves a look, although the command goes on."""
    first, *others = wrapped(printable(text), talk.room and talk.room - _INDENT)
    talk.print(Text(first, WARNING))
    for line in others:
        talk.print(Text(" " * _INDENT + line, WARNING))


def print_error(error: SqlanonError) -> None:
    """Tell what is wrong, where, and how to fix it; on a terminal each on lines of its own."""
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


def _print_title(title: str, to: Output) -> None:
    if title:
        print_text(title, TITLE, to)


def promise_cells(entry: dict[str, Any]) -> tuple[str, str]:
    """A model with the attribute that it protects, and its other parameters."""
    parameters = dict(entry["parameters"])
    about = parameters.pop("attribute", None)
    bound = ", ".join(f"{name} = {value}" for name, value in parameters.items())
    return entry["model"] + (f" of {about}" if about else ""), bound


def verdict(holds: bool, words: str = "") -> Styled:
    """Whether a promise holds, as a cell.

    Args:
        words: what the cell says, if more is to be said.
    """
    return Styled(words or ("holds" if holds else "fails"), GOOD if holds else BAD)


def measured(entry: Mapping[str, Any]) -> Any:
    """What was measured of a model, as a cell; of two bounds, each by its name."""
    sides = entry.get("measured_sides") or {}
    told = ", ".join(f"{bound} {shown(number)}" for bound, number in sides.items())
    return told or entry["measured"]
