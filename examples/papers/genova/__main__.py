"""Datafly on the twelve rows of the Genova slides; `python -m examples.papers.genova`."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import sqlanon
from examples.papers import pages
from examples.papers.pages import Page, Picture, Table

FOLDER = Path(__file__).parent
ATTRIBUTES = ("race", "birth_date", "gender", "zip")
PLAN = "datafly.yml"

PRINTED_DISTINCT = {"A": (2, 12, 2, 3), "B": (2, 3, 2, 3)}
PRINTED_OCCURS = {"A": (1,) * 12, "B": (2, 2, 2, 1, 1, 2, 2)}
PRINTED_RESULT = """\
black,1965,male,02141,short of breath
black,1965,male,02141,chest pain
black,1965,female,02138,painful eye
black,1965,female,02138,wheezing
black,1964,female,02138,obesity
black,1964,female,02138,chest pain
white,1964,male,02139,obesity
white,1964,male,02139,fever
white,1967,male,02138,vomiting
white,1967,male,02138,back pain
"""

Node = dict[str, int]


def steps_of_the_run() -> dict[str, tuple[Node, list[tuple[str, ...]]]]:
    """The node of both steps and the rows there: A as in the source, B where Datafly ends."""
    with pages.workplace(FOLDER) as folder:
        solution = sqlanon.run(folder / PLAN).manifest["solution"]
    assert solution["lattice"]["checked"] == 2  # A is the first node, B the last one
    years = {line["date"]: line["year"] for line in _lines(FOLDER / "birth_date.csv", ";")}
    people = [tuple(line[name] for name in ATTRIBUTES) for line in _lines(FOLDER / "people.csv")]
    assert solution["node"] == {"race": 0, "birth_date": 1, "gender": 0, "zip": 0}
    return {
        "A": (dict.fromkeys(ATTRIBUTES, 0), people),
        "B": (solution["node"], [(one, years[born], *rest) for one, born, *rest in people]),
    }


def _lines(file: Path, delimiter: str = ",") -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter=delimiter))


def distinct_values(_: str) -> list[pages.Cells]:
    """How many values the attributes have in each step, and the numbers that are printed."""
    steps = steps_of_the_run()
    return [
        [
            attribute,
            *(
                str(count)
                for step, (_, rows) in steps.items()
                for count in (len({row[place] for row in rows}), PRINTED_DISTINCT[step][place])
            ),
        ]
        for place, attribute in enumerate(ATTRIBUTES)
    ]


def classes(step: str) -> list[pages.Cells]:
    """What sqlanon measures at the node of a step, and what the printed counts come to."""
    node, rows = steps_of_the_run()[step]
    with pages.workplace(FOLDER) as folder:
        measured = sqlanon.measure(folder / PLAN, node=node)
    outliers = sum(count for count in PRINTED_OCCURS[step] if count < 2)
    return [[
        step, str(len(Counter(rows))), str(len(PRINTED_OCCURS[step])),
        str(measured["classes"]), str(measured["rows"]["suppressed"]), str(outliers),
    ]]  # fmt: skip


def result(plan: str) -> list[pages.Cells]:
    """The published rows, and whether each is printed."""
    with pages.workplace(FOLDER) as folder:
        rows = sqlanon.run(folder / plan).published.fetchall()
    printed = Counter(tuple(line.split(",")) for line in PRINTED_RESULT.splitlines())
    assert not printed - Counter(rows), "a printed row is not published"
    return [[*row, "yes" if printed[row] else "no"] for row in rows]


PAGE = Page(
    FOLDER,
    (
        Table(
            "distinct_values.csv",
            ("attribute", "A: values", "A: print", "B: values", "B: print"),
            (PLAN,),
            distinct_values,
        ),
        Table(
            "steps.csv",
            (
                "step",
                "classes",
                "classes: print",
                "classes of 2 rows or more",
                "rows in smaller classes",
                "rows in smaller classes: print",
            ),
            ("A", "B"),
            classes,
        ),
        Table("result.csv", (*ATTRIBUTES, "problem", "printed"), (PLAN,), result),
    ),
    (
        Picture(
            "distinct_values.svg",
            "distinct_values.csv",
            "Datafly generalizes the attribute with most values",
            "attribute",
            "distinct values [count]",
            "attribute",
            {"A: values": "step A, as in the source", "B: values": "step B, birth date as year"},
            "bars",
        ),
    ),
)

if __name__ == "__main__":
    pages.remake(PAGE)
