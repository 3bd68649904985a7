"""The pages of `examples/papers`: their figures are those of a run, their pictures show them.

Dealt classes, devices of a class and largest l are counted once more by brute force.
"""

from __future__ import annotations

import csv
import importlib
import importlib.util
import math
import random
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
import yaml

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
def test_tables_of_a_page_are_its_files(name: str) -> None:
    page = PAGES[name]
    assert {file.name for file in page.folder.glob("*.svg")} == {p.file for p in page.pictures}
    assert {*re.findall(r"<!-- (\S+\.csv) -->", text_of(name))} == {t.file for t in page.tables}
    for table in page.tables:
        with (page.folder / table.file).open(encoding="utf-8", newline="") as file:
            columns, *lines = csv.reader(file)
        shown = pages.in_page(text_of(name), table.file, pages.markdown(columns, lines))
        assert shown == text_of(name), f"{name}: run python -m examples.papers.{name}"


@pytest.mark.parametrize("name", NAMES)
def test_the_index_names_every_page(name: str) -> None:
    index = (PAPERS / "README.md").read_text(encoding="utf-8")
    assert len(re.findall(rf"^- \[.*\]\({name}/README.md\): .+$", index, re.MULTILINE)) == 1
    assert f"$ python -m examples.papers.{name}\n" in text_of(name)


@pytest.mark.parametrize("name", NAMES)
def test_plans_are_sound_where_they_are(name: str) -> None:
    plans = sorted((PAPERS / name).glob("*.yml"))
    assert plans
    for file in plans:
        assert f"]({file.name})" in text_of(name), f"{name}/README.md does not name {file.name}"
        path = sqlanon.load_plan(file).source.path
        generated = file.parent.name in {"thesis", "tum"}
        assert path is None or generated or (file.parent / path).is_file()


# --- pictures


def texts(svg: str) -> list[str]:
    """What stands in a picture, in its order; fails unless it is text."""
    root = ElementTree.fromstring(svg)
    assert root.tag.endswith("}svg")
    return [each.text or "" for each in root.iter() if each.tag.endswith("}text")]


@pytest.mark.parametrize(("page", "picture"), PICTURES)
def test_a_picture_tells_what_it_shows(page: Any, picture: Any) -> None:
    svg = (page.folder / picture.file).read_text(encoding="utf-8")
    found = texts(svg)
    for reported in (picture.title, picture.x, picture.y):
        assert reported in found, f"{picture.file} lacks the text {reported}"
    if len(picture.series) > 1:
        assert {*picture.series.values()} <= {*found}
    assert 'fill="white"' in svg.split("<g")[0]  # dark pages do not shine through
    assert re.search(rf"!\[[^\]]+\]\({picture.file}\)", text_of(page.folder.name))
    lines = pages.read_table(page.folder / picture.table)
    for column in (picture.places, *picture.series):
        assert all(column in line for line in lines)
    if picture.by:
        assert {line[picture.by] for line in lines if line[picture.places]} <= {*found}


@pytest.mark.sampled(0.1)
@pytest.mark.skipif(
    any(importlib.util.find_spec(module) is None for module in ("altair", "vl_convert")),
    reason="the extra `report` is not installed",
)
@pytest.mark.parametrize(("page", "picture"), PICTURES)
def test_a_picture_is_drawn_from_its_table(page: Any, picture: Any) -> None:
    lines = pages.read_table(page.folder / picture.table)
    drawn = pages.svg_of(picture, lines)
    assert drawn == pages.svg_of(picture, lines)
    assert texts(drawn) == texts((page.folder / picture.file).read_text(encoding="utf-8"))


# --- figures counted once more


def ordered_distance(counts: Sequence[int], table: Sequence[int]) -> Fraction:
    """Earth mover's distance of ordered values, by definition."""
    size, rows = sum(counts), sum(table)
    apart = total = Fraction(0)
    for count, all_rows in zip(counts, table, strict=True):
        apart += Fraction(count, size) - Fraction(all_rows, rows)
        total += abs(apart)
    return total / (len(table) - 1)


def mean_and_largest(classes: Iterable[Sequence[int]], table: Sequence[int]) -> list[str]:
    distances = [float(ordered_distance(one, table)) for one in classes]
    return [f"{fmean(distances):.3f}", f"{max(distances):.3f}"]


def dealt_classes(counts: Sequence[int], k: int) -> list[list[int]]:
    return [[one[value] for value in range(len(counts))] for one in stack_and_deal(counts, k)]


F = (167, 153, 127, 103, 91, 89)


def test_dealt_classes_of_the_figures() -> None:
    for file, counts in (
        ("figure_3.csv", F), ("figure_4.csv", (570, 178)), ("figure_5.csv", (225, 81))
    ):  # fmt: skip
        lines = figures("stack_and_deal", file)
        assert [int(line["k [rows]"]) for line in lines] == list(range(2, 21))
        for line in lines:
            wanted = mean_and_largest(dealt_classes(counts, int(line["k [rows]"])), counts)
            assert [line["dealt: mean EMD"], line["dealt: largest EMD"]] == wanted


