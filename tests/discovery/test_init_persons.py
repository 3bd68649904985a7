"""`init` and persons with several rows: their key, what is proposed for them, and their shares.

The tables are drawn here, so it is known whose each row is. Shares and numbers of rows are counted
in plain Python.
"""

from __future__ import annotations

import csv
import datetime
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import sqlanon
from sqlanon.discovery import proposal
from sqlanon.discovery.persons import Persons, PersonShare, persons_of
from sqlanon.discovery.questions import Answers, Question
from sqlanon.discovery.statistics import column_statistics
from tests.conftest import Command
from tests.discovery.plans import answer, keys_of
from tests.paths import ROOT
from tests.plan.plans import plan_of
from tests.support.tables import write_csv, write_records

VISITS = ROOT / "examples" / "hospital" / "visits.csv"
DIAGNOSES = ("I10", "E11", "J18", "M54", "K35", "S72")

Row = tuple[Any, ...]

pytestmark = pytest.mark.usefixtures("folder")


def write(columns: Sequence[str], rows: Iterable[Row], name: str = "rows.csv") -> str:
    return write_csv(name, [columns, *rows])


def words(text: str) -> str:
    """The words of a plan, without the ends of its lines."""
    return " ".join(text.replace("#", " ").split())


def day(draw: random.Random, first: int, years: int) -> str:
    start = datetime.date(first, 1, 1)
    return (start + datetime.timedelta(draw.randrange(365 * years))).isoformat()


def person(draw: random.Random) -> Row:
    """What never changes: a key, date of birth, sex, postal code and town."""
    town = draw.randrange(20)
    return (
        f"{draw.choice('ABCDEFGHKL')}{draw.randrange(10**9):09}", day(draw, 1930, 80),
        draw.choice("MW"), f"{10000 + 97 * town + draw.randrange(5)}", f"Ort {town}",
    )  # fmt: skip


DISCHARGES = ("Geburtsdatum", "Geschlecht", "PLZ", "Wohnort", "Aufnahme", "Abteilung", "Diagnose")


def discharges(draw: random.Random, persons: int, rows: int) -> list[Row]:
    """Each person has a row, and some have many."""
    drawn = [person(draw) for _ in range(persons)]
    drawn += draw.choices(drawn, k=rows - persons)
    return [
        (*who, day(draw, 2023, 1), draw.choice(("Innere", "Chirurgie")), draw.choice(DIAGNOSES))
        for who in drawn
    ]


@pytest.mark.parametrize(
    ("key", "persons", "size"),
    [("KVNR", 400, 1200), ("x17", 400, 1200), ("fallnummer", 400, 1200), ("patient", 13, 40),
     ("q7", 13, 40)],
)  # fmt: skip
def test_a_persons_key_is_found(key: str, persons: int, size: int) -> None:
    """By its name; those of x17 and q7 say nothing. That of cases is better than rows."""
    rows = discharges(random.Random(3), persons, size)
    result = sqlanon.init(write((key, *DISCHARGES), rows), "plan.yml")
    keys = keys_of(result.plan)
    assert (keys["unit"], keys["columns"][key]) == (key, {"role": "identifier"})
    assert f"{persons} values in {size:,} rows" in result.text
    if size < 100:
        assert f"({persons} persons)" in result.text
    else:
        assert result.findings["warnings"] == []
    if key == "x17":
        assert "Geburtsdatum, Geschlecht, PLZ and 1 more stay the same" in words(result.text)
    if key in ("x17", "q7"):
        run = sqlanon.run("plan.yml")
        assert key not in run.published.columns
        assert min(row["persons"] for row in run.records()) >= keys["privacy"][0]["k"]


def test_a_key_among_errors_and_addresses() -> None:
    """An address is the key only where no other is; `persons` is taken as the name of a column."""
    rows = discharges(random.Random(4), 1300, 4000)
    rows[::50] = [(*row[:2], "MW"[n % 2], *row[3:]) for n, row in enumerate(rows[::50])]
    assert keys_of(sqlanon.init(write(("x17", *DISCHARGES), rows)).plan)["unit"] == "x17"
    rows = [
        (f"{row[0].lower()}@example.org", *row) for row in discharges(random.Random(7), 300, 900)
    ]
    both = sqlanon.init(write(("mail", "x17", *DISCHARGES), rows))
    assert keys_of(both.plan)["unit"] == "x17"
    alone = sqlanon.init(write(("mail", *DISCHARGES), [(row[0], *row[2:]) for row in rows]))
    assert keys_of(alone.plan)["unit"] == "mail"
    assert "e-mail addresses: 100 %" in alone.text
    named = [(*row[1:], row[2][-1]) for row in rows]
    result = sqlanon.init(write(("KVNR", *DISCHARGES, "Persons"), named), "plan.yml")
    assert keys_of(result.plan)["unit"] == {"column": "KVNR", "count": "persons_2"}
    sqlanon.check("plan.yml")


