"""Breakages that nobody chose: each is tried by the tests that reach its line.

First those that notice a chosen breakage of the same file and the quickest of every file of tests,
then those of the same package, and those that compare with a definition in plain Python.
"""

from __future__ import annotations

import compileall
import json
import os
import random
import re
import subprocess
import sys
import tempfile
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
from tests.mutations.tree import copied_tree
from tests.paths import ROOT

LEFT_OUT = ("engines", "dbt", "documents", "repository", "mutations", "fuzz")
"""Folders of tests that do not count: they compare texts, or need databases of their own."""

TEXTS = ("tests/program/test_golden_sql.py", "tests/program/test_sql_style.py")
"""Tests that compare texts of SQL with what they were, or look at their form."""

QUICKEST = 1
"""How many functions of every file try a breakage first."""

MOST_TESTS, MOST_SECONDS = 150, 240.0
"""How many functions try a breakage at most, and how long they took when nothing was broken."""

ENOUGH = 0.95
"""The share that has to die."""

PAST = 1_000_000_000
"""When all files of a copy were changed, but for the broken one: byte code is found by time."""


class Reach(NamedTuple):
    """What tests reach: seconds by function, functions by file and line, and by template."""

    seconds: dict[str, float]
    lines: dict[str, dict[str, set[str]]]
    templates: dict[str, set[str]]

    def tests(self, mutant: Mutant, root: Path = ROOT) -> list[str]:
        """The functions that reach a breakage: those likely to notice it, then the quickest."""
        content = (root / mutant.file).read_text(encoding="utf-8")
        if mutant.file.endswith(".py"):
            lines = range(mutant.line(content), content.count("\n", 0, mutant.end) + 2)
            known = self.lines.get(mutant.file, {})
            found = set[str]().union(*(known.get(str(line), ()) for line in lines))
        else:
            found = self._of_template(mutant.file.removeprefix("sql_templates/"), root, set())
        notice = {
            test.partition("[")[0]
            for breakage in BREAKAGES
            for test in breakage.tests
            if breakage.file == mutant.file
        } & set(self.seconds)
        package = f"tests/{Path(mutant.file).parts[1]}/"
        ranks: list[list[str]] = [[], [], [], []]
        of_file: dict[str, int] = {}
        for test in sorted(found | notice, key=lambda test: self.seconds.get(test, 0)):
            file = test.partition("::")[0]
            of_file[file] = of_file.get(file, 0) + 1
            if test in notice or of_file[file] <= QUICKEST:
                rank = 0
            else:
                rank = 1 if file.startswith(package) else 2 if compares(root / file) else 3
            ranks[rank].append(test)
        chosen: list[str] = []
        left = MOST_SECONDS
        for test in list(chain(*ranks))[:MOST_TESTS]:
            left -= self.seconds.get(test, 0)
            if left > 0 or not chosen:
                chosen.append(test)
        return chosen

    def _of_template(self, name: str, root: Path, seen: set[str]) -> set[str]:
        """Macros are kept when they were found once: whoever names the template reaches it."""
        seen.add(name)
        found = set(self.templates.get(name, ()))
        macros = re.compile(rf'"{re.escape(name)}"|\bsqlanon\.{Path(name).stem.lstrip("_")}_')
        if Path(name).name.startswith("_"):
            for file in sorted((root / "sql_templates").rglob("*.sql")):
                other = file.relative_to(root / "sql_templates").as_posix()
                if other not in seen and macros.search(file.read_text(encoding="utf-8")):
                    found |= self._of_template(other, root, seen)
        return found


def read_reach(folder: Path) -> Reach:
    """What a run of the tests recorded."""
    reach = Reach({}, {}, {})
    for file in folder.glob("*.json"):
        found = json.loads(file.read_text(encoding="utf-8"))
        for test, seconds in found["seconds"].items():
            reach.seconds[test] = reach.seconds.get(test, 0) + seconds
        for name, lines in found["lines"].items():
            known = reach.lines.setdefault(name, {})
            for line, tests in lines.items():
                known.setdefault(line, set()).update(tests)
        for name, tests in found["templates"].items():
            reach.templates.setdefault(name, set()).update(tests)
    return reach


