"""The proof from the SQL alone: honest programs pass, tampered ones are refused.

Every tampered select carries something of an identifier (or the key of pseudonyms) to where it is
published, in a form that DuckDB executes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon.commands.session import open_session
from sqlanon.errors import EngineError, PlanError
from sqlanon.families import families
from sqlanon.plan.columns import Identifier
from sqlanon.plan.file import load_plan
from sqlanon.plan.plan import Plan
from sqlanon.program.program import compile_program, program_steps
from sqlanon.proof.lineage import prove_no_identifier_flows
from sqlanon.source.hierarchy_files import resolve_hierarchies
from sqlanon.sql.step import Step
from tests.conftest import published_before
from tests.plan.plans import plan_of
from tests.support.searching import release_in_steps
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
def own_source(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A source and a hierarchy in the current folder."""
    monkeypatch.setenv("SQLANON_PSEUDONYM_KEY", KEY)
    Path("people.csv").write_text(PEOPLE)
    Path("towns.csv").write_text("Rome;*\nOslo;*\n")
    sizes = {"c": 3, "x": 7, "y": 11, "d": 2, "z": 5, "s": 3, "w": 10}
    columns = ", ".join(f"i % {size} as {name}" for name, size in sizes.items())
    rows = f"select i as person, {columns} from range(200) as t (i)"
    duckdb.execute(f"copy ({rows}) to 'people.parquet' (format parquet)")


def make(**keys: Any) -> Plan:
    """A plan with an identifier of each kind."""
    columns = {**IDENTIFIERS, **QUASI_IDENTIFIERS, "cost": "insensitive"}
    usual = {"source": "people.csv", "columns": columns, "publish": "published.parquet"}
    return load_plan(plan_of(**usual | keys))


def steps_of(plan: Plan) -> list[Step]:
    """The steps up to the staged rows, not proven yet."""
    release = families.recorded(plan, resolve_hierarchies(plan, None), None)
    return list(program_steps(compile_program(plan, release, None, "staged.parquet")))


@cache
def honest(order: str = "sorted") -> tuple[Plan, list[Step]]:
    """The plan of `make`, and its steps."""
    plan = make(order=order)
    return plan, steps_of(plan)


def tampered(steps: Sequence[Step], name: str, sql: str) -> list[Step]:
    """The steps, one of them with another text."""
    changed = [replace(step, sql=sql) if step.name == name else step for step in steps]
    assert changed != list(steps)
    return changed


def refused(plan: Plan, steps: Sequence[Step]) -> None:
    with pytest.raises(EngineError, match="cannot be proven that no identifier is pub") as refusal:
        prove_no_identifier_flows(plan, steps)
    assert refusal.value.where.startswith("step ")
    assert "Ann" not in str(refusal.value)


FROM = "from sqlanon.source"

# --- honest programs

RELAXED = {"name": "mondrian", "partitioning": "relaxed"}
DISTINCT: dict[str, Any] = {"model": "l-diversity", "l": 1, "attribute": "cost"}
HONEST: dict[str, dict[str, Any]] = {
    "plain": {},
    "dropped": {"missing": "drop-rows", "order": "source", "columns": QUASI_IDENTIFIERS},
    "masked": {"suppression": {"limit": 0.5, "rows": "mask"}},
    "rank": {"method": {"objective": {"name": "loss", "aggregate": "rank"}}},
    "table": {
        "source": "people.duckdb::main.people",
        "columns": {**QUASI_IDENTIFIERS, "cost": "sensitive"},
    },
    "query": {"source": {"query": "select * from read_csv('people.csv') as t where name <> 'Bob'"}},
    "names": {
        "columns": {
            'a "b"': {"role": "identifier", "action": "pseudonym"},
            "select": {"role": "identifier", "action": "pseudonym"},
            "C": {"role": "identifier", "action": "star"},
            **QUASI_IDENTIFIERS,
            'the "cost"': "insensitive",
            "source": "insensitive",
        }
    },
    "working names": {
        "columns": {**QUASI_IDENTIFIERS, "select": "identifier", "source_rows": "insensitive"}
    },
    "cut relaxed": {"method": RELAXED},
    "cut labels": {"method": {"name": "mondrian", "labels": "region", "names": 2}},
    "cut bounds": {"method": {"name": "mondrian", "bounds": True}},
    "cut population": {"method": "mpalm", "population": "people.csv"},
    "cut values": {
        "method": RELAXED,
        "columns": {**IDENTIFIERS, **QUASI_IDENTIFIERS, "cost": "sensitive"},
        "privacy": [{"model": "k-anonymity", "k": 2}, DISTINCT],
    },
}


