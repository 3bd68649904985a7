"""`sqlanon dbt plan`: a plan from a model's meta, and what a project may lack."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

import sqlanon
from sqlanon.plan.engine import PostgreSQLKeys
from tests.conftest import Command
from tests.paths import ROOT

COLUMNS: dict[str, Any] = {
    "name": "identifier",
    "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 20]}},
    "marital-status": "quasi-identifier",
    "diagnosis": {"role": "sensitive"},
}
META: dict[str, Any] = {
    "privacy": [{"model": "k-anonymity", "k": 5}, {"model": "l-diversity", "l": 2}],
    "suppression": {"limit": 0.05},
}


def node(name: str = "patients", **changes: Any) -> dict[str, Any]:
    """An entry of a manifest, as dbt 1.10 and later write it."""
    return {
        "name": name,
        "alias": name,
        "resource_type": "model",
        "package_name": "clinic",
        "unique_id": f"model.clinic.{name}",
        "database": "data",
        "schema": "main",
        "original_file_path": "models/patients.sql",
        "patch_path": "clinic://models/schema.yml",
        "config": {"materialized": "table", "meta": {"sqlanon": META}},
        "columns": {c: {"config": {"meta": {"sqlanon": role}}} for c, role in COLUMNS.items()},
        **changes,
    }


Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Makes a project whose manifest has these models; the files are older than the manifest."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DBT_PROFILES_DIR", raising=False)
    monkeypatch.delenv("DBT_TARGET_PATH", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))

    def project(*nodes: Mapping[str, Any], output: Mapping[str, Any] | None = None) -> Path:
        folder = tmp_path / "project"
        dev = output or {"type": "duckdb", "path": "data.duckdb"}
        profiles = {"clinic": {"target": "dev", "outputs": {"dev": dev}}}
        for path, content in {
            "dbt_project.yml": yaml.safe_dump({"name": "clinic", "profile": "clinic"}),
            "profiles.yml": yaml.safe_dump(profiles),
            "models/patients.sql": "select 1",
            "models/schema.yml": "models: []",
        }.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(content)
            os.utime(folder / path, (1_000_000, 1_000_000))
        (folder / "target").mkdir(exist_ok=True)
        nodes_by_id = {n["unique_id"]: n for n in nodes}
        (folder / "target/manifest.json").write_text(json.dumps({"nodes": nodes_by_id}))
        return folder

    return project


def test_the_plan_of_a_model_runs(make: Make) -> None:
    folder = make(node())
    with duckdb.connect(str(folder / "data.duckdb")) as database:
        database.execute(
            "create table patients as select i as name, 20 + i % 30 as age, 'm' as"
            " \"marital-status\", 'd' || (i % 7) as diagnosis from range(300) as r (i)"
        )
    file = sqlanon.dbt_plan("patients", folder)
    assert file == folder / "patients.yml"
    plan = sqlanon.load_plan(file)
    assert plan.source.path == "data.duckdb::main.patients"
    assert {name: column.role for name, column in plan.columns.items()} == {
        "name": "identifier", "age": "quasi-identifier", "marital-status": "quasi-identifier",
        "diagnosis": "sensitive",
    }  # fmt: skip
    assert [model.model for model in plan.privacy] == ["k-anonymity", "l-diversity"]
    assert plan.publish.path == "patients_anonymized.parquet"
    result = sqlanon.run(file)
    assert result.manifest["rows"]["published"] == 300


def test_older_meta_and_other_keys(make: Make) -> None:
    """Before dbt 1.10, meta stood beside `config`; a population is named as a model."""
    older = node(
        config={"materialized": "table"},
        meta={"sqlanon": {
            **META, "population": {"ref": "persons"}, "method": "datafly", "missing": "drop-rows",
            "publish": "open/patients.parquet",
        }},
        columns={name: {"meta": {"sqlanon": role}} for name, role in COLUMNS.items()},
    )  # fmt: skip
    folder = make(older, node("persons", schema="private", alias="all_persons"))
    plan = sqlanon.load_plan(sqlanon.dbt_plan("model.clinic.patients", folder))
    assert plan.population is not None
    assert plan.population.path == "data.duckdb::private.all_persons"
    assert (plan.method.name, plan.missing) == ("datafly", "drop-rows")
    assert plan.publish.path == "open/patients.parquet"


def test_a_source_may_be_given(make: Make) -> None:
    folder = make(node(), output={"type": "snowflake", "password": "secret"})
    with pytest.raises(sqlanon.PlanError, match=r"DuckDB file of the model .* not known") as raised:
        sqlanon.dbt_plan("patients", folder)
    assert "secret" not in str(raised.value)
    for kind in ("snowflake", "postgres"):
        make(node(), output={"type": kind})
        plan = sqlanon.load_plan(sqlanon.dbt_plan("patients", folder, source="exported.parquet"))
        assert (plan.source.path, plan.engine.name) == ("exported.parquet", "duckdb")


def test_a_project_on_postgres(make: Make) -> None:
    """The plan runs there, too; how to connect stays with libpq, or with what `meta` says."""
    meta = {**META, "population": {"ref": "persons"}}
    nodes = [
        node(config={"materialized": "view", "meta": {"sqlanon": {**meta, **engine}}})
        for engine in ({}, {"engine": {"name": "postgres", "service": "clinic"}})
    ]
    output = {"type": "postgres", "host": "db.example", "password": "secret"}
    for each, service in zip(nodes, (None, "clinic"), strict=True):
        folder = make(each, node("persons", alias="all.persons"), output=output)
        file = sqlanon.dbt_plan("patients", folder)
        assert not re.search("secret|db.example", file.read_text())
        plan = sqlanon.load_plan(file)
        assert isinstance(plan.engine, PostgreSQLKeys)
        assert plan.engine.service == service
        assert plan.population is not None
        tables = [plan.source.table, plan.population.table, plan.publish.table]
        assert tables == ["data.main.patients", 'data.main."all.persons"',
                          "data.main.patients_anonymized"]  # fmt: skip
    plan = sqlanon.load_plan(sqlanon.dbt_plan("patients", folder, inside=True))  # needs no file
    assert plan.population is not None
    tables = [plan.source.table, plan.population.table, plan.publish.table]
    assert tables == ["data.main.patients", 'data.main."all.persons"', "temp.patients_anonymized"]


def test_a_plan_is_written_again_unless_a_person_changed_it(make: Make) -> None:
    folder = make(node())
    file = sqlanon.dbt_plan("patients", folder)
    first = file.read_text()
    assert first.startswith("# Written by `sqlanon dbt plan patients` from `meta` of the model")
    other = {**META, "privacy": [{"model": "k-anonymity", "k": 9}]}
    make(node(config={"materialized": "table", "meta": {"sqlanon": other}}))
    assert sqlanon.dbt_plan("patients", folder).read_text() != first
    for text in (first.replace("k: 5", "k: 4"), "source: mine.csv\n", "", "#\n"):
        file.write_text(text)
        with pytest.raises(sqlanon.PlanError, match="A person wrote this file") as raised:
            sqlanon.dbt_plan("patients", folder)
        assert "--force" in raised.value.fix
        assert file.read_text() == text
    sqlanon.dbt_plan("patients", folder, force=True)
    assert sqlanon.load_plan(file).k == 9


def meta(**changes: Any) -> dict[str, Any]:
    return {"config": {"materialized": "table", "meta": {"sqlanon": {**META, **changes}}}}


@pytest.mark.parametrize(
    ("changes", "reported"),
    [
        ({"config": {"materialized": "table", "meta": {}}}, r"has no promises.*\n.*privacy: \["),
        (meta(suppresion={}), r"'suppresion' cannot be set here.*\n.*'suppression'"),
        (meta(source="x.csv"), "'source' cannot be set here"),
        (meta(privacy=[{"model": "k-anonymity", "k": 1}]), r"meta.sqlanon: privacy\[0\].k"),
        (meta(privacy=[{"model": "k-anonimity", "k": 2}]), "did you mean|Did you mean"),
        (meta(population={"ref": "person"}), r"no model 'person'.*\n.*Did you mean|Known"),
        ({"columns": {}}, "lists no columns"),
        ({"columns": {"age": {"config": {"meta": {}}}, "zip": {}}},
         r"models/schema.yml  columns  2 column\(s\) have no role: age, zip"),
        ({"columns": {"age": {"config": {"meta": {"sqlanon": "quasi"}}}}}, r"columns.age"),
        ({"config": {"materialized": "view", "meta": {"sqlanon": META}}}, "materialized as 'view'"),
        ({"database": "other"}, "DuckDB file of the model 'patients' is not known"),
        ({"original_file_path": "models/gone.sql"}, "names 'models/gone.sql', which does not"),
    ],
)  # fmt: skip
def test_what_a_model_lacks(changes: dict[str, Any], reported: str, make: Make) -> None:
    folder = make(node(**changes))
    with pytest.raises(sqlanon.PlanError, match=reported):
        sqlanon.dbt_plan("patients", folder)
    assert not (folder / "patients.yml").exists()


def test_what_a_project_lacks(make: Make) -> None:
    folder = make(node())

    def reported(message: str, name: str = "patients") -> None:
        with pytest.raises(sqlanon.PlanError, match=message):
            sqlanon.dbt_plan(name, folder)

    reported(r"no model 'patient'.*\nFix: Did you mean 'patients'\?", "patient")
    for file in ("dbt_project.yml", "models/patients.sql", "models/schema.yml"):
        os.utime(folder / file)
        os.utime(folder / "target/manifest.json", (2_000_000, 2_000_000))
        reported(rf"manifest is older than '{file}'.*\nFix: run `dbt parse`")
        os.utime(folder / file, (1_000_000, 1_000_000))
    manifest = folder / "target/manifest.json"
    for content in ("{", "[]", "{}", "\xff"):
        manifest.write_text(content, encoding="latin-1")
        reported("manifest cannot be read")
    manifest.unlink()
    reported(r"target/manifest.json  The project has no manifest.\nFix: run `dbt parse`")
    (folder / "dbt_project.yml").unlink()
    reported("not a dbt project")


def test_two_models_of_one_name(make: Make) -> None:
    """The project's own goes before those of packages."""
    one = node(package_name="one", unique_id="model.one.patients")
    two = node(package_name="two", unique_id="model.two.patients", schema="second")
    folder = make(node(), one, two)
    plan = sqlanon.load_plan(sqlanon.dbt_plan("patients", folder))
    assert plan.source.path == "data.duckdb::main.patients"
    make(one, two)
    with pytest.raises(sqlanon.PlanError, match=r"give one of model\.one\.patients, model\.two"):
        sqlanon.dbt_plan("patients", folder)
    plan = sqlanon.load_plan(sqlanon.dbt_plan("model.two.patients", folder))
    assert plan.source.path == "data.duckdb::second.patients"


