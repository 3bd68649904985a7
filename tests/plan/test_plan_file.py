"""Errors of a plan name line, key, fault and remedy, `check` all of them at once; the JSON Schema
knows every short form."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from jsonschema import Draft202012Validator

import sqlanon
from sqlanon.boundary import guarded
from sqlanon.errors import HierarchyError, PlanError, united
from sqlanon.hierarchies import HIERARCHY_KINDS
from sqlanon.source.hierarchy_files import resolve_hierarchies
from tests.conftest import Command
from tests.plan.plans import plan_of

PLAN = """\
source: {path: patients.csv, delimiter: ";"}
columns:
  name: identifier
  age:
    role: quasi-identifier
    hierarchy: {intervals: {widths: [5, 10], start: 0}}
  zip: {role: quasi-identifier, hierarchy: {mask: {side: right}}, weight: 2}
  disease: sensitive
privacy:
  - {model: k-anonymity, k: 2}
method:
  name: optimal
  objective: {name: loss, aggregate: mean}
  budget: {nodes: 100}
suppression: {limit: 0.1}
publish: {path: patients_k2.csv}
"""


# What is replaced, by what, the place, and words of the fault or its remedy.
FAULTS = [
    # Unknown keys and names; the schema has them forbidden in every part of the plan.
    ("columns:", "colums:", ":2  colums", "Unknown key 'colums'.|Did you mean 'columns'?"),
    ("disease: sensitive", "disease: {role: sensitive, k: 2}", ":8  columns.disease.k",
     "Unknown key 'k'|Known: compare, hierarchy, publish, role."),
    ("start: 0", "begin: 0", ":6  columns.age.hierarchy.intervals.begin", "Known: highest, lowest"),
    ("{intervals: {", "{weight: 3, intervals: {", ":6  columns.age.hierarchy.weight", "Unknown"),
    ("k: 2}", "k: 2, kk: 3}", ":10  privacy[0].kk", "Did you mean 'k'?"),
    ("name: loss, ", "nam: loss, ", ":13  method.objective", "Unknown key 'nam'"),
    ("disease: sensitive", "disease: sensitiv", ":8  columns.disease", "Unknown role 'sensitiv'"),
    ("role: quasi-identifier\n", "role: quasi\n", ":5  columns.age.role", "Unknown role 'quasi'"),
    ("k-anonymity", "k-anonimity", ":10  privacy[0].model", "Did you mean 'k-anonymity'?"),
    ("  name: optimal", "  name: optimum", ":12  method.name", "Unknown method 'optimum'"),
    ("{name: loss, aggregate: mean}", "discernability", ":13  method.objective",
     "Unknown objective 'discernability'|Did you mean 'discernibility'?"),
    ("{intervals: {widths: [5, 10], start: 0}}", "{interval: [5, 10]}", ":6  columns.age.hierarchy",
     "Unknown hierarchy 'interval'"),
    ("aggregate: mean", "aggregate: median", ":13  method.objective.aggregate", "'mean'?"),
    ("{name: loss, aggregate: mean}", "{name: classification, attribute: diseas}",
     ":13  method.objective.attribute", "The plan has no column 'diseas'|'disease'?"),
    ("{name: loss, aggregate: mean}", "{name: classification, attribute: name}",
     ":13  method.objective.attribute", "'name' is an identifier"),
    # Wrong values.
    ("k: 2}", "k: 1}", ":10  privacy[0].k", "cannot be 1|give 2 or more"),
    ("k: 2}", "k: [2]}", ":10  privacy[0].k", "must be a whole number, not a list"),
    ("k: 2}", "k: }", ":10  privacy[0].k", "must be a whole number, not empty"),
    (", k: 2}", "}", ":10  privacy[0].k", "'k' is missing|add `k:`"),
    ("limit: 0.1", "limit: 1.5", ":15  suppression.limit", "cannot be 1.5|give 1 or less"),
    ("limit: 0.1", "limit: .nan", ":15  suppression.limit", "must be a number, not nan"),
    ("weight: 2", "weight: .inf", ":7  columns.zip.weight", "must be a number, not inf"),
    ("nodes: 100", "seconds: 0", ":14  method.budget.seconds", "cannot be 0|a number above 0"),
    ('delimiter: ";"', "delimiter: 5", ":1  source.delimiter", "must be text, not 5|quotes"),
    ('delimiter: ";"', 'delimiter: ""', ":1  source.delimiter", "is empty|1 character"),
    ('delimiter: ";"', "header: maybe", ":1  source.header", "true or false, not 'maybe'"),
    ('delimiter: ";"', "types: [age]", ":1  source.types", "must be a mapping, not a list"),
    ("[5, 10]", "[5, 12]", ":6  columns.age.hierarchy.intervals",
     "width 12 is not a larger multiple of 5|use widths such as [5, 10, 20]"),
    ("[5, 10]", "[]", ":6  columns.age.hierarchy.intervals.widths", "is empty|1 or more"),
    ("[5, 10]", "[0.00000000001]", ":6  columns.age.hierarchy.intervals.widths[0]",
     "too many digits|at most 9 digits after the decimal point"),
    ("start: 0", "lowest: 9, highest: 9", ":6  columns.age.hierarchy.intervals", "swap them"),
    ("{widths: [5, 10], start: 0}", "5", ":6  columns.age.hierarchy.intervals",
     "must be a mapping, not 5|widths, start, lowest, highest"),
    *(("{mask: {side: right}}", rule, f":7  columns.zip.hierarchy{key}", what)
      for rule, key, what in (
        ("{mask: rigth}", ".mask", "Did you mean 'right'?"),
        ("{mask: {characters: 0}}", ".mask.characters", "cannot be 0"),
        ("[mask]", "", f"is not a hierarchy|one of {', '.join(HIERARCHY_KINDS)}"),
        ("{cut_points: [[3, 1]]}", "", "cut points do not increase"),
        ("{cut_points: [[1, 3], [2]]}", "", "cut point 2 is not one of the finer level"),
        ("{cut_points: [[1]], labels: [[a]]}", "", "labels and cut points do not match|here 2"),
        ("{cut_points: [[1]], labels: [[a, a]]}", "", "two ranges of a level have the same label"),
        ("{date: [month, yeer]}", ".date[1]", "cannot be 'yeer'"),
        ("{date: [year, month]}", "", "periods do not increase|day, week, month, quarter"),
        ("{date: [week, month]}", "", "a week can span two months"),
        ("{round: [1, 2]}", "", "digits do not decrease|[2, 1, 0]"),
        ("{round: [1.5]}", ".round[0]", "must be a whole number, not 1.5"),
      )),
    # Wrong shapes.
    *(("disease: sensitive", f"disease:{role}", ":8  columns.disease", what) for role, what in (
        (" [sensitive, identifier]", "cannot be a list|write one role, one of identifier, quasi"),
        ("", "cannot be empty"), (" {rol: sensitive}", "Did you mean 'role'?"),
        (" {}", "has no role|add `role:`"))),
    ("disease: sensitive", "zip: sensitive", ":8  columns.zip", "given twice, first in line 7"),
    ("disease: sensitive", "ZIP: sensitive", ":8  columns.ZIP", "'zip' and 'ZIP' are the same"),
    ("  - {model: k-anonymity, k: 2}", "  []", ":9  privacy", "is empty|give 1 or more"),
    ("  - {model", "  {model", ":9  privacy", "must be a list, not a mapping|`- …`"),
    ("  - {model: k-anonymity, k: 2}", "  - k-anonymity", ":10  privacy[0]", "model, k"),
    ("{limit: 0.1}", "0.1", ":15  suppression", "must be a mapping, not 0.1|limit, rows"),
    ('source: {path: patients.csv, delimiter: ";"}\n', "", ":1  source", "'source' is missing"),
    # What no single key can tell.
    ("{limit: 0.1}", "{limit: 0.1, rows: mask}\npopulation: p.csv", ":15  suppression.rows",
     "A population cannot be judged|write `rows: drop`"),
    *(("path: patients.csv", place, ":1  source", what) for place, what in (
        ("path: p.csv, query: select 1", "one of path, query and table, not path and query"),
        ("quote: x", "table, not none"),
        ("path: patients.xlsx", "'patients.xlsx' does not show what kind of file|format: csv"),
        ("path: patients.duckdb", "patients.duckdb|FILE.duckdb::TABLE"),
        ('path: "patients.duckdb::"', "does not name a table of a DuckDB file"))),
    *(("path: patients_k2.csv", place, ":16  publish", what) for place, what in (
        ("path: patients_k2.xlsx", "is not a file or table that can be published"),
        ("path: a.csv, table: b", "either a path or a table|publish: patients_k5.parquet"),
        ('path: "a.duckdb::x."', "does not name a table"),
        ('path: "a.duckdb::x.y.z"', "does not name a table"),
        ("path: ./patients.csv", "is the source itself|publish to another file"))),
]  # fmt: skip


def plan_with(old: str, new: str, content: str = PLAN) -> str:
    """The plan with a change that it does have a place for."""
    assert old in content
    return content.replace(old, new, 1)


def fault_of(path: Path, *overrides: str) -> PlanError:
    with pytest.raises(PlanError) as caught:
        sqlanon.load_plan(path, overrides)
    assert caught.value.fix
    return caught.value


def written(folder: Path, content: str | bytes, name: str = "p.yml") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("old", "new", "place", "shown"), FAULTS, ids=[new[:40] for _, new, *_ in FAULTS]
)
def test_every_fault_has_line_key_and_remedy(
    old: str, new: str, place: str, shown: str, tmp_path: Path
) -> None:
    error = fault_of(written(tmp_path, plan_with(old, new)))
    assert error.where == f"p.yml{place}"
    assert all(words in str(error) for words in shown.split("|"))
    assert error.faults == (error,)  # one change is one fault


@pytest.mark.parametrize(
    ("content", "override", "where", "shown"),
    [
        *((text, "", place, shown) for text, place, shown in (
            ("# only a comment\n", "p.yml:1", "mapping of keys"),
            ("- source\n", "p.yml:1", "mapping of keys"),
            ("source: a.csv\ncolumns: {a: [\n", "p.yml:3", "not YAML"),
            ("source: 'a.csv\n", "p.yml:2", "not YAML"),
            ("source: a.csv\n---\nsource: b.csv\n", "p.yml:2", "not YAML"),
            ("source: *nowhere\n", "p.yml:1", "not YAML"),
            ("? [a]\n: b\n", "p.yml:1", "not YAML"),
            ("source: a.csv\npublish: \x00\n", "p.yml:2", "not YAML"),
            ("source: a.csv\ncolumns: &c\n  a: *c\n", "p.yml:", ""),
            ("source: a.csv\npublish: ü.csv\n".encode("latin-1"), "p.yml:2", "not UTF-8"),
            ("columns: {a: sensitive}\nsource: a.csv\npublish: b.csv\n"
             "privacy: [{model: k-anonymity, k: 2}]", "p.yml:1  columns", "No column is a quasi"),
        )),
        (PLAN.replace("weight: 2", "weight: 0"), "columns.age.weight=0", "p.yml:2  columns",
         "weight 0"),
        *((PLAN, override, f"--set{key}", shown) for override, key, shown in (
            ("metod.name=datafly", " metod", "Did you mean 'method'?"),
            ("suppression.limit=2", " suppression.limit", "cannot be 2|give 1 or less"),
            ("columns.agee=identifer", " columns.agee", "Unknown role 'identifer'"),
            ("privacy.0.kk=3", " privacy[0].kk", "Did you mean 'k'?"),
            ("privacy.1.k=1", " privacy.1.k", "a list with 1 item(s)|--set privacy.0.k=5"),
            ("privacy.k=1", " privacy.k", "a list with 1 item(s)"),
            ("publish=[", " publish:1", "not YAML|brackets"),
            ("publish", "", "'publish' does not set a key|KEY=VALUE"),
            ("a..b=3", "", "'a..b=3' does not set a key"),
        )),
    ],
)  # fmt: skip
def test_what_is_no_plan_and_what_sets_no_key(
    content: str | bytes, override: str, where: str, shown: str, tmp_path: Path
) -> None:
    error = fault_of(written(tmp_path, content), *[override] * bool(override))
    assert error.where.startswith(where)
    assert all(words in str(error) for words in shown.split("|"))


def test_a_missing_file_names_the_nearest_plan(tmp_path: Path) -> None:
    written(tmp_path, PLAN, "patients.yml")
    error = fault_of(tmp_path / "patient.yml")
    assert "cannot be read" in error.what
    assert error.fix == "Did you mean 'patients.yml'?"
    assert "cannot be read" in fault_of(tmp_path).what


def test_overrides_reach_every_place_and_lengthen_short_forms(tmp_path: Path) -> None:
    expected: dict[str, Any] = {
        "columns.name.action": "star",
        "columns.age.hierarchy.intervals.lowest": "18",
        "columns.zip.hierarchy.mask.characters": 5,
        "columns.disease.hierarchy.delimiter": ";",
        "privacy.0.k": 3,
        "method.objective": "height",
        "publish": "other.parquet",
    }
    content = plan_with("{widths: [5, 10], start: 0}", "[5, 10]", SHORT)
    content = plan_with("sensitive", "{role: sensitive, hierarchy: adult/education.csv}", content)
    path = written(tmp_path, content)
    overrides = [f"{key}={value}" for key, value in expected.items()]
    shown: Any = sqlanon.load_plan(path, overrides).model_dump(mode="json")
    expected["columns.zip.hierarchy.mask.side"] = "right"
    expected["method.objective.name"] = expected.pop("method.objective")
    expected["publish.path"] = expected.pop("publish")
    for key, value in expected.items():
        found = shown
        for part in key.split("."):
            found = found[int(part) if part.isdigit() else part]
        assert found == value, key


def test_a_mapping_is_a_plan_and_stays_as_it_is() -> None:
    mapping = yaml.safe_load(PLAN)
    before = json.dumps(mapping)
    plan = sqlanon.load_plan(mapping, ["privacy.0.k=7", "columns.zip.weight=3"])
    assert plan.k == 7
    assert json.dumps(mapping) == before
    assert sqlanon.load_plan(plan) is plan
    mapping["columns"]["zip"]["weight"] = -1
    with pytest.raises(PlanError) as caught:
        sqlanon.load_plan(mapping)
    assert caught.value.where == "columns.zip.weight"


def test_names_anchors_merge_keys_and_a_byte_order_mark(tmp_path: Path) -> None:
    """Names of columns are text, whatever YAML takes them for."""
    names = ["no", "null", "2024", "1.5", "2024-01-01", "true", "~", "on", "0x1F", "12:30:45"]
    columns = "".join(f"  {name}: quasi-identifier\n" for name in names)
    content = f"""\
