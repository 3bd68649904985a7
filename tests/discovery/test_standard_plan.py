"""`init --standard`: the plan keeps the standard but for what only an officer can confirm."""

from __future__ import annotations

import datetime
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon import PlanError
from sqlanon.commands.options import Options
from sqlanon.discovery import standards
from sqlanon.discovery.standards import SMALL_AREAS
from tests.conftest import Command
from tests.discovery.test_standards import BREAKING, KEPT, KNOWN, NAMES, YEAR, write

pytestmark = pytest.mark.usefixtures("folder", "_today")

STANDARD = "hipaa-safe-harbor"


@pytest.fixture
def _today(monkeypatch: pytest.MonkeyPatch) -> None:
    """A day of the year for which the tables are made."""
    day = datetime.datetime(YEAR, 7, 1, tzinfo=datetime.UTC)
    clock = SimpleNamespace(UTC=datetime.UTC, datetime=SimpleNamespace(now=lambda zone: day))
    monkeypatch.setattr(standards, "datetime", clock)


def patients(rows: int = 400) -> dict[str, Callable[[int], object]]:
    """Columns of patients as they come from a hospital, most of which Safe Harbor lists."""
    choose = random.Random(7)
    zips = [choose.choice(["02139", "03601", "10001", "10002", "2138"]) for _ in range(rows)]
    born = [datetime.date(1925, 1, 1) + datetime.timedelta(choose.randrange(33_000))
            for _ in range(rows)]  # fmt: skip
    seen = [datetime.date(2021, 1, 1) + datetime.timedelta(choose.randrange(900))
            for _ in range(rows)]  # fmt: skip
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


def write_rows(columns: dict[str, Callable[[int], object]], name: str, rows: int = 400) -> None:
    lines = [",".join(columns)]
    lines += [",".join(str(value(n)) for value in columns.values()) for n in range(rows)]
    Path(name).write_text("\n".join(lines) + "\n", "utf-8")


def confirmed(plan: dict[str, Any]) -> dict[str, Any]:
    return {**plan, "acknowledge": KNOWN}


@pytest.mark.parametrize("method", ["proposed", "optimal", "mondrian"])
def test_the_plan_of_patients_is_published(method: str) -> None:
    write_rows(patients(), "patients.csv")
    found = sqlanon.init("patients.csv", "plan.yml", standard=STANDARD)
    with pytest.raises(PlanError) as error:  # the officer has not confirmed anything
        sqlanon.check("plan.yml")
    (fault,) = error.value.faults
    assert "actual-knowledge" in fault.what
    assert "actual-knowledge" in found.text
    plan = confirmed(found.plan)
    if method != "proposed":
        plan["method"] = method
        plan["suppression"] = {"limit": 1 if method == "optimal" else 0}
    rules = sqlanon.run(plan).manifest["standard"]["rules"]
    assert {one["rule"]: one["state"] for one in rules if one["state"] != "proven"} == {
        "actual-knowledge": "confirmed"
    }
    with duckdb.connect() as connection:
        rows = connection.execute("select * from 'plan_anonymous.parquet'")
        names = [column[0] for column in rows.description or ()]
        published = [dict(zip(names, map(str, row), strict=True)) for row in rows.fetchall()]
    assert published
    assert {"zip", "born", "age", "admitted", "sex", "diagnosis"} <= {*names}
    assert not {"mrn", "lastname", "phone", "county"} & {*names}
    for row in published:  # by the text of the rule, and not by what the check list looks for
        assert all(len(d) <= 3 and d not in SMALL_AREAS for d in re.findall(r"\d+", row["zip"]))
        assert all(int(age) <= 90 for age in re.findall(r"\d+", row["age"]))
        assert all(int(year) >= YEAR - 90 for year in re.findall(r"\d+", row["born"]))
        assert all(2021 <= int(year) <= 2024 for year in re.findall(r"\d+", row["admitted"]))


@pytest.mark.parametrize(
    "source", ["patients.csv", "patients", {"query": "select * from patients -- all\n;"}], ids=str
)
def test_values_are_read_as_coarser_ones(source: Any) -> None:
    write_rows(patients(), "patients.csv")
    with duckdb.connect() as connection:
        connection.execute(
            "create table patients as from read_csv('patients.csv', all_varchar = true)"
        )
        plan = sqlanon.init(source, connection=connection, standard=STANDARD).plan
        query = plan["source"]["query"]
        read = connection.execute(f"select zip, born, age, admitted from ({query})").fetchall()
        raw = connection.execute(
            "select zip, born, age, admitted from read_csv('patients.csv', all_varchar = true)"
        ).fetchall()
    areas = {"02139": "021", "03601": "000", "10001": "100", "10002": "100", "2138": "021"}
    for (zip_, born, age, admitted), found in zip(raw, read, strict=True):
        assert found == (
            areas[zip_], max(int(born[:4]), YEAR - 90), min(int(age), 90), int(admitted[:4]),
        )  # fmt: skip


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


@pytest.mark.sampled(0.1, by="rule")
@pytest.mark.parametrize(("rule", "column", "values", "is_broken"), BREAKING)
def test_a_column_that_breaks_a_rule_is_mended_or_left_out(
    rule: str, column: str, values: Callable[[int], object], is_broken: bool
) -> None:
    write({**KEPT, column: values})
    found = sqlanon.init("rows.csv", standard=STANDARD)
    sqlanon.check(confirmed(found.plan))
    (role,) = [one for one in found.findings["columns"] if one["name"] == column]
    if role["role"] == "identifier":
        return  # as without a standard, or as the standard wants it
    is_read = f" as {column}" in found.plan["source"].get("query", "")
    assert is_read or (column, role["role"]) == ("cost", "quasi-identifier"), (role, rule)


@pytest.mark.parametrize("name", ["patients.csv", "of it's [1] ward.csv"])
def test_the_query_is_relative_to_the_plan(name: str) -> None:
    """Brackets in the name of a file are no wildcards."""
    write_rows(patients(), name)
    Path("plans").mkdir()
    found = sqlanon.init(name, "plans/plan.yml", standard=STANDARD)
    read = name.replace("'", "''")
    assert f"'../{read}'" in found.plan["source"]["query"]
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
    with pytest.raises(PlanError) as error:
        sqlanon.check("rows.yml")
    assert len(error.value.faults) == len(names)
    plan = sqlanon.load_plan("rows.yml")
    text = Path("rows.yml").read_text("utf-8")
    assert all(f"`{name}`" in text for name in names)
    Path("rows.yml").write_text(f"{text}\nacknowledge: [{', '.join(names)}]\n", "utf-8")
    sqlanon.check("rows.yml")
    assert plan.k == k
    assert sqlanon.run("rows.yml", Options(overwrite=True)).manifest["standard"]["name"] == standard


def test_an_unknown_standard_is_named(command: Command) -> None:
    write(KEPT)
    done = command("init", "rows.csv", "--standard", "hipaa")
    assert done.code == 2
    assert "hipaa-safe-harbor" in done.err
