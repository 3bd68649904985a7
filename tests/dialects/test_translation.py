"""`compile --dialect`: what is written for which tables, and what is refused."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot

import sqlanon
from sqlanon.dialects.dialect import DIALECTS
from sqlanon.dialects.steps import one_query
from sqlanon.dialects.transpile import transpile
from sqlanon.errors import EngineError, InternalError, PlanError
from sqlanon.program.program import Program, compile_program
from sqlanon.sql.step import Step, quoted
from tests.conftest import Command
from tests.plan.plans import plan_of
from tests.support.translated import CLINIC, COLUMNS, KEY, TYPED, made_files, small_plan

OUT = Path("target/plan")


@pytest.fixture(scope="module")
def published_clinic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the clinic, whose plan was published once."""
    folder = tmp_path_factory.mktemp("clinic")
    shutil.copytree(CLINIC, folder, dirs_exist_ok=True)
    sqlanon.run(folder / "plan.yml")
    return folder


@pytest.fixture
def clinic(published_clinic: Path, folder: Path) -> Path:
    """The clinic's plan, published, in the current folder."""
    shutil.copytree(published_clinic, folder, dirs_exist_ok=True)
    return Path("plan.yml")


@pytest.fixture
def people(folder: Path, monkeypatch: pytest.MonkeyPatch) -> duckdb.DuckDBPyConnection:
    """A connection with the table of small plans, whose files are in the current folder."""
    monkeypatch.setenv("SQLANON_PSEUDONYM_KEY", KEY)
    connection = duckdb.connect()
    made_files(connection)
    return connection


def solved_plan(**keys: Any) -> dict[str, Any]:
    plan = small_plan(**keys)
    sqlanon.solve(plan)
    return plan


