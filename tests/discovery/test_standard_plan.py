"""`init --standard`: the plan keeps the standard but for what only an officer can confirm."""

from __future__ import annotations

import datetime
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pytest

import sqlanon
from sqlanon import PlanError
from sqlanon.commands.options import Options
from sqlanon.discovery import standards
from sqlanon.discovery.standards import SMALL_AREAS
from tests.conftest import Command
from tests.discovery.test_standards import (
    BROKEN,
    DOUBTED,
    KEPT,
    KNOWN,
    NAMES,
    YEAR,
    columns_of,
    write,
)

pytestmark = pytest.mark.usefixtures("folder", "_today")

STANDARD = "hipaa-safe-harbor"


@pytest.fixture
def _today(monkeypatch: pytest.MonkeyPatch) -> None:
    """A day of the year for which the tables are made."""
    day = datetime.datetime(YEAR, 7, 1, tzinfo=datetime.UTC)
    clock = SimpleNamespace(UTC=datetime.UTC, datetime=SimpleNamespace(now=lambda zone: day))
    monkeypatch.setattr(standards, "datetime", clock)


ROWS = 400


def patients() -> dict[str, Callable[[int], object]]:
    """Columns of patients as they come from a hospital, most of which Safe Harbor lists."""
    choose = random.Random(7)
    zips = choose.choices(["02139", "03601", "10001", "10002", "2138"], k=ROWS)
    born, seen = (
        [first + datetime.timedelta(choose.randrange(days)) for _ in range(ROWS)]
        for first, days in ((datetime.date(1925, 1, 1), 33_000), (datetime.date(2021, 1, 1), 900))
    )
    return {
        "mrn": lambda n: f"R{n:06}",
        "lastname": lambda n: f"{NAMES[n % 3]}{n}",
        "phone": lambda n: f"617-253-0{100 + n % 900}",
        "zip": lambda n: zips[n],
        "born": lambda n: born[n].isoformat(),
        "age": lambda n: YEAR - born[n].year,
        "sex": lambda n: "FM"[n % 2],
        "admitted": lambda n: seen[n].isoformat(),
        "county": lambda n: f"C{n % 4}",
        "diagnosis": lambda n: ("flu", "cold", "asthma", "ulcer")[n * 7 % 4],
    }


def test_the_plan_of_patients_is_published() -> None:
    """By whatever method, once the officer has confirmed what no row shows."""
    write(patients(), "patients.csv", ROWS)
    found = sqlanon.init("patients.csv", "plan.yml", standard=STANDARD)
    with pytest.raises(PlanError) as error:
        sqlanon.check("plan.yml")
    (fault,) = error.value.faults
    assert "actual-knowledge" in fault.what
    assert "actual-knowledge" in found.text
    proposed = {**found.plan, "acknowledge": KNOWN}
    for other in (
        {},
        {"method": "optimal", "suppression": {"limit": 1}},
        {"method": "mondrian", "suppression": {"limit": 0}},
    ):
        result = sqlanon.run(proposed | other, Options(overwrite=True))
        rules = result.manifest["standard"]["rules"]
        unproven = [(one["rule"], one["state"]) for one in rules if one["state"] != "proven"]
        assert unproven == [("actual-knowledge", "confirmed")]
        published = result.records()
        assert published
        assert {"zip", "born", "age", "admitted", "sex", "diagnosis"} <= published[0].keys()
        assert not {"mrn", "lastname", "phone", "county"} & published[0].keys()
        numbers = {
            name: [each for row in published for each in re.findall(r"\d+", str(row[name]))]
            for name in ("zip", "age", "born", "admitted")
        }  # by the text of the rule, and not by what the check list looks for
        assert all(len(each) <= 3 and each not in SMALL_AREAS for each in numbers["zip"])
        assert all(int(age) <= 90 for age in numbers["age"])
        assert all(int(year) >= YEAR - 90 for year in numbers["born"])
        assert all(2021 <= int(year) <= 2024 for year in numbers["admitted"])


def test_values_are_read_as_coarser_ones() -> None:
    write(patients(), "patients.csv", ROWS)
    areas = {"02139": "021", "03601": "000", "10001": "100", "10002": "100", "2138": "021"}
    names = "select zip, born, age, admitted from"
    with duckdb.connect() as connection:
        connection.execute(
            "create table patients as from read_csv('patients.csv', all_varchar = true)"
        )
        expected = [
            (areas[place], max(int(born[:4]), YEAR - 90), min(int(age), 90), int(admitted[:4]))
            for place, born, age, admitted in connection.execute(f"{names} patients").fetchall()
        ]
        for source in ("patients.csv", "patients", {"query": "select * from patients -- all\n;"}):
            plan = sqlanon.init(source, connection=connection, standard=STANDARD).plan
            query = plan["source"]["query"]
            assert connection.execute(f"{names} ({query})").fetchall() == expected