def test_persons_whom_no_key_counts_are_warned_of() -> None:
    """A person declines it, some rows are of nobody, or there is none."""
    rows = discharges(random.Random(8), 300, 900)
    some = [(row[0] if i % 9 else None, *row[1:]) for i, row in enumerate(rows)]
    without = [row[1:] for row in rows]
    keyed, declined = ("KVNR", *DISCHARGES), {"role of KVNR": "identifier"}
    for columns, table, choose, said in (
        (keyed, rows, lambda _: declined, "'KVNR'"),
        (keyed, some, None, "100 rows have none"),
        (DISCHARGES, without, None, "More rows are equal in Geburtsdatum, Geschlecht"),
    ):
        result = sqlanon.init(write(columns, table), choose=choose)
        assert "unit" not in keys_of(result.plan)
        (warning,) = result.findings["warnings"]
        assert said in warning


def logged(key: str, devices: int = 500, rows: int = 10_000) -> list[Row]:
    draw = random.Random(10)
    serials = [(f"SN{draw.randrange(10**8):08}", f"M{draw.randrange(6)}") for _ in range(devices)]
    drawn = [*serials, *draw.choices(serials, k=rows - devices)]
    write((key, "model", "seen", "kind"), [
        (*device, day(draw, 2023, 1), f"k{draw.randrange(20)}") for device in drawn
    ])  # fmt: skip
    return drawn


def test_times_of_day_are_no_key() -> None:
    """Consents are no places or times, either."""
    rows = [(f"{n % 23:02}:{n % 59:02}", "yn"[n % 2], n % 40) for n in range(2_000)]
    result = sqlanon.init(write(("seen", "consent", "age"), rows))
    assert result.findings["warnings"] == []
    assert "events" not in next(
        one["reason"] for one in result.findings["columns"] if one["name"] == "consent"
    )


def test_a_key_that_nothing_depends_on_is_asked_about(command: Command) -> None:
    logged("serial")
    warned = command("init", "rows.csv", columns=500).err
    assert "'serial' could be the key of a person or device (500 values in 10,000 rows)" in warned
    assert "write `unit: serial` and `serial: identifier`" in warned
    assert "# WARNING: 'serial' could be" in Path("rows.yml").read_text(encoding="utf-8")
    seen: dict[str, str] = {}

    def choose(questions: Callable[[Answers], Sequence[Question]]) -> Answers:
        seen.update((one.key, one.text) for one in questions({}))
        return {"role of serial": "unit"}

    result = sqlanon.init("rows.csv", choose=choose)
    assert "perhaps the key of a person or device" in seen["role of serial"]
    assert keys_of(result.plan)["unit"] == "serial"
    assert result.findings["warnings"] == []


def one_row_each(draw: random.Random) -> tuple[list[str], list[Row]]:
    """A table in which every row is a person, and columns repeat and depend on each other.

    The town follows from the postal code, the manager and the site from the team, the year of birth
    from the year of school, the price from the product.
    """
    names = ["nr", "birth_date", "cohort", "born", "sex", "zip", "city", "state", "team", "manager",
             "site", "product", "price", "job", "amount"]  # fmt: skip
    teams = [(f"T{n:03}", f"m{draw.randrange(10**6):06}", f"S{n % 9}") for n in range(40)]
    products = [(f"A{n:05}", f"{draw.random() * 99:.2f}") for n in range(150)]
    rows = []
    for n in range(draw.choice((300, 2000))):
        _, birth, sex, zip_code, city = person(draw)
        year = birth[:4]
        rows.append(
            (n, birth, f"J{year}", year, sex, zip_code, city, f"L{len(city) % 5}",
             *draw.choice(teams), *draw.choice(products), draw.choice("abcdefgh"),
             draw.randrange(20_000, 90_000))
        )  # fmt: skip
    return names, rows


