"""Breakages that nobody chose: each is tried by the tests that reach its line.

First the nearest: those that notice a chosen breakage of the same file, and of the same package, or
that compare with a definition in plain Python, those that reach the fewest lines.
Where they notice nothing, the others: of the same package, the quickest of every file, the rest.
"""

from __future__ import annotations

import compileall
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import chain
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from tests.mutations.breakages import BREAKAGES
from tests.mutations.reach import REACH
from tests.mutations.rules import Mutant, mutants
from tests.paths import ROOT

LEFT_OUT = ("engines", "dbt", "documents", "repository", "mutations", "fuzz")
"""Folders of tests that do not count: they compare texts, or need databases of their own."""

TEXTS = ("tests/program/test_golden_sql.py", "tests/program/test_sql_style.py")
"""Tests that compare texts of SQL with what they were, or look at their form."""

NEAREST, QUICK = 12, 3.0
"""How many functions that reach little else try a breakage first, if they take fewer seconds."""

MOST_SECONDS = 180.0
"""How long all tests of a breakage may have taken, with coverage, when nothing was broken."""

ENOUGH = 0.95
"""The share that has to die."""

PAST = 1_000_000_000
"""When all files of a copy were changed, but for the broken one: byte code is found by time."""


COPIED = ("sqlanon", "sql_templates", "hierarchies", "tests", "examples", "docs", "benchmarks",
          "dbt_package", ".ci", "pyproject.toml", "README.md", "CHANGELOG.md", "CONTRIBUTING.md",
          "SECURITY.md")  # fmt: skip
"""What the tests need of the tree."""


def copied_tree(folder: Path) -> Path:
    """A copy of the tree to break."""
    ignored = shutil.ignore_patterns("__pycache__", ".*", "target")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        elif (ROOT / name).is_file():
            shutil.copy(ROOT / name, folder / name)
    return folder


class Reach(NamedTuple):
    """What tests reach: seconds of processor by function, functions by file and line.

    `reached` is how many lines a function reaches.
    """

    seconds: dict[str, float]
    lines: dict[str, dict[str, set[str]]]
    reached: Counter[str]

    def tests(self, mutant: Mutant, root: Path = ROOT) -> tuple[list[str], list[str]]:
        """The functions that reach a breakage: the nearest, and the others; quick ones first."""
        content = (root / mutant.file).read_text(encoding="utf-8")
        lines = range(mutant.line(content), content.count("\n", 0, mutant.end) + 2)
        known = self.lines.get(mutant.file, {})
        reaching = [known[str(line)] for line in lines if str(line) in known]
        found = set[str]().union(*reaching)
        if not found:  # the line runs when its module is imported, or is a part of a statement
            found = found.union(*known.values())
        near = {
            test.partition("[")[0]
            for breakage in BREAKAGES
            for test in breakage.tests
            if breakage.file == mutant.file
        } & set(self.seconds)
        package = f"tests/{Path(mutant.file).parts[1]}/"

        def distance(test: str) -> tuple[bool, bool, int, str]:
            file = test.partition("::")[0]
            return not file.startswith(package), not compares(root / file), self.reached[test], test

        quick = [test for test in found - near if self.seconds.get(test, 0) < QUICK]
        near.update(sorted(quick, key=distance)[:NEAREST])
        ranks: list[list[str]] = [[], [], [], [], []]
        files = set[str]()
        left = MOST_SECONDS
        for test in sorted(found | near, key=lambda test: self.seconds.get(test, 0)):
            file = test.partition("::")[0]
            first, definition = file not in files, compares(root / file)
            files.add(file)
            kinds = (test in near, definition and file.startswith(package), first, definition, True)
            ranks[kinds.index(True)].append(test)
        others = []
        for test in chain(*ranks):
            left -= self.seconds.get(test, 0)
            if left > 0 and test not in near:
                others.append(test)
        return ranks[0], others


def read_reach(folder: Path) -> Reach:
    """What a run of the tests recorded."""
    reach = Reach({}, {}, Counter())
    for file in folder.glob("*.json"):
        found = json.loads(file.read_text(encoding="utf-8"))
        for test, seconds in found["seconds"].items():
            reach.seconds[test] = reach.seconds.get(test, 0) + seconds
        for name, lines in found["lines"].items():
            known = reach.lines.setdefault(name, {})
            for line, tests in lines.items():
                known.setdefault(line, set()).update(tests)
    for known in reach.lines.values():
        reach.reached.update(chain(*known.values()))
    return reach


def record(folder: Path) -> None:
    """Run the tests once, and record what each reaches; with that, some exceed their seconds."""
    folder.mkdir(parents=True, exist_ok=True)
    left_out = [f"--ignore=tests/{name}" for name in LEFT_OUT]
    left_out += [f"--deselect={name}" for name in TEXTS]
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p",
         "tests.mutations.reach", *left_out, "tests"],
        cwd=ROOT, env={**os.environ, REACH: str(folder), "PYTHONPATH": str(ROOT)}, check=False,
    )  # fmt: skip


