"""Plans for tests: Adult as the project's figures use it, and tables of a few rows.

Both builders return a mapping with the keys of a plan and change into a folder of the test's own,
which is then the plan's folder.
"""

from __future__ import annotations

import csv
import datetime
import hashlib
import json
import math
import os
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol

import oracle
import pytest
from secret_texts import SEED, SEED_VARIABLE

from sqlanon.engines import DuckDBEngine
from sqlanon.engines.base import drive
from sqlanon.full_domain import FullDomainProblem
from sqlanon.prepare import prepare
from sqlanon.session import Options, Session

PlanMapping = dict[str, Any]

SAMPLE = "SQLANON_TEST_SAMPLE"
"""Environment variable that draws the cases of tests marked `sampled`; the day by default."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--thorough` runs every case."""
    parser.addoption("--thorough", action="store_true", help="run every case of sampled tests")


def pytest_configure(config: pytest.Config) -> None:
    """Fix the sample before the processes start that share the work."""
    os.environ.setdefault(SAMPLE, str(datetime.date.today().toordinal()))


def pytest_report_header(config: pytest.Config) -> str:
    """Say how the sample is drawn again."""
    return f"cases of sampled tests: {SAMPLE}={os.environ[SAMPLE]} (--thorough: all)"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of each parametrized test marked `sampled(share)`, keep that share of its cases.

    Cases that are named on the command line are all kept.
    """
    if config.getoption("--thorough") or any("::" in argument for argument in config.args):
        return
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("sampled") and "[" in item.nodeid:
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    left_out: set[str] = set()
    for name, found in cases.items():
        marker = found[0].get_closest_marker("sampled")
        assert marker is not None
        kept = max(3, math.ceil(marker.args[0] * len(found)))
        draw = random.Random(f"{os.environ[SAMPLE]} {name}")
        others = draw.sample(found, max(0, len(found) - kept))
        left_out |= {item.nodeid for item in others}
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left_out])
    items[:] = [item for item in items if item.nodeid not in left_out]


def published_before(place: str | Path, content: bytes, plan: str = "plan") -> None:
    """Write an earlier publication of the plan of this name, as its manifest tells."""
    Path(place).write_bytes(content)
    told = {"path": Path(place).name, "sha256": hashlib.sha256(content).hexdigest()}
    manifest = Path(place).parent / "target" / plan / "manifest.json"
    manifest.parent.mkdir(parents=True, exist_ok=True)
    manifest.write_text(json.dumps({"published": told}))


class AdultPlan(Protocol):
    """Builds a plan over Adult; `keys` are keys of the plan."""

    def __call__(self, *, sensitive: str | None = None, **keys: Any) -> PlanMapping: ...


class TinyPlan(Protocol):
    """Writes a table and its hierarchies, and builds a plan over them."""

    def __call__(
        self,
        rows: oracle.Table,
        hierarchies: oracle.Hierarchies,
        *,
        names: Sequence[str] = (),
        weights: Sequence[float] = (),
        labels: Sequence[oracle.Value] = (),
        **keys: Any,
    ) -> PlanMapping: ...


@pytest.fixture(scope="session", autouse=True)
def _seed() -> Iterator[None]:
    """Rows are dealt and permuted alike in every run of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SEED_VARIABLE, SEED)
        yield


@pytest.fixture(scope="session")
def adult() -> Path:
    """The folder of Adult and its hierarchies; tests/data/README.md tells where they are from."""
    return Path(__file__).parent / "data/adult"


@pytest.fixture
def adult_plan(adult: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AdultPlan:
    """All columns quasi-identifiers, in the order of the file, but for a `sensitive` one, which
    no model looks at."""
    monkeypatch.chdir(tmp_path)
    with (adult / "adult.csv").open(encoding="utf-8") as lines:
        columns = lines.readline().strip().split(";")

    def build(*, sensitive: str | None = None, **keys: Any) -> PlanMapping:
        return {
            "source": {"path": str(adult / "adult.csv"), "delimiter": ";"},
            "columns": {
                name: "insensitive"
                if name == sensitive
                else {
                    "role": "quasi-identifier",
                    "hierarchy": str(adult / f"adult_hierarchy_{name}.csv"),
                }
                for name in columns
            },
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
        _write(
            "rows.csv",
            [
                [*names, *extra],
                *([*row, *labels[n : n + 1]] for n, row in enumerate(rows)),
            ],
        )
        columns: dict[str, Any] = {}
        for place, (name, hierarchy) in enumerate(zip(names, hierarchies, strict=True)):
            _write(f"hierarchy_{name}.csv", [h for v, h in hierarchy.items() if v is not None])
            columns[name] = {
                "role": "quasi-identifier",
                "hierarchy": f"hierarchy_{name}.csv",
                **({"weight": weights[place]} if weights else {}),
            }
        return {
            "source": {"path": "rows.csv", "delimiter": ","},
            "columns": {**columns, **dict.fromkeys(extra, "insensitive")},
            "privacy": [{"model": "k-anonymity", "k": 2}],
            "publish": "published.parquet",
            **keys,
        }

    return build


def _write(file: str, rows: Sequence[Sequence[oracle.Value]]) -> None:
    with Path(file).open("w", encoding="utf-8", newline="") as lines:
        csv.writer(lines).writerows(rows)


Opened = tuple[DuckDBEngine, FullDomainProblem]


@pytest.fixture(scope="session")
def opened() -> Callable[[PlanMapping], AbstractContextManager[Opened]]:
    """Opens an engine and prepares a plan's problem in it, for more than one question."""

    @contextmanager
    def open_(plan: PlanMapping) -> Iterator[Opened]:
        session = Session(plan, Options())
        with session.engine() as engine:
            hierarchies = session.hierarchies(copy=False)
            problem, _, _ = drive(engine, prepare(session.plan, hierarchies))
            yield engine, problem

    return open_
