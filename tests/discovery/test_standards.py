"""Check lists of standards: what keeps a rule, what breaks it, and what only an officer knows.

The plan of `init --standard` keeps the standard but for what only an officer can confirm.
"""

from __future__ import annotations

import datetime
import json
import math
import random
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon.commands.options import Options
from sqlanon.discovery import standards
from sqlanon.discovery.standards import SMALL_AREAS
from sqlanon.errors import NoSolutionError, PlanError, PrivacyViolation
from sqlanon.plan.standards import RULES, Checklist
from sqlanon.proof.findings import violation
from tests.conftest import Command
from tests.discovery.plans import iban, keys_of
from tests.plan.plans import plan_of as plan_with
from tests.support.tables import write_csv

pytestmark = pytest.mark.usefixtures("folder", "_today")

ROWS = 60
YEAR = 2026
SAFE_HARBOR = "hipaa-safe-harbor"
STANDARD = {"name": SAFE_HARBOR, "year": YEAR}
KNOWN = ["actual-knowledge"]

Columns = dict[str, Callable[[int], object]]

KEPT: Columns = {
    "zip": lambda n: ("021", "100", "000")[n % 3],
    "age": lambda n: (34, 89, 90)[n % 3],
    "born": lambda n: (1936, 1950, 2001)[n % 3],
    "sex": lambda n: "FM"[n % 2],
    "diagnosis": lambda n: ("flu", "cold", "asthma")[n % 3],
    "admitted": lambda n: 2019 + n % 4,
    "state": lambda n: ("MA", "NY")[n % 2],
    "ward": lambda n: f"W{n % 4}",
}
"""A table that keeps Safe Harbor."""

NAMES = ("Anna", "Paul", "Ben")
TEXTS = ("was seen again after the operation", "felt well on the day after it", "came by herself")


def columns_like(texts: str) -> Columns:
    """Columns with five values each, from `rule.column=text`: {n} is a digit, {x} a letter."""

    def values(text: str, n: int) -> str:
        return text.format(n=n % 5, x="xyzvw"[n % 5])

    named = (each.strip().partition("=") for each in texts.split(";"))
    return {name: partial(values, text) for name, _, text in named}


BROKEN: Columns = columns_like(
    """names.contact_name=Anna Q{x}; geography.postcode=0213{n}; geography.plz=036;
    geography.x1=02139-000{n}; dates.seen=2020-05-1{n}; dates.father_age=9{n};
    dates.mother_born=193{n}; telephone-numbers.x2=617-253-010{n}; fax-numbers.fax=617-253-010{n};
    e-mail-addresses.x3=a{n}@example.org; social-security-numbers.x4=12{n}-45-678{n};
    device-numbers.x6=0a:1b:2c:3d:4e:0{n}; web-addresses.x7=https://example.org/{n};
    network-addresses.x8=192.168.10.{n}; network-addresses.x9=2001:db8::{n}"""
) | {"account-numbers.x5": lambda n: iban(f"37040044000500000{n % 7}")}
"""A rule and a column that breaks it alone; the values show that, so that nobody confirms it."""

DOUBTED: Columns = columns_like(
    """names.lastname=L{n}; geography.county=C{n}; telephone-numbers.mobile=X{n};
    medical-record-numbers.mrn=R{n}; health-plan-numbers.policy_no=P{n};
    license-numbers.license_number=L{n}; license-numbers.drivers_license=L{n};
    vehicle-numbers.vin=V{n}; biometric-identifiers.fingerprint=F{n}; photographs.photo={n}.jpg;
    other-identifiers.patient_id=P{n}; geography.city=Springfield{x}; dates.month={n}"""
) | {
    "names.x10": lambda n: NAMES[n % 3],
    "account-numbers.x11": lambda n: iban("370400440005000001"),
    "other-identifiers.x12": lambda n: f"0a1b2c3d-4e5f-4a6b-8c7d-00000000000{n % 2}",
    "other-identifiers.cost": lambda n: 100 + n,
    "free-text.remark": lambda n: f"{TEXTS[n % 25 % 3]} {n % 25}",
    "free-text.x13": lambda n: (1 + n % 25) * "是我自己",  # of 4 to 100 characters, without spaces
}
"""The same of columns that an officer may confirm."""

