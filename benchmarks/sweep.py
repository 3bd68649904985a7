"""A sweep of ten k on Adult, and a comparison of methods, beside the runs one by one: seconds.

usage: python benchmarks/sweep.py ADULT_FOLDER

ADULT_FOLDER holds adult.csv and adult_hierarchy_<column>.csv. Every line is a process of its own,
with the start of Python; the best of three. `one by one` is `sqlanon solve` and `sqlanon measure`
for each k. Needs Linux.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml
from full_domain import COLUMNS, plan

KS = (2, 3, 5, 7, 10, 15, 20, 25, 50, 100)
METHODS = "optimal,incognito,datafly,mondrian,dimension-splitting,stack-and-deal,bucketization"


def seconds(folder: Path, *commands: list[str]) -> tuple[float, float]:
    """Wall and CPU seconds of commands, one after another; the best of three."""
    found = []
    for _ in range(3):
        before, start = os.times(), time.perf_counter()
        for command in commands:
            subprocess.run(
                [sys.executable, "-m", "sqlanon", *command, "--json"],
                cwd=folder, stdout=subprocess.DEVNULL, check=True,
            )  # fmt: skip
        after, wall = os.times(), time.perf_counter() - start
        used = after.children_user + after.children_system
        found.append((wall, used - before.children_user - before.children_system))
    return min(found)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("adult", type=Path, help="folder with adult.csv and its hierarchies")
    adult = parser.parse_args().adult.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        content = plan(adult, adult / "adult.csv", 5, 0.02)
        (folder / "adult.yml").write_text(yaml.safe_dump(content), encoding="utf-8")
        content["method"] = "optimal"
        content["columns"]["occupation"] = "sensitive"
        (folder / "methods.yml").write_text(yaml.safe_dump(content), encoding="utf-8")
        over = f"privacy.k={','.join(map(str, KS))}"
        one_by_one = [
            [command, "adult.yml", "--set", f"privacy.0.k={k}"]
            for k in KS
            for command in ("solve", "measure")
        ]
        print("| what | wall s | CPU s |")
        print("|---|---|---|")
        for what, commands in (
            (f"sweep of {len(KS)} k, {len(COLUMNS)} quasi-identifiers",
             [["sweep", "adult.yml", "--over", over]]),
            ("the same one by one", one_by_one),
            (f"compare {METHODS}", [["compare", "methods.yml", "--methods", METHODS]]),
        ):  # fmt: skip
            wall, cpu = seconds(folder, *commands)
            print(f"| {what} | {wall:.1f} | {cpu:.1f} |", flush=True)


if __name__ == "__main__":
    main()
