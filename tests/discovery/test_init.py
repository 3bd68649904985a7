"""`init`: from an unknown table to a plan that runs as it stands.

What is proposed is compared with what is known of the tables: of Adult from its description, of
the hospital's visits from the script that makes them. Sets of columns that single people out are
counted in plain Python.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import random
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon.cli.init import given_answers
from sqlanon.commands import solve
from sqlanon.commands.session import Session
from sqlanon.commands.solve import Clock, Solved
from sqlanon.discovery.content import content_of
from sqlanon.engines.base import Engine
from sqlanon.errors import NoSolutionError, PlanError
from sqlanon.plan.plan import Plan
from sqlanon.plan.yaml_file import parse
from sqlanon.sql.step import Step
from tests.conftest import Command
from tests.discovery.plans import keys_of
from tests.discovery.test_discovery import column
from tests.discovery.test_init_persons import hospital_visits, proposed
from tests.support.tables import write_csv

pytestmark = pytest.mark.usefixtures("folder")


KNOWN = "sex age race marital-status education native-country workclass occupation"
ADULT_ROLES = dict.fromkeys(KNOWN.split(), "quasi-identifier") | {"salary-class": "sensitive"}
"""As the literature uses the table."""

VISITS_ROLES = {
    name: role
    for role, names in {
        "identifier": "visit_id patient_id last_name first_name email phone street insurance_no"
        " iban doctor_id note",
        "quasi-identifier": "birth_date sex zip city nationality marital_status occupation admitted"
        " ward weight discharged nights payer charge paid",
        "sensitive": "diagnosis procedure smoker",
        "insensitive": "currency",
    }.items()
    for name in names.split()
}
"""Who it is, and free text; what people know; what nobody should learn; one value for all."""


def roles_of(plan: Plan) -> dict[str, str]:
    return {name: column.role for name, column in plan.columns.items()}


def test_adult_in_two_commands(adult: Path, command: Command) -> None:
    shutil.copy(adult / "adult.csv", "adult.csv")
    Path("adult.yml").write_text("mine")
    kept = command("init", "adult.csv")
    assert (kept.code, kept.out) == (2, "")
    assert "exists" in kept.err
    assert "--force" in kept.err
    assert Path("adult.yml").read_text() == "mine"
    asked = command("init", "adult.csv", "--interactive", "--force")
    assert asked.code == 2
    assert "not a terminal" in asked.err
    done = command("init", "adult.csv", "--json", "--force")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert (found["plan"], found["warnings"]) == ("adult.yml", [])
    assert {one["name"]: one["role"] for one in found["columns"]} == ADULT_ROLES
    plan = sqlanon.load_plan("adult.yml")
    assert roles_of(plan) == ADULT_ROLES
    assert (plan.source.path, plan.source.delimiter, plan.unit) == ("adult.csv", ";", None)
    assert "hierarchy: adult/race.csv" in Path("adult.yml").read_text(encoding="utf-8")
    manifest = sqlanon.run("adult.yml").manifest
    assert manifest["warnings"] == []
    assert all(entry["satisfied"] for entry in manifest["privacy"])
    assert manifest["rows"]["suppressed"] <= 0.02 * 30162


def test_visits_in_two_commands() -> None:
    """No cell is in what is proposed, and no person and no key in what is published."""
    result = proposed(histories=False)
    assert roles_of(result.plan) == VISITS_ROLES
    assert sqlanon.load_plan(parse(result.text.encode(), "plan.yml")[0]) == result.plan
    found = {one["name"]: one["content"] for one in result.findings["columns"]}
    assert {name: kind for name, kind in found.items() if kind} == {
        "first_name": "names of persons", "email": "e-mail addresses", "phone": "phone numbers",
        "iban": "IBANs",
    }  # fmt: skip
    text, visits = result.text + json.dumps(result.findings), hospital_visits()
    for name in ("patient_id", "last_name", "email", "phone", "street", "iban", "note",
                 "birth_date", "zip", "city", "charge", "diagnosis", "nationality"):  # fmt: skip
        assert [row[name] for row in visits if row[name] in text] == []
    run = sqlanon.run(result.plan)
    assert run.manifest["warnings"] == []
    # with postcodes cut into all codes at once, and ranges of the alphabet, it was 0.371
    assert run.manifest["utility"]["ncp"] < 0.32
    rows = run.records()
    assert not {"note", "last_name", "email", "visit_id"} & rows[0].keys()
    secret = {row["patient_id"] for row in visits}
    assert not secret & {value for row in rows for value in row.values()}
    assert min(row["persons"] for row in rows) >= 5


def test_sets_that_single_people_out() -> None:
    draw = random.Random(3)
    names = ["city", "age", "job", "pet"]
    rows = [[draw.randrange(40), draw.randrange(90), i % 7, draw.randrange(3)] for i in range(900)]
    minimal: dict[frozenset[str], float] = {}
    for size in (1, 2, 3):
        for places in itertools.combinations(range(4), size):
            columns = frozenset(names[place] for place in places)
            counts = Counter(tuple(row[place] for place in places) for row in rows)
            share = sum(count == 1 for count in counts.values()) / len(rows)
            if share >= 0.05 and not any(smaller < columns for smaller in minimal):
                minimal[columns] = share
    found = sqlanon.init(write_csv("people.csv", [names, *rows])).findings["singling_sets"]
    assert len(found) == len(minimal) >= 2
    for one in found:
        assert one["share"] == pytest.approx(minimal[frozenset(one["columns"])], abs=1e-6)


def written(name: str, text: str, encoding: str = "utf-8", repeat: int = 60) -> None:
    """A file with a header and a row that is repeated with other numbers."""
    header, _, row = text.partition("\n")
    rows = "".join(row.replace("N", str(20 + i % 40)) + "\n" for i in range(repeat))
    Path(name).write_bytes(f"{header}\n{rows}".encode(encoding))


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize(
    ("text", "encoding", "expected"),
    [
        ("town,age\nBonn,N", "utf-8", {}),
        ("town;age\nBonn;N", "utf-8-sig", {"delimiter": ";"}),
        ("town\tage\nBonn\tN", "utf-16", {"delimiter": "\t", "encoding": "utf-16"}),
        ("ort|alter\nKöln|N", "latin-1", {"delimiter": "|", "encoding": "latin-1"}),
        ("town;age\n'a;b';N", "utf-8", {"delimiter": ";", "quote": "'"}),
        ("Bonn,31\nBonn,N", "utf-8", {"header": False}),
        ("town,note\nBonn,\"one; two; three; four; N\"", "utf-8", {}),
        ("town:age\nUlm:N", "utf-8", {"delimiter": ":"}),
        ("seen\n12:N", "utf-8", {}),
        ("12:10\n12:N", "utf-8", {"header": False}),
    ],
)  # fmt: skip
def test_reader_options(text: str, encoding: str, expected: dict[str, Any]) -> None:
    written("file.csv", text, encoding)
    result = sqlanon.init("file.csv", "file.yml")
    assert keys_of(result.plan)["source"] == {"path": "file.csv", **expected}
    assert result.findings["rows"] == 60 + (expected.get("header") is False)
    sqlanon.run("file.yml")


def test_late_bytes_of_other_encodings() -> None:
    """Windows-1252, which has characters where Latin-1 has none, and two in one file, are refused.

    A person in the first line does not name a column.
    """
    for text, encoding, said in (
        ("\u20ac", "cp1252", r"Line 5 of .x\.csv. is neither UTF-8 nor Latin-1"),
        ("Köln", "utf-8", r"Line 5 .* in several, or a workbook of Excel"),
    ):
        written("x.csv", "ort,alter\nKöln,N", "latin-1", 3)
        with Path("x.csv").open("ab") as file:
            file.write(f"{text},33\n".encode(encoding))
        with pytest.raises(PlanError, match=said):
            sqlanon.init("x.csv")
    written("x.csv", "town,age\nBonn,N", repeat=150_000)
    with Path("x.csv").open("ab") as file:
        file.write("Köln,33\n".encode("latin-1"))
    assert keys_of(sqlanon.init("x.csv").plan)["source"]["encoding"] == "latin-1"
    rows = [f"{given} Doe{letter},Bonn" for given in ("Eva", "John") for letter in "ABCDEFGHIJ"]
    Path("y.csv").write_text(lines("Anna Meier,Ulm", *rows), encoding="utf-8")
    result = sqlanon.init("y.csv")
    assert list(keys_of(result.plan)["columns"]) == ["column0", "column1"]
    assert "Anna" not in result.text


def test_other_sources() -> None:
    rows = "select 20 + i % 40 as age, i % 2 = 0 as smoker, i * 1.5 as fee from range(90) r(i)"
    roles = {"age": "quasi-identifier", "smoker": "sensitive", "fee": "quasi-identifier"}
    connection = duckdb.connect()
    connection.execute(f"create table people as {rows}")
    result = sqlanon.init("people", connection=connection)
    assert result.path is None
    assert roles_of(result.plan) == roles
    sqlanon.run(result.plan, connection=connection)
    assert connection.execute("select count(*) from people_anonymous").fetchall() == [(90,)]
    assert list(Path().glob("*.yml")) == []
    connection.execute("copy people to 'p.parquet'; copy people to 'p.json'")
    connection.execute("attach 'p.duckdb' as p; create table p.t as from people; detach p")
    for source in ("*.parquet", "p.parquet", "p.json", "p.duckdb::t"):
        assert roles_of(sqlanon.init(source, "p.yml", force=True).plan) == roles
        assert sqlanon.verify(source, quasi_identifiers=["smoker"], k=2)
        sqlanon.check("p.yml")
    sqlanon.run("p.yml")


def test_a_column_of_every_type() -> None:
    """Nested values, bytes and large numbers are left out; times with a zone are no dates, and no
    date is infinite; codes of another type than text have no beginning.

    `run` warns of persons whom the plan does not count, as some rows are of nobody.
    """
    select = """
        20 + i % 50 as age, time '08:00:00' + to_minutes(i % 50) as begun, uuid() as code,
        case when i % 9 = 0 then 'nan'::double else i % 20 end as x, i::hugeint as h,
        'a'::blob as b, timestamptz '2020-01-01 00:00:00+00' + to_hours(i % 90) as seen,
        ['x'] as l, {'a': 1} as s, 10000 + i % 9 as zip, i % 3 = 0 as smoker,
        case when i % 2 = 0 then 'p' || (i % 90) end as patient_id, (i % 40) / 3.0 as lat,
        case when i = 3 then 'infinity'::date else date '1990-01-01' + i::int % 60 end as birth,
        ('DE-' || (1000000 + i % 3))::enum('DE-1000000', 'DE-1000001', 'DE-1000002') as zip_code,
        uuid() as postcode
    """
    duckdb.connect().execute(f"copy (select {select} from range(400) r(i)) to 't.parquet'")
    result = sqlanon.init("t.parquet", "t.yml")
    roles = roles_of(result.plan)
    assert {name for name, role in roles.items() if role == "identifier"} == {
        "code", "h", "b", "l", "s", "patient_id", "postcode",
    }  # fmt: skip
    assert keys_of(result.plan)["columns"]["seen"] == {
        "role": "quasi-identifier", "hierarchy": {"date": ["day", "week"]}, "type": "categorical",
    }  # fmt: skip
    assert "unit" not in keys_of(result.plan)
    warned = sqlanon.run("t.yml").manifest["warnings"]
    assert [warning["name"] for warning in warned] == ["repeating-person.patient_id"]


def lines(*rows: str) -> str:
    return "\n".join(rows) + "\n"


RUNS = {
    "one column": lines("town", *("ABCD"[i % 4] for i in range(80))),
    "everything unique": lines("id,a,b", *(f"{i},{i * 7},{i}x" for i in range(90))),
    "one unique column": lines("code", *(f"x{i}" for i in range(90))),
    "only nulls": lines("a,b", *[","] * 60),
    "same and empty headers": lines("age,age,,Age", *(f"{i},{i % 9},{i % 3},4" for i in range(90))),
    "alike values": lines("age,diagnosis", *["3,Flu", "4,flu ", "3,cold"] * 30),
    "notations": lines("age,diagnosis", *(f"{i % 9},{'5.0' if i % 2 else '5'}" for i in range(90))),
    "skewed": lines("age,hiv", *(f"{i % 9},{'yes' if i == 5 else 'no'}" for i in range(90))),
    "two rows": lines("age,sex", "3,F", "4,M"),
    "numbers that a plan cannot name":
        lines("x,y,z", *(f"{i}e-13,{i % 50}00000000000000000,{i}e290" for i in range(1, 90))),
    "end of a line": lines("ZIP\u2028code,a\ufffe", *(f"A{i % 9},3" for i in range(90))),
    "odd names": lines(
        'a: b,yes,"it\'s ""x""",# c,*,é,2024,- d,null,{e}',
        *(",".join(str(i % (n + 2)) for n in range(10)) for i in range(60)),
    ),
    "reserved word": lines("alter,select", *(f"{20 + i % 50},{i % 4}" for i in range(90))),
}  # fmt: skip
"""Tables of which a plan is proposed that runs."""


