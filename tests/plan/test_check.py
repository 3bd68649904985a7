"""`check` reports all faults at once: of keys, of what does not fit, of columns, of hierarchies."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon.boundary import guarded
from sqlanon.errors import PlanError, united
from tests.conftest import Command
from tests.plan.plans import plan_of

ROWS = "name,age,zip,disease,notes,height\nsecret1,34,12345,flu,secret2,1\nsecret3,35,1,cold,,2\n"

UNREADABLE = """\
source: {path: rows.csv, delimeter: ","}
colums: {age: quasi-identifier}
unit: 5
privacy:
  - {model: k-anonymity, k: 1}
  - {model: k-anonimity, k: 5}
  - {model: l-diversity, kind: distinct, l: many}
suppression: {limit: 2, row: drop}
"""

UNFIT = """\
source: {path: rows.csv, types: {height: hugeint}}
columns:
  name: identifier
  Name: identifier
  ages: {role: quasi-identifier, hierarchy: nested.csv}
  zip: {role: quasi-identifier, hierarchy: nowhere.csv}
  height: {role: quasi-identifier, hierarchy: twice.csv}
  heigth: {role: quasi-identifier, hierarchy: parted.csv}
  disease: sensitive
unit: persson
privacy:
  - {model: k-anonymity, k: 5}
  - {model: l-diversity, kind: distinct, l: 2, attribute: diseas}
  - {model: k-map, k: 5}
method: {name: optimal, objective: {name: classification, attribute: diseas}}
publish: {path: out.parquet}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(ROWS, "rows.csv")
    write("34;30s;*\n35;30s;*\n", "nested.csv")
    write("1;*\n1;*\n2;*\n", "twice.csv")
    write("1;low;*\n2;low;+\n3;high;*\n", "parted.csv")
    return tmp_path


def write(content: str, name: str) -> None:
    Path(name).write_text(content, "utf-8")


def faults_of(plan: Any, call: Callable[..., Any] = sqlanon.check) -> list[tuple[str, str]]:
    """Place and words of every fault of the plan."""
    with pytest.raises(PlanError) as caught:
        call(plan)
    return [(fault.where, fault.what) for fault in caught.value.faults]


def test_all_wrong_keys_are_reported_in_the_order_of_lines(folder: Path) -> None:
    write(UNREADABLE, "plan.yml")
    for call in (sqlanon.check, sqlanon.load_plan, sqlanon.run):
        assert sorted(found := faults_of("plan.yml", call)) == [
            ("plan.yml:1  publish", "'publish' is missing."),
            ("plan.yml:1  source.delimeter", "Unknown key 'delimeter'."),
            ("plan.yml:2  colums", "Unknown key 'colums'."),  # and not that `columns` is missing
            ("plan.yml:3  unit", "unit must be a mapping, not 5."),
            ("plan.yml:5  privacy[0].k", "privacy[0].k cannot be 1."),
            ("plan.yml:6  privacy[1].model", "Unknown model 'k-anonimity'."),
            ("plan.yml:7  privacy[2].l", "privacy[2].l must be a number, not 'many'."),
            ("plan.yml:8  suppression.limit", "suppression.limit cannot be 2."),
            ("plan.yml:8  suppression.row", "Unknown key 'row'."),
        ]
        assert [where[:10] for where, _ in found] == sorted(where[:10] for where, _ in found)
    write("source: a.csv\nunit: a\nsource: b.csv\nunit: b\nunit: c\n", "plan.yml")
    assert faults_of("plan.yml") == [
        (f"plan.yml:{line}  {key}", f"'{key}' is given twice, first in line {first}.")
        for line, key, first in ((3, "source", 1), (4, "unit", 2), (5, "unit", 2))
    ]


