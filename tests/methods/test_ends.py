"""Where ranges end: never at a value that fewer than k persons have, unless the plan wants it.

Labels are read here in plain Python, from docs/partitioning.md alone.
"""

from __future__ import annotations

import csv
import importlib
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import ROUND_FLOOR, Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon import PlanError, PrivacyViolation
from sqlanon.hierarchies.grid import grid_of
from sqlanon.sql.step import Step
from tests.oracles import sets
from tests.paths import ROOT
from tests.plan.plans import plan_of
from tests.support.tables import write_records

Value = str | None
PlanMapping = dict[str, Any]

pytestmark = pytest.mark.usefixtures("folder")

EXACT = {"name": "mondrian", "ends": "exact"}
MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}


# --- labels, read again


def ends(label: str) -> tuple[str, str, str]:
    """What a label begins with, ends with, and which brackets it has."""
    text = label.removesuffix(" or NULL")
    if text[0] not in "[(":
        return text, text, "[]"
    opening, closing = text[1:-1].split(", ")
    return opening, closing, text[0] + text[-1]


def months(text: str) -> int:
    """The months up to the beginning of a year or a month, or of the month of a day."""
    year, month, *_ = (*map(int, text.split("-")), 1)
    return year * 12 + month - 1


def covers(label: Value, value: Value, kind: str, grid: str | None) -> bool:
    """Whether a label says so of a value."""
    if label is None or value is None:
        return value is None and (label is None or label.endswith(" or NULL"))
    opening, closing, brackets = ends(label)
    if (opening, closing) == ("*", "*"):
        return True
    if grid and kind == "date":
        return months(opening) <= months(value) < months(closing)
    order: Callable[[str], Any] = Decimal if kind == "numeric" else str
    low, high = (None if end == "*" else order(end) for end in (opening, closing))
    one = order(value)
    above = low is None or (low <= one if brackets[0] == "[" else low < one)
    return above and (high is None or (one <= high if brackets[1] == "]" else one < high))


def is_line(end: str, kind: str, grid: str) -> bool:
    """Whether an end is a line of a grid."""
    if kind == "date":
        return bool(re.fullmatch(r"\d{4}(-\d\d)?", end)) and months(end) % MONTHS[grid] == 0
    width, _, start = grid.partition(" from ")
    return (Decimal(end) - Decimal(start or 0)) % Decimal(width) == 0


def check_ends(
    rows: Sequence[Mapping[str, Value]],
    labels: Sequence[Mapping[str, Value]],
    solution: Mapping[str, Any],
    least: int,
    unit: str | None = None,
) -> int:
    """Check every label of rows in the order of the source; how many ends were checked."""
    checked = 0
    for name, kind in solution["kinds"].items():
        if kind == "categorical":
            continue
        grid = solution["grids"].get(name)
        persons: dict[Value, set[Any]] = defaultdict(set)
        for number, row in enumerate(rows):
            persons[row[name]].add(row[unit] if unit else number)
        if kind == "nominal":
            for row, label in zip(rows, labels, strict=True):
                names, is_null = sets.read(label[name])
                checked += len(names or [])
                assert all(len(persons[value]) >= least for value in names or []), label[name]
                assert is_null if row[name] is None else names is None or row[name] in names
            continue
        for row, label in zip(rows, labels, strict=True):
            assert covers(label[name], row[name], kind, grid), (name, row[name], label[name])
        for text in {label[name] for label in labels} - {None}:
            for end in ends(str(text))[:2]:
                checked += 1
                if grid:
                    assert is_line(end, kind, grid), (name, end, grid)
                else:
                    assert end == "*" or len(persons[end]) >= least, (name, end)
    return checked


def solution(name: str = "published") -> dict[str, Any]:
    return dict(json.loads(Path(f"{name}.solution.json").read_text(encoding="utf-8")))


def published(file: str = "published.parquet") -> list[dict[str, Any]]:
    """The published rows, in their order."""
    relation = duckdb.connect().read_parquet(file)
    return [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]


def plan(columns: Mapping[str, Any], k: int = 5, **keys: Any) -> PlanMapping:
    """A plan over rows.csv, whose publication has the order of the source."""
    quasi = {name: {"role": "quasi-identifier"} | kinds for name, kinds in columns.items()}
    columns = quasi | keys.pop("others", {})
    made = plan_of(columns, "rows.csv", privacy=[{"model": "k-anonymity", "k": k}])
    return made | {"method": "mondrian", "publish": "published.parquet", "order": "source"} | keys


