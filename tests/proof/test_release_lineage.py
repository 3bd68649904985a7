"""A release that is one query: its columns are followed to the source, or it is refused.

Every attack here is a query that DuckDB executes and that publishes the columns of the plan.
"""

from __future__ import annotations

import ast
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
from sqlanon.families import release_by_place
from sqlanon.plan.file import load_plan
from sqlanon.plan.plan import Plan
from sqlanon.proof import query_lineage
from sqlanon.proof.lineage import Lineage, prove_no_identifier_flows, prove_release_query
from sqlanon.source.hierarchy_files import resolve_hierarchies
from sqlanon.source.tables import source_steps
from sqlanon.sql.paths import written
from sqlanon.sql.step import Step
from tests.paths import ROOT
from tests.support.secret_texts import KEY

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
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the clinic."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SQLANON_PSEUDONYM_KEY", KEY)
    for name in ("plan.yml", "patients.csv"):
        shutil.copy(EXAMPLES / "clinic" / name, name)
    return tmp_path


def reader_of(plan: Plan) -> str:
    """What stands after `from` to read the source."""
    return source_steps(plan)[0].sql.split("\nfrom ", 1)[1].removesuffix(" as source")


def release_of(plan: Plan, sql: str = RELEASE) -> Step:
    """A release that reads the source of a plan."""
    return Step("release", sql.replace("{reader}", reader_of(plan)), "copy", target="out.parquet")


def lineage(plan: Plan, sql: str = RELEASE) -> Lineage:
    """What the proof finds of a program that is only this release."""
    return prove_no_identifier_flows(plan, [release_of(plan, sql)], resolve_hierarchies(plan, None))


def refused(plan: Plan, sql: str) -> EngineError:
    with pytest.raises(EngineError, match="cannot be proven that no identifier") as refusal:
        lineage(plan, sql)
    return refusal.value


def rows_of(sql: str) -> list[tuple[Any, ...]]:
    """Its rows in a bare DuckDB."""
    return duckdb.connect().execute(written(sql)).fetchall()


def test_the_release_of_the_clinic() -> None:
    plan = load_plan("plan.yml")
    published = sqlanon.run("plan.yml").published.fetchall()
    assert sorted(rows_of(release_of(plan).sql)) == sorted(published), "1,945 rows, by hand"
    assert len(published) == 1945
    found = lineage(plan)
    assert found.sources == {
        "sex": ["sex"],
        "born": ["born"],
        "zip": ["zip"],
        "marital_status": [],
        "diagnosis": ["diagnosis"],
        "cost": ["cost"],
    }
    shown = {column.name: column.expression for column in found.columns}
    assert shown["sex"] == "sex"
    assert shown["born"] == "cast(year(cast(born as date)) // 10 * 10 as text) || 's'"
    assert shown["marital_status"] == "'*'"
    assert [decider.name for decider in found.deciding] == [
        "sex", "born", "zip", "marital_status", "diagnosis",
    ]  # fmt: skip
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


COLUMNS = "select sex, born, zip, marital_status, diagnosis, cost\n"
COST = "        source.cost\n"
END = "order by all\n"

DIAGNOSIS = "        source.diagnosis,\n"
ZIP = "        substring(source.zip, 1, length(source.zip) - 2) || '**' as zip,\n"


def diagnosed(value: str, part: str = "", source: str = "source") -> str:
    """The release with a value beside the diagnosis, and one table expression more for it."""
    return swapped(
        (DIAGNOSIS, f"        source.diagnosis || {value} as diagnosis,\n"),
        ("generalized as (", f"{part},\ngeneralized as (" if part else "generalized as ("),
        ("    from source\n),\nclasses", f"    from {source} as source\n),\nclasses"),
    )


