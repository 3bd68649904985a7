"""How `init` finds that texts are written: its proposal reads every value, or it says why not."""

from __future__ import annotations

import datetime
import itertools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon import PlanError
from tests.discovery.plans import keys_of
from tests.support.tables import write_csv

pytestmark = pytest.mark.usefixtures("folder")

DAYS = [datetime.datetime(1940, 1, 1, 14, 30) + datetime.timedelta(97 * n) for n in range(300)]


def proposed(columns: Mapping[str, Sequence[object]]) -> tuple[dict[str, Any], list[str]]:
    """What the proposal says of how columns are read, and its warnings."""
    write_csv("rows.csv", [[*columns], *zip(*columns.values(), strict=True)])
    result = sqlanon.init("rows.csv", "rows.yml", force=True)
    source = keys_of(result.plan)["source"]
    return source.get("read", {}), result.findings["warnings"]


def test_dates_of_any_order() -> None:
    """The plan stops at a value that comes later in another one."""
    forms = ["%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%Y/%m/%d", "%d-%b-%Y", "%d %b %Y",
             "%d.%m.%Y %H:%M", "%m/%d/%Y %I:%M %p", "%d-%b-%y"]  # fmt: skip
    columns = {
        f"born_{n}": [day.strftime(form) for day in [*DAYS[n:], *DAYS[:n]]]
        for n, form in enumerate(forms)
    }
    expected: dict[str, dict[str, object]] = {}
    for (name, days), form in zip(columns.items(), forms, strict=True):
        days[7] = "n/a"
        expected[name] = {"date": form, "missing": ["n/a"]}
    expected["born_8"]["first_year"] = datetime.date.today().year - 99
    assert proposed(columns) == (expected, [])
    sqlanon.run("rows.yml")
    proposed({"born": columns["born_0"], "sex": ["m", "f"] * 150})
    with open("rows.csv", "a", encoding="utf-8") as file:
        file.write("1950-03-01,m\n")
    with pytest.raises(PlanError, match="A value of 'born' is no date written as"):
        sqlanon.run("rows.yml")


def test_what_is_read_in_no_way_is_text_with_a_warning() -> None:
    """No value is in a warning."""
    ways = ("%m/%d/%Y", "%d/%m/%Y")
    few = [day.strftime("%d.%m.%Y") for day in DAYS]
    few[3], few[40] = "spring 1950", "31.02.1950"
    read, warnings = proposed({
        "both": [day.strftime("%d.%m.%Y" if n % 2 else ways[0]) for n, day in enumerate(DAYS)],
        "half": [day.strftime(ways[n % 2]) for n, day in enumerate(DAYS)],
        "few": few,
        "seen": [f"{day}"[: 16 if n % 2 else 10] for n, day in enumerate(DAYS)],
        "sum": [f"{n},{n:03d}.25" if n % 2 else f"{n}.{n:03d},75" for n in range(1, 301)],
        "siren": [f"{100 + n} {n:03d} {900 - n:03d}" for n in range(300)],  # a code, as no sign
        "account": [f"0{n},{n:02d}" for n in range(300)],  # or a zero before it is in a number
    })  # fmt: skip
    assert read == {}
    found = {re.findall("'(.*?)'", warning)[0]: warning for warning in warnings}
    assert found.keys() == {"both", "half", "few", "sum"}
    assert found["both"] == "The dates of 'both' are written in several ways, so it is text."
    # a day above 12 shows the order: of half the dates, those that are read as the other, too
    fit = [sum(day.day <= 12 for day in DAYS[n::2]) for n in (0, 1)]
    for way, early in zip(ways, reversed(fit), strict=True):
        assert f"{(150 + early) / 300:.0%} fit {way}" in found["half"]
    assert found["few"].startswith("2 of 300 values of 'few' are no date written as %d.%m.%Y")
    assert "spring" not in found["few"]
    assert found["sum"] == "Numbers of 'sum' have '.' or ',' as decimal point, so it is text."


def test_marks_of_few_words_are_missing() -> None:
    """Those of a school; a word of one row is an error, and not hidden by a code; no name gets into
    a plan, however often it is there."""
    columns = {}
    for name, point in (("comma", ","), ("point", ".")):
        marks = [f"{n % 20}{point}{5 * (n % 3 % 2)}" for n in range(300)]
        marks[10:18] = ["ABS", "DISP"] * 4
        columns[name] = marks
        for other in ("Schmidt", "LINDBERG"):
            columns[f"{name}_{other}"] = [other if mark == "ABS" else mark for mark in marks]
        columns[f"{name}_errata"] = [*marks[:100], "errata", *marks[101:]]
    read, warnings = proposed(columns)
    assert {name: {*how.pop("missing")} for name, how in read.items()} == {
        "comma": {"ABS", "DISP"}, "point": {"ABS", "DISP"},
    }  # fmt: skip
    assert read == {"comma": {"number": {"decimal": ","}}, "point": {}}
    wrong = {
        re.findall("'(.*?)'", warning)[0]: warning.partition(" values")[0]
        for warning in warnings if " are no number" in warning
    }  # fmt: skip
    assert wrong == {
        f"{point}_{name}": f"{count} of 300" for point in ("comma", "point")
        for name, count in (("Schmidt", 8), ("LINDBERG", 8), ("errata", 9))
    }  # fmt: skip
    sqlanon.run("rows.yml")


