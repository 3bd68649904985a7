"""Errors of a plan name line, key, fault and remedy; the JSON Schema knows every short form."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

import sqlanon
from sqlanon.errors import HierarchyError, PlanError
from sqlanon.hierarchies import HIERARCHY_KINDS
from sqlanon.source.hierarchy_files import resolve_hierarchies
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


FAULTS = [
    # Unknown keys; the schema has them forbidden in every part of the plan.
    ("columns:", "colums:", ":2  colums", "Unknown key 'colums'", "Did you mean 'columns'?"),
    ("delimiter", "delimeter", ":1  source.delimeter", "Unknown key", "'delimiter'?"),
    ("disease: sensitive", "disease: {role: sensitive, k: 2}", ":8  columns.disease.k",
     "Unknown key 'k'", "Known: compare, hierarchy, publish, role."),
    ("start: 0", "begin: 0", ":6  columns.age.hierarchy.intervals.begin", "Unknown key",
     "Known: highest, lowest, start, widths."),
    ("{intervals: {", "{weight: 3, intervals: {", ":6  columns.age.hierarchy.weight", "Unknown key",
     "Known: intervals."),
    ("k: 2}", "k: 2, kk: 3}", ":10  privacy[0].kk", "Unknown key", "Did you mean 'k'?"),
    ("aggregate:", "agregate:", ":13  method.objective.agregate", "Unknown key", "'aggregate'?"),
    ("name: loss, ", "nam: loss, ", ":13  method.objective", "Unknown key 'nam'", "'name'?"),
    # Unknown names.
    ("disease: sensitive", "disease: sensitiv", ":8  columns.disease", "Unknown role 'sensitiv'",
     "Did you mean 'sensitive'?"),
    ("role: quasi-identifier\n", "role: quasi\n", ":5  columns.age.role", "Unknown role 'quasi'",
     "quasi-identifier"),
    ("model: k-anonymity", "model: k-anonimity", ":10  privacy[0].model", "'k-anonimity'",
     "Did you mean 'k-anonymity'?"),
    ("  name: optimal", "  name: optimum", ":12  method.name", "Unknown method 'optimum'",
     "Did you mean 'optimal'?"),
    ("{name: loss, aggregate: mean}", "discernability", ":13  method.objective",
     "Unknown objective 'discernability'", "Did you mean 'discernibility'?"),
    ("aggregate: mean", "aggregate: median", ":13  method.objective.aggregate",
     "cannot be 'median'", "'mean'?"),
    ("{intervals: {widths: [5, 10], start: 0}}", "{interval: [5, 10]}", ":6  columns.age.hierarchy",
     "Unknown hierarchy 'interval'", "'intervals'?"),
    ("{mask: {side: right}}", "{mask: rigth}", ":7  columns.zip.hierarchy.mask",
     "cannot be 'rigth'", "Did you mean 'right'?"),
    ("{mask: {side: right}}", "{date: [month, yeer]}", ":7  columns.zip.hierarchy.date[1]",
     "cannot be 'yeer'", "Did you mean 'year'?"),
    ("limit: 0.1}", "limit: 0.1, rows: masked}", ":15  suppression.rows", "cannot be 'masked'",
     "Did you mean 'mask'?"),
    ('delimiter: ";"', "encoding: latin1", ":1  source.encoding", "cannot be 'latin1'",
     "Did you mean 'latin-1'?"),
    ("{name: loss, aggregate: mean}", "{name: classification, attribute: diseas}",
     ":13  method.objective.attribute", "The plan has no column 'diseas'", "'disease'?"),
    # Wrong values.
    ("k: 2}", "k: 1}", ":10  privacy[0].k", "cannot be 1", "give 2 or more"),
    ("k: 2}", "k: 2.5}", ":10  privacy[0].k", "must be a whole number, not 2.5",
     "give a whole number"),
    ("k: 2}", "k: [2]}", ":10  privacy[0].k", "must be a whole number, not a list",
     "a whole number"),
    ("k: 2}", "k: }", ":10  privacy[0].k", "must be a whole number, not empty", "a whole number"),
    (", k: 2}", "}", ":10  privacy[0].k", "'k' is missing", "add `k:`"),
    ("limit: 0.1", "limit: 1.5", ":15  suppression.limit", "cannot be 1.5", "give 1 or less"),
    ("limit: 0.1", "limit: few", ":15  suppression.limit", "must be a number, not 'few'",
     "a number"),
    ("limit: 0.1", "limit: .nan", ":15  suppression.limit", "must be a number, not nan",
     "a number"),
    ("weight: 2", "weight: -1", ":7  columns.zip.weight", "cannot be -1", "give 0 or more"),
    ("weight: 2", "weight: .inf", ":7  columns.zip.weight", "must be a number, not inf",
     "a number"),
    ("nodes: 100", "seconds: 0", ":14  method.budget.seconds", "cannot be 0", "a number above 0"),
    ('delimiter: ";"', "delimiter: 5", ":1  source.delimiter", "must be text, not 5", "quotes"),
    ('delimiter: ";"', 'delimiter: ""', ":1  source.delimiter", "is empty", "1 character"),
    ('delimiter: ";"', "header: maybe", ":1  source.header", "must be true or false, not 'maybe'",
     "true or false"),
    ('delimiter: ";"', "types: [age]", ":1  source.types", "must be a mapping, not a list",
     "key: value"),
    ("[5, 10]", "[5, 12]", ":6  columns.age.hierarchy.intervals",
     "width 12 is not a larger multiple of 5", "use widths such as [5, 10, 20]"),
    ("[5, 10]", "[0]", ":6  columns.age.hierarchy.intervals.widths[0]", "cannot be 0", "above 0"),
    ("[5, 10]", "[]", ":6  columns.age.hierarchy.intervals.widths", "is empty", "1 or more"),
    ("[5, 10]", "[0.00000000001]", ":6  columns.age.hierarchy.intervals.widths[0]",
     "too many digits", "at most 9 digits after the decimal point"),
    ("start: 0", "lowest: 9, highest: 9", ":6  columns.age.hierarchy.intervals",
     "lowest 9 is not below highest 9", "swap them"),
    ("{widths: [5, 10], start: 0}", "5", ":6  columns.age.hierarchy.intervals",
     "must be a mapping, not 5", "widths, start, lowest, highest"),
    ("{mask: {side: right}}", "[mask]", ":7  columns.zip.hierarchy", "is not a hierarchy",
     f"one of {', '.join(HIERARCHY_KINDS)}"),
    ("{mask: {side: right}}", "{cut_points: [[3, 1]]}", ":7  columns.zip.hierarchy",
     "cut points do not increase", "from low to high"),
    ("{mask: {side: right}}", "{cut_points: [[1, 3], [2]]}", ":7  columns.zip.hierarchy",
     "cut point 2 is not one of the finer level", "keeps some of the finer level's"),
    ("{mask: {side: right}}", "{cut_points: [[1]], labels: [[a]]}", ":7  columns.zip.hierarchy",
     "labels and cut points do not match", "here 2"),
    ("{mask: {side: right}}", "{cut_points: [[1]], labels: [[a, a]]}", ":7  columns.zip.hierarchy",
     "two ranges of a level have the same label", "give them different labels"),
    ("{mask: {side: right}}", "{date: [year, month]}", ":7  columns.zip.hierarchy",
     "periods do not increase", "day, week, month, quarter"),
    ("{mask: {side: right}}", "{date: [week, month]}", ":7  columns.zip.hierarchy",
     "a week can span two months", "leave out"),
    ("{mask: {side: right}}", "{round: [1, 2]}", ":7  columns.zip.hierarchy",
     "digits do not decrease", "[2, 1, 0]"),
    ("{mask: {side: right}}", "{round: [1.5]}", ":7  columns.zip.hierarchy.round[0]",
     "must be a whole number, not 1.5", "a whole number"),
    ("{mask: {side: right}}", "{mask: {characters: 0}}",
     ":7  columns.zip.hierarchy.mask.characters", "cannot be 0", "1 or more"),
    # Wrong shapes.
    ("disease: sensitive", "disease: [sensitive, identifier]", ":8  columns.disease",
     "columns.disease cannot be a list", "write one role, one of identifier, quasi-identifier"),
    ("disease: sensitive", "disease:", ":8  columns.disease", "cannot be empty", "write one role"),
    ("disease: sensitive", "disease: {rol: sensitive}", ":8  columns.disease", "Unknown key 'rol'",
     "Did you mean 'role'?"),
    ("disease: sensitive", "disease: {}", ":8  columns.disease", "has no role", "add `role:`"),
    ("disease: sensitive", "zip: sensitive", ":8  columns.zip",
     "'zip' is given twice, first in line 7", "a column has one role"),
    ("disease: sensitive", "ZIP: sensitive", ":8  columns.ZIP",
     "'zip' and 'ZIP' are the same column", "rename a column"),
    ("method:\n", "privacy: []\nmethod:\n", ":11  privacy", "given twice", "keep one"),
    ("  - {model: k-anonymity, k: 2}", "  []", ":9  privacy", "is empty", "give 1 or more"),
    ("  - {model", "  {model", ":9  privacy", "must be a list, not a mapping", "`- …`"),
    ("  - {model: k-anonymity, k: 2}", "  - k-anonymity", ":10  privacy[0]", "'k-anonymity'",
     "model, k"),
    ("{limit: 0.1}", "0.1", ":15  suppression", "must be a mapping, not 0.1", "limit, rows"),
    ('{path: patients.csv, delimiter: ";"}', "[a.csv, b.csv]", ":1  source",
     "must be a mapping, not a list", "path, query, table"),
    ('source: {path: patients.csv, delimiter: ";"}\n', "", ":1  source", "'source' is missing",
     "add `source:`"),
    # What no single key can tell.
    ("path: patients.csv", "path: p.csv, query: select 1", ":1  source",
     "one of path, query and table, not path and query", "source: patients.csv"),
    ("path: patients.csv, ", "", ":1  source", "table, not none", "source: patients.csv"),
    ("patients.csv,", "patients.xlsx,", ":1  source",
     "'patients.xlsx' does not show what kind of file", "format: csv"),
    ("patients.csv,", "patients.duckdb,", ":1  source", "patients.duckdb", "FILE.duckdb::TABLE"),
    ("path: patients.csv,", 'path: "patients.duckdb::",', ":1  source",
     "does not name a table of a DuckDB file", "FILE.duckdb::TABLE"),
    ("patients_k2.csv", "patients_k2.xlsx", ":16  publish",
     "is not a file or table that can be published", ".parquet or .csv"),
    ("path: patients_k2.csv", "path: a.csv, table: b", ":16  publish", "either a path or a table",
     "publish: patients_k5.parquet"),
    ("path: patients_k2.csv", 'path: "a.duckdb::x."', ":16  publish", "does not name a table",
     "FILE.duckdb::SCHEMA.TABLE"),
    ("patients_k2.csv", "./patients.csv", ":16  publish", "is the source itself",
     "publish to another file"),
]  # fmt: skip


def plan_with(old: str, new: str, content: str = PLAN) -> str:
    """The plan with a change that it does have a place for."""
    assert old in content
    return content.replace(old, new, 1)


def fault_of(path: Path, *overrides: str) -> PlanError:
    with pytest.raises(PlanError) as caught:
        sqlanon.load_plan(path, overrides)
    assert caught.value.exit_code == 2
    assert caught.value.what
    assert caught.value.fix
    return caught.value


def written(folder: Path, content: str | bytes, name: str = "p.yml") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("old", "new", "place", "what", "fix"), FAULTS, ids=[new[:40] for _, new, *_ in FAULTS]
)
def test_every_fault_has_line_key_and_remedy(
    old: str, new: str, place: str, what: str, fix: str, tmp_path: Path
) -> None:
    error = fault_of(written(tmp_path, plan_with(old, new)))
    assert error.where == f"p.yml{place}"
    assert what in error.what
    assert fix in error.fix
    assert error.faults == (error,)  # one change is one fault


@pytest.mark.parametrize(
    ("content", "place", "what"),
    [
        ("", "p.yml:1", "mapping of keys"),
        ("# only a comment\n", "p.yml:1", "mapping of keys"),
        ("- source\n", "p.yml:1", "mapping of keys"),
        ("just text", "p.yml:1", "mapping of keys"),
        ("source: a.csv\ncolumns: {a: [\n", "p.yml:3", "not YAML"),
        ("source: a.csv\n\tcolumns: 3\n", "p.yml:2", "not YAML"),
        ("source: 'a.csv\n", "p.yml:2", "not YAML"),
        ("source: a.csv\n---\nsource: b.csv\n", "p.yml:2", "not YAML"),
        ("source: *nowhere\n", "p.yml:1", "not YAML"),
        ("? [a]\n: b\n", "p.yml:1", "not YAML"),
        ("source: a.csv\npublish: \x00\n", "p.yml:2", "not YAML"),
        ("source: é.csv\npublish: ü.csv\n".encode("latin-1"), "p.yml:1", "not UTF-8"),
        ("source: a.csv\npublish: ü.csv\n".encode("latin-1"), "p.yml:2", "not UTF-8"),
    ],
)
def test_a_file_that_is_no_plan(
    content: str | bytes, place: str, what: str, tmp_path: Path
) -> None:
    error = fault_of(written(tmp_path, content))
    assert error.where == place
    assert what in error.what


def test_a_missing_file_names_the_nearest_plan(tmp_path: Path) -> None:
    written(tmp_path, PLAN, "patients.yml")
    error = fault_of(tmp_path / "patient.yml")
    assert "cannot be read" in error.what
    assert error.fix == "Did you mean 'patients.yml'?"
    assert "cannot be read" in fault_of(tmp_path).what


def test_no_quasi_identifier_and_no_weight(tmp_path: Path) -> None:
    content = "columns: {a: sensitive}\nsource: a.csv\npublish: b.csv\n"
    error = fault_of(written(tmp_path, f"{content}privacy: [{{model: k-anonymity, k: 2}}]\n"))
    assert "No column is a quasi-identifier" in error.what
    assert error.where == "p.yml:1  columns"
    content = PLAN.replace("weight: 2", "weight: 0")
    assert "weight 0" in fault_of(written(tmp_path, content), "columns.age.weight=0").what


@pytest.mark.parametrize(
    ("override", "where", "what", "fix"),
    [
        ("method.nam=3", "--set method.nam", "Unknown key 'nam'", "Did you mean 'name'?"),
        ("metod.name=datafly", "--set metod", "Unknown key 'metod'", "Did you mean 'method'?"),
        ("suppression.limit=2", "--set suppression.limit", "cannot be 2", "give 1 or less"),
        ("columns.agee=identifer", "--set columns.agee", "Unknown role 'identifer'", "identifier"),
        ("columns.age.weigt=1", "--set columns.age.weigt", "Unknown key", "Did you mean 'weight'?"),
        ("privacy.0.kk=3", "--set privacy[0].kk", "Unknown key", "Did you mean 'k'?"),
        ("privacy.0.k=1", "--set privacy[0].k", "cannot be 1", "2 or more"),
        ("privacy.1.k=1", "--set privacy.1.k", "a list with 1 item(s)", "--set privacy.0.k=5"),
        ("privacy.k=1", "--set privacy.k", "a list with 1 item(s)", "--set privacy.0.k=5"),
        ("publish=[", "--set publish:1", "not YAML", "brackets"),
        ("publish", "--set", "'publish' does not set a key", "KEY=VALUE"),
        ("=3", "--set", "'=3' does not set a key", "KEY=VALUE"),
        ("a..b=3", "--set", "'a..b=3' does not set a key", "KEY=VALUE"),
    ],
)
def test_a_wrong_override(override: str, where: str, what: str, fix: str, tmp_path: Path) -> None:
    error = fault_of(written(tmp_path, PLAN), override)
    assert error.where.startswith(where)
    assert what in error.what
    assert fix in error.fix


def test_overrides_reach_every_place_and_lengthen_short_forms(tmp_path: Path) -> None:
    expected: dict[str, Any] = {
        "source.delimiter": ",",
        "columns.name.action": "star",
        "columns.age.hierarchy.intervals.lowest": "18",
        "columns.zip.hierarchy.mask.characters": 5,
        "columns.education.hierarchy.delimiter": ";",
        "privacy.0.k": 3,
        "method.objective": "height",
        "suppression.limit": "0.05",
        "publish": "other.parquet",
    }
    overrides = [f"{key}={value}" for key, value in expected.items()]
    path = written(tmp_path, DESIGN_PLAN)
    shown: Any = sqlanon.load_plan(path, overrides).model_dump(mode="json")
    expected["columns.zip.hierarchy.mask.side"] = "right"
    expected["method.name"] = "optimal"
    expected["method.objective.name"] = expected.pop("method.objective")
    expected["publish.path"] = expected.pop("publish")
    for key, value in expected.items():
        found = shown
        for part in key.split("."):
            found = found[int(part) if part.isdigit() else part]
        assert found == value, key


def test_a_mapping_is_a_plan_and_stays_as_it_is(tmp_path: Path) -> None:
    path = written(tmp_path, PLAN)
    assert (sqlanon.load_plan(path).k, sqlanon.load_plan(path).name) == (2, "p")
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


def test_column_names_are_text_whatever_yaml_takes_them_for(tmp_path: Path) -> None:
    names = ["no", "null", "2024", "1.5", "2024-01-01", "true", "~", "on", "0x1F", "12:30:45"]
    columns = "".join(f"  {name}: quasi-identifier\n" for name in names)
    content = f"source: a.csv\ncolumns:\n{columns}privacy: [{{model: k-anonymity, k: 2}}]\n"
    plan = sqlanon.load_plan(written(tmp_path, f"{content}publish: b.csv\n"))
    assert list(plan.columns) == names


def test_anchors_merge_keys_and_a_byte_order_mark(tmp_path: Path) -> None:
    content = """\
