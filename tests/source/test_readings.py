"""Texts are read as the plan says: what Python reads of them is published, or the run stops."""

from __future__ import annotations

import csv
import datetime
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon import PlanError

pytestmark = pytest.mark.usefixtures("folder")

FORMATS = (
    "%d.%m.%Y", "%m/%d/%Y", "%d-%b-%y", "%Y/%m/%d", "%d.%m.%Y %H:%M", "%Y-%m-%d %H:%M:%S",
    "%m/%d/%Y %I:%M %p",
)  # fmt: skip


def published(texts: Sequence[str | None], read: dict[str, Any], **column: Any) -> list[Any]:
    """The values of a column that is published as it is, after it was read from a CSV file."""
    with open("rows.csv", "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["place", "group", "value"])
        rows.writerows([number, "g", text] for number, text in enumerate(texts))
    plan = {
        "source": {"path": "rows.csv", "read": {"value": read}},
        "columns": {"place": "identifier", "group": "quasi-identifier",
                    "value": column or "insensitive"},
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "order": "source",
        "publish": "published.parquet",
    }  # fmt: skip
    sqlanon.run(plan)
    with duckdb.connect() as bare:
        found = bare.execute("select value from 'published.parquet'").fetchall()
    return [value for (value,) in found]


@pytest.mark.parametrize("written", FORMATS)
def test_dates_are_read_as_python_reads_them(written: str, folder: Path) -> None:
    random = Random(written)
    first, days = datetime.datetime(1970, 1, 1), 365 * 80
    times = [first + datetime.timedelta(random.random() * days) for _ in range(200)]
    times = [time.replace(second=0, microsecond=0) for time in times]
    texts = [time.strftime(written) for time in times]
    expected = [datetime.datetime.strptime(text, written) for text in texts]
    found = published(texts, {"date": written})
    assert found == [each if "%M" in written else each.date() for each in expected]


@pytest.mark.sampled(0.1, by=("unit", "decimal", "thousands"))
@pytest.mark.parametrize("unit", [("", ""), ("", " €"), ("$", ""), ("", "%"), ("EUR ", "")])
@pytest.mark.parametrize(
    ("decimal", "thousands"),
    [(".", None), (",", None), (",", "."), (".", ","), (",", " "), (".", "'")],
)
def test_numbers_are_read_as_they_are_written(
    decimal: str, thousands: str | None, unit: tuple[str, str], folder: Path
) -> None:
    random = Random(unit[0] + decimal)
    numbers = [Decimal(random.randint(-(10**n), 10**n)) / 100 for n in range(1, 12)]

    def written(number: Decimal) -> str:
        plain = f"{number:,.2f}".replace(",", "T").replace(".", decimal)
        return f"{unit[0]}{plain.replace('T', thousands or '')}{unit[1]}"

    read: dict[str, Any] = {"decimal": decimal}
    if thousands:
        read["thousands"] = thousands
    if any(unit):
        read["unit"] = "".join(unit).strip()
    found = published(list(map(written, numbers)), {"number": read})
    assert found == list(map(float, numbers))


@pytest.mark.parametrize(
    ("read", "text"),
    [
        ({"date": "%d.%m.%Y"}, "31.02.2020"),
        ({"date": "%d.%m.%Y"}, "1.2.20"),
        ({"date": "%d.%m.%Y"}, "2020-02-01"),
        ({"date": "%d.%m.%Y"}, "13.12.2020 10:00"),
        ({"date": "%m/%d/%Y"}, "13/12/2020"),
        ({"date": "%d-%b-%y"}, "3-Mai-20"),
        ({"number": {"decimal": ","}}, "12.5"),
        ({"number": {"decimal": ",", "thousands": "."}}, "1.23"),
        ({"number": {"decimal": ",", "thousands": "."}}, "1.2345,0"),
        ({"number": {"decimal": ".", "thousands": ","}}, "1,5"),
        ({"number": {"unit": "€"}}, "5 $"),
        ({"number": {}}, "1e5"),
        ({"number": {}}, "secret"),
    ],
)
def test_a_value_that_does_not_fit_stops_the_run(
    read: dict[str, Any], text: str, folder: Path
) -> None:
    with pytest.raises(PlanError, match="A value of 'value' is no ") as stopped:
        published(["", text], read)
    assert text not in str(stopped.value)
    assert not Path("published.parquet").exists()


def test_codes_and_white_space_are_missing(folder: Path) -> None:
    texts = ["n/a", " k.A. ", "", "  ", "7,5"]
    read = {"number": {"decimal": ","}, "missing": ["n/a", "k.A."]}
    assert published([*texts, None], read) == [None, None, None, None, 7.5, None]
    assert published(["-9", "3", "9"], {"missing": ["-9"]}) == [None, "3", "9"]


def test_years_of_two_digits(folder: Path) -> None:
    texts = [f"29.02.{year:02}" if year % 4 == 0 else f"01.03.{year:02}" for year in range(1, 100)]
    for first in (1880, 1927, 1969, 2001):
        found = published(texts, {"date": "%d.%m.%y", "first_year": first})
        assert all(first <= each.year < first + 100 for each in found)
        assert [each.year % 100 for each in found] == list(range(1, 100))
    plain = published(texts, {"date": "%d.%m.%y"})
    assert all(1969 <= each.year < 2069 for each in plain)


def test_codes_of_numbers_are_missing(folder: Path) -> None:
    duckdb.sql("copy (from (values (1, -9), (2, 5), (3, 5)) as rows (id, score)) to 'r.parquet'")
    plan = {
        "source": {"path": "r.parquet", "read": {"score": {"missing": [-9]}}},
        "columns": {"id": "identifier", "score": "quasi-identifier"},
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "suppression": {"limit": 0.4},
        "publish": "published.parquet",
    }
    sqlanon.run(plan)
    with duckdb.connect() as bare:
        assert bare.execute("from 'published.parquet'").fetchall() == [("5",), ("5",)]


def test_read_dates_have_hierarchies_and_a_population(folder: Path) -> None:
    days = ["01.02.1950", "28.12.1951", "05.05.1962", "06.06.1969"]
    Path("rows.csv").write_text("born\n" + "\n".join(days * 2) + "\n", encoding="utf-8")
    Path("all.csv").write_text(
        "born\n" + "\n".join(f"{day[6:]}/{day[3:5]}/{day[:2]}" for day in days * 3) + "\n",
        encoding="utf-8",
    )
    plan = {
        "source": {"path": "rows.csv", "read": {"born": {"date": "%d.%m.%Y"}}},
        "population": {"path": "all.csv", "read": {"born": {"date": "%Y/%m/%d"}}},
        "columns": {
            "born": {"role": "quasi-identifier", "hierarchy": {"date": ["year", "decade"]}}
        },
        "privacy": [{"model": "k-anonymity", "k": 4}, {"model": "k-map", "k": 6}],
        "publish": "published.csv",
    }
    sqlanon.run(plan)
    rows = Path("published.csv").read_text(encoding="utf-8").split()
    assert rows == ["born", *["1950s"] * 4, *["1960s"] * 4]
    assert all(one.satisfied for one in sqlanon.verify("published.csv", plan))


@pytest.mark.parametrize(
    ("read", "shown"),
    [
        ({"valeu": {"date": "%d.%m.%Y"}}, "Did you mean 'value'"),
        ({"value": {}}, "must have date, number or missing"),
        ({"value": {"date": "%d.%m.%Y", "number": {}}}, "not both"),
        ({"value": {"date": "%d.%m"}}, "format of a date"),
        ({"value": {"date": "%d.%m.%Y %j"}}, "format of a date"),
        ({"value": {"date": "%d'%m'%Y"}}, "format of a date"),
        ({"value": {"number": {"decimal": ",", "thousands": ","}}}, "must differ"),
        ({"value": {"number": {"unit": "1"}}}, "unit"),
        ({"value": {"missing": [""]}}, "missing"),
        ({"value": {"date": "%d.%m.%Y", "first_year": 1930}}, "for dates with %y"),
    ],
)
def test_readings_that_are_refused(read: dict[str, Any], shown: str, folder: Path) -> None:
    Path("rows.csv").write_text("value\n1\n1\n", encoding="utf-8")
    plan = {
        "source": {"path": "rows.csv", "read": read},
        "columns": {"value": "quasi-identifier"},
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "publish": "published.csv",
    }
    with pytest.raises(PlanError) as refused:
        sqlanon.run(plan)
    assert shown in str(refused.value)


def test_formats_are_of_texts_and_of_duckdb(folder: Path) -> None:
    duckdb.sql("copy (select 1 as value from range(3)) to 'rows.parquet'")
    plan: dict[str, Any] = {
        "source": {"path": "rows.parquet", "read": {"value": {"number": {}}}},
        "columns": {"value": "quasi-identifier"},
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "publish": "published.csv",
    }
    with pytest.raises(PlanError, match="has the type INTEGER"):
        sqlanon.run(plan)
    in_postgres = plan | {"source": {**plan["source"], "path": None, "table": "rows"}}
    in_postgres |= {"engine": {"name": "postgres"}, "publish": {"table": "published"}}
    with pytest.raises(PlanError, match="the plan runs in PostgreSQL"):
        sqlanon.load_plan(in_postgres)
