"""The pages of `examples/papers`: their figures are those of a run or of a count by hand."""

from __future__ import annotations

import csv
import importlib
import importlib.util
import math
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from statistics import fmean
from typing import Any
from xml.etree import ElementTree

import pytest

import sqlanon
from tests.oracles.dealing import stack_and_deal
from tests.paths import ROOT

if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))  # a checkout need not be the current folder

PAPERS = ROOT / "examples/papers"
NAMES = sorted(file.parent.name for file in PAPERS.glob("*/__main__.py"))
pages = importlib.import_module("examples.papers.pages")
PAGES = {name: importlib.import_module(f"examples.papers.{name}.__main__").PAGE for name in NAMES}

CASES = [
    pytest.param(name, table, case, id=f"{name}-{table.file}-{case}")
    for name, page in PAGES.items()
    for table in page.tables
    if table.repeatable
    for case in table.cases
]
PICTURES = [
    pytest.param(page, picture, id=f"{name}-{picture.file}")
    for name, page in PAGES.items()
    for picture in page.pictures
]


def figures(name: str, file: str) -> list[dict[str, str]]:
    """The lines of a CSV file of a page."""
    return list(pages.read_table(PAPERS / name / file))


def text_of(name: str) -> str:
    return (PAPERS / name / "README.md").read_text(encoding="utf-8")


def persons_of_adult() -> list[dict[str, str]]:
    with pages.ADULT.open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter=";"))


# --- figures


@pytest.mark.parametrize(("name", "table", "case"), CASES)
@pytest.mark.sampled(0.001, by=("name", lambda case: case["table"].file == "by_pass.csv"))
def test_figures_are_those_of_a_run(name: str, table: Any, case: Any) -> None:
    with (PAPERS / name / table.file).open(encoding="utf-8", newline="") as file:
        columns, *lines = csv.reader(file)
    assert columns == list(table.columns)
    made = [list(line) for line in table.rows(case)]
    assert made
    assert [line for line in lines if line in made] == made


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_its_files(name: str) -> None:
    """Its tables are those of the CSV files; its plans are named and sound."""
    page, text = PAGES[name], text_of(name)
    for table in page.tables:
        with (page.folder / table.file).open(encoding="utf-8", newline="") as file:
            columns, *lines = csv.reader(file)
        shown = pages.in_page(text, table.file, pages.markdown(columns, lines))
        assert shown == text, f"{name}: run python -m examples.papers.{name}"
    plans = sorted((PAPERS / name).glob("*.yml"))
    assert plans
    for plan in plans:
        assert f"]({plan.name})" in text, f"{name}/README.md does not name {plan.name}"
        path = sqlanon.load_plan(plan).source.path
        assert path is None or name in {"thesis", "tum"} or (plan.parent / path).is_file()


@pytest.mark.sampled(0.1)
@pytest.mark.skipif(
    any(importlib.util.find_spec(module) is None for module in ("altair", "vl_convert")),
    reason="the extra `report` is not installed",
)
@pytest.mark.parametrize(("page", "picture"), PICTURES)
def test_a_picture_is_drawn_from_its_table(page: Any, picture: Any) -> None:
    lines = pages.read_table(page.folder / picture.table)
    drawn, there = (
        [each.text or "" for each in ElementTree.fromstring(svg).iter() if "}text" in each.tag]
        for svg in (pages.svg_of(picture, lines), (page.folder / picture.file).read_text("utf-8"))
    )
    assert drawn == there
    assert {picture.title, picture.x, picture.y} <= {*drawn}
    assert re.search(rf"!\[[^\]]+\]\({picture.file}\)", text_of(page.folder.name))


# --- figures counted once more


def ordered_distance(counts: Sequence[int], table: Sequence[int]) -> Fraction:
    """Earth mover's distance of ordered values, by definition."""
    size, rows = sum(counts), sum(table)
    apart = total = Fraction(0)
    for count, all_rows in zip(counts, table, strict=True):
        apart += Fraction(count, size) - Fraction(all_rows, rows)
        total += abs(apart)
    return total / (len(table) - 1)


F = (167, 153, 127, 103, 91, 89)


def test_dealt_classes_of_the_figures() -> None:
    for file, counts in (
        ("figure_3.csv", F), ("figure_4.csv", (570, 178)), ("figure_5.csv", (225, 81))
    ):  # fmt: skip
        lines = figures("stack_and_deal", file)
        assert [int(line["k [rows]"]) for line in lines] == list(range(2, 21))
        for line in lines:
            dealt = stack_and_deal(counts, int(line["k [rows]"]))
            distances = [
                float(ordered_distance([one[value] for value in range(len(counts))], counts))
                for one in dealt
            ]
            assert line["dealt: mean EMD"] == f"{fmean(distances):.3f}"
            assert line["dealt: largest EMD"] == f"{max(distances):.3f}"


def test_remarks_on_stack_and_deal() -> None:
    first = [int(line["dealt: fewest values in a class"])
             for line in figures("stack_and_deal", "figure_1.csv")]  # fmt: skip
    assert first[:8] == [2, 3, 4, 4, 5, 5, 5, 6]
    adult = persons_of_adult()
    for attribute in ("education", "occupation"):
        counts = [*Counter(row[attribute] for row in adult).values()]
        for line in figures("stack_and_deal", "figure_2.csv"):
            classes = len(adult) // int(line["k [rows]"])
            shown = int(line[f"{attribute}: fewest values in a class"])
            assert shown == min(dealt_diversity(counts, classes))
            assert sum(count >= classes for count in counts) <= shown < len(counts)
    lines = figures("stack_and_deal", "figure_3.csv")
    shares = [float(line["classes by chance that are nearer than any dealt one [%]"])
              for line in lines]  # fmt: skip
    assert round(shares[0]) == 15
    assert max(shares[1:]) < 2
    assert round(float(ordered_distance((0, 0, 0, 0, 0, 1), F)), 3) == 0.582
    for file, orders in (
        ("figure_3.csv", ("dealt", "by chance")),
        ("figure_4.csv", ("dealt", "Rand1", "Rand2")),
        ("figure_5.csv", ("dealt", "Rand1", "Rand2")),
    ):
        for line in figures("stack_and_deal", file):
            for which in ("mean", "largest"):
                own, *others = (float(line[f"{name}: {which} EMD"]) for name in orders)
                assert own < min(others)
                assert others == sorted(others)


