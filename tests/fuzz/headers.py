"""Hostile names of columns: a whole run publishes what it should, or says what is wrong."""

from __future__ import annotations

import csv
import io
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tests.fuzz.common import Case, Kind, Outcome, names, published, require, require_classes, run
from tests.fuzz.common import write_parquet as write
from tests.plan.plans import plan_of

K = 2
STARS = ("optimal", "incognito", "samarati", "datafly")
"""Methods that publish, without hierarchies, columns as they are or as '*'."""
METHODS = (*STARS, "mondrian", "dimension-splitting")

Rows = list[list[str]]


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    """Columns: an identifier, two quasi-identifiers, a sensitive attribute, an insensitive one."""
    usable = names.filter(lambda name: name and "\0" not in name)
    header = draw(st.lists(usable, min_size=5, max_size=5, unique_by=str.lower))
    if draw(st.integers(0, 9)) == 0:  # a clash
        header[draw(st.integers(0, 4))] = header[draw(st.integers(0, 4))].upper()
    cells = st.lists(
        st.tuples(*[st.sampled_from(["1", "2", "30"])] * 2, st.sampled_from(["x", "y"])),
        min_size=4, max_size=8,
    )  # fmt: skip
    return {
        "header": header,
        "cells": [list(row) for row in draw(cells)],
        "format": draw(st.sampled_from(["parquet", "csv"])),
        "method": draw(st.sampled_from(METHODS)),
        "diverse": draw(st.booleans()),
    }


def _check(case: Case, folder: Path) -> Outcome:
    header = case["header"]
    rows = [[f"id{n}", a, b, s, f"{n}"] for n, (a, b, s) in enumerate(case["cells"])]
    file = f"rows.{case['format']}"
    if case["format"] == "csv":
        text = io.StringIO()
        csv.writer(text, quoting=csv.QUOTE_ALL).writerows([header, *rows])
        Path(file).write_bytes(text.getvalue().encode())
    elif not write(file, header, rows):
        return "skipped"
    roles = ("identifier", "quasi-identifier", "quasi-identifier", "sensitive", "insensitive")
    plan = plan_of(
        dict(zip(header, roles, strict=True)), file, method=case["method"], suppression={"limit": 0}
    )  # fmt: skip
    if case["diverse"]:
        plan["privacy"].append({"model": "l-diversity", "l": 2, "attribute": header[3]})
    if run(plan) is None:
        return "refused"
    columns, found = published("out.parquet")
    require(columns == header[1:], "the published columns are others than the plan's")
    kept = sorted(row[2:] for row in found) == sorted(tuple(row[3:]) for row in rows)
    require(kept, "kept columns changed")
    require_classes([row[:2] for row in found], K)
    by_class: dict[Any, set[Any]] = {}
    for row in found:
        by_class.setdefault(row[:2], set()).add(row[2])
    if case["diverse"]:
        require(min(map(len, by_class.values())) >= 2, "a class has fewer than 2 values")
    if case["method"] in STARS:
        _check_stars(rows, found, case)
    return "accepted"


def _holds(rows: Rows, node: tuple[int, ...], diverse: bool) -> bool:
    """Whether the table may be published with these of its quasi-identifiers starred."""
    classes: dict[Any, list[str]] = {}
    for _, a, b, s, _ in rows:
        classes.setdefault(_starred((a, b), node), []).append(s)
    return all(len(c) >= K and (not diverse or len(set(c)) >= 2) for c in classes.values())


def _starred(key: tuple[str, ...], node: tuple[int, ...]) -> tuple[str, ...]:
    return tuple("*" if star else value for value, star in zip(key, node, strict=True))


def _check_stars(rows: Rows, found: list[tuple[Any, ...]], case: Case) -> None:
    """The rows are those of a node that may be published; none below it, unless it is greedy."""
    nodes = list(product((0, 1), repeat=2))
    published_as = [
        node for node in nodes
        if Counter((*_starred((a, b), node), s, n) for _, a, b, s, n in rows) == Counter(found)
    ]  # fmt: skip
    require(bool(published_as), "the rows are those of no lattice node")
    node = published_as[0]
    require(_holds(rows, node, case["diverse"]), "the node does not hold the promise")
    below = [n for n in nodes if n != node and all(x <= y for x, y in zip(n, node, strict=True))]
    is_lowest = not any(_holds(rows, n, case["diverse"]) for n in below)
    require(is_lowest or case["method"] == "datafly", "a lower node holds the promise, too")


HEADERS = Kind("headers", 40, _cases(), _check)
"""Published columns and rows are those of a small brute force, whatever columns are called."""
