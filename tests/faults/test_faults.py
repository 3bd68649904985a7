"""A few of the faults that `python -m tests.faults` tries all of."""

from __future__ import annotations

import hashlib
import json
import random
import signal
from pathlib import Path

import pytest

from tests.faults.harness import (
    KINDS,
    boundaries,
    disturbed,
    fresh,
    names,
    outcome,
    published,
    signaled,
)
from tests.faults.scenarios import SIGNALS, four_at_once, template_of


@pytest.mark.sampled(0.05, by=("kind", "which"))
@pytest.mark.parametrize("which", range(4))
@pytest.mark.parametrize("kind", KINDS)
def test_killed_where_a_publication_is_put_in_place(kind: str, which: int, tmp_path: Path) -> None:
    """At the last move of a file, or one of the others.

    The place has one of both publications; its manifest, program and solution are there, too, as
    soon as a next run begins, even one without a result; and the run after that publishes.
    """
    template = template_of(tmp_path, kind)
    passed = boundaries(template, tmp_path / "count")
    first, last = passed.index("before publish"), passed.index("after publish")
    moves = [n for n in range(first, last) if passed[n].endswith(("os.replace", "os.rename"))]
    number = [moves[-1], *random.Random(kind).sample(moves[:-1], 3)][which]
    with fresh(template, tmp_path / "run") as run:
        before = names(run)
        code = disturbed(run, signaled(number + 1, signal.SIGKILL))
        planned = (run / "plan.yml").read_text()
        impossible = {"privacy": [{"model": "k-anonymity", "k": 999}], "method": "optimal"}
        (run / "plan.yml").write_text(json.dumps({**json.loads(planned), **impossible}))
        assert disturbed(run, lambda: None) == 3
        check_described(run, kind, passed[number])
        (run / "plan.yml").write_text(planned)
        found = outcome(run, kind, code, before)
        assert found.is_sound, f"{passed[number]}: {found}"


def check_described(run: Path, kind: str, where: str) -> None:
    """What describes the publication belongs to it."""
    target = run / "target/plan"
    manifest = json.loads((target / "manifest.json").read_text())
    solution = json.loads((run / "plan.solution.json").read_text())
    program = (target / "sql/program.sql").read_bytes()
    assert solution["plan_sha256"] == manifest["plan_sha256"], where
    assert hashlib.sha256(program).hexdigest() == manifest["program_sha256"], where
    rows = {"earlier": 48, "later": 72}[published(run, kind)]
    assert manifest["rows"]["published"] == rows, where
    release = (target / "release.sql").read_text().partition("with source as")[2]
    lines = {line.strip() for line in program.decode().splitlines()}
    parts = {line.strip() for line in release.rstrip(";\n").splitlines()}
    assert {part for part in parts if "materialized" not in part} <= lines, where


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_stopped_in_the_middle(sent: signal.Signals, tmp_path: Path) -> None:
    template = template_of(tmp_path, "parquet")
    with fresh(template, tmp_path / "run") as run:
        before = names(run)
        found = outcome(run, "parquet", disturbed(run, signaled(20, sent)), before)
        assert (found.code, found.published) == (SIGNALS[sent], "earlier")
        assert found.is_sound, found


def test_four_runs_at_once(tmp_path: Path) -> None:
    assert four_at_once(tmp_path, "parquet").faults == []
