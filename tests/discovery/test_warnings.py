"""`check` and `run` warn of what should not be published as it is, and of repeating persons."""

from __future__ import annotations

import json
import logging
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon.commands.options import Options
from sqlanon.discovery.warnings import plan_warnings
from sqlanon.errors import PlanError
from sqlanon.plan.warnings import PlanWarning
from tests.conftest import Command
from tests.discovery.plans import answer, iban
from tests.plan.plans import plan_of as any_plan
from tests.support.tables import write_csv

QUASI = "quasi-identifier"
WORDS = ["was", "seen", "again", "after", "operation", "and", "felt", "well", "secret", "today"]

pytestmark = pytest.mark.usefixtures("folder")


def write(columns: Sequence[str], rows: Iterable[Sequence[Any]], name: str = "rows.csv") -> None:
    write_csv(name, [columns, *rows])


def plan_of(columns: dict[str, Any], k: int = 5, **keys: Any) -> dict[str, Any]:
    privacy = [{"model": "k-anonymity", "k": k}]
    return any_plan(
        columns, **{"source": "rows.csv", "privacy": privacy, "suppression": {"limit": 1}} | keys
    )  # fmt: skip


def names_of(plan: dict[str, Any]) -> list[str]:
    return [warning.name for warning in sqlanon.check(plan).warnings]


def text(words: int) -> str:
    return " ".join(random.choices(WORDS, k=words))