ATTACKS: dict[str, str] = {
    "identifier through a cte": swapped(
        (COLUMNS, COLUMNS.replace("cost", "cost, name")), (COST, "        source.name as cost\n")
    ),
    "identifier renamed": swapped((COLUMNS, COLUMNS.replace("cost", "name as cost"))),
    "identifier in an expression": swapped(
        (COLUMNS, COLUMNS.replace("cost", "cost || name as cost"))
    ),
    "smallest identifier": swapped(
        (COST, "        (select min(name) from {reader}) as cost\n")
    ),
    "order of an identifier": swapped(
        (COLUMNS, COLUMNS.replace("cost", "row_number() over (order by name) as cost"))
    ),
    "filter by an identifier": swapped(
        ("from {reader}\n", "from {reader}\n    where name > 'M'\n")
    ),
    "identifier that is not missing": swapped(
        ("from {reader}\n", "from {reader}\n    where name is not null\n")
    ),
    "order by an identifier": swapped(("from {reader}\n", "from {reader}\n    order by name\n")),
    "the source twice": swapped(
        ("from source\n", "from source, (select zip from {reader} limit 1) as t\n")
    ),
    "the source joined with itself": swapped(
        ("from source\n),\nclasses", "from source semi join (select cost from {reader}) as t"
         " on t.cost = source.cost\n),\nclasses")
    ),
    "star of the source": swapped((COLUMNS, "select *\n")),
    "columns of a pattern": swapped((COLUMNS, COLUMNS.replace("cost", "columns('co.*')"))),
    "position": swapped((COLUMNS, COLUMNS.replace("cost", "#2 as cost"))),
    "whole row": swapped((COST, "        source as cost\n")),
    "whole row as json": swapped((COST, "        to_json(source) as cost\n")),
    "whole row of a cte": swapped(
        ("    from source\n),", "    from source as s\n),"), ("source.", "s."),
        ("s.cost\n", "cast(s as varchar) as cost\n"),
    ),
    "row in a subquery": swapped((COST, "        (select to_json(s) from (select source.*) as s)"
                                  " as cost\n")),
    "another file": swapped(
        (COST, "        (select max(content) from read_text('patients.csv')) as cost\n")
    ),
    "the file by another reader": swapped(
        (COST, "        (select max(name) from read_csv('patients.csv')) as cost\n")
    ),
    "the file by its name": swapped(
        (COST, "        (select max(name) from 'patients.csv') as cost\n")
    ),
    "renamed columns": swapped(
        ("    from {reader}\n", "    from {reader} as t (cost, name, sex, born, zip,"
         " marital_status, diagnosis, patient_id)\n"),
    ),
    "another attribute for a column": swapped((COST, "        source.diagnosis as cost\n")),
    "another attribute for a label": swapped(("        '*' as", "        left(source.cost, 1) as")),
    "rows by what promises nothing": swapped(
        (END, "qualify count(*) over (partition by cost) > 1\n")
    ),
    "rows by a column, in a join": swapped(
        (END, "    and generalized.cost < '5'\n")
    ),
    "rows by a column, in a subquery": swapped(
        (END, "where exists (select 1 from generalized as g where g.cost < generalized.cost)\n")
    ),
    "first rows by a column": swapped((END, "order by cost limit 5\n")),
    "one row of a value": swapped(
        ("select generalized.*\n", "select distinct on (cost) generalized.*\n")
    ),
    "a sample": swapped(("from generalized\ninner", "from generalized tablesample 100%\ninner")),
    "a variable": swapped((COST, "        getvariable('cost') as cost\n")),
    "no source": "select 'F' as sex, '' as born, '' as zip, '' as marital_status, '' as diagnosis,"
    " '' as cost",
    "other columns": swapped(("select generalized.*\n", "select generalized.*, 1 as more\n")),
    "fewer columns": swapped(("select generalized.*\n", "select generalized.sex\n")),
    "columns left out by name": swapped(
        ("select generalized.*\n", "select generalized.* exclude (cost), 1 as cost\n")
    ),
    "united by name": swapped(
        ("    from source\n),", "    from source\n    union all by name select sex, born, zip,"
         " marital_status, diagnosis, cost from source\n),")
    ),
    "pivoted": swapped(
        ("    from source\n),", "    from (unpivot source on cost into name n value cost)"
         " as source\n),")
    ),
    "a limit by an identifier": swapped(
        (END, "order by all limit (select count(*) from read_csv('patients.csv')"
         " where name > 'M')\n")
    ),
    "an offset by an identifier": swapped(
        (END, "order by all offset (select count(*) from read_csv('patients.csv')"
         " where name > 'Z')\n")
    ),
    "a limit within a part": diagnosed("(select max(diagnosis) from (select diagnosis from source"
                                       " limit (select max(length(cost)) from source)) as t)"),
    "the order of a part": swapped(
        (DIAGNOSIS, "        cast(row_number() over () as varchar) as diagnosis,\n"),
        ("    from source\n),", "    from (select * from source order by cost) as source\n),"),
    ),
    "the order of a part, by a number": swapped(
        (DIAGNOSIS, "        cast(row_number() over () as varchar) as diagnosis,\n"),
        ("    from source\n),", "    from (select * from source order by 6) as source\n),"),
    ),
    "one row of a value, by a number": swapped(
        ("select generalized.*\n", "select distinct on (generalized.sex) generalized.*\n"),
        (END, "order by (6)\n"),
    ),
    "another attribute in a list of values": diagnosed("(values ((select max(cost) from source)))"),
    "a list of values with more columns": diagnosed(
        "(select max(q) from shifted)", "shifted (p, q) as (select *, '*' as z from (values ('*',"
        " (select max(cost) from source))) as t (x))"
    ),
    "a column of a list of values that has no name": diagnosed(
        "(select col1 from (values ('*', (select max(cost) from source))) as t (x))"
    ),
    "a table expression that reads itself": diagnosed(
        "(with recursive kept (a, b) as (select max(cost), '' from source union all"
        " select '', kept.a from kept where kept.b = '') select max(b) from kept)",
        "kept as (select '*' as a, '' as b)"
    ),
    "a row for a column around it": swapped(
        (COST, "        (select cast(cost as varchar) from (select max(diagnosis) as x from source)"
         " as cost) as cost\n")
    ),
    "a row of a part without a name": diagnosed(
        "(select cast(unnamed_subquery as varchar) from (select max(cost) as x from source))",
        "named as (select *, '*' as unnamed_subquery from source)", "named"
    ),
    "a star of merged columns": swapped(
        (ZIP, "        (select max(d) from merged) as zip,\n"),
        ("generalized as (", "merged (a, b, c, d) as (select * from (select sex, '*' as one"
         " from source) as l inner join (select sex, '*' as two, cost from source) as r"
         " using (sex)),\ngeneralized as ("),
    ),
    "a column by the name that its twin gets": diagnosed(
        "(select max(x_1) from twins)",
        "twins as (select '*' as x, cost as x, '*' as x_1 from source)"
    ),
    "a column by a name given twice": swapped(
        (COST, "        (select max(t.cost) from (select sex, cost from source) as t (cost))"
         " as cost\n")
    ),
    "a column of the source that is read twice": swapped(
        ("with source as", "with source (sex, born, zip, marital_status, diagnosis, cost) as"),
        (COLUMNS, "select sex, born, zip, marital_status, marital_status, diagnosis, cost\n"),
    ),
    "a column without a name": diagnosed(
        '(select "max(cost)" from (select max(cost) from source) as t)',
        "named as (select *, '*' as \"max(cost)\" from source)", "named"
    ),
    "a relation beside, not around": diagnosed(
        "(select max(b.y) from (select cost as diagnosis from source) as source,"
        " (select source.diagnosis as y) as b)"
    ),
    "a part of a column, not a relation around": diagnosed(
        "(select source.diagnosis from (select {'diagnosis': max(cost)} as source from source)"
        " as t)"
    ),
    "a part of a part of a column": diagnosed(
        "(select s.source.diagnosis from"
        " (select {'source': {'diagnosis': max(cost)}} as s from source) as t)"
    ),
    "a call behind its column": diagnosed("source.cost.upper()"),
    "a call behind its column, in brackets": diagnosed("(cost).upper()"),
    "a column for a unit": diagnosed(
        "cast(datetrunc(u, date '2020-02-02') as varchar)",
        "named as (select *, case when cost < '5' then 'year' else 'day' end as u from source)",
        "named"
    ),
    "one column that becomes several": diagnosed(
        "(select max(q) from shifted)",
        "shifted (p, q) as (select unnest({'a': '*', 'b': max(cost)}), '*' as z from source)"
    ),
    **{
        f"how many values a column has, by its number in {form}": diagnosed(
            "(select cast(count(*) as varchar) from"
            f" (select cost from source group by {form}) as t)"
        )
        for form in ("cube (1)", "rollup (1)", "grouping sets ((1), ())")
    },
    "rows by how many are made of one": swapped(
        ("    from source\n),", "    from (select *, 1 + unnest(range(length(cost))) as n"
         " from source) as source\n),")
    ),
    "a table expression that reads itself, and no other": diagnosed(
        "(with recursive kept (a, b) as (select max(cost), '' from source union all"
        " select '', kept.a from kept where kept.b = '') select max(b) from kept)",
    ),
    "the source beside itself": swapped(
        ("    from source\n),", "    from source cross join {reader} as other\n),")
    ),
    "two relations of one name": diagnosed(
        "(select cast(count(*) as varchar) from (select '*' as x) as t"
        " cross join (select cost as y from source) as t)"
    ),
    "two table expressions that differ in upper case": diagnosed(
        '(select x from "é")',
        '"é" as (select max(cost) as x from source), "É" as (select \'*\' as x)'
    ),
}  # fmt: skip
NOT_PROGRAMS = {"no source"}
"""Those that leak nothing, and are no release of the plan."""


