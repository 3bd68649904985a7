"""What is published in place of values is followed to the source; anything else is refused."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon.commands.session import open_session
from sqlanon.errors import EngineError
from sqlanon.families import release_by_place
from sqlanon.program.program import program_steps
from sqlanon.proof.lineage import prove_no_identifier_flows
from sqlanon.sql.step import Step

CHANGES: dict[str, Any] = {
    "x": "mean",
    "y": {"top": "auto", "round": 5},
    "d": "mode",
    "s": "set",
    "w": {"aggregate": "interval", "round": 4},
}


@pytest.fixture(autouse=True)
def own_source() -> None:
    sizes = {"c": 3, "x": 7, "y": 11, "d": 2, "z": 5, "s": 3, "w": 10}
    columns = ", ".join(f"i % {size} as {name}" for name, size in sizes.items())
    rows = f"select i as person, {columns} from range(200) as t (i)"
    duckdb.execute(f"copy ({rows}) to 'people.parquet' (format parquet)")


@cache
def program(form: str) -> tuple[sqlanon.Plan, list[Step]]:
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
            patch.setattr(release_by_place, "_MANY_ROWS", 1)
            patch.setattr(release_by_place, "ROWS_EACH", 0)
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
