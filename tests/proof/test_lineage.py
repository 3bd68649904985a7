"""The proof from the SQL alone: honest programs pass, tampered ones are refused.

Every tampered select here is one that DuckDB executes and that carries something of an identifier
(or the key of pseudonyms) to where it is published; what DuckDB cannot execute leaks nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon.errors import EngineError, PlanError
from sqlanon.families import families
from sqlanon.families.families import family_of
from sqlanon.families.solution import Solution, solution_of
from sqlanon.plan.columns import Identifier
from sqlanon.plan.file import load_plan
from sqlanon.plan.plan import Plan
from sqlanon.program.program import compile_program, program_steps
from sqlanon.proof.lineage import prove_no_identifier_flows
from sqlanon.source.hierarchy_files import resolve_hierarchies
from sqlanon.sql.step import Step
from tests.conftest import published_before
from tests.support.secret_texts import KEY

PEOPLE = "name,ward,case_id,age,town,cost\nAnn,w1,c1,30,Rome,5\nBob,w2,c2,31,Oslo,6\n"
QUASI_IDENTIFIERS: dict[str, Any] = {
    "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10]}, "grid": 20},
    "town": {"role": "quasi-identifier", "hierarchy": "towns.csv"},
}
IDENTIFIERS: dict[str, Any] = {
    "name": "identifier",
    "ward": {"role": "identifier", "action": "star"},
    "case_id": {"role": "identifier", "action": "pseudonym"},
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a source and a hierarchy."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SQLANON_PSEUDONYM_KEY", KEY)
    Path("people.csv").write_text(PEOPLE)
    Path("towns.csv").write_text("Rome;*\nOslo;*\n")
    return tmp_path


def make(**keys: Any) -> Plan:
    """A plan with an identifier of each kind."""
    return load_plan(
        {
            "source": "people.csv",
            "columns": {**IDENTIFIERS, **QUASI_IDENTIFIERS, "cost": "insensitive"},
            "privacy": [{"model": "k-anonymity", "k": 2}],
            "publish": "published.parquet",
            **keys,
        }
    )


def steps_of(plan: Plan, solution: Solution | None = None) -> list[Step]:
    """The steps up to the staged rows, not proven yet."""
    release = families.recorded(plan, resolve_hierarchies(plan, None), solution)
    program = compile_program(plan, release, solution, "staged.parquet")
    return list(program_steps(program))


@cache
def honest() -> tuple[Plan, list[Step]]:
    """The plan of `make`, and its steps."""
    plan = make()
    return plan, steps_of(plan)


def tampered(steps: Sequence[Step], name: str, sql: str) -> list[Step]:
    """The steps, one of them with another text."""
    changed = [replace(step, sql=sql) if step.name == name else step for step in steps]
    assert changed != list(steps)
    return changed


def refused(plan: Plan, steps: Sequence[Step]) -> None:
    with pytest.raises(EngineError, match="cannot be proven that no identifier is published"):
        prove_no_identifier_flows(plan, steps)


# --- honest programs


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"missing": "drop-rows"},
        {"suppression": {"limit": 0.5, "rows": "mask"}},
        {"order": "source"},
        {"method": {"objective": {"name": "classification", "attribute": "cost"}}},
        {"method": {"objective": {"name": "loss", "aggregate": "rank"}}},
        {"source": "people.duckdb::main.people"},
        {"source": {"query": "select * from read_csv('people.csv') as t where name <> 'Bob'"}},
        {"columns": {**QUASI_IDENTIFIERS, "cost": "sensitive"}},
        {"columns": QUASI_IDENTIFIERS},
        {"columns": {**IDENTIFIERS, **QUASI_IDENTIFIERS, 'the "cost"': "insensitive"}},
        {"columns": {**IDENTIFIERS, **QUASI_IDENTIFIERS, "source": "insensitive"}},
        {"columns": {**QUASI_IDENTIFIERS, "select": "identifier", "source_rows": "insensitive"}},
        {
            "columns": {
                'a "b"': {"role": "identifier", "action": "pseudonym"},
                "select": {"role": "identifier", "action": "pseudonym"},
                "C": {"role": "identifier", "action": "star"},
                **QUASI_IDENTIFIERS,
            }
        },
    ],
    ids=lambda keys: "-".join(keys) or "plain",
)
def test_honest_programs_pass(keys: dict[str, Any]) -> None:
    plan = make(**keys)
    dependencies = prove_no_identifier_flows(plan, steps_of(plan)).sources
    assert list(dependencies) == list(plan.published_columns)
    for name, read in dependencies.items():
        expected = list(plan.quasi_identifiers) if name in plan.quasi_identifiers else [name]
        is_star = isinstance(column := plan.columns[name], Identifier) and column.action == "star"
        assert read == ([] if is_star else expected)


RELAXED = {"name": "mondrian", "partitioning": "relaxed"}
DISTINCT: dict[str, Any] = {"model": "l-diversity", "l": 1, "attribute": "cost"}


PARTITIONED: dict[str, dict[str, Any]] = {
    "plain": {"method": "mondrian"},
    "relaxed": {"method": RELAXED},
    "order": {"method": "mondrian", "order": "source"},
    "labels": {"method": {"name": "mondrian", "labels": "region", "names": 2}},
    "bounds": {"method": {"name": "mondrian", "bounds": True}},
    "population": {"method": "mpalm", "population": "people.csv"},
    "values": {
        "method": RELAXED,
        "columns": {**IDENTIFIERS, **QUASI_IDENTIFIERS, "cost": "sensitive"},
        "privacy": [{"model": "k-anonymity", "k": 2}, DISTINCT],
    },
}


@pytest.mark.parametrize("keys", PARTITIONED.values(), ids=PARTITIONED)
def test_honest_partitions_pass(keys: dict[str, Any]) -> None:
    plan = make(**keys)
    dependencies = prove_no_identifier_flows(plan, steps_of(plan)).sources
    assert list(dependencies) == list(plan.form.columns)
    bounds = sum(plan.form.bounds.values(), ())
    for name, read in dependencies.items():
        if name in plan.quasi_identifiers or name in bounds:
            assert set(plan.quasi_identifiers) <= set(read) <= {*plan.quasi_identifiers, "cost"}
        else:
            assert read == ([] if name == "ward" else [name])


@pytest.mark.parametrize(
    "method",
    [
        "optimal", "incognito", "samarati", "datafly", "mondrian", "k-mondrian",
        "dimension-splitting", {"name": "mondrian", "execution": "rounds"},
    ],
    ids=lambda method: method if isinstance(method, str) else "rounds",
)  # fmt: skip
def test_honest_release_passes(method: Any) -> None:
    plan = make(method=method)
    sqlanon.solve(plan)
    file = Path("published.solution.json")
    solution = solution_of(file.read_bytes(), file.name, plan, family_of(plan).solution_kind)
    assert "name" not in prove_no_identifier_flows(plan, steps_of(plan, solution)).sources


def test_every_kind_of_rule_passes() -> None:
    rules: dict[str, Any] = {
        "a": {"intervals": [5, 10]},
        "b": {"cut_points": [[1, 2]]},
        "c": {"mask": {"characters": 3}},
        "d": {"date": ["month", "year"]},
        "e": {"round": [1, 0]},
        "f": {"query": "with t as (values (1, '*')) select * from t", "columns": 2},
        "g": {"query": "select * from read_csv('zips.csv')", "columns": 2},
        "h": "adult/sex.csv",
    }
    columns = {n: {"role": "quasi-identifier", "hierarchy": rule} for n, rule in rules.items()}
    plan = make(columns={**columns, "i": "quasi-identifier", "name": "identifier"})
    prove_no_identifier_flows(plan, steps_of(plan))


@pytest.mark.parametrize("relation", ["zips", "'zips.parquet'", "hospital.main.zips"])
def test_hierarchy_from_a_table_passes(relation: str) -> None:
    query = {"query": f"select * from {relation}", "columns": 2}
    columns = {"zip": {"role": "quasi-identifier", "hierarchy": query}, "name": "identifier"}
    plan = make(columns=columns)
    prove_no_identifier_flows(plan, steps_of(plan))


def test_nothing_is_written_when_the_proof_fails(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sqlanon.commands import session

    def leak(*arguments: Any) -> Any:
        program = compile_program(*arguments)
        columns = "name as cost, '*' as ward, cost as case_id, age, town"
        sql = f"select {columns} from sqlanon.source"
        return replace(program, steps=tuple(tampered(program.steps, "source_rows", sql)))

    monkeypatch.setattr(session, "compile_program", leak)
    published_before("published.parquet", b"the earlier publication")
    sqlanon.solve(make())
    for command in (sqlanon.compile, sqlanon.run, sqlanon.lineage):
        with pytest.raises(EngineError, match=r"source_rows.*cannot be proven.*name"):
            command(make())
    assert Path("published.parquet").read_bytes() == b"the earlier publication"
    assert not list(folder.rglob("staged.*"))
    assert not list(folder.rglob("program.sql"))


# --- the command


def test_lineage_of_a_solved_plan() -> None:
    plan = make(
        columns={**IDENTIFIERS, **QUASI_IDENTIFIERS, "cost": "sensitive"},
        privacy=[{"model": "k-anonymity", "k": 2}, DISTINCT],
        missing="drop-rows",
    )
    assert sqlanon.solve(plan).published_levels == {"age": 1, "town": 1}
    found = sqlanon.lineage(plan)
    assert [(column.name, list(column.sources), column.how) for column in found.columns] == [
        ("ward", [], "one value for all"),
        ("case_id", ["case_id"], "keyed hash"),
        ("age", ["age"], "level 1 of 2, intervals of width 10"),
        ("town", [], "one value for all"),
        ("cost", ["cost"], "as in the source"),
    ]
    expressions = {column.name: column.expression for column in found.columns}
    assert expressions["ward"] == "'*'"
    assert expressions["case_id"].startswith("sha256(getvariable('sqlanon_pseudonym_key') ||")
    assert expressions["town"] == "'*'"
    assert "age" in expressions["age"]
    assert "// 10" in expressions["age"].replace("% 10", "// 10")
    missing = "rows without a value are not published"
    assert [(decider.name, decider.why) for decider in found.deciding] == [
        ("age", f"rows with the same labels are one class; {missing}"),
        ("town", f"rows with the same labels are one class; {missing}"),
        ("cost", f"l-diversity judges the values of a class; {missing}"),
    ]


def test_lineage_of_other_methods() -> None:
    def how(**keys: Any) -> dict[str, str]:
        plan = make(**keys)
        sqlanon.solve(plan)
        return {column.name: column.how for column in sqlanon.lineage(plan).columns}

    shown = how(method={"name": "mondrian", "bounds": True})
    assert shown["age"] == "a range of numbers, each class its own"
    assert shown["town"] == "a label of the hierarchy, each class its own"
    assert shown["age_lo"] == "lower end of the interval of age"
    values = {"columns": {**IDENTIFIERS, **QUASI_IDENTIFIERS, "cost": "sensitive"}}
    for method in ("bucketization", {**RELAXED, "name": "bucketization"}):
        shown = how(method=method, **values, privacy=[{**DISTINCT, "l": 2}])
        assert shown["bucket"] == "number of the bucket"
        assert shown["cost"] == shown["age"] == "as in the source, exchanged within a bucket"


def test_lineage_of_a_persons_column() -> None:
    columns = {**QUASI_IDENTIFIERS, "name": "identifier", "ward": "identifier"}
    plan = make(columns={**columns, "case_id": "insensitive", "cost": "insensitive"}, unit="name")
    sqlanon.solve(plan)
    why = {decider.name: decider.why for decider in sqlanon.lineage(plan).deciding}
    assert why["name"] == "persons are counted, not rows"


def test_lineage_of_a_plan_that_is_not_solved() -> None:
    with pytest.raises(PlanError, match="run `sqlanon solve`") as refusal:
        sqlanon.lineage(make())
    assert refusal.value.where == "published.solution.json"


# --- tampered programs

STAR = "'*' as ward, "
KEYED = "sha256(getvariable('sqlanon_pseudonym_key') || case_id)"

SOURCE_ROWS: dict[str, str] = {
    # plain mention
    "select": "select name as cost, age, town from sqlanon.source",
    "upper case": "select NAME as cost, age, town from sqlanon.source",
    "quoted": 'select "Name" as cost, age, town from sqlanon.source',
    "qualified": "select source.name as cost, age, town from sqlanon.source",
    "inside a function": "select age || left(name, 1) as age, town, cost from sqlanon.source",
    "starred column itself": "select ward, age, town, cost from sqlanon.source",
    "where": "select age, town, cost from sqlanon.source where name = 'Ann'",
    "where of a starred one": f"select {STAR}age, town, cost from sqlanon.source where ward > 'w1'",
    "where one is missing": "select age, town, cost from sqlanon.source where not name is null",
    "where a value is not another": "select age, town, cost from sqlanon.source where not cost = 6",
    "where what is made of a value is there": "select age, town, cost from sqlanon.source"
    " where nullif(cost, 6) is not null",
    "order by": "select age, town, cost from sqlanon.source order by name",
    "order by, filtered out": "select age, town, cost from sqlanon.source order by hash(name)",
    "distinct on": "select distinct on (name) age, town, cost from sqlanon.source",
    "group by": "select age, town, max(name) as cost from sqlanon.source group by all",
    "window": "select age, town, rank() over (order by name) as cost from sqlanon.source",
    "named window": "select age, town, rank() over w as cost from sqlanon.source"
    " window w as (order by name)",
    "qualify": "select age, town, cost from sqlanon.source"
    " qualify row_number() over (partition by name) = 1",
    "correlated": "select age, town, (select t.name) as cost from sqlanon.source as t",
    "union": "select age, town, cost from sqlanon.source"
    " union all select age, town, name from sqlanon.source",
    # columns without their names
    "star": "select * from sqlanon.source",
    "star of the table": "select source.* from sqlanon.source",
    "star exclude": "select * exclude (age) from sqlanon.source",
    "star like": "select * like 'na%' from sqlanon.source",
    "columns of a pattern": "select age, town, columns('na.*') from sqlanon.source",
    "columns of all": "select columns(*) from sqlanon.source",
    "columns of a list": "select columns(['name']) as cost, age, town from sqlanon.source",
    "from first": "from sqlanon.source",
    "from first, then select": "from sqlanon.source select name as cost, age, town",
    "table statement": "with people (cost, x, y, age, town) as (table sqlanon.source)"
    " select cost, age, town from people",
    "position": "select #1 as cost, age, town from sqlanon.source",
    "renamed columns": "select cost, age, town"
    " from sqlanon.source as s (cost, ward, case_id, age, town)",
    "renamed columns in a subquery": "select cost, age, town from (select cost, age, town"
    " from sqlanon.source as s (cost, ward, case_id, age, town)) as t",
    "renamed columns by a cte": "with people (cost, x, y, age, town) as (from sqlanon.source)"
    " select cost, age, town from people",
    "renamed columns by position": "select a.age, a.town, b.cost from sqlanon.source as a"
    " positional join sqlanon.source as b (cost)",
    "union by name": "select age, town, cost from sqlanon.source union all by name"
    " select cost, age, town from sqlanon.source as s (cost, ward, case_id, age, town)",
    "unpivot": "select value as cost, value as age, value as town"
    " from (unpivot sqlanon.source on columns(*) into name n value value)",
    "unpivot of names": "select cost, age, town from sqlanon.source"
    " unpivot (cost for case_id in (name, ward))",
    "summarize": "select max as cost, min as age, max as town from (summarize sqlanon.source)",
    # the row as a whole
    "whole row": "select age, town, source as cost from sqlanon.source",
    "whole row of an alias": "select age, town, s as cost from sqlanon.source as s",
    "whole row as text": "select age, town, cast(source as varchar) as cost from sqlanon.source",
    "whole row as json": "select age, town, to_json(source) as cost from sqlanon.source",
    "whole row hashed": "select age, town, hash(source) as cost from sqlanon.source",
    "whole row of a subquery": "select age, town, (select s) as cost from sqlanon.source as s",
    "whole row aggregated": "select age, town, arg_max(source, age) as cost from sqlanon.source"
    " group by all",
    "field of the row": "select age, town, source['name'] as cost from sqlanon.source",
    "field extracted": "select age, town, struct_extract(source, 'name') as cost"
    " from sqlanon.source",
    "row unnested": "select age, town, unnest(source) from sqlanon.source",
    # rows chosen by an identifier
    "join using": "select s.age, s.town, s.cost from sqlanon.source as s"
    " inner join sqlanon.source as t using (name)",
    "natural join": "select age, town, cost from sqlanon.source"
    " natural inner join (select 'Ann' as name)",
    # other ways to the file
    "file beside": "select age, town, (select max(content) from read_text('people.csv')) as cost"
    " from sqlanon.source",
    "file joined": "select source.age, source.town, t.x as cost from sqlanon.source"
    " positional join read_csv('people.csv', header = true) as t (x)",
    # pseudonyms
    "pseudonym in the clear": "select case_id, age, town, cost from sqlanon.source",
    "hash without a key": "select sha256(case_id) as case_id, age, town, cost from sqlanon.source",
    "hash without a key, beside it": "select sha256(case_id)"
    " || left(getvariable('sqlanon_pseudonym_key'), 0) as case_id, age, town, cost"
    " from sqlanon.source",
    "name of the key for a key": "select sha256('sqlanon_pseudonym_key' || case_id) as case_id,"
    " age, town, cost from sqlanon.source",
    "nothing of the key": "select sha256(left(getvariable('sqlanon_pseudonym_key'), 0) || case_id)"
    " as case_id, age, town, cost from sqlanon.source",
    "function that is no hash": "select nfc_normalize(case_id"
    " || left(getvariable('sqlanon_pseudonym_key'), 0)) as case_id, age, town, cost"
    " from sqlanon.source",
    "element of a list": "select list_extract([case_id, getvariable('sqlanon_pseudonym_key')], 1)"
    " as case_id, age, town, cost from sqlanon.source",
    "hash of an identifier that is dropped": "select"
    " sha256(getvariable('sqlanon_pseudonym_key') || name) as case_id, age, town, cost"
    " from sqlanon.source",
    "pseudonym of another column": f"select {KEYED} as cost, age, town from sqlanon.source",
    "filter by a pseudonym": f"select age, town, cost from sqlanon.source where {KEYED} > 'a'",
    "order by a pseudonym": f"select age, town, cost from sqlanon.source order by {KEYED}",
    "the key itself": "select age, town, getvariable('sqlanon_pseudonym_key') as cost"
    " from sqlanon.source",
    # no single select
    "no source": "select '*' as age, '*' as town, '*' as cost",
    "two statements": "select age, town, cost from sqlanon.source; select name from sqlanon.source",
}

LATER: dict[str, str] = {
    # the source under any of its names
    "source": "select name from sqlanon.source",
    "source, quoted": 'select name from "sqlanon"."source"',
    "source in its schema": "select name from sqlanon.main.source",
    "source in upper case": "select name from SQLANON.SOURCE",
    "source in a subquery": "select age from sqlanon.source_rows"
    " where exists (select 1 from sqlanon.source where name = 'Ann')",
    "source beside": "select * from sqlanon.source_rows, lateral (select name from sqlanon.source)",
    "source in a union": "select age from sqlanon.source_rows"
    " union all select name from sqlanon.source",
    "source from first": "from sqlanon.source",
    "source as a table": "table sqlanon.source",
    "source summarized": "select max from (summarize sqlanon.source)",
    "source pivoted": "select * from (pivot sqlanon.source on name using count(*))",
    "source behind a cte of its name": "with source as (select 1) select * from SQLANON.source",
    "source behind a cte, in its schema": "with source as (select 1)"
    " select * from Sqlanon.main.source",
    "source in a recursive cte": "with recursive t as ("
    "select name from sqlanon.source union select name from t) select * from t",
    # the tables and files of the user
    "table": "select * from people",
    "table of another schema": "select * from main.people",
    "table of another catalog": "select * from hospital.main.people",
    "attached source": "select * from sqlanon_source.main.people",
    "cte of the table's name": "with people as (select * from people) select * from people",
    "cte in another scope": "select * from people"
    " where 1 in (with people as (select 1) select * from people)",
    "cte that comes later": "with t as (select * from people), people as (select 1)"
    " select * from t",
    "cte, but a schema": "with people as (select 1) select * from main.people",
    "cte, but a catalog": "with people as (select 1) select * from hospital.main.people",
    "cte, but an attached source": "with people as (select 1) select * from sqlanon_source.people",
    "working name in another catalog": "select * from hospital.sqlanon.source_rows",
    "file": "select * from 'people.csv'",
    "file by a reader": "select * from read_csv('people.csv')",
    "file by another reader": "select * from read_parquet('people.parquet')",
    "file as text": "select content from read_text('people.csv')",
    "file as text, in a column": "select (select max(content) from read_text('people.csv')) as x"
    " from sqlanon.source_rows",
    "file sniffed": "select * from sniff_csv('people.csv')",
    # what names relations in texts
    "query of a text": "select * from query('select name from sqlanon.source')",
    "table of a text": "select * from query_table('people')",
    "table of a text, in a list": "select * from query_table(['people'])",
    "texts of views": "select sql from duckdb_views()",
    "files of the folder": "select * from glob('*')",
    "the key": "select getvariable('sqlanon_pseudonym_key') as cost",
    "a variable": "select getvariable('names') as cost",
    # more than a select
    "end of the statement": "select 1) to 'x.csv'; copy (select * from sqlanon.source",
    "another statement": "select 1; copy sqlanon.source to 'x.csv'",
    "no select": "copy sqlanon.source to 'x.csv'",
    "unreadable": "select from where",
}


def cases(selects: dict[str, Any]) -> list[Any]:
    """The selects as parameters."""
    return [pytest.param(value, id=title) for title, value in selects.items()]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database in which a tampered select can be tried."""
    folder = tmp_path_factory.mktemp("database")
    (folder / "people.csv").write_text(PEOPLE)
    connection = duckdb.connect()
    connection.execute(f"set file_search_path = '{folder}'")
    connection.execute(f"create table people as from read_csv('{folder}/people.csv')")
    connection.execute(f"copy people to '{folder}/people.parquet' (format parquet)")
    for name in ("sqlanon", "sqlanon_source", "hospital"):
        connection.execute(f"attach ':memory:' as {name}")
    rows = "read_csv('people.csv', header = true, all_varchar = true)"
    connection.execute(f"create view sqlanon.source as from {rows}")
    connection.execute("create view sqlanon.source_rows as select age, town from sqlanon.source")
    connection.execute("create table sqlanon_source.people as from memory.people")
    connection.execute("create table hospital.main.people as from memory.people")
    connection.execute("create schema hospital.sqlanon")
    connection.execute("create table hospital.sqlanon.source_rows as from memory.people")
    connection.execute(f"set variable sqlanon_pseudonym_key = '{'k' * 20}'")
    with connection:
        yield connection