@pytest.mark.parametrize("title", ATTACKS)
def test_an_attack_works_and_is_refused(title: str) -> None:
    plan = load_plan("plan.yml")
    sql = ATTACKS[title]
    assert rows_of(release_of(plan, sql).sql) or title in NOT_PROGRAMS or title == "a variable"
    refusal = (
        pytest.raises(EngineError, match="no step that names the source's columns")
        if title in NOT_PROGRAMS
        else pytest.raises(EngineError, match="cannot be proven that no identifier")
    )
    with refusal:
        lineage(plan, sql)


def test_every_refusal_is_that_of_an_attack() -> None:
    """No check is left to another one that refuses the same attacks, too."""
    plan = load_plan("plan.yml")
    others = [
        swapped((COLUMNS, COLUMNS.replace("cost", "cost, '*' as more"))),
        swapped(("generalized as (", "generalized (a, b, c, d, e, f, g) as (")),
        swapped((END, "order by 7\n")),
        swapped(("    from source\n),", "    from (describe source) as source\n),")),
        swapped(("from {reader}", "from {reader} as cost")),  # a row, if the column were missing
        swapped(("marital_status\n),\npublished", "marital_status with totals\n),\npublished")),
        swapped((COLUMNS, COLUMNS.replace("cost", "t.cost")), ("{reader}", "{reader} as t")),
        diagnosed("(select max(x) from (select '*' as x union select cost, '*' from source) as t)"),
    ]
    attacks = (sql for title, sql in ATTACKS.items() if title not in NOT_PROGRAMS)
    found = {refused(plan, sql).what for sql in (*attacks, *others)}
    found |= {refused(*with_population(sql)).what for sql in POPULATION_ATTACKS.values()}
    tree = ast.parse(Path(query_lineage.__file__).read_text(encoding="utf-8"))
    refusals = [
        raised.exc.args[-1] for raised in ast.walk(tree)
        if isinstance(raised, ast.Raise) and isinstance(raised.exc, ast.Call)
    ]  # fmt: skip
    said = {
        str(part.value) for what in refusals for part in getattr(what, "values", [what])
        if isinstance(part, ast.Constant) and len(str(part.value)) > 1
    }  # fmt: skip
    assert {part for part in said if not any(part in what for what in found)} == {
        "does not choose rows by their keyed hashes",
        "has a part that was not followed (",
        "has a hierarchy's query where its names may mean others",
        "reads something other than the source",
    }, "those have tests of their own"


