"""What the command line prints: data on stdout, tables and messages on stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import Any, NoReturn

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from sqlanon.errors import PublishError, printable

CLOSED_OUTPUT = 141
"""Exit code when the output has no reader any more, as usual: 128 + SIGPIPE."""


class Output(Console):
    """A console that shows control characters, as a solution file may have, and sends none.

    Its reader may go away, as in `sqlanon schema | head`.
    """

    def render_str(self, text: str, **how: Any) -> Text:
        return super().render_str(printable(text), **how)

    def on_broken_pipe(self) -> None:
        give_up_output()


talk = Output(stderr=True, highlight=False)
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


def print_table(title: str, columns: list[str], rows: list[list[Any]], to: Console = talk) -> None:
    """Print a table with a title."""
    to.print(f"[bold]{escape(title)}[/bold]")
    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(escape(shown(cell)) for cell in row))
    to.print(table)


def promise_text(entry: dict[str, Any]) -> str:
    """A model with its parameters, as in `k-anonymity k = 5`."""
    parameters = ", ".join(f"{name} = {value}" for name, value in entry["parameters"].items())
    return f"{entry['model']} {parameters}"


def shown(cell: Any) -> str:
    """A cell of a table as text."""
    if cell is None:
        return "-"
    if isinstance(cell, float):
        return f"{cell:,.6g}" if abs(cell) < 1e6 else f"{cell:,.0f}"
    return f"{cell:,}" if isinstance(cell, int) and not isinstance(cell, bool) else str(cell)


def measured_text(entry: Mapping[str, Any]) -> Any:
    """What was measured of a model; of two bounds, each by its name."""
    sides = entry.get("measured_sides") or {}
    told = ", ".join(f"{bound} {number_text(measured)}" for bound, measured in sides.items())
    return told or number_text(entry["measured"])


def number_text(value: Any) -> Any:
    """A measure as shown in tables, with six digits."""
    return f"{value:.6g}" if isinstance(value, float) else value
