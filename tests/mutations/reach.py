"""A pytest plugin that records which test functions reach which lines and templates.

What it records of a process is written into the folder of the environment variable `REACH`: the
seconds of each function, and the functions that reach each line of Python and each template.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import coverage
import jinja2
import pytest

from tests.mutations.rules import PYTHON
from tests.paths import ROOT

REACH = "SQLANON_REACH"

_current = ""
_seconds: defaultdict[str, float] = defaultdict(float)
_templates: defaultdict[str, set[str]] = defaultdict(set)
_coverage = coverage.Coverage(data_file=None, include=[f"{ROOT}/{folder}/*" for folder in PYTHON])
_get_template = jinja2.Environment.get_template


def _noted(self: jinja2.Environment, name: Any, *arguments: Any, **keywords: Any) -> Any:
    _templates[str(name)].add(_current)
    return _get_template(self, name, *arguments, **keywords)


def pytest_configure() -> None:
    """Begin before anything of sqlanon is imported by a test."""
    _coverage.set_option("run:disable_warnings", ["no-data-collected"])  # by the first process
    jinja2.Environment.get_template = _noted  # type: ignore[method-assign]
    _coverage.start()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """All that runs for a test, its fixtures too, is reached by it."""
    global _current
    _current = item.nodeid.partition("[")[0]
    _coverage.switch_context(_current)
    return (yield)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """How long each function takes, all of its cases together."""
    if _current:  # not in the process that only hears of it
        _seconds[report.nodeid.partition("[")[0]] += report.duration


def pytest_sessionfinish() -> None:
    """Write what was recorded."""
    _coverage.stop()
    data = _coverage.get_data()
    lines = {
        Path(file).relative_to(ROOT).as_posix(): {
            str(line): [test for test in tests if test]
            for line, tests in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
    }
    found = {
        "seconds": _seconds,
        "templates": {name: sorted(tests - {""}) for name, tests in _templates.items()},
        "lines": lines,
    }
    Path(os.environ[REACH], f"{os.getpid()}.json").write_text(json.dumps(found), encoding="utf-8")
