"""Trying kinds of input: so many examples, the faults found made small and kept, counts printed."""

from __future__ import annotations

import argparse
import itertools
import json
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.canaries import CANARIES
from tests.fuzz.common import Case, Fault, Kind, Outcome
from tests.fuzz.files import FILES
from tests.fuzz.headers import HEADERS
from tests.fuzz.hierarchies import HIERARCHIES
from tests.fuzz.literals import LITERALS
from tests.fuzz.plans import PLAN_TEXTS

KINDS: tuple[Kind, ...] = (PLAN_TEXTS, HEADERS, HIERARCHIES, LITERALS, FILES, CANARIES)

CORPUS = Path(__file__).parent / "corpus"

EXAMPLES = 12_000
"""Of all kinds together; some five minutes."""

BATCH = 500
"""Examples of one strategy run: hypothesis remembers what it drew within one."""


@dataclass
class Tally:
    """What came of one kind: how many examples ended so, and small cases by the texts of faults."""

    kind: Kind
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    faults: dict[str, Case] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def line(self) -> str:
        """One line for people."""
        counts = "".join(
            f"{self.outcomes[name]:8,} {name}" for name in ("accepted", "refused", "skipped")
        )
        return (
            f"{self.kind.name:12}{self.outcomes.total():8,} examples{counts}"
            f"{len(self.faults):4} faults{self.seconds:8.1f} s"
        )


def check(kind: Kind, case: Case) -> Outcome:
    """Try one case in a new folder; `Fault` if sqlanon did what it must not."""
    with tempfile.TemporaryDirectory(prefix="fuzz_", ignore_cleanup_errors=True) as made:
        folder = Path(made).resolve()
        with chdir(folder):
            return kind.check(case, folder)


def fuzz(kind: Kind, examples: int, first_seed: int) -> Tally:
    """Try so many examples of a kind; faults are made small, and reported once."""
    tally = Tally(kind)
    start = time.perf_counter()
    for number in itertools.count(first_seed * 1_000_003):
        left = examples - tally.outcomes.total()
        if left <= 0:
            break
        _batch(tally, min(BATCH, left), number)
    tally.seconds = time.perf_counter() - start
    return tally


def _batch(tally: Tally, count: int, number: int) -> None:
    small: dict[str, Case] = {}
    left = count

    @seed(number)
    @settings(
        max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink), report_multiple_bugs=False,
    )  # fmt: skip
    @given(case=tally.kind.cases)
    def property_(case: Case) -> None:
        nonlocal left
        try:
            outcome = check(tally.kind, case)
        except Fault as fault:
            if str(fault) in tally.faults:
                outcome = "accepted"  # known already; the rest of the batch goes on
            else:
                small.clear()
                small[str(fault)] = case
                raise
        if left:  # shrinking is not counted
            tally.outcomes[outcome] += 1
            left -= 1

    try:
        property_()
    except Fault:
        tally.faults.update(small)
        tally.outcomes["accepted"] += 1
    # Where there are no further examples, those that there are count.
    if left == count:
        tally.outcomes["skipped"] += count


def kept(fault: str, kind: Kind, case: Case) -> Path:
    """Keep a case that had a fault, to be tried again by the tests."""
    name = re.sub(r"\W+", "-", fault.lower()).strip("-")[:60]
    path = CORPUS / f"{kind.name}-{name}.json"
    content = json.dumps({"kind": kind.name, "why": fault, "case": case}, indent=1)
    path.write_text(f"{content}\n", encoding="utf-8")
    return path


def corpus() -> Iterator[tuple[Path, Kind, Case]]:
    """The cases that are kept."""
    kinds = {kind.name: kind for kind in KINDS}
    for path in sorted(CORPUS.glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        yield path, kinds[content["kind"]], content["case"]


def main() -> int:
    """The command; 0 where no fault was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--examples", type=int, default=EXAMPLES,
                        help=f"of all kinds together (default: {EXAMPLES:,})")  # fmt: skip
    parser.add_argument("--seed", type=int, default=1, help="another seed, other examples")
    parser.add_argument("--only", choices=[kind.name for kind in KINDS], action="append",
                        help="this kind alone; may be given more than once")  # fmt: skip
    options = parser.parse_args()
    kinds = [kind for kind in KINDS if not options.only or kind.name in options.only]
    total, found = sum(kind.share for kind in kinds), 0
    for kind in kinds:
        tally = fuzz(kind, max(1, options.examples * kind.share // total), options.seed)
        print(tally.line, flush=True)
        for fault, case in tally.faults.items():
            print(f"  {fault}: {kept(fault, kind, case)}", flush=True)
        found += len(tally.faults)
    return 1 if found else 0
