"""What somebody learns who has the publication, the code and all that lies beside, but no secret.

The attackers here are brute force: they enumerate every table that could be behind a publication.
"""

from __future__ import annotations

import contextlib
import csv
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import duckdb
import partition_oracle as oracle
import pytest
from secret_texts import SEED, SEED_VARIABLE, secret_text

import sqlanon

Row = tuple[str, ...]
PlanMapping = dict[str, Any]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(file: str, names: Sequence[str], rows: Sequence[Row]) -> None:
    """A table as CSV."""
    with Path(file).open("w", encoding="utf-8", newline="") as lines:
        csv.writer(lines).writerows([names, *rows])


def read(file: str = "published.csv") -> list[dict[str, str]]:
    """The rows of a published file, in its order."""
    with Path(file).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


# --- what lies beside the publication

PERSONS: list[Row] = [
    ("21", "a"), ("24", "b"), ("24", "a"), ("31", "a"), ("38", "b"), ("39", "b"), ("45", "a"),
]  # fmt: skip
ILLNESSES = ("flu", "gout", "flu", "mumps", "gout", "flu", "gout")
PRESENCE = {"model": "delta-presence", "dmin": 0, "dmax": 0.75}


def candidates(size: int) -> Iterator[list[Row]]:
    """Every table that persons of the population could make up."""
    for chosen in combinations(range(len(PERSONS)), size):
        yield [(*PERSONS[n], ILLNESSES[n]) for n in chosen]


def told(rows: Sequence[Mapping[str, str]]) -> str:
    """What a publication says, apart from the order of rows in a bucket, which is of chance."""
    found: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    if "bucket" not in rows[0]:
        return json.dumps(sorted(json.dumps(row) for row in rows))
    for row in rows:
        for name, value in row.items():
            found[row["bucket"]][name, value] += 1
    return json.dumps({bucket: sorted(map(str, own.items())) for bucket, own in found.items()})


def beside() -> dict[str, str]:
    """All that a run leaves beside the publication, but times, digests of the rows themselves, and
    what docs/privacy.md keeps with the source."""
    files = {
        str(path): path.read_text(encoding="utf-8")
        for path in [Path("plan.solution.json"), *Path("target").rglob("*")]
        if path.is_file() and path.name not in KEPT
    }
    manifest = json.loads(files["target/plan/manifest.json"])
    del manifest["timings_seconds"], manifest["published"]["sha256"], manifest["utility"]
    files["target/plan/manifest.json"] = json.dumps(manifest)
    return files


KEPT = ("search.sql", "partition_tree.csv", "bucket_distances.csv")
"""Files that stay with the source: they tell of the search, not of the publication."""


@pytest.mark.parametrize("method", ["mpalm", "mondrian", "combined"])
def test_tables_of_one_publication_leave_the_same_beside_it(method: str) -> None:
    """Who knows the population cannot tell which of the tables it was that give a publication."""
    write("everybody.csv", ("age", "zip"), PERSONS)
    write("ages.csv", ("age", "decade", "all"), [(a, f"{a[0]}x", "*") for a, _ in PERSONS])
    write("zips.csv", ("zip", "all"), [("a", "*"), ("b", "*")])
    Path("ages.csv").write_text(
        "\n".join(f"{a};{a[0]}x;*" for a in sorted({a for a, _ in PERSONS})), encoding="utf-8"
    )
    Path("zips.csv").write_text("a;*\nb;*", encoding="utf-8")
    plan: PlanMapping = {
        "source": "patients.csv",
        "population": "everybody.csv",
        "columns": {
            "age": {"role": "quasi-identifier", "hierarchy": "ages.csv"},
            "zip": {"role": "quasi-identifier", "hierarchy": "zips.csv"},
            "illness": "sensitive",
        },
        "privacy": [PRESENCE],
        "method": method,
        "publish": "published.csv",
    }
    left: dict[str, list[dict[str, str]]] = defaultdict(list)
    for rows in candidates(4):
        write("patients.csv", ("age", "zip", "illness"), rows)
        with contextlib.suppress(sqlanon.NoSolutionError):
            sqlanon.run(plan)
            left[told(read())].append(beside())
    assert max(map(len, left.values())) > 1  # there is something to be told apart
    for found in left.values():
        assert all(one == found[0] for one in found)


def test_a_solution_tells_only_counts_of_rows() -> None:
    """No digest of the source, and not how many of its rows are distinct."""
    write("patients.csv", ("age", "illness"), [("21", "flu"), ("21", "gout"), ("22", "flu")] * 3)
    plan: PlanMapping = {
        "source": "patients.csv",
        "columns": {"age": {"role": "quasi-identifier", "type": "numeric"}, "illness": "sensitive"},
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "publish": "published.csv",
    }
    for method in ("optimal", "mondrian", "stack-and-deal"):
        sqlanon.run({**plan, "method": method})
        solution = json.loads(Path("plan.solution.json").read_text(encoding="utf-8"))
        assert solution["input"] == {"rows": 9, "dropped": 0}
        asked = Path("target/plan/search.sql").read_text(encoding="utf-8")
        heads = [line for line in asked.splitlines() if line.startswith("-- asked")]
        assert heads == [f"-- asked {number}" for number in range(1, len(heads) + 1)]