def run(
    rows: Sequence[Mapping[str, Value]], columns: Mapping[str, Any], k: int = 5, **keys: Any
) -> tuple[sqlanon.RunResult, list[dict[str, Any]]]:
    """What a plan that is a file, so that its solution is one, too, publishes of these rows."""
    write_records(rows)
    Path("published.yml").write_text(json.dumps(plan(columns, k, **keys)), encoding="utf-8")
    return sqlanon.run("published.yml"), published()


def test_hospital() -> None:
    """The plan that `init` proposes: with exact ends, all printed birth dates are those of fewer
    than five persons."""
    source = ROOT / "examples/hospital/visits.csv"
    Path("visits.csv").write_bytes(source.read_bytes())
    sqlanon.init("visits.csv", "visits.yml")
    numbered = {"columns.visit_id": "insensitive"}  # which row of the source a published one is
    sqlanon.run("visits.yml", overrides=numbered)
    with source.open(encoding="utf-8", newline="") as lines:
        rows = [
            {name: value or None for name, value in row.items()}
            for row in csv.DictReader(lines, delimiter=";")
        ]
    found = solution("visits")
    assert found["grids"] == {
        "birth_date": "month", "admitted": "month", "discharged": "month", "nights": "2",
        "weight": "5", "charge": "5", "paid": "10",
    }  # fmt: skip
    labels = sorted(published("visits_anonymous.parquet"), key=lambda label: str(label["visit_id"]))
    rows.sort(key=lambda row: str(row["visit_id"]))
    assert [label["visit_id"] for label in labels] == [row["visit_id"] for row in rows]
    assert check_ends(rows, labels, found, 5, unit="patient_id") > 1_000
    persons: dict[Value, set[Value]] = defaultdict(set)
    for row in rows:
        persons[row["birth_date"]].add(row["patient_id"])

    def printed() -> set[str]:
        found = published("visits_anonymous.parquet")
        return {end for label in found for end in ends(str(label["birth_date"]))[:2]}

    assert not printed() & set(persons)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("sqlanon.commands.session._LOG.warning", lambda *_: None)
        exact = sqlanon.run("visits.yml", overrides={"method.ends": "exact"})
    (warning,) = (w for w in exact.plan.warnings if w.name == "exact-ends.birth_date")
    assert all(len(persons[end]) in range(1, 5) for end in printed())
    count = len(printed())
    assert count > 400
    shown = f"{count} values of 'birth_date' are ends of published ranges, and {count} of them"
    assert shown in warning.text


def test_a_missing_value_is_no_end() -> None:
    """One range for all: it ends at 1 and 2, which two rows have each."""
    rows = [{"n": value} for value in (None, "1", "1", "2", "2")]
    result, labels = run(rows, {"n": {"type": "numeric"}}, 3, method=EXACT)
    assert {label["n"] for label in labels} == {"[1, 2] or NULL"}
    (warning,) = result.plan.warnings
    assert "2 values of 'n' are ends of published ranges, and 2 of them" in warning.text


def payroll(count: int = 1_200) -> list[dict[str, Value]]:
    """Salaries to the cent, nearly all of them different, and ages."""
    draw = random.Random(25)
    return [
        {
            "salary": f"{draw.lognormvariate(10.8, 0.4):.2f}",
            "age": str(min(max(round(draw.gauss(42, 12)), 18), 67)),
            "place": draw.choice("ABCDEFGH") if n % 50 else f"hamlet {n}",
        }
        for n in range(count)
    ]


SALARY = {"salary": {"type": "numeric"}, "age": {"type": "numeric"}, "place": {"type": "ordinal"}}


@pytest.mark.parametrize(
    "method",
    [
        {"name": "mondrian", "labels": "region", "execution": "rounds"},
        {"name": "mondrian", "partitioning": "relaxed"},
        {"name": "dimension-splitting"},
        {"name": "k-mondrian", "bounds": True},
    ],
    ids=lambda method: "-".join(map(str, method.values())),
)
def test_payroll(method: PlanMapping) -> None:
    """No salary is printed, neither the highest nor the lowest; a place only if five have it."""
    rows, is_relaxed = payroll(), "partitioning" in method
    _, labels = run(rows, SALARY, method=method, order="sorted" if is_relaxed else "source")
    assert is_relaxed or check_ends(rows, labels, solution(), 5) > 20
    printed = {Decimal(end) for label in labels for end in ends(str(label["salary"]))[:2]}
    assert not printed & {Decimal(row["salary"] or 0) for row in rows}
    assert not any("hamlet" in str(label["place"]) for label in labels)
    for label in labels if "bounds" in method else ():
        opening, closing, _ = ends(str(label["salary"]))
        assert (label["salary_lo"], label["salary_hi"]) == (float(opening), float(closing))


