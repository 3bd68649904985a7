"""The Android example of the TUM seminar; `python -m examples.papers.tum` makes its figures."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

import duckdb

import sqlanon
from examples.papers import pages
from examples.papers.pages import Page, Picture, Table
from examples.papers.tum.make_measurements import MODELS
from examples.papers.tum.make_measurements import main as make_measurements

FOLDER = Path(__file__).parent
LEVELS = ("model", "series", "maker", "everything")
EXAMPLES = ("GT-I9300", "GT-I*", "GT-*", "*")
K = 5
DEVICES = "count(distinct device)"


class Judged(NamedTuple):
    """What k-anonymity finds in a table."""

    classes: int
    smallest: int
    below_k: int  # classes


def judged(table: Path, classes: list[str], k: int, members: str) -> Judged:
    """The sizes of a table's classes, counted by an expression of SQL."""
    found = duckdb.execute(
        f"select count(*), min(members), count(*) filter (members < {k}) from"
        f" (select {members} as members from '{table}' group by {', '.join(classes)})"
    ).fetchall()
    return Judged(*found[0])


def prefixes(level: int) -> list[pages.Cells]:
    """Classes by the prefix of the model alone: their sizes in rows and in devices."""
    with MODELS.open(encoding="utf-8", newline="") as lines:
        labels = {
            line["model"]: line[LEVELS[level]] for line in csv.DictReader(lines, delimiter=";")
        }
    with pages.workplace(FOLDER) as folder:
        make_measurements(folder / "measurements.csv")
        table = folder / "labels.csv"
        with (
            (folder / "measurements.csv").open(encoding="utf-8", newline="") as measurements,
            table.open("w", encoding="utf-8", newline="") as file,
        ):
            output = csv.writer(file)
            output.writerow(["device", "label"])
            for line in csv.DictReader(measurements):
                output.writerow([line["device"], labels[line["model"]]])
        rows, devices = (judged(table, ["label"], K, counted) for counted in ("count(*)", DEVICES))
    return [[
        EXAMPLES[level], str(rows.classes), str(rows.smallest), str(devices.smallest),
        str(rows.below_k), str(devices.below_k),
    ]]  # fmt: skip


def promised(k: int) -> list[pages.Cells]:
    """What both plans publish for a k, and how many devices a class of each has."""
    cells = [str(k)]
    for plan, counted in (("rows", DEVICES), ("measurements", "min(devices)")):
        with pages.workplace(FOLDER) as folder:
            make_measurements(folder / "measurements.csv")
            ran = sqlanon.run(folder / f"{plan}.yml", pages.overridden({"privacy.0.k": k}))
            published = folder / f"{plan}_k5.parquet"
            devices = judged(published, ["model", "android"], k, counted)
        levels = ran.manifest["solution"]["node"]
        cells += [
            f"model {levels['model']}, android {levels['android']}",
            str(ran.manifest["rows"]["suppressed"]),
            str(devices.smallest),
            str(devices.below_k),
        ]
    return [cells]


def plan_columns(name: str) -> tuple[str, ...]:
    """The columns of one of both plans."""
    return tuple(
        f"{name}: {column}"
        for column in ("levels", "suppressed [rows]", "smallest class [devices]",
                       "classes of fewer than k devices")
    )  # fmt: skip


ROWS, UNIT = plan_columns("rows counted"), plan_columns("with unit")

PAGE = Page(
    FOLDER,
    (
        Table(
            "prefixes.csv",
            (
                "label of GT-I9300",
                "classes",
                "smallest class [rows]",
                "smallest class [devices]",
                "classes of fewer than 5 rows",
                "classes of fewer than 5 devices",
            ),
            tuple(range(len(LEVELS))),
            prefixes,
        ),
        Table("by_k.csv", ("k", *ROWS, *UNIT), (2, 3, 5, 10, 20, 50), promised),
    ),
    (
        Picture(
            "prefixes.svg",
            "prefixes.csv",
            "Classes below k = 5, by the prefix of the device model",
            "label of GT-I9300",
            "classes [count]",
            "label of GT-I9300",
            {
                "classes": "all classes",
                "classes of fewer than 5 rows": "fewer than 5 rows",
                "classes of fewer than 5 devices": "fewer than 5 devices",
            },
            "bars",
        ),
        Picture(
            "by_k.svg",
            "by_k.csv",
            "Published classes that hold fewer than k devices",
            "k of the plan",
            "classes of fewer than k devices [count]",
            "k",
            {ROWS[3]: "rows counted", UNIT[3]: "with unit: device"},
            logarithmic="x",
        ),
    ),
)

if __name__ == "__main__":
    pages.remake(PAGE)