ALIKE = {
    "case": ("Flu", "flu"), "ends": ("flu", "flu "), "invisible": ("flu", "f\u200blu"),
    "braille": ("flu", "flu\u2800"), "ligature": ("fit", "\ufb01t"), "accent": ("\xe9", "e\u0301"),
    "notation": ("5", "5.0"), "sign": ("5", "+5"), "thousands": ("1000", "1,000"),
    "apostrophe": ("1000", "1'000"), "missing": ("flu", " "), "unknown": ("flu", "\u2477a"),
    "different": ("flu", "pox"),
}  # fmt: skip
"""Values that a run refuses to count apart, or does not know, but for the last ones."""


def test_values_that_a_run_takes_for_the_same_are_not_proposed() -> None:
    """`init` and `run` follow one rule: by the same promise the run stops."""
    values = [[*pair, "cold", "gout", "asthma"] for pair in ALIKE.values()]
    names = [f"{kind} diagnosis" for kind in ALIKE]
    rows = [[20 + i % 9, *(v[(i + at) % 5] for at, v in enumerate(values))] for i in range(90)]
    rows.append([25, *(None if kind == "missing" else "gout" for kind in ALIKE)])
    write_csv("x.csv", [["age", *names], *rows])
    plan = sqlanon.init("x.csv", "x.yml").plan
    *alike, different = names
    for name in alike:
        assert roles_of(plan)[name] == "identifier"
        asked = {
            **keys_of(plan),
            "columns": {**plan.columns, name: "sensitive"},
            "privacy": [{"model": "l-diversity", "l": 2, "attribute": name}],
        }
        with pytest.raises(PlanError, match=f"counts values of '{name}' as different"):
            sqlanon.run(asked)
    assert roles_of(plan)[different] == "sensitive"


