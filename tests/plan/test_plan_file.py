"""Errors of a plan name line, key, fault and remedy; the JSON Schema knows every short form."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from jsonschema import Draft202012Validator

import sqlanon
from sqlanon.errors import HierarchyError, PlanError
from sqlanon.hierarchies import HIERARCHY_KINDS
from sqlanon.source.hierarchy_files import resolve_hierarchies

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


class Fault(NamedTuple):
    """A change of the plan, where its error points, and what it says and advises."""

    old: str
    new: str
    place: str
    what: str
    fix: str


FAULTS = [
    # Unknown keys, in every part of the plan.
    Fault("columns:", "colums:", ":2  colums", "Unknown key 'colums'", "Did you mean 'columns'?"),
    Fault("method:", "methods:", ":11  methods", "Unknown key", "Did you mean 'method'?"),
    Fault("delimiter", "delimeter", ":1  source.delimeter", "Unknown key", "'delimiter'?"),
    Fault("name: identifier", "name: {role: identifier, acton: star}", ":3  columns.name.acton",
          "Unknown key 'acton'", "Did you mean 'action'?"),
    Fault("weight: 2", "weigth: 2", ":7  columns.zip.weigth", "Unknown key", "'weight'?"),
    Fault("disease: sensitive", "disease: {role: sensitive, k: 2}", ":8  columns.disease.k",
          "Unknown key 'k'", "Known: compare, hierarchy, publish, role."),
    Fault("start: 0", "begin: 0", ":6  columns.age.hierarchy.intervals.begin", "Unknown key",
          "Known: highest, lowest, start, widths."),
    Fault("{intervals: {", "{weight: 3, intervals: {", ":6  columns.age.hierarchy.weight",
          "Unknown key", "Known: intervals."),
    Fault("{side: right}", "{sid: right}", ":7  columns.zip.hierarchy.mask.sid", "Unknown key",
          "Did you mean 'side'?"),
    Fault("k: 2}", "k: 2, kk: 3}", ":10  privacy[0].kk", "Unknown key", "Did you mean 'k'?"),
    Fault("  name: optimal", "  nam: optimal", ":12  method.nam", "Unknown key", "'name'?"),
    Fault("aggregate:", "agregate:", ":13  method.objective.agregate", "Unknown key",
          "'aggregate'?"),
    Fault("name: loss, ", "nam: loss, ", ":13  method.objective", "Unknown key 'nam'", "'name'?"),
    Fault("nodes:", "node:", ":14  method.budget.node", "Unknown key", "Did you mean 'nodes'?"),
    Fault("limit:", "limits:", ":15  suppression.limits", "Unknown key", "Did you mean 'limit'?"),
    Fault("publish: {path", "publish: {pth", ":16  publish.pth", "Unknown key", "'path'?"),
    # Unknown names.
    Fault("disease: sensitive", "disease: sensitiv", ":8  columns.disease",
          "Unknown role 'sensitiv'", "Did you mean 'sensitive'?"),
    Fault("role: quasi-identifier\n", "role: quasi\n", ":5  columns.age.role",
          "Unknown role 'quasi'", "quasi-identifier"),
    Fault("model: k-anonymity", "model: k-anonimity", ":10  privacy[0].model", "'k-anonimity'",
          "Did you mean 'k-anonymity'?"),
    Fault("  name: optimal", "  name: optimum", ":12  method.name", "Unknown method 'optimum'",
          "Did you mean 'optimal'?"),
    Fault("name: loss", "name: los", ":13  method.objective.name", "Unknown objective 'los'",
          "Did you mean 'loss'?"),
    Fault("{name: loss, aggregate: mean}", "discernability", ":13  method.objective",
          "Unknown objective 'discernability'", "Did you mean 'discernibility'?"),
    Fault("aggregate: mean", "aggregate: median", ":13  method.objective.aggregate",
          "cannot be 'median'", "'mean'?"),
    Fault("{intervals: {widths: [5, 10], start: 0}}", "{interval: [5, 10]}",
          ":6  columns.age.hierarchy", "Unknown hierarchy 'interval'", "'intervals'?"),
    Fault("{mask: {side: right}}", "{mask: rigth}", ":7  columns.zip.hierarchy.mask",
          "cannot be 'rigth'", "Did you mean 'right'?"),
    Fault("{mask: {side: right}}", "{date: [month, yeer]}", ":7  columns.zip.hierarchy.date[1]",
          "cannot be 'yeer'", "Did you mean 'year'?"),
    Fault("limit: 0.1}", "limit: 0.1, rows: masked}", ":15  suppression.rows",
          "cannot be 'masked'", "Did you mean 'mask'?"),
    Fault('delimiter: ";"', "encoding: latin1", ":1  source.encoding", "cannot be 'latin1'",
          "Did you mean 'latin-1'?"),
    Fault("{name: loss, aggregate: mean}", "{name: classification, attribute: diseas}",
          ":13  method.objective.attribute", "The plan has no column 'diseas'", "'disease'?"),
    # Wrong values.
    Fault("k: 2}", "k: 1}", ":10  privacy[0].k", "cannot be 1", "give 2 or more"),
    Fault("k: 2}", "k: 2.5}", ":10  privacy[0].k", "must be a whole number, not 2.5",
          "give a whole number"),
    Fault("k: 2}", "k: five}", ":10  privacy[0].k", "must be a whole number, not 'five'",
          "a whole number"),
    Fault("k: 2}", "k: [2]}", ":10  privacy[0].k", "must be a whole number, not a list",
          "a whole number"),
    Fault("k: 2}", "k: }", ":10  privacy[0].k", "must be a whole number, not empty",
          "a whole number"),
    Fault(", k: 2}", "}", ":10  privacy[0].k", "'k' is missing", "add `k:`"),
    Fault("limit: 0.1", "limit: 1.5", ":15  suppression.limit", "cannot be 1.5", "give 1 or less"),
    Fault("limit: 0.1", "limit: -0.1", ":15  suppression.limit", "cannot be -0.1",
          "give 0 or more"),
    Fault("limit: 0.1", "limit: few", ":15  suppression.limit", "must be a number, not 'few'",
          "a number"),
    Fault("limit: 0.1", "limit: .nan", ":15  suppression.limit", "must be a number, not nan",
          "a number"),
    Fault("weight: 2", "weight: -1", ":7  columns.zip.weight", "cannot be -1", "give 0 or more"),
    Fault("weight: 2", "weight: .inf", ":7  columns.zip.weight", "must be a number, not inf",
          "a number"),
    Fault("weight: 2", "weight: heavy", ":7  columns.zip.weight", "must be a number, not 'heavy'",
          "a number"),
    Fault("nodes: 100", "nodes: 0", ":14  method.budget.nodes", "cannot be 0", "give 1 or more"),
    Fault("nodes: 100", "seconds: 0", ":14  method.budget.seconds", "cannot be 0",
          "a number above 0"),
    Fault('delimiter: ";"', "delimiter: 5", ":1  source.delimiter", "must be text, not 5",
          "quotes"),
    Fault('delimiter: ";"', 'delimiter: ""', ":1  source.delimiter", "is empty", "1 character"),
    Fault('delimiter: ";"', "header: maybe", ":1  source.header",
          "must be true or false, not 'maybe'",
          "true or false"),
    Fault('delimiter: ";"', "types: [age]", ":1  source.types", "must be a mapping, not a list",
          "key: value"),
    Fault("[5, 10]", "[5, 12]", ":6  columns.age.hierarchy.intervals",
          "width 12 is not a larger multiple of 5", "use widths such as [5, 10, 20]"),
    Fault("[5, 10]", "[5, 5]", ":6  columns.age.hierarchy.intervals", "not a larger multiple",
          "use widths"),
    Fault("[5, 10]", "[0]", ":6  columns.age.hierarchy.intervals.widths[0]", "cannot be 0",
          "above 0"),
    Fault("[5, 10]", "[]", ":6  columns.age.hierarchy.intervals.widths", "is empty", "1 or more"),
    Fault("[5, 10]", "[0.00000000001]", ":6  columns.age.hierarchy.intervals.widths[0]",
          "too many digits", "at most 9 digits after the decimal point"),
    Fault("start: 0", "lowest: 9, highest: 9", ":6  columns.age.hierarchy.intervals",
          "lowest 9 is not below highest 9", "swap them"),
    Fault("{widths: [5, 10], start: 0}", "5", ":6  columns.age.hierarchy.intervals",
          "must be a mapping, not 5", "widths, start, lowest, highest"),
    Fault("{mask: {side: right}}", "[mask]", ":7  columns.zip.hierarchy", "is not a hierarchy",
          f"one of {', '.join(HIERARCHY_KINDS)}"),
    Fault("{mask: {side: right}}", "{cut_points: [[3, 1]]}", ":7  columns.zip.hierarchy",
          "cut points do not increase", "from low to high"),
    Fault("{mask: {side: right}}", "{cut_points: [[1, 3], [2]]}", ":7  columns.zip.hierarchy",
          "cut point 2 is not one of the finer level", "keeps some of the finer level's"),
    Fault("{mask: {side: right}}", "{cut_points: [[1]], labels: [[a]]}",
          ":7  columns.zip.hierarchy", "labels and cut points do not match",
          "here 2"),
    Fault("{mask: {side: right}}", "{cut_points: [[1]], labels: [[a, a]]}",
          ":7  columns.zip.hierarchy", "two ranges of a level have the same label",
          "give them different labels"),
    Fault("{mask: {side: right}}", "{date: [year, month]}", ":7  columns.zip.hierarchy",
          "periods do not increase", "day, week, month, quarter"),
    Fault("{mask: {side: right}}", "{date: [week, month]}", ":7  columns.zip.hierarchy",
          "a week can span two months", "leave out"),
    Fault("{mask: {side: right}}", "{round: [1, 2]}", ":7  columns.zip.hierarchy",
          "digits do not decrease", "[2, 1, 0]"),
    Fault("{mask: {side: right}}", "{round: [1.5]}", ":7  columns.zip.hierarchy.round[0]",
          "must be a whole number, not 1.5", "a whole number"),
    Fault("{mask: {side: right}}", "{mask: {characters: 0}}",
          ":7  columns.zip.hierarchy.mask.characters", "cannot be 0", "1 or more"),
    # Wrong shapes.
    Fault("disease: sensitive", "disease: [sensitive, identifier]", ":8  columns.disease",
          "columns.disease cannot be a list",
          "write one role, one of identifier, quasi-identifier"),
    Fault("disease: sensitive", "disease:", ":8  columns.disease", "cannot be empty",
          "write one role"),
    Fault("disease: sensitive", "disease: {rol: sensitive}", ":8  columns.disease",
          "Unknown key 'rol'", "Did you mean 'role'?"),
    Fault("disease: sensitive", "disease: {}", ":8  columns.disease", "has no role", "add `role:`"),
    Fault("disease: sensitive", "zip: sensitive", ":8  columns.zip",
          "'zip' is given twice, first in line 7", "a column has one role"),
    Fault("disease: sensitive", "ZIP: sensitive", ":8  columns.ZIP",
          "'zip' and 'ZIP' are the same column",
          "rename a column"),
    Fault("method:\n", "privacy: []\nmethod:\n", ":11  privacy", "given twice", "keep one"),
    Fault("  - {model: k-anonymity, k: 2}", "  []", ":9  privacy", "is empty", "give 1 or more"),
    Fault("  - {model", "  {model", ":9  privacy", "must be a list, not a mapping", "`- …`"),
    Fault("  - {model: k-anonymity, k: 2}", "  - k-anonymity", ":10  privacy[0]",
          "'k-anonymity'", "model, k"),
    Fault("{limit: 0.1}", "0.1", ":15  suppression", "must be a mapping, not 0.1", "limit, rows"),
    Fault('{path: patients.csv, delimiter: ";"}', "[a.csv, b.csv]", ":1  source",
          "must be a mapping, not a list", "path, query, table"),
    Fault('source: {path: patients.csv, delimiter: ";"}\n', "", ":1  source",
          "'source' is missing", "add `source:`"),
    # What no single key can tell.
    Fault("path: patients.csv", "path: p.csv, query: select 1", ":1  source",
          "one of path, query and table, not path and query", "source: patients.csv"),
    Fault("path: patients.csv, ", "", ":1  source", "table, not none", "source: patients.csv"),
    Fault("patients.csv,", "patients.xlsx,", ":1  source",
          "'patients.xlsx' does not show what kind of file",
          "format: csv"),
    Fault("patients.csv,", "patients.duckdb,", ":1  source", "patients.duckdb",
          "FILE.duckdb::TABLE"),
    Fault("path: patients.csv,", 'path: "patients.duckdb::",', ":1  source",
          "does not name a table of a DuckDB file", "FILE.duckdb::TABLE"),
    Fault("patients_k2.csv", "patients_k2.xlsx", ":16  publish",
          "is not a file or table that can be published",
          ".parquet or .csv"),
    Fault("path: patients_k2.csv", "path: a.csv, table: b", ":16  publish",
          "either a path or a table",
          "publish: patients_k5.parquet"),
    Fault("path: patients_k2.csv", 'path: "a.duckdb::x."', ":16  publish", "does not name a table",
          "FILE.duckdb::SCHEMA.TABLE"),
    Fault("patients_k2.csv", "./patients.csv", ":16  publish", "is the source itself",
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


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.new[:40])
def test_every_fault_has_line_key_and_remedy(fault: Fault, tmp_path: Path) -> None:
    error = fault_of(written(tmp_path, plan_with(fault.old, fault.new)))
    assert error.where == f"p.yml{fault.place}"
    assert fault.what in error.what
    assert fault.fix in error.fix
    assert error.faults == (error,)  # one change is one fault


def test_the_plan_of_these_tests_is_sound(tmp_path: Path) -> None:
    plan = sqlanon.load_plan(written(tmp_path, PLAN))
    assert plan.k == 2
    assert plan.name == "p"


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
        ("source: !!python/object:os.system x\n", "p.yml:1", "The tag 'python/object"),
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
    none = "columns: {a: sensitive}\nsource: a.csv\nprivacy: [{model: k-anonymity, k: 2}]\n"
    error = fault_of(written(tmp_path, f"{none}publish: b.csv\n"))
    assert "No column is a quasi-identifier" in error.what
    assert error.where == "p.yml:1  columns"
    error = fault_of(
        written(tmp_path, PLAN.replace("weight: 2", "weight: 0")), "columns.age.weight=0"
    )
    assert "weight 0" in error.what


@pytest.mark.parametrize(
    ("override", "where", "what", "fix"),
    [
        ("method.nam=3", "--set method.nam", "Unknown key 'nam'", "Did you mean 'name'?"),
        ("metod.name=datafly", "--set metod", "Unknown key 'metod'", "Did you mean 'method'?"),
        ("suppression.limits=1", "--set suppression.limits", "Unknown key", "'limit'?"),
        ("suppression.limit=2", "--set suppression.limit", "cannot be 2", "give 1 or less"),
        (
            "columns.agee=identifer",
            "--set columns.agee",
            "Unknown role 'identifer'",
            "'identifier'?",
        ),
        ("columns.age.weigt=1", "--set columns.age.weigt", "Unknown key", "Did you mean 'weight'?"),
        ("source.delim=|", "--set source.delim", "Unknown key", "Did you mean 'delimiter'?"),
        ("privacy.0.kk=3", "--set privacy[0].kk", "Unknown key", "Did you mean 'k'?"),
        ("privacy.0.k=1", "--set privacy[0].k", "cannot be 1", "2 or more"),
        (
            "privacy.1.k=1",
            "--set privacy.1.k",
            "privacy is a list with 1 item(s)",
            "--set privacy.0.k=5",
        ),
        (
            "privacy.k=1",
            "--set privacy.k",
            "privacy is a list with 1 item(s)",
            "--set privacy.0.k=5",
        ),
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
    content = """\
