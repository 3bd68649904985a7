"""Passes, refined or not, on Adult, beside one node and Mondrian.

`python -m examples.papers.passes` makes the page again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb

import sqlanon
from examples.papers import pages
from examples.papers.pages import Page, Picture, Table, decimal

FOLDER = Path(__file__).parent

METHODS = {
    "one node": "{name: optimal}",
    "one node, refined": "{name: optimal, refine: true}",
    "Mondrian": "mondrian",
    "passes": "{name: optimal, passes: auto}",
    "passes, refined": "{name: optimal, passes: auto, refine: true}",
}
SUPPRESSING = ("one node", "passes")
"""Refining suppresses no other rows; Mondrian suppresses none."""

READ = ("education", "occupation", "native-country")


def _run(folder: Path, k: int, method: str) -> dict[str, Any]:
    """The manifest of a run that leaves `adult.parquet` in a folder."""
    keys: dict[str, Any] = {
        "method": METHODS[method],
        "privacy.0.k": k,
        "source.path": pages.ADULT,
        **{
            f"columns.{name}.hierarchy.file": pages.ADULT.with_name(f"adult_hierarchy_{name}.csv")
            for name in sqlanon.load_plan(FOLDER / "adult.yml").quasi_identifiers
        },
    }
    if method == "Mondrian":
        keys["suppression"] = "{limit: 0}"
    return sqlanon.run(folder / "adult.yml", pages.overridden(keys)).manifest


def by_k(k: int) -> list[pages.Cells]:
    """The loss of each method, and the rows that one node and passes suppress."""
    losses, lost = [], []
    for method in METHODS:
        with pages.workplace(FOLDER) as folder:
            manifest = _run(folder, k, method)
        losses.append(decimal(manifest["utility"]["loss"], 4))
        if method in SUPPRESSING:
            lost.append(str(manifest["rows"]["suppressed"]))
    return [[str(k), *losses, *lost]]


def by_pass(k: int) -> list[pages.Cells]:
    """What each pass places, and what is lost if all that wait then are suppressed."""
    with pages.workplace(FOLDER) as folder:
        manifest = _run(folder, k, "passes")
    rows = manifest["rows"]["input"]
    placed, lost = 0, 0.0
    lines: list[pages.Cells] = []
    for number, one in enumerate(manifest["solution"]["passes"], start=1):
        placed += one["rows"]
        lost += one["rows"] * one["loss"]
        raised = ", ".join(f"{name} {level}" for name, level in one["node"].items() if level)
        if_ended = (lost + rows - placed) / rows
        shown = [decimal(one["charge"]), raised, str(one["rows"]), decimal(one["loss"], 4)]
        lines.append([str(number), *shown, decimal(100 * placed / rows, 1), decimal(if_ended, 4)])
    return lines


def by_column(column: str) -> list[pages.Cells]:
    """How far a reader's shares of values are from those of the source, in total variation."""
    hierarchy = pages.ADULT.with_name(f"adult_hierarchy_{column}.csv")
    truth = _shares(f"""
        select "{column}", count(*) / sum(count(*)) over ()
        from read_csv('{pages.ADULT}', delim = ';', all_varchar = true)
        group by all""")
    cells = []
    for method in ("one node", "passes", "passes, refined"):
        with pages.workplace(FOLDER) as folder:
            _run(folder, 5, method)
            published = folder / "adult.parquet"
            if method == "passes":
                fine = f"""
                    select "{column}", count(*) / sum(count(*)) over ()
                    from '{published}'
                    where "{column}" in (
                        select column0
                        from read_csv(
                            '{hierarchy}', delim = ';', header = false, all_varchar = true
                        )
                    )
                    group by all"""
                cells.append(_distance(truth, _shares(fine)))
            sql = (FOLDER / "em.sql").read_text(encoding="utf-8")
            sql = sql.replace("education", f'"{column}"').replace("hierarchy.csv", str(hierarchy))
            cells.append(_distance(truth, _shares(sql.replace("adult.parquet", str(published)))))
    return [[column, *cells]]


def _shares(sql: str) -> dict[str, float]:
    return dict(duckdb.execute(sql).fetchall())


def _distance(truth: dict[str, float], found: dict[str, float]) -> str:
    names = truth.keys() | found.keys()
    return decimal(sum(abs(truth.get(name, 0) - found.get(name, 0)) for name in names) / 2)


PAGE = Page(
    FOLDER,
    (
        Table(
            "by_k.csv",
            ("k", *METHODS, *(f"suppressed by {name} [rows]" for name in SUPPRESSING)),
            (2, 5, 10, 25, 100),
            by_k,
        ),
        Table(
            "by_pass.csv",
            ("pass", "charge", "levels above 0", "rows", "their mean loss", "placed so far [%]",
             "loss if it ended here"),
            (5,),
            by_pass,
        ),
        Table(
            "readers.csv",
            ("column", "one node, EM", "passes, fine rows only", "passes, EM",
             "passes, refined, EM"),
            READ,
            by_column,
        ),
    ),
    (
        Picture(
            "by_k.svg", "by_k.csv", "Loss of Adult with nine quasi-identifiers", "k [rows]",
            "loss [0 to 1]", "k", {name: name for name in METHODS}, logarithmic="x",
        ),
        Picture(
            "by_pass.svg", "by_pass.csv", "Loss by pass, k = 5", "pass", "loss [0 to 1]", "pass",
            {"loss if it ended here": "loss if it ended here"},
        ),
    ),
)  # fmt: skip


if __name__ == "__main__":
    pages.remake(PAGE)
