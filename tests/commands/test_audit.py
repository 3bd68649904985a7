"""`verify` with options alone, and `profile`: numbers of Adult, of ARX, and of a small table."""

from __future__ import annotations

import json
import math
import re
import shlex
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

import sqlanon
from sqlanon.sql.render import shipped
from tests.conftest import AdultPlan, Command
from tests.plan.plans import plan_of
from tests.support.tables import write_csv

ROWS = [
    *[("30", "F", "flu", "p1")] * 2,
    *[("30", "F", "cold", "p2")] * 2,
    *[("40", "M", "flu", "p3")] * 3,
    ("40", "M", "ulcer", "p4"),
    ("50", "M", "flu", "p5"),
]
"""Three classes, of 4, 4 and 1 rows. Of persons, whose rows can be joined here, four: `p1` and `p2`
have the same rows, and nobody has those of `p3`, `p4` or `p5`."""


@pytest.fixture(autouse=True)
def table(folder: Path) -> None:
    """The table by hand."""
    write_csv("visits.csv", [("age", "sex", "illness", "patient"), *ROWS])


def found(command: Command, options: str) -> tuple[int, list[dict[str, Any]]]:
    """Exit code and findings of `verify visits.csv` with these options."""
    asked = f"verify visits.csv --quasi-identifiers age,sex {options} --json"
    ended = command(*shlex.split(asked))
    assert ended.code in (0, 1), ended.err
    return ended.code, json.loads(ended.out)


SHARES = {"flu": 6 / 9, "cold": 2 / 9, "ulcer": 1 / 9}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--k 4 --sensitive illness --l 2 --t 0.3 --promise '{model: beta-likeness, beta: 1}'"
         " --promise '{model: average-risk, threshold: 0.25}'",
         [(1, 1), (1, 1), (1 / 3, 1), (1.25, 2), (3 / 9, 1)]),
        ("--k 2 --unit patient", [(1, 3)]),
        ("--sensitive illness --l 1.8 --kind entropy", [(1, 2)]),
        ("--sensitive illness --l 2 --kind recursive --c 2", [(0, 2)]),
        ("--sensitive illness --k 2 --alpha 0.5", [(1, 2)]),
        ("--sensitive sex --l 2", [(1, 3)]),  # one value in every class
        ("--sensitive illness,patient --l 1", [(1, 0), (1, 0)]),
    ],
)  # fmt: skip
def test_promises_of_options(
    options: str, expected: list[tuple[float, int]], command: Command
) -> None:
    code, findings = found(command, options)
    for finding, (measured, failing) in zip(findings, expected, strict=True):
        assert finding["measured"] == pytest.approx(measured)
        assert finding["failing_classes"] == failing
        assert finding["satisfied"] is (failing == 0)
    assert code == any(failing for _, failing in expected)
    asked = options.partition("--sensitive ")[2].split(" ")[0].split(",")
    assert {*asked} - {""} <= {finding["parameters"].get("attribute") for finding in findings}


def test_failing_classes_have_no_values_unless_requested(command: Command) -> None:
    """Of persons, two of one value each are two values of equal weight, however often they came."""
    persons = "--unit patient --sensitive illness --kind entropy --l 2 --failing 3"
    _, (finding,) = found(command, persons)
    assert (finding["class_count"], finding["failing_classes"]) == (4, 3)
    assert finding["measured"] == pytest.approx(1)
    assert [failing["class_size"] for failing in finding["failing"]] == [1] * 3
    _, (finding,) = found(command, "--k 5 --failing 2")
    assert finding["failing"] == [{"class_size": 4}] * 2
    _, (finding,) = found(command, "--k 5 --show-values")
    assert finding["failing"][0] == {"class_size": 4, "age": "30", "sex": "F"}
    code, out, err = command("verify", "visits.csv", "--quasi-identifiers=age,sex", "--k=5")
    assert (code, out.split()[:2]) == (1, ["visits.csv", "promise"])
    assert "30" not in out + err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--k 2", "quasi-identifiers and a promise"),
        ("--quasi-identifiers age", "quasi-identifiers and a promise"),
        ("--quasi-identifiers agee --k 2", "no quasi-identifier 'agee'"),
        ("--quasi-identifiers age --sensitive ill --l 2", "no column 'ill'"),
        ("--quasi-identifiers age --alpha 0.5", "alpha needs k"),
        ("--quasi-identifiers age --k 2 --c 2", "c needs"),
        ("--quasi-identifiers age --k 2 --kind entropy", "kind needs l"),
        ("--quasi-identifiers age --k 2 --with-source", "no source to compare"),
        ("--quasi-identifiers age --promise k", "'k' is not a promise"),
        ("--quasi-identifiers age --promise '{model: k-map, k: 2}'", "population"),
        ("--quasi-identifiers age --sensitive illness --t 2", "t"),
    ],
)
def test_options_that_make_no_plan(options: str, message: str, command: Command) -> None:
    code, _, err = command("verify", "visits.csv", *shlex.split(options), columns=200)
    assert code == 2
    assert message in " ".join(err.split())