def test_remarks_on_stack_and_deal() -> None:
    first = [int(line["dealt: fewest values in a class"])
             for line in figures("stack_and_deal", "figure_1.csv")]  # fmt: skip
    assert first[:8] == [2, 3, 4, 4, 5, 5, 5, 6]
    with pages.ADULT.open(encoding="utf-8") as file:
        adult = list(csv.DictReader(file, delimiter=";"))
    for attribute in ("education", "occupation"):
        counts = Counter(row[attribute] for row in adult).values()
        for line in figures("stack_and_deal", "figure_2.csv"):
            classes = len(adult) // int(line["k [rows]"])
            in_all = sum(count >= classes for count in counts)
            shown = int(line[f"{attribute}: fewest values in a class"])
            assert shown == min(dealt_diversity(list(counts), classes))
            assert in_all <= shown < len(counts)
    lines = figures("stack_and_deal", "figure_3.csv")
    shares = [float(line["classes by chance that are nearer than any dealt one [%]"])
              for line in lines]  # fmt: skip
    assert round(shares[0]) == 15
    assert max(shares[1:]) < 2
    assert round(float(ordered_distance((0, 0, 0, 0, 0, 1), F)), 3) == 0.582
    for line in lines:
        for which in ("mean", "largest"):
            assert float(line[f"dealt: {which} EMD"]) < float(line[f"by chance: {which} EMD"])
    for file in ("figure_4.csv", "figure_5.csv"):
        for line in figures("stack_and_deal", file):
            for which in ("mean", "largest"):
                own, one, two = (
                    float(line[f"{name}: {which} EMD"]) for name in ("dealt", "Rand1", "Rand2")
                )
                assert own < one <= two


def dealt_diversity(counts: Sequence[int], classes: int) -> Iterable[int]:
    """Values in each class, by dealing places of the stack."""
    found: dict[int, set[int]] = defaultdict(set)
    place = 0
    for value, count in enumerate(sorted(counts, reverse=True)):
        for _ in range(count):
            found[place % classes].add(value)
            place += 1
    return map(len, found.values())


def test_plans_of_rows_and_of_devices_differ_in_the_unit_alone() -> None:
    rows, devices = (
        yaml.safe_load((PAPERS / "tum" / name).read_text(encoding="utf-8"))
        for name in ("rows.yml", "measurements.yml")
    )
    assert devices.pop("unit") == {"column": "device", "count": "devices"}
    assert rows["columns"].pop("device") == "insensitive"
    assert devices["columns"].pop("device") == "identifier"
    assert rows | {"publish": ""} == devices | {"publish": ""}


def test_largest_l_of_adult(tmp_path: Path) -> None:
    with pages.ADULT.open(encoding="utf-8") as file:
        adult = list(csv.DictReader(file, delimiter=";"))
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
    for cell in (
        f"{seven['average class / K: distinct, l = 2']} for l = 2, which is 32 classes",
        f"{seven['average class / K: entropy, l = 1.5']} for l = 1.5",
        f"{seven['average class / K: recursive, c = 7, l = 2']} for c = 7, l = 2",
        f"{seven['GCP: entropy, l = 1.5']} for l = 1.5",
        f"{seven['GCP: recursive, c = 7, l = 2']} for c = 7, l = 2",
    ):
        assert cell in reported
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


def test_algorithm_6_of_the_thesis_by_delta_and_by_k() -> None:
    by_delta: dict[str, list[dict[str, str]]] = defaultdict(list)
    for line in figures("thesis", "by_delta.csv"):
        by_delta[line["method"]].append(line)
    ag = "AG [levels]"
    names = ("Algorithm 6 over K-Mondrian", "K-Mondrian with δ", "Algorithm 6")
    permuted, labels, cut = (by_delta[name] for name in names)
    smallest = figures("thesis", "smallest_k.csv")
    reported = text_of("thesis")
    for over, whole, own, population, draws in zip(
        permuted, labels, cut, by_delta["MPALM"], smallest, strict=True
    ):
        assert over["δ up to"] == draws["δ up to"]
        assert over["smallest k"] == whole["smallest k"] == draws["draw 1"]
        assert over["DM [row pairs]"] == whole["DM [row pairs]"]  # the same regions
        assert int(over[ag]) < int(whole[ag])
        assert int(own[ag]) < min(int(over[ag]), int(population[ag]))
        assert int(own["DM [row pairs]"]) < int(over["DM [row pairs]"])
    for by_method in (permuted, labels, cut):
        levels = [int(line[ag]) for line in by_method]
        assert levels == sorted(levels, reverse=True)
    every_k = [int(line[f"draw {draw}"]) for line in smallest for draw in range(1, 6)]
    assert max(every_k) == 8
    by_k = figures("thesis", "by_k.csv")
    gains = [int(line[f"{ag}: K-Mondrian"]) / int(line[f"{ag}: Algorithm 6"]) for line in by_k]
    assert f"{gains[1]:.1f} times" in reported
    assert f"{gains[-1]:.1f} times" in reported
    assert [line["k"] for line in by_k] == [line["k"] for line in figures("thesis", "seconds.csv")]