source: a.csv
columns:
  zip: &digits {role: quasi-identifier, hierarchy: {mask: right}}
  phone: *digits
  fax: {<<: *digits, weight: 3}
privacy: [{model: k-anonymity, k: 2}]
publish: b.csv
"""
    plan = sqlanon.load_plan(written(tmp_path, b"\xef\xbb\xbf" + content.encode()))
    assert plan.quasi_identifiers["phone"] == plan.quasi_identifiers["zip"]
    assert plan.quasi_identifiers["fax"].weight == 3
    error = fault_of(written(tmp_path, "source: a.csv\ncolumns: &c\n  a: *c\n"))
    assert error.where.startswith("p.yml:")


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
        ("data/*.parquet", "out.parquet", False),
        ("a.duckdb::t", "b.duckdb::t", False),
    ],
)
def test_publishing_into_the_source_is_refused(
    source: str, publish: str, is_refused: bool, folder: Path
) -> None:
    Path("data").mkdir()
    plan = plan_of(["a"], source.format(folder), publish=publish)
    if not is_refused:
        sqlanon.load_plan(plan)
        return
    with pytest.raises(PlanError, match="is the source itself"):
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
    assert hierarchy_error(tmp_path, "adult/educaton.csv").fix == (
        "Did you mean 'adult/education.csv'?"
    )
    assert "adult/race.csv" in hierarchy_error(tmp_path, "qqqqqqqq").fix
    assert hierarchy_error(tmp_path, str(tmp_path / "nowhere.csv")).exit_code == 2


AGE = ":4  columns.age.hierarchy"


@pytest.mark.parametrize(
    ("name", "content", "where", "what", "fix"),
    [
        ("h.csv", "", AGE, "'h.csv' is empty", ""),
        ("h.csv", "\n\n", AGE, "'h.csv' is empty", ""),
        ("h.csv", "secret\nsecret2\n", AGE, "has only one column", ""),
        ("h.csv", "secret|low|*\nsecret2|low|*\n", AGE, "has only one column", ""),
        ("h.csv", "secret;low;*\nsecret2;low\n", AGE,
         "Line 2 of 'h.csv' has 2 column(s), but the first line has 3", ""),
        ("h.csv", "secret,low,*\n\nsecret2,low,high,*\n", AGE,
         "Line 3 of 'h.csv' has 4 column(s)", ""),
        ("h.csv", 'secret;"low;*\nsecret2;low;*\n', AGE, "Line 2 of 'h.csv' has a misplaced quote",
         ""),
        ("h.csv", "secret;é;*\n".encode("latin-1"), AGE, "cannot be read (UnicodeDecodeError)", ""),
        ("h.yml", "mask: {side: rigth}\n", ":1  hierarchy.mask.side", "'rigth'", "'right'?"),
        ("h.yml", "# a rule\nmsk: right\n", ":1  hierarchy", "Unknown hierarchy 'msk'", "'mask'?"),
        ("h.yml", "mask:\n  sid: right\n", ":2  hierarchy.mask.sid", "Unknown key", "'side'?"),
        ("h.yml", "other.csv\n", ":1  hierarchy", "names another file", "write a rule"),
        ("h.yml", "", ":1  hierarchy", "is not a hierarchy", "intervals"),
        ("h.yml", "mask: [", ":1", "not YAML", "brackets"),
        ("h.yml", "mask: é".encode("latin-1"), ":1", "not UTF-8", "UTF-8"),
        ("myages.csv", "1;*\n", AGE, "found in the plan's folder or among the shipped hierarchies",
         "Did you mean 'myages.csv'?"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_hierarchy(
    name: str, content: str | bytes, where: str, what: str, fix: str, tmp_path: Path
) -> None:
    written(tmp_path, content, name)
    error = hierarchy_error(tmp_path, "my_ages.csv" if name == "myages.csv" else name)
    assert error.where == f"{'h.yml' if name == 'h.yml' else 'p.yml'}{where}"
    assert what in error.what
    assert error.fix
    assert fix in error.fix
    assert name != "h.csv" or "Unicode" in what or isinstance(error, HierarchyError)


# The JSON Schema


DESIGN_PLAN = """\
source: adult.csv
columns:
  name:        identifier
  ssn:         {role: identifier, action: pseudonym}
  age:         {role: quasi-identifier, hierarchy: {intervals: [5, 10, 20]}}
  zip:         {role: quasi-identifier, hierarchy: {mask: right}, weight: 2}
  born:        {role: quasi-identifier, hierarchy: {date: [month, year, decade]}}
  education:   {role: quasi-identifier, hierarchy: adult/education.csv}
  latitude:    {role: quasi-identifier, hierarchy: {round: [2, 1, 0]}, weight: 0.5}
  income:      {role: quasi-identifier, hierarchy: {cut_points: [[10.5, 20], [20]]}}
  city:        {role: quasi-identifier, hierarchy: {query: "select city, land, '*' from cities"}}
  occupation:  {role: sensitive}
  hours:       insensitive