def test_versions_of_a_model(make: Make) -> None:
    """Each has a plan and a publication of its own, named as dbt names the version's table."""
    versions = [
        node(alias=f"patients_v{n}", version=version, unique_id=f"model.clinic.patients.v{version}")
        for n, version in (("1", 1), ("2_1", 2.1))
    ]  # fmt: skip
    folder = make(*versions)
    with pytest.raises(sqlanon.PlanError, match="2 models are called 'patients'"):
        sqlanon.dbt_plan("patients", folder)
    file = sqlanon.dbt_plan("model.clinic.patients.v2.1", folder)
    assert file == folder / "patients_v2_1.yml"
    plan = sqlanon.load_plan(file)
    assert plan.source.path == "data.duckdb::main.patients_v2_1"
    assert plan.publish.path == "patients_v2_1_anonymized.parquet"


@pytest.mark.parametrize(
    "name",
    ["packages", "dbt_project", "Profiles", "dependencies", "selectors", "package-lock", "", "..",
     "../outside", "/tmp/outside", "a/b", ".hidden", "-f", "a b", "a\nb", "a.b"],
)  # fmt: skip
def test_a_plan_gets_no_file_of_dbt(name: str, make: Make) -> None:
    folder = make(node(name, unique_id="model.clinic.it"))
    before = sorted(folder.parent.rglob("*"))
    with pytest.raises(sqlanon.PlanError, match="A plan cannot be called"):
        sqlanon.dbt_plan("model.clinic.it", folder)
    assert sorted(folder.parent.rglob("*")) == before