def test_a_repeating_person_is_warned_of_and_unit_mends_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Patients, some of whom come often; in some classes of k rows there are fewer than k."""
    random.seed(11)
    patients = [
        (f"P{number}", random.randint(20, 60), random.choice("FM"), random.randint(10, 14))
        for number in range(150)
    ]
    drawn = random.choices(patients, [random.choice((1, 1, 1, 8)) for _ in patients], k=400)
    write(
        ("patient_id", "visit", "age", "sex", "zip", "diagnosis"),
        [(*who[:1], f"V{n}", *who[1:], random.choice("abc")) for n, who in enumerate(drawn)],
    )
    visits = {f"V{number}": who[0] for number, who in enumerate(drawn)}
    ages = {"role": QUASI, "hierarchy": {"intervals": [10, 20]}}
    columns = {"patient_id": "identifier", "visit": "insensitive", "age": ages, "sex": QUASI,
               "zip": QUASI, "diagnosis": "sensitive"}  # fmt: skip

    def fewest(result: sqlanon.RunResult) -> int:
        """Of the patients in each published class, by the visits."""
        found = defaultdict(set)
        for visit, *quasi in result.published.select("visit", "age", "sex", "zip").fetchall():
            found[tuple(quasi)].add(visits[visit])
        return min(map(len, found.values()))

    plan = plan_of(columns, acknowledge=["nearly-unique.visit"])
    result = sqlanon.run(plan)
    assert fewest(result) < 5, "k rows of fewer than k persons"
    (warned,) = [w for w in result.manifest["warnings"] if not w["acknowledged"]]
    assert warned["name"] == "repeating-person.patient_id"
    assert f"{400 / len({*visits.values()}):.1f} rows on average" in warned["text"]
    shown = [record.getMessage() for record in caplog.records]
    assert shown == [f"Warning {warned['name']}: {warned['text']}"]
    counted = sqlanon.run({**plan, "unit": "patient_id"}, Options(overwrite=True))
    assert [w["name"] for w in counted.manifest["warnings"]] == ["nearly-unique.visit"]
    assert fewest(counted) >= 5


def test_what_is_a_repeating_person() -> None:
    """Columns with the rows that each value has; of the last ones there is none to warn of."""
    columns = {
        "patient_id": (3, "identifier"), "KundenNr": (3, "identifier"),
        "member_no": (3, "insensitive"), "employee_id": (1, "identifier"),
        "visit_id": (3, "identifier"), "hospital": (3, "identifier"),
    }  # fmt: skip
    rows = [[n % 4, *(f"P{n // each}" for each, _ in columns.values())] for n in range(300)]
    write(("age", *columns), rows)
    plan = plan_of({"age": QUASI} | {name: role for name, (_, role) in columns.items()})
    warned = [name for name in names_of(plan) if name.startswith("repeating-person.")]
    assert warned == [f"repeating-person.{name}" for name in list(columns)[:3]]
    write(("age", "person"), [(n % 4, f"Eva R{'aeiou'[n % 5]}{'xyz'[n % 3]}") for n in range(90)])
    assert names_of(plan_of({"age": QUASI, "person": "identifier"})) == []
    for count in (0, 1, 15):  # too few rows to be warned of anything
        write(("age", "patient_id"), [(1, f"p{n}") for n in range(count)])
        assert names_of(plan_of({"age": QUASI, "patient_id": "insensitive"})) == []


def test_columns_that_should_not_be_published_as_they_are() -> None:
    """`check` and `run` agree on them; a warning stops nothing."""
    random.seed(3)
    makers: dict[str, Callable[[int], Any]] = {
        "bill": lambda n: f"B{n}",
        "amount": lambda n: n * 1.37,
        "notes": lambda n: f"{text(6)} {n}",
        "remark": lambda n: f"{text(6)} {n % 60}",
        "ward": lambda n: f"ward {n % 7}",
        "label": lambda n: f"the long name of diagnosis number {n % 9}",
        "place": lambda n: f"p{n}",
        "salary": lambda n: n * 3.5,
        "secret": lambda n: f"{text(9)} {n}",
        "gone": lambda n: f"{text(9)} {n}",
        "empty": lambda n: "",
    }
    write(list(makers), [[make(n) for make in makers.values()] for n in range(300)])
    roles = dict.fromkeys(makers, "insensitive") | {
        "place": QUASI, "salary": "sensitive", "secret": "sensitive", "gone": "identifier",
    }  # fmt: skip
    checked = sqlanon.check(plan_of(roles, 2)).warnings
    manifest = sqlanon.run(plan_of(roles, 2)).manifest["warnings"]
    assert [warning.as_manifest() for warning in checked] == manifest
    named = "nearly-unique.bill nearly-unique.amount free-text.notes free-text.remark"
    assert [warning.name for warning in checked] == [*named.split(), "free-text.secret"]
    assert Path("out.parquet").exists()


def test_content_by_which_persons_are_found() -> None:
    contents: list[tuple[str, Callable[[int], str]]] = [
        ("e-mail addresses", lambda n: f"user{n}@example.org"),
        ("e-mail addresses", lambda n: f"mail user{n}@example.org again" if n % 5 else "none"),
        ("phone numbers", lambda n: f"+49 30 {2_000_000 + n}"),
        ("IBANs", lambda n: iban(f"{n:018d}")),
    ]
    roles = [role for role in ("insensitive", "sensitive", "identifier") for _ in contents]
    columns = {f"noted_{n}": role for n, role in enumerate(roles)}
    write(("age", *columns), [[n % 3, *([m(n) for _, m in contents] * 3)] for n in range(200)])
    found = sqlanon.check(plan_of({"age": QUASI, **columns})).warnings
    assert [w.name for w in found] == [f"identifying-content.noted_{n}" for n in range(8)]
    for warning, (kind, _) in zip(found, contents * 2, strict=True):
        assert f"are {kind}, by which" in warning.text
        assert "@" not in warning.text


def warnings_of(plan: dict[str, Any], first_rows: int) -> list[PlanWarning]:
    return list(answer(plan, lambda stated: plan_warnings(stated, first_rows)))


def test_of_a_large_table_all_rows_are_counted_where_values_could_repeat() -> None:
    """Codes that are unique among the first rows repeat later; persons come back later."""
    write(
        ("patient_id", "age", "code", "bill", "notes"),
        [(f"p{n % 900}", n % 4, f"c{n % 300}", f"b{n}", f"seen again as always {n % 60}")
         for n in range(9_000)],
    )  # fmt: skip
    roles = {"patient_id": "identifier", "age": QUASI}
    plan = plan_of(roles | dict.fromkeys(("code", "bill", "notes"), "insensitive"))
    first = 200
    found = warnings_of(plan | {"source": {"query": f"from 'rows.csv' limit {first}"}}, first)
    assert [w.name for w in found][1:] == ["nearly-unique.bill", "free-text.notes"]
    found = warnings_of(plan, first)
    assert [w.name for w in found] == ["repeating-person.patient_id", "nearly-unique.bill"]
    average = re.search(r"have (\d+\.\d) rows on average", found[0].text)
    assert average
    assert abs(float(average[1]) - 10) < 0.5  # the number of persons is approximate


def noted(acknowledge: list[str], **keys: Any) -> dict[str, Any]:
    random.seed(5)
    write(("age", "notes", "bill"), [(n % 3, f"{text(7)} {n}", f"b{n}") for n in range(200)])
    roles = {"age": QUASI, "notes": "insensitive", "bill": "insensitive"}
    return plan_of(roles, acknowledge=acknowledge, **keys)


def test_an_acknowledged_warning_is_marked_and_not_logged_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """One that nobody gives is reported, and one that nobody can give is a fault."""
    manifest = sqlanon.run(noted(["free-text.notes", "nearly-unique.bill"])).manifest
    assert [(w["name"], w["column"], w["acknowledged"]) for w in manifest["warnings"]] == [
        ("free-text.notes", "notes", True), ("nearly-unique.bill", "bill", True),
    ]  # fmt: skip
    assert not caplog.records
    again = sqlanon.run(noted([]), Options(locked=True, overwrite=True)).manifest
    assert again["plan_sha256"] == manifest["plan_sha256"]  # the reviewed solution remains valid
    assert [w["acknowledged"] for w in again["warnings"]] == [False, False]
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * 2
    found = sqlanon.check(noted(["nearly-unique.notes", "free-text.notes"])).warnings
    assert [(w.name, w.acknowledged) for w in found] == [
        ("free-text.notes", True), ("nearly-unique.bill", False),
        ("unused-acknowledgment.nearly-unique.notes", False),
    ]  # fmt: skip
    assert "free-text.notes" in found[-1].text
    for name in ("free-text.nots", "free-txt.notes", "notes", "free-text notes"):
        with pytest.raises(PlanError) as caught:
            sqlanon.check(noted(["nearly-unique.bill", name]))
        assert caught.value.where == "acknowledge[1]"
        assert "free-text.notes" in caught.value.fix


def test_warnings_are_on_stderr_and_in_json(folder: Path, command: Command) -> None:
    """And no value is in a warning or a file."""
    Path("p.yml").write_text(json.dumps(noted(["nearly-unique.bill"])), "utf-8")
    shown: list[str] = []
    for name in ("check", "run"):
        code, output, errors = command(name, "p.yml", columns=500)
        assert code == 0
        assert errors.startswith("Warning free-text.notes: 'notes' is published as it is")
        assert "free text, which" not in output
        assert "nearly-unique.bill" not in errors
        shown += output, errors, *command(name, "p.yml", "--json")[1:]
    found = json.loads(command("check", "p.yml", "--json").out)
    assert [(w["name"], w["acknowledged"]) for w in found["warnings"]] == [
        ("free-text.notes", False), ("nearly-unique.bill", True),
    ]  # fmt: skip
    assert found["valid"] is True
    assert found["plan"]["acknowledge"] == ["nearly-unique.bill"]
    files = (file for file in folder.rglob("*") if file.suffix not in (".parquet", ".csv"))
    shown += (file.read_text("utf-8") for file in files if file.is_file())
    for part in shown:
        assert not any(f" {word} " in part for word in ("operation", "felt", "today"))


def test_a_caller_sees_them_on_a_connection_with_odd_names() -> None:
    connection = duckdb.connect()
    connection.execute(
        'create table people as select i % 3 as age, \'b\' || i as "The ""Bill""",'
        " {'name': 'x'} as \"Patient Id\" from range(100) t(i)"
    )
    roles = {"age": QUASI, 'the "bill"': "insensitive", "patient id": "identifier"}
    plan = plan_of(roles, source={"table": "people"})
    found = sqlanon.check(plan, Options(connection=connection)).warnings
    assert [(w.name, w.column) for w in found] == [('nearly-unique.the "bill"', 'the "bill"')]
