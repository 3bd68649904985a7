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
from tests.support.doc_pages import blocks

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
        "name": name, "alias": name, "resource_type": "model", "package_name": "clinic",
        "unique_id": f"model.clinic.{name}", "database": "data", "schema": "main",
        "original_file_path": "models/patients.sql",
        "patch_path": "clinic://models/schema.yml",
        "config": {"materialized": "table", "meta": {"sqlanon": META}},
        "columns": {c: {"config": {"meta": {"sqlanon": role}}} for c, role in COLUMNS.items()},
        **changes,
    }  # fmt: skip


def meta(**changes: Any) -> dict[str, Any]:
    return {"config": {"materialized": "table", "meta": {"sqlanon": {**META, **changes}}}}


Make = Callable[..., Path]


@pytest.fixture
def make(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Makes a project whose manifest has these models; the files are older than the manifest."""
    monkeypatch.delenv("DBT_PROFILES_DIR", raising=False)
    monkeypatch.delenv("DBT_TARGET_PATH", raising=False)
    monkeypatch.setenv("HOME", str(folder / "nobody"))
    folder = folder / "project"

    def project(*nodes: Mapping[str, Any], output: Mapping[str, Any] | None = None) -> Path:
        dev = output or {"type": "duckdb", "path": "data.duckdb"}
        profiles = {"clinic": {"target": "dev", "outputs": {"dev": dev}}}
        for path, content in {
            "dbt_project.yml": yaml.safe_dump({"name": "clinic", "profile": "clinic"}),
            "profiles.yml": yaml.safe_dump(profiles),
            "models/patients.sql": "select 1",
            "models/schema.yml": "models: []",
            "target/manifest.json": json.dumps({"nodes": {n["unique_id"]: n for n in nodes}}),
        }.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(content)
            if not path.startswith("target"):
                os.utime(folder / path, (1_000_000, 1_000_000))
        return folder

    return project


def planned(folder: Path, name: str = "patients", **given: Any) -> sqlanon.Plan:
    return sqlanon.load_plan(sqlanon.dbt_plan(name, folder, **given))


def refused(message: str, folder: Path, name: str = "patients", **given: Any) -> str:
    """The advice with which a plan is refused."""
    with pytest.raises(sqlanon.PlanError, match=message) as raised:
        sqlanon.dbt_plan(name, folder, **given)
    assert "secret" not in str(raised.value)
    return raised.value.fix


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
    roles = {"name": "identifier", "age": "quasi-identifier", "marital-status": "quasi-identifier",
             "diagnosis": "sensitive"}  # fmt: skip
    assert {name: column.role for name, column in plan.columns.items()} == roles
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
    plan = planned(folder, "model.clinic.patients")
    assert plan.population is not None
    assert plan.population.path == "data.duckdb::private.all_persons"
    assert (plan.method.name, plan.missing) == ("datafly", "drop-rows")
    assert plan.publish.path == "open/patients.parquet"


def test_a_source_may_be_given(make: Make) -> None:
    folder = make(node(), output={"type": "snowflake", "password": "secret"})
    refused(r"DuckDB file of the model .* not known", folder)
    for kind in ("snowflake", "postgres"):
        plan = planned(make(node(), output={"type": kind}), source="exported.parquet")
        assert (plan.source.path, plan.engine.name) == ("exported.parquet", "duckdb")


def test_a_project_on_postgres(make: Make) -> None:
    """The plan runs there, too; how to connect stays with libpq, or with what `meta` says."""
    output = {"type": "postgres", "host": "db.example", "password": "secret"}

    def tables(plan: sqlanon.Plan) -> list[Any]:
        assert plan.population is not None
        return [plan.source.table, plan.population.table, plan.publish.table]

    for engine, service in (({}, None), ({"name": "postgres", "service": "clinic"}, "clinic")):
        keys = {"population": {"ref": "persons"}, **({"engine": engine} if engine else {})}
        patients = node(**meta(**keys))
        folder = make(patients, node("persons", alias="all.persons"), output=output)
        plan = planned(folder)
        assert not re.search("secret|db.example", (folder / "patients.yml").read_text())
        assert isinstance(plan.engine, PostgreSQLKeys)
        assert plan.engine.service == service
        both = ["data.main.patients", 'data.main."all.persons"']
        assert tables(plan) == [*both, "data.main.patients_anonymized"]
    assert tables(planned(folder, inside=True)) == [*both, "temp.patients_anonymized"]


def test_a_plan_is_written_again_unless_a_person_changed_it(make: Make) -> None:
    folder = make(node())
    file = sqlanon.dbt_plan("patients", folder)
    first = file.read_text()
    assert first.startswith("# Written by `sqlanon dbt plan patients` from `meta` of the model")
    make(node(**meta(privacy=[{"model": "k-anonymity", "k": 9}])))
    assert sqlanon.dbt_plan("patients", folder).read_text() != first
    for text in (first.replace("k: 5", "k: 4"), "source: mine.csv\n", "", "#\n"):
        file.write_text(text)
        assert "--force" in refused("A person wrote this file", folder)
        assert file.read_text() == text
    assert planned(folder, force=True).k == 9


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
    refused(reported, folder)
    assert not (folder / "patients.yml").exists()


def test_what_a_project_lacks(make: Make) -> None:
    folder = make(node())

    refused(r"no model 'patient'.*\nFix: Did you mean 'patients'\?", folder, "patient")
    for file in ("dbt_project.yml", "models/patients.sql", "models/schema.yml"):
        os.utime(folder / file)
        os.utime(folder / "target/manifest.json", (2_000_000, 2_000_000))
        refused(rf"manifest is older than '{file}'.*\nFix: run `dbt parse`", folder)
        os.utime(folder / file, (1_000_000, 1_000_000))
    manifest = folder / "target/manifest.json"
    for content in ("{", "[]", "{}", "\xff"):
        manifest.write_text(content, encoding="latin-1")
        refused("manifest cannot be read", folder)
    manifest.unlink()
    refused(r"target/manifest.json  The project has no manifest.\nFix: run `dbt parse`", folder)
    (folder / "dbt_project.yml").unlink()
    refused("not a dbt project", folder)


def test_two_models_of_one_name(make: Make) -> None:
    """The project's own goes before those of packages; a version has a plan of its own."""
    one = node(package_name="one", unique_id="model.one.patients")
    two = node(package_name="two", unique_id="model.two.patients", schema="second")
    folder = make(node(), one, two)
    assert planned(folder).source.path == "data.duckdb::main.patients"
    make(one, two)
    refused(r"give one of model\.one\.patients, model\.two", folder)
    assert planned(folder, "model.two.patients").source.path == "data.duckdb::second.patients"
    make(*(
        node(alias=f"patients_v{n}", version=version, unique_id=f"model.clinic.patients.v{version}")
        for n, version in (("1", 1), ("2_1", 2.1))
    ))  # fmt: skip
    refused("2 models are called 'patients'", folder)
    plan = planned(folder, "model.clinic.patients.v2.1")
    assert (folder / "patients_v2_1.yml").is_file()
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
    refused("A plan cannot be called", folder, "model.clinic.it")
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
    advice = refused("manifest is not what dbt writes", folder)
    assert advice == "run `dbt parse` in the project"


def test_a_manifest_may_lack_what_is_not_needed_and_be_elsewhere(
    make: Make, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    for left in ("database", "schema", "alias", "patch_path"):
        project = make({key: each for key, each in node().items() if key != left})
        assert planned(project, source="x.csv").source.path == "x.csv"
        assert planned(project, inside=True, force=True).publish.table
        if left in ("database", "schema"):
            refused("not known from the profile", project)
    make(node())
    (project / "target").rename(folder / "elsewhere")
    monkeypatch.setenv("DBT_TARGET_PATH", str(folder / "elsewhere"))
    refused("no model 'person'", project, "person")


def profile_of(output: Any, target: Any = "dev") -> dict[str, Any]:
    return {"clinic": {"target": target, "outputs": {"dev": output}}}


@pytest.mark.parametrize(
    "profiles",
    [[], {"clinic": []}, {"clinic": {"outputs": []}}, profile_of([]),
     profile_of({}, ["dev"]), profile_of({}, {"a": 1}), profile_of({"type": ["duckdb"], "path": 3}),
     *(profile_of({"type": "duckdb", "path": path})
       for path in (["a"], ":memory:", "md:clinic", "{{ env_var('X') }}", None))],
)  # fmt: skip
def test_an_odd_profile(profiles: Any, make: Make) -> None:
    folder = make(node())
    (folder / "profiles.yml").write_text(yaml.safe_dump(profiles))
    refused("not known from the profile", folder)


def test_the_project_of_the_page(make: Make, command: Command) -> None:
    """Its YAML is a sound plan, inside dbt and outside."""
    (shown,) = yaml.safe_load(blocks(ROOT / "docs/dbt.md", "yaml")[1])["models"]
    columns = {column["name"]: column for column in shown["columns"]}
    folder = make(node(config=shown["config"], columns=columns))
    plan = planned(folder)
    assert (len(plan.privacy), set(plan.quasi_identifiers)) == (2, {"sex", "born"})
    assert planned(folder, inside=True).publish.table == "temp.patients_anonymized"
    arguments = ("dbt", "plan", "--project", str(folder), "--force")
    shown = json.loads(command(*arguments, "patients", "--json").out)
    assert shown == {"plan": str(folder / "patients.yml")}
    assert command(*arguments, "nobody").code == 2