def test_compiled_code_is_refused(published_clinic: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python cannot extend those of `sqlglot[c]`; what writes no dialect extends none."""
    monkeypatch.setattr(sqlglot.generator, "__file__", "generator.so")
    sqlanon.compile(published_clinic / "plan.yml")
    with pytest.raises(EngineError, match="pip uninstall sqlglotc"):
        transpile("select 'never written' as a", "spark", {})


@pytest.mark.parametrize("dialect", DIALECTS)
def test_files_of_every_dialect(clinic: Path, dialect: str) -> None:
    named = {"source": "clinic.patients", "published": "clinic.open"}
    found, folder = sqlanon.compile(clinic, dialect=dialect, tables=named)
    assert folder == (OUT / dialect).resolve()
    files = {file.stem: file.read_text(encoding="utf-8") for file in folder.iterdir()}
    assert files == {"release": found.release, **found.proofs}
    carried = {
        "proof_of_k_anonymity", "proof_of_l_diversity", "proof_of_suppression", "proof_of_rows",
        "proof_of_values_of_diagnosis",
    }  # fmt: skip
    has_forms = dialect in ("duckdb", "postgres", "spark", "databricks")
    unicode = {"proof_of_distinct_values"}  # compares by normal forms of Unicode
    assert found.proofs.keys() == carried | (unicode if has_forms else set())
    assert found.left_out.keys() == (set() if has_forms else unicode)
    assert found.tables == named
    for sql in files.values():
        (tree,) = sqlglot.parse(sql, dialect=dialect)
        assert isinstance(tree, sqlglot.exp.Query)
    assert "-- reads     clinic.patients, for patients.csv" in files["release"]
    reported = "-- not here  proof_of_distinct_values: `sqlanon run` proves it"
    assert (reported in files["release"]) == (not has_forms)
    if dialect != "postgres":
        return
    shutil.copyfile(folder / "release.sql", folder / "proof_of_old.sql")
    (folder / "mine.sql").write_text("select 1;\n", encoding="utf-8")
    sqlanon.compile(clinic, dialect=dialect, tables=named)
    left = {file.stem for file in folder.iterdir()}
    assert left == {*files, "mine"}, "what an earlier translation wrote is removed, and no more"


@pytest.mark.parametrize("of", ["unit", "population"])
def test_persons_in_every_dialect(people: duckdb.DuckDBPyConnection, of: str) -> None:
    """Two steps number the values that are compared; a population has rows of levels."""
    none = dict.fromkeys(("person", 'Größe "x"'), "identifier")
    columns = {**COLUMNS, **none, "order": {"role": "sensitive", "compare": "exact"}}
    k = {"model": "k-map", "k": 4} if of == "population" else {"model": "k-anonymity", "k": 4}
    about = {of: "person" if of == "unit" else "everybody.csv"}
    keys = {"privacy": [{"model": "beta-likeness", "beta": 4}, k], "suppression": {"limit": 0.6}}
    plan = solved_plan(columns=columns, source="some.csv", **keys, **about)
    for dialect in DIALECTS:
        assert "proof_of_beta_likeness" in sqlanon.compile(plan, dialect=dialect)[0].proofs
    rows, found = sqlanon.run(plan).published, sqlanon.compile(plan, dialect="duckdb")[0]
    assert duckdb.connect().execute(found.release).fetchall() == rows.fetchall()
    assert not any(duckdb.connect().execute(sql).fetchall() for sql in found.proofs.values())


def test_a_column_with_a_hierarchy_may_be_called_like_a_pattern(folder: Path) -> None:
    Path("labels.csv").write_text("1,*\n")
    sex = {"sex [m/f]?": {"role": "quasi-identifier", "hierarchy": "labels.csv"}}
    sqlanon.solve(plan := plan_of(sex, {"query": 'select unnest([1, 1]) as "sex [m/f]?"'}))
    assert "proof_of_labels" in sqlanon.compile(plan, dialect="postgres")[0].proofs


def test_duckdb_reads_files_as_they_are(clinic: Path) -> None:
    """With no table named; every check is there, and holds until rows are damaged."""
    found, _ = sqlanon.compile(clinic, dialect="duckdb")
    assert (found.left_out, found.tables, len(found.proofs)) == ({}, {}, 6)
    with duckdb.connect() as con:

        def violations(proof: str) -> list[Any]:
            return con.execute(found.proofs[proof]).fetchall()

        published = con.execute("from 'patients_k5.parquet'").fetchall()
        assert con.execute(found.release).fetchall() == published
        assert not any(map(violations, found.proofs))
        con.execute("create table kept as from 'patients_k5.parquet' where hash(cost) % 20 = 0")
        con.execute("copy kept to 'patients_k5.parquet' (format parquet)")
        assert violations("proof_of_k_anonymity")
        ((before, after),) = violations("proof_of_suppression")
        assert (before, after < 1900) == (2000, True)
        con.execute("copy (from kept limit 0) to 'patients_k5.parquet' (format parquet)")
        assert violations("proof_of_rows")


@pytest.mark.parametrize("source", ["people.parquet", "hospital.duckdb::people"])
def test_tables_of_duckdb(people: duckdb.DuckDBPyConnection, source: str) -> None:
    """Named ones, or of the names that they have by default; text is compared as in the plan's."""
    with duckdb.connect("hospital.duckdb") as con:
        con.execute("create table people as from 'people.parquet'")
    plan = small_plan(source=source)
    result = sqlanon.run(plan)
    rows = people.execute("from 'open.parquet'").fetchall()
    found, _ = sqlanon.compile(plan, dialect="duckdb", tables={"source": "main.people"})
    assert found.tables == {
        "source": "main.people", "marital-status": "open__marital_status", "published": "open",
    }  # fmt: skip
    assert ('collate "binary"' in found.release) == ("::" in source)
    people.execute("create table open as from 'open.parquet'")
    people.execute("create table open__marital_status as from 'status.csv'")
    assert repr(people.execute(found.release).fetchall()) == repr(rows)  # NaN is not NaN
    assert len(rows) == result.manifest["published"]["rows"]
    for sql in found.proofs.values():
        assert people.execute(sql).fetchall() == []


def test_names_of_tables_change_the_header_alone(people: duckdb.DuckDBPyConnection) -> None:
    """The plan of an attacker, who wants the identifier beside a column of an odd name."""
    odd, table = "sqlanon_in_place.source", 'x", name, "y'
    with duckdb.connect("hospital.duckdb") as con:
        con.execute(
            f"create table {quoted(table)} as select *, 1 as \"{odd}\" from 'people.parquet'"
        )
    columns = {**COLUMNS, **TYPED, odd: "insensitive"}
    plan = solved_plan(source=f"hospital.duckdb::{table}", columns=columns)
    for dialect in ("duckdb", "postgres", "spark"):
        found, _ = sqlanon.compile(plan, dialect=dialect, tables={"source": "people"})
        reported = [line for line in found.release.splitlines() if table in line]
        assert reported
        assert all(line.startswith("-- ") for line in reported)
        (tree,) = sqlglot.parse(found.release, dialect=dialect)
        assert isinstance(tree, sqlglot.exp.Query)
        assert odd in [*map(str.lower, tree.named_selects)]
        assert not {"name", "y"} & {c.name.lower() for c in tree.find_all(sqlglot.exp.Column)}


def test_a_translation_is_proven_like_a_run(
    people: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A release over the user's tables that reads an identifier is not written."""
    plan = solved_plan()

    def leaking(*inputs: Any) -> Program:
        program = compile_program(*inputs)
        steps = tuple(
            replace(step, sql=step.sql.replace("    person,", "    name as person,"))
            if step.name == "release" else step
            for step in program.steps
        )  # fmt: skip
        assert steps != program.steps
        return replace(program, steps=steps)

    monkeypatch.setattr("sqlanon.program.translation.compile_program", leaking)
    with pytest.raises(EngineError, match="identifier"):
        sqlanon.compile(plan, dialect="postgres", tables={"source": "people"})
    assert not (OUT / "postgres").exists()


def test_default_names(people: duckdb.DuckDBPyConnection) -> None:
    """A table is what the plan calls it; a query has no name."""
    with duckdb.connect("hospital.duckdb") as con:
        con.execute("create schema old; create table old.people as from 'people.parquet'")
    for source, publish, names, shown in (
        ("hospital.duckdb::old.people", "out.duckdb::done.open", ["old.people", "done.open"],
         "hospital.duckdb::old.people"),
        ({"query": "from 'people.parquet'"}, "open.parquet", ["open__source", "open"], "a query"),
    ):  # fmt: skip
        plan = solved_plan(source=source, publish=publish)
        found, _ = sqlanon.compile(plan, dialect="postgres")
        assert [found.tables["source"], found.tables["published"]] == names
        assert f"from {names[0]}" in found.release
        assert f"publishes of {shown}, in the order" in found.release
    with pytest.raises(PlanError, match="has a relation 'source'"):
        sqlanon.compile(plan, dialect="postgres", tables={"source": "source"})


def test_of_the_command_line(clinic: Path, command: Command) -> None:
    for arguments, reported in (
        ("--dialect postgresql", "Did you mean 'postgres'?"),
        ("--dialect postgres --table sourc=a", "Did you mean 'source'?"),
        ("--dialect postgres --table zip=a", "The plan reads no table 'zip'"),
        ("--dialect postgres --table source=", "write NAME=TABLE"),
        ("--dialect postgres --table source=a..b", "one to three parts"),
        ("--dialect spark --table source=a-b", "the name of the table"),
        ("--dialect spark --table source=a --table source=b", "once for each"),
        ("--table source=a", "add --dialect"),
    ):
        ended = command("compile", "plan.yml", *arguments.split())
        assert ended.code == 2
        assert reported in " ".join(ended.err.split())
    assert not list(OUT.glob("*/release.sql"))
    right = ["compile", "plan.yml", "--dialect", "spark", "--table", "source=clinic.patients"]
    shown = " ".join(command(*right).out.split())
    assert "release.sql and 6 proofs written to" in shown
    assert "reads clinic.patients for source" in shown
    found = json.loads(command(*right, "--json").out)
    assert found["tables"] == {"source": "clinic.patients", "published": "patients_k5"}


def test_plans_without_a_translation(people: duckdb.DuckDBPyConnection) -> None:
    """Regions and buckets are no levels; a table has no order."""
    diverse = {"model": "l-diversity", "l": 2, "attribute": 'Größe "x"'}
    buckets = {"method": "anatomy", "publish": "open/o.parquet", "privacy": [diverse]}
    cases: tuple[tuple[dict[str, Any], str, str], ...] = (
        ({}, "no solution yet", "run `sqlanon solve`"),
        ({"method": "mondrian", "suppression": {}}, "no levels of hierarchies", "sqlanon run"),
        ({**buckets, "suppression": {}}, "no levels of hierarchies", "sqlanon run"),
        ({"order": "source"}, "in the order of a file", "leave out `order: source`"),
    )
    for keys, reported, fix in cases:
        plan = solved_plan(**keys) if keys else small_plan()
        with pytest.raises(PlanError, match=reported) as refused:
            sqlanon.compile(plan, dialect="postgres")
        assert fix in refused.value.fix


def test_a_pseudonym_has_a_key_or_is_refused(people: duckdb.DuckDBPyConnection) -> None:
    pseudonym = {"role": "identifier", "action": "pseudonym"}
    plan = solved_plan(columns={**COLUMNS, **TYPED, "name": pseudonym})
    for dialect, reported, fix in (
        ("snowflake", "a pseudonym, whose key", "publish '*' in its place"),
        ("bigquery", "a name with such characters", "rename the column"),
    ):
        with pytest.raises(PlanError, match=reported) as refused:
            sqlanon.compile(plan, dialect=dialect)
        assert fix in refused.value.fix
    for dialect, reported in (
        ("postgres", "set sqlanon.pseudonym_key = '…'"),
        ("spark", "declare variable sqlanon_pseudonym_key string default '…'"),
        ("duckdb", "set variable sqlanon_pseudonym_key = '…'"),
    ):
        found, _ = sqlanon.compile(plan, dialect=dialect)
        shown = f"-- key       first: {reported}, the value of SQLANON_PSEUDONYM_KEY"
        assert shown in found.release
        keyed = [name for name, sql in found.proofs.items() if "pseudonym_key" in sql]
        assert keyed
        assert all("-- key       first" in found.proofs[name] for name in keyed)
        assert "proof_of_rows" not in keyed


def test_steps_become_one_query() -> None:
    steps = [
        Step("first", "-- first: one\n--   and two\nselect 'sqlanon.first' as a, 1 as \"b\""),
        Step("unread", "-- unread: not\nselect 2 as b"),
        Step("second", "-- second: of it\nwith own as (select a from sqlanon.first)\n"
             "select a from own"),
        Step("last", "-- last: reads sqlanon.second\nwith x as (select a from sqlanon.second)\n"
             "select x.a from x\ncross join sqlanon.first"),
    ]  # fmt: skip
    expected = """\
-- last: reads second
with first as (
    -- first: one
    select 'sqlanon.first' as a, 1 as "b"
),
second as (
    -- second: of it
    with own as (select a from first)
    select a from own
),
x as (select a from second)
select x.a from x
cross join first
"""
    assert one_query(steps, "last") == expected
    lines = Step("text", "-- text: in lines\nselect 'a\n b' as a")
    spread = Step("last", "-- last: of lines\nselect * from sqlanon.text")
    with duckdb.connect() as con:
        assert con.execute(expected).fetchall() == [("sqlanon.first",)]
        assert con.execute(one_query([lines, spread], "last")).fetchall() == [("a\n b",)]
    hiding = Step("last", "-- last: bad\nselect a from sqlanon.middle")
    middle = Step("middle", "-- middle: bad\nwith first as (select 1 as a)\n"
                  "select a from first union all select b from sqlanon.first")  # fmt: skip
    with pytest.raises(InternalError, match="name of another step"):
        one_query([steps[0], middle, hiding], "last")
