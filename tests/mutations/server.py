"""Runs tests of a tree again and again, each time in a fork of a process that has done much.

usage: python server.py [collected ARGUMENT…], in a copy of the tree. A process that has `collected`
all tests, with these arguments of pytest, has what sqlanon is made of, too: it serves where a
template is broken. Another one has imported what is not of the tree, and nothing else.

A line of stdin has `tests` (functions, the nearest first) and `seconds` of processor; a line of
stdout what came of them: who failed, or how they ended.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import select
import sys
from typing import Any

import pytest

OPTIONS = [
    "-x", "-q", "-n0", "--no-header", "-p", "no:cacheprovider", "-p", "tests.mutations.quick",
    "--hypothesis-profile=ordinary trial", "-W", "ignore::pytest.PytestAssertRewriteWarning",
]  # fmt: skip

WAITED = 20
"""How long tests may wait, for seconds of processor: a busy machine must not seem to notice."""

MEMORY = 8 * 2**30
"""Bytes that a process of tests may fill: a breakage may join everything with everything."""

IMPORTED = (
    "duckdb", "hypothesis", "hypothesis.strategies", "jinja2", "pandas", "phonenumbers", "pyarrow",
    "pydantic", "rich.console", "rich.table", "sqlglot", "sqlglot.optimizer", "stdnum", "typer",
    "xml.etree.ElementTree", "yaml",
)  # fmt: skip


class Asked:
    """What is asked for: in this process nothing, in a fork of it the tests of one line."""

    def __init__(self) -> None:
        self.lines = os.fdopen(os.dup(0), encoding="utf-8")
        self.answers = os.dup(1)
        self.sender = -1
        quiet = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(quiet, number)

    def tests(self) -> list[str]:
        """Come back with tests in a fork for every line, and without any when there are no more."""
        for line in self.lines:
            asked = json.loads(line)
            receiver, self.sender = os.pipe()
            child = os.fork()
            if child == 0:
                os.setsid()
                resource.setrlimit(resource.RLIMIT_CPU, (asked["seconds"], asked["seconds"]))
                resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
                return list(asked["tests"])
            os.close(self.sender)
            ready = select.select([receiver], [], [], WAITED * asked["seconds"])[0]
            answer = os.read(receiver, 65_536).decode() if ready else "did not end"
            os.close(receiver)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, 9)
            os.waitpid(child, 0)
            os.write(self.answers, (json.dumps(answer or "the process died") + "\n").encode())
        return []

    def answer(self, text: str) -> None:
        """The end of a fork."""
        os.write(self.sender, text.encode())
        os._exit(0)


class Chosen:
    """A pytest plugin: of the collected tests those of the functions, in their order."""

    def __init__(self, asked: Asked, functions: list[str]) -> None:
        self.asked = asked
        self.functions = functions
        self.ran = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """The ordinary selection of cases is made; True where there is nothing to run."""
        from tests.mutations.quick import forget  # of the tree, which this process may not import

        sys.dont_write_bytecode = True
        self.functions = self.functions or self.asked.tests()
        order = {function: place for place, function in enumerate(self.functions)}
        function = {item: item.nodeid.partition("[")[0] for item in session.items}
        session.items[:] = sorted(
            (item for item in session.items if function[item] in order),
            key=lambda item: order[function[item]],
        )
        forget()
        return None if self.functions else True

    def pytest_runtest_logreport(self, report: Any) -> None:
        """The first test that fails is the answer."""
        self.ran = True
        if report.failed:
            self.asked.answer(f"{report.nodeid}: {report.longreprtext.splitlines()[-1]}")


def main() -> None:
    """Answer every line."""
    sys.path.insert(0, os.getcwd())
    asked = Asked()
    functions: list[str] = []
    arguments = sys.argv[2:]
    if not arguments:
        for name in IMPORTED:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
        sys.dont_write_bytecode = True
        functions = asked.tests()
        if not functions:
            return
        arguments = sorted({function.partition("::")[0] for function in functions})
    chosen = Chosen(asked, functions)
    code = pytest.main([*OPTIONS, *arguments], plugins=[chosen])
    if chosen.functions:
        asked.answer({2: "does not load"}.get(int(code), "lives" if chosen.ran else "no test"))


main()
