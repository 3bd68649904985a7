"""`verify` with options alone, and `profile`: numbers of Adult, of ARX, and of a small table."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

import sqlanon
from sqlanon import PlanError
from sqlanon.sql.render import shipped
from tests.conftest import Command
from tests.paths import TESTS

ADULT = TESTS / "data/adult/adult.csv"
COLUMNS = (
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass",
    "occupation", "salary-class",
)  # fmt: skip

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
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the table by hand."""
    monkeypatch.chdir(tmp_path)
    lines = ["age,sex,illness,patient", *(",".join(row) for row in ROWS)]
    Path("visits.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def found(command: Command, *options: str) -> tuple[int, list[dict[str, Any]]]:
    """Exit code and findings of `verify visits.csv` with these options."""
    arguments = ["verify", "visits.csv", "--quasi-identifiers", "age,sex", *options, "--json"]
    ended = command(*arguments)
    assert ended.code in (0, 1), ended.err
    return ended.code, json.loads(ended.out)


HALF = 1 / 2
SHARES = {"flu": 6 / 9, "cold": 2 / 9, "ulcer": 1 / 9}


@pytest.mark.parametrize(
    ("options", "measured", "failing_classes"),
    [
        (["--k", "4"], 1, 1),
        (["--k", "2", "--unit", "patient"], 1, 3),
        (["--sensitive", "illness", "--l", "2"], 1, 1),
        (["--sensitive", "illness", "--l", "1.8", "--kind", "entropy"], 1, 2),
        (["--sensitive", "illness", "--l", "2", "--kind", "recursive", "--c", "2"], 0, 2),
        (["--sensitive", "illness", "--t", "0.3"], 1 / 3, 1),
        (["--sensitive", "illness", "--k", "2", "--alpha", "0.5"], 1, 2),
        (["--promise", "{model: average-risk, threshold: 0.25}"], 3 / 9, 1),
        (["--sensitive", "illness", "--promise", "{model: beta-likeness, beta: 1}"], 1.25, 2),
    ],
)
def test_promises_of_options(
    options: list[str], measured: float, failing_classes: int, command: Command
) -> None:
    code, (finding,) = found(command, *options)
    assert code == 1
    assert finding["measured"] == pytest.approx(measured)
    assert finding["failing_classes"] == failing_classes
    assert finding["satisfied"] is False


def test_persons_and_values_of_persons(command: Command) -> None:
    """Two persons of one value each are two values of equal weight, however often they came."""
    options = ["--unit", "patient", "--sensitive", "illness", "--kind", "entropy", "--l", "2"]
    _, (finding,) = found(command, *options, "--failing", "3")
    assert (finding["class_count"], finding["failing_classes"]) == (4, 3)
    assert finding["measured"] == pytest.approx(1)
    assert [failing["class_size"] for failing in finding["failing"]] == [1] * 3


def test_several_sensitive_columns_each_have_their_promise(command: Command) -> None:
    _, findings = found(command, "--sensitive", "illness,patient", "--l", "1")
    assert [finding["parameters"]["attribute"] for finding in findings] == ["illness", "patient"]
    assert all(finding["satisfied"] for finding in findings)


def test_a_column_of_both_kinds_has_one_value_in_every_class(command: Command) -> None:
    code, (finding,) = found(command, "--sensitive", "sex", "--l", "2")
    assert (code, finding["measured"], finding["failing_classes"]) == (1, 1, 3)


def test_failing_classes_have_no_values_unless_requested(command: Command) -> None:
    _, (finding,) = found(command, "--k", "5", "--failing", "2")
    assert [set(one) for one in finding["failing"]] == [{"class_size"}] * 2
    assert [one["class_size"] for one in finding["failing"]] == [4, 4]
    _, (finding,) = found(command, "--k", "5", "--show-values")
    assert finding["failing"][0] == {"class_size": 4, "age": "30", "sex": "F"}
    arguments = ["verify", "visits.csv", "--quasi-identifiers", "age,sex", "--k", "5"]
    code, out, err = command(*arguments)
    assert (code, out.split()[:2]) == (1, ["visits.csv", "promise"])
    assert "30" not in out + err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--k", "2"], "quasi-identifiers and a promise"),
        (["--quasi-identifiers", "age"], "quasi-identifiers and a promise"),
        (["--quasi-identifiers", "agee", "--k", "2"], "no quasi-identifier 'agee'"),
        (["--quasi-identifiers", "age", "--sensitive", "ill", "--l", "2"], "no column 'ill'"),
        (["--quasi-identifiers", "age", "--alpha", "0.5"], "alpha needs k"),
        (["--quasi-identifiers", "age", "--k", "2", "--c", "2"], "c needs"),
        (["--quasi-identifiers", "age", "--k", "2", "--kind", "entropy"], "kind needs l"),
        (["--quasi-identifiers", "age", "--k", "2", "--with-source"], "no source to compare"),
        (["--quasi-identifiers", "age", "--promise", "k"], "'k' is not a promise"),
        (["--quasi-identifiers", "age", "--promise", "{model: k-map, k: 2}"], "population"),
        (["--quasi-identifiers", "age", "--sensitive", "illness", "--t", "2"], "t"),
    ],
)
def test_options_that_make_no_plan(options: list[str], message: str, command: Command) -> None:
    code, _, err = command("verify", "visits.csv", *options, columns=200)
    assert code == 2
    assert message in " ".join(err.split())


