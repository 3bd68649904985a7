"""Writes measurements of the shape of the TUM seminar's Android example: invented, and seeded.

166,060 rows of 989 devices, as the seminar counts them. It prints no row; how models, versions,
rows and places are spread is made up here: some models are common and most are rare, some devices
report often and most seldom, and each is mostly at two places of its own.

usage: python examples/papers/tum/make_measurements.py FILE   (the same bytes every time)
"""

from __future__ import annotations

import csv
import random
import sys
from itertools import accumulate
from pathlib import Path

ROWS, DEVICES, SEED = 166_060, 989, 5
MODELS = Path(__file__).parent / "models.csv"
VERSIONS = {"2.3.6": 12, "4.0.4": 10, "4.1.2": 34, "4.2.2": 22, "4.3": 8, "4.4.2": 14}
PLACES = 400
"""Cells of a minute of latitude and one of longitude."""


def main(file: Path) -> None:
    """Write the file."""
    draw = random.Random(SEED)
    with MODELS.open(encoding="utf-8", newline="") as lines:
        models = [line["model"] for line in csv.DictReader(lines, delimiter=";")]
    popular = [1 / (rank + 3) for rank in range(len(models))]
    draw.shuffle(models)
    weights = [draw.lognormvariate(0, 1.2) for _ in range(DEVICES)]
    share = (ROWS - DEVICES) / sum(weights)
    ends = [round(share * up_to) for up_to in accumulate(weights)]
    near = [1 / (rank + 5) for rank in range(PLACES)]
    rows = []
    for device, (begin, end) in enumerate(zip([0, *ends], ends, strict=False), start=1):
        (model,) = draw.choices(models, popular)
        (version,) = draw.choices(list(VERSIONS), list(VERSIONS.values()))
        own = draw.choices(range(PLACES), near, k=2)
        for _ in range(end - begin + 1):
            place = own[draw.random() < 0.4] if draw.random() < 0.8 else draw.randrange(PLACES)
            cell = f"48°{place // 20:02}'N 11°{20 + place % 20}'E"
            rows.append((device, model, version, cell))
    assert len(rows) == ROWS
    with file.open("w", encoding="utf-8", newline="") as lines:
        output = csv.writer(lines, lineterminator="\n")
        output.writerow(["device", "model", "android", "place"])
        output.writerows(rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