source: patients.csv
columns:
  name: identifier
  age: {role: quasi-identifier, hierarchy: {intervals: [5, 10]}}
  zip: {role: quasi-identifier, hierarchy: {mask: right}}
  job: {role: quasi-identifier, hierarchy: jobs.csv}
privacy: [{model: k-anonymity, k: 2}]
method: incognito
publish: out.csv
"""
    plan = sqlanon.load_plan(
        written(tmp_path, content),
        [
            "source.delimiter=,",
            "columns.name.action=star",
            "columns.age.hierarchy.intervals.lowest=18",
            "columns.zip.hierarchy.mask.characters=5",
            "columns.job.hierarchy.delimiter='|'",
            "privacy.0.k=3",
            "method.objective=height",
            "suppression.limit=0.05",
            "publish=other.parquet",
        ],
    )
    shown = plan.model_dump(mode="json")
    assert shown["source"]["delimiter"] == ","
    assert shown["columns"]["name"]["action"] == "star"
    assert shown["columns"]["age"]["hierarchy"]["intervals"]["lowest"] == "18"
    assert shown["columns"]["zip"]["hierarchy"]["mask"] == {"side": "right", "characters": 5}
    assert shown["columns"]["job"]["hierarchy"]["delimiter"] == "|"
    assert plan.k == 3
    assert shown["method"]["name"] == "incognito"
    assert shown["method"]["objective"]["name"] == "height"
    assert plan.suppression.limit == Decimal("0.05")
    assert plan.publish.path == "other.parquet"


def test_a_mapping_is_a_plan_and_stays_as_it_is(tmp_path: Path) -> None:
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
    lines = "".join(f"  {name}: quasi-identifier\n" for name in names)
    plan = sqlanon.load_plan(
        written(
            tmp_path,
            f"source: a.csv\ncolumns:\n{lines}"
            "privacy: [{model: k-anonymity, k: 2}]\npublish: b.csv\n",
        )
    )
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


def test_publishing_into_the_source_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()

    def refused(source: str, publish: str) -> bool:
        content = (
            f"source: {source}\ncolumns: {{a: quasi-identifier}}\n"
            f"privacy: [{{model: k-anonymity, k: 2}}]\npublish: {publish}\n"
        )
        try:
            sqlanon.load_plan(written(tmp_path, content))
        except PlanError as error:
            return "is the source itself" in error.what
        return False

    assert refused("data/*.parquet", "data/out.parquet")
    assert refused("data/**/*.parquet", "data/2024/1/out.parquet")
    assert refused("'data/[a]?.csv'", "data/[a]b.csv")
    assert not refused("'data/[ab].csv'", "data/a.csv")
    assert refused(str(tmp_path / "a.csv"), "data/../a.csv")
    assert refused("a.duckdb::t", "a.duckdb::u")
    assert not refused("data/*.parquet", "data/deeper/out.parquet")
    assert not refused("data/*.parquet", "out.parquet")
    assert not refused("a.duckdb::t", "b.duckdb::t")


# Hierarchy files


def hierarchy_error(folder: Path, hierarchy: str, **files: str | bytes) -> PlanError:
    for name, content in files.items():
        stem, _, ending = name.rpartition("_")
        written(folder, content, f"{stem}.{ending}")
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
    error = hierarchy_error(tmp_path, "adult/educaton.csv")
    assert error.where == "p.yml:4  columns.age.hierarchy"
    assert "was not found in the plan's folder or among the shipped hierarchies" in error.what
    assert error.fix == "Did you mean 'adult/education.csv'?"
    error = hierarchy_error(tmp_path, "my_ages.csv", myages_csv="1;*\n")
    assert error.fix == "Did you mean 'myages.csv'?"
    assert "adult/race.csv" in hierarchy_error(tmp_path, "qqqqqqqq").fix
    assert hierarchy_error(tmp_path, str(tmp_path / "nowhere.csv")).exit_code == 2


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "'h.csv' is empty"),
        ("\n\n", "'h.csv' is empty"),
        ("secret\nsecret2\n", "has only one column"),
        ("secret|low|*\nsecret2|low|*\n", "has only one column"),
        (
            "secret;low;*\nsecret2;low\n",
            "Line 2 of 'h.csv' has 2 column(s), but the first line has 3",
        ),
        ("secret,low,*\n\nsecret2,low,high,*\n", "Line 3 of 'h.csv' has 4 column(s)"),
        ('secret;"low;*\nsecret2;low;*\n', "Line 2 of 'h.csv' has a misplaced quote"),
        ("secret;é;*\n".encode("latin-1"), "cannot be read (UnicodeDecodeError)"),
    ],
)
def test_a_file_that_is_no_hierarchy(content: str | bytes, what: str, tmp_path: Path) -> None:
    error = hierarchy_error(tmp_path, "h.csv", h_csv=content)
    assert error.where == "p.yml:4  columns.age.hierarchy"
    assert what in error.what
    assert error.fix
    assert isinstance(error, HierarchyError) or "UnicodeDecodeError" in error.what


@pytest.mark.parametrize(
    ("content", "where", "what", "fix"),
    [
        ("mask: {side: rigth}\n", "h.yml:1  hierarchy.mask.side", "'rigth'", "'right'?"),
        ("# a rule\nmsk: right\n", "h.yml:1  hierarchy", "Unknown hierarchy 'msk'", "'mask'?"),
        ("mask:\n  sid: right\n", "h.yml:2  hierarchy.mask.sid", "Unknown key", "'side'?"),
        ("other.csv\n", "h.yml:1  hierarchy", "names another file", "write a rule"),
        ("", "h.yml:1  hierarchy", "is not a hierarchy", "intervals"),
        ("mask: [", "h.yml:1", "not YAML", "brackets"),
        ("mask: é".encode("latin-1"), "h.yml:1", "not UTF-8", "UTF-8"),
    ],
)
def test_a_yaml_file_that_is_no_rule(
    content: str | bytes, where: str, what: str, fix: str, tmp_path: Path
) -> None:
    error = hierarchy_error(tmp_path, "h.yml", h_yml=content)
    assert error.where == where
    assert what in error.what
    assert fix in error.fix


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


def test_the_schema_is_json_with_nothing_missing() -> None:
    schema = json.loads(json.dumps(sqlanon.schema()))
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    text = json.dumps(schema)
    references = set(re.findall(r'"(#/\$defs/[^"]*)"', text))
    assert references
    assert {ref.removeprefix("#/$defs/") for ref in references} == set(schema["$defs"])
    assert "SuppressionHierarchy" not in text


def test_the_schema_and_the_reader_accept_the_plan_of_the_design(tmp_path: Path) -> None:
    schema = Draft202012Validator(sqlanon.schema())
    for old, new in [("", ""), *SOUND_CHANGES]:
        content = plan_with(old, new, DESIGN_PLAN)
        sqlanon.load_plan(written(tmp_path, content))
        assert schema.is_valid(yaml.safe_load(content)), new


def test_the_schema_refuses_what_the_reader_refuses_of_one_key(tmp_path: Path) -> None:
    schema = Draft202012Validator(sqlanon.schema())
    assert schema.is_valid(yaml.safe_load(PLAN))
    accepted = []
    for fault in FAULTS:
        content = plan_with(fault.old, fault.new)
        if "twice" not in fault.what and schema.is_valid(yaml.safe_load(content)):
            accepted.append(fault.what)
    # What is left needs two keys to be seen, or SQL's rules, or has no name in JSON (nan).
    assert len(accepted) <= 26, accepted
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
    plan = {
        "source": "rows.csv",
        "columns": {"a": "quasi-identifier", "name": "identifier"},
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "method": {"objective": {"name": "classification", "attribute": "name"}},
        "publish": "out.parquet",
    }
    with pytest.raises(PlanError, match="'name' is an identifier"):
        sqlanon.load_plan(plan)


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
    plan = {
        "columns": {"sex": "quasi-identifier"},
        "privacy": [{"model": "k-anonymity", "k": 5}],
        "publish": {"table": published},
    }
    for inputs in (
        {"source": {"table": source}},
        {"source": {"table": "rows"}, "population": {"table": source}},
    ):
        if is_refused:
            with pytest.raises(PlanError, match="publishing would replace it"):
                sqlanon.load_plan(plan | inputs)
        else:
            sqlanon.load_plan(plan | inputs)
