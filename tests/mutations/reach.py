"""A pytest plugin that records which test functions reach which lines, of Python and of templates.

What it records of a process is written into the folder of the environment variable `REACH`: the
seconds of processor of each function, and the functions that reach each line.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import coverage
import jinja2
import pytest
from jinja2.defaults import DEFAULT_NAMESPACE

from tests.mutations.quick import forget
from tests.mutations.rules import PYTHON, without_tags
from tests.paths import ROOT

REACH = "SQLANON_REACH"

_current = ""
_users: defaultdict[str, set[str]] = defaultdict(set)
_seconds: defaultdict[str, float] = defaultdict(float)
_rendered: defaultdict[str, defaultdict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
_coverage = coverage.Coverage(data_file=None, include=[f"{ROOT}/{folder}/*" for folder in PYTHON])
_get_source = jinja2.FileSystemLoader.get_source


def marked(name: str, source: str) -> str:
    """A template that calls `reached` in each line with text, and renders what it did before."""
    lines = source.split("\n")
    for number, text in enumerate(without_tags(source, " ").split("\n")):
        if text.strip():
            start = len(text) - len(text.lstrip())
            call = f'{{{{ reached("{name}", {number + 1}) }}}}'
            lines[number] = lines[number][:start] + call + lines[number][start:]
    return "\n".join(lines)


def _reached(name: str, line: int) -> str:
    _rendered[name][line].add(_current)
    return ""


def _marked_source(
    self: jinja2.FileSystemLoader, environment: jinja2.Environment, name: str
) -> tuple[Any, ...]:
    source, *others = _get_source(self, environment, name)
    return marked(name, source) if name.endswith(".sql") else source, *others


def pytest_configure() -> None:
    """Begin before anything of sqlanon is imported by a test."""
    _coverage.set_option("run:disable_warnings", ["no-data-collected"])  # by the first process
    DEFAULT_NAMESPACE["reached"] = _reached
    jinja2.FileSystemLoader.get_source = _marked_source  # type: ignore[assignment]
    _coverage.start()


def _enter(name: str) -> None:
    """What runs from here on is reached by this function or fixture."""
    global _current
    _current = name
    _coverage.switch_context(name)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Function) -> Iterator[None]:
    """All that runs for a test is reached by its function, and takes its time."""
    function = item.nodeid.partition("[")[0]
    fixtures = chain(*item._fixtureinfo.name2fixturedefs.values())
    for name in (function, *map(_name, fixtures)):
        _users[name].add(function)
    forget()
    _enter(function)
    before = sum(os.times()[:4])
    try:
        return (yield)
    finally:
        _seconds[function] += sum(os.times()[:4]) - before


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Iterator[Any]:
    """What a fixture of several tests does is reached by all that use it, not by the first."""
    before = _current
    if fixturedef.scope != "function":
        _enter(_name(fixturedef))
    try:
        return (yield)
    finally:
        _enter(before)


def _name(fixture: pytest.FixtureDef[Any]) -> str:
    return f"fixture {fixture.argname} of {fixture.baseid}"


def pytest_sessionfinish() -> None:
    """Write what was recorded."""
    _coverage.stop()
    data = _coverage.get_data()
    lines: dict[str, Mapping[int, Iterable[str]]] = {
        Path(file).relative_to(ROOT).as_posix(): data.contexts_by_lineno(file)
        for file in data.measured_files()
    }
    lines |= {f"sql_templates/{name}": found for name, found in _rendered.items()}
    kept = {
        "seconds": _seconds,
        "lines": {
            file: {line: _tests(contexts) for line, contexts in found.items()}
            for file, found in lines.items()
        },
    }
    Path(os.environ[REACH], f"{os.getpid()}.json").write_text(json.dumps(kept), encoding="utf-8")


def _tests(contexts: Iterable[str]) -> list[str]:
    """The functions among contexts, and those that use the fixtures among them."""
    return sorted(set[str]().union(*(_users[name] for name in contexts)))
