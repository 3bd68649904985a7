"""Runs that are killed, stopped, starved or disturbed, and what is published afterwards.

An ordinary run of the tests tries a few of the faults, a thorough one all.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest

from tests.faults.harness import (
    KINDS,
    at_boundaries,
    disturbed,
    fresh,
    names,
    outcome,
    prepared,
    published,
    signaled,
    write_source,
)
from tests.paths import ROOT


@pytest.mark.sampled(0.05, by=("kind", "which"))
@pytest.mark.parametrize("which", range(4))
@pytest.mark.parametrize("kind", KINDS)
def test_killed_where_a_publication_is_put_in_place(kind: str, which: int, tmp_path: Path) -> None:
    """At the last move of a file, or one of the others.

    The place has one of both publications; its manifest, program and solution are there, too, as
    soon as a next run begins, even one without a result; and the run after that publishes.
    """
    template, passed = prepared(tmp_path, kind)
    first, last = passed.index("before publish"), passed.index("after publish")
    moves = [n for n in range(first, last) if passed[n].endswith(("os.replace", "os.rename"))]
    number = [moves[-1], *random.Random(kind).sample(moves[:-1], 3)][which]
    with fresh(template, tmp_path / "run") as run:
        before = names(run)
        code = disturbed(run, signaled(number + 1, signal.SIGKILL))
        planned = (run / "plan.yml").read_text()
        impossible = {"privacy": [{"model": "k-anonymity", "k": 999}], "method": "optimal"}
        (run / "plan.yml").write_text(json.dumps({**json.loads(planned), **impossible}))
        assert disturbed(run, lambda: None) == 3
        check_described(run, kind, passed[number])
        (run / "plan.yml").write_text(planned)
        found = outcome(run, kind, code, before)
        assert found.is_sound, f"{passed[number]}: {found}"


def check_described(run: Path, kind: str, where: str) -> None:
    """What describes the publication belongs to it."""
    target = run / "target/plan"
    manifest = json.loads((target / "manifest.json").read_text())
    solution = json.loads((run / "plan.solution.json").read_text())
    program = (target / "sql/program.sql").read_bytes()
    assert solution["plan_sha256"] == manifest["plan_sha256"], where
    assert hashlib.sha256(program).hexdigest() == manifest["program_sha256"], where
    rows = {"earlier": 48, "later": 72}[published(run, kind)]
    assert manifest["rows"]["published"] == rows, where
    release = (target / "release.sql").read_text().partition("with source as")[2]
    lines = {line.strip() for line in program.decode().splitlines()}
    parts = {line.strip() for line in release.rstrip(";\n").splitlines()}
    assert {part for part in parts if "materialized" not in part} <= lines, where


SIGNALS = {signal.SIGKILL: -9, signal.SIGTERM: 143, signal.SIGINT: 130}
"""Exit codes that a run ends with; a run that was done already may end with 0."""


@pytest.mark.sampled(0.001, by="sent")
@pytest.mark.parametrize("place", range(60))
@pytest.mark.parametrize("sent", SIGNALS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_signal_at_a_step_or_a_rename(
    kind: str, sent: signal.Signals, place: int, tmp_path: Path
) -> None:
    """At each 60th place of a run, from this one on."""
    template, passed = prepared(tmp_path, kind)
    for number in range(place + 1, len(passed) + 1, 60):
        with fresh(template, tmp_path / "run") as run:
            before = names(run)
            found = outcome(run, kind, disturbed(run, signaled(number, sent)), before)
            assert found.is_sound, f"{passed[number - 1]}: {found}"
            may_be_done = "before publish" in passed[:number]
            assert found.code in (SIGNALS[sent], 0)[: 1 + may_be_done]
            assert may_be_done or found.published == "earlier"


@pytest.mark.sampled(0.01, by="sent")
@pytest.mark.parametrize("moment", range(25))
@pytest.mark.parametrize("sent", SIGNALS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_signal_at_a_random_moment(
    kind: str, sent: signal.Signals, moment: int, tmp_path: Path
) -> None:
    template, _ = prepared(tmp_path, kind)
    seconds = random.Random(f"{kind} {sent} {moment}").uniform(0, 1)
    with fresh(template, tmp_path / "run") as run:
        before = names(run)
        timer = threading.Timer(seconds, lambda: os.kill(os.getpid(), sent))
        found = outcome(run, kind, disturbed(run, timer.start), before)
        assert found.is_sound, found
        assert found.code in (SIGNALS[sent], 0)


Mend = Callable[[], object]


def filled(run: Path) -> Mend:
    """No room is left on the disk."""
    filler = run.parent / "filler"
    with contextlib.suppress(OSError), filler.open("wb", buffering=0) as content:
        while True:
            content.write(bytes(4096))
    return filler.unlink


def read_only(run: Path) -> Mend:
    def remounted(how: str) -> object:
        return subprocess.run(["mount", "-o", f"remount,{how}", str(run.parent)], check=True)

    remounted("ro")
    return lambda: remounted("rw")


def not_permitted(run: Path) -> Mend:
    """A folder that can be read and not written to."""
    for place in (run.parent, *run.rglob("*"), run):
        place.chmod(0o555 if place.is_dir() else 0o444)
    return lambda: subprocess.run(["chmod", "u+rwx", run.parent, run], check=True)


def as_nobody() -> None:
    """To root nothing is forbidden: go on as a user without rights."""
    if os.getuid() == 0:
        os.setuid(65534)


def truncated(run: Path) -> Mend:
    """The source is the first half of a Parquet file."""
    source, plan = run / "rows.csv", run / "plan.yml"
    kept = {file: file.read_bytes() for file in (source, plan)}
    rows = f"from read_csv('{source}', all_varchar = true)"
    duckdb.execute(f"copy ({rows}) to '{source}' (format parquet)")
    source.write_bytes(source.read_bytes()[: source.stat().st_size // 2])
    read = {"source": {"path": "rows.csv", "format": "parquet"}}
    plan.write_text(json.dumps({**json.loads(plan.read_text()), **read}))
    return lambda: [file.write_bytes(content) for file, content in kept.items()]


def locked(run: Path) -> Mend:
    """Another program holds the published database open for writing."""
    (file,) = run.glob("*.duckdb")
    code = "import duckdb, sys\nheld = duckdb.connect(sys.argv[1])\nprint('held', flush=True)"
    command = [sys.executable, "-c", f"{code}\ninput()", str(file)]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    holder.stdout.readline()
    return lambda: holder.communicate(b"\n")


def changes() -> None:
    """The source is written anew between the passes over it; in the current folder."""

    def change(number: int, name: str) -> None:
        if name == "published":
            write_source(Path(), "earlier")

    at_boundaries(change)


def unspoiled(run: Path) -> Mend:
    return lambda: None


def starved() -> None:
    sys.argv += ["--memory-limit", "1KB"]


def changed_back(run: Path) -> Mend:
    return lambda: write_source(run, "later")


class Fault(NamedTuple):
    """Something around a run that is broken while it runs.

    Attributes:
        codes: the exit codes that are right.
        spoil: breaks it, and returns what mends it.
        before: is called in the process of the run before it begins.
        disk: the size of a file system of its own, which only root can make.
    """

    codes: tuple[int, ...]
    spoil: Callable[[Path], Mend]
    before: Callable[[], None] = lambda: None
    disk: str = ""


FAULTS = {
    "a full disk": Fault((4, 5), filled, disk="20m"),
    "a read-only file system": Fault((5,), read_only, disk="30m"),
    "no permission": Fault((5,), not_permitted, before=as_nobody),
    "a truncated source": Fault((2, 4), truncated),
    "the published database is locked": Fault((5,), locked),
    # Anatomy has read all rows by then: what it publishes is complete, and proven.
    "too little memory": Fault((2, 4), unspoiled, before=starved),
    "the source changes during the run": Fault((0, 1), changed_back, before=changes),
}


@pytest.mark.sampled(0.1, by="name")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FAULTS)
def test_broken_surroundings(name: str, kind: str, tmp_path: Path) -> None:
    fault = FAULTS[name]
    if fault.spoil is locked and "::" not in KINDS[kind]:
        pytest.skip("no database is published")
    template, _ = prepared(tmp_path, kind)
    disk = tmp_path / "disk"
    disk.mkdir()
    with contextlib.ExitStack() as stack:
        if fault.disk:
            mount = ["mount", "-t", "tmpfs", "-o", f"size={fault.disk}", "tmpfs", str(disk)]
            if subprocess.run(mount, capture_output=True).returncode:
                pytest.skip("nothing can be mounted")
            stack.callback(subprocess.run, ["umount", "-l", str(disk)], check=True)
        run = stack.enter_context(fresh(template, disk / "run"))
        before, mend = names(run), fault.spoil(run)
        code = disturbed(run, fault.before)
        if fault.spoil is not locked:
            assert published(run, kind) in ("earlier", "later")
        mend()
        found = outcome(run, kind, code, before)
        assert found.is_sound, found
        assert code in fault.codes


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("kind", KINDS)
def test_four_runs_at_once(kind: str, tmp_path: Path) -> None:
    template, _ = prepared(tmp_path, kind)
    with fresh(template, tmp_path / "run") as run, (tmp_path / "log").open("wb") as log:
        before = names(run)
        options: Any = {"cwd": run, "stdout": log, "stderr": log}
        options["env"] = {**os.environ, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "sqlanon", "run", "plan.yml"]
        started = [subprocess.Popen(command, **options) for _ in range(4)]
        assert [process.wait() for process in started] == [0] * 4
        assert outcome(run, kind, 0, before).is_sound