@pytest.mark.sampled(0.3)
@pytest.mark.parametrize("standard", ["hipaa-safe-harbor", "ema-0070", "gdpr-wp29"])
@pytest.mark.parametrize("day", ["%d.%m.%Y", "%m/%d/%Y %H:%M", "%d-%b-%y"])
def test_texts_are_read_before_they_get_coarser(standard: str, day: str) -> None:
    days = [datetime.datetime(2001, 1, 1, 9, 30) + datetime.timedelta(37 * n) for n in range(200)]
    seen = [one.strftime(day) for one in days]
    write({"admitted": lambda n: seen[n % 200] if n % 20 else "n/a", "sex": lambda n: "mf"[n % 2],
           "weight": lambda n: f"{40 + n % 50},5"})  # fmt: skip
    plan = sqlanon.init("rows.csv", standard=standard).plan
    assert plan["source"]["read"]["weight"] == {"number": {"decimal": ","}}
    if "query" in plan["source"]:
        read = duckdb.connect().execute(plan["source"]["query"]).fetchall()
        years = [days[n % 200].year if n % 20 else None for n in range(len(read))]
        assert [year for year, *_ in read] == years
        Path("rows.csv").write_text("admitted,sex,weight\n2001-13-01x,m,50\n", "utf-8")
        with pytest.raises(duckdb.ConversionException):
            duckdb.connect().execute(plan["source"]["query"]).fetchall()


def test_a_column_that_breaks_a_rule_is_mended_or_left_out() -> None:
    write({**KEPT, **columns_of(BROKEN), **columns_of(DOUBTED)})
    found = sqlanon.init("rows.csv", standard=STANDARD)
    sqlanon.check({**found.plan, "acknowledge": KNOWN})
    kept = {one["name"] for one in found.findings["columns"] if one["role"] != "identifier"}
    mended = {"postcode", "plz", "x1", "seen", "father_age", "mother_born"}
    assert kept == {*KEPT, *mended, "cost"}
    assert all(f" as {name}" in found.plan["source"]["query"] for name in mended)
    assert found.plan["columns"]["cost"]["role"] == "quasi-identifier"


def test_the_query_is_relative_to_the_plan() -> None:
    """Brackets in the name of a file are no wildcards."""
    write(patients(), "of it's [1] ward.csv", ROWS)
    Path("plans").mkdir()
    found = sqlanon.init("of it's [1] ward.csv", "plans/plan.yml", standard=STANDARD)
    assert "'../of it''s [1] ward.csv'" in found.plan["source"]["query"]
    with pytest.raises(PlanError, match="actual-knowledge") as error:
        sqlanon.check("plans/plan.yml")
    assert len(error.value.faults) == 1


def test_no_column_is_kept_that_breaks_a_rule() -> None:
    """Where nothing else could be a quasi-identifier."""
    write({"x3": lambda n: f"a{n % 5}@example.org", "mrn": lambda n: f"R{n % 9}"})
    with pytest.raises(PlanError, match="can be a quasi-identifier"):
        sqlanon.init("rows.csv", standard=STANDARD)


@pytest.mark.parametrize(
    ("standard", "k", "names"),
    [("ema-0070", 12, ["variables"]), ("gdpr-wp29", 3, ["linkability", "inference"])],
)
def test_thresholds(standard: str, k: int, names: list[str], command: Command) -> None:
    write(KEPT)
    done = command("init", "rows.csv", "--standard", standard, "--json")
    assert done.code == 0
    assert json.loads(done.out)["privacy"][0] == {"model": "k-anonymity", "k": k}
    assert sqlanon.load_plan("rows.yml").k == k
    with pytest.raises(PlanError) as error:
        sqlanon.check("rows.yml")
    assert len(error.value.faults) == len(names)
    text = Path("rows.yml").read_text("utf-8")
    assert all(f"`{name}`" in text for name in names)
    Path("rows.yml").write_text(f"{text}\nacknowledge: [{', '.join(names)}]\n", "utf-8")
    sqlanon.check("rows.yml")
    done = command("init", "rows.csv", "--standard", "hipaa", "--force")
    assert done.code == 2
    assert "hipaa-safe-harbor" in done.err