@pytest.mark.sampled(0.3)
@pytest.mark.parametrize("seed", range(12))
def test_no_key_is_found_where_a_row_is_a_person(seed: int) -> None:
    draw = random.Random(seed)
    names, rows = one_row_each(draw)
    dropped = set(draw.sample(names[2:], k=draw.randrange(6))) - {"sex"}
    kept = [place for place, name in enumerate(names) if name not in dropped]
    columns = [names[place] for place in kept]
    result = sqlanon.init(write(columns, [tuple(row[place] for place in kept) for row in rows]))
    assert "unit" not in keys_of(result.plan)
    assert result.findings["warnings"] == []


def test_a_class_of_a_school_is_no_person() -> None:
    """Its pupils have the year of birth and the town in common, and differ in sex."""
    draw = random.Random(14)
    rows = [
        (f"S{n % 30:02}-{2005 + n % 4}", 2005 + n % 4, f"Ort {n % 30}", draw.choice("MW"),
         draw.randrange(1, 7))
        for n in range(1200)
    ]  # fmt: skip
    result = sqlanon.init(write(("class_no", "birth_year", "town", "sex", "mark"), rows))
    assert "unit" not in keys_of(result.plan)
    assert result.findings["warnings"] == []


@cache
def hospital_visits() -> list[dict[str, str]]:
    with VISITS.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter=";"))


@cache
def proposed(*, histories: bool) -> sqlanon.InitResult:
    """The proposal for the hospital."""
    return sqlanon.init(VISITS, histories=histories)


def counted(rows: list[dict[str, str]], key: str, sensitive: Sequence[str]) -> Persons:
    """Persons as the definitions say, in plain Python."""
    of_person = Counter(row[key] for row in rows)
    shares = {}
    for name in sensitive:
        having = defaultdict(set)
        values = defaultdict(set)
        for row in rows:
            having[row[name]].add(row[key])
            values[row[key]].add(row[name])
        largest = max(map(len, having.values())) / len(of_person)
        shares[name] = PersonShare(largest, any(len(each) > 1 for each in values.values()))
    return Persons(len(of_person), shares, dict(sorted(Counter(of_person.values()).items())))


def asked(source: str | Path, key: str, sensitive: Sequence[str], most_rows: int) -> Persons:
    plan = plan_of(["any"], {"path": str(source), "delimiter": ";"})
    table = answer(plan, column_statistics)
    about = (table, key, sensitive)
    return answer(plan, lambda p: persons_of(p, *about, most_rows=most_rows, histories=True))


SENSITIVE = ("smoker", "diagnosis", "procedure", "payer", "paid")
"""Of the last one, values are missing."""


def test_shares_of_persons() -> None:
    found = asked(VISITS, "patient_id", SENSITIVE, 100_000)
    assert found == counted(hospital_visits(), "patient_id", SENSITIVE)
    shares = [round(found.shares[name].largest, 3) for name in SENSITIVE[:3]]
    assert shares == [0.769, 0.395, 0.603]
    assert not found.shares["smoker"].has_several


def test_shares_of_a_part_of_the_persons() -> None:
    """Of a large table whole persons are looked at, not some of their rows."""
    draw = random.Random(13)
    rows = [{"key": str(n), "v": draw.choice("aabc")} for n in [*range(9000)] * 3]
    write_records(rows, delimiter=";")
    found, expected = asked("rows.csv", "key", ["v"], 9000), counted(rows, "key", ["v"])
    assert found.rows == expected.rows
    assert expected.shares["v"].largest == pytest.approx(0.875, abs=0.01)
    assert found.shares["v"].largest == pytest.approx(0.875, abs=0.03)
    assert found.shares != expected.shares, "a part was looked at"


def comments(text: str) -> dict[str, str]:
    """The comment above each column of a plan."""
    found = re.findall(r"((?:^  # .*\n)+)  (\w+):", text, re.MULTILINE)
    return {name: " ".join(lines.replace("  # ", "").split()) for lines, name in found}


def test_bounds_follow_from_shares_of_persons() -> None:
    result = proposed(histories=False)
    assert keys_of(result.plan)["unit"] == "patient_id"
    assert keys_of(result.plan)["columns"]["patient_id"] == {"role": "identifier"}
    assert "No key of them is published" in result.text
    assert result.findings["warnings"] == []
    names = ("smoker", "diagnosis", "procedure")
    assert keys_of(result.plan)["privacy"] == [
        {"model": "k-anonymity", "k": 5},
        *({"model": "l-diversity", "l": 2, "attribute": name} for name in names),
    ]
    shown = re.findall(r"(\d+) % of the persons have the most frequent value", result.text)
    expected = counted(hospital_visits(), "patient_id", SENSITIVE).shares
    assert shown == [f"{100 * expected[name].largest:.0f}" for name in names]
    found = comments(result.text)
    assert found["weight"].endswith("ranges that end at multiples of 5")
    assert found["birth_date"].endswith("ranges that end where months begin")
    assert found["sex"].endswith("the value, or several")
    assert found["zip"].endswith("up to four values, or the beginning that they share")


