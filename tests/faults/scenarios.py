"""The faults: signals at every boundary and at random moments, and broken surroundings."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

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

SIGNALS = {signal.SIGKILL: -9, signal.SIGTERM: 143, signal.SIGINT: 130}
"""Exit codes that a run ends with; a run that was done already may end with 0."""


@dataclass
class Tried:
    """A fault that was tried several times on one kind of publication."""

    fault: str
    kind: str
    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def add(self, where: str, found: Outcome, codes: tuple[int, ...]) -> None:
        """Note an outcome; `codes` are the exit codes that are right."""
        self.outcomes[found.published] += 1
        if not found.is_sound or found.code not in codes:
            self.faults.append(f"{where}: {found}")

    @property
    def unsound(self) -> int:
        """How many tries ended otherwise than they should."""
        return len(self.faults)

    @property
    def row(self) -> tuple[str, ...]:
        """Fault, kind, tries, how many left the earlier and the later one, how many are unsound."""
        counts = self.outcomes
        numbers = (counts.total(), counts["earlier"], counts["later"], self.unsound)
        return (self.fault, self.kind, *map(str, numbers))


def template_of(folder: Path, kind: str) -> Path:
    """A prepared folder of a kind, made once."""
    template = folder / f"template {kind}"
    if not template.is_dir():
        template.mkdir(parents=True)
        prepare(template, kind)
    return template


def signal_faults(
    folder: Path, *, every: int = 1, moments: int = 5, seed: int = 1
) -> Iterator[Tried]:
    """Signals at each boundary (each `every`-th), and at random moments."""
    draw = random.Random(seed)
    for kind in KINDS:
        template = template_of(folder, kind)
        with fresh(template, folder / "count") as counted:
            passed = boundaries(counted)
        for sent, code in SIGNALS.items():
            numbers = range(1 + draw.randrange(every), len(passed) + 1, every)
            at_steps = {f"{n} ({passed[n - 1]})": signaled(n, sent) for n in numbers}
            times = [draw.uniform(0, 0.6) for _ in range(moments)]
            at_times = {f"{moment:.3f} s": _timed(moment, sent) for moment in times}
            for when, disturbances in (("step or a rename", at_steps), ("random moment", at_times)):
                tried = Tried(f"{sent.name} at a {when}", kind)
                for where, disturb in disturbances.items():
                    with fresh(template, folder / "run") as run:
                        before = names(run)
                        ended = disturbed(run, disturb)
                        tried.add(where, outcome(run, kind, ended, before), (code, 0))
                yield tried


def _timed(moment: float, sent: signal.Signals) -> Callable[[], None]:
    def start() -> None:
        process = os.getpid()
        if os.fork() == 0:
            time.sleep(moment)
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, sent)
            os._exit(0)

    return start


Broken = tuple[Path, Callable[[], object]]
"""A run's folder in broken surroundings, and what mends them."""


class _Fault(NamedTuple):
    """Something around a run that is broken while it runs: the exit codes that are right, a context
    manager (None where the fault cannot be made), options of the command line, and what is called
    in the process of the run before it begins."""

    name: str
    codes: tuple[int, ...]
    surroundings: Callable[[Path, Path, str], contextlib.AbstractContextManager[Broken | None]]
    options: tuple[str, ...] = ()
    before: Callable[[], None] = lambda: None


@contextlib.contextmanager
def _copied(template: Path, folder: Path, kind: str) -> Iterator[Broken]:
    with fresh(template, folder / "run") as run:
        yield run, lambda: None


@contextlib.contextmanager
def _mounted(template: Path, folder: Path, options: str) -> Iterator[Path | None]:
    """A run's folder on a file system of its own; None where nothing can be mounted."""
    disk = folder / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(disk)]
    is_mounted = subprocess.run(mount, capture_output=True).returncode == 0
    try:
        yield Path(shutil.copytree(template, disk / "run")) if is_mounted else None
    finally:
        if is_mounted:
            subprocess.run(["umount", "-l", str(disk)], check=True)
        disk.rmdir()


@contextlib.contextmanager
def _small_disk(template: Path, folder: Path, kind: str) -> Iterator[Broken | None]:
    """No room left."""
    with _mounted(template, folder, "size=20m") as run:
        if run is None:
            yield None
            return
        filler = run.parent / "filler"
        with contextlib.suppress(OSError), filler.open("wb", buffering=0) as content:
            while True:
                content.write(bytes(4096))
        yield run, filler.unlink