@pytest.mark.parametrize("name", RUNS)
def test_strange_tables_run(name: str) -> None:
    """The text of a proposal is its plan, also of a file with an odd name."""
    Path("odd, x.csv").write_text(RUNS[name], encoding="utf-8")
    with pytest.raises(PlanError, match="cannot be the name of a plan"):
        sqlanon.init("odd, x.csv", ".x.yml")
    assert [file.name for file in Path().iterdir()] == ["odd, x.csv"]
    assert sqlanon.init("odd, x.csv", "x.yml").plan == sqlanon.load_plan("x.yml")
    manifest = sqlanon.run("x.yml").manifest
    assert all(entry["satisfied"] for entry in manifest["privacy"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "empty"),
        ("a,b\n", "no rows"),
        ("a,b\n1,2\n", "1 row"),
        ("a,b\n1,2\n3\n", "Line 3 of a CSV file is broken: 1 fields, not 2"),
        ('a,b\n1,2\n"secret,1\n3,4\n', "Line 3 of a CSV file is broken"),
        ("a,b\n" + "1,2\n" * 9000 + "3,4,5\n", "Line 9002 of a CSV file is broken"),
        ("a,b\n" + "1,2\n" * 9000 + '3,"secret\n', "Line 9002 of a CSV file is broken"),
        ("a," + "b" * 200_000 + "\n1,secret\n3\n", "cannot be read: .*\nFix: check the"),
        ("a,b\r\n1,2\r\n3,secret\n5,6\r\n", "cannot be read: .*\nFix: check the"),
    ],
    ids=lambda text: repr(text)[:40],
)
def test_refused(content: str, message: str) -> None:
    Path("x.csv").write_bytes(content.encode())
    reads: list[Any] = [partial(sqlanon.init, output="x.yml")]
    if "broken" in message or "read" in message:
        reads.append(partial(sqlanon.verify, quasi_identifiers=["a"], k=2))
    for read in reads:
        with pytest.raises(PlanError, match=message) as refusal:
            read("x.csv")
        assert "secret" not in str(refusal.value)
    assert not Path("x.yml").exists()


