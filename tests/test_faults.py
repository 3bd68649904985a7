"""A few of the faults that `python -m tests.faults` tries all of."""

from __future__ import annotations

import random
import signal
from pathlib import Path

import pytest
from faults.harness import KINDS, boundaries, disturbed, fresh, names, outcome, signaled
from faults.scenarios import SIGNALS, template_of, two_at_once


@pytest.mark.parametrize("kind", KINDS)
def test_killed_where_a_publication_is_put_in_place(kind: str, tmp_path: Path) -> None:
    """Before and after the renames that a reader can see, and at one place drawn each time."""
    template = template_of(tmp_path, kind)
    with fresh(template, tmp_path / "count") as counted:
        told = boundaries(counted)
    publishing = told.index("before publish")
    visible = [
        number
        for number, name in enumerate(told, start=1)
        if number > publishing and name in ("after os.replace", "after os.rename")
    ]
    seed = random.randrange(10**6)
    places = [*visible[-2:], *random.Random(seed).sample(range(1, len(told) + 1), 1)]
    for number in places:
        with fresh(template, tmp_path / "run") as run:
            before = names(run)
            code = disturbed(run, signaled(number, signal.SIGKILL))
            found = outcome(run, kind, code, before)
            assert found.is_sound, f"seed {seed}, {number} ({told[number - 1]}): {found}"


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_stopped_in_the_middle(sent: signal.Signals, tmp_path: Path) -> None:
    template = template_of(tmp_path, "parquet")
    with fresh(template, tmp_path / "run") as run:
        before = names(run)
        code = disturbed(run, signaled(20, sent))
        found = outcome(run, "parquet", code, before)
        assert (code, found.published) == (SIGNALS[sent], "earlier")
        assert found.is_sound, found


def test_four_runs_at_once(tmp_path: Path) -> None:
    assert two_at_once(tmp_path, "parquet").faults == []