def test_check_tells_what_does_not_fit_and_columns_and_hierarchies_together(
    folder: Path, command: Command
) -> None:
    """The command prints all faults, and as JSON on stdout."""
    write(UNFIT, "plan.yml")
    with pytest.raises(PlanError) as caught:
        sqlanon.check("plan.yml")
    faults = caught.value.faults
    for line, key, words in [
        (2, "columns", "2 column(s) of the source have no role: age, notes."),
        (4, "columns.Name", "'name' and 'Name' are the same column"),
        (5, "columns.ages", "The source has no column 'ages'"),
        (6, "columns.zip.hierarchy", "'nowhere.csv' was not found"),
        (7, "columns.height", "has the type HUGEINT"),
        (7, "columns.height.hierarchy", "height, level 0: value has more than one row (1)"),
        (8, "columns.heigth", "The source has no column 'heigth'"),
        (8, "columns.heigth.hierarchy", "level 2: top level is not one single value (2)"),
        (10, "unit", "The plan has no column 'persson'"),
        (13, "privacy[1].attribute", "'diseas' is not a sensitive attribute"),
        (14, "privacy[2]", "but the plan has none"),
        (15, "method.objective.attribute", "The plan has no column 'diseas'"),
    ]:
        place = f"plan.yml:{line}  {key}"
        assert any(f.where == place and words in f.what for f in faults), (key, faults)
    code, output, errors = command("check", "plan.yml")
    assert (code, output) == (2, "")
    assert f"{len(faults)} faults" in errors
    assert all(" ".join(fault.where.split()) in " ".join(errors.split()) for fault in faults)
    assert "secret" not in errors
    found = json.loads(command("check", "plan.yml", "--json").out)
    assert found == {"valid": False, "faults": [fault.as_json() for fault in faults]} | found
    assert found["faults"][0] == {
        "error": "PlanError", "where": "plan.yml:2  columns", "line": 2,
        "what": caught.value.what, "fix": caught.value.fix,
    }  # fmt: skip


def test_hierarchies_are_checked_without_a_source(folder: Path) -> None:
    labelled = {"role": "quasi-identifier", "hierarchy": "none.csv"}
    found = faults_of(plan_of({"zip": labelled}, "nowhere.duckdb::t"))
    assert [where for where, _ in found] == ["source", "columns.zip.hierarchy"]


def test_every_column_of_a_population_is_reported(folder: Path) -> None:
    write("age\n1\n", "people.csv")
    plan = plan_of(
        ("age", "zip", "height"),
        {"query": "select 1 as age, 2 as zip, [3] as height"},
        population="people.csv",
        privacy=[{"model": "k-map", "k": 2}],
    )
    assert faults_of(plan) == [
        ("population", "The population has no column 'zip', which is a quasi-identifier."),
        ("population", "The population has no column 'height', which is a quasi-identifier."),
        ("columns.height", "The column 'height' of the source has the type LIST:"
         " its values can contain other values, such as names."),
    ]  # fmt: skip


def test_a_long_list_of_faults_ends_with_their_number(folder: Path) -> None:
    columns = "".join(f"  c{number}: sensitiv\n" for number in range(50))
    write(f"source: rows.csv\ncolumns:\n{columns}privacy: []\npublish: o.csv\n", "plan.yml")
    with pytest.raises(PlanError) as caught:
        sqlanon.check("plan.yml")
    assert len(caught.value.faults) == 51
    assert str(caught.value).count("\nFix: ") == 20
    assert str(caught.value).endswith("… and 31 more; `sqlanon check --json` lists all of them.")


def test_no_fault_keeps_a_foreign_cause() -> None:
    def fails() -> None:
        faults = []
        for line in (1, 2):
            try:
                raise duckdb.Error("secret")
            except duckdb.Error:
                try:
                    raise PlanError("What.", where=f"p.yml:{line}", fix="do")
                except PlanError as error:
                    faults.append(error)
        raise united(faults)

    with pytest.raises(PlanError) as caught:
        guarded(fails)()
    assert [fault.__context__ for fault in caught.value.faults] == [None, None]
