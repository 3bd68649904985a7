"""Plans for tests: Adult as the project's figures use it, and tables of a few rows.

Both builders return a mapping with the keys of a plan and change into a folder of the test's own,
which is then the plan's folder. Cases that only a thorough run tries (`selection`) are left out.
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import settings

from sqlanon import cli
from sqlanon.boundary.locks import claim
from sqlanon.commands.options import Options
from sqlanon.commands.session import open_session
from sqlanon.engines.base import drive
from sqlanon.engines.duckdb import DuckDBEngine
from sqlanon.search.full_domain import FullDomainProblem
from sqlanon.source.frequency_set import prepare
from tests.oracles import full_domain as oracle
from tests.paths import TESTS
from tests.selection import ORDINARY_EXAMPLES, SAME_EVERYWHERE, Kind, selected
from tests.support.secret_texts import SEED, SEED_VARIABLE
from tests.support.tables import write_csv

PlanMapping = dict[str, Any]

MEMORY = 8 * 2**30
"""Bytes that must be free in memory for the folders of tests to be there."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--thorough` runs every case."""
    parser.addoption("--thorough", action="store_true", help="run every case of sampled tests")


def pytest_configure(config: pytest.Config) -> None:
    """Every run tries the same examples of properties.

    What runs of their own write goes to memory, as some disks take seconds to confirm a file.
    What a shell starts in the background ignores Ctrl-C, and so would all that the tests start:
    tests that interrupt a query would wait for ever.
    """
    memory = Path("/dev/shm")
    if memory.is_dir() and shutil.disk_usage(memory).free > MEMORY:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(memory))
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    settings.register_profile("thorough", SAME_EVERYWHERE)
    settings.register_profile("ordinary", SAME_EVERYWHERE, max_examples=ORDINARY_EXAMPLES)
    if config.getoption("--hypothesis-profile", None) is None:
        settings.load_profile("thorough" if is_thorough(config) else "ordinary")


def is_thorough(config: pytest.Config) -> bool:
    """Whether every case is tried: all of a test that is named on the command line, too."""
    return bool(config.getoption("--thorough")) or any("::" in name for name in config.args)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the cases of functions marked `sampled` that only a thorough run tries."""
    if is_thorough(config):
        return
    cases: dict[str, list[pytest.Function]] = {}
    for item in items:
        if isinstance(item, pytest.Function) and hasattr(item, "callspec"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    left_out: set[str] = set()
    for name, found in cases.items():
        if marker := found[0].get_closest_marker("sampled"):
            by: Kind | tuple[Kind, ...] = marker.kwargs.get("by", ())
            parameters = [item.callspec.params for item in found]
            kept = selected(parameters, marker.args[0], by, name.rpartition("::")[2])
            left_out |= {item.nodeid for place, item in enumerate(found) if place not in kept}
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left_out])
    items[:] = [item for item in items if item.nodeid not in left_out]


def published_before(place: str | Path, content: bytes, plan: str = "") -> None:
    """Write an earlier publication, with its manifest; the plan is called as what it publishes."""
    Path(place).write_bytes(content)
    shown = {"path": Path(place).name, "sha256": hashlib.sha256(content).hexdigest()}
    manifest = Path(place).parent / "target" / (plan or Path(place).stem) / "manifest.json"
    claim(manifest.parent)
    manifest.write_text(json.dumps({"published": shown}))


class Ended(NamedTuple):
    """What a command ended with, and what it printed."""

    code: int
    out: str
    err: str


Command = Callable[..., Ended]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, which is empty and the test's own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command of sqlanon in this process; lines are folded at `columns`, if it is given."""

    def run(*arguments: str, columns: int | None = None) -> Ended:
        capsys.readouterr()
        if columns:
            monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr("sys.argv", ["sqlanon", *arguments])
        with pytest.raises(SystemExit) as end:
            cli.main()
        code = end.value.code
        return Ended(code if isinstance(code, int) else int(code is not None), *capsys.readouterr())

    return run


