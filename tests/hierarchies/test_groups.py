"""`groups` against the paper's definition: every division into ranges, tried one by one."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pytest

import sqlanon
from sqlanon import Options
from sqlanon.errors import HierarchyError, PlanError
from sqlanon.hierarchies.groups import MOST_LINES, Groups, Line, optimal_cuts

pytestmark = pytest.mark.usefixtures("folder")

Part = TypeVar("Part")

NUMBERS = (1, 2, 3, 10, 11, 12, 13, 30)
"""Of formulas for microaggregation: with their squares worked out by hand."""


def squares(numbers: Sequence[Fraction | int]) -> Fraction:
    """The sum of squared distances from the mean."""
    mean = Fraction(sum(numbers)) / len(numbers)
    return sum(((number - mean) ** 2 for number in numbers), Fraction(0))


def parts(numbers: Sequence[Part], cuts: Sequence[int]) -> list[Sequence[Part]]:
    return [numbers[a:b] for a, b in itertools.pairwise((0, *cuts, len(numbers)))]


def best_cuts(lines: Sequence[Line], least: int) -> list[int]:
    """Of all cuts that leave enough rows on every side, those with the least squares.

    Of equal ones, those whose last cut is the earliest, then the one before it, and so on.
    """

    def held() -> Iterator[tuple[Fraction, list[int]]]:
        ends = [place for place in range(1, len(lines)) if lines[place].is_end]
        for count in range(len(ends) + 1):
            for cuts in itertools.combinations(ends, count):
                groups = [[line.number for line in part for _ in range(line.rows)]
                          for part in parts(lines, cuts)]  # fmt: skip
                if min(map(len, groups)) >= least:
                    yield sum(map(squares, groups), Fraction(0)), [*reversed(cuts)]

    return min(held(), default=(0, []))[1][::-1]


@pytest.mark.parametrize(
    ("k", "groups", "lost", "share"),
    [
        (2, [(1, 2, 3), (10, 11, 12), (13, 30)], "148.5", 0.244444),
        (3, [(1, 2, 3), (10, 11, 12, 13, 30)], "280.8", 0.462222),
    ],
)
def test_the_worked_numbers(k: int, groups: Any, lost: str, share: float) -> None:
    """Every number is another one, so this is the problem of the paper."""
    cuts = optimal_cuts([Line(number, 1, True) for number in NUMBERS], k)
    found = parts(NUMBERS, cuts)
    assert found == groups
    total = sum(map(squares, found))
    assert total == Fraction(lost)
    assert float(total / squares(NUMBERS)) == pytest.approx(share, abs=5e-7)


@pytest.mark.parametrize("seed", range(300))
def test_no_other_groups_have_less_squares(seed: int) -> None:
    """Also where lines may not begin a group, have many rows, or two divisions are as good."""
    draw = random.Random(seed)
    numbers = sorted(draw.sample(range(-20, 20), draw.randint(1, 10)))
    if seed % 3 == 0:  # at equal distances there are ties
        numbers = [*range(len(numbers))]
    most = draw.choice((1, 1, 4))
    lines = [Line(n, draw.randint(1, most), draw.random() < 0.8) for n in numbers]
    least = draw.randint(1, 5)
    cuts = optimal_cuts(lines, least)
    assert cuts == best_cuts(lines, least), (lines, least)
    rows = [sum(line.rows for line in part) for part in parts(lines, cuts)]
    if most == 1 and all(line.is_end for line in lines) and sum(rows) >= least:
        assert all(least <= size < 2 * least for size in rows)


def test_the_ages_of_adult(adult: Path) -> None:
    """73 ages of 30,162 rows, against a table of all costs of all ranges, in exact numbers."""
    reader = f"read_csv('{adult / 'adult.csv'}', delim = ';', header = true)"
    ages = rows_of(f"select age, count(*) from {reader} group by age order by age")
    lines = [Line(age, rows, True) for age, rows in ages]
    assert (len(lines), sum(line.rows for line in lines)) == (72, 30162)
    for k in (3, 50, 1000):
        least: list[tuple[Fraction, int]] = [(Fraction(0), 0)]
        for end in range(1, len(lines) + 1):
            tried = []
            for begin in range(end):
                members = Counter({line.number: line.rows for line in lines[begin:end]})
                size, total = members.total(), sum(n * c for n, c in members.items())
                lost = sum(n * n * c for n, c in members.items()) - Fraction(total**2, size)
                if size >= k and least[begin][0] >= 0:
                    tried.append((least[begin][0] + lost, begin))
            least.append(min(tried, default=(Fraction(-1), 0)))
        cuts, end = [], least[-1][1]
        while end:
            cuts.append(end)
            end = least[end][1]
        assert optimal_cuts(lines, k) == cuts[::-1]


def rows_of(sql: str) -> list[tuple[Any, ...]]:
    return duckdb.connect().execute(sql).fetchall()


def plan_of(rule: Any, **others: Any) -> dict[str, Any]:
    column = {"role": "quasi-identifier", "hierarchy": {"groups": rule}}
    return {"source": "x.parquet", "columns": {"x": column}, "publish": "open.parquet",
            "privacy": [{"model": "k-anonymity", "k": 2}]} | others  # fmt: skip


def source(values: str) -> None:
    duckdb.connect().execute(f"copy (select unnest([{values}]) as x) to 'x.parquet'")


HALVES = ", ".join(f"{number}.5" for number in NUMBERS)


def test_a_run_publishes_the_groups() -> None:
    """No value is a line here; the points are in the solution, and by it a run is locked."""
    source(HALVES)
    plan = plan_of({"of": 2, "round": 1})
    result = sqlanon.run(plan)
    assert result.manifest["solution"]["node"] == {"x": 1}
    found = rows_of("select x, count(*) from 'open.parquet' group by x order by all")
    assert found == [("< 10", 3), (">= 13", 2), ("[10, 13)", 3)]
    assert '"13"' in Path("open.solution.json").read_text()
    assert sqlanon.run(plan, Options(locked=True)).manifest["locked"]
    assert all(finding.satisfied for finding in sqlanon.verify("open.parquet", plan))
    published = Path("open.parquet")
    bytes_of_run = published.read_bytes()
    published.unlink()
    duckdb.connect().execute((result.target / "sql" / "program.sql").read_text())
    assert rows_of("select count(distinct x) from 'open.parquet'") == [(3,)]
    published.write_bytes(bytes_of_run)
    file = Path("open.solution.json")
    text = file.read_text()
    for edited in ('"13.5"', '"9"', '"secret"'):
        file.write_text(text.replace('"13"', edited))
        with pytest.raises(PlanError, match="does not fit the plan"):
            sqlanon.run(plan, Options(locked=True))
    file.write_text(text)
    source(HALVES.replace("10.5, ", ""))
    with pytest.raises(PlanError, match="labels of the hierarchy of 'x' are others"):
        sqlanon.run(plan, Options(locked=True, overwrite=True))


def test_no_group_begins_at_a_value_that_too_few_have() -> None:
    """5 is the value of two rows, and 7 of one, at which the third group would begin."""
    source("1, 1, 5, 5, 7, 7.5, 7.5")
    sqlanon.run(plan_of({"of": 2, "round": 1}))
    assert rows_of("select distinct x from 'open.parquet' order by x") == [("< 5",), (">= 5",)]


BAD: dict[str, tuple[str, Any, str]] = {
    "fewer than k": ("1.5", {"of": 2, "round": 1}, "would have one group"),
    "fewer than twice k": ("1.5, 2.5, 3.5", {"of": 2, "round": 1}, "would have one group"),
    "one value": ("2, 2, 2, 2", {"of": 2, "round": 1}, "would have one group"),
    "all rare": (", ".join(map(str, NUMBERS)), {"of": 2, "round": 1}, "no value of fewer"),
    "no value": ("null::int, null", {"of": 2, "round": 1}, "would have one group"),
    "text": (f"'secret', {HALVES[:20].rstrip(', ')!r}, '1.5', '2.5', '8.5', '9.5'",
             {"of": 2, "round": 1}, "hierarchy is not valid"),
    "NaN": (f"{HALVES}, 'nan'::double", {"of": 2, "round": 1}, "hierarchy is not valid"),
    "many lines": (f"range({MOST_LINES + 1})::int[]", {"of": 2, "round": 1}, "more than 2,000"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_what_has_no_groups_is_one_error(case: str) -> None:
    values, rule, message = BAD[case]
    source(values)
    if case == "many lines":
        duckdb.connect().execute(f"copy (select unnest({values}) as x) to 'x.parquet'")
    with pytest.raises(HierarchyError, match=message) as error:
        sqlanon.run(plan_of(rule))
    assert "secret" not in str(error.value)
    assert len(error.value.faults) == 1
    assert not Path("open.parquet").exists()


def test_missing_values_are_in_no_group_and_texts_are_read_as_numbers() -> None:
    source(", ".join([*(f"'{value}'" for value in HALVES.split(", ")), "null", "null"]))
    sqlanon.run(plan_of({"of": 2, "round": 1}))
    found = dict(rows_of("select x, count(*) from 'open.parquet' group by x"))
    assert found == {None: 2, "< 10": 3, "[10, 13)": 3, ">= 13": 2}


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (5, "groups"),
        ({"of": 5}, "round"),
        ({"of": 1, "round": 1}, "of"),
        ({"of": 2, "round": 0}, "round"),
        ({"of": 2, "round": 10, "points": [15]}, "multiples of `round`"),
        ({"of": 2, "round": 1, "points": [3, 2]}, "must increase"),
        ({"of": 2, "round": 1, "points": []}, "points"),
    ],
)
def test_keys_that_make_no_groups_are_refused(rule: Any, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        sqlanon.load_plan(plan_of(rule))


def test_other_tables_are_compared_by_known_points() -> None:
    """Who has the plan and a population does not see where groups begin, unless it is stated."""
    source(HALVES)
    duckdb.connect().execute("copy (from 'x.parquet' union all from 'x.parquet') to 'all.parquet'")
    others = {"population": "all.parquet", "privacy": [{"model": "k-map", "k": 2}]}
    plan = plan_of({"of": 2, "round": 1}, **others)
    sqlanon.run(plan)
    with pytest.raises(PlanError, match="Only the source shows where the groups of 'x' begin"):
        sqlanon.verify("open.parquet", plan)
    plan = plan_of({"of": 2, "round": 1, "points": [10, 13]}, **others)
    assert all(
        finding.satisfied for finding in sqlanon.verify("open.parquet", plan, manifest=False)
    )


def test_a_hierarchy_is_made_again_from_its_points() -> None:
    hierarchy = Groups(5, round=Decimal("0.5"))
    assert (hierarchy.level_count, hierarchy.points) == (None, ())
    known = hierarchy.with_points(["1.5", "20.0"])
    assert (known.level_count, known.points) == (3, ("1.5", "20.0"))
    assert hierarchy.with_points([]) is hierarchy
