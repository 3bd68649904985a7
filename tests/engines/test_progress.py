"""Progress that a command reports: steps, rows, and how far a search is."""

from __future__ import annotations

import io
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import sqlanon
from sqlanon import Options, Progress
from sqlanon.cli.output import SILENT_SECONDS, Steps
from sqlanon.sql.step import SoFar, Step, reporting
from tests.paths import ROOT

CLINIC = ROOT / "examples/clinic"


def shown(folder: Path, plan: str, *overrides: str) -> tuple[Any, list[Progress], list[SoFar]]:
    """The manifest of a run of a plan of the clinic, what it reported, and how far its search was
    whenever it asked."""
    shutil.copytree(CLINIC, folder, ignore=shutil.ignore_patterns("target", "*.json", "*.parquet"))
    heard: list[Progress] = []
    result = sqlanon.run(folder / plan, Options(overrides=overrides, progress=heard.append))
    searched = [one.so_far for one in heard if one.so_far is not None and one.seconds is None]
    return result.manifest, heard, searched


@pytest.mark.parametrize("name", ["optimal", "incognito", "samarati", "datafly"])
def test_a_search_of_the_lattice_tells_how_far_it_is(name: str, tmp_path: Path) -> None:
    manifest, heard, found = shown(tmp_path / "clinic", "plan.yml", f"method={name}")
    nodes = [one for one in found if one.what != "satisfying nodes"]
    counts = [one.done for one in nodes]
    assert counts == sorted(counts)
    assert counts[0] == 0
    assert counts[-1] <= manifest["solution"]["lattice"]["checked"]
    assert all(one.of is not None and one.done <= one.of for one in found)
    # born, zip, marital status and sex have 5, 6, 4 and 2 levels
    assert {one.of for one in nodes} == {14 if name == "datafly" else 240}
    if name != "optimal":
        return
    for start, end in zip(heard[::2], heard[1::2], strict=True):
        assert (start.step, start.so_far) == (end.step, end.so_far)
        assert (start.seconds, start.rows) == (None, None) != (end.seconds, end.rows)
    rows = {one.step: one.rows for one in heard if one.rows is not None}
    assert rows["source_combinations"] == 2_000  # every patient is unique
    assert rows["release"] == manifest["rows"]["published"] == 1_945
    assert any("release, 1,945 rows, " in str(one) for one in heard)
    loss = manifest["utility"]["loss"]
    best = [one.best[0] for one in found if one.best is not None]
    bounds = [one.bound[0] for one in found if one.bound is not None]
    assert best == sorted(best, reverse=True)
    assert bounds == sorted(bounds)
    assert bounds[-1] <= loss + 1e-9
    assert loss <= best[-1] + 1e-9


@pytest.mark.parametrize(
    ("method", "what"),
    [
        ("{name: mondrian, execution: rounds}", "rounds"),
        ("dimension-splitting", "intervals cannot be cut further"),
        ("k-mondrian", "values of k"),
    ],
)
def test_a_partition_tells_how_far_it_is(method: str, what: str, tmp_path: Path) -> None:
    manifest, _, found = shown(tmp_path / "clinic", "mondrian.yml", f"method={method}")
    assert {one.what for one in found} == {what}
    if what == "rounds":
        assert [one.done for one in found] == list(range(manifest["solution"]["rounds"] + 1))
        assert found[0].left == ""
        assert all("combinations in regions" in one.left for one in found[1:])


def test_progress_is_no_part_of_a_step() -> None:
    def search() -> Any:
        rows = yield Step("one", "select 1", "rows")
        with suppress(ValueError):
            yield Step("two", "select 2", "rows")
        return rows

    so_far = SoFar(1, "nodes", 8, best=(0.5,), bound=(float("-inf"),), left="2 boxes")
    asking = reporting(search(), so_far)
    step = next(asking)
    assert (step, step.so_far) == (Step("one", "select 1", "rows"), so_far)
    assert hash(step) == hash(Step("one", "select 1", "rows"))
    assert asking.send([(1,)]).so_far == so_far
    with pytest.raises(StopIteration) as end:
        asking.throw(ValueError())
    assert end.value.value == [(1,)]
    assert str(so_far) == "1 of 8 nodes, best 0.5, 2 boxes"


def test_what_a_person_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    """The steps that took a while, and the running one; those of a search are one line."""
    now = 0.0
    monkeypatch.setattr("sqlanon.cli.output.time.monotonic", lambda: now)
    steps = Steps()

    def screen() -> list[str]:
        console = Console(file=io.StringIO(), width=80)
        console.print(steps)
        return console.file.getvalue().splitlines()  # type: ignore[attr-defined, no-any-return]

    def did(name: str, seconds: float, rows: int | None = None, so_far: Any = None) -> None:
        nonlocal now
        steps(Progress(name, so_far))
        now += seconds
        steps(Progress(name, so_far, seconds, rows))

    steps(Progress("source_combinations"))
    now = SILENT_SECONDS / 2
    assert screen() == []
    now = 1.5
    assert screen() == ["source combinations       1.5 s"]
    steps(Progress("source_combinations", None, 1.5, 193_032))
    for number in range(3):
        for name in ("scored_nodes", "valued_nodes"):
            did(name, 1.0, so_far=SoFar(32 * number, "nodes", 24_576, best=(0.25,)))
    did("quick", 0.01, 5)
    steps(Progress("release"))
    now += 2
    assert screen() == [
        "source combinations       1.5 s  193,032 rows",
        "search                    6.0 s  64 of 24,576 nodes, best 0.25",
        "release                   2.0 s",
    ]