def dealt_diversity(counts: Sequence[int], classes: int) -> Iterable[int]:
    """Values in each class, by dealing places of the stack."""
    found: dict[int, set[int]] = defaultdict(set)
    place = 0
    for value, count in enumerate(sorted(counts, reverse=True)):
        for _ in range(count):
            found[place % classes].add(value)
            place += 1
    return map(len, found.values())


def test_largest_l_of_adult(tmp_path: Path) -> None:
    adult = persons_of_adult()
    lines = figures("aalborg", "holds_at_most.csv")
    assert len(lines) == 8
    for line in lines:
        name, share, distinct, entropy, recursive = line.values()
        counts = sorted(Counter(row[name] for row in adult).values(), reverse=True)
        bits = -sum(c / len(adult) * math.log2(c / len(adult)) for c in counts)
        assert [share, distinct, entropy, recursive] == [
            f"{100 * counts[0] / len(adult):.1f}", str(len(counts)), f"{2**bits:.3f}",
            f"{counts[0] / sum(counts[1:]):.3f}",
        ]  # fmt: skip
    overrides = [f"source.path={pages.ADULT}", "privacy.0.kind=entropy"]
    with pytest.raises(sqlanon.NoSolutionError) as caught:
        sqlanon.solve(PAPERS / "aalborg/race.yml",
                      sqlanon.Options(overrides=overrides, target=tmp_path))  # fmt: skip
    (shown,) = re.findall(r"^```text\n(.*?)^```$", text_of("aalborg"), re.MULTILINE | re.DOTALL)
    assert " ".join(str(caught.value).split()) == " ".join(shown.split())


def test_remarks_on_aalborg() -> None:
    race = {line["K"]: line for line in figures("aalborg", "race.csv")}
    reported = text_of("aalborg")
    seven = race["7"]
    assert seven["classes: distinct, l = 2"] == "32"
    assert f"{seven['average class / K: distinct, l = 2']} for l = 2, which is 32" in reported
    for measure in ("average class / K", "GCP"):
        for kind in ("entropy, l = 1.5", "recursive, c = 7, l = 2"):
            shown = f"{seven[f'{measure}: {kind}']} for {kind.partition(', ')[2]}"
            assert shown in reported
    assert {line["classes: recursive, c = 7, l = 2"] for line in race.values()} == {"20"}
    assert round(45_222 / 7) == 6460
    assert round(45_222 / 32 / 7, -1) == 200
    assert round((13 - 1 / 7) / 13, 3) == 0.989


# --- the thesis


def test_rows_of_the_thesis_that_are_found() -> None:
    module = importlib.import_module("examples.papers.thesis.make_tables")
    everybody = module.population()
    members = random.Random(1).sample(everybody, 2_000)
    inside, persons = Counter(members), Counter(everybody)
    whole = sum(count for row, count in inside.items() if count == persons[row])
    found: dict[str, dict[str, dict[str, str]]] = defaultdict(dict)
    for line in figures("thesis", "found.csv"):
        found[line["method"]][line["k"]] = line
        certain = int(line["found for certain [rows]"])
        assert line["found for certain [%]"] == f"{certain / 20:.2f}"
        assert float(line["found at most [%]"]) * 20 >= certain
    counts = {
        method: [int(line["found for certain [rows]"]) for line in lines.values()]
        for method, lines in found.items()
    }
    assert counts["bucketization"] == [whole] * 5
    pair = ("slicing, two groups", "slicing, one attribute per column")
    for kept, split in zip(*(counts[name] for name in pair), strict=True):
        assert split < kept < whole  # the finer the parts, the more is hidden
    for name in pair:
        assert counts[name] == sorted(counts[name], reverse=True)
    assert counts["K-Mondrian"][1:] == [0] * 4
    assert counts["Algorithm 6"] == counts["Algorithm 6 over K-Mondrian"] == [0] * 5
    assert counts["MPALM"] == [0]


def test_remarks_on_algorithm_6_of_the_thesis() -> None:
    by_delta: dict[str, list[dict[str, str]]] = defaultdict(list)
    for line in figures("thesis", "by_delta.csv"):
        by_delta[line["method"]].append(line)
    names = ("Algorithm 6", "Algorithm 6 over K-Mondrian", "K-Mondrian with δ")
    by_method = [by_delta[name] for name in names]
    for own, over, whole, draws in zip(
        *by_method, figures("thesis", "smallest_k.csv"), strict=True
    ):
        levels = [int(line["AG [levels]"]) for line in (own, over, whole)]
        assert levels == sorted({*levels})
        assert over["smallest k"] == whole["smallest k"] == draws["draw 1"]
        assert over["DM [row pairs]"] == whole["DM [row pairs]"]  # the same regions
        assert int(own["DM [row pairs]"]) < int(over["DM [row pairs]"])
    ag = "AG [levels]: "
    for line in (figures("thesis", "by_k.csv")[1], figures("thesis", "by_k.csv")[-1]):
        gain = int(line[f"{ag}K-Mondrian"]) / int(line[f"{ag}Algorithm 6"])
        assert f"{gain:.1f} times" in text_of("thesis")