def record(folder: Path) -> None:
    """Run the tests once, and record what each reaches."""
    folder.mkdir(parents=True, exist_ok=True)
    left_out = [f"--ignore=tests/{name}" for name in LEFT_OUT]
    left_out += [f"--deselect={name}" for name in TEXTS]
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p",
         "tests.mutations.reach", *left_out, "tests"],
        cwd=ROOT, env={**os.environ, REACH: str(folder), "PYTHONPATH": str(ROOT)}, check=True,
    )  # fmt: skip


@cache
def compares(file: Path) -> bool:
    """Whether a file of tests reads the definitions in plain Python."""
    return file.is_file() and "tests.oracles" in file.read_text(encoding="utf-8")


class Result(NamedTuple):
    """What came of a breakage: who failed, or `lives`, `no test`, `did not end`."""

    mutant: Mutant
    tests: list[str]
    answer: str

    @property
    def lives(self) -> bool:
        """Whether nobody noticed."""
        return self.answer in ("lives", "no test")

    def described(self, content: str) -> str:
        """File, line, the change, and who tried it."""
        old = " ".join(content[self.mutant.start : self.mutant.end].split())
        where = f"{self.mutant.file}:{self.mutant.line(content)}"
        return f"{where}  {old[:70]} → {self.mutant.new[:70] or 'nothing'}  {self.answer}"


class Tree:
    """A copy of the tree, with a process that runs its tests."""

    def __init__(self, folder: Path) -> None:
        self.folder = copied_tree(folder)
        for file in self.folder.rglob("*.*"):
            os.utime(file, (PAST, PAST))
        compileall.compile_dir(self.folder, quiet=2)
        self.server = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("server.py"))], cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def tried(self, mutant: Mutant, tests: list[str], seconds: float) -> Result:
        """Break the tree, run the tests, and mend it again."""
        if not tests:
            return Result(mutant, tests, "no test")
        file = self.folder / mutant.file
        content = file.read_text(encoding="utf-8")
        broken = content[: mutant.start] + mutant.new + content[mutant.end :]
        file.write_text(broken, encoding="utf-8")
        assert self.server.stdin is not None
        assert self.server.stdout is not None
        try:
            asked = {"tests": tests, "seconds": 60 + 10 * seconds}
            print(json.dumps(asked), file=self.server.stdin, flush=True)
            return Result(mutant, tests, json.loads(self.server.stdout.readline()))
        finally:
            file.write_text(content, encoding="utf-8")
            os.utime(file, (PAST, PAST))


def try_drawn(chosen: Sequence[Mutant], reach: Reach, jobs: int) -> Iterable[Result]:
    """Try breakages, some at a time."""
    with tempfile.TemporaryDirectory(prefix="mutations_") as made, ThreadPoolExecutor(jobs) as pool:
        trees: SimpleQueue[Tree] = SimpleQueue()
        for number in range(jobs):
            trees.put(Tree(Path(made, f"tree_{number}")))

        def one(mutant: Mutant) -> Result:
            tests = reach.tests(mutant)
            tree = trees.get()
            try:
                return tree.tried(mutant, tests, sum(reach.seconds.get(t, 0) for t in tests))
            finally:
                trees.put(tree)

        yield from pool.map(one, chosen)
        for _ in range(jobs):
            trees.get().server.kill()


def try_random(count: int, seed: int, jobs: int, recorded: Path | None) -> int:
    """Draw breakages, try them, print who lives; 0 if enough of them die."""
    with tempfile.TemporaryDirectory(prefix="reach_") as made:
        folder = recorded or Path(made)
        if not recorded or not any(folder.glob("*.json")):
            record(folder)
        reach = read_reach(folder)
    every = mutants()
    chosen = random.Random(seed).sample(every, min(count, len(every)))
    living = 0
    for result in try_drawn(chosen, reach, jobs):
        if result.lives:
            living += 1
            print(result.described((ROOT / result.mutant.file).read_text("utf-8")), flush=True)
    died = len(chosen) - living
    print(
        f"{died} of {len(chosen)} breakages of {len(every)} were noticed: {died / len(chosen):.1%}"
    )
    return int(died < ENOUGH * len(chosen))