def test_the_grid_of_a_hierarchy_and_of_the_plan() -> None:
    """The finest interval is the grid, if its lines are not the values; `grid` says otherwise."""
    rows = payroll()
    columns: dict[str, Any] = {
        "salary": {"hierarchy": {"intervals": [5000, 20000]}},
        "age": {"hierarchy": {"intervals": [1, 10]}},
        "place": {"type": "ordinal"},
    }
    coarse, _ = run(rows, columns, 30)
    assert solution()["grids"] == {"salary": "5000", "age": "10"}
    columns["salary"]["grid"] = 1000
    fine, _ = run(rows, columns, 30)
    assert solution()["grids"] == {"salary": "1000", "age": "10"}
    exact, _ = run(rows, columns, 30, method=EXACT)
    losses = [result.manifest["utility"]["ncp"] for result in (exact, fine, coarse)]
    assert losses == sorted(set(losses))


@pytest.mark.parametrize(("column", "words"), [
    ({"type": "numeric", "grid": "month"}, "has no grid"),
    ({"type": "date", "grid": 5}, "has no grid"),
    ({"type": "ordinal", "grid": 5}, "has no grid"),
    ({"type": "categorical", "grid": "year"}, "has no grid"),
    ({"grid": "year"}, "'n' is cut as numeric, which has no grid 'year'"),
    ({"type": "numeric", "grid": 1}, "48 of 48 values .* are lines of the grid '1'"),
])  # fmt: skip
def test_a_grid_that_is_none(column: PlanMapping, words: str) -> None:
    write_records([{"n": str(n)} for n in range(48)])
    with pytest.raises(PlanError, match=words) as refused:
        sqlanon.run(plan({"n": column}, k=4))
    assert refused.value.where == "columns.n.grid"
    with pytest.raises(ValueError, match="is no grid"):  # in a solution that was edited
        grid_of("nan")


def test_days_that_begin_months_are_lines_of_months() -> None:
    rows = [{"day": f"20{20 + n // 12}-{n % 12 + 1:02}-01"} for n in range(48)]
    with pytest.raises(PlanError, match="48 of 48 values"):
        run(rows, {"day": {"type": "date", "grid": "month"}}, 4)
    run(rows, {"day": {"type": "date", "grid": "year"}}, 4)  # four of them are lines
    assert solution()["grids"] == {"day": "year"}


def test_values_that_enough_have_stay_ends() -> None:
    """Ten ages of ten persons each: nothing is rounded, and every range ends at an age. Nine cuts
    divide them, the first in the middle, and each makes two regions."""
    rows: list[dict[str, Value]] = [{"age": str(20 + n % 10)} for n in range(100)]
    method = {"name": "mondrian", "labels": "region"}
    result, labels = run(rows, {"age": {"type": "numeric"}}, 10, method=method)
    assert solution()["grids"] == {}
    assert {label["age"] for label in labels} == {str(age) for age in range(20, 30)}
    with (result.target / "partition_tree.csv").open(encoding="utf-8") as lines:
        ranges = [(row["lowest"], row["highest"]) for row in csv.DictReader(lines)]
    assert (ranges[:3], len(ranges)) == ([("", ""), ("20", "24"), ("25", "29")], 1 + 2 * 9)


def test_persons_decide_and_not_rows() -> None:
    """One person has six rows with an age; of rows it would be frequent enough."""
    rows: list[dict[str, Value]] = [{"age": "90", "who": "x", "row": f"x{n}"} for n in range(6)]
    rows += [{"age": str(20 + n % 4), "who": f"p{n}", "row": f"y{n:02}"} for n in range(40)]
    others = {"who": "identifier", "row": "insensitive"}
    columns = {"age": {"type": "numeric"}}
    run(rows, columns, others=others)
    assert solution()["grids"] == {}
    _, labels = run(rows, columns, others=others, unit="who", order="sorted")
    assert solution()["grids"] != {}
    labels.sort(key=lambda label: str(label["row"]))
    assert [label["row"] for label in labels] == [row["row"] for row in rows]
    assert check_ends(rows, labels, solution(), 5, unit="who")