@contextlib.contextmanager
def _read_only(template: Path, folder: Path, kind: str) -> Iterator[Broken | None]:
    """A file system that takes no writes."""
    with _mounted(template, folder, "size=30m") as run:
        if run is None:
            yield None
            return
        remount = ["mount", "-o", "remount,ro", str(run.parent)]
        subprocess.run(remount, check=True)
        yield run, lambda: subprocess.run([*remount[:2], "remount,rw", remount[3]], check=True)


@contextlib.contextmanager
def _not_permitted(template: Path, folder: Path, kind: str) -> Iterator[Broken | None]:
    """A folder that can be read and not written to."""
    with fresh(template, folder / "run") as run:
        for place in (folder, *run.rglob("*"), run):
            place.chmod(0o555 if place.is_dir() else 0o444)
        yield run, lambda: run.chmod(0o700)
        folder.chmod(0o700)


def _as_nobody() -> None:
    """To root nothing is forbidden: go on as a user without rights."""
    if os.getuid() == 0:
        os.setuid(65534)


@contextlib.contextmanager
def _truncated(template: Path, folder: Path, kind: str) -> Iterator[Broken]:
    """The source is the first half of a Parquet file."""
    with fresh(template, folder / "run") as run:
        source, plan = run / "rows.csv", run / "plan.yml"
        kept = {file: file.read_bytes() for file in (source, plan)}
        with duckdb.connect() as connection:
            rows = f"from read_csv('{source}', all_varchar = true)"
            connection.execute(f"copy ({rows}) to '{source}' (format parquet)")
        source.write_bytes(source.read_bytes()[: source.stat().st_size // 2])
        planned = {**json.loads(plan.read_text()), "source": {"path": "rows.csv",
                   "format": "parquet"}}  # fmt: skip
        plan.write_text(json.dumps(planned))
        yield run, lambda: [file.write_bytes(content) for file, content in kept.items()]


@contextlib.contextmanager
def _locked(template: Path, folder: Path, kind: str) -> Iterator[Broken | None]:
    """Another program holds the published database open for writing."""
    with fresh(template, folder / "run") as run:
        if "::" not in KINDS[kind]:
            yield None
            return
        file = str(run / KINDS[kind].partition("::")[0])
        code = "import duckdb, sys\nheld = duckdb.connect(sys.argv[1])\nprint('held', flush=True)"
        code += "\ninput()"
        command = [sys.executable, "-c", code, file]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
            assert holder.stdout is not None
            holder.stdout.readline()

            def release() -> None:
                holder.communicate(b"\n")

            yield run, release


def environment_faults(folder: Path) -> Iterator[Tried]:
    """Broken surroundings: disks, permissions, sources, locks, memory, a second run."""
    faults = (
        _Fault("a full disk", (4, 5), _small_disk),
        _Fault("a read-only file system", (5,), _read_only),
        _Fault("no permission", (5,), _not_permitted, before=_as_nobody),
        _Fault("a truncated source", (2, 4), _truncated),
        _Fault("the published database is locked", (5,), _locked),
        _Fault("too little memory", (2, 4), _copied, ("--memory-limit", "1KB")),
    )
    for fault in faults:
        for kind in KINDS:
            tried = Tried(fault.name, kind)
            with fault.surroundings(template_of(folder, kind), folder, kind) as broken:
                if broken is None:
                    continue
                run, mend = broken
                before = names(run)
                code = disturbed(run, fault.before, *fault.options)
                is_locked = fault.surroundings is _locked
                found = "" if is_locked else published(run, kind)
                mend()
                after = outcome(run, kind, code, before)
                found = found or after.published
                tried.add(fault.name, replace(after, published=found), fault.codes)
            yield tried
    for kind in KINDS:
        yield _source_that_changes(folder, kind)
        yield two_at_once(folder, kind)


def _source_that_changes(folder: Path, kind: str) -> Tried:
    """The source is written anew between the passes over it."""
    tried = Tried("the source changes during the run", kind)
    with fresh(template_of(folder, kind), folder / "run") as run:
        before = names(run)

        def change(number: int, name: str) -> None:
            if name == "published":
                write_source(run, "earlier")

        code = disturbed(run, lambda: at_boundaries(change))
        write_source(run, "later")
        # Anatomy has read all rows by then: what it publishes is complete, and proven.
        tried.add("changed", outcome(run, kind, code, before), (0, 1))
    return tried


def two_at_once(folder: Path, kind: str) -> Tried:
    """Four runs of one plan, started together."""
    tried = Tried("four runs at once", kind)
    with fresh(template_of(folder, kind), folder / "run") as run:
        before = names(run)
        children = []
        for _ in range(4):
            child = os.fork()
            if child == 0:
                os._exit(disturbed(run, lambda: None))
            children.append(child)
        codes = {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children}
        tried.add("together", outcome(run, kind, max(codes), before), (0,))
    return tried
