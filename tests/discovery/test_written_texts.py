"""How `init` finds that texts are written: its proposal reads every value, or it says why not."""

from __future__ import annotations

import csv
import datetime
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon import PlanError

pytestmark = pytest.mark.usefixtures("folder")

DAYS = [datetime.date(1940, 1, 1) + datetime.timedelta(97 * n) for n in range(300)]


def proposed(columns: dict[str, Sequence[object]]) -> tuple[dict[str, Any], list[str]]:
    """What the proposal says of how columns are read, and its warnings."""
    with open("rows.csv", "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(columns)
        rows.writerows(zip(*columns.values(), strict=True))
    result = sqlanon.init("rows.csv", "rows.yml", force=True)
    source = result.plan["source"]
    return source.get("read", {}), result.findings["warnings"]


@pytest.mark.parametrize(
    "written",
    ["%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%Y/%m/%d", "%d-%b-%Y", "%d %b %Y", "%d.%m.%Y %H:%M",
     "%m/%d/%Y %I:%M %p"],
)  # fmt: skip
def test_dates_of_any_order(written: str, folder: Path) -> None:
    at = datetime.time(14, 30)
    texts = [datetime.datetime.combine(day, at).strftime(written) for day in DAYS]
    texts[7] = "n/a"
    read, warnings = proposed({"born": texts, "sex": ["m", "f"] * 150})
    assert read == {"born": {"date": written, "missing": ["n/a"]}}
    assert warnings == []
    sqlanon.run("rows.yml")


def test_dates_of_two_orders_are_text_with_a_warning(folder: Path) -> None:
    both = [day.strftime("%d.%m.%Y" if n % 2 else "%m/%d/%Y") for n, day in enumerate(DAYS)]
    times = [f"{day} 10:00" if n % 2 else f"{day}" for n, day in enumerate(DAYS)]
    read, warnings = proposed({"born": both, "seen": times})
    assert read == {}
    assert warnings == ["The dates of 'born' are written in several ways, so it is text."]


def test_day_and_month_that_cannot_be_distinguished(folder: Path) -> None:
    """Another column decides, or the proposal says which it took."""
    early = [f"0{1 + n % 9}/0{1 + n % 7}/{1950 + n % 40}" for n in range(300)]
    read, warnings = proposed({"born": early, "sex": ["m", "f"] * 150})
    assert read["born"] == {"date": "%d/%m/%Y"}
    assert warnings == [
        "Day and month of 'born' cannot be distinguished; it is read as %d/%m/%Y. If that is wrong,"
        " write the other order under `read`."
    ]
    later = [day.strftime("%m/%d/%Y") for day in DAYS]
    read, warnings = proposed({"born": early, "visit": later})
    assert read == {"born": {"date": "%m/%d/%Y"}, "visit": {"date": "%m/%d/%Y"}}
    assert warnings == []


def test_dates_half_in_one_order_and_half_in_the_other(folder: Path) -> None:
    texts = [day.strftime("%d/%m/%Y" if n % 2 else "%m/%d/%Y") for n, day in enumerate(DAYS)]
    read, (warning,) = proposed({"born": texts, "sex": ["m", "f"] * 150})
    assert "born" not in read
    # a day above 12 shows the order: of half the dates, those that are read as the other, too
    both = sum(day.day <= 12 for day in DAYS[::2]), sum(day.day <= 12 for day in DAYS[1::2])
    shares = [f"{(150 + n) / 300:.0%}" for n in both]
    assert f"{shares[0]} fit %d/%m/%Y" in warning
    assert f"{shares[1]} fit %m/%d/%Y" in warning


def test_numbers_with_two_kinds_of_decimal_points(folder: Path) -> None:
    both = [f"{n},{n:03d}.25" if n % 2 else f"{n}.{n:03d},75" for n in range(1, 301)]
    read, warnings = proposed({"amount": both, "sex": ["m", "f"] * 150})
    assert read == {}
    assert warnings == ["Numbers of 'amount' have '.' or ',' as decimal point, so it is text."]


@pytest.mark.parametrize("point", [",", "."])
def test_marks_of_few_words_are_missing(point: str, folder: Path) -> None:
    """Those of a school; a word of one row is an error, and not hidden by a code."""
    marks = [f"{n % 20}{point}{5 * (n % 3 % 2)}" for n in range(300)]
    marks[10:18] = ["ABS", "DISP", "ABS", "DISP"] * 2
    read, warnings = proposed({"maths": marks, "sex": ["m", "f"] * 150})
    assert {*read["maths"]["missing"]} == {"ABS", "DISP"}
    assert read["maths"].get("number") == ({"decimal": ","} if point == "," else None)
    assert warnings == []
    sqlanon.run("rows.yml")
    for other in ("Schmidt", "LINDBERG"):  # no name gets into a plan, however often it is there
        named = [other if mark == "ABS" else mark for mark in marks]
        read, (*_, warning) = proposed({"maths": named, "sex": ["m", "f"] * 150})
        assert read == {}
        assert warning.startswith("8 of 300 values of 'maths' are no number")
    marks[100] = "errata"
    read, (*_, warning) = proposed({"maths": marks, "sex": ["m", "f"] * 150})
    assert read == {}
    assert warning.startswith("9 of 300 values of 'maths' are no number")


def test_names_of_the_first_line_that_are_taken_otherwise(folder: Path) -> None:
    for header, what in (("age,,sex", "no name"), ("age,sex,Sex", "the same name")):
        rows = "".join(f"{20 + n % 9},{n % 3},{'mf'[n % 2]}\n" for n in range(90))
        Path("rows.csv").write_text(f"{header}\n{rows}", "utf-8")
        (warning,) = sqlanon.init("rows.csv").findings["warnings"]
        assert f"some columns have {what}" in warning
    Path("rows.csv").write_text(rows, "utf-8")
    (warning,) = sqlanon.init("rows.csv").findings["warnings"]
    assert "column0" in warning


def test_a_few_values_that_are_no_dates(folder: Path) -> None:
    texts = [day.strftime("%d.%m.%Y") for day in DAYS]
    texts[3], texts[40] = "spring 1950", "31.02.1950"
    read, (warning,) = proposed({"born": texts, "sex": ["m", "f"] * 150})
    assert read == {}
    assert warning.startswith("2 of 300 values of 'born' are no date written as %d.%m.%Y")
    assert "spring" not in warning


def test_years_of_two_digits_are_not_in_the_future(folder: Path) -> None:
    texts = [day.strftime("%d-%b-%y") for day in DAYS]
    read, _ = proposed({"born": texts, "sex": ["m", "f"] * 150})
    first = datetime.date.today().year - 99
    assert read == {"born": {"date": "%d-%b-%y", "first_year": first}}


@pytest.mark.sampled(0.1, by=("written", "marks"))
@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("{:.2f}", {}),
        ("{:,.2f}", {"number": {"thousands": ","}}),
        ("${:,.2f}", {"number": {"thousands": ",", "unit": "$"}}),
        ("{:.1f}%", {"number": {"unit": "%"}}),
    ],
)
@pytest.mark.parametrize("marks", ["", ".,", " ,"])
def test_numbers(written: str, read: dict[str, Any], marks: str, folder: Path) -> None:
    """As they are written in English, and with other marks in place of commas and points."""
    random = Random(3)
    texts = [written.format(random.uniform(1, 90_000)) for _ in range(300)]
    if marks:
        texts = [text.translate(str.maketrans(",.", marks)) for text in texts]
        number = dict(read.get("number", {})) | {"decimal": marks[1]}
        if "thousands" in number:
            number["thousands"] = marks[0]
        read = {"number": number}
    texts[5] = "keine Angabe"
    expected = read | {"missing": ["keine Angabe"]}
    found, _ = proposed({"weight": texts, "sex": ["m", "f"] * 150})
    assert found == {"weight": expected}
    sqlanon.run("rows.yml")