def plan(**keys: Any) -> dict[str, Any]:
    """The table by hand, its patients known by name."""
    columns = {**dict.fromkeys(("age", "sex"), "quasi-identifier"), "illness": "sensitive",
               "patient": "insensitive"}  # fmt: skip
    return plan_of(**{"columns": columns, "source": "visits.csv", **keys})


def measures(profile: sqlanon.Profile) -> dict[tuple[Any, ...], Any]:
    """What a profile measured, by model and its parameters."""
    kinds = ("model", "kind", "distance", "absent")
    return {
        tuple(entry[key] for key in kinds if key in entry): entry["measured"]
        for entry in profile.measured
    }


def test_profile_of_a_table_by_hand() -> None:
    profile = sqlanon.profile(plan())
    assert profile.classes == {
        "class_count": 3, "row_count": 9, "unique_count": 1, "smallest": 1, "median": 4,
        "largest": 4,
    }  # fmt: skip
    assert profile.uniqueness == pytest.approx(1 / 9)
    found = measures(profile)
    assert found["delta-disclosure",] == "infinity"
    changes = (0.5 / SHARES["cold"], 1 / SHARES["flu"], 0.25 / SHARES["ulcer"])
    for name, expected in {
        ("k-anonymity",): 1,
        ("average-risk",): 3 / 9,
        ("prosecutor-risk",): 1,
        ("l-diversity", "distinct"): 1,
        ("l-diversity", "entropy"): 1,
        ("t-closeness", "equal"): 1 / 3,
        ("beta-likeness", "basic"): 0.5 / SHARES["cold"] - 1,
        ("delta-disclosure", "ignore"): max(abs(math.log2(change)) for change in changes),
    }.items():
        assert found[name] == pytest.approx(expected), name


def test_profile_reports_values_without_a_hierarchy_row() -> None:
    """Of numbers and names in one column: no order, so no ordered distance."""
    Path("ages.csv").write_text("30;*\n40;*\n")
    text = Path("visits.csv").read_text()
    Path("visits.csv").write_text(text.replace("ulcer", "7"))
    columns = plan()["columns"] | {"age": {"role": "quasi-identifier", "hierarchy": "ages.csv"}}
    profile = sqlanon.profile(plan(columns=columns))
    assert profile.unknown_values == {"age": 1}
    assert ("t-closeness", "equal") in measures(profile)
    assert ("t-closeness", "ordered") not in measures(profile)
    for value, number in {"flu": "10", "cold": "11", "ulcer": "12"}.items():
        text = text.replace(value, number)
    Path("visits.csv").write_text(text)
    found = measures(sqlanon.profile(plan(columns=columns)))
    assert found["t-closeness", "ordered"] == pytest.approx((1 / 3 + 1 / 9) / 2), "all flu"
    assert found["k-e-anonymity",] == 0


def test_profile_with_persons_and_population() -> None:
    columns = {**plan()["columns"], "patient": "identifier"}
    persons = sqlanon.profile(plan(unit="patient", columns=columns)).classes
    assert (persons["row_count"], persons["smallest"]) == (5, 1)
    Path("everybody.csv").write_text("age,sex\n" + "30,F\n" * 8 + "40,M\n" * 5 + "50,M\n" * 2)
    found = measures(sqlanon.profile(plan(population="everybody.csv")))
    assert found["k-map",] == 2
    assert found["delta-presence",] == pytest.approx(4 / 5)
    assert found["journalist-risk",] == pytest.approx(1 / 2)
    assert found["marketer-risk",] == pytest.approx((4 / 8 + 4 / 5 + 1 / 2) / 9)


def test_profile_of_adult(adult_plan: AdultPlan) -> None:
    """formulas.md 1.9: 15,512 unique rows of 30,162; ARX: average risk 0.6466, highest risk 1."""
    profile = sqlanon.profile(adult_plan())
    assert profile.classes["unique_count"] == 15_512
    assert profile.classes["class_count"] == 19_502
    assert profile.uniqueness == pytest.approx(0.5142895033485844, abs=1e-12)
    found = measures(profile)
    assert found["average-risk",] == pytest.approx(0.6465751607983555, abs=1e-12)
    assert found["prosecutor-risk",] == 1