def plan(**keys: Any) -> dict[str, Any]:
    """The table by hand, its patients known by name."""
    columns: dict[str, Any] = {
        "age": "quasi-identifier", "sex": "quasi-identifier", "illness": "sensitive",
        "patient": "insensitive",
    }  # fmt: skip
    return {
        "source": "visits.csv",
        "columns": columns,
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "publish": "published.parquet",
        **keys,
    }


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
    assert found["k-anonymity",] == 1
    assert found["average-risk",] == pytest.approx(3 / 9)
    assert found["prosecutor-risk",] == 1
    assert found["l-diversity", "distinct"] == 1
    assert found["l-diversity", "entropy"] == pytest.approx(1)
    assert found["t-closeness", "equal"] == pytest.approx(1 / 3)
    assert found["beta-likeness", "basic"] == pytest.approx(HALF / SHARES["cold"] - 1)
    assert found["delta-disclosure",] == "infinity"
    ignored = max(abs(math.log2(share)) for share in (HALF / SHARES["cold"], 1 / SHARES["flu"]))
    assert found["delta-disclosure", "ignore"] == pytest.approx(
        max(ignored, math.log2(0.25 / SHARES["ulcer"]))
    )


def test_profile_reports_values_without_a_hierarchy_row() -> None:
    Path("ages.csv").write_text("30;*\n40;*\n")
    columns = plan()["columns"] | {"age": {"role": "quasi-identifier", "hierarchy": "ages.csv"}}
    assert sqlanon.profile(plan(columns=columns)).unknown_values == {"age": 1}


def test_profile_with_persons_and_population() -> None:
    persons = sqlanon.profile(
        plan(unit="patient", columns={**plan()["columns"], "patient": "identifier"})
    )
    assert persons.classes["row_count"] == 5
    assert persons.classes["smallest"] == 1
    Path("everybody.csv").write_text("age,sex\n" + "30,F\n" * 8 + "40,M\n" * 5 + "50,M\n" * 2)
    found = measures(sqlanon.profile(plan(population="everybody.csv")))
    assert found["k-map",] == 2
    assert found["delta-presence",] == pytest.approx(4 / 5)
    assert found["journalist-risk",] == pytest.approx(1 / 2)
    assert found["marketer-risk",] == pytest.approx((4 / 8 + 4 / 5 + 1 / 2) / 9)