SAFE = RULES["hipaa-safe-harbor"]


def columns_of(breaking: Columns) -> Columns:
    return {name.partition(".")[2]: values for name, values in breaking.items()}


@pytest.fixture
def _today(monkeypatch: pytest.MonkeyPatch) -> None:
    """A day of the year for which the tables are made."""
    day = datetime.datetime(YEAR, 7, 1, tzinfo=datetime.UTC)
    clock = SimpleNamespace(UTC=datetime.UTC, datetime=SimpleNamespace(now=lambda zone: day))
    monkeypatch.setattr(standards, "datetime", clock)


def faults_of(function: Callable[..., object], plan: dict[str, Any]) -> list[str]:
    """The rules and columns for which a plan is refused."""
    with pytest.raises(PlanError) as error:
        function(plan)
    return sorted(
        fault.what.partition(": ")[0].removeprefix(f"{SAFE_HARBOR}, ")
        + fault.where.removeprefix("columns")
        for fault in error.value.faults
    )


def write(columns: Columns, name: str = "rows.csv", rows: int = ROWS) -> None:
    content = ([value(n) for value in columns.values()] for n in range(rows))
    write_csv(name, [list(columns), *content])


def plan_of(more: dict[str, Any] | None = None, **keys: Any) -> dict[str, Any]:
    roles = {**dict.fromkeys(KEPT, "insensitive"), "diagnosis": "sensitive",
             **dict.fromkeys(("zip", "age", "born", "sex"), "quasi-identifier")}  # fmt: skip
    usual = {"privacy": [{"model": "k-anonymity", "k": 5}], "standard": STANDARD,
             "acknowledge": KNOWN}  # fmt: skip
    return plan_with(roles | (more or {}), "rows.csv", **{**usual, **keys})


def states(rules: Sequence[Any]) -> dict[str, str]:
    """The rules that are not proven, and their states."""
    return {one.rule: one.state for one in rules if one.state != "proven"}


def states_of(result: sqlanon.RunResult) -> dict[str, str]:
    rules = result.manifest["standard"]["rules"]
    return {one["rule"]: one["state"] for one in rules if one["state"] != "proven"}


def checked(name: str, *acknowledge: str) -> Checklist:
    found = sqlanon.verify(name, standard=STANDARD, acknowledge=[*KNOWN, *acknowledge]).standard
    assert found is not None
    return found


def test_every_rule_of_safe_harbor_is_broken_by_a_column() -> None:
    named = {name.partition(".")[0] for name in (*BROKEN, *DOUBTED, *KNOWN)}
    assert named == {rule.name for rule in SAFE}
    letters = [rule.title[0] for rule in SAFE if rule.title[1] == ":"]
    assert "".join(letters) == "ABCDEFGHIJKLMNOPQR"  # 45 CFR 164.514(b)(2)(i)
    # HRSA's list for UDS+, as published in its validation rules
    listed = "202 753 205 204 821 203 059 772 692 893 036 823 102 879 556 884 878 369"
    assert sorted(SMALL_AREAS) == sorted(listed.split())


def test_a_plan_that_keeps_safe_harbor_is_published() -> None:
    """If the officer confirms what no row shows."""
    write(KEPT)
    for function in (sqlanon.check, sqlanon.solve, sqlanon.run):
        with pytest.raises(PlanError, match=r"(?s)acknowledge: \[actual-knowledge\]") as error:
            function(plan_of(acknowledge=[]))
        assert len(error.value.faults) == 1
    result = sqlanon.run(plan_of())
    entry = result.manifest["standard"]
    assert (entry["name"], entry["year"]) == (SAFE_HARBOR, YEAR)
    assert {one["rule"]: one["state"] for one in entry["rules"]} == {
        rule.name: "confirmed" if rule.name in KNOWN else "proven" for rule in SAFE
    }
    assert json.loads((result.target / "publication.json").read_text())["standard"] == entry
    assert result.verify().standard == sqlanon.verify("out.parquet", plan_of()).standard