def test_risk_of_adult_made_2_anonymous(adult_plan: AdultPlan) -> None:
    """ARX, 2-anonymity without suppression: average risk 0.00192, highest risk 0.5."""
    objective = {"name": "loss", "variant": "iyengar", "aggregate": "rank"}
    privacy: list[dict[str, Any]] = [{"model": "k-anonymity", "k": 2}]
    privacy += [{"model": f"{name}-risk", "threshold": 1} for name in ("average", "prosecutor")]
    asked = adult_plan(privacy=privacy, method={"objective": objective})
    measured = [entry["measured"] for entry in sqlanon.run(asked).manifest["privacy"]]
    assert measured == [2, pytest.approx(0.001922949406538028, abs=1e-12), 0.5]


def test_why_entropy_diversity_of_race_is_impossible(adult_plan: AdultPlan) -> None:
    """Its effective number of values is 1.71: no partition has two (formulas.md, section 7)."""
    asked = adult_plan(privacy=[{"model": "l-diversity", "kind": "entropy", "l": 2}])
    asked["columns"] = dict.fromkeys(asked["columns"], "insensitive")
    asked["columns"] |= {"age": "quasi-identifier", "sex": "quasi-identifier", "race": "sensitive"}
    with pytest.raises(sqlanon.NoSolutionError, match=r"l-diversity of 'race'.* 1\.711") as refused:
        sqlanon.solve(asked)
    assert "ask for l = 1.711" in str(refused.value)


INTERNAL = {
    word
    for file in (shipped("sql_templates") / "privacy_models").glob("*.sql")
    for word in re.findall(r" as (\w+)", file.read_text(encoding="utf-8"))
}
"""Names that the models' templates give to columns and relations."""
UNEVEN = """
{model: alpha-k-anonymity, alpha: 0.5, k: 2}
{model: l-diversity, l: 2}
{model: l-diversity, kind: entropy, l: 2}
{model: l-diversity, kind: recursive, l: 2, c: 2}
{model: t-closeness, t: 0.2}
{model: t-closeness, distance: ordered, t: 0.2}
{model: delta-disclosure, delta: 0.5}
{model: beta-likeness, beta: 0.5}
{model: average-risk, threshold: 0.2}
{model: prosecutor-risk, threshold: 0.2, share: 0.5}
"""
"""Promises that no class of four equal rows, of two such classes, holds."""


@pytest.mark.sampled(0.05)
@pytest.mark.parametrize(
    "name", [*sorted(INTERNAL), "quasi_identifier_1", "value_of_diag", "text_of_diag", "class_1"]
)
def test_a_quasi_identifier_may_have_the_name_of_a_templates_column(name: str) -> None:
    """Not even numbers near any bound are taken for a measure."""
    duckdb.execute(
        f'copy (select cast(v.q as double) as "{name}", v.d as diag from'
        " (values (-0.001, 'a'), (-0.002, 'b')) as v (q, d), range(4)) to 'two.parquet'"
    )
    privacy = [yaml.safe_load(promise) for promise in UNEVEN.strip().splitlines()]
    findings = sqlanon.verify("two.parquet", quasi_identifiers=[name], sensitive=["diag"],
                              promises=privacy)  # fmt: skip
    assert [finding.satisfied for finding in findings] == [False] * 10


def test_rows_of_nobody_prove_nothing() -> None:
    for rows in ("('z', 1, 'a'), ('z', 2, 'a'), ('z', null, 'b')", "('z', null::int, 'a')"):
        duckdb.execute(f"copy (select * from (values {rows}) as v (zip, pid, diag)) to 'u.parquet'")
        with pytest.raises(sqlanon.PrivacyViolation, match="rows have no person"):
            sqlanon.verify(
                "u.parquet", quasi_identifiers=["zip"], sensitive=["diag"], l=1, unit="pid"
            )  # fmt: skip


@pytest.mark.parametrize(("spelled", "with_source"), [("d.duckdb", False), ("./d.duckdb", True)])
def test_population_and_publication_in_files_that_have_tables_of_one_name(
    spelled: str, with_source: bool
) -> None:
    """The population is read from the plan's file, whatever the publication's file holds."""
    with duckdb.connect("d.duckdb") as connection:
        connection.execute(
            "create table s as select i % 5 as zip, 'x' as diag from range(50) t (i);"
            "create table pop as select i % 5 as zip from range(300) t (i)"
        )
    asked = plan(
        source="d.duckdb::s", population=f"{spelled}::pop", publish="o.duckdb::t",
        columns={"zip": "quasi-identifier", "diag": "sensitive"},
        privacy=[{"model": "k-map", "k": 60}],
    )  # fmt: skip
    sqlanon.run(asked)
    with duckdb.connect("o.duckdb") as connection:
        connection.execute("create table pop as select i % 5 as zip from range(50000) t (i)")
    (finding,) = sqlanon.verify("o.duckdb::t", asked, with_source=with_source)
    assert (finding.measured, finding.satisfied) == (60, True)
