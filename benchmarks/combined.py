"""Algorithm 6 of the Copenhagen thesis on Adult, by k: seconds, and what generalization is left.

usage: PYTHONPATH=. python benchmarks/combined.py ADULT_FOLDER [--k 2 …] [--dmax 0.9]
                              [--seed 1] [--partition mondrian mpalm k-mondrian]

The population is all rows of adult.csv, the table 2,000 of them, drawn by the seed; nine
quasi-identifiers with the hierarchies of the folder; δ-presence from 0 to dmax. Each case is a
whole run: search, release, proof, publication. CPU seconds are of the process, database included.
Machines differ and are noisy: compare the cases of one call.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import tempfile
import time
from pathlib import Path
from typing import Any

import sqlanon
from tests.methods.test_thesis_experiment import COLUMNS, ROWS


def plan_of(folder: Path, adult: Path, k: int, dmax: float, partition: str, draw: int) -> Path:
    """The plan, its table and its population, in a folder."""
    with (adult / "adult.csv").open(encoding="utf-8") as file:
        everybody = [tuple(r[c] for c in COLUMNS) for r in csv.DictReader(file, delimiter=";")]
    members = random.Random(draw).sample(everybody, ROWS)
    for name, header, rows in (
        ("table.csv", (*COLUMNS, "secret"), [(*row, str(n)) for n, row in enumerate(members)]),
        ("everybody.csv", COLUMNS, everybody),
    ):
        with (folder / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([header, *rows])
    columns: dict[str, Any] = {
        name: {
            "role": "quasi-identifier",
            "hierarchy": {"file": str((adult / f"adult_hierarchy_{name}.csv").resolve())},
        }
        for name in COLUMNS
    }
    content = {
        "source": "table.csv",
        "population": "everybody.csv",
        "columns": columns | {"secret": "sensitive"},
        "privacy": [
            {"model": "k-anonymity", "k": k},
            {"model": "delta-presence", "dmin": 0, "dmax": dmax},
        ],
        "method": {"name": "combined", "partition": partition},
        "publish": "published.csv",
    }
    path = folder / "plan.yml"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def main() -> None:
    """Run the cases, print one line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("adult", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--k", type=int, nargs="*", default=[2, 4, 8, 16, 32, 64])
    parser.add_argument("--dmax", type=float, nargs="*", default=[0.9])
    parser.add_argument("--partition", nargs="*", default=["mondrian"])
    arguments = parser.parse_args()
    print(
        "| partition | dmax | k | buckets | raised | levels per row | highest chance | CPU s | s |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for partition in arguments.partition:
        for dmax in arguments.dmax:
            for k in arguments.k:
                with tempfile.TemporaryDirectory() as temporary:
                    plan = plan_of(
                        Path(temporary), arguments.adult, k, dmax, partition, arguments.seed
                    )
                    start, cpu = time.perf_counter(), time.process_time()
                    manifest = sqlanon.run(plan).manifest
                    cpu, wall = time.process_time() - cpu, time.perf_counter() - start
                    raised = json.loads(plan.with_suffix(".solution.json").read_text())["raised"]
                levels = manifest["utility"]["average_generalization"] / ROWS
                chance = manifest["privacy"][-1]["measured"]
                buckets = manifest["solution"]["classes"]
                print(
                    f"| {partition} | {dmax} | {k} | {buckets} | {len(raised)} | {levels:.2f} |"
                    f" {chance:.3f} | {cpu:.1f} | {wall:.1f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