def test_a_plan_is_refused_by_the_name_of_each_rule_that_it_breaks() -> None:
    """What values show cannot be acknowledged."""
    broken, doubted = columns_of(BROKEN), columns_of(DOUBTED)
    write({**KEPT, **broken, **doubted})
    plan = plan_of(dict.fromkeys([*broken, *doubted], "insensitive"))
    for function in (sqlanon.check, sqlanon.run):
        assert faults_of(function, plan) == sorted([*BROKEN, *DOUBTED])
    plan["acknowledge"] = [*KNOWN, *BROKEN, *DOUBTED]
    assert faults_of(sqlanon.run, plan) == sorted(BROKEN)
    assert not Path("out.parquet").exists()
    plan["columns"] |= dict.fromkeys(broken, "identifier")
    plan["acknowledge"] = [*KNOWN, *DOUBTED]
    rules = sqlanon.run(plan).manifest["standard"]["rules"]
    named = [(one["rule"], name) for one in rules if one["state"] == "confirmed"
             for name in one["names"]]  # fmt: skip
    assert {name for _, name in named} == {*KNOWN, *DOUBTED}
    assert all(name.startswith(rule) for rule, name in named)


def test_the_advice_for_dates_can_be_run() -> None:
    """Old and new dates of birth: only years, and of 90 years ago and more one of them."""
    write({"born": lambda n: f"{YEAR - 95 + n}-03-01", "sex": lambda n: "fm"[n % 2]}, rows=60)
    roles = dict.fromkeys(("born", "sex"), "quasi-identifier")
    with pytest.raises(PlanError) as error:
        sqlanon.check(plan_with(roles, "rows.csv", standard=STANDARD))
    fixes = [f.fix for f in error.value.faults if "dates" in f.what]
    (_, read) = [re.findall(r"`(.+? as born)`", fix)[0] for fix in fixes]
    years = duckdb.execute(f"select {read} from 'rows.csv'").fetchall()
    assert (min(years), max(years)) == ((YEAR - 90,), (YEAR - 95 + 59,))


def test_a_file_of_another_tool_fails_by_the_name_of_each_rule_that_it_breaks() -> None:
    write({**KEPT, **columns_of(BROKEN)}, "broken.csv")
    write({**KEPT, **columns_of(DOUBTED)}, "doubted.csv")
    rules = [name.split(".") for name in BROKEN]
    for found in (checked("broken.csv"), checked("broken.csv", *BROKEN)):
        lines = {one.rule: one.text for one in found if one.state == "broken"}
        assert states(found) == {**dict.fromkeys(lines, "broken"), "actual-knowledge": "confirmed"}
        assert lines.keys() == {rule for rule, _ in rules}
        assert all(f"'{column}'" in lines[rule] for rule, column in rules)
        broken = found.violation("broken.csv")
        assert "names (broken)" in getattr(broken, "what", "")
    found = checked("doubted.csv")
    doubts = {one.rule: one.names for one in found if one.state == "to confirm"}
    assert states(found).keys() - doubts.keys() == {*KNOWN}
    assert sorted(name for names in doubts.values() for name in names) == sorted(DOUBTED)
    assert all(name.startswith(rule) for rule, names in doubts.items() for name in names)
    broken = found.violation("doubted.csv")
    assert "vehicle-numbers (to confirm)" in getattr(broken, "what", "")
    assert checked("doubted.csv", *DOUBTED).violation("doubted.csv") is None


VALUES = [
    ("zip", "021 02* 021** 02*** * 000 {021,100}_or_NULL", "0213* 02139 036 036** 36 059 2139 K1A"),
    ("age", "34 89 90 [85;90) >=90 90+ <18 * 8* **", "91 10* 1** 9* *5 89.5 [90;95) [80;100) >=95"),
    (
        "born",
        "1936 1950 <1937 [1940;1960) 1936-1945 1940s 194* **** *",
        "1935 193* 1930s [1920;1940) 192* 1900-1999",
    ),
    (
        "visit_date",
        "2020 2020-01-01 1980-1984 [1980-01-01;1990-01-01) 1980s 1900-1999 *",
        "2020-05-17 17.05.2020 5/17/20 2020-05 2020-Q2 2020-W20 05/2020 May_2020 20200517 17-May-20"
        " 2020-05-17T00:00:00 [1980-01-01;1989-12-31] 198503 Q1_1985 1985_March 850305 März_1985",
    ),
    (
        "seen",
        "1985 1985/1986 1985-1990 1985-01-01/1990-01-01 617-064 Mark_5 2_sets W10",
        "March_5;1985 Mar_5_1985 Monday;March_5th;1985 5th_March_1985 15._März_1985 5_août_1985"
        " 5_de_enero_de_1985 1985-064 1985-W10-2 1985-01-01/1985-03-31 2019-02-01/2019-02-07"
        " 2019-02-01-2019-02-07 01.02.2019-07.02.2019",
    ),
    ("code", "12-05 4711 2020-05 E11.9 1.2 10:30", "2020-05-17 17.05.2020"),
]
"""A column, values that keep the rules about it, and values that break them, in 2026."""


