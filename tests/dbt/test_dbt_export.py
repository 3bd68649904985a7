"""`sqlanon dbt export`: what it writes and refuses, and real builds of what it wrote."""

from __future__ import annotations

import concurrent.futures
import contextlib
import json
import random
import re
import shutil
import threading
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

import sqlanon
from sqlanon.boundary.files import write_whole
from sqlanon.sql.step import quoted
from tests.conftest import Command
from tests.dbt.test_dbt_projects import Project, is_installed, on_duckdb
from tests.paths import ROOT
from tests.support.servers import postgres

CLINIC = ROOT / "examples/clinic"

AGE = 'Age "in" years'
LISTING = "models/anonymized/_odd.sha256"
ROWS = 600


STATUS = "married;together;*\nsingle;alone;*\nwidowed;alone;*\n{{ it's }};alone;*\n"
DISEASES = "flu;lung;*\ncold;lung;*\ncancer;other;*\nulcer;other;*\n{{ it's }};other;*\n"

COLUMNS: dict[str, Any] = {
    "person": "identifier",
    AGE: {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 20]}},
    "marital-status": {"role": "quasi-identifier", "hierarchy": "status.csv"},
    "order": {"role": "quasi-identifier", "hierarchy": {"mask": "right"}},
    "diagnosis": "sensitive",
    "cost": "insensitive",
}

K = {"model": "k-anonymity", "k": 3}
RECURSIVE = {"model": "l-diversity", "l": 2, "kind": "recursive", "c": 4}


def publishing(**columns: Any) -> dict[str, Any]:
    keys = {name: COLUMNS[name] for name in columns}
    roles = {name: {"role": key} if isinstance(key, str) else key for name, key in keys.items()}
    return {**COLUMNS, **{n: {**roles[n], "publish": change} for n, change in columns.items()}}


PLANS: dict[str, dict[str, Any]] = {
    "odd": {"privacy": [K, {"model": "l-diversity", "l": 2}, {**RECURSIVE, "harmless": ["flu"]}]},
    "dropping": {
        "missing": "drop-rows",
        "privacy": [K, {"model": "t-closeness", "t": 0.55, "distance": "hierarchical",
                        "reference": "published"}],
        "columns": {**COLUMNS, "diagnosis": {"role": "sensitive", "hierarchy": "diseases.csv"}},
    },
    "persons": {
        "unit": "person",
        "privacy": [K, {"model": "l-diversity", "l": 2, "kind": "entropy"}],
    },
    "joined": {
        "privacy": [{"model": "k-anonymity", "k": 150}],
        "columns": {**COLUMNS, AGE: "insensitive", "order": "insensitive"},
    },
    "aggregated": {
        "privacy": [K],
        "method": {"name": "optimal", "passes": "auto"},
        "columns": publishing(
            **{AGE: {"aggregate": "interval", "round": 5}, "cost": "mean", "diagnosis": "set"}),
    },
    "aggregated_persons": {
        "unit": "person",
        "privacy": [K],
        "columns": publishing(cost={"top": "auto", "round": 20}, diagnosis="mode"),
    },
    "mapped": {
        "source": "some.parquet",
        "population": "visits.parquet",
        "privacy": [{"model": "k-map", "k": 4}, {"model": "average-risk", "threshold": 0.5},
                    {"model": "l-diversity", "l": 2, "mode": "joint", "attribute": "diagnosis"}],
        "columns": {**COLUMNS, "cost": {"role": "sensitive"}},
    },
    "placed": {
        "source": "some.parquet", "population": "visits.parquet",
        "privacy": [{"model": "k-map", "k": 4}], "method": {"name": "optimal", "passes": "auto"},
    },
}  # fmt: skip
"""Plans whose exports are built; `write_plan` has what they have in common."""