missing: value
privacy:
  - {model: k-anonymity, k: 5}
method: {name: optimal, objective: {name: loss, aggregate: mean}}
suppression: {limit: 0.02, rows: drop}
publish: adult_k5.parquet
order: sorted
"""

SOUND_CHANGES = [
    ("source: adult.csv", "source: hospital.duckdb::main.patients"),
    ("source: adult.csv", "source: {query: 'select 1 as age'}"),
    ("source: adult.csv", 'source: {path: adult.csv, delimiter: ";", header: false}'),
    ("source: adult.csv", "source: {path: adult.csv, types: {age: integer}, encoding: utf-16}"),
    ("{intervals: [5, 10, 20]}", "{intervals: [0.1, 0.5]}"),
    ("{intervals: [5, 10, 20]}", "{intervals: {widths: [5], start: 0.5, lowest: 1, highest: 9}}"),
    ("{mask: right}", "{mask: {side: left, characters: 5}}"),
    ("adult/education.csv", '{file: adult/education.csv, delimiter: ",", header: true}'),
    ("{cut_points: [[10.5, 20], [20]]}", "{cut_points: [[10]], labels: [[low, high]]}"),
    ("method: {name: optimal, objective: {name: loss, aggregate: mean}}", "method: datafly"),
    ("method: {name: optimal, objective: {name: loss, aggregate: mean}}\n", ""),
    ("objective: {name: loss, aggregate: mean}", "objective: discernibility"),
    ("name: optimal, objective: {name: loss, aggregate: mean}", "budget: {nodes: 9, seconds: 1.5}"),
    ("{limit: 0.02, rows: drop}", "{limit: 0, rows: mask}"),
    ("{limit: 0.02, rows: drop}", "{limit: 1}"),
    ("adult_k5.parquet", "out.duckdb::main.adult"),
    ("adult_k5.parquet", "{path: out.csv}"),
    ("missing: value", "missing: drop-rows"),
    ("order: sorted", "order: source"),
]


schema_of_plans = functools.cache(sqlanon.schema)


def test_the_schema_is_json_with_nothing_missing() -> None:
    schema = json.loads(json.dumps(schema_of_plans()))
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    text = json.dumps(schema)
    references = set(re.findall(r'"(#/\$defs/[^"]*)"', text))
    assert references
    assert {ref.removeprefix("#/$defs/") for ref in references} == set(schema["$defs"])
    parts = [schema, *(part for part in schema["$defs"].values() if "properties" in part)]
    assert all(part["additionalProperties"] is False for part in parts)
    assert "SuppressionHierarchy" not in text


def test_the_schema_and_the_reader_accept_the_plan_of_the_design(tmp_path: Path) -> None:
    schema = Draft202012Validator(schema_of_plans())
    for old, new in [("", ""), *SOUND_CHANGES]:
        content = plan_with(old, new, DESIGN_PLAN)
        sqlanon.load_plan(written(tmp_path, content))
        assert schema.is_valid(yaml.safe_load(content)), new


def test_the_schema_refuses_what_the_reader_refuses_of_one_key() -> None:
    schema = Draft202012Validator(schema_of_plans())
    assert schema.is_valid(yaml.safe_load(PLAN))
    accepted = [
        what
        for old, new, _, what, _ in FAULTS
        if "twice" not in what and schema.is_valid(yaml.safe_load(plan_with(old, new)))
    ]
    # What is left needs two keys to be seen, or SQL's rules, or has no name in JSON (nan).
    assert len(accepted) <= 25, accepted
    assert not any("Unknown key" in what for what in accepted)
    assert not any("There is no" in what and "column" not in what for what in accepted)


def test_equal_plans_have_equal_digests_whatever_their_layout(tmp_path: Path) -> None:
    short = sqlanon.load_plan(written(tmp_path, DESIGN_PLAN))
    long = sqlanon.load_plan(
        written(
            tmp_path,
            DESIGN_PLAN.replace("source: adult.csv", "# a comment\nsource: {path: adult.csv}")
            .replace("{mask: right}", "{mask: {side: right}}")
            .replace("hours:       insensitive", "hours: {role: insensitive}"),
            "other.yml",
        )
    )
    assert short.sha256 == long.sha256
    assert short.sha256 != sqlanon.load_plan(tmp_path / "p.yml", ["privacy.0.k=6"]).sha256


def test_an_identifier_cannot_be_predicted() -> None:
    method = {"objective": {"name": "classification", "attribute": "name"}}
    with pytest.raises(PlanError, match="'name' is an identifier"):
        sqlanon.load_plan(plan_of({"a": "quasi-identifier", "name": "identifier"}, method=method))


@pytest.mark.parametrize(
    ("source", "published", "is_refused"),
    [
        ("patients.visits", "open.visits", False),
        ("patients.visits", "Patients.Visits", True),
        ("patients.visits", "visits", True),  # may be found in the same schema
        ("visits", "open.visits", True),
        ("clinic.patients.visits", "patients.visits", True),
        ("clinic.patients.visits", "other.patients.visits", False),
        ("patients.visits", "patients.visits_k5", False),
    ],
)
def test_a_publication_has_no_name_that_an_input_may_have(
    source: str, published: str, is_refused: bool
) -> None:
    table = {"table": source}
    for inputs in ({"source": table}, {"source": {"table": "rows"}, "population": table}):
        plan = plan_of(["sex"], **inputs, publish={"table": published})
        if is_refused:
            with pytest.raises(PlanError, match="publishing would replace it"):
                sqlanon.load_plan(plan)
        else:
            sqlanon.load_plan(plan)
