"""`program.sql` of a plan that runs elsewhere makes there, without sqlanon, what DuckDB publishes.

psql executes it in a throw-away PostgreSQL; a session of Spark executes its statements, as
spark-sql does. Both are skipped where the database is not installed.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

import sqlanon
from sqlanon.boundary.locks import MARK
from sqlanon.boundary.secrets import PERMUTATION_SEED, PSEUDONYM_KEY
from sqlanon.errors import PlanError
from sqlanon.plan.file import load_plan
from sqlanon.plan.plan import Plan
from sqlanon.program.postgresql_script import PostgreSQLScript
from sqlanon.sql.step import Step
from tests.conftest import is_thorough
from tests.paths import ROOT
from tests.support import servers
from tests.support.secret_texts import SEED

CLINIC = ROOT / "examples" / "clinic"
KEY = "a key of the tests, long enough to be one"
SOURCE = "it's.the patients"
PATIENTS = '"it\'s"."the patients"'
PLACE = "it's.open"
OPEN = '"it\'s".open'

Mapping = dict[str, Any]
Rows = list[tuple[Any, ...]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a quote in its name, the current one, with the patients of the clinic."""
    folder = tmp_path / "it's the plan's"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SQLANON_PSEUDONYM_KEY", KEY)
    monkeypatch.setenv("SQLANON_PERMUTATION_SEED", SEED)
    shutil.copy(CLINIC / "patients.csv", folder)
    (folder / "it's states.csv").write_text(
        'one;other;all\n"Divorced";"not; ""married""";*\nMarried-civ-spouse;married;*\n'
        'Never-married;"not; ""married""";*\nSeparated;married;*\nWidowed;"not; ""married""";*\n'
    )
    (folder / "it's states.txt").write_text(
        '# of the census\n\n  *: not "married", married\t\nnot "married": Divorced, Widowed,\t'
        "Never-married\n\nmarried: Married-civ-spouse, Separated\n"
    )
    return folder


def plan_of(name: str) -> Mapping:
    """A plan for the patients: its release joins labels of a file, or cuts, or deals."""
    file = CLINIC / ("mondrian.yml" if name == "partition" else "plan.yml")
    keys: Mapping = yaml.safe_load(file.read_text(encoding="utf-8"))
    columns = keys["columns"]
    if name == "taxonomy":
        columns["marital_status"]["hierarchy"] = {"taxonomy": "it's states.txt"}
    if name in ("levels", "partition"):
        keys["privacy"] = [{"model": "k-anonymity", "k": 5}]
    if name == "levels":
        states = {"file": "it's states.csv", "delimiter": ";", "header": True}
        columns["marital_status"]["hierarchy"] = states
        columns["patient_id"] = {"role": "identifier", "action": "pseudonym"}
        columns["sex"] = "insensitive"
        columns["born"]["hierarchy"] = {"date": ["decade"]}
    if name == "buckets":
        keys["method"] = {"name": "bucketization"}
        keys["privacy"] = [{"model": "l-diversity", "l": 3, "attribute": "diagnosis"}]
        columns |= dict.fromkeys(("born", "zip", "sex", "marital_status"), "quasi-identifier")
        del keys["suppression"]
    return keys


MADE: dict[str, tuple[str, Rows]] = {}
"""What `compiled` has made, by the plan and the engine."""


def compiled(name: str, engine: str, source: Mapping, publish: Mapping) -> tuple[str, Rows]:
    """The program of a plan that was solved by DuckDB, and the rows that it has published."""
    if f"{name} {engine}" not in MADE:
        keys = plan_of(name)
        Path("here.yml").write_text(yaml.safe_dump(keys | {"publish": "published.parquet"}))
        there = {"engine": engine, "source": source, "publish": publish}
        Path("there.yml").write_text(yaml.safe_dump(keys | there))
        with pytest.MonkeyPatch.context() as patch:  # seeded orders of rows depend on the digest
            patch.setattr(Plan, "sha256", "ab" * 32)
            rows = sqlanon.run("here.yml").published.fetchall()
            shutil.copy("here.solution.json", "there.solution.json")
            MADE[f"{name} {engine}"] = sqlanon.compile("there.yml")[0].sql, rows
    return MADE[f"{name} {engine}"]


def for_psql(name: str) -> tuple[str, Rows]:
    """The program of a plan for PostgreSQL, and the rows of DuckDB."""
    return compiled(name, "postgres", {"table": SOURCE}, {"table": PLACE})


def write_plan(engine: Any) -> None:
    """A plan for tables of PostgreSQL that no one has solved."""
    keys = {"engine": engine, "source": {"table": SOURCE}, "publish": {"table": PLACE}}
    Path("there.yml").write_text(yaml.safe_dump(plan_of("levels") | keys))


# --- PostgreSQL


@pytest.fixture(scope="module")
def postgres() -> Iterator[Any]:
    with servers.postgres() as opened:
        yield opened.connection


