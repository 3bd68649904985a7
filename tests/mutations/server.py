"""Runs tests of a tree again and again, each time in a fork of a process that has imported much.

usage: python server.py, in a copy of the tree. A line of stdin has `tests` (functions, the quickest
first) and `seconds`; a line of stdout what came of them: who failed, or how they ended.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import select
import sys
from typing import Any

for _name in (
    "duckdb", "hypothesis", "hypothesis.strategies", "jinja2", "pandas", "phonenumbers", "pyarrow",
    "pydantic", "pytest", "rich.console", "rich.table", "sqlglot", "sqlglot.optimizer", "stdnum",
    "typer", "xml.etree.ElementTree", "yaml",
):  # fmt: skip
    with contextlib.suppress(ImportError):
        importlib.import_module(_name)


class Chosen:
    """A pytest plugin: of the collected tests those of the functions, in their order."""

    failed = ""

    def __init__(self, functions: list[str]) -> None:
        self.order = {function: place for place, function in enumerate(functions)}

    def pytest_collection_modifyitems(self, config: Any, items: list[Any]) -> None:
        """After the ordinary selection of cases."""
        function = {item: item.nodeid.partition("[")[0] for item in items}
        items[:] = sorted(
            (item for item in items if function[item] in self.order),
            key=lambda item: self.order[function[item]],
        )

    def pytest_runtest_logreport(self, report: Any) -> None:
        """The first test that fails."""
        self.failed = self.failed or (report.nodeid if report.failed else "")


def run(functions: list[str]) -> str:
    """`lives`, or the test that failed, or what went wrong."""
    import pytest

    chosen = Chosen(functions)
    files = sorted({function.partition("::")[0] for function in functions})
    code = pytest.main(
        ["-x", "-q", "-n0", "--no-header", "--hypothesis-profile=few", "-p", "no:cacheprovider",
         "-p", "tests.mutations.quick", "-W", "ignore::pytest.PytestAssertRewriteWarning", *files],
        plugins=[chosen],
    )  # fmt: skip
    return chosen.failed or {0: "lives", 2: "does not load"}.get(int(code), "no test")


def main() -> None:
    """Answer every line."""
    sys.path.insert(0, os.getcwd())
    answers = os.dup(1)
    quiet = os.open(os.devnull, os.O_RDWR)
    for number in (1, 2):
        os.dup2(quiet, number)
    for line in sys.stdin:
        asked = json.loads(line)
        receiver, sender = os.pipe()
        child = os.fork()
        if child == 0:
            os.setsid()
            os.write(sender, run(asked["tests"]).encode())
            os._exit(0)
        os.close(sender)
        ready = select.select([receiver], [], [], asked["seconds"])[0]
        answer = os.read(receiver, 65_536).decode() if ready else "did not end"
        os.close(receiver)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, 9)
        os.waitpid(child, 0)
        os.write(answers, (json.dumps(answer or "the process died") + "\n").encode())


main()
