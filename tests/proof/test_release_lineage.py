"""A release that is one query: its columns are followed to the source, or it is refused.

Every attack here is a query that DuckDB executes and that publishes the columns of the plan.
"""

from __future__ import annotations

import itertools
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot
from sqlglot import exp

import sqlanon
from sqlanon.errors import EngineError
from sqlanon.plan.file import load_plan
from sqlanon.plan.plan import Plan
from sqlanon.proof import query_lineage
from sqlanon.proof.lineage import Lineage, prove_no_identifier_flows, prove_release_query
from sqlanon.source.hierarchy_files import resolve_hierarchies
from sqlanon.source.tables import source_steps
from sqlanon.sql.paths import written
from sqlanon.sql.step import Step
from tests.paths import ROOT
from tests.plan.plans import plan_of
from tests.support.searching import release_in_steps
from tests.support.secret_texts import KEY
from tests.support.tables import write_csv

EXAMPLES = ROOT / "examples"

RELEASE = """
with source as (
    select sex, born, zip, marital_status, diagnosis, cost
    from {reader}
),
generalized as (
    select
        source.sex,
        cast(year(cast(source.born as date)) // 10 * 10 as varchar) || 's' as born,
        substring(source.zip, 1, length(source.zip) - 2) || '**' as zip,
        '*' as marital_status,
        source.diagnosis,
        source.cost
    from source
),
classes as (
    select sex, born, zip, marital_status, count(*) as class_size,
        count(distinct diagnosis) as diagnosis_values
    from generalized
    group by sex, born, zip, marital_status
),
published_classes as (
    select sex, born, zip, marital_status
    from classes
    where class_size >= 5              -- k-anonymity
        and diagnosis_values >= 2      -- distinct l-diversity
)
select generalized.*
from generalized
inner join published_classes
    on published_classes.sex is not distinct from generalized.sex
    and published_classes.born is not distinct from generalized.born
    and published_classes.zip is not distinct from generalized.zip
    and published_classes.marital_status is not distinct from generalized.marital_status
order by all
"""