def write_plan(name: str, **changes: Any) -> Path:
    content = {"source": "visits.parquet", "columns": COLUMNS, **PLANS.get(name, {}), **changes}
    content = {"suppression": {"limit": 0.5}, "publish": f"{name}.parquet", **content}
    Path(f"{name}.yml").write_text(yaml.safe_dump(content, sort_keys=False))
    return Path(f"{name}.yml")


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table with missing values, names that need quotes, text like Jinja, and several visits."""
    folder = tmp_path_factory.mktemp("rows")
    choose = random.Random(5)
    values: tuple[list[str | None], ...] = (
        [None, *map(str, range(20, 60))],
        ["married", "single", "widowed", "{{ it's }}", None],
        ["12345", "12346", "13000", "20000"],
        ["flu", "cold", "cancer", "ulcer", None, "{{ it's }}"],
        ["10", "20", "300"],
    )
    cells = [
        [f"p{number // 2}", *(choose.choice(each) for each in values)] for number in range(ROWS)
    ]
    with duckdb.connect() as database:
        database.execute(f"create table t ({', '.join(f'{quoted(n)} varchar' for n in COLUMNS)})")
        database.executemany("insert into t values (?, ?, ?, ?, ?, ?)", cells)
        database.execute(f"copy t to '{folder}/visits.parquet'")
        database.execute(f"copy (select * from t limit {ROWS // 2}) to '{folder}/some.parquet'")
    return folder


@pytest.fixture
def project(rows: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project beside the plans, which has the tables of the plans as sources."""
    monkeypatch.delenv("DBT_PROFILES_DIR", raising=False)
    monkeypatch.setenv("HOME", str(folder / "nobody"))
    made = on_duckdb(folder / "project")
    tables = [{"name": name} for name in ("patients", "visits", "some")]
    made.write("models/sources.yml", {"sources": [{"name": "raw", "tables": tables}]})
    shutil.copytree(rows, folder, dirs_exist_ok=True)
    Path("status.csv").write_text(STATUS)
    Path("diseases.csv").write_text(DISEASES)
    return made


def export(plan: Path | str = "odd.yml", **given: Any) -> sqlanon.DbtExport:
    return sqlanon.dbt_export(plan, "project", **given)


def refused(match: str, plan: Path | str = "odd.yml", **given: Any) -> str:
    """The advice with which an export is refused."""
    with pytest.raises(sqlanon.PlanError, match=match) as raised:
        export(plan, **given)
    return raised.value.fix


def set_node(name: str, levels: tuple[int, int, int]) -> None:
    """Change the levels of a solution: of ages, of the marital status, and of what is ordered."""
    file = Path(f"{name}.solution.json")
    shown = json.loads(file.read_text())
    shown["node"].update(zip((AGE, "marital-status", "order"), levels, strict=True))
    shown["height"] = sum(shown["node"].values())
    file.write_text(json.dumps(shown))


def solved(name: str = "odd", levels: tuple[int, int, int] = (1, 1, 2), **changes: Any) -> Path:
    """A plan of k-anonymity alone, unless changes say otherwise, and a solution of levels."""
    plan = write_plan(name, **{"privacy": [K], **changes})
    sqlanon.solve(plan)
    set_node(name, levels)
    return plan


def texts(project: Project) -> dict[str, str]:
    """The files of an export, by path in the project."""
    return {
        file.relative_to(project.folder).as_posix(): file.read_text()
        for file in sorted(project.folder.rglob("*/anonymized/*"))
    }


# --- what is written

EXPORTED = "`sqlanon dbt export odd.yml`; change the plan, not this file."


def test_what_is_written_is_written_once(project: Project) -> None:
    """The file of digests is one that `sha256sum --check` reads; a seed has none in dbt."""
    solved()
    first = export()
    found = texts(project)
    assert sorted(first.written) == sorted(found)
    assert (first.unchanged, first.removed) == ([], [])
    for name in ("odd_more", "odd_candidate"):
        assert export(name=name).removed == []
    again = export()
    assert (again.written, again.removed, sorted(again.unchanged)) == ([], [], sorted(found))
    assert found.items() <= texts(project).items()
    for path, text in found.items():
        assert str(project.folder) not in text
        assert path.endswith(".csv") or f"Written by {EXPORTED}" in text.partition("\n")[0]
    title, *lines = found.pop(LISTING).splitlines()
    assert title == f"# Written by {EXPORTED}"
    assert lines == [f"{sha256(found[path].encode()).hexdigest()}  {path}" for path in found]
    assert not re.search(r"[0-9a-f]{64}", "".join(found.values()))


@pytest.mark.parametrize(
    "shown", ["", "# mine\n", *(f"{'0' * 64}  {path}\n" for path in (
        "../visits.parquet", "dbt_project.yml", "../project/anonymized/../packages.yml"))],
)  # fmt: skip
def test_a_file_of_digests_that_is_lost(project: Project, shown: str) -> None:
    """Nothing is replaced that it does not list, or removed that is in no folder of an export."""
    solved()
    export()
    (project.folder / LISTING).write_text(shown)
    project.write("models/anonymized/odd.sql", "select 1")
    refused(r"wrote or changed 'models/anonymized/odd\.sql")
    done = export(force=True)
    assert (done.written, done.removed) == (["models/anonymized/odd.sql", LISTING], [])