AdultPlan = Callable[..., PlanMapping]
"""Builds a plan over Adult; takes keys of the plan, and a `sensitive` column."""

TinyPlan = Callable[..., PlanMapping]
"""Writes a table and its hierarchies, and builds a plan over them; takes keys of the plan."""


def pytest_collection_finish() -> None:
    """What is collected stays to the end: the garbage collector need not look at it again."""
    gc.freeze()


def pytest_sessionfinish() -> None:
    """At its end Python looks at everything again."""
    gc.unfreeze()


@pytest.fixture(scope="session", autouse=True)
def _alike_and_quick() -> Iterator[None]:
    """Rows are dealt alike in every run; no test can tell that files outlive a power failure."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SEED_VARIABLE, SEED)
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(scope="session")
def adult() -> Path:
    """The folder of Adult and its hierarchies; tests/data/README.md tells where they are from."""
    return TESTS / "data/adult"


@pytest.fixture
def adult_plan(adult: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AdultPlan:
    """All columns quasi-identifiers, in the order of the file, but for a `sensitive` one, which
    no model looks at."""
    monkeypatch.chdir(tmp_path)
    with (adult / "adult.csv").open(encoding="utf-8") as lines:
        columns = lines.readline().strip().split(";")

    def build(*, sensitive: str | None = None, **keys: Any) -> PlanMapping:
        hierarchies = {name: str(adult / f"adult_hierarchy_{name}.csv") for name in columns}
        roles: dict[str, Any] = {
            name: {"role": "quasi-identifier", "hierarchy": file}
            for name, file in hierarchies.items()
        }
        return {
            "source": {"path": str(adult / "adult.csv"), "delimiter": ";"},
            "columns": roles | ({sensitive: "insensitive"} if sensitive else {}),
            "privacy": [{"model": "k-anonymity", "k": 5}],
            "publish": "adult.parquet",
            **keys,
        }

    return build


@pytest.fixture
def tiny_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TinyPlan:
    """Quasi-identifiers `a`, `b`, `c` … and, where there are labels, an insensitive `label`.

    A missing value needs no row in a hierarchy here: it is an empty field of the CSV file.
    """
    monkeypatch.chdir(tmp_path)

    def build(
        rows: oracle.Table,
        hierarchies: oracle.Hierarchies,
        *,
        names: Sequence[str] = (),
        weights: Sequence[float] = (),
        labels: Sequence[oracle.Value] = (),
        **keys: Any,
    ) -> PlanMapping:
        names = list(names) or [chr(ord("a") + place) for place in range(len(hierarchies))]
        extra = ["label"] if labels else []
        cells = ([*row, *labels[n : n + 1]] for n, row in enumerate(rows))
        write_csv("rows.csv", [[*names, *extra], *cells])
        columns: dict[str, Any] = dict.fromkeys((*names, *extra), "insensitive")
        for place, (name, hierarchy) in enumerate(zip(names, hierarchies, strict=True)):
            lines = [labels for value, labels in hierarchy.items() if value is not None]
            file = write_csv(f"hierarchy_{name}.csv", lines)
            columns[name] = {"role": "quasi-identifier", "hierarchy": file}
            if weights:
                columns[name]["weight"] = weights[place]
        return {
            "source": {"path": "rows.csv", "delimiter": ","},
            "columns": columns,
            "privacy": [{"model": "k-anonymity", "k": 2}],
            "publish": "published.parquet",
            **keys,
        }

    return build


Opened = tuple[DuckDBEngine, FullDomainProblem]
Open = Callable[[PlanMapping], AbstractContextManager[Opened]]


@pytest.fixture(scope="session")
def opened() -> Open:
    """Opens an engine and prepares a plan's problem in it, for more than one question."""

    @contextmanager
    def open_(plan: PlanMapping) -> Iterator[Opened]:
        session = open_session(plan, Options())
        with session.embedded() as engine:
            hierarchies = session.hierarchies(copy=False)
            problem, _, _ = drive(engine, prepare(session.plan, hierarchies))
            yield engine, problem

    return open_