@pytest.mark.parametrize(
    ("title", "sql"),
    {
        "a subquery of the classes": swapped(
            (RELEASE[RELEASE.index("inner join") : RELEASE.index("order by")],
             "where (generalized.sex, generalized.zip) in (select (sex, zip)"
             " from published_classes)\n")
        ),
        "windows": swapped(
            ("inner join published_classes\n", "cross join (select count(*) as n from"
             " published_classes) as counted\ninner join published_classes\n")
        ),
        "derived table": swapped(
            ("    from source\n),", "    from (select * from source) as source\n),")
        ),
        "grouped by all": swapped(("group by sex, born, zip, marital_status\n", "group by all\n")),
        "numbers": swapped(("group by sex, born, zip, marital_status\n", "group by 1, 2, 3, 4\n")),
        "columns of a cte renamed": swapped(
            ("generalized as (", "generalized (sex, born, zip, marital_status, diagnosis, cost)"
             " as (")
        ),
        "united": swapped(
            ("    from source\n),", "    from (select * from source where sex = 'F' union all"
             " select * from source where sex = 'M') as source\n),")
        ),
        "no alias for the source": swapped(("from {reader}", "from {reader} as patients")),
    }.items(),
)  # fmt: skip
def test_other_honest_forms_pass(title: str, sql: str) -> None:
    plan = load_plan("plan.yml")
    assert rows_of(release_of(plan, sql).sql)
    found = lineage(plan, sql).sources
    assert found["cost"] == ["cost"]
    assert found["sex"] == ["sex"]


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
    hierarchies = resolve_hierarchies(plan, None)
    prove_no_identifier_flows(plan, [*steps, release], hierarchies)
    prove_no_identifier_flows(plan, [*steps, check], hierarchies)
    other = replace(check, sql=check.sql.replace("marital.csv", "patients.csv"))
    with pytest.raises(EngineError, match="reads by read_csv"):
        prove_no_identifier_flows(plan, [*steps, other], hierarchies)
    for old, new in (
        ("marital.csv", "patients.csv"),
        ("source.marital_status\n", "source.cost\n"),
        ("source.diagnosis,", "source.name as diagnosis,"),
    ):
        assert old in release.sql
        other = replace(release, sql=release.sql.replace(old, new))
        with pytest.raises(EngineError, match="cannot be proven that no identifier"):
            prove_no_identifier_flows(plan, [*steps, other], hierarchies)


