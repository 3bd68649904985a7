"""Real dbt projects on DuckDB; skipped where the extra `dbt` is not installed."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

import sqlanon
from tests.support import dbt_process
from tests.support.dbt_macros import PACKAGE


def is_installed(name: str) -> bool:
    """Whether a package or one of its plugins can be imported."""
    return all(
        importlib.util.find_spec(part)
        for part in (name.partition(".")[0], name.rpartition(".")[0], name)
    )


pytestmark = pytest.mark.skipif(
    not is_installed("dbt.adapters.duckdb"), reason="dbt-duckdb is not installed: extra `dbt`"
)


class Project:
    """A dbt project in a folder, with the package installed by `local:`."""

    def __init__(self, folder: Path, output: dict[str, Any]) -> None:
        self.folder = folder
        self.write("dbt_project.yml", {
            "name": "clinic", "version": "1.0.0", "config-version": 2, "profile": "clinic",
            "model-paths": ["models"], "flags": {"send_anonymous_usage_stats": False},
        })  # fmt: skip
        self.write("profiles.yml", {"clinic": {"target": "dev", "outputs": {"dev": output}}})
        self.write("packages.yml", {"packages": [{"local": str(PACKAGE)}]})

    def write(self, path: str, content: Any) -> None:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        shown = content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False)
        (self.folder / path).write_text(shown, encoding="utf-8")

    def install(self) -> None:
        """Put the package where `dbt deps` does."""
        (self.folder / "dbt_packages").mkdir()
        (self.folder / "dbt_packages/sqlanon").symlink_to(PACKAGE)

    def dbt(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return dbt_process.dbt(self.folder, *arguments)

    def results(self) -> dict[str, dict[str, Any]]:
        """What became of each node in the last command, by its name."""
        shown = json.loads((self.folder / "target/run_results.json").read_text())
        return {result["unique_id"].split(".")[2]: result for result in shown["results"]}


def on_duckdb(folder: Path) -> Project:
    output = {"type": "duckdb", "path": str(folder / "data.duckdb"), "threads": 2}
    return Project(folder, output)


def test_what_a_test_refuses_stops_dbt(folder: Path) -> None:
    project = on_duckdb(folder)
    project.write("models/candidate.sql", "select 1 as age")
    test = {"sqlanon.k_anonymity": {"arguments": {"quasi_identifiers": ["age"], "k": 1}}}
    project.write("models/tests.yml", {"models": [{"name": "candidate", "data_tests": [test]}]})
    assert project.dbt("deps").returncode == 0
    done = project.dbt("parse")
    assert done.returncode == 2
    assert "sqlanon.k_anonymity: k must be a whole number, at least 2" in done.stdout


# --- a run inside dbt

SOURCE = """\
{{ config(materialized='table') }}
select 'n' || i as name, 20 + i % 30 as age, 'd' || (i % 7) as diagnosis from range(3000) as r (i)
"""
META = {
    "name": "identifier",
    "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [5, 10]}},
    "diagnosis": "sensitive",
}
INSIDE = """\
import sqlanon

def model(dbt, session):
    dbt.ref("patients")
    return sqlanon.run("{plan}.yml", connection=session).published
"""


def test_two_runs_inside_dbt(folder: Path) -> None:
    """Two models in two threads; what stays is the project, and what dbt itself makes."""
    project = on_duckdb(folder)
    project.write("packages.yml", {"packages": []})
    project.write("models/patients.sql", SOURCE)
    columns = [{"name": name, "config": {"meta": {"sqlanon": role}}} for name, role in META.items()]
    promises = {"privacy": [{"model": "k-anonymity", "k": 150}]}
    project.write("models/patients.yml", {"models": [
        {"name": "patients", "config": {"meta": {"sqlanon": promises}}, "columns": columns},
    ]})  # fmt: skip
    for plan in ("patients", "others"):
        project.write(f"models/publication_of_{plan}.py", INSIDE.format(plan=plan))
    assert project.dbt("parse").returncode == 0
    written = sqlanon.dbt_plan("patients", folder, inside=True)
    project.write("others.yml", written.read_text().replace("k: 150", "k: 300"))
    before = files_of(folder)
    for _ in range(2):  # a second time, over what is there
        done = project.dbt("build")
        assert done.returncode == 0, done.stdout
        with duckdb.connect("data.duckdb", read_only=True) as database:
            tables = database.execute("select table_name from duckdb_tables()").fetchall()
            wanted = {"patients", "publication_of_patients", "publication_of_others"}
            assert {name for (name,) in tables} == wanted
            for name, k in (("patients", 150), ("others", 300)):
                sizes = f"select count(*) from publication_of_{name} group by age"
                counted = [size for (size,) in database.execute(sizes).fetchall()]
                assert (min(counted) >= k, sum(counted)) == (True, 3000)
    assert files_of(folder) == {*before, "data.duckdb"}
    assert (folder / "target/patients/manifest.json").is_file()
    # from outside of dbt, from the project's file
    written.unlink()
    result = sqlanon.run(sqlanon.dbt_plan("patients"))
    assert result.manifest["published"]["rows"] == 3000
    os.utime("models/patients.yml")
    with pytest.raises(sqlanon.PlanError, match=r"older than 'models/patients\.yml'"):
        sqlanon.dbt_plan("patients")


def files_of(folder: Path) -> set[str]:
    """The files of a project, without the folders that `dbt clean` and users know as dbt's own."""
    paths = [file.relative_to(folder) for file in folder.rglob("*") if file.is_file()]
    return {path.as_posix() for path in paths if path.parts[0] not in ("target", "logs")}