def test_keys_are_no_numbers(folder: Path) -> None:
    """Groups of digits alone, and digits that begin with a zero, are codes."""
    codes = [f"{100 + n} {n:03d} {900 - n:03d}" for n in range(300)]
    padded = [f"0{n},{n:02d}" for n in range(300)]
    read, _ = proposed({"siren": codes, "account": padded, "sex": ["m", "f"] * 150})
    assert read == {}


def test_codes_that_a_cast_takes_for_numbers_are_texts(folder: Path) -> None:
    """French classes and school years; 1.5e3 and 2e-05 are numbers."""
    codes = {"klas": ["3e1", "3e2", "4e5"], "wave": ["2021_22", "2022_23"]}
    texts = {name: [few[n % len(few)] for n in range(300)] for name, few in codes.items()}
    proposed(
        {**texts, "disease": ["flu", "cold", "ulcer", "flu"] * 75, "dose": ["1.5e3", "2e-05"] * 150}
    )
    rows = sqlanon.run("rows.yml").published.fetchdf()
    for name, few in codes.items():
        labels = {label.rstrip("*") for label in rows[name]}
        assert all(any(code.startswith(label) for code in few) for label in labels)


def test_codes_for_missing_are_far_from_the_rest(folder: Path) -> None:
    random = Random(2)
    columns = {
        name: [random.choice(["1", "2", "3", "4", "5"]) for _ in range(300)] for name in "abc"
    }
    for name in "abc":
        columns[name][10], columns[name][20:24] = "-9", ["9"] * 4
    age = [str(random.randint(20, 98)) for _ in range(300)]
    age[:3], age[3:6] = ["999"] * 3, ["98"] * 3
    charge = [str(random.randint(0, 2_000)) for _ in range(300)]
    charge[:3] = ["999"] * 3
    read, _ = proposed({**columns, "age": age, "kids": charge})
    for name in "abc":
        assert set(read[name]["missing"]) == {"-9", "9"}
    assert read["age"] == {"missing": ["999"]}
    assert "kids" not in read