@pytest.mark.parametrize("state", ["proven", "broken"])
def test_values_that_keep_or_break_a_rule(state: str) -> None:
    cells: dict[str, str] = {}
    for column, *both in VALUES:
        for n, value in enumerate(both[state == "broken"].split()):
            cells[f"{column}_{n}"] = value.replace("_", " ").replace(";", ", ")
    write_csv("other.csv", [[*cells], [*cells.values()], ["*"] * len(cells)])
    found = checked("other.csv")
    expected = {} if state == "proven" else {"geography": state, "dates": state}
    assert states(found) == {**expected, "actual-knowledge": "confirmed"}
    lines = {one.rule: one.text for one in found}
    for name, value in cells.items():
        line = lines["geography" if name.startswith("zip") else "dates"]
        assert (f"'{name}' has" in line) == (state == "broken"), value


def test_each_rule_is_confirmed_by_itself() -> None:
    """Places are named by any word: one for a birth or a state in a name does not hide them. Types
    are read as their texts."""
    write({"photo_description": lambda n: f"{TEXTS[n % 3]} {n}", "region": lambda n: f"47.{n} 8"})
    found = checked("rows.csv", "photographs.photo_description", "geography.region")
    assert {one.rule: one.names for one in found if one.state == "to confirm"} == {
        "free-text": ("free-text.photo_description",),
        "other-identifiers": ("other-identifiers.photo_description", "other-identifiers.region"),
    }
    places = "birth_city city_of_birth birthplace place_of_birth city_state state_city citystate"
    small = [*places.split(), "home_state_county", "city_zip"]
    large = ["home_state", "homestate", "zip_code", "post_code", "zip3", "birth_country"]
    write({name: lambda n: 1 + n % 2 for name in (*small, *large)})
    (line,) = (one for one in checked("rows.csv") if one.rule == "geography")
    assert (line.state, line.names) == ("to confirm", tuple(f"geography.{name}" for name in small))
    rows = "date '2020-01-01' as seen, 34.0 as age, 1936 as birth_year, timestamp '2020-01-01' as t"
    duckdb.sql(f"copy (select {rows}) to 'kept.parquet'")
    duckdb.sql("copy (select timestamp '2020-01-01 10:00:00' as seen) to 'broken.parquet'")
    assert states(checked("kept.parquet")) == {"actual-knowledge": "confirmed"}
    assert states(checked("broken.parquet")) == {"dates": "broken", "actual-knowledge": "confirmed"}


