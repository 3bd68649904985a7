"""The pages of docs/ that follow from the code: commands, the keys of a plan, what a plan can name.

    python -m tests.reference_pages

writes them; `test_reference.py` compares them with the code.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
import typer.main

import sqlanon
from sqlanon import cli  # registers the commands
from sqlanon.cli.options import app
from sqlanon.errors import SqlanonError

ROOT = Path(__file__).parents[1]
WRITE = "python -m tests.reference_pages"
TWINS = {"hierarchy check": "check_hierarchies", "hierarchy show": "show_hierarchy"}
"""Commands whose Python function is not called as they are."""


def cli_commands() -> Iterator[tuple[str, Any]]:
    """Every command with its full name, such as `hierarchy check`."""
    assert cli.COMMANDS
    root: Any = typer.main.get_command(app)
    for name, command in root.commands.items():
        if hasattr(command, "commands"):
            for inner_name, inner in command.commands.items():
                yield f"{name} {inner_name}", inner
        else:
            yield name, command


def pages() -> dict[Path, str]:
    """The text of every generated page."""
    return {ROOT / "docs/commands.md": commands_page()}


def twin(name: str) -> str:
    """The function of `sqlanon` that does what a command does."""
    return TWINS.get(name, name.replace(" ", "_"))


def cell(text: str) -> str:
    """A text as a cell of a table."""
    escaped = re.sub(r"(?<!`)<([^>`]*)>", r"\\<\1\\>", text)
    return re.sub(r"\s+", " ", escaped).replace("|", "\\|").strip()


def usage(name: str, command: Any) -> str:
    """A command line, with the arguments as the help of their command names them."""
    parts = [f"sqlanon {name}"]
    for parameter in command.params:
        if not parameter.opts[0].startswith("-"):
            word = argument(parameter)
            parts.append(word if parameter.required else f"[{word}]")
    return " ".join(parts)


def argument(parameter: Any) -> str:
    """The name of an argument, in capitals."""
    return str(parameter.metavar or parameter.name.upper())


def recorded(parameter: Any, name: str, command: Any) -> tuple[str, str, str]:
    """How a parameter is written, its default, and what it does."""
    context = typer.Context(command, info_name=name)
    written, text = parameter.get_help_record(context)
    notes = []
    while found := re.search(r"\s*\[([^\[\]]*)\]$", text):
        text = text[: found.start()]
        notes.append(found[1])
    facts = [fact for note in notes for fact in note.split("; ")]
    defaults = [fact.removeprefix("default: ") for fact in facts if fact.startswith("default: ")]
    if not parameter.opts[0].startswith("-"):
        written = argument(parameter)
    written = re.sub(r"<(\w+)( range)?>", lambda kind: KINDS[kind[1]], written)
    return written, ", ".join(defaults), text


KINDS = {"int": "N", "float": "X", "str": "TEXT", "path": "FILE", "choice": "NAME"}
"""What the type of an option is called."""


def commands_page() -> str:
    """All commands, their arguments and options, and exit codes."""
    found = list(cli_commands())
    lines = [ABOUT_COMMANDS]
    for name, command in found:
        first = command.help.strip().split("\n\n")[0]
        anchor = f"sqlanon-{name.replace(' ', '-')}"
        lines.append(
            f"| [`{usage(name, command)}`](#{anchor}) | {cell(first)} | `sqlanon.{twin(name)}` |"
        )
    for name, command in found:
        lines += [
            "",
            f"## sqlanon {name}",
            "",
            "```text",
            f"{usage(name, command)} [OPTIONS]",
            "```",
        ]
        for paragraph in command.help.strip().split("\n\n"):
            lines += [
                "",
                *textwrap.wrap(paragraph, 100, break_on_hyphens=False),
            ]
        rows = [recorded(p, name, command) for p in command.params if p.name != "help"]
        lines += ["", "| argument or option | default | effect |", "|---|---|---|"]
        lines += [f"| `{cell(w)}` | {cell(d)} | {cell(text)} |" for w, d, text in rows]
        if not rows:
            del lines[-3:]
    lines += ["", *exit_codes()]
    return "\n".join(lines) + "\n"


def errors() -> dict[int, list[type[SqlanonError]]]:
    """The errors of each exit code."""
    found: dict[int, list[type[SqlanonError]]] = {}
    for name in sqlanon.__all__:
        cls = getattr(sqlanon, name)
        if isinstance(cls, type) and issubclass(cls, SqlanonError) and cls is not SqlanonError:
            found.setdefault(cls.exit_code, []).append(cls)
    return dict(sorted(found.items()))


def exit_codes() -> list[str]:
    """What each exit code means."""
    lines = [
        "## Exit codes",
        "",
        "| code | error | meaning |",
        "|---|---|---|",
        "| 0 | | success |",
    ]
    for code, classes in errors().items():
        names = ", ".join(f"`{cls.__name__}`" for cls in classes)
        meaning = " ".join((cls.__doc__ or "").split("\n\n")[0].strip() for cls in classes)
        lines.append(f"| {code} | {names} | {cell(meaning)} |")
    return [*lines, SIGNALS, ABOUT_ERRORS]


ABOUT_COMMANDS = f"""\
# Commands

<!-- `{WRITE}` writes this page from the code. -->

Each command is also a function of Python. `sqlanon COMMAND --help` prints what this page says, and
`sqlanon --version` the version. Results go to stdout, messages to stderr; `--json` prints the
result as JSON.

| command | does | Python |
|---|---|---|"""

SIGNALS = """\
| 129, 130, 143 | | stopped by SIGHUP, Ctrl-C or SIGTERM: 128 + the number of the signal. \
Working tables and files are removed first; a second signal is ignored meanwhile, a third ends the \
process at once |
| 141 | | the reader of the output has gone, as in `sqlanon schema \\| head` |"""

ABOUT_ERRORS = """
All errors are subclasses of `SqlanonError`; `what`, `where` and `fix` make up the message. A
message names keys, columns and counts, never a value of a source row. The Python functions of
sqlanon raise these errors only. The exceptions in their `__cause__` or `__context__` are of these
classes, too, or errors of the operating system."""


def main() -> None:
    """Write the pages."""
    for page, text in pages().items():
        page.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