def test_labels_of_ordered_rows_are_those_of_their_classes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(release_by_place, "_MANY_ROWS", 1)
    monkeypatch.setattr(release_by_place, "ROWS_EACH", 0)
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
        other = replace(release, sql=release.sql.replace(old, new))
        with pytest.raises(EngineError, match="cannot be proven that no identifier"):
            prove_no_identifier_flows(plan, [*steps, other])
    ordered = next(step for step in steps if step.name == "ordered_rows")
    for place in ("length(generalized.diagnosis)", "published_classes.place + 1", "1"):
        tampered = ordered.sql.replace("published_classes.place", f"{place} as place", 1)
        made = [replace(step, sql=tampered) if step is ordered else step for step in steps]
        with pytest.raises(EngineError, match="cannot be proven that no identifier"):
            prove_no_identifier_flows(plan, [*made, release])


LEVELS = "select distinct zip, left(zip, 3), '*' from read_csv('zips.csv', all_varchar = true)"
HIERARCHIES: dict[str, Any] = {
    "file": "zips.hierarchy.csv",
    "query": {"query": LEVELS, "columns": 3},
    "taxonomy": {"taxonomy": "zips.txt"},
    "mask": {"mask": "right"},
    "none": None,
}
PROMISES: dict[str, list[dict[str, Any]]] = {
    "k": [{"model": "k-anonymity", "k": 3}],
    "several": [
        {"model": "k-anonymity", "k": 3},
        {"model": "l-diversity", "l": 2, "attribute": "illness", "kind": "entropy"},
        {"model": "t-closeness", "t": 0.6, "attribute": "job"},
    ],
    "joint": [{"model": "l-diversity", "l": 2, "attribute": "illness", "mode": "joint"}],
    "published": [{"model": "t-closeness", "t": 0.5, "attribute": "illness"}],
    "population": [{"model": "k-map", "k": 3}],
}