def test_codes_and_points_in_time_are_no_quantities() -> None:
    """Number plates, postcodes, long numbers that repeat, and times with a zone."""
    draw = random.Random(5)
    letters, start = "ABCDEFGHJK", datetime(2024, 3, 1)
    keys = [draw.randrange(10**9, 10**10) for _ in range(400)]
    rows = [
        f"G{draw.choice(letters)}{draw.randrange(10, 70)} {''.join(draw.choices(letters, k=3))},"
        f"{draw.choice(['LS', 'BD'])}{1 + n % 9} {n % 7}A{letters[n % 9]},{draw.choice(keys)},"
        f"{start + timedelta(minutes=draw.randrange(40_000)):%Y-%m-%dT%H:%M:%SZ},{'xyz'[n % 3]}"
        for n in range(2000)
    ]
    Path("x.csv").write_text(lines("crew,home,q7,seen,disease", *rows), encoding="utf-8")
    found = sqlanon.init("x.csv", "x.yml")
    assert roles_of(found.plan) | {"disease": "sensitive"} == {
        "crew": "identifier", "home": "quasi-identifier", "q7": "identifier",
        "seen": "quasi-identifier", "disease": "sensitive",
    }  # fmt: skip
    assert keys_of(found.plan)["columns"]["home"]["hierarchy"] == {"mask": {}}
    assert any(text.startswith("'q7' could be the key") for text in found.findings["warnings"])
    seen = sqlanon.run("x.yml").published.fetchdf()["seen"]
    assert all(re.fullmatch(r"2024-[W0-9-]+", label) for label in seen)  # days and weeks


