"""What the pages have in common: figures as CSV, the same figures in the page, and pictures.

A page is a folder with plans, `README.md`, and a `__main__.py` that has `PAGE`. `remake(PAGE)` runs
its experiments, writes their figures (CSV) and pictures (SVG) beside the page, and writes the
figures into the page, below the comment with the name of their file.
"""

from __future__ import annotations

import contextlib
import csv
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import sqlanon

ROOT = Path(__file__).parents[2]
ADULT = ROOT / "tests/data/adult/adult.csv"

Cells = Sequence[str]


@dataclass(frozen=True)
class Table:
    """Figures of an experiment.

    Attributes:
        file: name of the CSV file.
        columns: its columns, with units.
        cases: what the experiment is repeated for, such as values of k.
        rows: runs one case and returns its lines of the table.
        repeatable: whether every run makes the same figures; seconds are those of one run.
    """

    file: str
    columns: tuple[str, ...]
    cases: tuple[Any, ...]
    rows: Callable[[Any], list[Cells]] = field(repr=False)
    repeatable: bool = True


@dataclass(frozen=True)
class Picture:
    """A chart of the lines of a table.

    Attributes:
        file: name of the SVG file.
        table: name of the CSV file.
        title: says what is shown, in a line.
        x, y: titles of the axes, with units.
        places: the column on the horizontal axis.
        series: the columns on the vertical axis, and what the legend calls them.
        kind: lines over numbers, or bars over texts.
        logarithmic: which axes of lines are.
        by: a column whose values name the series; `series` has one column then.
        upper: a column with the upper end of what lies at a line or above it; "" if nothing does.
    """

    file: str
    table: str
    title: str
    x: str
    y: str
    places: str
    series: Mapping[str, str]
    kind: Literal["lines", "bars"] = "lines"
    logarithmic: Literal["", "x", "y", "xy"] = ""
    by: str = ""
    upper: str = ""


@dataclass(frozen=True)
class Page:
    """A folder, its tables and its pictures."""

    folder: Path
    tables: tuple[Table, ...]
    pictures: tuple[Picture, ...]


def decimal(number: float, digits: int = 3) -> str:
    """The number with so many digits after the point."""
    return f"{number:.{digits}f}"


@contextlib.contextmanager
def workplace(page: Path) -> Iterator[Path]:
    """A temporary folder with the plans and small tables of a page, so that runs leave no files."""
    with tempfile.TemporaryDirectory() as temporary:
        for file in [*page.glob("*.yml"), *page.glob("*.csv")]:
            shutil.copy(file, temporary)
        yield Path(temporary)


def overridden(keys: Mapping[str, Any]) -> sqlanon.Options:
    """Options that replace keys of a plan, such as {"privacy.0.k": 5}."""
    return sqlanon.Options(overrides=[f"{key}={value}" for key, value in keys.items()])


def read_table(file: Path) -> list[dict[str, str]]:
    """The lines of a CSV file, by column."""
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def markdown(columns: Cells, rows: Sequence[Cells]) -> str:
    """The table as a page shows it."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def in_page(text: str, file: str, table: str) -> str:
    """The text of a page, with the table below the comment that names its file."""
    comment = f"<!-- {file} -->\n"
    before, found, after = text.partition(comment)
    assert found, f"the page must have a line {comment}"
    rest = re.sub(r"\A\n*(\|.*\n)*\n*", "", after)
    return f"{before}{comment}\n{table}\n{rest}".rstrip("\n") + "\n"


def svg_of(picture: Picture, rows: Sequence[Mapping[str, str]]) -> str:
    """The picture of the lines of its table."""
    from examples.papers import charts  # here, so that tables need no library of charts

    points = charts.points(rows, picture.places, picture.series, by=picture.by, upper=picture.upper)
    titles = {"title": picture.title, "x": picture.x, "y": picture.y}
    if picture.kind == "bars":
        return charts.svg(charts.bar_chart(points, **titles))
    return charts.svg(charts.line_chart(points, **titles, logarithmic=picture.logarithmic))


def remake(page: Page) -> None:
    """Run the experiments of a page; write its tables and pictures."""
    readme = page.folder / "README.md"
    for table in page.tables:
        started = time.monotonic()
        rows = [line for case in table.cases for line in table.rows(case)]
        with (page.folder / table.file).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([table.columns, *rows])
        text = readme.read_text(encoding="utf-8")
        shown = in_page(text, table.file, markdown(table.columns, rows))
        readme.write_text(shown, encoding="utf-8", newline="\n")
        print(f"{table.file}: {time.monotonic() - started:.1f} s", file=sys.stderr)
    for picture in page.pictures:
        drawn = svg_of(picture, read_table(page.folder / picture.table))
        (page.folder / picture.file).write_text(drawn, encoding="utf-8", newline="\n")
        print(picture.file, file=sys.stderr)