NO_SELECTS = (
    "two statements",
    "end of the statement",
    "another statement",
    "no select",
    "unreadable",
)


@pytest.mark.parametrize("title", [t for t in (*SOURCE_ROWS, *LATER) if t not in NO_SELECTS])
def test_tampering_would_work(title: str, database: duckdb.DuckDBPyConnection) -> None:
    sql = SOURCE_ROWS.get(title) or LATER[title]
    assert database.execute(sql).fetchall()


@pytest.mark.parametrize("sql", cases(SOURCE_ROWS))
def test_tampered_source_rows_are_refused(sql: str) -> None:
    plan, steps = honest()
    refused(plan, tampered(steps, "source_rows", sql))


@pytest.mark.parametrize(
    "step",
    [
        Step("other", "select * from sqlanon.source_rows", "copy", target="other.csv"),
        Step("release_of_others", "select 1 as one", "copy", target="staged.parquet"),
        Step("other", "attach 'other.duckdb' as other", "attach"),
    ],
    ids=lambda step: f"{step.kind} {step.name}",
)
@pytest.mark.parametrize("place", [0, 3])
def test_a_step_that_writes_elsewhere_is_refused(step: Step, place: int) -> None:
    plan, steps = honest()
    refused(plan, [*steps[:-place], step, *steps[-place:]] if place else [*steps, step])


