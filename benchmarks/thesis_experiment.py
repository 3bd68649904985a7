"""Experiment 6.1 of the Copenhagen thesis: the share of a table's rows that is found for certain.

usage: PYTHONPATH=. python benchmarks/thesis_experiment.py ADULT_FOLDER [--draws 3] [--k 2 4 …]

The population is all rows of adult.csv, the table 2,000 of them, drawn by a seed; all nine columns
are quasi-identifiers. A row is found if everybody of the population who could be it is in the
table. Permuted is `slicing` with every column by itself: rows found for certain, and rows of which
that is neither proven nor refuted.
"""

from __future__ import annotations

import argparse
import csv
import random
import tempfile
from pathlib import Path
from typing import Any

from tests.methods.test_thesis_experiment import COLUMNS, ROWS, attacked, plan_of

METHODS: dict[str, dict[str, Any]] = {
    "bucketization": {"name": "bucketization"},
    "mondrian, region labels": {"name": "mondrian", "labels": "region"},
    "mondrian, tight labels": {"name": "mondrian"},
    "permuted": {"name": "slicing", "columns": "one-attribute-per-column"},
}


def main() -> None:
    """Run the cases, print one line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("adult", type=Path)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--k", type=int, nargs="*", default=[2, 4, 8, 16])
    arguments = parser.parse_args()
    with (arguments.adult / "adult.csv").open(encoding="utf-8") as file:
        reader = csv.DictReader(file, delimiter=";")
        population = [tuple(row[column] for column in COLUMNS) for row in reader]
    print("| draw | k | " + " | ".join(METHODS) + " |")
    print("|---|---|" + "---|" * len(METHODS))
    for draw in range(1, arguments.draws + 1):
        members = random.Random(draw).sample(population, ROWS)
        for k in arguments.k:
            shares = []
            for method in METHODS.values():
                with tempfile.TemporaryDirectory() as temporary:
                    folder = Path(temporary)
                    finding = attacked(folder, plan_of(folder, members, method, k, population))
                measured = finding.measured or {}
                found = measured.get("persons_in")
                rows = finding.rows_at_risk if found is None else found
                perhaps = measured.get("persons_perhaps_in")
                text = f" + {100 * perhaps / ROWS:.2f}" if perhaps else ""
                shares.append(f"{100 * (rows or 0) / ROWS:.2f}{text} %")
            print(f"| {draw} | {k} | " + " | ".join(shares) + " |", flush=True)


if __name__ == "__main__":
    main()