def test_profile_of_numbers_and_names_in_one_column() -> None:
    """No order, so no ordered distance; everything else is measured."""
    text = Path("visits.csv").read_text()
    Path("visits.csv").write_text(text.replace("ulcer", "7"))
    found = measures(sqlanon.profile(plan()))
    assert ("t-closeness", "equal") in found
    assert ("t-closeness", "ordered") not in found


def test_profile_needs_a_plan() -> None:
    with pytest.raises(PlanError):
        sqlanon.profile("missing.yml")


def test_profile_of_adult() -> None:
    """formulas.md 1.9: 15,512 unique rows of 30,162; ARX: average risk 0.6466, highest risk 1."""
    columns: dict[str, Any] = dict.fromkeys(COLUMNS, "quasi-identifier")
    source = {"path": str(ADULT), "delimiter": ";"}
    profile = sqlanon.profile(plan(source=source, columns=columns))
    assert profile.classes["unique_count"] == 15_512
    assert profile.classes["class_count"] == 19_502
    assert profile.uniqueness == pytest.approx(0.5142895033485844, abs=1e-12)
    found = measures(profile)
    assert found["average-risk",] == pytest.approx(0.6465751607983555, abs=1e-12)
    assert found["prosecutor-risk",] == 1


def test_risk_of_adult_made_2_anonymous() -> None:
    """ARX, 2-anonymity without suppression: average risk 0.00192, highest risk 0.5."""
    columns = {
        name: {
            "role": "quasi-identifier",
            "hierarchy": str(ADULT.parent / f"adult_hierarchy_{name}.csv"),
        }
        for name in COLUMNS
    }
    objective = {"name": "loss", "variant": "iyengar", "aggregate": "rank"}
    manifest = sqlanon.run(
        plan(
            source={"path": str(ADULT), "delimiter": ";"},
            columns=columns,
            privacy=[
                {"model": "k-anonymity", "k": 2},
                {"model": "average-risk", "threshold": 1},
                {"model": "prosecutor-risk", "threshold": 1},
            ],
            method={"objective": objective},
        )
    ).manifest
    measured = [entry["measured"] for entry in manifest["privacy"]]
    assert measured == [2, pytest.approx(0.001922949406538028, abs=1e-12), 0.5]


def test_why_entropy_diversity_of_race_is_impossible() -> None:
    """Its effective number of values is 1.71: no partition has two (formulas.md, section 7)."""
    columns: dict[str, Any] = dict.fromkeys(COLUMNS, "insensitive")
    columns |= {"age": "quasi-identifier", "sex": "quasi-identifier", "race": "sensitive"}
    source = {"path": str(ADULT), "delimiter": ";"}
    asked = [{"model": "l-diversity", "kind": "entropy", "l": 2}]
    with pytest.raises(sqlanon.NoSolutionError, match=r"l-diversity of 'race'.* 1\.711") as refused:
        sqlanon.solve(plan(source=source, columns=columns, privacy=asked))
    assert "ask for l = 1.711" in str(refused.value)


INTERNAL = sorted(
    {
        word
        for file in (shipped("sql_templates") / "privacy_models").glob("*.sql")
        for word in re.findall(r" as (\w+)", file.read_text(encoding="utf-8"))
    }
)
"""Names that the models' templates give to columns and relations."""
UNEVEN = [
    "{model: alpha-k-anonymity, alpha: 0.5, k: 2}",
    "{model: l-diversity, l: 2}",
    "{model: l-diversity, kind: entropy, l: 2}",
    "{model: l-diversity, kind: recursive, l: 2, c: 2}",
    "{model: t-closeness, t: 0.2}",
    "{model: t-closeness, distance: ordered, t: 0.2}",
    "{model: delta-disclosure, delta: 0.5}",
    "{model: beta-likeness, beta: 0.5}",
    "{model: average-risk, threshold: 0.2}",
    "{model: prosecutor-risk, threshold: 0.2, share: 0.5}",
]
"""Promises that no class of four equal rows, of two such classes, holds."""


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize(
    "name", [*INTERNAL, "quasi_identifier_1", "value_of_diag", "text_of_diag", "class_1"]
)
def test_a_quasi_identifier_may_have_the_name_of_a_templates_column(name: str) -> None:
    """Not even numbers near any bound are taken for a measure."""
    values = "(values (-0.001, 'a'), (-0.002, 'b'))"
    duckdb.execute(
        f'copy (select cast(v.q as double) as "{name}", v.d as diag from {values} as v (q, d),'
        " range(4)) to 'two.parquet'"
    )
    privacy = [yaml.safe_load(promise) for promise in UNEVEN]
    looked_for = sqlanon.promised({"path": "two.parquet"}, [name], ["diag"], privacy)
    findings = sqlanon.verify("two.parquet", looked_for)
    assert [finding.satisfied for finding in findings] == [False] * len(UNEVEN)


