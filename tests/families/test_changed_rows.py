"""`publish` of a column: one value a class, coded ends and rounding, against their definitions."""

from __future__ import annotations

import datetime
import random
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon.families import release_by_place
from tests.oracles import changed_rows as oracle

Rows = list[tuple[Any, ...]]

COLUMNS = {"person": "INTEGER", "age": "INTEGER", "sex": "VARCHAR", "cost": "DECIMAL(9, 3)",
           "stay": "DOUBLE", "born": "DATE", "code": "VARCHAR"}  # fmt: skip
AGGREGATES = ("mean", "median", "mode", "sum")
NUMBERS = ({"aggregate": "mean", "decimals": 1}, {"aggregate": "median", "decimals": 0},
           {"aggregate": "sum", "decimals": 2}, {"aggregate": "mode"},
           {"top": 90, "bottom": 18, "decimals": 2}, {"top": "auto", "decimals": 1},
           {"bottom": "auto", "top": "auto", "round": 5, "decimals": 0},
           {"round": 0.5, "top": 50, "decimals": 1}, {"round": 7, "decimals": 3})  # fmt: skip
DAYS = ({"aggregate": "median"}, {"aggregate": "mode"}, {"round": "month"}, {"round": "quarter"},
        {"round": "year", "top": "2000-01-01", "bottom": "1950-01-01"},
        {"top": "auto", "bottom": "auto"}, {"bottom": "1960-07-03"})  # fmt: skip


def table(draw: random.Random) -> list[dict[str, Any]]:
    """A few rows with missing values, ties, and values that are halfway between two others."""
    rows = []
    for _ in range(draw.randint(40, 90)):
        cost = Decimal(draw.choice((-2125, -125, 5, 125, 1000, 12345, 99995))) / 1000
        rows.append(
            {
                "person": draw.randint(1, 25),
                "age": draw.choice((None, *range(18, 40))),
                "sex": draw.choice("fm"),
                "cost": draw.choice((None, cost, cost, Decimal(draw.randint(0, 100000)) / 1000)),
                "stay": draw.choice((None, 0.5, 2.5, -2.5, 7.0, 0.1, draw.randint(0, 99) / 4)),
                "born": draw.choice(
                    (None, datetime.date(1930 + draw.randint(0, 80), draw.randint(1, 12), 17))
                ),
                "code": draw.choice((None, "a", "b", "b", "c")),
            }
        )
    return rows


def write(rows: list[dict[str, Any]], file: str) -> None:
    """The rows as a Parquet file with the types of the columns."""
    connection = duckdb.connect()
    names = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    connection.execute(f"create table people ({names})")
    marks = ", ".join("?" for _ in COLUMNS)
    connection.executemany(f"insert into people values ({marks})", [[*r.values()] for r in rows])
    connection.execute(f"copy people to '{file}'")


def rows_of(sql: str) -> Rows:
    connection = duckdb.connect()
    return connection.execute(sql).fetchall()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def by_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Release as many rows are."""
    monkeypatch.setattr(release_by_place, "_MANY_ROWS", 1)
    monkeypatch.setattr(release_by_place, "ROWS_EACH", 0)


@pytest.mark.parametrize("counted", ["rows", "many rows", "persons"])
@pytest.mark.parametrize("seed", range(12))
def test_published_rows_are_those_of_the_definition(
    seed: int, counted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every row, also of `release.sql`, which is one query; `verify` sees them hold."""
    if counted == "many rows":
        by_place(monkeypatch)
    draw = random.Random(f"{seed} {counted}")
    rows = table(draw)
    write(rows, "people.parquet")
    k = draw.randint(2, 4)
    changes: dict[str, Any] = {
        "cost": draw.choice(NUMBERS),
        "stay": draw.choice(NUMBERS),
        "born": draw.choice(DAYS),
        "code": draw.choice(({"aggregate": "mode"}, None)),
    }
    age = draw.choice(({"aggregate": draw.choice(AGGREGATES), "decimals": 2}, None))
    if age and age["aggregate"] == "mode":
        age = {"aggregate": "mode"}
    changes = {n: c for n, c in {"age": age, **changes}.items() if c is not None}
    columns: dict[str, Any] = {name: {"role": "insensitive"} for name in COLUMNS}
    columns["person"] = {"role": "identifier"}
    columns["age"] = {"role": "quasi-identifier"}
    columns["sex"] = {"role": "quasi-identifier"}
    if age:
        columns["age"]["hierarchy"] = {"intervals": [5, 10]}
    for name, change in changes.items():
        columns[name]["publish"] = change
    plan: dict[str, Any] = {
        "source": "people.parquet",
        "columns": columns,
        "privacy": [{"model": "k-anonymity", "k": k}],
        "suppression": {"limit": draw.choice((0.1, 0.5))},
        "publish": "open.parquet",
    }
    if counted == "persons":
        plan["unit"] = {"column": "person", "count": "none"}
    result = sqlanon.run(plan)
    node = result.manifest["solution"]["node"]
    published = [name for name in COLUMNS if name != "person"]

    def label(row: dict[str, Any]) -> tuple[Any, ...]:
        sex = row["sex"] if node["sex"] == 0 else "*"
        if node["age"] == (3 if age else 1):
            return "*", sex
        width = (1, 5, 10)[node["age"]]
        return None if row["age"] is None else str(row["age"] // width), sex

    expected = oracle.published(
        rows, label, ["age", "sex"], changes, published, k, "person" if "unit" in plan else None
    )
    found = rows_of("from 'open.parquet'")
    ours, theirs = Counter(found), Counter(expected)
    assert ours == theirs, (changes, node, k, ours - theirs, theirs - ours)
    assert rows_of(Path(result.target / "release.sql").read_text().rstrip(";\n")) == found
    keys = [[_key(row[0]), row[1], *(_key(row[2 + n]) for n, name in enumerate(published[2:])
             if "aggregate" in changes.get(name, {}))] for row in found]  # fmt: skip
    assert keys == sorted(keys)
    assert all(finding.satisfied for finding in sqlanon.verify("open.parquet", plan))


def _key(value: Any) -> tuple[bool, Any]:
    return value is None, value