LACKING = ("name", "unique_id", "package_name", "original_file_path")


@pytest.mark.parametrize(
    "nodes",
    [[], None, {"a": None}, {"a": {}}, {"a": []},
     *({"a": {key: each for key, each in node().items() if key != left}} for left in LACKING),
     *({"a": {**node(), key: wrong}} for wrong in (7, ["x"], {"x": 1}) for key in LACKING),
     {"a": node(columns=["age"])}, {"a": node(columns={"age": "quasi-identifier"})},
     {"a": node(config="table")}, {"a": node(alias=3)}, {"a": node(patch_path=3)},
     {"a": node(schema=["main"])}, {"a": node(version=["1"])}],
)  # fmt: skip
def test_an_odd_manifest(nodes: Any, make: Make) -> None:
    folder = make(node())
    (folder / "target/manifest.json").write_text(json.dumps({"nodes": nodes}))
    with pytest.raises(sqlanon.PlanError, match="manifest is not what dbt writes") as refused:
        sqlanon.dbt_plan("patients", folder)
    assert refused.value.fix == "run `dbt parse` in the project"


@pytest.mark.parametrize("left", ["database", "schema", "alias", "patch_path"])
def test_a_manifest_may_lack_what_is_not_needed(left: str, make: Make) -> None:
    folder = make({key: reported for key, reported in node().items() if key != left})
    assert sqlanon.dbt_plan("patients", folder, source="x.csv").is_file()
    assert sqlanon.dbt_plan("patients", folder, inside=True).is_file()
    if left in ("database", "schema"):
        with pytest.raises(sqlanon.PlanError, match="not known from the profile"):
            sqlanon.dbt_plan("patients", folder)


