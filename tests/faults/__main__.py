"""`python -m tests.faults`: every fault, for every kind of publication, as a table.

usage: python -m tests.faults [--every N] [--random N] [--write]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.faults.scenarios import environment_faults, signal_faults
from tests.support.reliability_page import write_section


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="each N-th boundary")
    parser.add_argument("--random", type=int, default=25, help="random moments of each signal")
    parser.add_argument("--seed", type=int, default=1, help="of the random moments")
    parser.add_argument("--write", action="store_true", help="into docs/reliability.md")
    given = parser.parse_args()
    rows: list[tuple[str, ...]] = []
    failed = 0
    with tempfile.TemporaryDirectory(prefix="faults_") as folder:
        for result in (
            *signal_faults(Path(folder), every=given.every, moments=given.random, seed=given.seed),
            *environment_faults(Path(folder)),
        ):
            failed += result.unsound
            rows.append(result.row)
            print(" | ".join(result.row), flush=True)
            for fault in result.faults[:5]:
                print(f"    {fault}", flush=True)
    if given.write:
        header = ("fault", "publication", "tries", "earlier", "later", "unsound")
        lines = [header, ("---",) * len(header), *rows]
        write_section("faults", "\n".join(f"| {' | '.join(line)} |" for line in lines))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