def test_rows_of_nobody_prove_nothing() -> None:
    for rows in ("('z', 1, 'a'), ('z', 2, 'a'), ('z', null, 'b')", "('z', null::int, 'a')"):
        duckdb.execute(f"copy (select * from (values {rows}) as v (zip, pid, diag)) to 'u.parquet'")
        looked_for = sqlanon.promised(
            {"path": "u.parquet"}, ["zip"], ["diag"], [{"model": "l-diversity", "l": 1}], unit="pid"
        )
        with pytest.raises(sqlanon.PrivacyViolation, match="rows have no person"):
            sqlanon.verify("u.parquet", looked_for)


@pytest.mark.parametrize("spelled", ["d.duckdb", "./d.duckdb"])
def test_population_and_publication_in_files_that_have_tables_of_one_name(spelled: str) -> None:
    """The population is read from the plan's file, whatever the publication's file holds."""
    with duckdb.connect("d.duckdb") as connection:
        connection.execute(
            "create table s as select i % 5 as zip, 'x' as diag from range(50) t (i)"
        )
        connection.execute("create table pop as select i % 5 as zip from range(300) t (i)")
    columns = {"zip": "quasi-identifier", "diag": "sensitive"}
    asked = plan(
        source="d.duckdb::s", population=f"{spelled}::pop", columns=columns,
        privacy=[{"model": "k-map", "k": 60}], publish="o.duckdb::t",
    )  # fmt: skip
    sqlanon.run(asked)
    with duckdb.connect("o.duckdb") as connection:
        connection.execute("create table pop as select i % 5 as zip from range(50000) t (i)")
    for with_source in (False, True):
        (finding,) = sqlanon.verify("o.duckdb::t", asked, with_source=with_source)
        assert (finding.measured, finding.satisfied) == (60, True)


def test_zeros_of_both_signs_are_one_class() -> None:
    duckdb.execute(
        "copy (select case when i % 2 = 0 then 0.0::double else '-0.0'::double end as age,"
        " 'F' as sex, 'x' as illness, 'p' as patient from range(10) as t (i)) to 'zeros.parquet'"
    )
    found = sqlanon.run(plan(source="zeros.parquet")).manifest
    assert (found["solution"]["classes"], found["rows"]["published"]) == (1, 10)


def test_program_of_a_joint_promise_about_the_only_sensitive_attribute() -> None:
    """There is nothing else to know; the program's proofs count its parts all the same."""
    lines = ["age,sex,illness,patient", *(f"30,F,{ill},p" for ill in ("flu", "cold") * 3)]
    Path("visits.csv").write_text("\n".join(lines) + "\n")
    asked = plan(privacy=[{"model": "l-diversity", "l": 2, "mode": "joint"}])
    folder = sqlanon.run(asked).target
    with duckdb.connect() as connection:
        for statement in connection.extract_statements((folder / "sql/program.sql").read_text()):
            last = connection.execute(statement).fetchall()
        assert last == [(6,)]  # the rows that were copied, after every proof
