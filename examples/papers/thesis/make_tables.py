"""Writes population.csv, Adult, and table.csv, 2,000 of its rows that are drawn by a seed.

The thesis does not say which rows it drew. Each row of the table gets a secret of its own, its
number, which is the sensitive attribute of the plans.

usage: python examples/papers/thesis/make_tables.py FOLDER   (the same bytes every time)
"""

from __future__ import annotations

import csv
import random
import sys
from pathlib import Path

ADULT = Path(__file__).parents[3] / "tests/data/adult/adult.csv"
COLUMNS = (
    "age", "sex", "race", "marital-status", "education", "native-country", "workclass",
    "occupation", "salary-class",
)  # fmt: skip
ROWS = 2_000


Row = tuple[str, ...]


def population() -> list[Row]:
    """All rows of Adult."""
    with ADULT.open(encoding="utf-8", newline="") as lines:
        return [tuple(line[c] for c in COLUMNS) for line in csv.DictReader(lines, delimiter=";")]


def main(folder: Path, draw: int = 1) -> None:
    """Write both files.

    Args:
        folder: where they are written.
        draw: the seed; the figures of the page are those of 1, where it does not say otherwise.
    """
    everybody = population()
    members = random.Random(draw).sample(everybody, ROWS)
    secrets = [(*row, str(number)) for number, row in enumerate(members)]
    for name, lines in (
        ("population.csv", [COLUMNS, *everybody]),
        ("table.csv", [(*COLUMNS, "secret"), *secrets]),
    ):
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(lines)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
