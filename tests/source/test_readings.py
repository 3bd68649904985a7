"""Texts are read as the plan says: what Python reads of them is published, or the run stops."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon import PlanError
from tests.plan.plans import plan_of
from tests.support.tables import write_csv

pytestmark = pytest.mark.usefixtures("folder")

FORMATS = (
    "%d.%m.%Y", "%m/%d/%Y", "%d-%b-%y", "%Y/%m/%d", "%d.%m.%Y %H:%M", "%Y-%m-%d %H:%M:%S",
    "%m/%d/%Y %I:%M %p",
)  # fmt: skip


def published(columns: Sequence[tuple[Sequence[str | None], dict[str, Any]]]) -> list[list[Any]]:
    """Texts of a CSV file, which are read in these ways and published as they are."""
    names = [f"value{number}" for number in range(len(columns))]
    rows = zip(*(texts for texts, _ in columns), strict=True)
    write_csv(
        "rows.csv", [["place", "group", *names], *([n, "g", *row] for n, row in enumerate(rows))]
    )
    reads = {name: read for name, (_, read) in zip(names, columns, strict=True)}
    roles = {"place": "identifier", "group": "quasi-identifier"}
    source = {"path": "rows.csv", "read": reads}
    sqlanon.run(plan_of({**roles, **dict.fromkeys(names, "insensitive")}, source, order="source"))
    with duckdb.connect() as bare:
        found = bare.execute(f"select {', '.join(names)} from 'out.parquet'").fetchall()
    return [list(column) for column in zip(*found, strict=True)]


def test_dates_are_read_as_python_reads_them() -> None:
    random = Random(1)
    first, days = datetime.datetime(1970, 1, 1), 365 * 80
    times = [first + datetime.timedelta(random.random() * days) for _ in range(1_000)]
    texts = [[time.strftime(written) for time in times] for written in FORMATS]
    found = published(list(zip(texts, ({"date": written} for written in FORMATS), strict=True)))
    for written, column, values in zip(FORMATS, texts, found, strict=True):
        expected = [datetime.datetime.strptime(text, written) for text in column]
        assert values == [each if "%M" in written else each.date() for each in expected], written


def test_numbers_are_read_as_they_are_written() -> None:
    """With each point and separator, each with each unit."""
    random = Random(1)
    numbers = [Decimal(random.randint(-(10**n), 10**n)) / 100 for n in range(1, 12) for _ in "abc"]
    columns = []
    for (decimal, thousands), (before, after) in itertools.product(
        [(".", None), (",", None), (",", "."), (".", ","), (",", " "), (".", "'")],
        [("", ""), ("", " €"), ("$", ""), ("", "%"), ("EUR ", "")],
    ):
        texts = []
        for number in numbers:
            plain = f"{number:,.2f}".replace(",", "T").replace(".", decimal)
            texts.append(f"{before}{plain.replace('T', thousands or '')}{after}")
        stated = {"decimal": decimal, "thousands": thousands, "unit": (before + after).strip()}
        columns.append((texts, {"number": {key: v for key, v in stated.items() if v}}))
    for (texts, _), found in zip(columns, published(columns), strict=True):
        assert found == list(map(float, numbers)), texts[:3]


@pytest.mark.sampled(0.6, by="read")
@pytest.mark.parametrize(
    ("read", "text"),
    [
        ({"date": "%d.%m.%Y"}, "31.02.2020"),
        ({"date": "%d.%m.%Y"}, "1.2.20"),
        ({"date": "%d.%m.%Y"}, "2020-02-01"),
        ({"date": "%m/%d/%Y"}, "13/12/2020"),
        ({"date": "%d-%b-%y"}, "3-Mai-20"),
        ({"number": {"decimal": ","}}, "12.5"),
        ({"number": {"decimal": ",", "thousands": "."}}, "1.23"),
        ({"number": {"decimal": ",", "thousands": "."}}, "1.2345,0"),
        ({"number": {"decimal": ".", "thousands": ","}}, "1,5"),
        ({"number": {"unit": "€"}}, "5 $"),
        ({"number": {}}, "1e5"),
    ],
)
def test_a_value_that_does_not_fit_stops_the_run(read: dict[str, Any], text: str) -> None:
    with pytest.raises(PlanError, match="A value of 'value0' is no ") as stopped:
        published([(["", text], read)])
    assert text not in str(stopped.value)
    assert not Path("out.parquet").exists()


def test_codes_and_white_space_are_missing() -> None:
    texts = ["n/a", " k.A. ", "", "  ", "7,5", None]
    read = {"number": {"decimal": ","}, "missing": ["n/a", "k.A."]}
    codes = ["-9", "3", "9", "-9", "3", "9"]
    assert published([(texts, read), (codes, {"missing": ["-9"]})]) == [
        [None, None, None, None, 7.5, None],
        [None, "3", "9"] * 2,
    ]


def test_years_of_two_digits() -> None:
    texts = [f"29.02.{year:02}" if year % 4 == 0 else f"01.03.{year:02}" for year in range(1, 100)]
    reads: dict[int, dict[str, Any]] = {
        first: {"date": "%d.%m.%y", "first_year": first} for first in (1880, 1927, 2001)
    }
    reads[1969] = {"date": "%d.%m.%y"}
    found = published([(texts, read) for read in reads.values()])
    for first, days in zip(reads, found, strict=True):
        assert all(first <= each.year < first + 100 for each in days)
        assert [each.year % 100 for each in days] == list(range(1, 100))


def test_codes_of_numbers_are_missing() -> None:
    duckdb.sql("copy (from (values (1, -9), (2, 5), (3, 5)) as rows (id, score)) to 'r.parquet'")
    source = {"path": "r.parquet", "read": {"score": {"missing": [-9]}}}
    columns = {"id": "identifier", "score": "quasi-identifier"}
    sqlanon.run(plan_of(columns, source, suppression={"limit": 0.4}))
    with duckdb.connect() as bare:
        assert bare.execute("from 'out.parquet'").fetchall() == [("5",), ("5",)]


def test_read_dates_have_hierarchies_and_a_population() -> None:
    days = ["01.02.1950", "28.12.1951", "05.05.1962", "06.06.1969"]
    write_csv("rows.csv", [["born"], *([day] for day in days * 2)])
    write_csv("all.csv", [["born"], *(["/".join(day.split(".")[::-1])] for day in days * 3)])
    plan = plan_of(
        {"born": {"role": "quasi-identifier", "hierarchy": {"date": ["year", "decade"]}}},
        {"path": "rows.csv", "read": {"born": {"date": "%d.%m.%Y"}}},
        population={"path": "all.csv", "read": {"born": {"date": "%Y/%m/%d"}}},
        privacy=[{"model": "k-anonymity", "k": 4}, {"model": "k-map", "k": 6}],
        publish="out.csv",
    )
    sqlanon.run(plan)
    rows = Path("out.csv").read_text(encoding="utf-8").split()
    assert rows == ["born", *["1950s"] * 4, *["1960s"] * 4]
    assert all(one.satisfied for one in sqlanon.verify("out.csv", plan))


@pytest.mark.parametrize(
    ("read", "shown"),
    [
        ({"valeu": {"date": "%d.%m.%Y"}}, "Did you mean 'value'"),
        ({"value": {}}, "must have date, number or missing"),
        ({"value": {"date": "%d.%m.%Y", "number": {}}}, "not both"),
        ({"value": {"date": "%d.%m.%Y %j"}}, "format of a date"),
        ({"value": {"date": "%d'%m'%Y"}}, "format of a date"),
        ({"value": {"number": {"decimal": ",", "thousands": ","}}}, "must differ"),
        ({"value": {"number": {"unit": "1"}}}, "unit"),
        ({"value": {"missing": [""]}}, "missing"),
        ({"value": {"date": "%d.%m.%Y", "first_year": 1930}}, "for dates with %y"),
    ],
)
def test_readings_that_are_refused(read: dict[str, Any], shown: str) -> None:
    Path("rows.csv").write_text("value\n1\n1\n", encoding="utf-8")
    with pytest.raises(PlanError) as refused:
        sqlanon.run(plan_of(["value"], {"path": "rows.csv", "read": read}))
    assert shown in str(refused.value)


def test_formats_are_of_texts_and_of_duckdb() -> None:
    duckdb.sql("copy (select 1 as value from range(3)) to 'rows.parquet'")
    read: dict[str, Any] = {"value": {"number": {}}}
    with pytest.raises(PlanError, match="has the type INTEGER"):
        sqlanon.run(plan_of(["value"], {"path": "rows.parquet", "read": read}))
    source, place = {"table": "rows", "read": read}, {"table": "published"}
    with pytest.raises(PlanError, match="the plan runs in PostgreSQL"):
        sqlanon.load_plan(plan_of(["value"], source, engine={"name": "postgres"}, publish=place))
