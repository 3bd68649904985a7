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
from tests.fuzz.common import Case, Fault, Kind, Outcome, attempt, published, require_classes, run
from tests.fuzz.common import write_parquet as write

K = 2
SECRET = "secret-in-a-cell"
WHAT = ("csv", "parquet", "solution", "published", "manifest")


def _plan(source: str, **keys: Any) -> dict[str, Any]:
    return {
        "source": source,
        "columns": {
            "name": "identifier",
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 20]}},
            "ward": "quasi-identifier",
            "ill": "sensitive",
        },
        "privacy": [{"model": "k-anonymity", "k": K}, {"model": "l-diversity", "l": 2}],
        "publish": "out.parquet",
        **keys,
    }


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
        if how == "cut":
            content = content[:place]
        elif how == "flip":
            content = content[:place] + bytes([value]) + content[place + 1 :]
        elif how == "drop":
            content = content[:place] + content[place + value :]
        elif how == "zero":
            content = content[:place] + bytes(value) + content[place + value :]
        else:
            content = content[:place] + bytes([value]) * (value % 9) + content[place:]
    return content


def _spoil(file: Path, case: Case) -> None:
    file.write_bytes(_changed(file.read_bytes(), case["changes"]))


def _check(case: Case, folder: Path) -> Outcome:
    shutil.copytree(_made(), folder, dirs_exist_ok=True)
    what = case["what"]
    if what in ("csv", "parquet"):
        for file in ("out.parquet", "plan.solution.json"):
            Path(file).unlink()
        _spoil(Path(f"rows.{what}"), case)
        if run(_plan(f"rows.{what}"), hidden=[SECRET]) is None:
            return "refused"
        _, found = published("out.parquet")
        require_classes([row[:2] for row in found], K)
        return "accepted"
    plan = _plan("rows.parquet")
    if what == "solution":
        _spoil(Path("plan.solution.json"), case)
        made = attempt(lambda: sqlanon.compile(plan), hidden=[SECRET])
        if made is None:
            return "refused"
        shown = json.loads(Path("plan.solution.json").read_bytes())
        if not all(0 <= level <= 3 for level in shown["node"].values()):
            raise Fault("a program of no lattice node was written")
        return "accepted"
    _spoil(Path("out.parquet") if what == "published" else _manifest(folder), case)
    found_ = attempt(lambda: sqlanon.verify("out.parquet", plan), hidden=[SECRET])
    if found_ is None:
        return "refused"
    if all(finding.satisfied for finding in found_):
        _, rows = published("out.parquet")
        require_classes([row[:2] for row in rows], K)
    return "accepted"


def _manifest(folder: Path) -> Path:
    return next(folder.rglob("manifest.json"))


FILES = Kind("files", 35, _cases(), _check)
"""A broken file is refused without a cell in the message, or what comes of it holds."""
