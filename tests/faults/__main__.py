"""`python -m tests.faults`: every fault, for every kind of publication, as a table."""

import argparse
import itertools
import sys
import tempfile
from pathlib import Path

from tests.faults.scenarios import environment_faults, signal_faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="each N-th boundary")
    every = parser.parse_args().every
    failed = 0
    print("fault | publication | tries | earlier | later | unsound")
    with tempfile.TemporaryDirectory(prefix="faults_") as name:
        folder = Path(name)
        for result in itertools.chain(signal_faults(folder, every), environment_faults(folder)):
            failed += len(result.faults)
            print(" | ".join(result.row), *result.faults[:5], sep="\n    ", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
