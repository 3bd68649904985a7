"""The faults: signals at every boundary and at random moments, and broken surroundings."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from tests.faults.harness import (
    KINDS,
    Outcome,
    at_boundaries,
    boundaries,
    disturbed,
    fresh,
    names,
    outcome,
    prepare,
    published,
    signaled,
    write_source,
)
from tests.paths import ROOT

SIGNALS = {signal.SIGKILL: -9, signal.SIGTERM: 143, signal.SIGINT: 130}
"""Exit codes that a run ends with; a run that was done already may end with 0."""


@dataclass
class Tried:
    """A fault that was tried several times on one kind of publication."""

    fault: str
    kind: str
    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def add(self, where: str, found: Outcome, *codes: int) -> None:
        """Note an outcome; `codes` are the exit codes that are right."""
        self.outcomes[found.published] += 1
        if not found.is_sound or found.code not in codes:
            self.faults.append(f"{where}: {found}")

    @property
    def row(self) -> tuple[str, ...]:
        """Fault, kind, tries, how many left the earlier and the later one, how many are unsound."""
        counts = self.outcomes
        numbers = (counts.total(), counts["earlier"], counts["later"], len(self.faults))
        return (self.fault, self.kind, *map(str, numbers))


def template_of(folder: Path, kind: str) -> Path:
    """A prepared folder of a kind, made once."""
    template = folder / f"template {kind}"
    if not template.is_dir():
        template.mkdir(parents=True)
        prepare(template, kind)
    return template


def signal_faults(folder: Path, every: int = 1) -> Iterator[Tried]:
    """Signals at each boundary, or each `every`-th."""
    for kind in KINDS:
        template = template_of(folder, kind)
        passed = boundaries(template, folder / "count")
        for sent, code in SIGNALS.items():
            tried = Tried(f"{sent.name} at a step or a rename", kind)
            for number in range(1, len(passed) + 1, every):
                with fresh(template, folder / "run") as run:
                    before = names(run)
                    found = outcome(run, kind, disturbed(run, signaled(number, sent)), before)
                    tried.add(f"{number} ({passed[number - 1]})", found, code, 0)
            yield tried


Mend = Callable[[], object]


def _filled(run: Path) -> Mend:
    """No room is left on the disk."""
    filler = run.parent / "filler"
    with contextlib.suppress(OSError), filler.open("wb", buffering=0) as content:
        while True:
            content.write(bytes(4096))
    return filler.unlink


def _read_only(run: Path) -> Mend:
    def remounted(how: str) -> object:
        return subprocess.run(["mount", "-o", f"remount,{how}", str(run.parent)], check=True)

    remounted("ro")
    return lambda: remounted("rw")


def _not_permitted(run: Path) -> Mend:
    """A folder that can be read and not written to."""
    for place in (run.parent, *run.rglob("*"), run):
        place.chmod(0o555 if place.is_dir() else 0o444)
    return lambda: subprocess.run(["chmod", "u+rwx", run.parent, run], check=True)


def _as_nobody() -> None:
    """To root nothing is forbidden: go on as a user without rights."""
    if os.getuid() == 0:
        os.setuid(65534)


def _truncated(run: Path) -> Mend:
    """The source is the first half of a Parquet file."""
    source, plan = run / "rows.csv", run / "plan.yml"
    kept = {file: file.read_bytes() for file in (source, plan)}
    rows = f"from read_csv('{source}', all_varchar = true)"
    duckdb.execute(f"copy ({rows}) to '{source}' (format parquet)")
    source.write_bytes(source.read_bytes()[: source.stat().st_size // 2])
    read = {"source": {"path": "rows.csv", "format": "parquet"}}
    plan.write_text(json.dumps({**json.loads(plan.read_text()), **read}))
    return lambda: [file.write_bytes(content) for file, content in kept.items()]


def _locked(run: Path) -> Mend:
    """Another program holds the published database open for writing."""
    (file,) = run.glob("*.duckdb")
    code = "import duckdb, sys\nheld = duckdb.connect(sys.argv[1])\nprint('held', flush=True)"
    command = [sys.executable, "-c", f"{code}\ninput()", str(file)]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    holder.stdout.readline()
    return lambda: holder.communicate(b"\n")


def _changes() -> None:
    """The source is written anew between the passes over it; in the current folder."""

    def change(number: int, name: str) -> None:
        if name == "published":
            write_source(Path(), "earlier")

    at_boundaries(change)


def _changed_back(run: Path) -> Mend:
    return lambda: write_source(run, "later")


class _Fault(NamedTuple):
    """Something around a run that is broken while it runs.

    Attributes:
        codes: the exit codes that are right.
        spoil: breaks it, and returns what mends it.
        options: of the command line.
        before: is called in the process of the run before it begins.
        disk: the size of a file system of its own, which only root can make.
    """

    name: str
    codes: tuple[int, ...]
    spoil: Callable[[Path], Mend] = lambda run: lambda: None
    options: tuple[str, ...] = ()
    before: Callable[[], None] = lambda: None
    disk: str = ""


FAULTS = (
    _Fault("a full disk", (4, 5), _filled, disk="20m"),
    _Fault("a read-only file system", (5,), _read_only, disk="30m"),
    _Fault("no permission", (5,), _not_permitted, before=_as_nobody),
    _Fault("a truncated source", (2, 4), _truncated),
    _Fault("the published database is locked", (5,), _locked),
    _Fault("too little memory", (2, 4), options=("--memory-limit", "1KB")),
    # Anatomy has read all rows by then: what it publishes is complete, and proven.
    _Fault("the source changes during the run", (0, 1), _changed_back, before=_changes),
)


def environment_faults(folder: Path) -> Iterator[Tried]:
    """Broken surroundings: disks, permissions, sources, locks, memory, a second run."""
    disk = folder / "disk"
    for fault, kind in itertools.product(FAULTS, KINDS):
        is_locked = fault.spoil is _locked
        if is_locked and "::" not in KINDS[kind]:
            continue
        template, tried = template_of(folder, kind), Tried(fault.name, kind)
        disk.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", f"size={fault.disk}", "tmpfs", str(disk)]
        if not fault.disk or subprocess.run(mount, capture_output=True).returncode == 0:
            with fresh(template, disk / "run") as run:
                before, mend = names(run), fault.spoil(run)
                code = disturbed(run, fault.before, *fault.options)
                found = "" if is_locked else published(run, kind)
                mend()
                after = outcome(run, kind, code, before)
                after = after._replace(published=found or after.published)
                tried.add(fault.name, after, *fault.codes)
            if fault.disk:
                subprocess.run(["umount", "-l", str(disk)], check=True)
            yield tried
        shutil.rmtree(disk)
    for kind in KINDS:
        yield four_at_once(folder, kind)


def four_at_once(folder: Path, kind: str) -> Tried:
    """Four runs of one plan, started together."""
    tried = Tried("four runs at once", kind)
    with fresh(template_of(folder, kind), folder / "run") as run:
        before = names(run)
        command = [sys.executable, "-m", "sqlanon", "run", "plan.yml"]
        with run.with_name("log").open("wb") as log:
            options: Any = {"cwd": run, "stdout": log, "stderr": log}
            options["env"] = {**os.environ, "PYTHONPATH": str(ROOT)}
            started = [subprocess.Popen(command, **options) for _ in range(4)]
        codes = [process.wait() for process in started]
        tried.add("together", outcome(run, kind, max(codes), before), 0)
    return tried
