"""Trying breakages: copy the tree, apply one, run the tests that must notice, print which did."""

from __future__ import annotations

import argparse
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal, NamedTuple

from tests.mutations.breakages import BREAKAGES, Breakage
from tests.mutations.drawn import copied_tree, try_random
from tests.paths import ROOT

SECONDS = 300
"""How long the tests of one breakage may take; all named tests together, some times as long."""

State = Literal["red", "lives", "stale", "hangs", "no test ran"]


class Trial(NamedTuple):
    """What came of one breakage.

    Attributes:
        state: red: a named test failed. lives: all passed. stale: the text is not in the file.
            hangs: they did not end in time, which on a busy machine says nothing.
        test: the first that failed, or what went wrong.
        seconds: that it took.
    """

    breakage: Breakage
    state: State
    test: str
    seconds: float


def place_of(breakage: Breakage, content: str) -> int | None:
    """Where the text stands; None if it does not stand there as often as it should."""
    if breakage.nth is None:
        return content.index(breakage.old) if content.count(breakage.old) == 1 else None
    place = -1
    for _ in range(breakage.nth):
        place = content.find(breakage.old, place + 1)
        if place < 0:
            return None
    return place


def faults(breakages: Sequence[Breakage] = BREAKAGES, root: Path = ROOT) -> list[str]:
    """What is wrong with the list: names, texts that are gone, tests that do not exist."""
    found = []
    names = [breakage.name for breakage in breakages]
    found += [f"{name}: the name is there twice" for name in set(names) if names.count(name) > 1]
    for breakage in breakages:
        file = root / breakage.file
        if not file.is_file() or place_of(breakage, file.read_text(encoding="utf-8")) is None:
            found.append(f"{breakage.name}: its text is not in {breakage.file}, or not only once")
        if breakage.old == breakage.new:
            found.append(f"{breakage.name}: it breaks nothing")
        if not breakage.tests:
            found.append(f"{breakage.name}: it names no test")
        for test in breakage.tests:
            module, _, name = test.partition("::")
            text = (root / module).read_text("utf-8") if (root / module).is_file() else ""
            if f"\ndef {name.partition('[')[0]}(" not in f"\n{text}":
                found.append(f"{breakage.name}: there is no test {test}")
    return found


def run_tests(folder: Path, tests: Sequence[str], seconds: int = SECONDS) -> tuple[int | None, str]:
    """pytest's exit code for these tests in this tree, None if it hung; the first that failed."""
    command = [sys.executable, "-m", "pytest", "-x", "-n0", "-q", "-rfE", "-p", "no:cacheprovider",
               "-p", "tests.mutations.quick", "--hypothesis-profile=trial"]  # fmt: skip
    environment = {
        **os.environ,
        "PYTHONPATH": str(folder),
        # Byte code is looked up by time and size, and a breakage may change neither.
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    base = folder.parent / f"{folder.name}.tests"
    try:
        done = subprocess.run(
            [*command, f"--basetemp={base}", *tests],
            cwd=folder, env=environment, capture_output=True, text=True, timeout=seconds,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None, ", ".join(tests)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", done.stdout, re.MULTILINE)
    return done.returncode, failed[1] if failed else done.stdout[-300:].strip()


def tried(breakage: Breakage, folder: Path) -> Trial:
    """Break the copied tree, run the tests that must notice, and mend it again."""
    start = time.perf_counter()

    def trial(state: State, shown: str) -> Trial:
        return Trial(breakage, state, shown, time.perf_counter() - start)

    file = folder / breakage.file
    content = file.read_text(encoding="utf-8") if file.is_file() else ""
    place = place_of(breakage, content)
    if place is None:
        return trial("stale", f"its text is not in {breakage.file}, or not only once")
    end = place + len(breakage.old)
    file.write_text(content[:place] + breakage.new + content[end:], encoding="utf-8")
    try:
        code, shown = run_tests(folder, breakage.tests)
    finally:
        file.write_text(content, encoding="utf-8")
    if code == 1:
        return trial("red", shown)
    if code == 0:
        return trial("lives", ", ".join(breakage.tests))
    return trial("hangs" if code is None else "no test ran", shown)


def try_all(breakages: Sequence[Breakage], jobs: int) -> list[Trial]:
    """Try breakages, some at a time, each in a copy of the tree; prints each as it ends."""
    with tempfile.TemporaryDirectory(prefix="mutations_") as made:
        folders: queue.SimpleQueue[Path] = queue.SimpleQueue()
        for number in range(jobs):
            folders.put(copied_tree(Path(made, f"tree_{number}")))

        def one(breakage: Breakage) -> Trial:
            folder = folders.get()
            try:
                trial = tried(breakage, folder)
            finally:
                folders.put(folder)
            print(f"{trial.state:8}{trial.seconds:6.1f} s  {breakage.name:34} {trial.test}",
                  flush=True)  # fmt: skip
            return trial

        with ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(one, breakages))


def passing_unbroken(breakages: Sequence[Breakage]) -> tuple[int | None, str]:
    """Run all named tests once in a copy that is not broken."""
    tests = sorted({test for breakage in breakages for test in breakage.tests})
    with tempfile.TemporaryDirectory(prefix="mutations_") as made:
        return run_tests(copied_tree(Path(made, "tree")), tests, 5 * SECONDS)


def main() -> int:
    """The command; 0 where every breakage turns a named test red."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutations", description=__doc__)
    parser.add_argument("--only", metavar="NAME", action="append", help="breakages with this name,"
                        " or with one that begins so; may be given more than once")  # fmt: skip
    parser.add_argument("--jobs", type=int, default=2, help="breakages at a time (default: 2)")
    parser.add_argument("--list", action="store_true", help="print the breakages, and try none")
    parser.add_argument("--random", metavar="N", type=int, help="try so many breakages by rule")
    parser.add_argument("--seed", type=int, default=1, help="that draws them (default: 1)")
    parser.add_argument("--reach", metavar="FOLDER", type=Path, help="where it is kept which tests"
                        " reach what; a run of the tests writes it if it is empty")  # fmt: skip
    options = parser.parse_args()
    jobs = max(1, options.jobs)
    if options.random:
        return try_random(options.random, options.seed, jobs, options.reach)
    chosen = [
        breakage for breakage in BREAKAGES
        if not options.only or breakage.name.startswith(tuple(options.only))
    ]  # fmt: skip
    if options.list:
        for breakage in chosen:
            print(f"{breakage.name:34} {breakage.file}: {breakage.means}")
        return 0
    code, shown = passing_unbroken(chosen)
    if code != 0:
        print(f"The named tests do not pass before anything is broken: {shown}")
        return 1
    trials = try_all(chosen, jobs)
    living = [trial for trial in trials if trial.state != "red"]
    print(f"{len(trials) - len(living)} of {len(trials)} breakages turn a named test red.")
    return 1 if living else 0