@pytest.mark.parametrize("name", HONEST)
def test_honest_programs_pass(name: str) -> None:
    plan = make(**HONEST[name])
    found = prove_no_identifier_flows(plan, steps_of(plan))
    dependencies = found.sources
    assert not any("." in column.expression for column in found.columns), "no names of relations"
    assert list(dependencies) == list(plan.form.columns)
    labels = {*plan.quasi_identifiers, *sum(plan.form.bounds.values(), ())}
    of_values = {"cost"} if name == "cut values" else set()
    for column, read in dependencies.items():
        if column in labels:
            assert set(plan.quasi_identifiers) <= set(read)
            assert set(read) <= {*plan.quasi_identifiers} | of_values
        else:
            kept = plan.columns[column]
            is_star = isinstance(kept, Identifier) and kept.action == "star"
            assert read == ([] if is_star else [column])


def test_nothing_is_written_when_the_proof_fails(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sqlanon.commands import session

    def leak(*arguments: Any) -> Any:
        program = compile_program(*arguments)
        sql = f"select name as cost, '*' as ward, cost as case_id, age, town {FROM}"
        return replace(program, steps=tuple(tampered(program.steps, "source_rows", sql)))

    with pytest.raises(PlanError, match="run `sqlanon solve`"):
        sqlanon.lineage(make())
    monkeypatch.setattr(session, "compile_program", leak)
    published_before("published.parquet", b"the earlier publication")
    sqlanon.solve(make())
    for command in (sqlanon.compile, sqlanon.run, sqlanon.lineage):
        with pytest.raises(EngineError, match=r"source_rows.*cannot be proven.*name"):
            command(make())
    assert Path("published.parquet").read_bytes() == b"the earlier publication"
    assert not [*folder.rglob("staged.*"), *folder.rglob("program.sql")]


# --- the command


def test_lineage_of_a_solved_plan() -> None:
    plan = make(
        columns={**IDENTIFIERS, **QUASI_IDENTIFIERS, "cost": "sensitive"},
        privacy=[{"model": "k-anonymity", "k": 2}, DISTINCT],
        missing="drop-rows",
        unit="name",
    )
    assert sqlanon.solve(plan).published_levels == {"age": 1, "town": 1}
    found = sqlanon.lineage(plan)
    assert [(column.name, list(column.sources), column.how) for column in found.columns] == [
        ("ward", [], "one value for all"),
        ("case_id", ["case_id"], "keyed hash"),
        ("age", ["age"], "level 1 of 2, intervals of width 10"),
        ("town", [], "one value for all"),
        ("cost", ["cost"], "as in the source"),
        ("persons", ["name", "age", "town", "cost"], "number of persons of the class"),
    ]
    expressions = {column.name: column.expression for column in found.columns}
    assert expressions["ward"] == expressions["town"] == "'*'"
    assert expressions["case_id"].startswith("sha256(getvariable('sqlanon_pseudonym_key') ||")
    assert "age" in expressions["age"]
    assert "// 10" in expressions["age"].replace("% 10", "// 10")
    missing = "rows without a value are not published"
    assert [(decider.name, decider.why) for decider in found.deciding] == [
        ("name", "persons are counted, not rows"),
        ("age", f"rows with the same labels are one class; {missing}"),
        ("town", f"rows with the same labels are one class; {missing}"),
        ("cost", f"l-diversity judges the values of a class; {missing}"),
    ]


def test_lineage_of_other_methods() -> None:
    values = {"columns": {**IDENTIFIERS, **QUASI_IDENTIFIERS, "cost": "sensitive"}}
    diverse = {**values, "privacy": [{**DISTINCT, "l": 2}]}
    for keys, expected in (
        ({"method": {"name": "mondrian", "bounds": True}},
         {"age": "a range of numbers, each class its own",
          "town": "a label of the hierarchy, each class its own",
          "age_lo": "lower end of the interval of age"}),
        ({"method": "bucketization", **diverse},
         {"bucket": "number of the bucket",
          "cost": "as in the source, exchanged within a bucket"}),
    ):  # fmt: skip
        plan = make(**keys)
        sqlanon.solve(plan)
        columns = {column.name: column for column in sqlanon.lineage(plan).columns}
        assert {name: column.how for name, column in columns.items()}.items() >= expected.items()
        assert columns["cost"].sources == ("cost",)


# --- tampered programs

KEY_VALUE = "getvariable('sqlanon_pseudonym_key')"
KEYED = f"sha256({KEY_VALUE} || case_id)"
PLAIN = f"select age, town, cost {FROM}"

SOURCE_ROWS = (
    *(
        f"select age, town, {cost} as cost {FROM}"
        for cost in (
            "name",
            "rank() over (order by name)",
            "columns(['name'])",
            "#1",
            "source",
            "(select max(content) from read_text('people.csv'))",
            KEYED,
            KEY_VALUE,
        )
    ),
    f"select age || left(name, 1) as age, town, cost {FROM}",
    f"select ward, age, town, cost {FROM}",
    f"{PLAIN} as s (cost, ward, case_id, age, town)",
    # rows chosen by an identifier, or by more than whether a value is missing
    f"{PLAIN} where name = 'Ann'",
    f"{PLAIN} where not cost = 6",
    f"{PLAIN} where nullif(cost, 6) is not null",
    f"{PLAIN} where {KEYED} > 'a'",
    f"{PLAIN} order by name",
    f"select distinct on (name) age, town, cost {FROM}",
    f"select age, town, rank() over w as cost {FROM} window w as (order by name)",
    f"{PLAIN} qualify row_number() over (partition by name) = 1",
    f"{PLAIN} union all select age, town, name {FROM}",
    f"{PLAIN} union all by name {PLAIN} as s (cost, ward, case_id, age, town)",
    f"{PLAIN} natural inner join (select 'Ann' as name)",
    # columns without their names
    f"select * {FROM}",
    f"select age, town, columns('na.*') {FROM}",
    FROM,
    f"select age, town, unnest(source) {FROM}",
    f"with people (cost, x, y, age, town) as ({FROM}) select cost, age, town from people",
    f"select a.age, a.town, b.cost {FROM} as a positional join sqlanon.source as b (cost)",
    "select value as cost, value as age, value as town"
    " from (unpivot sqlanon.source on columns(*) into name n value value)",
    "select max as cost, min as age, max as town from (summarize sqlanon.source)",
    # pseudonyms
    *(
        f"select {value} as case_id, age, town, cost {FROM}"
        for value in (
            "case_id",
            "sha256(case_id)",
            f"sha256(case_id) || left({KEY_VALUE}, 0)",
            "sha256('sqlanon_pseudonym_key' || case_id)",
            f"sha256(left({KEY_VALUE}, 0) || case_id)",
            f"list_extract([case_id, {KEY_VALUE}], 1)",
            f"sha256({KEY_VALUE} || name)",
        )
    ),
    "select '*' as age, '*' as town, '*' as cost",
)

LATER = (
    # the source under any of its names
    f"select name {FROM}",
    "select name from sqlanon.main.source",
    f"select age from sqlanon.source_rows where exists (select 1 {FROM} where name = 'Ann')",
    FROM,
    "select max from (summarize sqlanon.source)",
    "with source as (select 1) select * from SQLANON.source",
    f"with recursive t as (select name {FROM} union select name from t) select * from t",
    # the tables and files of the user
    "select * from people",
    "select * from sqlanon_source.main.people",
    "with people as (select * from people) select * from people",
    "select * from people where 1 in (with people as (select 1) select * from people)",
    "with people as (select 1) select * from main.people",
    "select * from hospital.sqlanon.source_rows",
    "select * from 'people.csv'",
    "select * from read_parquet('people.parquet')",
    "select (select max(content) from read_text('people.csv')) as x from sqlanon.source_rows",
    "select * from sniff_csv('people.csv')",
    # what names relations in texts
    "select * from query('select name from sqlanon.source')",
    "select sql from duckdb_views()",
    "select * from glob('*')",
    f"select {KEY_VALUE} as cost",
    "select getvariable('names') as cost",
)

NO_SELECTS = (
    f"{PLAIN}; select name {FROM}",
    f"select 1) to 'x.csv'; copy (select * {FROM}",
    "select 1; copy sqlanon.source to 'x.csv'",
    "copy sqlanon.source to 'x.csv'",
    "select from where",
)


@pytest.mark.parametrize("sql", [*SOURCE_ROWS, *NO_SELECTS])
def test_tampered_source_rows_are_refused(sql: str) -> None:
    for order in ("sorted", "source"):
        plan, steps = honest(order)
        refused(plan, tampered(steps, "source_rows", sql))


@pytest.mark.parametrize("sql", [*LATER, *NO_SELECTS])
def test_tampered_later_steps_are_refused(sql: str) -> None:
    plan, steps = honest()
    for name in ("source_values", "release")[: 1 + (sql == LATER[0])]:
        refused(plan, tampered(steps, name, sql))


def test_missing_and_misplaced_steps_are_refused() -> None:
    plan, steps = honest()
    prove_no_identifier_flows(plan, steps)
    refused(plan, [step for step in steps if step.name != "source_rows"])
    refused(plan, [steps[0], *steps[2:], steps[1]])
    refused(plan, steps[1:])
    with pytest.raises(EngineError, match="no step that names the source's columns"):
        prove_no_identifier_flows(plan, steps[:1])
    source = "select * exclude (cost), name as cost from read_csv('people.csv')"
    refused(plan, tampered(steps, "source", source))
    for step in (steps[1], steps[-2]):
        with pytest.raises(EngineError, match="made twice"):
            prove_no_identifier_flows(plan, [*steps, replace(step, name=step.name.upper())])


COPIES = (
    ("leak", f"select * {FROM}", "leak.csv"),
    ("SOURCE", f"select * {FROM}", "leak.csv"),
    ("leak", "select * from sqlanon.source_rows", "leak.csv"),
    ("release_of_others", "select 1 as one", "staged.parquet"),
)


@pytest.mark.parametrize(
    "step",
    [
        Step("leak", "attach 'leak.duckdb' as leak", "attach"),
        Step("source", f"select name as age {FROM}"),
        *(Step(n, sql, "copy", target=to, copy_options="format csv") for n, sql, to in COPIES),
    ],
    ids=lambda step: f"{step.kind} {step.name}",
)
def test_added_steps_are_refused(step: Step) -> None:
    """At the end, and among the others."""
    plan, steps = honest()
    refused(plan, [*steps, step])
    refused(plan, [*steps[:-3], step, *steps[-3:]])


@pytest.mark.parametrize("name", ["case_id", "name", "ward"])
def test_only_a_pseudonym_may_be_hashed(name: str) -> None:
    """The very hash of a pseudonym, of an identifier that the plan drops."""
    plan, steps = honest()
    hashed = f"sha256({KEY_VALUE} || sha256({KEY_VALUE} || cast({name} as varchar))) as {name}"
    steps = tampered(steps, "source_rows", f"select {hashed}, age, town, cost {FROM}")
    if name == "case_id":
        prove_no_identifier_flows(plan, steps)
    else:
        refused(plan, steps)


# --- what is published in place of values

CHANGES: dict[str, Any] = {
    "x": "mean",
    "y": {"top": "auto", "round": 5},
    "d": "mode",
    "s": "set",
    "w": {"aggregate": "interval", "round": 4},
}


@cache
def program(form: str) -> tuple[Plan, list[Step]]:
    """The plan and the steps of its release, in one query, for many rows, or of persons."""
    columns: dict[str, Any] = {
        "person": "identifier",
        "c": {"role": "quasi-identifier", "publish": "median"},
        "z": "insensitive",
        **{name: {"role": "insensitive", "publish": change} for name, change in CHANGES.items()},
    }
    privacy = [{"model": "k-anonymity", "k": 5}]
    keys: dict[str, Any] = {"unit": "person"} if form == "persons" else {}
    keys |= {"source": "people.parquet", "publish": "open.parquet"}
    plan = sqlanon.Plan(columns=columns, privacy=privacy, **keys)
    with pytest.MonkeyPatch.context() as patch:
        if form == "many rows":
            release_in_steps(patch)
        sqlanon.run(plan)
        session = open_session(plan)
        solution = session.solution_if_any()
        assert solution is not None
        steps = program_steps(session.compile(solution))
    return session.plan.with_types(solution.types), list(steps)


@pytest.mark.parametrize("form", ["one query", "many rows", "persons"])
def test_values_come_from_their_columns_and_from_what_makes_classes(form: str) -> None:
    found = prove_no_identifier_flows(*program(form)).sources
    deciding = {"c", "person"} if form == "persons" else {"c"}
    for name in CHANGES:
        assert {name} <= set(found[name]) <= {name, *deciding}
    assert found["z"] == ["z"]


READ = "from sqlanon.placed_rows"
OTHER_VALUES = (
    ("coded_rows.z", "coded_rows.x as z"),
    ("placed_rows.x as", "placed_rows.z as"),
    ("select rounded_4 as value", "select z as value"),  # an end of another column
    ("as value,", "as ignored, z as value,"),  # a set of another column
    (READ, f"{READ} where z > 1"),
    (READ, "from sqlanon.source as placed_rows"),
    (READ, "from 'people.parquet' as placed_rows"),
)
SET = "left join class_sets_6 on class_sets_6.place = class_values.place"
KEY_OF_PERSONS = (
    ("placed_rows", "generalized.x,", "generalized.column_1 as x,"),
    ("placed_rows", "generalized.x,", "generalized.column_1 + generalized.x as x,"),
    ("person_rows", "placed_rows.x as", "placed_rows.column_1 as"),
    ("person_rows", "sum(read_3)", "max(column_1)"),
    ("release", "person_rows.z", "person_rows.person as z"),
    ("release", "class_persons.persons", "dense_rank() over (order by person) as persons"),
)
ROWS_ADDED_OR_DROPPED = (  # a set and a mode are joined to their class, which has one at most
    (SET, SET.replace("=", "<=")),
    (SET, SET.replace("class_values.place", "class_values.members_6")),
    ("left join class_sets_6", "inner join class_sets_6"),
    ("group by class_members.place", "group by class_members.place, class_members.value"),
    ("frequency = most\n    group by place", "frequency = most\n    group by place, value"),
    ("min(set_names.total) as total", "min(set_names.total) + unnest([0, 0]) as total"),
)


@pytest.mark.sampled(0.5, by=("form", "old", "new"))
@pytest.mark.parametrize(
    ("form", "name", "old", "new"),
    [
        *(("one query", "release", *change) for change in (*OTHER_VALUES, *ROWS_ADDED_OR_DROPPED)),
        *(("many rows", "", *change) for change in OTHER_VALUES),
        *(("persons", *change) for change in KEY_OF_PERSONS),
    ],
)
def test_other_values_and_rows_are_refused(form: str, name: str, old: str, new: str) -> None:
    plan, steps = program(form)
    if form == "many rows":  # has the parts of that query as steps
        parts = [s for s in steps if s.name in ("changed_classes", "ordered_rows", "release")]
        name = next(step.name for step in parts if old in step.sql)
    (step,) = (step for step in steps if step.name == name)
    assert old in step.sql, step.sql
    tampered = replace(step, sql=step.sql.replace(old, new, 1))
    with pytest.raises(EngineError, match="It cannot be proven that no identifier"):
        prove_no_identifier_flows(plan, [tampered if one is step else one for one in steps])