def test_what_the_files_say(project: Project) -> None:
    solved(privacy=[K, {"model": "l-diversity", "l": 2}])
    export(private_schema="hidden")
    found = texts(project)
    candidate = found["models/anonymized/odd__candidate.sql"]
    for part in ("{{ source('raw', 'visits') }}", "from {{ ref('odd__marital_status') }}",
                 "schema='hidden'"):  # fmt: skip
        assert part in candidate
    publication = found["models/anonymized/odd.sql"]
    assert "-- depends_on: {{ ref('odd__marital_status') }}\n" in publication
    assert publication.count("sqlanon.guard_") == 4
    assert "schema" not in publication.partition("}}")[0]
    (shown, published) = yaml.safe_load(found["models/anonymized/_odd.yml"])["models"]
    tests = {name: test for each in shown["data_tests"] for name, test in each.items()}
    assert [*tests] == [
        f"sqlanon.{name}" for name in ("k_anonymity", "l_diversity", "suppression", "labeled")
    ]
    given = {"quasi_identifiers": [AGE, "marital-status", "order"], "attribute": "diagnosis"}
    assert tests["sqlanon.l_diversity"]["arguments"] == {**given, "l": 2}
    assert all(test["config"] == {"severity": "error"} for test in tests.values())
    about = {"role": "quasi-identifier", "level": 1, "title": "intervals of width 10"}
    assert [published["columns"][0], published["columns"][2]["quote"]] == [{
        "name": AGE, "quote": True, "data_type": "varchar", "config": {"meta": {"sqlanon": about}},
    }, True]  # fmt: skip


def test_an_export_does_not_replace_that_of_another_plan(project: Project) -> None:
    """Both plans publish to a file of one name."""
    for name in ("odd", "other"):
        solved(name, (1, 1 + (name == "other"), 2), publish=f"{name}/odd.parquet")
    export()
    before = texts(project)
    assert "--name" in refused(r"export of another plan \(odd\.yml\)", "other.yml")
    assert texts(project) == before
    export("other.yml", name="another")
    assert before.items() <= texts(project).items()
    done = export("other.yml", force=True)
    assert done.unchanged == []
    assert done.removed == [path for path in sorted(before) if path.startswith("seeds/")]


@pytest.mark.parametrize("level", [1, 2])
def test_an_export_that_was_killed_is_completed(
    project: Project, monkeypatch: pytest.MonkeyPatch, level: int
) -> None:
    """Wherever it stopped, the next one knows all files as its own, also if the plan changed."""
    solved()

    def change(label: str, level: int) -> None:
        Path("status.csv").write_text(STATUS.replace("together", label))
        set_node("odd", (1, level, 2))

    for allowed in range(20):
        change("paired", 1)
        export()
        change("together", level)
        left = iter(range(allowed))

        def write(path: Path, text: str, left: Iterator[int] = left) -> None:
            if next(left, None) is None:
                raise KeyboardInterrupt
            write_whole(path, text)

        with monkeypatch.context() as patch, contextlib.suppress(KeyboardInterrupt):
            patch.setattr("sqlanon.dbt.folder.write_whole", write)
            export()
            break
        change("joined", 1)
        export()
    assert 2 <= allowed < 10