@pytest.mark.parametrize("rows", ["drop", "mask"])
@pytest.mark.parametrize("order", ["sorted", "source"])
@pytest.mark.parametrize("promises", PROMISES)
@pytest.mark.parametrize("hierarchy", HIERARCHIES)
@pytest.mark.sampled(0.12, by=("promises", "hierarchy"))
def test_releases_of_the_package_are_proven(
    hierarchy: str, promises: str, order: str, rows: str
) -> None:
    """With and without a solution, and with the columns that the plan alone lets decide."""
    if promises in ("k", "population"):
        rows = "drop"  # persons, and models of a population, allow nothing else
    if promises == "k":
        order = "sorted"  # that of the source could show which rows are of one person
    zips = ["12345", "12346", "12399", "77123"]
    lines = [
        f"n{n},{20 + n % 4},{zips[n // 4 % 4]},{'abc'[n % 3]},{'xyz'[n // 2 % 3]},{n % 9}"
        for n in range(48)
    ]
    Path("people.csv").write_text("\n".join(["name,age,zip,illness,job,person", *lines]) + "\n")
    Path("zips.csv").write_text("\n".join(["zip", *zips]) + "\n")
    Path("zips.hierarchy.csv").write_text("\n".join(f"{z};{z[:3]};*" for z in zips) + "\n")
    Path("zips.txt").write_text("*: 123, 771\n123: 12345, 12346, 12399\n771: 77123\n")
    zip_role: dict[str, Any] = {"role": "quasi-identifier"}
    if HIERARCHIES[hierarchy] is not None:
        zip_role["hierarchy"] = HIERARCHIES[hierarchy]
    plan: dict[str, Any] = {
        "source": "people.csv",
        "columns": {
            "name": {"role": "identifier", "action": "star"},
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [2, 4]}},
            "zip": zip_role,
            "illness": "sensitive",
            "job": "sensitive",
            "person": "identifier" if promises == "k" else "insensitive",
        },
        "privacy": PROMISES[promises],
        "order": order,
        "suppression": {"limit": 0.3, "rows": rows},
        "missing": "drop-rows" if order == "source" else "value",
        "publish": "out.parquet",
    }
    if promises == "population":
        plan["population"] = "people.csv"
    if promises == "k":
        plan["unit"] = "person"
    if hierarchy not in ("mask",):  # how many levels it has, only the data shows
        sqlanon.compile(plan)
    node = sqlanon.solve(plan).published_levels
    found = sqlanon.lineage(plan)
    deciding = {decider.name for decider in found.deciding}
    assert found.sources["name"] == []
    for name, level in node.items():
        if rows == "drop":
            is_top = level == (3 if name == "age" else max(node.values())) or level == 0
            assert found.sources[name] == [name] or (found.sources[name] == [] and is_top)
        else:
            assert set(found.sources[name]) <= {name} | deciding
    for name in ("illness", "job", "persons" if promises == "k" else "person"):
        own = ["age", "zip", "person"] if name == "persons" else [name]
        assert found.sources[name] == own
    assert {"age", "zip"} <= deciding
    assert ("person" in deciding) == (promises == "k")


