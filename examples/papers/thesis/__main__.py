"""6.1 to 6.6 of the Copenhagen thesis; `python -m examples.papers.thesis` makes them again.

Every figure but that of the smallest k is of one draw of 2,000 rows. A case that several tables
show runs once.
"""

from __future__ import annotations

import json
import time
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import sqlanon
from examples.papers import pages
from examples.papers.pages import Page, Picture, Table, decimal
from examples.papers.thesis.make_tables import COLUMNS, ROWS
from examples.papers.thesis.make_tables import main as make_tables

FOLDER = Path(__file__).parent

KS = (2, 4, 8, 16, 32)
DELTAS = (0.2, 0.4, 0.6, 0.8, 0.9)
DRAWS = range(1, 6)
CERTAIN = 0.999999
"""Rows whose persons are in the table with more than this probability are found for certain."""

MEASURES = ("discernibility", "average_generalization")
DM, AG = "DM [row pairs]", "AG [levels]"
DELTA = "δ: highest probability of being in the table"
AG_BY_K = {f"{AG}: {name}": name for name in ("Algorithm 6", "K-Mondrian")}
HIGHEST = 0.9
"""Of δ, where only k varies."""

BY_K = ("bucketization", "slicing", "permuted", "k-mondrian", "combined", "combined-k-mondrian")
PRESENCE = ("combined-k-mondrian", "labels", "combined", "mpalm")


class Method(NamedTuple):
    """A plan, and what is replaced in it.

    Attributes:
        title: what the page calls it.
        plan: its file.
        method: replaces the method of the plan; none if empty.
    """

    title: str
    plan: str
    method: dict[str, Any]


METHODS = {
    "bucketization": Method("bucketization", "slicing.yml", {"name": "bucketization"}),
    "slicing": Method("slicing, two groups", "slicing.yml", {}),
    "permuted": Method(
        "slicing, one attribute per column",
        "slicing.yml",
        {"name": "slicing", "columns": "one-attribute-per-column"},
    ),
    "k-mondrian": Method(
        "K-Mondrian", "slicing.yml", {"name": "k-mondrian", "labels": "region", "ends": "exact"}
    ),
    "combined": Method("Algorithm 6", "algorithm_6.yml", {"name": "combined"}),
    "combined-k-mondrian": Method("Algorithm 6 over K-Mondrian", "algorithm_6.yml", {}),
    "labels": Method(
        "K-Mondrian with δ", "algorithm_6.yml", {"name": "k-mondrian", "ends": "exact"}
    ),
    "mpalm": Method("MPALM", "algorithm_6.yml", {"name": "mpalm", "ends": "exact"}),
}


class Ran(NamedTuple):
    """What a run published, and who is found in it.

    Attributes:
        solution, utility: those of the manifest.
        seconds: CPU seconds of the run, of all threads.
        certain: persons who are certainly in the table, each with a row.
        perhaps: further persons of whom that is neither proven nor refuted.
    """

    solution: dict[str, Any]
    utility: dict[str, Any]
    seconds: float
    certain: int
    perhaps: int


@cache
def ran(name: str, k: int | None, dmax: float | None, draw: int = 1) -> Ran:
    """Run a method on the table of a draw, and attack what it publishes with the population.

    Args:
        name: one of METHODS.
        k, dmax: the promises; none of k-anonymity, or of δ-presence, if missing.
        draw: the seed of the table.
    """
    method = METHODS[name]
    promises: list[dict[str, Any]] = []
    if k is not None:
        promises.append({"model": "k-anonymity", "k": k})
    if dmax is not None:
        promises.append({"model": "delta-presence", "dmin": 0, "dmax": dmax})
    keys: dict[str, Any] = {
        f"columns.{column}.hierarchy": pages.ADULT.parent / f"adult_hierarchy_{column}.csv"
        for column in COLUMNS
    }
    keys["privacy"] = json.dumps(promises)
    if method.method:
        keys["method"] = json.dumps(method.method)
    options = pages.overridden(keys)
    with pages.workplace(FOLDER) as folder:
        make_tables(folder, draw)
        started = time.process_time()
        manifest = sqlanon.run(folder / method.plan, options).manifest
        spent = time.process_time() - started
        (finding,) = sqlanon.attack(
            str(folder / "published.csv"),
            folder / method.plan,
            options,
            population=str(folder / "population.csv"),
            attacks=[{"name": "membership", "dmax": CERTAIN}],
        )
    assert finding.rows_at_risk is not None, finding.reason
    persons = finding.measured or {}  # empty where rows are whole, and none is left undecided
    certain = persons.get("persons_in", finding.rows_at_risk)
    perhaps = persons.get("persons_perhaps_in", 0)
    return Ran(manifest["solution"], manifest["utility"], spent, certain, perhaps)