source: a.csv
columns:
{columns}  zip: &digits {{role: quasi-identifier, hierarchy: {{mask: right}}}}
  phone: *digits
  fax: {{<<: *digits, weight: 3}}
privacy: [{{model: k-anonymity, k: 2}}]
publish: b.csv
"""
    plan = sqlanon.load_plan(written(tmp_path, b"\xef\xbb\xbf" + content.encode()))
    assert list(plan.columns) == [*names, "zip", "phone", "fax"]
    assert plan.quasi_identifiers["phone"] == plan.quasi_identifiers["zip"]
    assert plan.quasi_identifiers["fax"].weight == 3


@pytest.mark.parametrize(
    ("source", "publish", "is_refused"),
    [
        ("data/*.parquet", "data/out.parquet", True),
        ("data/**/*.parquet", "data/2024/1/out.parquet", True),
        ("data/[a]?.csv", "data/[a]b.csv", True),
        ("data/[ab].csv", "data/a.csv", False),
        ("{}/a.csv", "data/../a.csv", True),
        ("a.duckdb::t", "a.duckdb::u", True),
        ("data/*.parquet", "data/deeper/out.parquet", False),
        ("a.duckdb::t", "b.duckdb::t", False),
        ("patients.visits", "open.visits", False),
        ("patients.visits", "Patients.Visits", True),
        ("patients.visits", "visits", True),  # may be found in the same schema
        ("visits", "open.visits", True),
        ("clinic.patients.visits", "patients.visits", True),
        ("clinic.patients.visits", "other.patients.visits", False),
    ],
)
def test_a_publication_replaces_no_input(
    source: str, publish: str, is_refused: bool, folder: Path
) -> None:
    Path("data").mkdir()
    key = "table" if "visits" in source else "path"
    table = {key: source.format(folder)}
    for inputs in ({"source": table}, {"source": {"table": "rows"}, "population": table}):
        plan = plan_of(["sex"], **inputs, publish={key: publish})
        if is_refused:
            with pytest.raises(PlanError, match=r" itself|publishing would replace it"):
                sqlanon.load_plan(plan)
        else:
            sqlanon.load_plan(plan)


# Hierarchy files


def hierarchy_error(folder: Path, hierarchy: str) -> PlanError:
    content = (
        "source: a.csv\ncolumns:\n  first: identifier\n"
        f"  age: {{role: quasi-identifier, hierarchy: {hierarchy}}}\n"
        "privacy: [{model: k-anonymity, k: 2}]\npublish: b.csv\n"
    )
    plan = sqlanon.load_plan(written(folder, content))
    with pytest.raises(PlanError) as caught:
        resolve_hierarchies(plan, None)
    assert "secret" not in str(caught.value)
    return caught.value


def test_a_missing_hierarchy_file_names_the_nearest(tmp_path: Path) -> None:
    written(tmp_path, "1;*\n", "myages.csv")
    for name, fix in (
        ("adult/educaton.csv", "Did you mean 'adult/education.csv'?"),
        ("my_ages.csv", "Did you mean 'myages.csv'?"),
        ("qqqqqqqq", "adult/race.csv"),
        (str(tmp_path / "nowhere.csv"), ""),
    ):
        assert fix in hierarchy_error(tmp_path, name).fix


AGE = "p.yml:4  columns.age.hierarchy"


@pytest.mark.parametrize(
    ("content", "where", "what"),
    [
        ("\n\n", AGE, "'h.csv' is empty"),
        ("secret|low|*\nsecret2|low|*\n", AGE, "has only one column"),
        ("secret;low;*\nsecret2;low\n", AGE, "Line 2 of 'h.csv' has 2 column(s), but the first"),
        ("secret,low,*\n\nsecret2,low,high,*\n", AGE, "Line 3 of 'h.csv' has 4 column(s)"),
        ('secret;"low;*\nsecret2;low;*\n', AGE, "Line 2 of 'h.csv' has a misplaced quote"),
        ("secret;é;*\n".encode("latin-1"), AGE, "cannot be read (UnicodeDecodeError)"),
        ("mask: {side: rigth}\n", "h.yml:1  hierarchy.mask.side", "'right'?"),
        ("mask:\n  sid: right\n", "h.yml:2  hierarchy.mask.sid", "'side'?"),
        ("other.csv\n", "h.yml:1  hierarchy", "names another file"),
        ("", "h.yml:1  hierarchy", "is not a hierarchy"),
        ("mask: [", "h.yml:1", "not YAML"),
    ],
)
def test_a_file_that_is_no_hierarchy(
    content: str | bytes, where: str, what: str, tmp_path: Path
) -> None:
    name = "h.csv" if where == AGE else "h.yml"
    written(tmp_path, content, name)
    error = hierarchy_error(tmp_path, name)
    assert error.where == where
    assert what in str(error)
    assert error.fix
    assert name == "h.yml" or isinstance(error, HierarchyError) or "Unicode" in what


# The JSON Schema

SHORT = PLAN.replace("{mask: {side: right}}", "{mask: right}")
SOURCE, METHOD = PLAN.partition("\n")[0], PLAN[PLAN.index("method:") : PLAN.index("suppression:")]
SOUND_CHANGES = [
    (SOURCE, "source: hospital.duckdb::main.patients"),
    (SOURCE, "source: {query: 'select 1 as age'}"),
    (SOURCE, "source: {path: adult.csv, types: {age: integer}, encoding: utf-16}"),
    ("name: identifier", "name: {role: identifier, action: pseudonym}"),
    ("{widths: [5, 10], start: 0}", "[5, 10, 20]"),
    ("{widths: [5, 10], start: 0}", "{widths: [5], start: 0.5, lowest: 1, highest: 9}"),
    ("{mask: right}", "{mask: {side: left, characters: 5}}"),
    ("{mask: right}", "adult/education.csv"),
    ("{mask: right}", '{file: adult/education.csv, delimiter: ",", header: true}'),
    ("{mask: right}", "{cut_points: [[10.5, 20], [20]]}"),
    ("{mask: right}", "{cut_points: [[10]], labels: [[low, high]]}"),
    ("{mask: right}", "{round: [2, 1, 0]}"),
    ("{mask: right}", "{query: \"select city, land, '*' from cities\"}"),
    (METHOD, "method: datafly\n"),
    (METHOD, "missing: drop-rows\norder: source\n"),
    ("{name: loss, aggregate: mean}", "discernibility"),
    ("{limit: 0.1}", "{limit: 0, rows: mask}"),
    ("{path: patients_k2.csv}", "out.duckdb::main.adult"),
]


def test_the_schema_and_the_reader_accept_and_refuse_the_same(tmp_path: Path) -> None:
    content = json.loads(json.dumps(sqlanon.schema()))
    Draft202012Validator.check_schema(content)
    references = set(re.findall(r'"#/\$defs/([^"]*)"', json.dumps(content)))
    assert references == set(content["$defs"])
    schema = Draft202012Validator(content)
    for old, new in [("", ""), *SOUND_CHANGES]:
        plan = plan_with(old, new, SHORT)
        sqlanon.load_plan(written(tmp_path, plan))
        assert schema.is_valid(yaml.safe_load(plan)), new
    assert schema.is_valid(yaml.safe_load(PLAN))
    accepted = [
        what
        for old, new, _, what in FAULTS
        if "twice" not in what and schema.is_valid(yaml.safe_load(plan_with(old, new)))
    ]
    # What is left needs two keys to be seen, or SQL's rules, or has no name in JSON (nan).
    assert len(accepted) <= 25, accepted
    assert not any("Unknown" in what for what in accepted)


def test_equal_plans_have_equal_digests_whatever_their_layout(tmp_path: Path) -> None:
    long = sqlanon.load_plan(written(tmp_path, PLAN))
    content = SHORT.replace("disease: sensitive", "disease: {role: sensitive} # a comment")
    short = sqlanon.load_plan(written(tmp_path, content, "other.yml"))
    assert short.sha256 == long.sha256
    assert short.sha256 != sqlanon.load_plan(tmp_path / "p.yml", ["privacy.0.k=6"]).sha256


# All faults at once

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


FILES = {
    "plan.yml": UNFIT,
    "rows.csv": "name,age,zip,disease,notes,height\n"
    "secret1,34,12345,flu,secret2,1\nsecret3,35,1,cold,,2\n",
    "nested.csv": "34;30s;*\n35;30s;*\n",
    "twice.csv": "1;*\n1;*\n2;*\n",
    "parted.csv": "1;low;*\n2;low;+\n3;high;*\n",
}


def faults_of(plan: Any, call: Callable[..., Any] = sqlanon.check) -> list[tuple[str, str]]:
    """Place and words of every fault of the plan."""
    with pytest.raises(PlanError) as caught:
        call(plan)
    return [(fault.where, fault.what) for fault in caught.value.faults]


def test_all_wrong_keys_are_reported_in_the_order_of_lines(folder: Path) -> None:
    written(folder, UNREADABLE, "plan.yml")
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
    written(folder, "source: a.csv\nunit: a\nsource: b.csv\nunit: b\nunit: c\n", "plan.yml")
    assert faults_of("plan.yml") == [
        (f"plan.yml:{line}  {key}", f"'{key}' is given twice, first in line {first}.")
        for line, key, first in ((3, "source", 1), (4, "unit", 2), (5, "unit", 2))
    ]


def test_check_tells_what_does_not_fit_and_columns_and_hierarchies_together(
    folder: Path, command: Command
) -> None:
    """The command prints all faults, and as JSON on stdout."""
    for name, content in FILES.items():
        written(folder, content, name)
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


def test_what_can_be_read_is_checked(folder: Path) -> None:
    """Hierarchies without a source, and every column of a population."""
    labelled = {"role": "quasi-identifier", "hierarchy": "none.csv"}
    found = faults_of(plan_of({"zip": labelled}, "nowhere.duckdb::t"))
    assert [where for where, _ in found] == ["source", "columns.zip.hierarchy"]
    written(folder, "age\n1\n", "people.csv")
    query, k_map = "select 1 as age, 2 as zip, [3] as height", [{"model": "k-map", "k": 2}]
    columns = ("age", "zip", "height")
    plan = plan_of(columns, {"query": query}, population="people.csv", privacy=k_map)
    assert faults_of(plan) == [
        ("population", "The population has no column 'zip', which is a quasi-identifier."),
        ("population", "The population has no column 'height', which is a quasi-identifier."),
        ("columns.height", "The column 'height' of the source has the type LIST:"
         " its values can contain other values, such as names."),
    ]  # fmt: skip


def test_a_long_list_of_faults_ends_with_their_number(folder: Path) -> None:
    columns = "".join(f"  c{number}: sensitiv\n" for number in range(50))
    content = f"source: rows.csv\ncolumns:\n{columns}privacy: []\npublish: o.csv\n"
    with pytest.raises(PlanError) as caught:
        sqlanon.check(written(folder, content))
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