def test_l_is_larger_where_no_value_is_frequent() -> None:
    """Every person has three rows, all with one of the values; t-closeness needs that. A value that
    everybody has cannot be hidden."""
    for values, l in ((8, 3), (3, 2)):  # noqa: E741
        rows = [(*person(random.Random(n)), f"D{n % values}") for n in [*range(900)] * 3]
        result = sqlanon.init(write(("KVNR", *DISCHARGES[:4], "diagnosis"), rows))
        promise = {"model": "l-diversity", "l": l, "attribute": "diagnosis"}
        assert keys_of(result.plan)["privacy"][1] == promise
    rows = []
    for n in range(900):
        who = person(random.Random(n))
        for visit in range(3):
            therapy = "x" if n % 10 == 0 else "y" if n % 3 == visit else "no"
            rows.append((*who, str(n % 4) if visit else "none", therapy, "ny"[n % 50 == 0]))
    columns = ("KVNR", *DISCHARGES[:4], "diagnosis", "therapy", "smoker")
    result = sqlanon.init(write(columns, rows))
    assert keys_of(result.plan)["columns"]["diagnosis"] == {"role": "quasi-identifier"}
    assert "generalized, as every person has one of its values" in words(result.text)
    assert "90 % of the persons have the most frequent value; l = 2" in words(result.text)
    assert keys_of(result.plan)["privacy"][1:] == [
        {"model": "l-diversity", "l": 2, "attribute": "therapy"},
        {"model": "t-closeness", "t": 0.3, "attribute": "smoker"},
    ]


def test_histories_of_the_hospital() -> None:
    """Nine of ten patients have four rows or fewer; three are not enough."""
    rows = Counter(Counter(row["patient_id"] for row in hospital_visits()).values())
    three, four = (sum(n for each, n in rows.items() if each <= most) / 1200 for most in (3, 4))
    assert three < 0.9 <= four
    result = proposed(histories=True)
    unit = {"column": "patient_id", "histories": "linked", "rows": 4}
    assert keys_of(result.plan)["unit"] == unit
    pseudonym = {"role": "identifier", "action": "pseudonym", "key": "random"}
    assert keys_of(result.plan)["columns"]["patient_id"] == pseudonym
    assert keys_of(result.plan)["method"] == {"name": "datafly"}
    assert result.findings["warnings"] == []
    assert f"{100 * four:.0f} % of them at most 4" in words(result.text)
    found = comments(result.text)
    assert found["weight"].endswith("intervals of 5, 10, 20; the ends are left open")
    assert found["birth_date"].endswith("month, year or decade")
    assert found["sex"].endswith("the value, or '*'")


def test_histories_of_an_event_log() -> None:
    drawn = logged("device_id")
    rows = Counter(Counter(drawn).values())
    result = sqlanon.init("rows.csv", histories=True)
    assert keys_of(result.plan)["unit"] == "device_id"
    (warning,) = result.findings["warnings"]
    most = min(n for n in rows if sum(c for each, c in rows.items() if each <= n) >= 450)
    alike = Counter[int]()
    for each, count in rows.items():
        alike[min(each, most)] += count
    alone = sum(count for count in alike.values() if count < 5) / 500
    assert warning.startswith(
        f"Linked histories are not proposed: nine of ten persons have up to {most} rows, and"
        f" {100 * alone:.0f} % of the persons have a number of rows that fewer than 5 persons have."
    )
    result = sqlanon.init(ROOT / "examples/clinic/patients.csv", histories=True)
    assert result.findings["warnings"] == [
        "Linked histories are not proposed: no column identifies persons."
    ]


def test_many_rows_of_persons_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passes that count persons take minutes of more rows than 200,000; mondrian takes a third."""
    assert proposal.MOST_ROWS_OF_PERSONS == 200_000
    monkeypatch.setattr(proposal, "MOST_ROWS_OF_PERSONS", 2_000)
    for size, method in ((2_000, "optimal"), (2_001, "mondrian")):
        rows = [(f"d-{100 + n % 300}", 20 + n % 60, n % 3) for n in range(size)]
        plan = keys_of(sqlanon.init(write(("device_id", "age", "kind"), rows)).plan)
        assert (plan["unit"], plan["method"]["name"]) == ("device_id", method)