@pytest.mark.parametrize("sql", cases(LATER))
def test_tampered_later_steps_are_refused(sql: str) -> None:
    plan, steps = honest()
    refused(plan, tampered(steps, "source_values", sql))


@pytest.mark.parametrize("name", ["hierarchy_of_town", "frequency_set", "release"])
def test_any_later_step_is_looked_at(name: str) -> None:
    plan, steps = honest()
    refused(plan, tampered(steps, name, LATER["source"]))


def test_missing_and_misplaced_steps_are_refused() -> None:
    plan, steps = honest()
    prove_no_identifier_flows(plan, steps)
    refused(plan, [step for step in steps if step.name != "source_rows"])
    refused(plan, [steps[0], *steps[2:], steps[1]])
    refused(plan, steps[1:])
    with pytest.raises(EngineError, match="no step that names the source's columns"):
        prove_no_identifier_flows(plan, steps[:1])


COPY = {"kind": "copy", "target": "leak.csv", "copy_options": "format csv"}
ADDED: dict[str, Step] = {
    "a database": Step("leak", "attach 'leak.duckdb' as leak", "attach"),
    "a copy of the source": Step("leak", "select * from sqlanon.source", **COPY),  # type: ignore[arg-type]
    "a copy called source": Step("source", "select * from sqlanon.source", **COPY),  # type: ignore[arg-type]
    "a copy called SOURCE": Step("SOURCE", "select * from sqlanon.source", **COPY),  # type: ignore[arg-type]
    "a copy of working rows": Step("leak", "select * from sqlanon.source_rows", **COPY),  # type: ignore[arg-type]
    "a second source": Step("source", "select name as age from sqlanon.source"),
}


