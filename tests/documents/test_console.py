"""Every command that a page shows in a `console` block is run, or is listed here with a reason.

The commands of a page run in order, in a copy of the examples. A block with a title is a file, and
is written before them. Lines below a command are its output; `…` stands for what is left out. The
first command of the README runs in a process of its own, the others in this one.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.conftest import Command as RunHere
from tests.paths import ROOT
from tests.reference_pages import cli_commands
from tests.support.doc_pages import (
    FENCES,
    PAGES,
    Block,
    Command,
    all_blocks,
    commands,
    copied_examples,
    plain,
    read,
    run_command,
)

NOT_RUN = {
    **dict.fromkeys(("python3", "pip", ".", "pytest", ".ci/run"), ".ci/run does the same"),
    "dbt": "needs dbt; test_dbt_projects.py runs projects",
    "python": "takes minutes: papers, benchmarks, breakages, faults and generated input",
}
"""Programs that no test runs from a page, and why."""

NOT_RUN_PAGES = {"docs/dbt.md": "its commands need a project of dbt; test_dbt_projects.py has some"}
"""Pages whose commands no test runs, not even those of sqlanon, and why."""

ELSEWHERE = {
    "sqlanon sweep examples/clinic/plan.yml --over privacy.k=2,3,5,10,50":
        "test_docs.py runs it and compares what it prints with the page",
}  # fmt: skip
"""Commands that another test runs."""

HAS_PICTURES = find_spec("altair") is not None and find_spec("vl_convert") is not None
WITH_PICTURES = {"report", "--report", "--page"}
"""Words of commands that draw pictures, and are run only if the extra `report` is installed."""

GROUPS = {"hierarchy", "dbt"}
"""Commands that only have commands."""


def name(page: Path) -> str:
    """The path of a page in the repository."""
    return page.relative_to(ROOT).as_posix()


def of_sqlanon(command: Command) -> bool:
    """Whether a command is one of sqlanon."""
    return Path(command.program).name == "sqlanon"


def steps(page: Path) -> list[Block | Command]:
    """The files that a page shows, and its commands, in order."""
    found: list[Block | Command] = []
    for block in all_blocks(page):
        if block.title:
            found.append(block)
        elif block.language == "console":
            found += commands(block)
    return found


SHOWN = {page: steps(page) for page in PAGES}
RUN = [
    page
    for page, shown in SHOWN.items()
    if name(page) not in NOT_RUN_PAGES
    and any(isinstance(step, Command) and of_sqlanon(step) for step in shown)
]


def report_of(step: Block | Command) -> tuple[str, ...]:
    """A command that makes a report, without the folders of files; empty of any other step."""
    if isinstance(step, Block) or step.arguments[:1] != ("report",) or step.code or step.shown:
        return ()
    return tuple(Path(word).name for word in step.arguments)


REPORTS = {report_of(step): page for page in reversed(RUN) for step in SHOWN[page]}
"""The first page that makes each report. Of the others its plan must be there: they take long."""


def test_every_command_is_run_or_has_a_reason() -> None:
    programs = {
        command.program if command.program in NOT_RUN else Path(command.program).name
        for shown in SHOWN.values()
        for command in shown
        if isinstance(command, Command) and command.program != "sh" and not of_sqlanon(command)
    }
    assert programs == set(NOT_RUN)
    assert len(RUN) >= 5
    assert ELSEWHERE.keys() <= {str(step) for page in RUN for step in SHOWN[page]}


@pytest.mark.parametrize("page", RUN, ids=name)
def test_commands_of_a_page(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: RunHere
) -> None:
    folder = copied_examples(tmp_path)
    monkeypatch.chdir(folder)
    apart = name(page) == "README.md"
    for step in SHOWN[page]:
        if isinstance(step, Block):
            Path(step.title).write_text(step.text, encoding="utf-8")
        elif step.program == "sh":
            subprocess.run([step.program, *step.arguments], check=True, timeout=120)
        elif str(step) in ELSEWHERE:
            continue
        elif report_of(step) and REPORTS[report_of(step)] != page:
            assert Path(step.arguments[1]).is_file(), step
        elif of_sqlanon(step) and (HAS_PICTURES or not WITH_PICTURES & {*step.arguments}):
            if apart:  # the first command of the README
                done = run_command(list(step.arguments), folder)
                code, reported = done.returncode, done.stdout + done.stderr
            else:
                ended = command(*step.arguments)
                code, reported = ended.code, ended.out + ended.err
            apart = False
            assert code == step.code, f"{step}\n{reported}"
            for part in map(str.strip, step.shown.split("…")):
                assert plain(part) in plain(reported), f"{step}\n{reported}"


def test_commands_are_in_console_blocks_only() -> None:
    for page in PAGES:
        for block in all_blocks(page):
            shown = re.search(r"^\$ .*", block.text, re.MULTILINE)
            assert block.language == "console" or not shown, f"{name(page)}: {shown}"


def test_commands_in_the_text_exist_and_have_their_options() -> None:
    known = dict(cli_commands())
    options = {
        reported: {o for p in found.params for o in p.opts} for reported, found in known.items()
    }
    checked = 0
    for page in PAGES:
        for reported in re.findall(r"`sqlanon ([^`]*)`", re.sub(FENCES, "", read(page))):
            words = shlex.split(reported.replace("[", "").replace("]", "").replace("\\|", "; "))
            called = [word for word in words if re.fullmatch(r"[a-z]+", word)]
            if not called:
                continue
            command = " ".join(called[:2]) if " ".join(called[:2]) in known else called[0]
            where = f"{name(page)}: sqlanon {reported}"
            assert command in known or command in GROUPS, where
            named = {word.partition("=")[0] for word in words if word.startswith("--")}
            assert named <= options.get(command, set()) | {"--help", "--version"}, where
            checked += 1
    assert checked > 40