def test_what_only_looks_like_sensitive_is_not_published_as_it_is() -> None:
    """Groups of ages shaped like ICD-10, numbered columns with answers of their own, of which four
    items have the same, benefits, phone numbers, and an infection that nearly nobody has."""
    draw = random.Random(8)
    answers = {"v1": "FM", "v2": "ABCD", "v3": "YN", "v4": "PQR", "w1": "1234567"}
    answers |= {"w2": "1234567", "w3": "1234567", "w4": "123456"}
    groups, shelves = ["M30", "M40", "W30", "W40", "W50"], ["A10.1", "A10.2", "B20.1", "C30"]
    names = ["AK", "town", *answers, "rsa", "q9", "id_hh", "roepnaam", "midl_name", "infection"]
    ill = [draw.choice(["hiv", "tbc"]) if draw.random() < 0.04 else "" for _ in range(900)]
    rows = [
        [draw.choice(groups), draw.choice(shelves), *map(draw.choice, answers.values()),
         f"{607 + draw.randrange(90) / 4:.2f}", draw.randrange(10**8, 10**11), 5000 + n % 400,
         "XYZ"[n % 400 % 3], "JKL"[n % 400 % 3], one]
        for n, one in enumerate(ill)
    ]  # fmt: skip
    result = sqlanon.init(write_csv("x.csv", [names, *rows]), "x.yml")
    roles = roles_of(result.plan)
    assert {name for name, role in roles.items() if role == "sensitive"} == {
        "w1", "w2", "w3", "w4", "infection",
    }  # fmt: skip
    identifiers = {name for name, role in roles.items() if role == "identifier"}
    assert identifiers == {"q9", "id_hh", "roepnaam", "midl_name"}
    assert any("'id_hh' could be" in text for text in result.findings["warnings"])
    *_, promise = keys_of(result.plan)["privacy"]
    assert promise == {"model": "t-closeness", "t": 0.3, "attribute": "infection"}
    share = round(100 * ill.count("") / 900)
    assert f"# {share} % of the rows have the most frequent value" in result.text


def test_what_is_no_file() -> None:
    Path("data").mkdir()
    os.mkfifo("pipe.csv")
    with duckdb.connect("p.duckdb") as opened:
        opened.execute("create schema s")
        opened.execute("create table s.people as select 1 as age")
        opened.execute("create view visits as select 1 as age")
    for source, message in (
        ("absent.csv", "does not exist"), ("data", "is a folder"),
        ("pipe.csv", "not a regular file"),
        ("p.duckdb", "several tables.*\n.*, of s.people, visits"),
        ("p.duckdb::visit", "does not exist.*\n.*Did you mean 'visits'"),
    ):  # fmt: skip
        with pytest.raises(PlanError, match=message):
            sqlanon.init(source)


def test_two_hundred_columns() -> None:
    draw = random.Random(5)
    rows = [",".join(str(draw.randrange(2 + n % 40)) for n in range(200)) for _ in range(200)]
    Path("wide.csv").write_text(lines(",".join(f"c{n}" for n in range(200)), *rows))
    result = sqlanon.init("wide.csv", "wide.yml")
    # c0 to c9 have the same few answers, as c40 to c49 and so on: blocks of items
    counted = {"identifier": 120, "quasi-identifier": 30, "sensitive": 50}
    assert Counter(roles_of(result.plan).values()) == counted
    assert sqlanon.check("wide.yml").quasi_identifiers.keys() <= {f"c{n}" for n in range(200)}
    Path("wide.csv").write_text(lines(*[",".join(map(str, range(5_000)))] * 3))
    with pytest.raises(PlanError, match=r"5,000 columns; a plan is proposed for 2,000"):
        sqlanon.init("wide.csv")


def test_the_source_is_not_replaced_even_by_force() -> None:
    written("people.csv", "age,town\nN,Bonn")
    before = Path("people.csv").read_bytes()
    os.link("people.csv", "same.csv")
    query: Any = {"query": "select age from read_csv('people.csv')"}
    for source, output in (
        ("people.csv", "same.csv"), ("p*.csv", "people.csv"), (query, "same.csv")
    ):  # fmt: skip
        with pytest.raises(PlanError, match="is the source"):
            sqlanon.init(source, output, force=True)
    assert Path("people.csv").read_bytes() == before


CONTENTS = {
    "e-mail addresses": ["a@b.org", "x.y@mail.example.com", "none", "-", "n/a", "?", "unknown"],
    "IBANs": ["DE89370400440532013000", "GB82 WEST 1234 5698 7654 32", "NL91ABNA0417164300",
              "FR1420041010050500013M02606", "CH9300762011623852957"],
    "phone numbers": ["+49 30 901820", "+1 212 555 0123", "+44 20 7946 0958", "030/901820",
                      "+33 1 42 68 53 00"],
    "network addresses": ["10.0.0.1", "192.168.1.7", "2001:db8::1", "8.8.8.8", "127.0.0.1"],
    "web addresses": ["https://a.example", "www.example.org/x", "http://b.c/d", "x", "y"],
    "names of persons": ["Anna Meyer", "Peter van Dyk", "Schulz, Maria", "José Silva",
                         "Ng, Thomas"],
    "Polish PESEL numbers": ["44051401359", "02070803628", "90090515836", "92071314764",
                             "81100216357"],
    "Dutch citizen numbers": ["111222333", "123456782", "100000009", "123456782", "111222333"],
    "US social security numbers": ["078-05-1120", "219-09-9999", "457-55-5462", "123-45-6789",
                                   "212-34-5678"],
}  # fmt: skip
"""Published specimens of each kind, some among other values."""