def test_a_manifest_elsewhere(make: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = make(node())
    (folder / "target").rename(tmp_path / "elsewhere")
    monkeypatch.setenv("DBT_TARGET_PATH", str(tmp_path / "elsewhere"))
    assert sqlanon.dbt_plan("patients", folder).is_file()
    with pytest.raises(sqlanon.PlanError, match="no model 'person'"):
        sqlanon.dbt_plan("person", folder)


def profile_of(output: Any, target: Any = "dev") -> dict[str, Any]:
    return {"clinic": {"target": target, "outputs": {"dev": output}}}


@pytest.mark.parametrize(
    "profiles",
    [[], {"clinic": []}, {"clinic": {"outputs": []}}, {"clinic": {"outputs": {"dev": []}}},
     profile_of({}, ["dev"]), profile_of({}, {"a": 1}),
     profile_of({"type": ["duckdb"], "path": 3}),
     *(profile_of({"type": "duckdb", "path": path})
       for path in (["a"], ":memory:", "md:clinic", "{{ env_var('X') }}", None))],
)  # fmt: skip
def test_an_odd_profile(profiles: Any, make: Make) -> None:
    folder = make(node())
    (folder / "profiles.yml").write_text(yaml.safe_dump(profiles))
    with pytest.raises(sqlanon.PlanError, match="not known from the profile"):
        sqlanon.dbt_plan("patients", folder)


def test_the_command(make: Make, command: Command) -> None:
    folder = make(node())
    plan = ("dbt", "plan", "--project", str(folder))
    assert command(*plan, "patients").code == 0
    assert json.loads(command(*plan, "patients", "--json").out) == {
        "plan": str(folder / "patients.yml")
    }
    ended = command(*plan, "nobody")
    assert ended.code == 2
    assert "Did you mean" in ended.err or "Known: patients" in ended.err


PAGE = ROOT / "docs/dbt.md"


def test_the_project_of_the_page(make: Make) -> None:
    """Its YAML is a sound plan, inside dbt and outside."""
    blocks = re.findall(r"^```yaml\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    (shown,) = yaml.safe_load(blocks[1])["models"]
    columns = {column["name"]: column for column in shown["columns"]}
    folder = make(node(config=shown["config"], columns=columns))
    plan = sqlanon.load_plan(sqlanon.dbt_plan("patients", folder))
    assert len(plan.privacy) == 2
    assert set(plan.quasi_identifiers) == {"sex", "born"}
    plan = sqlanon.load_plan(sqlanon.dbt_plan("patients", folder, inside=True))
    assert plan.source.table == "data.main.patients"
    assert plan.publish.table == "temp.patients_anonymized"
