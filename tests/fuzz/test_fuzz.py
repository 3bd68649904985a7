"""A few generated examples of every kind, and everything that is kept in the corpus.

`python -m tests.fuzz` tries many.
"""

from __future__ import annotations

import pytest

from tests.fuzz.command import KINDS, check, corpus, fuzz
from tests.fuzz.common import Case, Kind
from tests.selection import example_count

FEW = {"plans": 100, "literals": 6, "canaries": 6}
"""Examples of a kind; of others 12."""


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize(
    ("kind", "case"), [pytest.param(kind, case, id=path.stem) for path, kind, case in corpus()]
)
def test_the_corpus_has_no_fault(kind: Kind, case: Case) -> None:
    check(kind, case)


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize(
    ("kind", "count"),
    [(kind, FEW.get(kind.name, 12)) for kind in KINDS],
    ids=[kind.name for kind in KINDS],
)
def test_a_few_examples_of_every_kind(kind: Kind, count: int) -> None:
    count = example_count(count)
    tally = fuzz(kind, count, first_seed=7)
    assert tally.faults == {}
    assert tally.outcomes["accepted"] > 0
    assert tally.outcomes["skipped"] < count
