"""`python -m tests.faults`: every fault, for every kind of publication, as a table."""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.faults.scenarios import environment_faults, signal_faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="each N-th boundary")
    parser.add_argument("--random", type=int, default=25, help="random moments of each signal")
    parser.add_argument("--seed", type=int, default=1, help="of the random moments")
    options = parser.parse_args()
    failed = 0
    print("fault | publication | tries | earlier | later | unsound")
    with tempfile.TemporaryDirectory(prefix="faults_") as name:
        folder = Path(name)
        signals = signal_faults(
            folder, every=options.every, moments=options.random, seed=options.seed
        )
        for results in (signals, environment_faults(folder)):
            for result in results:
                failed += result.unsound
                print(" | ".join(result.row), *result.faults[:5], sep="\n    ", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