def test_day_and_month_that_cannot_be_distinguished() -> None:
    """Dates of another column decide if they show an order, or the proposal says what it took."""
    early = [f"0{1 + n % 9}/0{1 + n % 7}/{1950 + n % 40}" for n in range(300)]
    years_first = [day.strftime("%Y%m%d") for day in DAYS]
    for other in (["m", "f"] * 150, [f"{n % 50},5" for n in range(300)], years_first):
        read, warnings = proposed({"born": early, "other": other})
        assert read["born"] == {"date": "%d/%m/%Y"}
        assert warnings == [
            "Day and month of 'born' cannot be distinguished; it is read as %d/%m/%Y. If that is"
            " wrong, write the other order under `read`."
        ]
    for form in ("%m/%d/%Y", "%b %d, %Y", "%d-%b-%Y"):
        read, warnings = proposed({"born": early, "visit": [day.strftime(form) for day in DAYS]})
        order = "%d/%m/%Y" if form.startswith("%d") else "%m/%d/%Y"
        assert read == {"born": {"date": order}, "visit": {"date": form}}
        assert warnings == []


def test_names_of_the_first_line_that_are_taken_otherwise() -> None:
    rows = "".join(f"{20 + n % 9},{n % 3},{'mf'[n % 2]}\n" for n in range(90))
    for header, said in (("age,,sex\n", "some columns have no name"), ("", "column0"),
                         ("age,sex,Sex\n", "some columns have the same name")):  # fmt: skip
        Path("rows.csv").write_text(f"{header}{rows}", "utf-8")
        (warning,) = sqlanon.init("rows.csv").findings["warnings"]
        assert said in warning


def test_numbers() -> None:
    """As they are written in English, and with other marks in place of commas and points."""
    values = [Random(n).uniform(1, 90_000) for n in range(300)]
    columns: dict[str, list[str]] = {}
    expected: dict[str, dict[str, Any]] = {}
    forms: dict[str, dict[str, str]] = {
        "{:.2f}": {}, "{:,.2f}": {"thousands": ","}, "{:.1f}%": {"unit": "%"},
        "${:,.2f}": {"thousands": ",", "unit": "$"},
    }  # fmt: skip
    for (form, usual), marks in itertools.product(forms.items(), (",.", ".,", " ,")):
        name = f"weight_{len(columns)}"
        texts = [form.format(value) for value in values]
        columns[name] = [text.translate(str.maketrans(",.", marks)) for text in texts]
        columns[name][5] = "keine Angabe"
        number = usual | ({"thousands": marks[0]} if "thousands" in usual else {})
        number |= {"decimal": ","} if marks[1] == "," else {}
        expected[name] = {"missing": ["keine Angabe"]} | ({"number": number} if number else {})
    found, _ = proposed(columns)
    assert found == expected
    sqlanon.run("rows.yml")
    driven, price = [f"{1 + n % 90}.{n:03d}" for n in range(300)], [f"{n},5" for n in range(300)]
    comma = {"decimal": ","}  # of another column
    assert proposed({"driven": driven, "price": price})[0] == {
        "driven": {"number": {**comma, "thousands": "."}}, "price": {"number": comma},
    }  # fmt: skip


def test_codes_that_a_cast_takes_for_numbers_are_texts() -> None:
    """French classes and school years; 1.5e3 and 2e-05 are numbers."""
    codes = {"klas": ["3e1", "3e2", "4e5"], "wave": ["2021_22", "2022_23"]}
    others = {"disease": ["flu", "cold", "ulcer", "flu"], "dose": ["1.5e3", "2e-05"]}
    proposed({name: (few * 150)[:300] for name, few in (codes | others).items()})
    rows = sqlanon.run("rows.yml").published.fetchdf()
    for name, few in codes.items():
        labels = {one.rstrip("*") for label in rows[name] for one in label.strip("{}").split(", ")}
        assert all(any(code.startswith(label) for code in few) for label in labels)


def test_codes_for_missing_are_far_from_the_rest() -> None:
    """Also in columns of numbers."""
    random = Random(2)
    columns = {name: random.choices("12345", k=300) for name in "abc"}
    for name in "abc":
        columns[name][10], columns[name][20:24] = "-9", ["9"] * 4
    age = [str(random.randint(20, 98)) for _ in range(300)]
    age[:3], age[3:6] = ["999"] * 3, ["98"] * 3
    charge = [str(random.randint(0, 2_000)) for _ in range(300)]
    charge[:3] = ["999"] * 3
    read, _ = proposed({**columns, "age": age, "kids": charge})
    assert [{*read[name]["missing"]} for name in "abc"] == [{"-9", "9"}] * 3
    assert read["age"] == {"missing": ["999"]}
    assert "kids" not in read
    duckdb.sql(
        "copy (select 20 + n % 60 as age, case when n % 30 = 0 then -9 else 1 + n % 5 end as q"
        " from range(300) rows(n)) to 'rows.parquet'"
    )
    plan = keys_of(sqlanon.init("rows.parquet", "q.yml").plan)
    assert plan["source"]["read"] == {"q": {"missing": ["-9"]}}
    sqlanon.run("q.yml")


def test_a_purpose_decides_about_k_and_columns() -> None:
    random = Random(1)
    write_csv("rows.csv", [("age", "sex", *(f"x{chr(97 + n)}" for n in range(14))), *(
        (random.randint(18, 90), random.choice("mf"),
         *(f"v{random.randrange(4 + n)}" for n in range(14)))
        for _ in range(2000)
    )])  # fmt: skip
    found = {}
    for purpose in ("research", "sharing", "open-data"):
        plan = keys_of(sqlanon.init("rows.csv", purpose=purpose).plan)
        known = [n for n, c in plan["columns"].items() if c["role"] == "quasi-identifier"]
        found[purpose] = plan["privacy"][0]["k"], len(known)
        assert {"age", "sex"} <= {*known}
    assert found == {"research": (3, 16), "sharing": (5, 16), "open-data": (12, 10)}
    with pytest.raises(PlanError, match="Did you mean 'sharing'"):
        sqlanon.init("rows.csv", purpose="shared")
