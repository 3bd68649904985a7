"""5.1 and 5.2 of the Aalborg report; `python -m examples.papers.aalborg` makes them again."""

from __future__ import annotations

import csv
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Literal

import sqlanon
from examples.papers import pages
from examples.papers.pages import Page, Picture, Table, decimal

FOLDER = Path(__file__).parent

SENSITIVE = ("race", "sex", "salary-class", "native-country", "workclass", "marital-status",
             "education", "occupation")  # fmt: skip
KINDS = {
    "race": {
        "distinct, l = 2": "{model: l-diversity, kind: distinct, l: 2}",
        "entropy, l = 1.5": "{model: l-diversity, kind: entropy, l: 1.5}",
        "recursive, c = 7, l = 2": "{model: l-diversity, kind: recursive, c: 7, l: 2}",
    },
    "occupation": {
        "distinct, l = 4": "{model: l-diversity, kind: distinct, l: 4}",
        "entropy, l = 4": "{model: l-diversity, kind: entropy, l: 4}",
        "recursive, c = 2, l = 4": "{model: l-diversity, kind: recursive, c: 2, l: 4}",
    },
}
FIGURES = ("classes", "average class / K", "GCP")
DRAWN: tuple[tuple[str, str, str, str, Literal["x", "xy"]], ...] = (
    ("class_size", "average class / K", "Average class size", "average class size / K", "xy"),
    ("gcp", "GCP", "Loss of labels", "GCP [0 to 1]", "x"),
)
"""Picture, figure, title, title of the axis, and which axes are logarithmic."""

KS = (2, 5, 7, 10, 20, 50, 100)


def holds_at_most(attribute: str) -> list[pages.Cells]:
    """What all rows in one class hold; no partition holds more, as diversity is monotone."""
    with pages.ADULT.open(encoding="utf-8", newline="") as file:
        values = [line[attribute] for line in csv.DictReader(file, delimiter=";")]
    plans: list[dict[str, object]] = [
        {"l": 1},
        {"kind": "entropy", "l": 1},
        {"kind": "recursive", "c": 1_000_000, "l": 2},
    ]
    with pages.workplace(FOLDER) as folder:
        table = folder / "one_class.csv"
        with table.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["everybody", "value"], *(["*", one] for one in values)])
        privacy = [{"model": "l-diversity", **keys} for keys in plans]
        plan = sqlanon.promised({"path": str(table)}, ["everybody"], ["value"], privacy)
        measured = [found.measured for found in sqlanon.verify(str(table), plan, manifest=False)]
    distinct, entropy, others = measured
    assert distinct is not None
    assert entropy is not None
    assert others  # rows of the other values, for each row of the most frequent one
    share = 100 * max(Counter(values).values()) / len(values)
    return [[attribute, decimal(share, 1), str(distinct), decimal(entropy), decimal(1 / others)]]


def by_k(sensitive: str, k: int) -> list[pages.Cells]:
    """What dimension splitting publishes for each kind of l-diversity."""
    cells = []
    for promise in KINDS[sensitive].values():
        with pages.workplace(FOLDER) as folder:
            keys = {"privacy.0": promise, "privacy.1.k": k, "source.path": pages.ADULT}
            manifest = sqlanon.run(folder / f"{sensitive}.yml", pages.overridden(keys)).manifest
        utility = manifest["utility"]
        cells.append(
            [
                str(manifest["solution"]["classes"]),
                decimal(utility["average_class_size"], 1),
                decimal(utility["ncp"]),
            ]
        )
    return [[str(k), *(kind[place] for place in range(len(FIGURES)) for kind in cells)]]


def columns_of(sensitive: str, figure: str) -> dict[str, str]:
    """The columns of a figure, and the kinds that they are about."""
    return {f"{figure}: {kind}": kind for kind in KINDS[sensitive]}


PAGE = Page(
    FOLDER,
    (
        Table(
            "holds_at_most.csv",
            (
                "sensitive attribute",
                "most frequent value [% of rows]",
                "distinct: largest l",
                "entropy: largest l",
                "recursive with l = 2: c must be above",
            ),
            SENSITIVE,
            holds_at_most,
        ),
        *(
            Table(
                f"{sensitive}.csv",
                ("K", *(column for figure in FIGURES for column in columns_of(sensitive, figure))),
                KS,
                partial(by_k, sensitive),
            )
            for sensitive in KINDS
        ),
    ),
    (
        Picture(
            "holds_at_most.svg",
            "holds_at_most.csv",
            "The largest l of entropy l-diversity that any partition of Adult can hold",
            "sensitive attribute",
            "l [effective number of values]",
            "sensitive attribute",
            {"entropy: largest l": "entropy"},
            "bars",
        ),
        *(
            Picture(
                f"{sensitive}_{file}.svg",
                f"{sensitive}.csv",
                f"{title}, {sensitive} sensitive",
                "K [rows in the smallest class]",
                y,
                "K",
                columns_of(sensitive, figure),
                logarithmic=axes,
            )
            for sensitive in KINDS
            for file, figure, title, y, axes in DRAWN
        ),
    ),
)

if __name__ == "__main__":
    pages.remake(PAGE)
