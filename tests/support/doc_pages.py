"""The pages of the documents: their blocks of code, and the commands of these, run in a copy."""

from __future__ import annotations

import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.paths import ROOT

PAGES = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md"),
     *ROOT.glob("hierarchies/*.md"), *ROOT.glob("benchmarks/*.md"), *ROOT.glob("dbt_package/*.md")]
)  # fmt: skip
LEFT_BEHIND = ("target", "*.parquet", "*.solution.json", "papers")
"""What an earlier run left among the examples, and what no command of a page reads."""

FENCES = re.compile(r'^( *)```(\w+)(?: title="([^"]+)")?\n(.*?)^\1```$', re.MULTILINE | re.DOTALL)
SHELL = ("cp", "sed")
"""Programs of which a whole line is run by a shell."""


class Block(NamedTuple):
    """A fenced block of code: its language, the file that it shows, if any, and its text."""

    language: str
    title: str
    text: str


class Command(NamedTuple):
    """A command of a console block, the exit code that it tells, and the output that it shows."""

    program: str
    arguments: tuple[str, ...]
    code: int
    shown: str

    def __str__(self) -> str:
        return shlex.join([self.program, *self.arguments])


def read(page: Path) -> str:
    """The page's text."""
    return page.read_text(encoding="utf-8")


def plain(text: str) -> str:
    """The text without backslashes of Markdown, line breaks and runs of spaces."""
    return re.sub(r"\s+", " ", text.replace("\\", ""))


def all_blocks(page: Path) -> list[Block]:
    """Every fenced block of a page, in order."""
    return [
        Block(language, title, textwrap.dedent(text))
        for _, language, title, text in FENCES.findall(read(page))
    ]


def blocks(page: Path, language: str) -> list[str]:
    """The texts of the blocks of a language that show no file."""
    return [b.text for b in all_blocks(page) if b.language == language and not b.title]


def commands(block: Block) -> Iterator[Command]:
    """The commands of a console block. `# exit code 1` after one tells that it fails so."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        line, _, shown = part.partition("\n")
        code = re.search(r"# exit code (\d+)$", line)
        if line.split()[0] in SHELL:
            yield Command("sh", ("-c", line), 0, shown.strip())
            continue
        for command in re.split(r" && ", line):
            words = shlex.split(command, comments=True)
            program, *arguments = itertools.dropwhile(re.compile(r"\w+=").match, words)
            yield Command(program, tuple(arguments), int(code[1]) if code else 0, shown.strip())


def sqlanon_commands(page: Path) -> list[list[str]]:
    """The arguments of every `sqlanon` command of the page's console blocks, in order."""
    consoles = [block for block in all_blocks(page) if block.language == "console"]
    shown = [command for block in consoles for command in commands(block)]
    return [list(each.arguments) for each in shown if Path(each.program).name == "sqlanon"]


def copied_examples(to: Path) -> Path:
    """The examples in a folder of their own, without what an earlier run left there."""
    shutil.copytree(ROOT / "examples", to / "examples", ignore=shutil.ignore_patterns(*LEFT_BEHIND))
    return to


def run_command(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run sqlanon as the shell would; wide, so that no table is wrapped."""
    command = [sys.executable, "-m", "sqlanon", *arguments]
    wide = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}
    return subprocess.run(
        command, cwd=folder, env=wide, capture_output=True, encoding="utf-8", timeout=120
    )