OTHER_VALUES = [
    ["Bonn", "Berlin", "Paris", "New York", "Sydney", "San Jose"],
    [f"{n:05d}" for n in range(10115, 10215)],
    [f"{n}.{n % 7}" for n in range(100, 200)],
    [f"E{n}.{n % 10}" for n in range(10, 99)],
    [str(n) for n in range(123456700, 123456800)],
    ["GT-I9300", "SM-G900F", "Nexus 5", "LG-D855", "HTC One"],
    ["2020-01-05", "2021-02-03", "1.2.2020", "3/4/2021", "05.06.2019"],
    ["a@b", "x", "y", "z", "w"],
    ["Anna"],
]


@pytest.mark.parametrize(
    ("kind", "values"), [*CONTENTS.items(), *((None, values) for values in OTHER_VALUES)]
)
def test_content(kind: str | None, values: list[str]) -> None:
    assert getattr(content_of(column(), values), "kind", None) == kind


def test_asked_at_a_terminal(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Enter accepts what is proposed; an arrow key and enter choose the next role."""
    pytest.importorskip("questionary")
    toolkit = pytest.importorskip("prompt_toolkit")
    written("two.csv", "age,zip\nN,N")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    with toolkit.input.create_pipe_input() as keys:
        keys.send_text("\x1b[A\r" + "\r" * 3)
        with toolkit.application.create_app_session(keys, toolkit.output.DummyOutput()):
            assert command("init", "two.csv", "--interactive").code == 0
    assert roles_of(sqlanon.load_plan("two.yml")) == {
        "age": "identifier", "zip": "quasi-identifier",
    }  # fmt: skip


def answering(asked: list[Any], *answers: str) -> Any:
    """A person who gives these answers, and stops at the end; what is asked is added."""
    left = iter(answers)

    def ask(question: str, words: Mapping[str, str], default: str) -> str:
        asked.append((question.partition(" (")[0], default, words))
        answer = next(left, None)
        if answer is None:
            raise KeyboardInterrupt
        return default if answer == "enter" else answer

    return partial(given_answers, ask)


def test_questions_go_back_and_can_be_ended() -> None:
    """Ctrl-C keeps what was answered; the other columns stay as they are proposed."""
    written("three.csv", "age,zip,town\nN,N,Bonn")
    asked: list[Any] = []
    choose = answering(asked, "insensitive", "back", "identifier", "sensitive")
    roles = roles_of(sqlanon.init("three.csv", choose=choose).plan)
    assert [(question, default) for question, default, _ in asked] == [
        ("1 of 6: age", "quasi-identifier"), ("2 of 5: zip", "quasi-identifier"),
        ("1 of 5: age", "insensitive"), ("2 of 5: zip", "quasi-identifier"),
        ("3 of 5: town", "insensitive"),
    ]  # fmt: skip
    assert roles == {"age": "identifier", "zip": "sensitive", "town": "quasi-identifier"}


def entropy(values: Iterable[object]) -> float:
    counts = Counter(values)
    return -sum(n / counts.total() * math.log2(n / counts.total()) for n in counts.values())


def test_hierarchies_k_and_promises_are_asked_with_what_they_cost() -> None:
    draw = random.Random(6)
    born = [date(1930, 1, 1) + timedelta(days=draw.randrange(30_000)) for _ in range(700)]
    ill = draw.choices("ABCD", k=700)
    write_csv("x.csv", [("born", "diagnosis"), *zip(born, ill, strict=True)])
    asked: list[Any] = []
    choose = answering(asked, "enter", "enter", "1", "back", "1", "3", "back", "3", "3")
    result = sqlanon.init("x.csv", "x.yml", choose=choose)
    plan, words = keys_of(result.plan), {one.partition(": ")[2]: words for one, _, words in asked}
    assert asked[-1][0] == "5 of 5: what is promised of diagnosis"
    assert plan["columns"]["born"]["hierarchy"] == {"date": ["month", "quarter", "year"]}
    assert plan["privacy"] == [
        {"model": "k-anonymity", "k": 3}, {"model": "l-diversity", "l": 3, "attribute": "diagnosis"}
    ]  # fmt: skip
    assert sqlanon.run("x.yml").manifest["rows"]["published"] > 0

    kept = [entropy(f"{day}"[:length] for day in born) for length in (7, 4, 3)]
    expected = ", ".join(f"{bits:.1f}" for bits in kept)
    assert f"month, year or decade: {expected} bits" in words["what born is generalized to"]["0"]
    (k,) = (answers for question, answers in words.items() if question.startswith("k,"))
    assert f" {math.log2(700 / 5):.1f} of {entropy(born):.1f} bits" in k["5"]
    drawn = itertools.product(Counter(ill).items(), repeat=3)
    fewer = sum(math.prod(n for _, n in codes) for codes in drawn if len({*codes}) < 3) / 700**3
    promised = words["what is promised of diagnosis"]["3"]
    assert f"chance makes up to {round(100 * fewer)} % have fewer" in promised


def test_passes_are_proposed_where_no_promise_reads_values() -> None:
    """A few rows more than the limit would end such a run: the two that passes may leave are a
    large part of 2 % of 200."""
    draw = random.Random(1)
    rows = [
        (round(draw.gauss(45, 15)), draw.choice("mf"), 80_000 + round(draw.gauss(50, 20)))
        for _ in range(600)
    ]
    passes = {"name": "optimal", "passes": {}, "refine": True}
    for size, method in ((600, passes), (200, {"name": "mondrian"})):
        write_csv("people.csv", [("age", "sex", "zip"), *rows[:size]])
        assert keys_of(sqlanon.init("people.csv").plan)["method"] == method


@pytest.mark.parametrize(
    ("soon", "holds", "expected"),
    # two searches of 1 and 1.5 seconds, and 28,162 rows more at 0.5 seconds a thousand
    [(1_000, True, 15.6), (30_162, True, None), (1_000, False, None)],
)
def test_how_long_a_run_takes_follows_from_two_beginnings(
    monkeypatch: pytest.MonkeyPatch, soon: int, holds: bool, expected: float | None
) -> None:
    searched: list[int] = []
    clock = iter([10.0, 11.0, 20.0, 21.5])

    def search(session: Session, engine: Engine, laps: Clock) -> Solved:
        if not holds:
            raise NoSolutionError("A beginning is not enough.", where="privacy", fix="more rows")
        solved = original(session, engine, laps)
        counted = Step("counted", "select count(*), 0 from sqlanon.source_rows", "rows")
        searched.append(engine.execute(counted)[0][0])
        return solved

    original = solve.search
    clocks = SimpleNamespace(process_time=lambda: next(clock))
    for name, value in (
        ("search", search), ("_SOON", soon), ("_TIMED_ROWS", (1_000, 2_000)), ("time", clocks)
    ):  # fmt: skip
        monkeypatch.setattr(f"sqlanon.commands.init.{name}", value)
    rows = [(20 + n % 50, "mf"[n % 2]) for n in range(30_162)]
    result = sqlanon.init(write_csv("people.csv", [("age", "sex"), *rows]))
    assert result.findings["seconds"] == expected
    assert searched == ([1_000, 2_000] if expected else [])


def test_beginnings_of_codes_are_read_from_any_file() -> None:
    """Brackets in its name are no wildcards."""
    codes = [f"DE{n % 4}{n // 4 % 4}{'ABC'[n // 16 % 3]}00{n // 48 % 4}X7" for n in range(3_000)]
    name = write_csv("of it's [1] ward.csv", [("region_code", "sex"), *((c, "f") for c in codes)])
    plan = keys_of(sqlanon.init(name).plan)
    assert "left(region_code, 5)" in plan["columns"]["region_code"]["hierarchy"]["query"]
    assert sqlanon.run(plan).manifest["rows"]["published"]


# --- how texts are written: a proposal reads every value, or it says why not

DAYS = [datetime(1940, 1, 1, 14, 30) + timedelta(97 * n) for n in range(300)]


def readings(columns: Mapping[str, Sequence[object]]) -> tuple[dict[str, Any], list[str]]:
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
    expected["born_8"]["first_year"] = date.today().year - 99
    columns["born_0"][9] = "01.02.2074"  # four digits say the century themselves
    assert readings(columns) == (expected, [])
    sqlanon.run("rows.yml")
    readings({"born": columns["born_0"], "sex": ["m", "f"] * 150})
    with open("rows.csv", "a", encoding="utf-8") as file:
        file.write("1950-03-01,m\n")
    with pytest.raises(PlanError, match="A value of 'born' is no date written as"):
        sqlanon.run("rows.yml")


def test_ends_that_are_open_and_codes_are_no_dates() -> None:
    """No range ends there, so a plan without them would not run; nor would one with a code."""
    days = [*DAYS[:150], *[datetime(9999, 12, 31)] * 150]
    forms = ["%Y-%m-%d", "%Y-%m-%d %H:%M:%S", "%d.%m.%Y", "%m/%d/%Y", "%Y%m%d"]
    columns = {f"until_{n}": [f"{day:{form}}" for day in days] for n, form in enumerate(forms)}
    expected = {name: {ends[-1], "-9"} for name, ends in columns.items()}
    for ends in columns.values():
        ends[3] = "-9"
    read, warnings = readings(columns | {"late": [f"20{10 + n % 90}0101" for n in range(300)]})
    assert {name: {*how["missing"]} for name, how in read.items()} == expected
    assert not [warning for warning in warnings if "no date" in warning]
    date = "cast(nullif(until_0, '-9') as date) as until_0"
    duckdb.sql(f"copy (select {date} from read_csv('rows.csv', all_varchar = true)) to 'd.parquet'")
    for file, code in (("rows.csv", {"-9"}), ("d.parquet", set())):
        plan = sqlanon.init(file).plan
        assert {*keys_of(plan)["source"]["read"]["until_0"]["missing"]} == {"9999-12-31", *code}
        sqlanon.run(plan, sqlanon.Options(overwrite=True))


def test_what_is_read_in_no_way_is_text_with_a_warning() -> None:
    """No value is in a warning."""
    ways = ("%m/%d/%Y", "%d/%m/%Y")
    few = [day.strftime("%d.%m.%Y") for day in DAYS]
    few[3], few[40] = "spring 1950", "31.02.1950"
    read, warnings = readings({
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
    read, warnings = readings(columns)
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
        read, warnings = readings({"born": early, "other": other})
        assert read["born"] == {"date": "%d/%m/%Y"}
        assert warnings == [
            "Day and month of 'born' cannot be distinguished; it is read as %d/%m/%Y. If that is"
            " wrong, write the other order under `read`."
        ]
    for form in ("%m/%d/%Y", "%b %d, %Y", "%d-%b-%Y"):
        read, warnings = readings({"born": early, "visit": [day.strftime(form) for day in DAYS]})
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


def test_numbers_of_any_form() -> None:
    """As they are written in English, and with other marks in place of commas and points."""
    values = [random.Random(n).uniform(1, 90_000) for n in range(300)]
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
    found, _ = readings(columns)
    assert found == expected
    sqlanon.run("rows.yml")
    driven, price = [f"{1 + n % 90}.{n:03d}" for n in range(300)], [f"{n},5" for n in range(300)]
    comma = {"decimal": ","}  # of another column
    assert readings({"driven": driven, "price": price})[0] == {
        "driven": {"number": {**comma, "thousands": "."}}, "price": {"number": comma},
    }  # fmt: skip


def test_codes_that_a_cast_takes_for_numbers_are_texts() -> None:
    """French classes and school years; 1.5e3 and 2e-05 are numbers."""
    codes = {"klas": ["3e1", "3e2", "4e5"], "wave": ["2021_22", "2022_23"]}
    others = {"disease": ["flu", "cold", "ulcer", "flu"], "dose": ["1.5e3", "2e-05"]}
    readings({name: (few * 150)[:300] for name, few in (codes | others).items()})
    rows = sqlanon.run("rows.yml").published.fetchdf()
    for name, few in codes.items():
        labels = {one.rstrip("*") for label in rows[name] for one in label.strip("{}").split(", ")}
        assert all(any(code.startswith(label) for code in few) for label in labels)


def test_codes_for_missing_are_far_from_the_rest() -> None:
    """Also in columns of numbers, and in texts that are read as numbers, which a code is, too."""
    draw = random.Random(2)
    columns = {name: draw.choices("12345", k=300) for name in "abc"}
    for name in "abc":
        columns[name][10], columns[name][20:24] = "-9", ["9"] * 4
    age = [str(draw.randint(20, 98)) for _ in range(300)]
    age[:3], age[3:6] = ["999"] * 3, ["98"] * 3
    charge = [str(draw.randint(0, 2_000)) for _ in range(300)]
    charge[:3] = ["999"] * 3
    weights = {form: [form.format(draw.randint(30, 99)) for _ in age] for form in ("{},5", "{} kg")}
    for texts in weights.values():
        texts[:9] = ["-9", "999", "999"] * 3
    read, warnings = readings({**columns, "age": age, "kids": charge, **weights})
    assert warnings == []
    assert [{*read[form].pop("missing")} for form in weights] == [{"-9", "999"}] * 2
    assert [read[form]["number"] for form in weights] == [{"decimal": ","}, {"unit": "kg"}]
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
    draw = random.Random(1)
    write_csv("rows.csv", [("age", "sex", *(f"x{chr(97 + n)}" for n in range(14))), *(
        (draw.randint(18, 90), draw.choice("mf"),
         *(f"v{draw.randrange(4 + n)}" for n in range(14)))
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
