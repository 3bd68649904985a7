"""The command line: arguments in, tables and JSON out, errors to exit codes; no other logic.

Results go to stdout (as JSON with `--json`), messages and progress to stderr. Help is shown before
the database and other heavy packages are imported: modules of this package import, above their
functions, only each other, `sqlanon` (which imports what is used), the blocks of results, and the
modules of errors.
"""

from __future__ import annotations

import io
import logging
import sys
from typing import Annotated, NoReturn

import typer

from sqlanon.boundary import guarded
from sqlanon.cli import comparison, dbt, hierarchies, init, plans, published, review
from sqlanon.cli.options import app
from sqlanon.cli.output import give_up_output, print_error, print_warning, write
from sqlanon.errors import SqlanonError
from sqlanon.version import __version__

COMMANDS = (init, plans, published, comparison, review, hierarchies, dbt)
"""Modules whose import adds their commands to `app`, in the order in which help lists them."""

_ORDER = [module.__name__ for module in COMMANDS]
app.registered_commands.sort(key=lambda info: _ORDER.index(info.callback.__module__))


def _version(wanted: bool) -> None:
    if wanted:
        write(f"sqlanon {__version__}\n")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A SQL-native anonymizer."""


def main() -> NoReturn:
    """Run a command; an error becomes a message on stderr and an exit code.

    Raises:
        SystemExit: always, with the code.
    """
    raise SystemExit(_exit_code())


def _exit_code() -> int:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # names that the terminal's encoding lacks
            stream.reconfigure(errors="backslashreplace")
    warnings = _Warnings(logging.WARNING)
    logger = logging.getLogger("sqlanon")
    logger.addHandler(warnings)
    try:
        guarded(_run_app)()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except SqlanonError as error:
        print_error(error)
        return error.exit_code
    finally:
        logger.removeHandler(warnings)
    return 0


class _Warnings(logging.Handler):
    """Shows the warnings of a command."""

    def emit(self, record: logging.LogRecord) -> None:
        print_warning(record.getMessage())


def _run_app() -> None:
    stdout = sys.stdout
    try:
        app(prog_name="sqlanon")
    finally:
        if sys.stdout is not stdout:  # typer replaces it when its reader is gone
            give_up_output()
        write("")  # flushes what typer wrote, such as --help