def test_pseudonyms_stars_and_missing_values() -> None:
    keys = {
        "columns": {
            "patient_id": {"role": "identifier", "action": "pseudonym"},
            "name": {"role": "identifier", "action": "star"},
            "sex": "quasi-identifier",
            "born": "insensitive",
            "zip": "insensitive",
            "marital_status": "insensitive",
            "diagnosis": "sensitive",
            "cost": "insensitive",
        },
        "source": "patients.csv",
        "missing": "drop-rows",
        "privacy": [{"model": "k-anonymity", "k": 5}],
        "publish": "out.parquet",
    }
    plan = load_plan(keys)
    key = "getvariable('sqlanon_pseudonym_key')"
    hashed = f"sha256({key} || sha256({key} || cast(patient_id as varchar))) as patient_id"
    sql = f"""
with source as (
    select {hashed}, '*' as name, sex, born, zip, marital_status, diagnosis, cost
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
    how = {column.name: column.how for column in found.columns}
    assert how["patient_id"] == "keyed hash"
    assert {d.name: d.why for d in found.deciding}[
        "diagnosis"
    ] == "rows without a value are not published"
    refused(plan, sql.replace(hashed, "sha256(patient_id) as patient_id"))
    refused(plan, sql.replace(hashed, hashed.replace("(patient_id", "(name")))
    refused(plan, sql.replace("diagnosis is not null", "cost is not null"))
    refused(plan, sql.replace("diagnosis is not null", "diagnosis > 'flu'"))


def test_any_source_of_a_plan() -> None:
    """A table, and a query of the plan, are known as well as a file."""
    duckdb.execute("copy (from read_csv('patients.csv', all_varchar = true)) to 'p.parquet'")
    base = sqlanon.load_plan("plan.yml").model_dump(mode="json", exclude_unset=True)
    query = {"query": "select * from read_parquet('p.parquet') where cost <> '1'"}
    for source in ("p.parquet", query, "hospital.duckdb::main.patients"):
        plan = load_plan({**base, "source": source})
        alias = " as input" if source == query else ""
        sql = RELEASE.replace("{reader}", "{reader}" + alias)
        assert lineage(plan, sql).sources["born"] == ["born"]
        refused(plan, sql.replace("cost\n    from", "name as cost\n    from"))


def test_other_steps_still_read_only_what_was_made() -> None:
    plan = load_plan("plan.yml")
    step = release_of(plan)
    with pytest.raises(EngineError, match="reads by"):
        prove_no_identifier_flows(plan, [replace(step, name="other", kind="table"), step])
    table = swapped(("generalized as (", "made as (select t.label from sqlanon.chosen_node as t),\n"
                     "generalized as ("))  # fmt: skip
    refused(plan, table)
    before = Step("chosen_node", "select 1 as label")
    prove_no_identifier_flows(plan, [before, release_of(plan, table)])


PEOPLE = swapped(
    ("generalized as (", "people as (select sex, born, zip, marital_status from {people}),\n"
     "generalized as ("),
    (END, "    and exists (select 1 from people where people.sex = generalized.sex)\n"
     "order by all\n"),
)  # fmt: skip
"""The release, of those whose sex is in the population."""

READ = "people as (select sex, born, zip, marital_status from {people})"

POPULATION_ATTACKS: dict[str, str] = {
    "star of the population": PEOPLE.replace(READ, "people as (select * from {people})"),
    "star of the population, renamed": PEOPLE.replace(
        READ, "people (cost, name, sex) as (select * from {people})"
    ),
    "columns of the population by their places": PEOPLE.replace(
        READ, "people as (select sex, born, zip from {people} as p (a, sex, b, born, zip))"
    ),
    "another column of the population": PEOPLE.replace(
        READ, "people as (select name, sex from {people})"
    ),
    "a column of the population, not around it": PEOPLE.replace(
        DIAGNOSIS, "        (select max(diagnosis) from {people}) as diagnosis,\n"
    ),
    "a column of the population, not made before": PEOPLE.replace(
        READ, "people as (select '*' as name, name as sex from {people})"
    ),
    "a row of the population": PEOPLE.replace(
        READ, "people as (select cast(people as varchar) as sex from {people} as people)"
    ),
    "the population as one of its columns": PEOPLE.replace(
        READ, "people as (select sex from {people} as sex)"
    ),
    "the population, filtered": PEOPLE.replace(
        READ, "people as (select sex from {people} where name > 'M')"
    ),
    "the population, joined": PEOPLE.replace(
        READ, "people as (select p.sex from source as s cross join {people} as p)"
    ),
    "the population in an expression": PEOPLE.replace(
        READ, "people as (select (select cast(count(*) as varchar)"
        " from read_csv('patients.csv')) as sex from {people})"
    ),
    "a column of the population without a name": PEOPLE.replace(
        READ, "people as (select sex, upper(sex) from {people})"
    ),
    "a quasi-identifier of the population for another attribute": PEOPLE.replace(
        DIAGNOSIS, "        diagnosis || (select max(people.zip) from people) as diagnosis,\n"
    ),
    "the population left out": PEOPLE.replace(READ, "people as (select sex from source)"),
}  # fmt: skip


def with_population(sql: str) -> tuple[Plan, str]:
    """A plan with a population, and a release that reads it."""
    shutil.copy("patients.csv", "people.csv")
    plan = load_plan("plan.yml", ["population=people.csv"])
    (made,) = [step for step in source_steps(plan) if step.name == "population"]
    reader = made.sql.split("\nfrom ", 1)[1]
    return plan, sql.replace("{people}", reader)


def test_a_release_that_reads_the_population_passes() -> None:
    plan, sql = with_population(PEOPLE)
    assert lineage(plan, sql).sources["cost"] == ["cost"]


@pytest.mark.parametrize("title", POPULATION_ATTACKS)
def test_other_columns_of_the_population_are_refused(title: str) -> None:
    assert POPULATION_ATTACKS[title] != PEOPLE
    plan, sql = with_population(POPULATION_ATTACKS[title])
    assert duckdb.connect().execute(written(release_of(plan, sql).sql)).description
    refused(plan, sql)


def test_what_a_plan_wrote_reads_no_table_expression_of_the_release() -> None:
    """A hierarchy's query, or the population, that reads a table whose name a part has, too."""
    labels = "select zip, '*' from source"
    keys = sqlanon.load_plan("plan.yml").model_dump(mode="json", exclude_unset=True)
    keys["columns"]["zip"] = {
        "role": "quasi-identifier", "hierarchy": {"query": labels, "columns": 2}
    }  # fmt: skip
    plan = load_plan(keys)
    sql = swapped(
        ("generalized as (", f"labels as (select value from (\n{labels}\n) as q (value, label)),\n"
         "generalized as ("),
    )  # fmt: skip
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
    for title in ("a limit by an identifier", "an offset by an identifier"):
        assert "has a part that was not followed" in refused(plan, ATTACKS[title]).what