def share(rows: int) -> str:
    """Rows of the table in percent."""
    return decimal(100 * rows / ROWS, 2)


def found(case: tuple[str, int | None]) -> list[pages.Cells]:
    """Who is found in what a method publishes for a k."""
    name, k = case
    method = METHODS[name]
    made = ran(name, k, HIGHEST if method.plan == "algorithm_6.yml" else None)
    return [[
        method.title, "" if k is None else str(k), str(made.solution["classes"]), str(made.certain),
        share(made.certain), share(made.certain + made.perhaps),
    ]]  # fmt: skip


def by_delta(case: tuple[str, float]) -> list[pages.Cells]:
    """What a method publishes that promises δ-presence alone."""
    name, dmax = case
    made = ran(name, None, dmax)
    k = made.solution["k"]
    return [[
        METHODS[name].title, str(dmax), "" if k is None else str(k), str(made.solution["classes"]),
        *(str(int(made.utility[measure])) for measure in MEASURES),
    ]]  # fmt: skip


def smallest_k(dmax: float) -> list[pages.Cells]:
    """The smallest k whose K-Mondrian partition holds δ-presence, in several tables."""
    return [[str(dmax), *(str(ran("labels", None, dmax, draw).solution["k"]) for draw in DRAWS)]]


def by_k(k: int) -> list[pages.Cells]:
    """What Algorithm 6 publishes for a k, beside the labels of whole regions."""
    permuted, labels = (ran(name, k, HIGHEST) for name in ("combined-k-mondrian", "labels"))
    assert permuted.solution["classes"] == labels.solution["classes"]
    return [[
        str(k), str(permuted.solution["k"]), str(permuted.solution["classes"]),
        *(str(int(made.utility[MEASURES[1]])) for made in (permuted, labels)),
    ]]  # fmt: skip


def seconds(k: int) -> list[pages.Cells]:
    """CPU seconds of Algorithm 6."""
    return [[str(k), decimal(ran("combined-k-mondrian", k, HIGHEST).seconds, 1)]]


PAGE = Page(
    FOLDER,
    (
        Table(
            "found.csv",
            (
                "method",
                "k",
                "buckets or regions",
                "found for certain [rows]",
                "found for certain [%]",
                "found at most [%]",
            ),
            (*((name, k) for name in BY_K for k in KS), ("mpalm", None)),
            found,
        ),
        Table(
            "by_delta.csv",
            ("method", "δ up to", "smallest k", "buckets or regions", DM, AG),
            tuple((name, dmax) for name in PRESENCE for dmax in DELTAS),
            by_delta,
        ),
        Table(
            "smallest_k.csv",
            ("δ up to", *(f"draw {draw}" for draw in DRAWS)),
            DELTAS,
            smallest_k,
        ),
        Table(
            "by_k.csv",
            (
                "k",
                "smallest k that holds",
                "buckets",
                *(f"{AG}: {name}" for name in ("Algorithm 6", "K-Mondrian")),
            ),
            (*KS, 64),
            by_k,
        ),
        Table("seconds.csv", ("k", "seconds [CPU]"), (*KS, 64), seconds, repeatable=False),
    ),
    (
        Picture(
            "found.svg",
            "found.csv",
            "Rows of the table that are found for certain",
            "k [rows]",
            "rows found for certain [%]",
            "k",
            {"found for certain [%]": "found for certain"},
            logarithmic="x",
            by="method",
            upper="found at most [%]",
        ),
        Picture(
            "dm.svg",
            "by_delta.csv",
            "Discernibility by δ",
            DELTA,
            DM,
            "δ up to",
            {DM: DM},
            logarithmic="y",
            by="method",
        ),
        Picture(
            "ag.svg",
            "by_delta.csv",
            "Levels of generalization by δ",
            DELTA,
            AG,
            "δ up to",
            {AG: AG},
            by="method",
        ),
        Picture(
            "ag_by_k.svg",
            "by_k.csv",
            "Levels of generalization by k, δ up to 0.9",
            "k [rows]",
            AG,
            "k",
            AG_BY_K,
            logarithmic="x",
        ),
        Picture(
            "seconds.svg",
            "seconds.csv",
            "Time of Algorithm 6 by k, δ up to 0.9",
            "k [rows]",
            "time [CPU seconds]",
            "k",
            {"seconds [CPU]": "Algorithm 6"},
            logarithmic="x",
        ),
    ),
)

if __name__ == "__main__":
    pages.remake(PAGE)
