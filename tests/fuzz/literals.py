"""Hostile texts in cells, listed values, labels and file names: all is data, nothing is SQL."""

from __future__ import annotations

import csv
import functools
import io
import tempfile
from collections import Counter
from contextlib import chdir
from pathlib import Path
from typing import Any

import duckdb
from hypothesis import strategies as st

import sqlanon
from tests.fuzz.common import (
    Case,
    Kind,
    Outcome,
    published,
    require,
    require_classes,
    run,
    texts,
    write_parquet,
)  # fmt: skip
from tests.plan.plans import plan_of

K = 2
BY_BUCKETS = ("bucketization", "slicing")
METHODS = ("optimal", "datafly", "mondrian", *BY_BUCKETS)

cell = texts.filter(lambda text: "\0" not in text)
file_name = texts.filter(
    # A pattern or a part of another path is no name; a long one is none of any file system's.
    lambda text: not set(text) & set("/\0*?[]{}=\\:~$%") and len(text.encode()) < 60
)


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    values = draw(st.lists(cell, min_size=2, max_size=4, unique=True))
    wards = draw(st.lists(cell, min_size=2, max_size=3, unique=True))
    rows = [
        [draw(st.sampled_from(wards)), draw(st.sampled_from(values))]
        for _ in range(draw(st.integers(6, 12)))
    ]
    return {
        "rows": rows,
        "listed": draw(st.one_of(st.sampled_from(values), cell)),
        "labels": draw(st.lists(cell, min_size=2, max_size=2, unique=True)),
        "null_text": draw(cell),
        "names": [draw(file_name), draw(file_name)],
        "method": draw(st.sampled_from(METHODS)),
    }


def _plan(case: Case, source: Any, name: str) -> dict[str, Any]:
    cuts = {"cut_points": [[3]], "labels": [case["labels"]]}
    columns = {
        "ward": "quasi-identifier", "day": {"role": "quasi-identifier", "hierarchy": cuts},
        "ill": "sensitive",
    }  # fmt: skip
    plan = plan_of(
        columns, source, method=case["method"], suppression={"limit": 0}, publish=f"{name}.parquet"
    )
    if case["method"] not in BY_BUCKETS:
        listed = {"model": "alpha-k-anonymity", "alpha": 1, "k": K, "values": [case["listed"]]}
        plan["privacy"].append(listed)
    return plan


def _check(case: Case, folder: Path) -> Outcome:
    rows = [[ward, f"{n % 6}", ill] for n, (ward, ill) in enumerate(case["rows"])]
    first, second = case["names"]
    source = f"rows {first}.parquet"
    require(write_parquet(source, ["ward", "day", "ill"], rows), "no table for a plain header")
    plan = _plan(case, source, f"out {second}")
    result = run(plan)
    if result is not None:
        _check_rows(case, rows, plan["publish"])
        added = _statements(result) - _plain_statements(case["method"])
        require(added == 0, "a literal changed the number of statements")
    outcome: Outcome = "refused" if result is None else "accepted"
    return "accepted" if _check_csv(case) == "accepted" else outcome


def _check_rows(case: Case, rows: list[list[str]], file: str) -> None:
    _, found = published(file)
    by_buckets = case["method"] in BY_BUCKETS
    sensitive = Counter(row[2 if by_buckets else -1] for row in found)
    require(sensitive == Counter(row[2] for row in rows), "sensitive values changed")
    require_classes([row[-1:] if by_buckets else row[:2] for row in found], K)
    if by_buckets:
        same = Counter(row[0] for row in found) == Counter(row[0] for row in rows)
        require(same, "cells changed")
    elif case["method"] != "mondrian":
        wards, labels = {row[0] for row in rows} | {"*"}, {*case["labels"], "*", *"012345"}
        require(all(a in wards and b in labels for a, b, _ in found), "a label that is none")


def _check_csv(case: Case) -> Outcome:
    """A CSV file with a hostile text for missing values."""
    plain = [["a", f"{n % 2}"] if n % 3 else [case["null_text"], f"{n % 2}"] for n in range(6)]
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([["ward", "ill"], *plain])
    Path("rows.csv").write_bytes(text.getvalue().encode())
    source = {"path": "rows.csv", "null_text": case["null_text"]}
    columns = {"ward": "quasi-identifier", "ill": "insensitive"}
    plan = plan_of(columns, source, publish="csv.parquet")
    if run(plan) is None:
        return "refused"
    _, found = published("csv.parquet")
    allowed: set[str | None] = {"a", "*", None, *(row[0] for row in plain)}
    require(len(found) == 6 and all(row[0] in allowed for row in found), "a label that is none")
    return "accepted"


def _statements(result: sqlanon.RunResult) -> int:
    text = (result.target / "sql" / "program.sql").read_text(encoding="utf-8")
    return len(duckdb.extract_statements(text))


@functools.cache
def _plain_statements(method: str) -> int:
    """Statements of a program without anything hostile."""
    case: Case = {"listed": "x", "labels": ["l", "m"], "method": method}
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        rows = [["a", f"{n}", "x" if n % 2 else "y"] for n in range(6)]
        write_parquet("rows.parquet", ["ward", "day", "ill"], rows)
        return _statements(sqlanon.run(_plan(case, "rows.parquet", "out")))


LITERALS = Kind("literals", 25, _cases(), _check)
"""Rows are what they were, classes hold, no file is written, no statement is added."""
