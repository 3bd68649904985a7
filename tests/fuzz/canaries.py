"""A canary in every cell, looked for in everything that a run leaves behind or tells.

Identifiers must be nowhere, cells that were generalized or suppressed nowhere, and what is
published as it is nowhere but in the publication: there, too, only where the rows have it, so no
statistics of a file may show more.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import yaml
from hypothesis import strategies as st

from sqlanon import cli
from sqlanon.methods import METHODS
from sqlanon.methods.full_domain import FullDomainMethod
from sqlanon.registry import default_of
from tests.fuzz.common import Case, Fault, Kind, Outcome, require, write_parquet
from tests.plan.plans import plan_of

BY_LATTICE = tuple(default_of(m, "name") for m in METHODS if issubclass(m, FullDomainMethod))
BY_REGIONS = ("mondrian", "k-mondrian", "dimension-splitting", "mpalm")
"""Methods that publish labels of a hierarchy."""

BY_BUCKETS = ("anatomy", "bucketization", "slicing", "stack-and-deal")
"""Methods that publish quasi-identifiers as they are."""

ROLES = ("name", "star", "key", "age", "town", "ill", "note")
GROUPS = (4, 4, 4, 4, 2)
"""Rows that share a label of each quasi-identifier; the last group is below k."""

K = 3

PLACES = ("out/out.parquet", "out/out.csv", "out/out.duckdb::t")
"""In a folder of their own, as two tables must be."""

BROKEN = (
    None, None, "lacks a value", "not nested", "is no number", "too large a k", "no folder",
    "bad type", "bad query", "no key",
)  # fmt: skip
"""What is wrong with the plan or its files, if anything is."""


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    return {
        "method": draw(st.sampled_from([*BY_LATTICE, *BY_REGIONS, *BY_BUCKETS, "combined"])),
        "broken": draw(st.sampled_from(BROKEN)),
        "publish": draw(st.sampled_from(PLACES)),
        "source": draw(st.sampled_from(["rows.parquet", "rows.csv"])),
        "limit": draw(st.sampled_from([0, "0.2"])),
        "mask": draw(st.booleans()),
        "mark": draw(st.integers(0, 9999)),
    }


def _cell(case: Case, role: str, number: int) -> str:
    return f"canary{case['mark']:04}x{role}x{number:02}x"


def _write(case: Case) -> None:
    """Write the files of a plan, and the plan."""
    count = sum(GROUPS)
    group = [place for place, size in enumerate(GROUPS) for _ in range(size)]
    rows = [[_cell(case, role, n) for role in ROLES] for n in range(count)]
    if case["source"].endswith("csv"):
        text = "\n".join(",".join(row) for row in [list(ROLES), *rows])
        Path("rows.csv").write_text(f"{text}\n", encoding="utf-8")
    else:
        write_parquet("rows.parquet", ROLES, rows)
    write_parquet("people.parquet", ROLES, [row for row in rows for _ in range(3)])
    for role in ("age", "town"):
        lines = [f"{rows[n][ROLES.index(role)]};{role}{group[n]};*" for n in range(count)]
        if case["broken"] == "lacks a value":
            lines.pop(5)
        if case["broken"] == "not nested":
            lines[7] = lines[7].rsplit(";", 1)[0] + ";other"
        Path(f"{role}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    method = case["method"]
    of_population = method in ("mpalm", "combined")
    privacy: list[dict[str, Any]] = [{"model": "k-anonymity", "k": K}]
    if of_population:
        presence = {"model": "delta-presence", "dmin": 0, "dmax": 0.5}
        privacy = [presence, *(privacy if method == "mpalm" else [])]
    elif method in BY_BUCKETS:
        privacy = [{"model": "l-diversity", "l": K, "kind": "frequency", "attribute": "ill"}]
    if case["broken"] == "too large a k":
        privacy.append({"model": "k-anonymity", "k": count + 1})
    if case["broken"] == "is no number":
        privacy.append({"model": "k-e-anonymity", "k": 2, "e": 1, "attribute": "ill"})
    source: Any = {"path": case["source"]}
    if case["broken"] == "bad type" and case["source"].endswith("csv"):
        source["types"] = {"note": "integer"}
    if case["broken"] == "bad query":
        source = {"query": f"select * replace (cast(note as date) as note) from '{case['source']}'"}
    columns = {
        "name": "identifier",
        "star": {"role": "identifier", "action": "star"},
        "key": {"role": "identifier", "action": "pseudonym"},
        "age": {"role": "quasi-identifier", "hierarchy": "age.csv"},
        "town": {"role": "quasi-identifier", "hierarchy": "town.csv"},
        "ill": "sensitive",
        "note": "insensitive",
    }
    plan = plan_of(columns, source, privacy=privacy, method=method, publish=case["publish"])
    if of_population:
        plan["population"] = "people.parquet"
    if method in BY_LATTICE:
        plan["suppression"] = {"limit": case["limit"], "rows": "mask" if case["mask"] else "drop"}
    if case["broken"] == "no folder":
        Path("taken").write_text("", encoding="utf-8")
        plan["publish"] = f"taken/{case['publish']}"
    Path("plan.yml").write_text(yaml.safe_dump(plan, sort_keys=False), encoding="utf-8")


def _printed(*arguments: str) -> tuple[int, str]:
    """The exit code of a command, and all that it prints."""
    shown = io.StringIO()
    redirected = contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown)
    with mock.patch.object(sys, "argv", ["sqlanon", *arguments]), redirected[0], redirected[1]:
        try:
            cli.main()
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else int(bool(end.code)), shown.getvalue()
        except Exception as error:
            raise Fault(f"{type(error).__name__} of a command") from error
    return 0, shown.getvalue()


def _check(case: Case, folder: Path) -> Outcome:
    _write(case)
    inputs = {path for path in folder.rglob("*") if path.is_file()}
    key = {} if case["broken"] == "no key" else {"SQLANON_PSEUDONYM_KEY": "0123456789abcdef" * 2}
    with mock.patch.dict(os.environ, key):
        code, shown = _printed("run", "plan.yml")
        for command in (["check"], ["compile"], ["hierarchy", "check"]):
            shown += _printed(*command, "plan.yml")[1]
    mark = f"canary{case['mark']:04}x"
    require(not re.search(mark, shown.replace("\n", "")), "a command prints a cell")
    allowed = _allowed(case) if code == 0 else set[str]()
    for path in sorted({path for path in folder.rglob("*") if path.is_file()} - inputs):
        name = str(path.relative_to(folder))
        found = set(re.findall(mark.encode() + rb"\w+?x\d\dx", path.read_bytes()))
        is_publication = name.startswith("out/")
        extra = {cell.decode() for cell in found} - (allowed if is_publication else set())
        require(not extra, f"{'the publication' if is_publication else name} holds a cell too much")
    if case["broken"] is None and case["method"] != "combined":
        require(code in (0, 3), f"a sound plan ended with {code}")
    return "accepted" if code == 0 else "refused"


def _allowed(case: Case) -> set[str]:
    """The canaries in the published cells; of roles that may be published, and no others."""
    mark = f"canary{case['mark']:04}x"
    place = case["publish"]
    columns, rows = _read(place)
    with contextlib.suppress(duckdb.Error):  # where there is no second table
        rows += _read(re.sub(r"out(?=\.parquet|\.csv)|(?<=::)t", r"\g<0>_values", place))[1]
    require("name" not in columns, "an identifier is published")
    cells = {str(cell) for row in rows for cell in row if str(cell).startswith(mark)}
    of_cells = case["method"] in (*BY_BUCKETS, "combined")
    free = {"ill", "note"} | ({"age", "town"} if of_cells else set())
    roles = {cell.split("x")[1] for cell in cells}
    require(roles <= free, "a value is published that should be generalized")
    return cells


def _read(place: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    file, _, table = place.partition("::")
    database = duckdb.connect(file if table else ":memory:", read_only=bool(table))
    with contextlib.closing(database) as connection:
        found = connection.execute(f"from {table}" if table else f"from '{file}'")
        return [column[0] for column in found.description], found.fetchall()


CANARIES = Kind("canaries", 5, _cases(), _check)
"""No cell is shown anywhere that it should not be."""