@pytest.fixture(autouse=True)
def own_source(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clinic in the current folder."""
    monkeypatch.setenv("SQLANON_PSEUDONYM_KEY", KEY)
    shutil.copy(EXAMPLES / "clinic/plan.yml", "plan.yml")
    with (EXAMPLES / "clinic/patients.csv").open(encoding="utf-8") as patients:
        Path("patients.csv").write_text("".join(itertools.islice(patients, 301)), encoding="utf-8")


def reader_of(plan: Plan) -> str:
    """What stands after `from` to read the source."""
    return source_steps(plan)[0].sql.split("\nfrom ", 1)[1].removesuffix(" as source")


def release_of(plan: Plan, sql: str = RELEASE) -> Step:
    """A release that reads the source of a plan."""
    return Step("release", sql.replace("{reader}", reader_of(plan)), "copy", target="out.parquet")


def lineage(plan: Plan, sql: str = RELEASE) -> Lineage:
    """What the proof finds of a program that is only this release."""
    return prove_no_identifier_flows(plan, [release_of(plan, sql)], resolve_hierarchies(plan, None))


def refused(plan: Plan, *steps: Step | str) -> EngineError:
    made = [release_of(plan, step) if isinstance(step, str) else step for step in steps]
    with pytest.raises(EngineError, match="cannot be proven that no identifier") as refusal:
        prove_no_identifier_flows(plan, made, resolve_hierarchies(plan, None))
    return refusal.value


def rows_of(sql: str) -> list[tuple[Any, ...]]:
    """Its rows in a bare DuckDB."""
    return duckdb.connect().execute(written(sql)).fetchall()


def test_the_release_of_the_clinic() -> None:
    plan = load_plan("plan.yml")
    shutil.copy(EXAMPLES / "clinic/patients.csv", "patients.csv")
    published = sqlanon.run("plan.yml").published.fetchall()
    assert sorted(rows_of(release_of(plan).sql)) == sorted(published), "1,945 rows, by hand"
    assert len(published) == 1945
    found = lineage(plan)
    kept = ("sex", "born", "zip", "diagnosis", "cost")
    assert found.sources == {name: [name] for name in kept} | {"marital_status": []}
    shown = {column.name: column.expression for column in found.columns}
    assert shown["sex"] == "sex"
    assert shown["born"] == "cast(year(cast(born as date)) // 10 * 10 as text) || 's'"
    assert shown["marital_status"] == "'*'"
    deciding = [decider.name for decider in found.deciding]
    assert deciding == ["sex", "born", "zip", "marital_status", "diagnosis"]
    (tree,) = sqlglot.parse(release_of(plan).sql, dialect="duckdb")
    assert isinstance(tree, exp.Query)
    proven = prove_release_query(plan, tree, {}, release_of(plan))
    assert proven.rows == {"sex", "born", "zip", "diagnosis"}, "'*' decides nothing"


def swapped(*pairs: tuple[str, str]) -> str:
    """The release with other parts."""
    sql = RELEASE
    for old, new in pairs:
        assert old in sql
        sql = sql.replace(old, new)
    return sql


ALL = "sex, born, zip, marital_status, diagnosis, cost"
COLUMNS = f"select {ALL}\n"
COST = "        source.cost\n"
END = "order by all\n"
DIAGNOSIS = "        source.diagnosis,\n"
ZIP = "        substring(source.zip, 1, length(source.zip) - 2) || '**' as zip,\n"


def with_cost(value: str) -> str:
    """The release with another value that is called cost."""
    return swapped((COST, f"        {value} as cost\n"))


def read_from(relation: str) -> str:
    """The release with something else in place of the rows of the source."""
    return swapped(("    from source\n),", f"    from {relation}\n),"))


def ended(by: str) -> str:
    """The release with another end."""
    return swapped((END, f"{by}\n"))


def published(columns: str) -> str:
    """The release with other columns than those of its table expression."""
    return swapped(("select generalized.*\n", f"select {columns}\n"))


def diagnosed(value: str, part: str = "", source: str = "source") -> str:
    """The release with a value beside the diagnosis, and one table expression more for it."""
    return swapped(
        (DIAGNOSIS, f"        source.diagnosis || {value} as diagnosis,\n"),
        ("generalized as (", f"{part},\ngeneralized as (" if part else "generalized as ("),
        ("    from source\n),\nclasses", f"    from {source} as source\n),\nclasses"),
    )


def named(value: str, column: str) -> str:
    """The same, and the column is one more of what stands for the source."""
    return diagnosed(value, f"named as (select *, {column} from source)", "named")


def in_order(key: str) -> str:
    """The release with the number of a row, in this order, for the diagnosis."""
    sql = read_from(f"(select * from source order by {key}) as source")
    number = "        cast(row_number() over () as varchar) as diagnosis,\n"
    return sql.replace(DIAGNOSIS, number)


COUNTED = "(select count(*) from read_csv('patients.csv') where name > 'M')"
LIMIT = ended(f"order by all limit {COUNTED}")
OFFSET = ended(f"order by all offset {COUNTED}")
SELF = (
    "(with recursive kept (a, b) as (select max(cost), '' from source union all"
    " select '', kept.a from kept where kept.b = '') select max(b) from kept)"
)
ATTACKS: dict[str, str] = {
    "identifier through a cte": with_cost("source.name").replace(COLUMNS, f"select {ALL}, name\n"),
    "smallest identifier": with_cost("(select min(name) from {reader})"),
    "filter by an identifier": swapped(("from {reader}", "from {reader} where name > 'M'")),
    "the source twice": read_from("source, (select zip from {reader} limit 1) as t"),
    "the source joined with itself": read_from(
        "source semi join (select cost from {reader}) as t on t.cost = source.cost"
    ),
    "star of the source": swapped((COLUMNS, "select *\n")),
    "whole row as json": with_cost("to_json(source)"),
    "whole row of a cte": read_from("source as s")
    .replace("source.", "s.")
    .replace("s.cost\n", "cast(s as varchar) as cost\n"),
    "row in a subquery": with_cost("(select to_json(s) from (select source.*) as s)"),
    "another file": with_cost("(select max(content) from read_text('patients.csv'))"),
    "the file by another reader": with_cost("(select max(name) from read_csv('patients.csv'))"),
    "renamed columns": swapped(
        ("{reader}", "{reader} as t (cost, name, sex, born, zip, marital_status, diagnosis, x)")
    ),
    "another attribute for a column": with_cost("source.diagnosis"),
    "another attribute for a label": swapped(("        '*' as", "        left(source.cost, 1) as")),
    "rows by what promises nothing": ended("qualify count(*) over (partition by cost) > 1"),
    "rows by a column, in a join": ended("    and generalized.cost < '5'"),
    "rows by a column, in a subquery": ended(
        "where exists (select 1 from generalized as g where g.cost < generalized.cost)"
    ),
    "first rows by a column": ended("order by cost limit 5"),
    "one row of a value": published("distinct on (cost) generalized.*"),
    "a sample": swapped(("from generalized\ninner", "from generalized tablesample 100%\ninner")),
    "a variable": with_cost("getvariable('cost')"),
    "other columns": published("generalized.*, 1 as more"),
    "fewer columns": published("generalized.sex"),
    "columns left out by name": published("generalized.* exclude (cost), 1 as cost"),
    "pivoted": read_from("(unpivot source on cost into name n value cost) as source"),
    "a limit by an identifier": LIMIT,
    "an offset by an identifier": OFFSET,
    "the order of a part": in_order("cost"),
    "the order of a part, by a number": in_order("6"),
    "one row of a value, by a number": published(
        "distinct on (generalized.sex) generalized.*"
    ).replace(END, "order by (6)\n"),
    "another attribute in a list of values": diagnosed("(values ((select max(cost) from source)))"),
    "a list of values with more columns": diagnosed(
        "(select max(q) from shifted)",
        "shifted (p, q) as (select *, '*' as z from (values ('*',"
        " (select max(cost) from source))) as t (x))",
    ),
    "a column of a list of values that has no name": diagnosed(
        "(select col1 from (values ('*', (select max(cost) from source))) as t (x))"
    ),
    "a table expression that reads itself": diagnosed(SELF, "kept as (select '*' as a, '' as b)"),
    "a table expression that reads itself, and no other": diagnosed(SELF),
    "a row for a column around it": with_cost(
        "(select cast(cost as varchar) from (select max(diagnosis) as x from source) as cost)"
    ),
    "a row of a part without a name": named(
        "(select cast(unnamed_subquery as varchar) from (select max(cost) as x from source))",
        "'*' as unnamed_subquery",
    ),
    "a star of merged columns": swapped(
        (ZIP, "        (select max(d) from merged) as zip,\n"),
        (
            "generalized as (",
            "merged (a, b, c, d) as (select * from (select sex, '*' as one from source) as l"
            " inner join (select sex, '*' as two, cost from source) as r using (sex)),\n"
            "generalized as (",
        ),
    ),
    "a column by the name that its twin gets": diagnosed(
        "(select max(x_1) from twins)",
        "twins as (select '*' as x, cost as x, '*' as x_1 from source)",
    ),
    "a column by a name given twice": with_cost(
        "(select max(t.cost) from (select sex, cost from source) as t (cost))"
    ),
    "a column of the source that is read twice": swapped(
        ("with source as", f"with source ({ALL}) as"),
        (COLUMNS, COLUMNS.replace("cost", "marital_status, cost")),
    ),
    "what may be a part of another column": swapped(
        ("diagnosis, cost\n", "diagnosis, t.cost\n"), ("{reader}", "{reader} as t")
    ),
    "a column without a name": named(
        '(select "max(cost)" from (select max(cost) from source) as t)', "'*' as \"max(cost)\""
    ),
    "a relation beside, not around": diagnosed(
        "(select max(b.y) from (select cost as diagnosis from source) as source,"
        " (select source.diagnosis as y) as b)"
    ),
    "a part of a column, not a relation around": diagnosed(
        "(select source.diagnosis from"
        " (select {'diagnosis': max(cost)} as source from source) as t)"
    ),
    "a part of a part of a column": diagnosed(
        "(select s.source.diagnosis from"
        " (select {'source': {'diagnosis': max(cost)}} as s from source) as t)"
    ),
    "a call behind its column": diagnosed("source.cost.upper()"),
    "a call behind its column, in brackets": diagnosed("(cost).upper()"),
    "a column for a unit": named(
        "cast(datetrunc(u, date '2020-02-02') as varchar)",
        "case when cost < '5' then 'year' else 'day' end as u",
    ),
    "one column that becomes several": diagnosed(
        "(select r from shifted)",
        "shifted (p, q, r) as (select unnest({'a': 1, 'b': 1}), max(cost), '*' as z from source)",
    ),
    **{
        f"how many values a column has, by its number in {form}": diagnosed(
            f"(select '' || count(*) from (select cost from source group by {form}) as t)"
        )
        for form in ("cube (1)", "rollup (1)", "grouping sets ((1), ())")
    },
    "rows by how many are made of one": read_from(
        "(select *, 1 + unnest(range(length(cost))) as n from source) as source"
    ),
    "the source beside itself": read_from("source cross join {reader} as other"),
    "two relations of one name": diagnosed(
        "(select cast(count(*) as varchar) from (select '*' as x) as t"
        " cross join (select cost as y from source) as t)"
    ),
    "two table expressions that differ in upper case": diagnosed(
        '(select x from "é")',
        '"é" as (select max(cost) as x from source), "É" as (select \'*\' as x)',
    ),
}


@pytest.mark.parametrize("title", ATTACKS)
def test_an_attack_works_and_is_refused(title: str) -> None:
    plan = load_plan("plan.yml")
    assert rows_of(release_of(plan, ATTACKS[title]).sql)
    refused(plan, ATTACKS[title])


@pytest.mark.parametrize(
    "sql",
    [
        swapped(("diagnosis, cost\n", "diagnosis, cost, '*' as more\n")),
        swapped(("generalized as (", "generalized (a, b, c, d, e, f, g) as (")),
        ended("order by 7"),
        read_from("(describe source) as source"),
        swapped(("from {reader}", "from {reader} as cost")),  # a row, if the column were missing
        swapped(("status\n),\npublished", "status with totals\n),\npublished")),
        diagnosed("(select max(x) from (select '*' as x union select cost, '*' from source) as t)"),
    ],
)
def test_what_is_no_release_is_refused(sql: str) -> None:
    refused(load_plan("plan.yml"), sql)


HONEST = {
    "a subquery of the classes": swapped(
        (
            RELEASE[RELEASE.index("inner join") : RELEASE.index("order by")],
            "where (generalized.sex, generalized.zip) in (select (sex, zip)"
            " from published_classes)\n",
        )
    ),
    "windows": swapped(
        (
            "inner join published_classes\n",
            "cross join (select count(*) as n from published_classes) as counted\n"
            "inner join published_classes\n",
        )
    ),
    "derived table": read_from("(select * from source) as source").replace(
        "generalized as (", f"generalized ({ALL}) as ("
    ),
    "numbers": swapped(("group by sex, born, zip, marital_status\n", "group by 1, 2, 3, 4\n")),
    "united": read_from(
        "(select * from source where sex = 'F' union all"
        " select * from source where sex = 'M') as source"
    ).replace("from {reader}", "from {reader} as patients"),
    "a query of the plan": swapped(("{reader}", "{reader} as input")),
}


@pytest.mark.parametrize("title", HONEST)
def test_other_honest_forms_pass(title: str) -> None:
    query = {"query": "select * from read_csv('patients.csv') where cost <> '1'"}
    keys = load_plan("plan.yml").model_dump(mode="json", exclude_unset=True)
    plan = load_plan({**keys, "source": query if "query" in title else "patients.csv"})
    assert rows_of(release_of(plan, HONEST[title]).sql)
    found = lineage(plan, HONEST[title]).sources
    assert (found["cost"], found["sex"]) == (["cost"], ["sex"])


def test_a_hierarchy_file_is_joined() -> None:
    """The label depends on the value by which it was joined, in the release of the package, too."""
    shutil.copy(EXAMPLES.parent / "hierarchies/adult/marital-status.csv", "marital.csv")
    options = sqlanon.Options(
        overrides=["columns.marital_status.hierarchy=marital.csv", "privacy.0.k=2"]
    )
    plan = load_plan("plan.yml", options.overrides)
    assert 0 < sqlanon.solve("plan.yml", options).published_levels["marital_status"] < 3
    program, _ = sqlanon.compile("plan.yml", options)
    found = sqlanon.lineage("plan.yml", options)
    assert found.sources["marital_status"] == ["marital_status"]
    (column,) = [c for c in found.columns if c.name == "marital_status"]
    assert column.expression.startswith("level_")
    assert "marital.csv" in column.how
    names = [step.name for step in program.steps]
    steps = list(program.steps[: names.index("proof_of_labels")])
    check, release = program.steps[len(steps)], program.steps[names.index("release")]
    for step in (release, check):
        prove_no_identifier_flows(plan, [*steps, step], resolve_hierarchies(plan, None))
    for step, old, new in (
        (check, "marital.csv", "patients.csv"),
        (release, "marital.csv", "patients.csv"),
        (release, "source.marital_status\n", "source.cost\n"),
        (release, "source.diagnosis,", "source.name as diagnosis,"),
    ):
        assert old in step.sql
        refused(plan, *steps, replace(step, sql=step.sql.replace(old, new)))


def test_labels_of_ordered_rows_are_those_of_their_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    release_in_steps(monkeypatch)
    plan = load_plan("plan.yml")
    sqlanon.solve(plan)
    *steps, release = itertools.takewhile(
        lambda step: step.name != "published_rows", sqlanon.compile(plan)[0].steps
    )
    prove_no_identifier_flows(plan, [*steps, release])
    for old, new in (
        ("labels.sex[ordered_rows.place]", "labels.sex[ordered_rows.place + 1]"),
        ("labels.sex[ordered_rows.place]", "labels.sex[1]"),
        ("list(cast(sex as", "list(cast(born as"),
        ("sqlanon.label_of_sex) order by place", "sqlanon.label_of_sex) order by sex"),
        ("from sqlanon.published_classes", "from sqlanon.published_classes where place > 1"),
        ("ordered_rows.cost", "ordered_rows.diagnosis as cost"),
    ):
        assert old in release.sql
        refused(plan, *steps, replace(release, sql=release.sql.replace(old, new)))
    ordered = next(step for step in steps if step.name == "ordered_rows")
    for place in ("length(generalized.diagnosis)", "published_classes.place + 1", "1"):
        sql = ordered.sql.replace("published_classes.place", f"{place} as place", 1)
        made = [replace(step, sql=sql) if step is ordered else step for step in steps]
        refused(plan, *made, release)


def test_pseudonyms_stars_and_missing_values() -> None:
    columns = {
        "patient_id": {"role": "identifier", "action": "pseudonym"},
        "name": {"role": "identifier", "action": "star"},
        "sex": "quasi-identifier",
        "diagnosis": "sensitive",
        **dict.fromkeys(("born", "zip", "marital_status", "cost"), "insensitive"),
    }
    promises = [{"model": "k-anonymity", "k": 5}]
    plan = load_plan(plan_of(columns, "patients.csv", missing="drop-rows", privacy=promises))
    key = "getvariable('sqlanon_pseudonym_key')"
    hashed = f"sha256({key} || sha256({key} || cast(patient_id as varchar))) as patient_id"
    sql = f"""
with source as (
    select {hashed}, '*' as name, sex, diagnosis, born, zip, marital_status, cost
    from {{reader}}
    where sex is not null and diagnosis is not null
),
classes as (select sex from source group by sex having count(distinct patient_id) >= 5)
select source.* from source semi join classes on classes.sex = source.sex
"""
    refused(plan, sql)  # persons are not counted in this plan, so no row depends on them
    sql = sql.replace("distinct patient_id", "*")
    found = lineage(plan, sql)
    assert found.sources["patient_id"] == ["patient_id"]
    assert found.sources["name"] == []
    assert {column.name: column.how for column in found.columns}["patient_id"] == "keyed hash"
    why = {decider.name: decider.why for decider in found.deciding}
    assert why["diagnosis"] == "rows without a value are not published"
    for old, new in (
        (hashed, "sha256(patient_id) as patient_id"),
        (hashed, hashed.replace("(patient_id", "(name")),
        ("diagnosis is not null", "cost is not null"),
        ("diagnosis is not null", "diagnosis > 'flu'"),
    ):
        refused(plan, sql.replace(old, new))


def test_other_steps_still_read_only_what_was_made() -> None:
    plan = load_plan("plan.yml")
    step = release_of(plan)
    assert "reads by" in refused(plan, replace(step, name="other", kind="table"), step).what
    made = "made as (select t.label from sqlanon.chosen_node as t),\ngeneralized as ("
    table = swapped(("generalized as (", made))
    refused(plan, table)
    prove_no_identifier_flows(plan, [Step("chosen_node", "select 1"), release_of(plan, table)])


PEOPLE = swapped(
    ("generalized as (", "people as (select sex, born, zip, marital_status from {people}),\n"
     "generalized as ("),
    (END, "    and exists (select 1 from people where people.sex = generalized.sex)\n"
     "order by all\n"),
)  # fmt: skip
"""The release, of those whose sex is in the population."""

READ = "people as (select sex, born, zip, marital_status from {people})"

POPULATION_ATTACKS: dict[str, str] = {
    **{
        title: PEOPLE.replace(READ, f"people {part}")
        for title, part in {
            "star of the population": "as (select * from {people})",
            "star of the population, renamed": "(cost, name, sex) as (select * from {people})",
            "columns of the population by their places": "as (select sex, born, zip from {people}"
            " as p (a, sex, b, born, zip))",
            "another column of the population": "as (select name, sex from {people})",
            "a column of the population, not made before": "as (select '*' as name, name as sex"
            " from {people})",
            "a row of the population": "as (select cast(people as varchar) as sex from {people}"
            " as people)",
            "the population as one of its columns": "as (select sex from {people} as sex)",
            "the population, filtered": "as (select sex from {people} where name > 'M')",
            "the population, joined": "as (select p.sex from source as s cross join {people} as p)",
            "the population in an expression": "as (select (select cast(count(*) as varchar)"
            " from read_csv('patients.csv')) as sex from {people})",
            "a column of the population without a name": "as (select sex, upper(sex)"
            " from {people})",
            "the population left out": "as (select sex from source)",
        }.items()
    },
    "a column of the population, not around it": PEOPLE.replace(
        DIAGNOSIS, "        (select max(diagnosis) from {people}) as diagnosis,\n"
    ),
    "a quasi-identifier of the population for another attribute": PEOPLE.replace(
        DIAGNOSIS, "        diagnosis || (select max(people.zip) from people) as diagnosis,\n"
    ),
}


def with_population(sql: str, population: Any = "people.csv") -> tuple[Plan, str]:
    """A plan with a population, and a release that reads it."""
    shutil.copy("patients.csv", "people.csv")
    plan = load_plan("plan.yml", {"population": population})
    (made,) = [step for step in source_steps(plan) if step.name == "population"]
    reader = made.sql.split("\nfrom ", 1)[1]
    return plan, sql.replace("{people}", reader)


@pytest.mark.parametrize("title", POPULATION_ATTACKS)
def test_other_columns_of_the_population_are_refused(title: str) -> None:
    plan, sql = with_population(PEOPLE)
    assert lineage(plan, sql).sources["cost"] == ["cost"]
    assert POPULATION_ATTACKS[title] != PEOPLE
    plan, sql = with_population(POPULATION_ATTACKS[title])
    assert duckdb.connect().execute(written(release_of(plan, sql).sql)).description
    refused(plan, sql)


def test_a_population_is_read_by_functions_that_the_plan_may_call() -> None:
    query = "select printf('%s', sex) as sex, born, zip, marital_status from 'people.json'"
    for population in ("people.json", {"query": query}):
        plan, sql = with_population(PEOPLE, population)
        assert lineage(plan, sql).sources["cost"] == ["cost"]
        refused(plan, sql.replace("(select sex,", "(select printf('%s', sex) as sex,", 1))


def test_what_a_plan_wrote_reads_no_table_expression_of_the_release() -> None:
    """A hierarchy's query, or the population, that reads a table whose name a part has, too."""
    labels = "select zip, '*' from source"
    keys = sqlanon.load_plan("plan.yml").model_dump(mode="json", exclude_unset=True)
    rule = {"query": labels, "columns": 2}
    keys["columns"]["zip"] = {"role": "quasi-identifier", "hierarchy": rule}
    plan = load_plan(keys)
    read = f"labels as (select value from (\n{labels}\n) as q (value, label)),\n"
    sql = swapped(("generalized as (", f"{read}generalized as ("))
    assert rows_of(release_of(plan, sql).sql)
    assert "its names may mean others" in refused(plan, sql).what
    sql = sql.replace("with source as", "with rows_of_source as").replace(
        "from source\n),\nclasses", "from rows_of_source as source\n),\nclasses"
    )
    lineage(plan, sql)
    del keys["columns"]["zip"]["hierarchy"]
    for population, read, why in (
        ({"table": "source"}, "source", "does not read the population"),
        ({"query": "select * from source"}, "(select * from source) as q", "may mean others"),
        ({"query": "select * from source, b"}, "(select * from source, b) as q", "may mean others"),
    ):
        plan = load_plan({**keys, "population": population})
        assert why in refused(plan, PEOPLE.replace("{people}", read)).what


def test_a_part_that_was_not_followed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if the proof knew a clause, and forgot to look into it."""
    clauses = query_lineage._CLAUSES
    known = clauses[exp.Select] | {"limit", "offset"}
    monkeypatch.setattr(query_lineage, "_CLAUSES", {**clauses, exp.Select: known})
    plan = load_plan("plan.yml")
    lineage(plan, RELEASE + "limit 5\n")
    for attack in (LIMIT, OFFSET):
        assert "has a part that was not followed" in refused(plan, attack).what


@pytest.mark.usefixtures("folder")
def test_persons_rows_are_ordered_by_a_column_that_is_called_all() -> None:
    rows = [(f"p{n // 2}", "x", f"{n * 7 % 8}") for n in range(8)]
    write_csv("rows.csv", [("person", "town", "all"), *rows])
    columns = {"person": "identifier", "town": "quasi-identifier", "all": "sensitive"}
    sqlanon.run(plan_of(columns, "rows.csv", unit="person"))
    assert duckdb.execute("from 'out.parquet'").fetchall() == [("x", f"{n}", 4) for n in range(8)]
