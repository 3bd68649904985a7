"""`groups` against the paper's definition: every division into ranges, tried one by one."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pytest

import sqlanon
from sqlanon import Options
from sqlanon.errors import HierarchyError, PlanError
from sqlanon.hierarchies.groups import MOST_LINES, Line, optimal_cuts

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
    ends = [place for place in range(1, len(lines)) if lines[place].is_end]
    held = []
    for cuts in itertools.chain.from_iterable(
        itertools.combinations(ends, count) for count in range(len(ends) + 1)
    ):
        groups = [[line.number for line in part for _ in range(line.rows)]
                  for part in parts(lines, cuts)]  # fmt: skip
        if min(map(len, groups)) >= least:
            held.append((sum(map(squares, groups), Fraction(0)), [*reversed(cuts)]))
    return min(held, default=(Fraction(0), []))[1][::-1]


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
    found = rows_of("select x, count(*) from 'open.parquet' group by x order by all")
    assert found == [("< 10", 3), (">= 13", 2), ("[10, 13)", 3)]
    assert sqlanon.run(plan, Options(locked=True)).manifest["locked"]
    assert all(finding.satisfied for finding in sqlanon.verify("open.parquet", plan))
    Path("open.parquet").rename("published.parquet")
    duckdb.connect().execute((result.target / "sql" / "program.sql").read_text())
    assert rows_of("select count(distinct x) from 'open.parquet'") == [(3,)]
    Path("published.parquet").rename("open.parquet")
    file = Path("open.solution.json")
    text = file.read_text()
    assert '"13"' in text
    for edited in ('"13.5"', '"9"', '"secret"'):
        file.write_text(text.replace('"13"', edited))
        with pytest.raises(PlanError, match="does not fit the plan"):
            sqlanon.run(plan, Options(locked=True))
    file.write_text(text)
    source(HALVES.replace("10.5, ", ""))
    with pytest.raises(PlanError, match="labels of the hierarchy of 'x' are others"):
        sqlanon.run(plan, Options(locked=True, overwrite=True))
    # texts are read as numbers, and missing values are in no group
    source(", ".join([*(f"'{value}'" for value in HALVES.split(", ")), "null", "null"]))
    sqlanon.run(plan)
    found = rows_of("select x, count(*) from 'open.parquet' group by x")
    assert dict(found) == {None: 2, "< 10": 3, "[10, 13)": 3, ">= 13": 2}


def test_no_group_begins_at_a_value_that_too_few_have() -> None:
    """5 is the value of two rows, and 7 of one, at which the third group would begin."""
    source("1, 1, 5, 5, 7, 7.5, 7.5")
    sqlanon.run(plan_of({"of": 2, "round": 1}))
    assert rows_of("select distinct x from 'open.parquet' order by x") == [("< 5",), (">= 5",)]


BAD: dict[str, tuple[str, str]] = {
    "fewer than twice k": ("1.5, 2.5, 3.5", "would have one group"),
    "one value": ("2, 2, 2, 2", "would have one group"),
    "all rare": (", ".join(map(str, NUMBERS)), "no value of fewer"),
    "no value": ("null::int, null", "would have one group"),
    "text": ("'secret', '1.5', '2.5', '8.5', '9.5'", "hierarchy is not valid"),
    "NaN": (f"{HALVES}, 'nan'::double", "hierarchy is not valid"),
    "many lines": (", ".join(map(str, range(MOST_LINES + 1))), "more than 2,000"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_has_no_groups_is_one_error(case: str) -> None:
    values, message = BAD[case]
    source(values)
    with pytest.raises(HierarchyError, match=message) as error:
        sqlanon.run(plan_of({"of": 2, "round": 1}))
    assert "secret" not in str(error.value)
    assert len(error.value.faults) == 1
    assert not Path("open.parquet").exists()


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (5, "groups"),
        ({"of": 5}, "round"),
        ({"of": 1, "round": 1}, "of"),
        ({"of": 2, "round": 0}, "round"),
        ({"of": 2, "round": 10, "points": [15]}, "multiples of `round`"),
        ({"of": 2, "round": 1, "points": [3, 2]}, "must increase"),
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
    (finding,) = sqlanon.verify("open.parquet", plan, manifest=False)
    assert finding.satisfied