def test_two_exports_take_turns(
    project: Project, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    solved()
    begun = threading.Event()

    def write(path: Path, text: str) -> None:
        begun.set()
        time.sleep(0.1)
        write_whole(path, text)

    monkeypatch.setattr("sqlanon.dbt.folder.write_whole", write)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        first = pool.submit(export)
        assert begun.wait(60)
        second = pool.submit(export)
        assert second.result().unchanged == first.result().written
    assert "Waiting for odd.yml" in caplog.text
    assert not (project.folder / ".sqlanon.lock").exists()


@pytest.mark.parametrize(
    "paths",
    ["models", [], [None], ["models", ["more"]], ["{{ env_var('X') }}"], ["../models"], ["."],
     ["/models"], [""], ["models/../../x"]],
)  # fmt: skip
def test_paths_that_are_not_in_the_project(project: Project, paths: Any) -> None:
    solved()
    settings = yaml.safe_load((project.folder / "dbt_project.yml").read_text())
    for key in ("model-paths", "seed-paths", "snapshot-paths"):
        project.write("dbt_project.yml", {**settings, key: paths})
        refused(f"`{key}` does not list folders inside")
    assert texts(project) == {}
    # `./models/` is `models`, and what stands there is found again
    right = {"model-paths": ["./models/", "more"], "seed-paths": ["data//seeds"]}
    project.write("dbt_project.yml", {**settings, **right})
    first = export()
    seed = "data/seeds/anonymized/odd__marital_status.csv"
    assert {seed, "models/anonymized/odd.sql"} <= {*first.written}
    assert export().unchanged == first.written


def test_whether_the_package_is_there(project: Project) -> None:
    solved()
    for content, is_named in (
        ("packages:\n  - {local: ../dbt_package}\n", True),
        ("packages:\n  - {git: 'https://example.org/sqlanon.git', subdirectory: x}\n", True),
        ("# - local: ../sqlanon/dbt_package\npackages: []\n", False),
        *((other, False) for other in ("projects: [{name: sqlanon}]\n", "packages: sqlanon", "[")),
    ):
        (project.folder / "packages.yml").write_text(content)
        assert export().has_package is is_named


@pytest.mark.parametrize(
    "path",
    ["models/anonymized/odd.sql", "models/anonymized/_odd.yml",
     "seeds/anonymized/odd__marital_status.csv", "seeds/anonymized/_odd_seeds.yml"],
)  # fmt: skip
@pytest.mark.parametrize("level", [1, 2])
def test_what_a_person_edited_stays(project: Project, path: str, level: int) -> None:
    solved()
    export()
    before = texts(project)
    (project.folder / path).write_text(before[path] + "# mine\n")
    edited = texts(project)
    set_node("odd", (2, level, 2))
    refused(re.escape(f"A person wrote or changed '{path}'"))
    assert texts(project) == edited
    done = export(force=True)
    assert path in done.written + done.removed
    assert "# mine" not in "".join(texts(project).values())


def test_text_like_jinja_stays_text(project: Project) -> None:
    content = 'married;{%raw%};*\nsingle;{#a#};*\nwidowed;{#a#};*\n"{{ it\'s }}";{#a#};*\n'
    Path("status.csv").write_text(content.replace("*", "{{all}}"))
    solved(levels=(1, 2, 2))
    export()
    found = texts(project)["models/anonymized/odd__candidate.sql"]
    assert """'{{ "{{" }}all}}' as "marital-status\"""" in found
    sqlanon.solve(write_plan("odd", privacy=[K, {**RECURSIVE, "c": 1, "harmless": ["{{ it's }}"]}]))
    refused("dbt would take the name of a column or a listed")
    # Jinja drops the line break at the end of a text, and then another value is harmless
    rows = "* replace (replace(diagnosis, 'flu', e'flu\\n') as diagnosis) from 'visits.parquet'"
    duckdb.sql(f"copy (select {rows}) to 'visits.parquet'")
    sqlanon.solve(write_plan("odd", privacy=[K, {**RECURSIVE, "harmless": ["flu\n"]}]))
    refused("dbt would change a line break")


def test_a_published_name_like_jinja_is_refused(project: Project) -> None:
    """dbt renders the names in YAML files, and what `env_var` gives would be published."""
    names = ("{{ env_var('HOME') }}", "{% do x %}", "{#", "env_var('HOME')")
    more = ", ".join(f"cost as {quoted(name)}" for name in names)
    duckdb.sql(f"copy (select *, {more} from 'visits.parquet') to 'visits.parquet'")
    hidden = {**COLUMNS, **dict.fromkeys(names, "identifier")}
    for name in names:
        solved(columns={**hidden, name: "insensitive"})
        refused("for Jinja")
    assert texts(project) == {}
    # names that are not published stand only in SQL, as text
    solved(columns=hidden)
    export()
    for path, text in texts(project).items():
        assert "env_var" not in text or path.endswith("__candidate.sql")
        assert "{{ env_var" not in text


@pytest.mark.parametrize("name", ["{{ 1 }}.yml", "a#}{{ 1 }}.yml", "a\nmodels: []\n#.yml"])
def test_the_name_of_a_plan_is_text(project: Project, name: str) -> None:
    """It stands in headers, in a description and in `meta`."""
    plan = write_plan("odd", privacy=[K]).rename(name)
    sqlanon.solve(plan)
    set_node(name.removesuffix(".yml"), (1, 1, 2))
    export(plan)
    for path, text in texts(project).items():
        assert "{{ 1" not in text
        if path.endswith(".yml"):
            assert [*yaml.safe_load(text)] == ["seeds" if "_seeds" in path else "models"]
        elif path.endswith(".sql"):
            assert text.partition("#}")[2].startswith("\n{{ config(")


def test_the_command(project: Project, command: Command) -> None:
    solved()
    (project.folder / "packages.yml").unlink()
    exported = ("dbt", "export", "odd.yml", "--project", "project")
    shown = command(*exported, "--name", "shown")
    assert shown.code == 0
    assert "written models/anonymized/shown__candidate.sql" in shown.out
    assert "add the package of sqlanon to packages.yml" in shown.err
    assert json.loads(command(*exported, "--json").out)["name"] == "odd"


# --- what is refused

QUERY = {"query": "select distinct \"order\", '*' from 'visits.parquet'"}
HIERARCHICAL = {"model": "t-closeness", "t": 0.9, "distance": "hierarchical", "attribute": "cost"}


@pytest.mark.parametrize(
    ("changes", "shown", "fix"),
    [
        ({"method": {"name": "mondrian"}}, "the partition of mondrian", "the method optimal"),
        ({"method": {"name": "anatomy"}, "privacy": [{"model": "l-diversity", "l": 2}],
          "publish": "odd/odd.parquet"}, "the buckets of anatomy", "the method optimal"),
        ({"suppression": {"limit": 0.5, "rows": "mask"}}, "`rows: mask`", "rows: drop"),
        ({"method": "datafly", "suppression": {}}, "rows left out up to a number", "a `limit`"),
        ({"order": "source"}, "`order: source`", "leave `order` out"),
        ({"columns": {"person": {"role": "identifier", "action": "pseudonym"}}},
         "pseudonyms", "drop these identifiers"),
        *(({"columns": {"order": {"role": "quasi-identifier", "hierarchy": rule}}},
           "a hierarchy that is a query", "write this hierarchy as a file")
          for rule in (QUERY, "rule.yml")),
        ({"columns": {"diagnosis": "insensitive", "cost":
                      {"role": "sensitive", "hierarchy": {"intervals": [100]}}},
          "privacy": [K, HIERARCHICAL]}, "a hierarchy of a sensitive attribute that is a rule", ""),
    ],
)  # fmt: skip
def test_plans_that_dbt_cannot_have(
    project: Project, changes: dict[str, Any], shown: str, fix: str
) -> None:
    Path("rule.yml").write_text(yaml.safe_dump(QUERY))
    columns = {**COLUMNS, **changes.get("columns", {})}
    plan = write_plan("odd", **{"privacy": [K], **changes, "columns": columns})
    if "columns" in changes and "person" not in changes["columns"]:
        sqlanon.solve(plan)
    assert fix in refused(shown)
    assert texts(project) == {}


def test_what_a_project_may_lack(project: Project, folder: Path) -> None:
    plan = write_plan("odd", privacy=[K])
    with pytest.raises(sqlanon.PlanError, match=r"no 'dbt_project\.yml'"):
        sqlanon.dbt_export(plan, folder)
    assert refused("no solution yet") == "run `sqlanon solve`"
    sqlanon.solve(plan)
    for given, shown in (
        *(({"name": name}, "Invalid name") for name in ("Odd name", "odd__more", "odd_")),
        ({"private_schema": "a.b"}, "Invalid name"),
        *(({"source": source}, "neither a model nor a source") for source in ("a.b.c", "a'b")),
        ({"population": "people"}, "The plan has no population"),
        ({"dialect": "oracle"}, "no such dialect"),
    ):
        refused(shown, **given)
    project.write("models/other/odd__candidate.sql", "select 1")
    assert "--name" in refused("'odd__candidate' that no export", force=True)
    (project.folder / "models/other/odd__candidate.sql").unlink()
    project.write("models/sources.yml", {})
    refused("no model, and not one source")
    project.write("models/visits.sql", "select 1")
    export()
    assert "{{ ref('visits') }}" in texts(project)["models/anonymized/odd__candidate.sql"]
    (project.folder / "profiles.yml").unlink()
    refused("not known from its profile")
    write_plan("odd", privacy=[{**K, "k": 4}])
    refused("another version of the plan", dialect="duckdb")
    Path("status.csv").write_text(STATUS.replace("together", "null"))
    solved()
    with pytest.raises(sqlanon.HierarchyError, match=r"has 1 cell\(s\) that dbt reads as"):
        export(dialect="duckdb")


# --- real builds

with_dbt = pytest.mark.skipif(
    not is_installed("dbt.adapters.duckdb"), reason="dbt-duckdb is not installed: extra `dbt`"
)


def exported() -> dict[str, list[tuple[Any, ...]]]:
    """Export every plan, and that of the clinic: the rows of their runs, by publication."""
    for file in ("plan.yml", "patients.csv"):
        shutil.copy(CLINIC / file, file)
    wanted = {}
    for plan in (Path("plan.yml"), *map(write_plan, PLANS)):
        rows = sqlanon.run(plan).published.fetchall()
        assert rows
        wanted[export(plan).name] = rows
    return wanted


@with_dbt
def test_a_build_publishes_what_a_run_does(project: Project) -> None:
    wanted = exported()

    def asked(*statements: str) -> list[tuple[Any, ...]]:
        with duckdb.connect(str(project.folder / "data.duckdb")) as database:
            return [database.execute(one).fetchall() for one in statements][-1]

    asked("create schema raw", *(
        f"create table raw.{file.partition('.')[0]} as from '{file}'"
        for file in ("patients.csv", "visits.parquet", "some.parquet")
    ))  # fmt: skip
    project.install()
    done = project.dbt("build")
    assert done.returncode == 0, done.stdout
    for name, rows in wanted.items():
        assert asked(f"from main.{name}") == rows, name
    assert {f"persons__{name}" for name in ("k_anonymity", "l_diversity", "suppression")} <= {
        *project.results()
    }
    # a row changes so that a promise fails: neither command publishes; another has a new value
    asked("update raw.patients set sex = 'x' where rowid < 100",
          """update raw.visits set "marital-status" = 'new' where rowid < 3""")  # fmt: skip
    broken = ("--select", "patients_k5__candidate+", "joined__candidate+")
    assert project.dbt("build", *broken).returncode == 1
    statuses = {name: result["status"] for name, result in project.results().items()}
    assert statuses == statuses | {
        "patients_k5": "skipped", "joined": "skipped", "joined__labeled_1": "fail",
        "joined__k_anonymity": "pass",
    }  # fmt: skip
    assert asked("from main.patients_k5") == wanted["patients_k5"]
    assert project.dbt("run", "--select", "patients_k5__candidate+").returncode == 1
    shown = project.results()["patients_k5"]
    assert shown["status"] == "error"
    assert "nothing is published" in shown["message"]
    assert asked("from main.patients_k5") == wanted["patients_k5"]


@with_dbt
@pytest.mark.skipif(
    not is_installed("dbt.adapters.postgres"), reason="dbt-postgres is not installed"
)
def test_a_build_on_postgres(project: Project) -> None:
    """The same rows in the same order, in a cluster whose own order of text is another one."""
    shutil.copy(CLINIC / "patients.csv", "patients.csv")
    with postgres() as other, duckdb.connect() as database:
        info = other.connection.info
        Project(project.folder, {
            "type": "postgres", "host": info.host, "port": info.port, "user": info.user,
            "password": "", "dbname": info.dbname, "schema": "public", "threads": 2,
        })  # fmt: skip
        other.connection.execute("create schema raw")
        for file in ("patients.csv", "visits.parquet", "some.parquet"):
            table = database.sql(f"select columns(*)::varchar from '{file}'")
            types = dict.fromkeys(table.columns, "VARCHAR")
            other.make(f"raw.{Path(file).stem}", types, table.fetchall())
        wanted = exported()
        project.install()
        done = project.dbt("build")
        assert done.returncode == 0, done.stdout
        for name, rows in wanted.items():
            assert other.ask(f"select * from public.{name}") == rows, name
        other.connection.execute("update raw.patients set sex = 'x' where name < 'D'")
        shown = project.dbt("run", "--select", "patients_k5__candidate+")
        assert shown.returncode == 1, shown.stdout
        assert other.ask("select * from public.patients_k5") == wanted["patients_k5"]
        assert "nothing is published" in project.results()["patients_k5"]["message"]