@pytest.fixture
def patients(postgres: Any, folder: Path) -> Iterator[Any]:
    """The patients in a schema whose name needs quotes."""
    names = (folder / "patients.csv").read_text(encoding="utf-8").split("\n")[0].split(",")
    postgres.execute('create schema "it\'s"')
    columns = ", ".join(f"{name} text" for name in names)
    postgres.execute(f"create table {PATIENTS} ({columns})")
    with postgres.cursor().copy(f"copy {PATIENTS} from stdin (format csv, header)") as copy:
        copy.write((folder / "patients.csv").read_bytes())
    yield postgres
    postgres.execute('drop schema "it\'s" cascade')


def psql(connection: Any, program: str, **environment: str) -> str:
    """What psql says on stderr about a program that it executes as the header says.

    It has made nothing for itself that is still there.
    """
    Path("program.sql").write_text(program, encoding="utf-8")
    reached = {"PGHOST": connection.info.host, "PGUSER": "tests", "PGDATABASE": "postgres"}
    done = subprocess.run(
        ["psql", "-v", "ON_ERROR_STOP=1", "-qAt", "-f", "program.sql"],
        env={**os.environ, **reached, **environment}, capture_output=True, text=True, timeout=120,
        check=False,
    )  # fmt: skip
    left = "select relname from pg_class union all select nspname from pg_namespace"
    own = f"select from ({left}) as names where relname ~ '^sqlanon'"
    assert not connection.execute(own).fetchall()
    assert bool(done.stderr) >= (done.returncode != 0)
    return done.stderr


def rows_of(connection: Any) -> Rows:
    """The rows that were published, in the order of the table."""
    return list(connection.execute(f"select * from {OPEN} order by ctid", prepare=False).fetchall())


@pytest.mark.parametrize("name", ["levels", "taxonomy", "partition", "buckets"])
def test_psql_publishes_what_duckdb_publishes(patients: Any, name: str) -> None:
    """What the earlier table granted stays: tests/engines/test_postgresql.py has the rest of it."""
    program, rows = for_psql(name)
    assert psql(patients, program) == ""
    patients.execute(
        f"grant select on {OPEN} to public; comment on column {OPEN}.zip is 'it''s a %s'"
    )
    assert psql(patients, program) == ""
    assert rows_of(patients) == rows
    query = """select relacl::text, (select string_agg(col_description(oid, attnum), '')
            from pg_attribute where attrelid = oid)
        from pg_class where oid = to_regclass(%s)"""
    ((granted, comment),) = patients.execute(query, [OPEN]).fetchall()
    assert "=r/" in granted
    assert comment == "it's a %s"


@pytest.mark.parametrize(
    ("found", "written", "shown"),
    [
        ("class_size >= 5 as satisfied\n    from classes", "true as satisfied\n    from classes",
         "proof_of_k_anonymity found violations"),
        ("where satisfied", "where satisfied and born < '1960'", "rows are missing"),
    ],
)  # fmt: skip
def test_a_violation_stops_psql(patients: Any, found: str, written: str, shown: str) -> None:
    """Also if the shell goes on after errors, and whatever was there before stays."""
    program, _ = for_psql("levels")
    patients.execute(f"create table {OPEN} as select 'before' as what")
    assert found in program
    program = program.replace(found, written, 1)
    for settings in ("", "\\set ON_ERROR_STOP off\n"):
        assert shown in psql(patients, program.replace("\\set ON_ERROR_STOP on\n", settings))
        assert rows_of(patients) == [("before",)]


def test_psql_needs_the_key_of_pseudonyms(patients: Any) -> None:
    """It is read from the environment, and stands in no statement."""
    program, _ = for_psql("levels")
    assert KEY not in program
    assert psql(patients, program, SQLANON_PSEUDONYM_KEY="")
    for key in ("short", "a" * 40):
        shown = psql(patients, program, SQLANON_PSEUDONYM_KEY=key)
        assert "SQLANON_PSEUDONYM_KEY needs 32 characters" in shown