def test_a_person_with_several_combinations_counts_once() -> None:
    """Two persons have each value, in two rows of other wards: four combinations, k = 3."""
    rows: list[dict[str, Value]] = [
        {"n": str(n // 2), "who": f"p{n}", "ward": ward} for n in range(24) for ward in "xy"
    ]
    columns: dict[str, Any] = {"n": {"type": "ordinal"}, "ward": {}}
    others = {"who": "identifier"}
    _, labels = run(rows, columns, 3, others=others, unit="who", order="sorted")
    assert {label["n"] for label in labels} == {"*"}


NAMES = ("number", "day", "text")
KINDS = {"number": "numeric", "day": "date", "text": "ordinal"}
COLUMNS = {name: {"type": kind} for name, kind in KINDS.items()}


def random_rows(draw: random.Random) -> list[dict[str, Value]]:
    """A small table; some values are frequent, some are rare, some are missing."""
    scale = draw.choice([1, 7, 100])
    span = draw.choice([40, 4_000])
    made = [
        {
            "number": str(round(draw.gauss(0, scale), draw.choice([0, 1, 2]))),
            "day": str(date(1999, 12, 1) + timedelta(days=draw.randrange(span))),
            "text": draw.choice(["b", "c d", "c", "f", "x y", *(f"e{n}" for n in range(9))]),
        }
        for _ in range(draw.randrange(20, 90))
    ]
    frequent = draw.choice(made)
    return [
        {
            name: None if draw.random() < 0.05 else
            frequent[name] if draw.random() < 0.3 else value
            for name, value in row.items()
        }
        for row in made
    ]  # fmt: skip


def cell(value: Value, kind: str, grid: str | None, enough: set[Value]) -> Value:
    """What the value is rounded down to: a text that is cut as the value is."""
    if value is None:
        return None
    if kind == "ordinal":
        below = sum(other is not None and other <= value for other in enough)
        return f"{2 * below - (value in enough):05}"
    if grid is None:
        return value
    if kind == "date":
        line = months(value) // MONTHS[grid] * MONTHS[grid]
        return f"{line // 12:04}-{line % 12 + 1:02}-01"
    steps = (Decimal(value) / Decimal(grid)).to_integral_value(ROUND_FLOOR)
    return f"{steps * Decimal(grid):.2f}".replace("-0.00", "0.00")


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize("seed", range(12))
def test_cuts_are_those_of_rounded_values(seed: int) -> None:
    """On random tables: what the page says of labels, and the classes of a table in which every
    value is rounded down before, and cut with exact ends."""
    draw = random.Random(seed)
    rows = random_rows(draw)
    k = draw.choice([2, 3, 6])
    method = {"name": "mondrian", "labels": draw.choice(["tight", "region"])}
    _, labels = run(rows, COLUMNS, k, method=method)
    found = solution()
    assert check_ends(rows, labels, found, k)
    rounded = []
    for row in rows:
        new = {}
        for name in NAMES:
            counts = Counter(other[name] for other in rows)
            enough: set[Value] = {v for v, count in counts.items() if v and count >= k}
            new[name] = cell(row[name], KINDS[name], found["grids"].get(name), enough)
        rounded.append(new)
    _, exact = run(rounded, COLUMNS, k, method=method | EXACT)

    def classes(of: Sequence[Mapping[str, Value]]) -> set[frozenset[int]]:
        members: dict[tuple[Value, ...], set[int]] = defaultdict(set)
        for number, row in enumerate(of):
            members[tuple(row[name] for name in NAMES)].add(number)
        return {frozenset(numbers) for numbers in members.values()}

    assert classes(labels) == classes(exact)


@pytest.mark.parametrize("seed", range(2))
def test_other_values_of_a_cell_publish_the_same(seed: int) -> None:
    """Whoever reads the labels cannot tell a value from another one of its cell."""
    draw = random.Random(seed)
    rows = [
        {"number": str(draw.randrange(100_000)), "day": str(date(1990, 1, draw.randrange(1, 29)))}
        for _ in range(60)
    ]
    columns = {"number": {"type": "numeric", "grid": 500}, "day": {"type": "date", "grid": "year"}}
    others = [
        {
            "number": str(int(row["number"]) // 500 * 500 + draw.randrange(1, 500)),
            "day": str(date(1990, draw.randrange(1, 13), 7)),
        }
        for row in rows
    ]
    assert run(rows, columns)[1] == run(others, columns)[1]


@pytest.mark.sampled(0.1, by="method")
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("method", ["mondrian", "mpalm", "dimension-splitting"])
def test_persons_of_a_population_are_located(method: str, seed: int) -> None:
    """`verify` counts the persons of the population by the labels alone: k-map is the smallest
    number of them whom a class covers, and nobody is in two classes."""
    draw = random.Random(seed)
    everybody = random_rows(draw) + random_rows(draw)
    write_records(everybody, "everybody.csv")
    privacy = [{"model": "k-map", "k": 4}]
    keys: PlanMapping = {"population": "everybody.csv", "privacy": privacy, "method": method}
    result, labels = run(everybody[::2], COLUMNS, **keys)
    found = solution()
    combinations = {tuple(label[name] for name in NAMES) for label in labels}
    counts: Counter[tuple[Value, ...]] = Counter()
    for number, person in enumerate(everybody):
        own = [
            combination
            for combination in combinations
            if all(
                covers(label, person[name], KINDS[name], found["grids"].get(name))
                for name, label in zip(NAMES, combination, strict=True)
            )
        ]
        assert len(own) == 1 or (not own and number % 2)
        counts.update(own)
    least = min(counts[combination] for combination in combinations)
    assert result.manifest["privacy"][0]["measured"] == least
    assert sqlanon.verify("published.parquet", "published.yml")[0].measured == least


def test_attacks_read_ranges_that_end_on_lines() -> None:
    """Every range has five persons, all of them published; twenty others are in no range."""
    rows = [{"a": str(n), "s": "x" if n % 2 else "y"} for n in range(40)]
    keys: PlanMapping = {"others": {"s": "sensitive"}, "order": "sorted"}
    bounds = {"name": "mondrian", "bounds": True}
    _, labels = run(rows, {"a": {"type": "numeric"}}, 4, method=bounds, **keys)
    assert {label["a"] for label in labels} == {f"[{n}, {n + 5})" for n in range(0, 40, 5)}
    write_records([{"a": str(n)} for n in range(60)], "everybody.csv")
    membership, *linkage = sqlanon.attack(
        "published.parquet", "published.yml", population="everybody.csv",
        attacks=["membership", "linkage"], with_values=True,
    )  # fmt: skip
    assert {*membership.riskiest[0]} >= {"a", "a_lo", "a_hi"}
    assert membership.measured is not None
    assert (membership.measured["persons_in"], membership.measured["persons_out"]) == (40, 20)
    assert [(one.variant, one.certainty) for one in linkage[:2]] == [
        ("prosecutor", 0.2), ("journalist", 0.2),
    ]  # fmt: skip


def mislabel(monkeypatch: pytest.MonkeyPatch, column: str, label: str) -> None:
    """A fault in the labels: all of a column are this one."""
    module: Any = importlib.import_module("sqlanon.families.labels")
    honest = module.templated

    def broken(template: str, **inputs: Any) -> Step:
        step: Step = honest(template, **inputs)
        if template == "partition/class_labels":
            cell = f"\n    labeled_classes.{column}"
            assert cell in step.sql
            step = replace(step, sql=step.sql.replace(cell, f"\n    '{label}' as {column}"))
        return step

    monkeypatch.setattr(module, "templated", broken)


@pytest.mark.sampled(0.34, by="label")
@pytest.mark.parametrize(
    ("column", "label"),
    [("salary", "[20000.5, 40000)"), ("salary", "[20000, 40000]"), ("salary", "20000"),
     ("place", "[A, hamlet 50]"), ("place", "hamlet 50"), ("place", "(hamlet 50, *] or NULL")],
)  # fmt: skip
def test_other_ends_stop_the_run(column: str, label: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault in the labels is found on the staged rows, and nothing is published."""
    mislabel(monkeypatch, column, label)
    columns = SALARY | {"salary": {"type": "numeric", "grid": 1000}}
    with pytest.raises(PrivacyViolation, match="end at values that fewer than k"):
        run(payroll(), columns)
    assert not Path("published.parquet").exists()
