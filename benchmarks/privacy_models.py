"""Privacy models: what a search of Adult costs with each, and the proof of a large publication.

usage: python benchmarks/privacy_models.py ADULT_FOLDER [--rows 10000000] [--keep FOLDER]

ADULT_FOLDER as for full_domain.py. Every search is a process of its own, from reading the source to
the published file. The proof reads a publication made from the searched ones; in the same run,
DuckDB groups the same file by its columns. Machines differ and are noisy, so read the ratios.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb
from full_domain import COLUMNS, plan, run

import sqlanon

SENSITIVE = "occupation"
MODELS: dict[str, dict[str, Any]] = {
    "distinct 3-diversity": {"model": "l-diversity", "l": 3},
    "entropy 3-diversity": {"model": "l-diversity", "kind": "entropy", "l": 3},
    "recursive (3, 3)-diversity": {"model": "l-diversity", "kind": "recursive", "l": 3, "c": 3},
    "0.2-closeness, equal": {"model": "t-closeness", "t": 0.2},
    "0.2-closeness, hierarchical": {"model": "t-closeness", "distance": "hierarchical", "t": 0.2},
    "0.2-closeness, ordered": {"model": "t-closeness", "distance": "ordered", "t": 0.2},
    "(0.5, 5)-anonymity": {"model": "alpha-k-anonymity", "alpha": 0.5, "k": 5},
    "3-likeness": {"model": "beta-likeness", "beta": 3},
    "3-disclosure": {"model": "delta-disclosure", "delta": 3},
}
PROOF = [
    {"model": "k-anonymity", "k": 5},
    {"model": "l-diversity", "kind": "entropy", "l": 1.5},
    {"model": "t-closeness", "t": 0.99},
]


def with_model(adult: Path, model: dict[str, Any] | None, limit: float) -> dict[str, Any]:
    """Adult with eight quasi-identifiers, occupation sensitive, k = 5 and one more model."""
    content: dict[str, Any] = plan(adult, adult / "adult.csv", 5, limit)
    tree = str(adult / f"adult_hierarchy_{SENSITIVE}.csv")
    content["columns"][SENSITIVE] = {"role": "sensitive", "hierarchy": tree}
    content["privacy"] += [] if model is None else [{**model, "attribute": SENSITIVE}]
    return content


def searches(folder: Path, adult: Path) -> None:
    """A table of searches: nodes checked, seconds of the search and of the whole process."""
    print("| k = 5 and | limit | nodes checked | search s | whole s |\n|---|---|---|---|---|")
    for name, model in {"nothing else": None, **MODELS}.items():
        for limit in (0.02, 0.05):
            manifest = run(folder, "adult", with_model(adult, model, limit))
            lattice, seconds = manifest["solution"]["lattice"], manifest["timings_seconds"]
            print(
                f"| {name} | {limit:.0%} | {lattice['checked']:,} of {lattice['nodes']:,}"
                f" | {seconds['solve']:.2f} | {manifest['wall']:.2f} |"
            )


def publication(folder: Path, adult: Path, rows: int) -> Path:
    """Adult's rows repeated, zip codes of no meaning added, so that there are many classes."""
    file = folder / f"published_{rows}.parquet"
    source = f"read_csv('{adult / 'adult.csv'}', delim = ';', all_varchar = true)"
    times = rows // 30_162
    if not file.exists():
        duckdb.sql(
            f"copy (select adult.*, cast(r.i % 20 as varchar) as district from {source} as adult"
            f" cross join range({times}) as r (i)) to '{file}' (format parquet)"
        )
    return file


def proof(folder: Path, adult: Path, rows: int) -> None:
    """Verify of a publication with k, entropy l and t, beside one group by over its columns."""
    file = publication(folder, adult, rows)
    quasi_identifiers = [name for name in (*COLUMNS, "district") if name != SENSITIVE]
    looked_for = sqlanon.promised({"path": str(file)}, quasi_identifiers, [SENSITIVE], PROOF)
    columns = ", ".join(f'"{name}"' for name in (*quasi_identifiers, SENSITIVE))
    grouped, proven = [], []
    for _ in range(3):
        start = time.perf_counter()
        grouping = f"select count(*) from (select 1 from '{file}' group by {columns})"
        ((combinations,),) = duckdb.execute(grouping).fetchall()
        grouped.append(time.perf_counter() - start)
        start = time.perf_counter()
        findings = sqlanon.verify(str(file), looked_for)
        proven.append(time.perf_counter() - start)
    ratio = statistics.median(proven) / statistics.median(grouped)
    print("| rows | combinations | classes | group by s | verify s | ratio |")
    print("|---|---|---|---|---|---|")
    print(
        f"| {rows:,} | {combinations:,} | {findings[0].class_count:,}"
        f" | {statistics.median(grouped):.2f} | {statistics.median(proven):.2f} | {ratio:.1f} |"
    )


def main() -> None:
    """Run both parts and print their tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("adult", type=Path)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--keep", type=Path, help="folder for the large file, to use it again")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        searches(Path(folder), arguments.adult.resolve())
        kept = arguments.keep or Path(folder)
        proof(kept, arguments.adult.resolve(), arguments.rows)


if __name__ == "__main__":
    main()
