"""Truncated and flipped bytes of sources, solutions, publications and manifests."""

from __future__ import annotations

import json
import shutil
import tempfile
from contextlib import chdir
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

import sqlanon
from tests.fuzz.common import (
    Case,
    Kind,
    Outcome,
    attempt,
    published,
    require,
    require_classes,
    run,
)  # fmt: skip
from tests.fuzz.common import write_parquet as write
from tests.plan.plans import plan_of

K = 2
SECRET = "secret-in-a-cell"
WHAT = ("csv", "parquet", "solution", "published", "manifest")


def _plan(source: str) -> dict[str, Any]:
    age = {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 20]}}
    columns = {"name": "identifier", "age": age, "ward": "quasi-identifier", "ill": "sensitive"}
    plan = plan_of(columns, source)
    plan["privacy"].append({"model": "l-diversity", "l": 2})
    return plan


@cache
def _made() -> Path:
    """A folder with sound files: a source of each kind, and what a run makes of it."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz_files_"))
    header = ["name", "age", "ward", "ill"]
    # The first rows have none: a broken end of the header line makes them a part of it.
    rows = [
        [f"{SECRET if n > 3 else 'plain'}-{n}", f"{20 + n}", "ab"[n % 2], "xyz"[n % 3]]
        for n in range(24)
    ]
    with chdir(folder):
        write("rows.parquet", header, rows)
        lines = [",".join(row) for row in [header, *rows]]
        Path("rows.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        sqlanon.run(_plan("rows.parquet"))
    return folder


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    changes = []
    for _ in range(draw(st.integers(0, 3))):
        how = draw(st.sampled_from(["cut", "flip", "drop", "insert", "zero"]))
        changes.append([how, draw(st.integers(0, 10_000)), draw(st.integers(0, 255))])
    return {"what": draw(st.sampled_from(WHAT)), "changes": changes}


def _changed(content: bytes, changes: list[list[Any]]) -> bytes:
    for how, where, value in changes:
        place = where * len(content) // 10_001
        before, after = content[:place], content[place:]
        content = {
            "cut": before,
            "flip": before + bytes([value]) + after[1:],
            "drop": before + after[value:],
            "zero": before + bytes(value) + after[value:],
            "insert": before + bytes([value]) * (value % 9) + after,
        }[how]
    return content


def _spoil(file: str | Path, case: Case) -> None:
    Path(file).write_bytes(_changed(Path(file).read_bytes(), case["changes"]))


def _check(case: Case, folder: Path) -> Outcome:
    shutil.copytree(_made(), folder, dirs_exist_ok=True)
    what = case["what"]
    if what in ("csv", "parquet"):
        for file in ("out.parquet", "out.solution.json"):
            Path(file).unlink()
        _spoil(f"rows.{what}", case)
        if run(_plan(f"rows.{what}"), hidden=[SECRET]) is None:
            return "refused"
        require_classes([row[:2] for row in published("out.parquet")[1]], K)
        return "accepted"
    plan = _plan("rows.parquet")
    if what == "solution":
        _spoil("out.solution.json", case)
        if attempt(lambda: sqlanon.compile(plan), hidden=[SECRET]) is None:
            return "refused"
        shown = json.loads(Path("out.solution.json").read_bytes())
        is_node = all(0 <= level <= 3 for level in shown["node"].values())
        require(is_node, "a program of no lattice node was written")
        return "accepted"
    _spoil("out.parquet" if what == "published" else next(folder.rglob("manifest.json")), case)
    found = attempt(lambda: sqlanon.verify("out.parquet", plan), hidden=[SECRET])
    if found is None:
        return "refused"
    if all(finding.satisfied for finding in found):
        require_classes([row[:2] for row in published("out.parquet")[1]], K)
    return "accepted"


FILES = Kind("files", 35, _cases(), _check)
"""A broken file is refused without a cell in the message, or what comes of it holds."""