def test_codes_in_columns_of_numbers(folder: Path) -> None:
    duckdb.sql(
        "copy (select 20 + n % 60 as age, case when n % 30 = 0 then -9 else 1 + n % 5 end as q"
        " from range(300) rows(n)) to 'rows.parquet'"
    )
    plan = sqlanon.init("rows.parquet", "rows.yml").plan
    assert plan["source"]["read"] == {"q": {"missing": ["-9"]}}
    sqlanon.run("rows.yml")


def test_the_plan_stops_at_a_value_that_comes_later(folder: Path) -> None:
    proposed({"born": [day.strftime("%d.%m.%Y") for day in DAYS], "sex": ["m", "f"] * 150})
    with open("rows.csv", "a", encoding="utf-8", newline="") as file:
        file.write("1950-03-01,m\r\n")
    with pytest.raises(PlanError, match="A value of 'born' is no date written as"):
        sqlanon.run("rows.yml")


def test_a_purpose_decides_about_k_and_columns(folder: Path) -> None:
    random = Random(1)
    with open("rows.csv", "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["age", "sex", *(f"x{chr(97 + n)}" for n in range(14))])
        for _ in range(2000):
            rows.writerow([random.randint(18, 90), random.choice("mf"),
                           *(f"v{random.randrange(4 + n)}" for n in range(14))])  # fmt: skip
    found = {}
    for purpose in ("research", "sharing", "open-data"):
        plan = sqlanon.init("rows.csv", purpose=purpose).plan
        known = [n for n, c in plan["columns"].items() if c["role"] == "quasi-identifier"]
        found[purpose] = plan["privacy"][0]["k"], len(known)
        assert {"age", "sex"} <= {*known}
    assert found == {"research": (3, 16), "sharing": (5, 16), "open-data": (12, 10)}
    with pytest.raises(PlanError, match="Did you mean 'sharing'"):
        sqlanon.init("rows.csv", purpose="shared")