@cache
def compares(file: Path) -> bool:
    """Whether a file of tests reads the definitions in plain Python."""
    return file.is_file() and "tests.oracles" in file.read_text(encoding="utf-8")


class Result(NamedTuple):
    """What came of a breakage: who failed, or `lives`, `no test`, `did not end`."""

    mutant: Mutant
    answer: str
    seconds: float

    @property
    def lives(self) -> bool:
        """Whether nobody noticed."""
        return self.answer in ("lives", "no test")

    def described(self, content: str) -> str:
        """File, line, the change, and what came of it."""
        old = " ".join(content[self.mutant.start : self.mutant.end].split())
        where = f"{self.mutant.file}:{self.mutant.line(content)}"
        change = f"{old[:70]} → {self.mutant.new[:70] or 'nothing'}"
        return f"{self.seconds:5.1f} s  {where}  {change}  {self.answer}"


class Server:
    """A process that runs tests of a folder, in a fork for each breakage."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("server.py")), *arguments], cwd=folder,
            env={**os.environ, "PYTHONPATH": str(folder)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def answer(self, tests: list[str], seconds: int) -> str:
        """What came of the tests."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps({"tests": tests, "seconds": seconds}), file=self.process.stdin, flush=True)
        return str(json.loads(self.process.stdout.readline()))


class Tree:
    """A copy of the tree, with processes that run its tests: of templates, and of Python."""

    def __init__(self, folder: Path) -> None:
        self.folder = copied_tree(folder)
        for file in self.folder.rglob("*.*"):
            os.utime(file, (PAST, PAST))
        compileall.compile_dir(self.folder, quiet=2)
        options = [f"--ignore=tests/{name}" for name in LEFT_OUT]
        base = f"--basetemp={folder.with_suffix('.tests')}"
        self.templates = Server(self.folder, "collected", base, *options, "tests")
        self.python = Server(self.folder)

    def tried(self, mutant: Mutant, tests: list[str], reach: Reach) -> Result:
        """Break the tree, run the tests, and mend it again."""
        start = time.perf_counter()
        server = self.python if mutant.file.endswith(".py") else self.templates
        file = self.folder / mutant.file
        content = file.read_text(encoding="utf-8")
        broken = content[: mutant.start] + mutant.new + content[mutant.end :]
        file.write_text(broken, encoding="utf-8")
        expected = sum(reach.seconds[test] for test in tests)
        answer = server.answer(tests, 60 + 10 * int(expected)) if tests else "no test"
        file.write_text(content, encoding="utf-8")
        os.utime(file, (PAST, PAST))
        return Result(mutant, answer, time.perf_counter() - start)


def try_drawn(chosen: Sequence[Mutant], reach: Reach, jobs: int) -> Iterable[Result]:
    """Try breakages, some at a time: each by the nearest tests, and where it lives by others."""
    with tempfile.TemporaryDirectory(prefix="mutations_") as made, ThreadPoolExecutor(jobs) as pool:
        trees: SimpleQueue[Tree] = SimpleQueue()
        for number in range(jobs):
            trees.put(Tree(Path(made, f"tree_{number}")))

        def one(mutant: Mutant) -> Result:
            tree = trees.get()
            try:
                nearest, others = reach.tests(mutant)
                result = tree.tried(mutant, nearest, reach)
                return tree.tried(mutant, others, reach) if result.lives and others else result
            finally:
                trees.put(tree)

        yield from pool.map(one, chosen)
        for _ in range(jobs):
            tree = trees.get()
            tree.templates.process.kill()
            tree.python.process.kill()


def drawn(every: Sequence[Mutant], count: int, seed: int, root: Path = ROOT) -> list[Mutant]:
    """So many breakages by chance; of lines that stay the same ones, when others change."""
    contents = {mutant.file: (root / mutant.file).read_text(encoding="utf-8") for mutant in every}
    alike: Counter[tuple[str | int, ...]] = Counter()
    chances = {}
    for mutant in every:
        content = contents[mutant.file]
        start = content.rfind("\n", 0, mutant.start) + 1
        shown = (mutant.file, content[start : mutant.end], mutant.start - start, mutant.new)
        alike[shown] += 1
        chances[mutant] = hashlib.sha256(repr((seed, alike[shown], *shown)).encode()).digest()
    return sorted(every, key=chances.__getitem__)[:count]


def try_random(count: int, seed: int, jobs: int, recorded: Path | None) -> int:
    """Draw breakages, try them, print what came of each; 0 if enough of them die."""
    with tempfile.TemporaryDirectory(prefix="reach_") as made:
        folder = recorded or Path(made)
        if not recorded or not any(folder.glob("*.json")):
            record(folder)
        reach = read_reach(folder)
    every = mutants()
    chosen = drawn(every, count, seed)
    living = 0
    for result in try_drawn(chosen, reach, jobs):
        living += result.lives
        print(result.described((ROOT / result.mutant.file).read_text("utf-8")), flush=True)
    died = len(chosen) - living
    print(
        f"{died} of {len(chosen)} breakages of {len(every)} were noticed: {died / len(chosen):.1%}"
    )
    return int(died < ENOUGH * len(chosen))