@pytest.mark.parametrize("step", cases(ADDED))
def test_added_steps_are_refused(step: Step) -> None:
    plan = make()
    refused(plan, [*steps_of(plan), step])


@pytest.mark.parametrize(
    "sql",
    cases(
        {
            "a source that renames": "select * exclude (cost), name as cost"
            " from read_csv('people.csv')"
        }
    ),
)
def test_tampered_source_is_refused(sql: str) -> None:
    plan = make()
    refused(plan, tampered(steps_of(plan), "source", sql))


def test_there_are_as_many_cases_as_titles() -> None:
    assert len({*SOURCE_ROWS, *LATER, *ADDED}) == len(SOURCE_ROWS) + len(LATER) + len(ADDED) > 60


def test_message_names_the_step_and_no_value() -> None:
    plan = make()
    with pytest.raises(EngineError) as refusal:
        prove_no_identifier_flows(
            plan, tampered(steps_of(plan), "source_rows", SOURCE_ROWS["where"])
        )
    assert refusal.value.where == "step source_rows"
    assert "Ann" not in str(refusal.value)


def test_only_a_pseudonym_may_be_hashed() -> None:
    """The very hash of a pseudonym, of an identifier that the plan drops."""
    plan = make()
    key = "getvariable('sqlanon_pseudonym_key')"

    def hashed(name: str) -> str:
        return f"sha256({key} || sha256({key} || cast({name} as varchar))) as {name}"

    for name, is_allowed in (("case_id", True), ("name", False), ("ward", False)):
        sql = f"select {hashed(name)}, age, town, cost from sqlanon.source"
        steps = tampered(steps_of(plan), "source_rows", sql)
        if is_allowed:
            prove_no_identifier_flows(plan, steps)
        else:
            refused(plan, steps)


def test_a_step_that_is_made_twice_is_refused() -> None:
    plan = make()
    steps = steps_of(plan)
    for step in (steps[1], steps[-2]):
        with pytest.raises(EngineError, match="made twice"):
            prove_no_identifier_flows(plan, [*steps, replace(step, name=step.name.upper())])