def test_published_values_are_tested_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The source keeps Safe Harbor, and a file of labels or a bound does not: nothing is published.
    A pseudonym is derived from a value unless its key is random."""
    monkeypatch.setenv("SQLANON_PSEUDONYM_KEY", "0123456789abcdef" * 4)
    write({**KEPT, "seen": lambda n: f"2020-0{1 + n % 9}-17", "mrn": lambda n: n,
           "weight_age": lambda n: 80 + n % 20})  # fmt: skip
    Path("zip.csv").write_text("021,02139,*\n100,02139,*\n000,0,*\n", "utf-8")
    pseudonym = {"role": "identifier", "action": "pseudonym"}
    plan = plan_of({"seen": {"role": "insensitive", "publish": {"round": "year"}},
                    "weight_age": {"role": "insensitive", "publish": {"top": 90}},
                    "mrn": pseudonym})  # fmt: skip
    with pytest.raises(PlanError, match=r"other-identifiers: 'mrn' is a keyed hash"):
        sqlanon.run(plan)
    plan["columns"]["mrn"] = {**pseudonym, "key": "random"}
    assert sqlanon.run(plan).manifest["standard"]
    Path("out.parquet").unlink()
    coarse = {"zip": {"role": "quasi-identifier", "hierarchy": "zip.csv"}, "age": "insensitive",
              "born": "insensitive"}  # fmt: skip
    over = {"weight_age": {"role": "insensitive", "publish": {"top": 95}}}
    labels = {"privacy": [{"model": "k-anonymity", "k": 15}], "method": "datafly",
              "suppression": {"limit": 0.4}}  # fmt: skip
    for columns, keys, said in (
        (coarse, labels, r"geography \(broken\): 'zip' has postal codes"),
        (over, {}, r"dates \(broken\): 'weight_age' has ages over 89"),
    ):
        with pytest.raises(PrivacyViolation, match=said):
            sqlanon.run({**plan, **keys, "columns": plan["columns"] | columns})
        assert not Path("out.parquet").exists()


def test_the_command_line_says_what_is_to_confirm(command: Command) -> None:
    write({**KEPT, "mrn": lambda n: f"R{n % 5}"}, "other.csv")
    asked = ["verify", "other.csv", "--standard", SAFE_HARBOR, "--acknowledge=actual-knowledge"]
    done = command(*asked)
    assert done.code == 1
    assert "medical-record-numbers.mrn" in done.err
    assert "a check list, and no promise of k" in done.out
    done = command(*asked, "--acknowledge", "medical-record-numbers.mrn", "--json")
    assert (done.code, json.loads(done.out)["standard"]["name"]) == (0, SAFE_HARBOR)
    done = command(*asked, "--acknowledge", "medical-record-numbers.mnr")
    assert done.code == 2
    assert "Did you mean 'medical-record-numbers.mrn'?" in done.err


def test_a_risk_of_009_has_two_readings() -> None:
    """1/0.09 is 11.1, so 11 persons are a risk above it; authorities take it for one in 11."""
    keys: dict[str, Any] = {"quasi_identifiers": ["sex"], "standard": "ema-0070"}
    for size, state in ((13, "proven"), (12, "proven"), (11, "to confirm"), (10, "broken")):
        assert (1 / size <= 0.09) == (state == "proven")
        Path("other.csv").write_text("sex,job\n" + "F,a\n" * size + "M,b\n" * 20, "utf-8")
        found = sqlanon.verify("other.csv", **keys, acknowledge=["variables"]).standard
        assert found is not None
        assert states(found).get("maximum-risk", "proven") == state
        again = sqlanon.verify("other.csv", **keys, acknowledge=["variables", "maximum-risk"])
        assert isinstance(again.standard, Checklist)
        assert (again.standard.violation("other.csv") is None) == (state != "broken")


@pytest.mark.parametrize(
    ("threshold", "k", "above"), [("0.09", 12, "0.091"), ("0.33", 4, "0.3334"), ("0.2", 5, "")]
)
def test_a_rounded_threshold_has_two_readings_in_errors(threshold: str, k: int, above: str) -> None:
    """Also where the table is too small for it."""
    assert 1 / k <= float(threshold) < 1 / (k - 1)
    Path("rows.csv").write_text("sex,job\n" + "F,a\n" * (k - 1) + "M,b\n" * (k - 1), "utf-8")
    keys: dict[str, Any] = {"quasi_identifiers": ["sex"]}
    promise = {"model": "prosecutor-risk", "threshold": threshold}
    broken = violation(sqlanon.verify("rows.csv", **keys, promises=[promise]), "rows.csv")
    both = f"{threshold} is k = {k}, as 1/{k - 1} = {1 / (k - 1):.4f} is above it"
    rest = f"; if it stands for one in {k - 1}, write {above}"
    assert broken is not None
    assert (f"{both}{rest}" in broken.what) == bool(above)
    plan = plan_with({"sex": "quasi-identifier", "job": "identifier"}, "rows.csv")
    if above:
        over = {**promise, "threshold": above}
        assert above == f"{math.ceil(10_000 / (k - 1)) / 10_000}"
        assert sqlanon.verify("rows.csv", **keys, promises=[over])[0].satisfied
        published = sqlanon.run({**plan, "privacy": [over]}).manifest["rows"]["published"]
        assert published == 2 * (k - 1)
        Path("rows.csv").write_text("sex,job\n" + "F,a\n" * (k - 1), "utf-8")
        with pytest.raises(NoSolutionError, match=both):
            sqlanon.run({**plan, "privacy": [promise], "publish": "few.parquet"})


def test_thresholds_and_criteria_of_a_plan() -> None:
    """They are checked before the search, and confirmed by name."""
    write(KEPT)
    limit = {"suppression": {"limit": 0.9}}
    plan = plan_of(standard="ema-0070", acknowledge=["variables"], **limit)
    with pytest.raises(PlanError, match=r"a risk of 0\.2000; 0\.09 needs k = 12, or 11"):
        sqlanon.run(plan)
    plan["privacy"] = [{"model": "k-anonymity", "k": 11}]
    with pytest.raises(PlanError, match=r"(?s)1/11 = 0\.0909.*acknowledge: \[maximum-risk\]"):
        sqlanon.check(plan)
    plan["acknowledge"].append("maximum-risk")
    rules = sqlanon.run(plan).manifest["standard"]["rules"]
    assert [one["rule"] for one in rules] == ["maximum-risk", "variables"]
    plan = plan_of(standard="gdpr-wp29", acknowledge=["linkability"], publish="b.parquet", **limit)
    with pytest.raises(PlanError, match=r"gdpr-wp29, inference: .*values: nothing"):
        sqlanon.run(plan)
    plan["acknowledge"].append("inference")
    assert states_of(sqlanon.run(plan)) == {"linkability": "confirmed", "inference": "confirmed"}


def test_what_a_check_list_needs_is_said() -> None:
    write(KEPT, "other.csv")
    for standard, said in (("ema-0070", "quasi-identifiers"), ("hipaa", "cannot be 'hipaa'")):
        with pytest.raises(PlanError, match=said):
            sqlanon.verify("other.csv", standard=standard)
    with pytest.raises(PlanError, match="of the standard"):
        sqlanon.check(plan_of(acknowledge=["fotos.zip"]))


def sections(page: Path) -> dict[tuple[str, str], str]:
    """The rows of the section of criteria and standards: its first two cells, and the third."""
    content = page.read_text("utf-8").partition('<h2 id="criteria">')[2].partition("</section>")[0]
    rows = re.findall(r'<tr><th scope="row">(.*?)</th><td>(.*?)</td><td>(.*?)</td></tr>', content)
    return {(first, second): third for first, second, third in rows}


def test_reports_have_the_list_and_the_three_criteria() -> None:
    """The words proven, estimated and measured never mix; both editions say what the rows show."""
    write(KEPT)
    keys: dict[str, Any] = {"suppression": {"limit": 0.9}}
    keys["attacks"] = [{"name": "homogeneity"}, {"name": "linkage", "attacker": "prosecutor"}]
    result = sqlanon.run(plan_of(**keys), Options(report=True))
    internal, external = map(sections, result.reports)
    published = [tuple(row[n] for n in ("zip", "age", "born", "sex")) for row in result.records()]
    diagnoses: dict[Any, set[str]] = {}
    for key, row in zip(published, result.records(), strict=True):
        diagnoses.setdefault(key, set()).add(row["diagnosis"])
    smallest = min(map(published.count, published))
    alike = sum(len(diagnoses[key]) == 1 for key in published)
    for edition in (internal, external):
        assert edition["F: e-mail addresses", "proven"]
        proven = edition["singling out", "proven"]
        assert proven == f"every class has {smallest} rows or more"
        assert edition["inference", "proven"] == "nothing: no promise is about values"
        measured = edition["inference", "measured"]
        assert measured.startswith(f"homogeneity on diagnosis: {alike} of {len(published)} at risk")
        assert edition["singling out", "not covered"].endswith("admitted, state, ward")


PATIENTS = 400


def patients() -> Columns:
    """Columns of patients as they come from a hospital, most of which Safe Harbor lists."""
    choose = random.Random(7)
    zips = choose.choices(["02139", "03601", "10001", "10002", "2138"], k=PATIENTS)
    born, seen = (
        [first + datetime.timedelta(choose.randrange(days)) for _ in range(PATIENTS)]
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
    """By whatever method, once the officer has confirmed what no row shows. Brackets in the name of
    a file are no wildcards."""
    write(patients(), "of it's [1] ward.csv", PATIENTS)
    Path("plans").mkdir()
    found = sqlanon.init("of it's [1] ward.csv", "plans/plan.yml", standard=SAFE_HARBOR)
    assert "'../of it''s [1] ward.csv'" in keys_of(found.plan)["source"]["query"]
    with pytest.raises(PlanError, match="actual-knowledge") as error:
        sqlanon.check("plans/plan.yml")
    assert len(error.value.faults) == 1
    assert "actual-knowledge" in found.text
    proposed = f"{found.text}\nacknowledge: [actual-knowledge]\n"
    Path("plans/plan.yml").write_text(proposed, "utf-8")
    for overrides in (
        {},
        {"method": "optimal", "suppression": {"limit": 1}},
        {"method": "mondrian", "suppression": {"limit": 0}},
    ):
        result = sqlanon.run("plans/plan.yml", Options(overwrite=True), overrides=overrides)
        assert states_of(result) == {"actual-knowledge": "confirmed"}
        published = result.records()
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
    write(patients(), "patients.csv", PATIENTS)
    areas = {"02139": "021", "03601": "000", "10001": "100", "10002": "100", "2138": "021"}
    names = "select zip, born, age, admitted from"
    connection = duckdb.connect()
    connection.execute("create table patients as from read_csv('patients.csv', all_varchar = true)")
    expected = [
        (areas[place], max(int(born[:4]), YEAR - 90), min(int(age), 90), int(admitted[:4]))
        for place, born, age, admitted in connection.execute(f"{names} patients").fetchall()
    ]
    for source in ("patients.csv", "patients", {"query": "select * from patients -- all\n;"}):
        found = sqlanon.init(source, connection=connection, standard=SAFE_HARBOR)
        query = found.plan.source.query
        assert connection.execute(f"{names} ({query})").fetchall() == expected


@pytest.mark.sampled(0.3)
@pytest.mark.parametrize("standard", ["hipaa-safe-harbor", "ema-0070", "gdpr-wp29"])
@pytest.mark.parametrize("day", ["%d.%m.%Y", "%m/%d/%Y %H:%M", "%d-%b-%y"])
def test_texts_are_read_before_they_get_coarser(standard: str, day: str) -> None:
    days = [datetime.datetime(2001, 1, 1, 9, 30) + datetime.timedelta(37 * n) for n in range(200)]
    seen = [one.strftime(day) for one in days]
    write({"admitted": lambda n: seen[n % 200] if n % 20 else "n/a", "sex": lambda n: "mf"[n % 2],
           "weight": lambda n: f"{40 + n % 50},5"})  # fmt: skip
    plan = keys_of(sqlanon.init("rows.csv", standard=standard).plan)
    assert plan["source"]["read"]["weight"] == {"number": {"decimal": ","}}
    if "query" in plan["source"]:
        read = duckdb.connect().execute(plan["source"]["query"]).fetchall()
        years = [days[n % 200].year if n % 20 else None for n in range(len(read))]
        assert [year for year, *_ in read] == years
        Path("rows.csv").write_text("admitted,sex,weight\n2001-13-01x,m,50\n", "utf-8")
        with pytest.raises(duckdb.ConversionException):
            duckdb.connect().execute(plan["source"]["query"]).fetchall()


def test_a_column_that_breaks_a_rule_is_mended_or_left_out() -> None:
    """Also where nothing else could be a quasi-identifier."""
    write({**KEPT, **columns_of(BROKEN), **columns_of(DOUBTED)})
    found = sqlanon.init("rows.csv", standard=SAFE_HARBOR)
    sqlanon.check({**keys_of(found.plan), "acknowledge": KNOWN})
    kept = {one["name"] for one in found.findings["columns"] if one["role"] != "identifier"}
    mended = {"postcode", "plz", "x1", "seen", "father_age", "mother_born"}
    assert kept == {*KEPT, *mended, "cost"}
    assert all(f" as {name}" in keys_of(found.plan)["source"]["query"] for name in mended)
    assert keys_of(found.plan)["columns"]["cost"]["role"] == "quasi-identifier"
    write({"x3": lambda n: f"a{n % 5}@example.org", "mrn": lambda n: f"R{n % 9}"})
    with pytest.raises(PlanError, match="can be a quasi-identifier"):
        sqlanon.init("rows.csv", standard=SAFE_HARBOR)


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