def test_release_is_the_query_that_postgresql_executed(
    patients: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for the name of the schema that the run worked in, which is random."""
    monkeypatch.setenv("CLINIC", f"host={patients.info.host} user=tests dbname=postgres")
    patients.execute(f"delete from {PATIENTS} where patient_id not like '%0'")
    executed: list[str] = []
    engine = importlib.import_module("sqlanon.engines.postgresql").PostgreSQL
    stage = engine.stage

    def staged(self: Any, place: Any, query: str) -> str:
        executed.append(query.replace(self.relation("")[:-1], "SCHEMA"))
        return str(stage(self, place, query))

    monkeypatch.setattr(engine, "stage", staged)
    write_plan({"name": "postgres", "url_env": "CLINIC"})
    result = sqlanon.run("there.yml")
    run = rows_of(patients)
    assert len(run) > 100
    release = (result.target / "release.sql").read_text(encoding="utf-8")
    assert re.sub(r"sqlanon_[0-9a-f]{16}(?=\.)", "SCHEMA", release) == f"{executed[0].rstrip()};\n"
    program = result.target / "sql" / "program.sql"
    assert hashlib.sha256(program.read_bytes()).hexdigest() == result.manifest["program_sha256"]
    assert psql(patients, program.read_text(encoding="utf-8")) == ""
    assert rows_of(patients) == run


def test_a_search_here_may_leave_a_plan_without_a_program(
    patients: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A step that does not carry over ran in DuckDB: the run publishes, and says so by name."""
    monkeypatch.setenv("CLINIC", f"host={patients.info.host} user=tests dbname=postgres")
    patients.execute(f"delete from {PATIENTS} where patient_id not like '%0'")
    recorded = importlib.import_module("sqlanon.commands.compile")
    record = recorded._record

    def refused(step: Step, engine: Any, *arguments: Any) -> None:
        with pytest.MonkeyPatch.context() as patch:
            if step.name == "proof_of_rows":
                patch.setattr(engine, "execute", does_not_carry_over)
            record(step, engine, *arguments)

    def does_not_carry_over(_: Step) -> None:
        raise PlanError("A construct does not carry over.", where="engine", fix="none")

    monkeypatch.setattr(recorded, "_record", refused)
    write_plan({"name": "postgres", "url_env": "CLINIC", "search": "driver"})
    target = Path("target/there/sql")
    target.mkdir(parents=True)
    (target.parent / MARK).touch()
    (target / "program.sql").write_text("-- of an earlier run")
    result = sqlanon.run("there.yml")
    assert len(rows_of(patients)) == result.manifest["rows"]["published"] > 0
    assert result.manifest["program_sha256"] is None
    assert "No program.sql is written. A construct does not carry over." in caplog.text
    assert not [*target.iterdir()]
    assert "from" in (result.target / "release.sql").read_text()
    with pytest.raises(PlanError, match="A construct does not carry over"):
        sqlanon.compile("there.yml")


def test_what_has_no_program_elsewhere(folder: Path) -> None:
    """A plan without a solution; for Spark, rounds: it would plan every round wherever it is read:
    found by executing one, until memory ended."""
    write_plan("postgres")
    with pytest.raises(PlanError, match="does not search"):
        sqlanon.compile("there.yml")
    duckdb.sql("copy (from read_csv('patients.csv', all_varchar = true) limit 200)"
               " to 'patients.parquet'")  # fmt: skip
    duckdb.sql("copy (from 'patients.parquet') to 'patients.csv'")
    for name in ("partition", "buckets"):
        with pytest.raises(PlanError, match="its shell would plan its views again"):
            compiled(name, "spark", {"path": "patients.parquet"}, {"path": "open.parquet"})


# --- Spark


def test_spark_publishes_what_duckdb_publishes(
    folder: Path, request: pytest.FixtureRequest
) -> None:
    """One test, so that Spark is started once; an ordinary run tries the smaller program."""
    duckdb.sql("copy (from read_csv('patients.csv', all_varchar = true)) to 'patients.parquet'")
    servers.end_java()  # an earlier test may have started it in another folder
    with servers.spark() as opened:
        for name in ("levels", "taxonomy") if is_thorough(request.config) else ("levels",):
            program, rows = compiled(
                name, "spark", {"path": "patients.parquet"}, {"path": "open.parquet"}
            )
            opened.session.catalog.clearCache()
            session = opened.session.newSession()
            for secret in (PSEUDONYM_KEY, PERMUTATION_SEED):
                value = os.environ[secret.environment]
                session.sql(f"declare variable {secret.variable} string default '{value}'")
            for statement in program.split(";\n"):  # as spark-sql does
                if re.sub(r"--[^\n]*", "", statement).strip():
                    session.sql(statement).collect()
            # in the order of its files
            found = duckdb.connect().execute("from 'open.parquet/*.parquet'").fetchall()
            assert found == rows, name


def test_no_name_ends_the_text_that_publishes() -> None:
    """A name between dollars would end it, and what follows would be executed."""
    hostile = 'open."p$publish$; drop table people; $publish_$"'
    plan = load_plan({
        "source": {"table": "clinic.people"}, "columns": {"age": "quasi-identifier"},
        "privacy": [{"model": "k-anonymity", "k": 2}], "publish": {"table": hostile},
        "engine": "postgres",
    })  # fmt: skip
    script = PostgreSQLScript(plan, {}, lambda _: None)
    first, *_ = script.closing("work.proven", [(plan.publish, script.relation("staged"))])
    opens, closes = re.findall(r"^(?:do )?(\$\w+\$);?$", first, re.M)
    assert opens == closes
    assert first.count(opens) == 2
    assert "drop table people" in first
